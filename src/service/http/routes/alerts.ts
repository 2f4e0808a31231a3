import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import {
  Alert,
  type AlertCreation,
  type AlertCreationInput,
  AlertDelivery,
  AlertDetails,
  AlertList,
  AlertRedelivery,
  AlertSavings,
  AlertStatusUpdate,
  CreatedAlert,
  RotatedSecret,
} from '../../../contract/alerts.ts';
import { checkAlert } from '../../../contract/check-alert.ts';
import { SAVINGS_GAS_DEFAULT } from '../../../contract/choices.ts';
import {
  AlertParameter,
  NoParameters,
  PAGE_SIZE_DEFAULT,
  PageParameters,
  SavingsParameters,
} from '../../../contract/queries.ts';
import { PATHS } from '../../../contract/routes.ts';
import { ALERTS_PER_KEY, type AlertService } from '../../alerts/alert-service.ts';
import { readBody, readJson, wrongFields } from '../body.ts';
import {
  changingRoute,
  conflict,
  getRoute,
  made,
  notFound,
  success,
  WRONG_PARAMETER,
  wrongBody,
} from './describe.ts';

const NO_ALERT = notFound('There is no such alert, or it belongs to another key');
const WRONG_BODY = wrongBody('The body is no JSON, or its fields are wrong');

const NEW_ALERT: AlertCreationInput = {
  thresholdGwei: 5,
  gasSpeed: 'AVERAGE',
  condition: 'LESS_THAN',
  channels: ['TERMINAL'],
  cooldownMs: 3_600_000,
  note: 'deploy now',
};

const OF_ONE = { params: AlertParameter, query: NoParameters };

const listRoute = getRoute(
  PATHS.alerts,
  'The alerts of the key, newest first',
  { query: PageParameters },
  AlertList,
  {},
);
const detailsRoute = getRoute(PATHS.alert, 'One alert, and what was sent for it', OF_ONE, AlertDetails, {
  404: NO_ALERT,
});
const savingsRoute = getRoute(
  PATHS.alertSavings,
  'What an alert has saved',
  { params: AlertParameter, query: SavingsParameters },
  AlertSavings,
  { 404: NO_ALERT },
);

const creationRoute = changingRoute('post', PATHS.alerts, 'Make an alert', {
  description:
    '`method` is one of `channels` (left out: the first) and `to` its target; `targets` names those of the other channels. TERMINAL needs none.',
  body: { name: 'AlertCreation', example: NEW_ALERT },
  request: { query: NoParameters },
  responses: {
    201: made('The alert, armed', CreatedAlert),
    400: WRONG_BODY,
    409: conflict(`The key has ${ALERTS_PER_KEY.toLocaleString('en')} alerts already`),
  },
});

const updateRoute = changingRoute('put', PATHS.alert, 'Change an alert', {
  description:
    'Replaces all that `POST /alerts` takes: what is left out has its default. Id, status, history and savings stay; a running cooldown goes on, counted from the last notification; the confirming blocks are counted anew. What has fired already is sent as it was.',
  isAddition: true,
  body: { name: 'AlertCreation', example: NEW_ALERT },
  request: OF_ONE,
  responses: { 200: success('The alert as it is now', CreatedAlert), 400: WRONG_BODY, 404: NO_ALERT },
});

const rotationRoute = changingRoute('post', PATHS.signingSecret, 'Change the secret that signs webhooks', {
  description:
    'The new secret signs the webhooks of all alerts of the key. For a day webhooks carry a second signature, with the secret before.',
  isAddition: true,
  request: { query: NoParameters },
  responses: { 200: success('The new secret', RotatedSecret), 400: WRONG_PARAMETER },
});

const statusRoute = changingRoute('put', PATHS.alertStatus, 'Arm or disable an alert', {
  description:
    'Enabled again, it may fire at once; a cooldown that is running goes on. A status that it has already changes nothing.',
  body: { name: 'AlertStatusUpdate', example: { status: 'DISABLED' } },
  request: OF_ONE,
  responses: { 200: success('The alert as it is now', Alert), 400: WRONG_BODY, 404: NO_ALERT },
});

const deletionRoute = changingRoute('delete', PATHS.alert, 'Delete an alert', {
  description: 'What was still to be sent for it is not sent any more.',
  request: OF_ONE,
  responses: { 204: { description: 'It is gone' }, 400: WRONG_PARAMETER, 404: NO_ALERT },
});

const redeliveryRoute = changingRoute('post', PATHS.alertRedeliver, 'Send a delivery again', {
  description:
    'The delivery keeps its id, so that the recipient recognises it; `GET /alerts/{id}` lists the deliveries.',
  isAddition: true,
  body: { name: 'AlertRedelivery', example: { deliveryId: 'alr_5d41402abc4b2a76.1.webhook' } },
  request: OF_ONE,
  responses: {
    202: success('The delivery, about to be sent', AlertDelivery),
    400: WRONG_BODY,
    404: notFound('There is no such alert, it belongs to another key, or it has no such delivery'),
    409: conflict('The channel has nothing to send, or the service is not set up for it any more'),
  },
});

/** None of them needs the chain, so they work without it. Each key sees only its own alerts. */
export function addAlertRoutes(app: OpenAPIHono, alerts: AlertService): void {
  app.openapi(listRoute, async (c) => {
    const { page = 0, size = PAGE_SIZE_DEFAULT } = c.req.valid('query');
    return c.json(await alerts.list(c.get('owner'), page, size), 200);
  });
  app.openapi(detailsRoute, async (c) =>
    c.json(await alerts.details(c.get('owner'), c.req.valid('param').id), 200),
  );
  const readAlert = async (c: Context): Promise<AlertCreation> => {
    const checked = checkAlert(await readJson(c), alerts.rules(c.get('owner')));
    if (!checked.ok) throw wrongFields(checked.problems);
    return checked.value;
  };
  app.openapi(creationRoute, async (c) => {
    const alert = await alerts.create(c.get('owner'), await readAlert(c));
    // Relative to the list, wherever a proxy has put it.
    return c.json(alert, 201, { Location: `alerts/${alert.id}` });
  });
  app.openapi(updateRoute, async (c) => {
    const alert = await readAlert(c);
    return c.json(await alerts.update(c.get('owner'), c.req.valid('param').id, alert), 200);
  });
  app.openapi(rotationRoute, async (c) => c.json(await alerts.rotateSigningSecret(c.get('owner')), 200));
  app.openapi(statusRoute, async (c) => {
    const { status } = await readBody(c, AlertStatusUpdate);
    return c.json(await alerts.setStatus(c.get('owner'), c.req.valid('param').id, status), 200);
  });
  app.openapi(deletionRoute, async (c) => {
    await alerts.remove(c.get('owner'), c.req.valid('param').id);
    return c.body(null, 204);
  });
  app.openapi(savingsRoute, async (c) => {
    const { gasAmount = SAVINGS_GAS_DEFAULT } = c.req.valid('query');
    return c.json(await alerts.savings(c.get('owner'), c.req.valid('param').id, gasAmount), 200);
  });
  app.openapi(redeliveryRoute, async (c) => {
    const { deliveryId } = await readBody(c, AlertRedelivery);
    return c.json(await alerts.redeliver(c.get('owner'), c.req.valid('param').id, deliveryId), 202);
  });
}
