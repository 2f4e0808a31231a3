import { SPEED_OF_LANE } from '../contract/choices.ts';
import { PATHS } from '../contract/routes.ts';
import { learnCoin } from '../core/chains.ts';
import { cleanText } from '../core/text.ts';
import { bareHex, isLongHex } from '../core/transactions/signed-text.ts';
import { gweiString } from '../core/units.ts';
import { ClientError, type ClientErrorCode, unlessRefused } from './errors.ts';
import type {
  AlertMethods,
  AutoTxMethods,
  GasClient,
  HistoryMethods,
  PriceMethods,
  ReachQuery,
  ServiceMethods,
} from './gas-client.ts';
import { Http, type HttpOptions } from './http.ts';
import { alertChoices, describedRoute, EXTRA_FIELDS, type ExtraField } from './openapi.ts';
import type { Listed, ListPage } from './paging.ts';
import { priceCharts } from './price-chart.ts';
import { RateLimit } from './rate-limit.ts';
import { type DocumentedRoute, Requests, type TextOptions } from './requests.ts';
import { type ClientRoute, type Query, ROUTES } from './routes.ts';
import { harmlessJson, parseJson } from './values.ts';
import type { RecommendationView } from './views/advice.ts';
import type { AlertView, NewAlert } from './views/alerts.ts';
import type { AutoTxChange, AutoTxView, NewAutoTx } from './views/auto-txs.ts';
import type { SnapshotView } from './views/gas.ts';
import { forPatience, withSourceName } from './views/gas-texts.ts';

export interface GasClientOptions extends HttpOptions {
  /** `fetch` is this program's own service: its responses need no validation. Default: no. @internal */
  readonly isOwn?: boolean;
  /** @internal */
  readonly now?: () => number;
}

/**
 * A client of any service that speaks v1, which it reads tolerantly: fees end up in wei, times in ms, absent fields
 * as `null`, text clean for a terminal. Writes are sent once.
 * @throws RangeError where `url` cannot be a service's.
 */
export function createGasClient(options: GasClientOptions): GasClient {
  const rateLimit = new RateLimit(options.now);
  const requests = new Requests(new Http(options, rateLimit), options.isOwn ?? false);
  const { note, ...history } = historyMethods(requests, options.now ?? Date.now);
  return {
    rateLimit,
    isOwn: requests.isOwn,
    ...priceMethods(requests, note),
    ...history,
    ...alertMethods(requests),
    ...autoTxMethods(requests),
    ...serviceMethods(requests),
  };
}

/** `note`: told of each snapshot. */
function priceMethods(requests: Requests, note: (snapshot: SnapshotView) => void): PriceMethods {
  const { http, isOwn } = requests;
  const noted = async (view: SnapshotView) => {
    const snapshot = withSourceName(view, http.host);
    if (!isOwn) note(snapshot);
    await learnCoin(snapshot.chainId);
    return snapshot;
  };
  return {
    gasCurrent: async (call) => noted(await requests.get(ROUTES.gasCurrent, call)),
    async *stream({ signal, onResponse } = {}) {
      const { gasStream } = ROUTES;
      await requests.requireListed(gasStream);
      for await (const text of http.events({ path: gasStream.path, signal })) {
        onResponse?.(harmlessJson(text));
        yield await noted(await requests.read(gasStream, text));
      }
    },
    statsCurrent: async ({ patienceSec, ...call } = {}) => {
      const query = patienceQuery(patienceSec);
      const { snapshot, recommendation, trend } = await requests.get(ROUTES.statsCurrent, call, query);
      return {
        snapshot: withSourceName(snapshot, http.host),
        trend,
        recommendation: recommendation && advised(recommendation, patienceSec),
      };
    },
    chainRules: (call) => requests.get(ROUTES.chainRules, call),
    gasTrend: (call) => requests.get(ROUTES.gasTrend, call),
    gasRecommendation: async ({ reach, patienceSec, ...call } = {}) => {
      const query = { ...patienceQuery(patienceSec), ...(reach !== undefined && reachQuery(reach)) };
      return advised(await requests.get(ROUTES.gasRecommendation, call, query), patienceSec);
    },
    gasEstimate: async (call, options) => {
      const { gasEstimate } = ROUTES;
      return requests.read(gasEstimate, await requests.write(gasEstimate, options, call));
    },
  };
}

