import { type Bucket, SPEED_OF_LANE } from '../contract/choices.ts';
import type { CallToEstimate } from '../contract/estimate.ts';
import { PATHS } from '../contract/routes.ts';
import type { LaneName } from '../core/advice.ts';
import { learnCoin } from '../core/chains.ts';
import { cleanText } from '../core/text.ts';
import { bareHex, isLongHex } from '../core/transactions/signed-text.ts';
import { gweiString } from '../core/units.ts';
import { ClientError, type ClientErrorCode } from './errors.ts';
import { Http, type HttpOptions, readResponse, throwIfRefused } from './http.ts';
import {
  alertChoices,
  describedRoute,
  type ExtraField,
  findDescription,
  listsParameter,
  type ServiceDescription,
} from './openapi.ts';
import { type Listed, type ListPage, wholeList } from './paging.ts';
import { type ChartOptions, type PriceChartView, priceCharts } from './price-chart.ts';
import { RateLimit } from './rate-limit.ts';
import { type ClientRoute, type Query, ROUTES } from './routes.ts';
import { harmlessJson, parseJson } from './values.ts';
import type { AlertDetailsView, AlertView, CreatedAlertView, ListView, NewAlert } from './views/alerts.ts';
import type { AutoTxChange, AutoTxDetailsView, AutoTxView, NewAutoTx } from './views/auto-txs.ts';
import type { ChartView, CurrentView, MarketView } from './views/dashboard.ts';
import { forPatience, type RecommendationView, type SnapshotView, withSourceName } from './views/gas.ts';

/** A metrics window; absent fields have the service's default (the last hour, a fitting bucket). Times in ms. */
export interface MetricsQuery {
  readonly from?: number;
  readonly to?: number;
  readonly bucket?: Bucket;
  readonly page?: number;
  readonly size?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface TextOptions extends CallOptions {
  /** Called with the raw text of the service's response, if any, before it is parsed. */
  readonly onResponse?: (text: string) => void;
}

export interface ReachQuery {
  /** Wei per gas, base fee plus tip. */
  readonly targetPrice: bigint;
  readonly deadlineSec: number;
}

export interface PatienceOptions extends CallOptions {
  /**
   * How long the user can wait, in seconds (300 to 86,400): where a service does not take it, its table of waits is
   * decided on by gastop's rule. Default: what the service itself takes.
   */
  readonly patienceSec?: number;
}

export interface RecommendationOptions extends TextOptions, PatienceOptions {
  readonly reach?: ReachQuery;
}

/** A v1 service, with a method for each route. Every method rejects only with a `ClientError`. */
export type GasClient = ReturnType<typeof createGasClient>;

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
export function createGasClient(options: GasClientOptions) {
  const rateLimit = new RateLimit(options.now);
  const http = new Http(options, rateLimit);
  const { host } = http;
  const { isOwn = false, now = Date.now } = options;
  let search: Promise<ServiceDescription | null> | null = null;

  const describe = (): Promise<ServiceDescription | null> => {
    search ??= findDescription(http).catch((error: unknown) => {
      search = null;
      throw error;
    });
    return search;
  };

  /** Parameters that v1 documents go to any service, others only to one whose description lists them. */
  const takes = async (route: DocumentedRoute, name: string, value: string): Promise<boolean> => {
    const { documented, path } = route;
    if (isOwn || documented.includes(name) || documented.includes(`${name}=${value}`)) return true;
    return listsParameter(await describe().catch(() => null), path, name, value);
  };

  const takenOf = async (route: DocumentedRoute, query: Query): Promise<Query> => {
    const given = Object.entries(query);
    const taken = await Promise.all(given.map(([name, value]) => takes(route, name, value)));
    return Object.fromEntries(given.filter((_, place) => taken[place]));
  };

  const read = async <View>(route: ClientRoute<View>, path: string, text: string): Promise<View> =>
    readResponse(text, await route.schemas(), { endpoint: path, host, isOwn });

  const get = async <View>(
    route: ClientRoute<View>,
    { signal, onResponse }: TextOptions,
    query: Query = {},
    values: Query = {},
  ): Promise<View> => {
    const path = itemPath(route.path, values);
    const response = http.send({ path, query: await takenOf(route, query), signal });
    const [{ text }] = await Promise.all([response, route.schemas()]);
    onResponse?.(harmlessJson(text));
    return read(route, path, text);
  };

  const write = async (
    { method }: ClientRoute<unknown>,
    path: string,
    { signal, onResponse }: TextOptions,
    body?: object,
  ): Promise<string> => {
    const { text } = await http.send({ path, method, signal, body });
    if (text.trim() !== '') onResponse?.(harmlessJson(text));
    return text;
  };

  /** For a write whose response may contain the item; `null` when it does not contain all of it. */
  const change = async <View>(
    route: ClientRoute<View>,
    values: Query,
    call: TextOptions,
    body?: object,
    isWhole: (view: View) => boolean = () => false,
  ): Promise<View | null> => {
    const path = itemPath(route.path, values);
    const text = await write(route, path, call, body);
    try {
      throwIfRefused(parseJson(text), { endpoint: path });
      const view = await read(route, path, text);
      return isWhole(view) ? view : null;
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== 'unreadable') throw error;
      // After a proxy's page the outcome is unknown.
      if (/^\s*</.test(text)) throw error.unsettled();
      return null;
    }
  };

