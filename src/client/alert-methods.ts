import { PATHS } from '../contract/routes.ts';
import { extraPayload, givenPayload, unknownFields } from './alert-payload.ts';
import type { AskedAnswers } from './asked-answers.ts';
import type { CallOptions, GasClient, WriteOptions } from './client.ts';
import { itemPath } from './item-path.ts';
import { madeItem } from './made-item.ts';
import type { ServiceDescription } from './openapi.ts';
import { alertChoices, EXTRA_FIELDS } from './openapi.ts';
import { listLoader } from './paging.ts';
import { readAlertSavings } from './reading/alert-savings.ts';
import { readAlertDetails, readAlertPage, readChangedAlert, readCreatedAlert } from './reading/alerts.ts';
import { Answer } from './reading/answer.ts';
import { parseJson } from './reading/json.ts';
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

  const write = (path: string, what: Write, call: WriteOptions) => writeV1(transport, path, what, call);

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

const alertPath = (path: string, id: string) => itemPath(path, id, 'an alert');

/** Most answers to a write need not be there, and say no more than that it was done; `null`: nothing to read. */
async function answerIn(text: string, endpoint: string, host: string): Promise<Answer | null> {
  if (parseJson(text) === undefined) return null;
  return new Answer(text, { endpoint, host, schema: (await schemas()).Alert });
}

async function readCreated(text: string, asked: NewAlert, host: string): Promise<CreatedAlertView> {
  const { CreatedAlert } = await schemas();
  const read = (answer: string) =>
    readCreatedAlert(new Answer(answer, { endpoint: PATHS.alerts, host, schema: CreatedAlert }));
  return madeItem({
    what: 'the alert',
    read: () => read(text),
    isWhole: ({ condition, threshold }) => condition !== null || threshold !== null,
    asked: (id) => read(JSON.stringify({ ...givenPayload(asked), id })),
  });
}