/** `note` extends its charts by the prices that were polled. */
function historyMethods(
  requests: Requests,
  now: () => number,
): HistoryMethods & { readonly note: (snapshot: SnapshotView) => void } {
  const { isOwn } = requests;
  const ofWindow = async <View>(route: ClientRoute<View>, query: object | undefined, call?: TextOptions) =>
    requests.get(route, call, windowQuery(query, route.path));
  const takesTimeFrame = (timeFrame: string) => requests.takes(ROUTES.statsChart, 'timeFrame', timeFrame);
  const routes: Pick<HistoryMethods, 'statsChart' | 'baseFee' | 'priorityFee'> = {
    statsChart: async (timeFrame, call) =>
      withTimeFrame(await requests.get(ROUTES.statsChart, call, { timeFrame }), timeFrame),
    baseFee: (query, call) => ofWindow(ROUTES.baseFee, query, call),
    priorityFee: (query, call) => ofWindow(ROUTES.priorityFee, query, call),
  };
  const charts = priceCharts({ ...routes, takesTimeFrame }, now);
  const numbered = async (number: number | 'latest', signal?: AbortSignal): Promise<string> => {
    if (number !== 'latest' || isOwn) return String(number);
    const call = signal && { signal };
    const { blockNumber } = await requests.get(ROUTES.gasCurrent, call).catch(() => ({ blockNumber: null }));
    if (blockNumber !== null) return String(blockNumber);
    // The given document's `gas/current` names no block.
    const { rows } = await routes.baseFee({}, call).catch(() => ({ rows: [] }));
    return String(rows.toSorted((a, b) => a.timestamp - b.timestamp).at(-1)?.blockNumber ?? number);
  };
  return {
    ...routes,
    note: charts.note,
    chart: async (timeFrame, chosen = {}) => {
      if (!isOwn) return charts.load(timeFrame, chosen);
      return { ...(await routes.statsChart(timeFrame, chosen)), made: null, problem: null };
    },
    statsMarket: async (timeFrame, call) => {
      const { statsMarket } = ROUTES;
      if (!(await requests.takes(statsMarket, 'timeFrame', timeFrame))) {
        const message = `the service does not say that it has market figures of ${cleanText(timeFrame, 40)}`;
        throw new ClientError('not-found', message, { endpoint: statsMarket.path });
      }
      return withTimeFrame(await requests.get(statsMarket, call, { timeFrame }), timeFrame);
    },
    gasUsedRatio: (query, call) => ofWindow(ROUTES.gasUsedRatio, query, call),
    block: async (number, call) =>
      requests.get(ROUTES.block, call, {}, { number: await numbered(number, call?.signal) }),
    tx: (hash, { lane = 'average', ...call } = {}) => {
      const query: Query = lane === 'average' ? {} : { gasSpeed: SPEED_OF_LANE[lane] };
      return requests.get(ROUTES.tx, call, query, { hash });
    },
    txs: (query, call) => ofWindow(ROUTES.txs, query, call),
  };
}