  /** What the response does not say comes from `sent`. @throws ClientError (`unreadable`, `mayBeDone`) */
  const make = async <View extends { readonly id: string }>(
    route: ClientRoute<View>,
    what: string,
    { body, sent }: { readonly body: object; readonly sent: object },
    call: TextOptions,
  ): Promise<View> => {
    const text = await write(route, route.path, call, body);
    try {
      const made = await read(route, route.path, text);
      const isSaid = (value: unknown) =>
        typeof value === 'object' ? Object.keys(value ?? {}).length > 0 : value !== undefined;
      const said = Object.entries(made).filter(([, value]) => isSaid(value));
      const filled = await read(route, route.path, JSON.stringify({ ...sent, id: made.id }));
      return { ...filled, ...Object.fromEntries(said) };
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== 'unreadable') throw error;
      const message = `${what} was made, but ${error.message}; the list shows it`;
      throw new ClientError('unreadable', message, { ...error, mayBeDone: true });
    }
  };

  /** For additions to v1: a service without them may do anything with the request. */
  const requireListed = async ({ method, path }: ClientRoute<unknown>, what: string) => {
    if (isOwn || describedRoute(await describe(), path, method) !== null) return;
    const message = `this service cannot ${what}: it does not list ${method.toUpperCase()} ${path}`;
    throw new ClientError('not-found', message, { endpoint: path });
  };

  /** A service that passes over a limit of cost would have no target, or another one. */
  const requireLimit = async ({ threshold }: Pick<AutoTxChange, 'threshold'>) => {
    if (threshold == null || isOwn) return;
    const { body = [] } = describedRoute(await describe(), PATHS.autoTxs, 'post') ?? {};
    if (body.some(({ name }) => name === 'threshold')) return;
    const message = 'is not listed by this service: give a target in gwei';
    const details = [{ path: 'threshold', message }];
    throw new ClientError('invalid', `threshold ${message}`, { endpoint: PATHS.autoTxs, details });
  };

  /** The body of an alert. Without a field that the service does not know it would be another alert. */
  const alertBody = async (alert: NewAlert) => {
    const { extraPayload, givenPayload } = await import('./views/alerts.ts');
    const extras = extraPayload(alert);
    if (Object.keys(extras).length > 0 && !isOwn) {
      const { unknown } = alertChoices(await describe(), isOwn);
      const lacking = unknown.filter((name) => name in extras);
      const details = lacking.map((path) => ({ path, message: WITHOUT[path] }));
      const message = details.map((detail) => detail.message).join('; ');
      if (message !== '') throw new ClientError('invalid', message, { endpoint: PATHS.alerts, details });
    }
    return { ...givenPayload(alert), ...extras };
  };

  const list = <Item extends Listed>(route: ClientRoute<ListPage<Item>>, call: CallOptions) =>
    wholeList<Item>(
      (query) => get(route, call, query),
      () => takes(route, 'page', '0'),
    );

  const routes = {
    statsChart: async (timeFrame: string, call: CallOptions = {}): Promise<ChartView> =>
      withTimeFrame(await get(ROUTES.statsChart, call, { timeFrame }), timeFrame),
    baseFee: async (query: MetricsQuery = {}, call: TextOptions = {}) =>
      get(ROUTES.baseFee, call, metricsQuery(query, PATHS.baseFee)),
    priorityFee: async (
      { percentile, ...window }: MetricsQuery & { readonly percentile?: string } = {},
      call: CallOptions = {},
    ) => {
      const query = metricsQuery(window, PATHS.priorityFee);
      return get(ROUTES.priorityFee, call, percentile ? { ...query, percentile } : query);
    },
  };
  const numbered = async (number: number | 'latest', { signal }: CallOptions): Promise<string> => {
    if (number !== 'latest' || isOwn) return String(number);
    const { blockNumber } = await get(ROUTES.gasCurrent, { signal }).catch(() => ({ blockNumber: null }));
    if (blockNumber !== null) return String(blockNumber);
    // The given document's `gas/current` names no block.
    const { rows } = await routes.baseFee({}, { signal }).catch(() => ({ rows: [] }));
    return String(rows.toSorted((a, b) => a.timestamp - b.timestamp).at(-1)?.blockNumber ?? number);
  };
  const takesTimeFrame = (timeFrame: string) => takes(ROUTES.statsChart, 'timeFrame', timeFrame);
  const charts = priceCharts({ ...routes, takesTimeFrame }, now);

  const told = async (
    route: ClientRoute<SnapshotView>,
    text: string,
    onResponse?: TextOptions['onResponse'],
  ) => {
    onResponse?.(harmlessJson(text));
    const snapshot = withSourceName(await read(route, route.path, text), http.host);
    if (!isOwn) charts.note(snapshot);
    await learnCoin(snapshot.chainId);
    return snapshot;
  };

  return {
    /** Pauses all requests of the key; the monitor shows it and retries. */
    rateLimit,
    gasCurrent: async ({ onResponse, ...call }: TextOptions = {}) => {
      const { gasCurrent } = ROUTES;
      const response = http.send({ path: gasCurrent.path, ...call });
      const [{ text }] = await Promise.all([response, gasCurrent.schemas()]);
      return told(gasCurrent, text, onResponse);
    },
    /**
     * What `gasCurrent` gives: now, with each new block, and with any other change. Not part of v1. Ends with the connection.
     * @throws ClientError also when the connection breaks; `not-found` where the service lists no stream
     */
    async *stream({ signal, onResponse }: TextOptions = {}): AsyncGenerator<SnapshotView, void> {
      const { gasStream } = ROUTES;
      await requireListed(gasStream, 'send prices as they change');
      for await (const text of http.events({ path: gasStream.path, signal })) {
        yield await told(gasStream, text, onResponse);
      }
    },
    /** Prices, trend and advice of one block; the last two are `null` when unreadable. */
    statsCurrent: async ({ patienceSec, ...call }: PatienceOptions = {}): Promise<CurrentView> => {
      const { snapshot, recommendation, trend } = await get(
        ROUTES.statsCurrent,
        call,
        patienceQuery(patienceSec),
      );
      return {
        snapshot: withSourceName(snapshot, http.host),
        trend,
        recommendation: recommendation && advised(recommendation, patienceSec),
      };
    },
    /** The gas rules of the newest block, and the next fork. Not part of v1. @throws ClientError `not-found` where it is not listed */
    chainRules: async (call: TextOptions = {}) => {
      await requireListed(ROUTES.chainRules, 'say which gas rules hold');
      return get(ROUTES.chainRules, call);
    },
    gasTrend: (call: CallOptions = {}) => get(ROUTES.gasTrend, call),
    /** `reach` of the response is `null` unless requested and known. */
    gasRecommendation: async ({ reach, patienceSec, ...call }: RecommendationOptions = {}) => {
      const query = { ...patienceQuery(patienceSec), ...(reach !== undefined && reachQuery(reach)) };
      return advised(await get(ROUTES.gasRecommendation, call, query), patienceSec);
    },
    ...routes,
    /** Base fee and tip over a time frame: from `stats/chart`, or else the metrics, or else polled prices. */
    /** What a call takes; gastop's own addition to v1. @throws ClientError `invalid` where it would fail */
    gasEstimate: async (call: CallToEstimate, options: TextOptions = {}) => {
      const { gasEstimate } = ROUTES;
      await requireListed(gasEstimate, 'estimate what a call takes');
      return read(gasEstimate, gasEstimate.path, await write(gasEstimate, gasEstimate.path, options, call));
    },
    chart: async (timeFrame: string, chosen: ChartOptions = {}): Promise<PriceChartView> => {
      if (!isOwn) return charts.load(timeFrame, chosen);
      return { ...(await routes.statsChart(timeFrame, chosen)), made: null, problem: null };
    },
    statsMarket: async (timeFrame: string, call: CallOptions = {}): Promise<MarketView> => {
      const { statsMarket } = ROUTES;
      if (!(await takes(statsMarket, 'timeFrame', timeFrame))) {
        const message = `the service does not say that it has market figures of ${cleanText(timeFrame, 40)}`;
        throw new ClientError('not-found', message, { endpoint: statsMarket.path });
      }
      return withTimeFrame(await get(statsMarket, call, { timeFrame }), timeFrame);
    },
    gasUsedRatio: async (query: MetricsQuery = {}, call: CallOptions = {}) =>
      get(ROUTES.gasUsedRatio, call, metricsQuery(query, PATHS.gasUsedRatio)),
    /** One block; `latest` is the head, which v1 does not know by that name. */
    block: async (number: number | 'latest', call: TextOptions = {}) =>
      get(ROUTES.block, call, {}, { number: await numbered(number, call) }),
    /** `lane`: of a pending one, how quick its replacement is to be; default: average. */
    tx: (
      hash: string,
      { lane = 'average', ...call }: TextOptions & { readonly lane?: LaneName | undefined } = {},
    ) => get(ROUTES.tx, call, lane === 'average' ? {} : { gasSpeed: SPEED_OF_LANE[lane] }, { hash }),
    /** The transactions of a window of at most 100 blocks, newest first. */
    txs: async (query: Omit<MetricsQuery, 'bucket'> = {}, call: CallOptions = {}) =>
      get(ROUTES.txs, call, metricsQuery(query, PATHS.txs)),
    rateLimits: (call: CallOptions = {}) => get(ROUTES.rateLimits, call),
    summary: (call: CallOptions = {}) => get(ROUTES.summary, call),

    alerts: (call: TextOptions = {}) => list(ROUTES.alerts, call),
    /** If its route fails, the list's data; `problem` says why deliveries are missing. */
    alert: async (id: string, { onResponse, ...call }: TextOptions = {}): Promise<AlertDetailsView> =>
      orListed(id, get(ROUTES.alert, { ...call, onResponse }, {}, { id }), () => list(ROUTES.alerts, call), {
        deliveries: null,
      }),
    /** Sent once. A refusal has problems by field (`details`); without a readable response it may exist (`mayBeDone`). */
    createAlert: async (alert: NewAlert, call: TextOptions = {}): Promise<CreatedAlertView> => {
      const { givenPayload } = await import('./views/alerts.ts');
      const bodies = { body: await alertBody(alert), sent: givenPayload(alert) };
      return make(ROUTES.createAlert, 'the alert', bodies, call);
    },
    /** Not part of v1. `signingSecret`: if it had no webhook before. `null`: the response is not the alert. */
    updateAlert: async (id: string, alert: NewAlert, call: TextOptions = {}) => {
      await requireListed(ROUTES.updateAlert, 'change alerts');
      return change(ROUTES.updateAlert, { id }, call, await alertBody(alert), isWholeAlert);
    },
    rotateSigningSecret: async (call: TextOptions = {}) => {
      const route = ROUTES.rotateSigningSecret;
      await requireListed(route, 'change the signing secret');
      return read(route, route.path, await write(route, route.path, call));
    },
    /** `status` is `PENDING`, `DISABLED`, or another value of the service. `null`: the response is not the alert. */
    setAlertStatus: async (id: string, status: string, call: TextOptions = {}) =>
      change(ROUTES.setAlertStatus, { id }, call, { status }, isWholeAlert),
    deleteAlert: async (id: string, call: TextOptions = {}): Promise<void> => {
      await change(ROUTES.deleteAlert, { id }, call);
    },
    alertSavings: async (
      id: string,
      { gasAmount, ...call }: TextOptions & { readonly gasAmount?: number | undefined } = {},
    ) =>
      get(ROUTES.alertSavings, call, gasAmount === undefined ? {} : { gasAmount: String(gasAmount) }, { id }),
    redeliver: async (id: string, deliveryId: string, call: TextOptions = {}): Promise<void> => {
      await change(ROUTES.redeliver, { id }, call, { deliveryId });
    },

    autoTxs: (call: TextOptions = {}) => list(ROUTES.autoTxs, call),
    /** If its route fails, the list's data; `problem` says why its timeline is missing. */
    autoTx: async (id: string, { onResponse, ...call }: TextOptions = {}): Promise<AutoTxDetailsView> =>
      orListed(
        id,
        get(ROUTES.autoTx, { ...call, onResponse }, {}, { id }),
        () => list(ROUTES.autoTxs, call),
        {
          timeline: null,
          pending: null,
        },
      ),
    /** The signed transaction goes to the service and into no error. */
    createAutoTx: async (autoTx: NewAutoTx, call: TextOptions = {}): Promise<AutoTxView> => {
      await requireLimit(autoTx);
      const { signedTransaction: _, ...sent } = autoTx;
      const bodies = { body: withSigned(autoTx, PATHS.autoTxs), sent };
      return make(ROUTES.createAutoTx, 'the auto-tx', bodies, call);
    },
    updateAutoTx: async (id: string, changes: AutoTxChange, call: TextOptions = {}) => {
      await requireLimit(changes);
      return change(ROUTES.updateAutoTx, { id }, call, withSigned(changes, PATHS.autoTx), saysStatus);
    },
    cancelAutoTx: async (id: string, call: TextOptions = {}) =>
      change(ROUTES.cancelAutoTx, { id }, call, undefined, saysStatus),
    deleteAutoTx: async (id: string, call: TextOptions = {}): Promise<void> => {
      await change(ROUTES.deleteAutoTx, { id }, call);
    },
    /** A sender's account for a pre-flight; gastop's own addition to v1. `null` when the service has no such route. */
    autoTxAccount: async (address: string, call: CallOptions = {}) => {
      const account = get(ROUTES.autoTxAccount, call, {}, { address });
      return account.catch((error: unknown) => {
        if (error instanceof ClientError && error.code === 'not-found') return null;
        throw error;
      });
    },

    /** The v1 part of the OpenAPI document, searched once; `null`: there is none. Call it after the first data is shown. */
    description: (_: CallOptions = {}) => describe(),
    raw: async (path: string, query: Query = {}, { signal }: CallOptions = {}): Promise<string> => {
      const { text } = await http.send({ path, query: await takenOf(routeAt(path), query), signal });
      if (parseJson(text) !== undefined) return harmlessJson(text);
      return text
        .split(/\r?\n/)
        .map((line) => cleanText(line))
        .join('\n');
    },
  };
}

