import { createRoute } from '@hono/zod-openapi';
import type { z } from 'zod';
import {
  Alert,
  type AlertCreationInput,
  AlertDelivery,
  AlertDetails,
  AlertList,
  AlertSavings,
  CreatedAlert,
} from '../../contract/alerts.ts';
import { ErrorBody } from '../../contract/api-error.ts';
import { AlertParameter, NoParameters, PageParameters, SavingsParameters } from '../../contract/queries.ts';
import { PATHS } from '../../contract/routes.ts';
import { ALERTS_PER_KEY } from '../alerts/alert-book.ts';
import { schemaReference } from './component-schemas.ts';
import { describeRoute } from './describe-route.ts';
import { ANYTHING_ELSE, GATE_REFUSALS, refusal } from './refusals.ts';
import { getOwnOneRoute, getOwnRoute } from './route.ts';

const MISSING = 'There is no such alert, or it belongs to another key';
const NO_ALERT = refusal(`${MISSING}: \`not_found\``, ErrorBody);
const WRONG_PARAMETER = refusal(
  'A parameter is none of this route; `details` names it: `validation_failed`',
  ErrorBody,
);
const WRONG_BODY = refusal(
  'The body is no JSON, or its fields are wrong; `details` names every one of them: `validation_failed`',
  ErrorBody,
);

const answer = <Body extends z.ZodType>(description: string, schema: Body) => ({
  description,
  content: { 'application/json': { schema } },
});

/**
 * A body as the document says it. The routes read it themselves (read-body.ts): the framework would let pass what is
 * not called JSON, and say of the rest one thing at a time.
 */
const takes = (name: string, example: object) => ({
  requestBody: {
    required: true,
    content: { 'application/json': { schema: { $ref: schemaReference(name) }, example } },
  },
});

const NEW_ALERT: AlertCreationInput = {
  thresholdGwei: 5,
  gasSpeed: 'AVERAGE',
  condition: 'LESS_THAN',
  channels: ['TERMINAL'],
  cooldownMs: 3_600_000,
  note: 'deploy now',
};

export const listRoute = getOwnRoute(
  PATHS.alerts,
  'The alerts of the key, newest first',
  PageParameters,
  AlertList,
);
export const detailsRoute = getOwnOneRoute(PATHS.alert, 'One alert, and what was sent for it', {
  params: AlertParameter,
  query: NoParameters,
  answer: AlertDetails,
  missing: MISSING,
});
export const savingsRoute = getOwnOneRoute(PATHS.alertSavings, 'What an alert has saved', {
  params: AlertParameter,
  query: SavingsParameters,
  answer: AlertSavings,
  missing: MISSING,
});

export const creationRoute = createRoute({
  ...describeRoute('post', PATHS.alerts, 'Make an alert'),
  description:
    '`method` is one of `channels` (left out: the first) and `to` its target; `targets` names those of the other channels. TERMINAL needs none.',
  ...takes('AlertCreation', NEW_ALERT),
  request: { query: NoParameters },
  responses: {
    201: {
      ...answer('The alert, armed', CreatedAlert),
      headers: { Location: { description: 'Where it stands', schema: { type: 'string' as const } } },
    },
    400: WRONG_BODY,
    409: refusal(
      `The key has ${ALERTS_PER_KEY.toLocaleString('en')} alerts already: \`conflict\``,
      ErrorBody,
    ),
    ...GATE_REFUSALS,
    default: ANYTHING_ELSE,
  },
});

export const statusRoute = createRoute({
  ...describeRoute('put', PATHS.alertStatus, 'Arm or disable an alert'),
  description: 'Armed again, it may fire at once. A status that it has already changes nothing.',
  ...takes('AlertStatusUpdate', { status: 'DISABLED' }),
  request: { params: AlertParameter, query: NoParameters },
  responses: {
    200: answer('The alert as it is now', Alert),
    400: WRONG_BODY,
    404: NO_ALERT,
    ...GATE_REFUSALS,
    default: ANYTHING_ELSE,
  },
});

export const deletionRoute = createRoute({
  ...describeRoute('delete', PATHS.alert, 'Delete an alert'),
  description: 'What was still to be sent for it is not sent any more.',
  request: { params: AlertParameter, query: NoParameters },
  responses: {
    204: { description: 'It is gone' },
    400: WRONG_PARAMETER,
    404: NO_ALERT,
    ...GATE_REFUSALS,
    default: ANYTHING_ELSE,
  },
});

export const redeliveryRoute = createRoute({
  ...describeRoute('post', PATHS.alertRedeliver, 'Send once more what was sent'),
  description:
    'Not part of v1. The delivery keeps its id, so that a receiver knows it again; `GET /alerts/{id}` lists the deliveries.',
  'x-gastop-addition': true,
  ...takes('AlertRedelivery', { deliveryId: 'alr_5d41402abc4b2a76.1.webhook' }),
  request: { params: AlertParameter, query: NoParameters },
  responses: {
    202: answer('The delivery, about to be sent', AlertDelivery),
    400: WRONG_BODY,
    404: refusal(
      'There is no such alert, it belongs to another key, or it has no such delivery: `not_found`',
      ErrorBody,
    ),
    409: refusal(
      'The channel has nothing to send, or the service is not set up for it any more: `conflict`',
      ErrorBody,
    ),
    ...GATE_REFUSALS,
    default: ANYTHING_ELSE,
  },
});