function alertMethods(requests: Requests): AlertMethods {
  /** Without a field that the service does not know it would be another alert. */
  const bodyOf = async (alert: NewAlert) => {
    const { alertBody } = await import('./views/alerts.ts');
    const body = alertBody(alert);
    if (EXTRA_FIELDS.some((name) => name in body) && !requests.isOwn) {
      const { unknown } = alertChoices(await requests.describe(), false);
      const lacking = unknown.filter((name) => name in body);
      const details = lacking.map((path) => ({ path, message: WITHOUT[path] }));
      const message = details.map((detail) => detail.message).join('; ');
      if (message !== '') throw new ClientError('invalid', message, { endpoint: PATHS.alerts, details });
    }
    return body;
  };
  const details = { one: ROUTES.alert, all: ROUTES.alerts, rest: { deliveries: null } };
  return {
    alerts: (call) => requests.list(ROUTES.alerts, call),
    alert: (id, call) => oneOrListed(requests, details, id, call),
    createAlert: async (alert, call) => {
      const body = await bodyOf(alert);
      return requests.make(ROUTES.createAlert, 'the alert', { body, sent: body }, call);
    },
    updateAlert: async (id, alert, call) => {
      await requests.requireListed(ROUTES.updateAlert);
      return requests.change(ROUTES.updateAlert, { id }, call, await bodyOf(alert), isWholeAlert);
    },
    rotateSigningSecret: async (call) => {
      const route = ROUTES.rotateSigningSecret;
      return requests.read(route, await requests.write(route, call));
    },
    setAlertStatus: (id, status, call) =>
      requests.change(ROUTES.setAlertStatus, { id }, call, { status }, isWholeAlert),
    deleteAlert: async (id, call) => void (await requests.change(ROUTES.deleteAlert, { id }, call)),
    alertSavings: (id, { gasAmount, ...call } = {}) => {
      const query: Query = gasAmount === undefined ? {} : { gasAmount: String(gasAmount) };
      return requests.get(ROUTES.alertSavings, call, query, { id });
    },
    redeliver: async (id, deliveryId, call) =>
      void (await requests.change(ROUTES.redeliver, { id }, call, { deliveryId })),
  };
}

function autoTxMethods(requests: Requests): AutoTxMethods {
  /** A service that passes over a limit of cost would have no target, or another one. */
  const requireLimit = async ({ threshold }: Pick<AutoTxChange, 'threshold'>) => {
    if (threshold == null || requests.isOwn) return;
    const { body = [] } = describedRoute(await requests.describe(), PATHS.autoTxs, 'post') ?? {};
    if (body.some(({ name }) => name === 'threshold')) return;
    const message = 'is not listed by this service: give a target in gwei';
    const details = [{ path: 'threshold', message }];
    throw new ClientError('invalid', `threshold ${message}`, { endpoint: PATHS.autoTxs, details });
  };
  const details = { one: ROUTES.autoTx, all: ROUTES.autoTxs, rest: { timeline: null, pending: null } };
  return {
    autoTxs: (call) => requests.list(ROUTES.autoTxs, call),
    autoTx: (id, call) => oneOrListed(requests, details, id, call),
    createAutoTx: async (autoTx, call) => {
      await requireLimit(autoTx);
      const { signedTransaction: _, ...sent } = autoTx;
      const bodies = { body: withSigned(autoTx, PATHS.autoTxs), sent };
      return requests.make(ROUTES.createAutoTx, 'the auto-tx', bodies, call);
    },
    updateAutoTx: async (id, changes, call) => {
      await requireLimit(changes);
      const body = withSigned(changes, PATHS.autoTx);
      return requests.change(ROUTES.updateAutoTx, { id }, call, body, saysStatus);
    },
    cancelAutoTx: (id, call) => requests.change(ROUTES.cancelAutoTx, { id }, call, undefined, saysStatus),
    deleteAutoTx: async (id, call) => void (await requests.change(ROUTES.deleteAutoTx, { id }, call)),
    autoTxAccount: async (address, call) => {
      const account = requests.get(ROUTES.autoTxAccount, call, {}, { address });
      return (await unlessRefused(account, ['not-found'])).found;
    },
  };
}