/** Failures of one route that do not concern the others. */
const OF_A_ROUTE: readonly ClientErrorCode[] = ['plan', 'server', 'unreadable'];

const orListed = <Item extends { readonly id: string }, Details, Rest>(
  id: string,
  one: Promise<Details>,
  list: () => Promise<ListView<Item>>,
  rest: Rest,
): Promise<Details | (Item & Rest & { readonly problem: string })> =>
  one.catch(async (error: unknown) => {
    if (!(error instanceof ClientError) || !OF_A_ROUTE.includes(error.code)) throw error;
    const { items } = await list().catch(() => ({ items: [] }));
    const item = items.find((each) => each.id === id);
    if (item === undefined) throw error;
    return { ...item, ...rest, problem: error.message };
  });

const isWholeAlert = ({ condition, threshold }: AlertView) => condition !== null || threshold !== null;
const saysStatus = ({ status }: AutoTxView) => status !== null;

const withTimeFrame = <View extends { readonly timeFrame: string | null }>(
  view: View,
  requested: string,
) => ({ ...view, timeFrame: view.timeFrame ?? requested });

interface DocumentedRoute {
  readonly path: string;
  readonly documented: readonly string[];
}

function routeAt(path: string): DocumentedRoute {
  const isAt = (route: ClientRoute<unknown>) =>
    route.method === 'get' && new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
  return Object.values<ClientRoute<unknown>>(ROUTES).find(isAt) ?? { path, documented: [] };
}

