import { PATHS } from '../contract/routes.ts';
import { extraPayload, givenPayload, unknownFields } from './alert-payload.ts';
import type { AskedAnswers } from './asked-answers.ts';
import { ClientError } from './client-error.ts';
import { alertChoices, EXTRA_FIELDS } from './description/alert-choices.ts';
import type { ServiceDescription } from './description/service-description.ts';
import type { CallOptions, GasClient, WriteOptions } from './gas-client.ts';
import { listLoader } from './load-list.ts';
import { readAlertSavings } from './reading/alert-savings.ts';
import { readAlertDetails, readAlertPage, readChangedAlert, readCreatedAlert } from './reading/alerts.ts';
import { Answer } from './reading/answer.ts';
import { harmlessJson, parseJson } from './reading/json.ts';
import type { TransportOptions, Write } from './transport.ts';
import type { CreatedAlertView, NewAlert } from './views/alerts.ts';
import { writeV1 } from './write-v1.ts';

const schemas = () => import('../contract/alerts.ts');

export type AlertMethods = Pick<
  GasClient,
  'alerts' | 'alert' | 'createAlert' | 'setAlertStatus' | 'deleteAlert' | 'alertSavings' | 'redeliver'
>;

interface Parts {
  readonly transport: TransportOptions;
  readonly answers: AskedAnswers;
  readonly describe: (signal: AbortSignal | undefined) => Promise<ServiceDescription | null>;
}

/** The client's methods for alerts. What changes something is asked once; see `mayBeDone` of what then fails. */
export function alertMethods({ transport, answers, describe }: Parts): AlertMethods {
  const { host } = transport;
  const page = answers(async () => (await schemas()).AlertList, readAlertPage);
  const loadAll = listLoader((query, call) => page(PATHS.alerts, query, call));
  const details = answers(async () => (await schemas()).AlertDetails, readAlertDetails);
  const savings = answers(async () => (await schemas()).AlertSavings, readAlertSavings);

  const write = async (path: string, what: Write, { signal, onAnswer }: WriteOptions) => {
    const text = await writeV1(transport, path, what, signal);
    if (text.trim() !== '') onAnswer?.(harmlessJson(text));
    return text;
  };

  const refuseUnknown = async (extras: readonly string[], call: CallOptions) => {
    if (extras.length === 0) return;
    const { unknown } = alertChoices(await describe(call.signal).catch(() => null));
    const asked = unknown.filter((name) => extras.includes(name));
    if (asked.length > 0) throw unknownFields(asked);
  };

  return {
    alerts: (call = {}) => loadAll(call),
    alert: async (id, call = {}) => details(alertPath(PATHS.alert, id), {}, call),
    createAlert: async (alert, call = {}) => {
      const extras = extraPayload(alert);
      await refuseUnknown(
        EXTRA_FIELDS.filter((name) => name in extras),
        call,
      );
      const given = givenPayload(alert);
      const text = await write(PATHS.alerts, { method: 'post', body: { ...given, ...extras } }, call);
      return readCreated(text, alert, host);
    },
    setAlertStatus: async (id, status, call = {}) => {
      const path = alertPath(PATHS.alertStatus, id);
      const text = await write(path, { method: 'put', body: { status } }, call);
      const answer = await answerIn(text, path, host);
      return answer === null ? null : readChangedAlert(answer);
    },
    deleteAlert: async (id, call = {}) => {
      const path = alertPath(PATHS.alert, id);
      const text = await write(path, { method: 'delete' }, call);
      (await answerIn(text, path, host))?.throwIfRefused();
    },
    alertSavings: async (id, { gasAmount, ...call } = {}) =>
      savings(
        alertPath(PATHS.alertSavings, id),
        gasAmount === undefined ? {} : { gasAmount: String(gasAmount) },
        call,
      ),
    redeliver: async (id, deliveryId, call = {}) => {
      const path = alertPath(PATHS.alertRedeliver, id);
      const text = await write(path, { method: 'post', body: { deliveryId } }, call);
      (await answerIn(text, path, host))?.throwIfRefused();
    },
  };
}

/** An id that names nothing in a path would ask for something else. */
function alertPath(path: string, id: string): string {
  if (/^\s*$|^\.\.?$/.test(id) || !id.isWellFormed()) {
    throw new ClientError('invalid', 'an alert is named by its id; the list shows them', { endpoint: path });
  }
  return path.replace('{id}', encodeURIComponent(id));
}

/** Most answers to a write need not be there, and say no more than that it was done; `null`: nothing to read. */
async function answerIn(text: string, endpoint: string, host: string): Promise<Answer | null> {
  if (parseJson(text) === undefined) return null;
  return new Answer(text, { endpoint, host, schema: (await schemas()).Alert });
}

/** The new alert, filled up with what it was asked for to be where the answer holds little more than its id. */
async function readCreated(text: string, asked: NewAlert, host: string): Promise<CreatedAlertView> {
  const { CreatedAlert } = await schemas();
  try {
    const read = readCreatedAlert(new Answer(text, { endpoint: PATHS.alerts, host, schema: CreatedAlert }));
    if (read.condition !== null || read.threshold !== null) return read;
    const echo = JSON.stringify({ ...givenPayload(asked), id: read.id });
    const wanted = readCreatedAlert(new Answer(echo, { endpoint: PATHS.alerts, host, schema: CreatedAlert }));
    const said = Object.entries(read).filter(([, value]) => value !== null && !isEmpty(value));
    return { ...wanted, ...Object.fromEntries(said) };
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'unreadable') throw error;
    throw new ClientError('unreadable', `the alert was made, but ${error.message}; the list shows it`, {
      endpoint: error.endpoint,
      status: error.status,
      field: error.field,
      raw: error.raw,
      mayBeDone: true,
    });
  }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