const serviceMethods = (requests: Requests): ServiceMethods => ({
  rateLimits: (call) => requests.get(ROUTES.rateLimits, call),
  summary: (call) => requests.get(ROUTES.summary, call),
  description: () => requests.describe(),
  raw: async (path, query = {}, call = {}) => {
    const taken = await requests.takenOf(routeAt(path), query);
    const { text } = await requests.http.send({ path, query: taken, ...call });
    if (parseJson(text) !== undefined) return harmlessJson(text);
    return text
      .split(/\r?\n/)
      .map((line) => cleanText(line))
      .join('\n');
  },
});

/** Failures of one route that do not concern the others. */
const OF_A_ROUTE: readonly ClientErrorCode[] = ['plan', 'server', 'unreadable'];

/** If the route of one item fails, what the list says of it, with why. */
async function oneOrListed<Item extends Listed, Details, Rest>(
  requests: Requests,
  { one, all, rest }: { one: ClientRoute<Details>; all: ClientRoute<ListPage<Item>>; rest: Rest },
  id: string,
  call: TextOptions = {},
): Promise<Details | (Item & Rest & { readonly problem: string })> {
  const { found, error } = await unlessRefused(requests.get(one, call, {}, { id }), OF_A_ROUTE);
  if (error === null) return found;
  const { onResponse: _, ...silent } = call;
  const { items } = await requests.list(all, silent).catch(() => ({ items: [] }));
  const item = items.find((each) => each.id === id);
  if (item === undefined) throw error;
  return { ...item, ...rest, problem: error.message };
}

const isWholeAlert = ({ condition, threshold }: AlertView) => condition !== null || threshold !== null;
const saysStatus = ({ status }: AutoTxView) => status !== null;

const withTimeFrame = <View extends { readonly timeFrame: string | null }>(
  view: View,
  requested: string,
) => ({ ...view, timeFrame: view.timeFrame ?? requested });

function routeAt(path: string): DocumentedRoute {
  const isAt = (route: ClientRoute<unknown>) =>
    route.method === 'get' && new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
  return Object.values<ClientRoute<unknown>>(ROUTES).find(isAt) ?? { path, documented: [] };
}

function reachQuery({ targetPrice, deadlineSec }: ReachQuery): Query {
  return { targetGwei: gweiString(targetPrice), deadlineSec: String(deadlineSec) };
}

const patienceQuery = (patienceSec: number | undefined): Query =>
  patienceSec === undefined ? {} : { patienceSec: String(patienceSec) };

const advised = (advice: RecommendationView, patienceSec: number | undefined): RecommendationView =>
  patienceSec === undefined ? advice : forPatience(advice, patienceSec);

/** Without a percentile that is empty. @throws ClientError (`invalid`) for a time that is none */
function windowQuery(query: object = {}, endpoint: string): Query {
  const texts = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined || (name === 'percentile' && value === '')) return [];
    if (name !== 'from' && name !== 'to') return [[name, String(value)]];
    const date = new Date(value);
    if (Number.isNaN(date.getTime())) throw new ClientError('invalid', `${name} is not a time`, { endpoint });
    return [[name, date.toISOString()]];
  });
  return Object.fromEntries(texts);
}

const WITHOUT: Readonly<Record<ExtraField, string>> = {
  threshold: 'this service lists a threshold in gwei only',
  hysteresisGwei: 'this service does not list a re-arm margin; leave it at 0',
  confirmBlocks: 'this service does not list blocks in a row; leave it at 1',
  targets: 'this service lists one target, that of the method; leave out the others',
};

/** In the form that nodes accept. What is too short, such as a pasted private key, is sent to no service. */
function withSigned({ signedTransaction: signed, ...body }: NewAutoTx | AutoTxChange, endpoint: string) {
  if (signed === undefined) return body;
  if (isLongHex(signed)) return { signedTransaction: `0x${bareHex(signed)}`, ...body };
  const message = 'this is no signed transaction: it is too short, or no hex';
  const details = [{ path: 'signedTransaction', message }];
  throw new ClientError('invalid', message, { endpoint, details });
}