export function pathOf(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

/** @throws ClientError (`invalid`) for an id that would change the path. */
function itemPath(path: string, values: Query): string {
  for (const id of Object.values(values)) {
    if (!/^\s*$|^\.\.?$/.test(id) && id.isWellFormed()) continue;
    const what = path.startsWith(PATHS.autoTxs) ? 'an auto-tx' : 'an alert';
    throw new ClientError('invalid', `${what} is named by its id; the list shows them`, { endpoint: path });
  }
  return pathOf(path, values);
}

export function reachQuery({ targetPrice, deadlineSec }: ReachQuery): Query {
  return { targetGwei: gweiString(targetPrice), deadlineSec: String(deadlineSec) };
}

const patienceQuery = (patienceSec: number | undefined): Query =>
  patienceSec === undefined ? {} : { patienceSec: String(patienceSec) };

const advised = (advice: RecommendationView, patienceSec: number | undefined): RecommendationView =>
  patienceSec === undefined ? advice : forPatience(advice, patienceSec);

function metricsQuery(query: MetricsQuery, endpoint: string): Query {
  const texts = Object.entries(query).map(([name, value]) => {
    if (name !== 'from' && name !== 'to') return [name, String(value)];
    const date = new Date(value);
    if (Number.isNaN(date.getTime())) throw new ClientError('invalid', `${name} is not a time`, { endpoint });
    return [name, date.toISOString()];
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
  throw new ClientError('invalid', message, {
    ...{ endpoint, details: [{ path: 'signedTransaction', message }] },
  });
}
