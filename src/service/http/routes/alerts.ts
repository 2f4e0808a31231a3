import type { z } from 'zod';
import * as wire from '../../../contract/alerts.ts';
import { checkAlert } from '../../../contract/alerts.ts';
import { checkBody } from '../../../contract/field-problems.ts';
import * as queries from '../../../contract/queries.ts';
import { PATHS } from '../../../contract/routes.ts';
import { formatCount } from '../../../core/units.ts';
import { ALERTS_PER_KEY, type AlertService } from '../../alerts/alert-service.ts';
import { valid } from '../errors.ts';
import { type AdmittedRequest, type Route, route } from './route.ts';

const OF_ONE = {
  params: queries.AlertParameter,
  refusals: { 404: 'There is no such alert, or it belongs to another key' },
};

const EXAMPLE: wire.AlertCreationInput = {
  thresholdGwei: 5,
  gasSpeed: 'AVERAGE',
  condition: 'LESS_THAN',
  channels: ['TERMINAL'],
  cooldownMs: 3_600_000,
  note: 'deploy now',
};

const readAlert = (alerts: AlertService, { body }: AdmittedRequest) => valid(checkAlert(body, alerts.rules));

const read = <Schema extends z.ZodType>(schema: Schema, body: unknown) => valid(checkBody(schema, body));

/** None of them needs the chain, so they work without it. Each key sees only its own alerts. */
export const alertRoutes = (alerts: AlertService): Route[] => [
  route('get', PATHS.alerts, {
    summary: 'The alerts of the key, newest first',
    query: queries.PageParameters,
    response: wire.AlertList,
    handle: ({ owner, query: { page = 0, size = queries.PAGE_SIZE_DEFAULT } }) =>
      alerts.list(owner, page, size),
  }),
  route('get', PATHS.alert, {
    summary: 'One alert, and what was sent for it',
    ...OF_ONE,
    response: wire.AlertDetails,
    handle: ({ owner, params: { id } }) => alerts.details(owner, id),
  }),
  route('post', PATHS.alerts, {
    summary: 'Make an alert',
    description:
      '`method` is one of `channels` (left out: the first) and `to` its target; `targets` names those of the other channels. TERMINAL needs none.',
    body: { schema: wire.AlertCreation, example: EXAMPLE },
    status: 201,
    success: 'The alert, armed',
    response: wire.CreatedAlert,
    refusals: { 409: `The key has ${formatCount(ALERTS_PER_KEY)} alerts already` },
    handle: (request) => alerts.create(request.owner, readAlert(alerts, request)),
  }),
  route('put', PATHS.alert, {
    summary: 'Change an alert',
    description:
      'Replaces all that `POST /alerts` takes: what is left out has its default. Id, status, history and savings stay; a running cooldown goes on, counted from the last notification; the confirming blocks are counted anew. What has fired already is sent as it was.',
    ...OF_ONE,
    body: { schema: wire.AlertCreation, example: EXAMPLE },
    success: 'The alert as it is now',
    response: wire.CreatedAlert,
    handle: (request) => alerts.update(request.owner, request.params.id, readAlert(alerts, request)),
  }),
  route('post', PATHS.signingSecret, {
    summary: 'Change the secret that signs webhooks',
    description:
      'The new secret signs the webhooks of all alerts of the key. Each secret before goes on signing for a day from the time it was replaced, however often it is rotated. A second rotation within ten seconds is the first one, with its response.',
    success: 'The new secret',
    response: wire.RotatedSecret,
    refusals: { 409: 'Twenty earlier secrets still sign; each goes a day after it was replaced' },
    handle: ({ owner }) => alerts.rotateSigningSecret(owner),
  }),
  route('put', PATHS.alertStatus, {
    summary: 'Arm or disable an alert',
    description:
      'Enabled again, it may fire at once; a cooldown that is running goes on. A status that it has already changes nothing.',
    ...OF_ONE,
    body: { schema: wire.AlertStatusUpdate, example: { status: 'DISABLED' } },
    success: 'The alert as it is now',
    response: wire.Alert,
    handle: ({ owner, body, params: { id } }) =>
      alerts.setStatus(owner, id, read(wire.AlertStatusUpdate, body).status),
  }),
  route('delete', PATHS.alert, {
    summary: 'Delete an alert',
    description: 'What was still to be sent for it is not sent any more.',
    ...OF_ONE,
    success: 'It is gone',
    handle: ({ owner, params: { id } }) => alerts.remove(owner, id),
  }),
  route('get', PATHS.alertSavings, {
    summary: 'What an alert has saved',
    ...OF_ONE,
    query: queries.SavingsParameters,
    response: wire.AlertSavings,
    handle: ({ owner, params: { id }, query: { gasAmount } }) => alerts.savings(owner, id, gasAmount),
  }),
  route('post', PATHS.alertRedeliver, {
    summary: 'Send a delivery again',
    description:
      'The delivery keeps its id, so that the recipient recognises it; `GET /alerts/{id}` lists the deliveries.',
    params: queries.AlertParameter,
    body: { schema: wire.AlertRedelivery, example: { deliveryId: 'alr_5d41402abc4b2a76.1.webhook' } },
    status: 202,
    success: 'The delivery, about to be sent',
    response: wire.AlertDelivery,
    refusals: {
      404: 'There is no such alert, it belongs to another key, or it has no such delivery',
      409: 'The channel has nothing to send, or the service is not set up for it any more',
    },
    handle: ({ owner, body, params: { id } }) =>
      alerts.redeliver(owner, id, read(wire.AlertRedelivery, body).deliveryId),
  }),
];
