import type { Bucket } from '../contract/metrics.ts';
import { PATHS } from '../contract/routes.ts';
import { cleanText } from '../core/clean-text.ts';
import { gweiString } from '../core/units.ts';
import type { Ask } from '../http/answered.ts';
import { askOverHttp } from '../http/ask-over-http.ts';
import { alertMethods } from './alert-methods.ts';
import { AnswerMemory } from './answer-memory.ts';
import type { Fetch } from './ask-by-fetch.ts';
import { askedAnswers } from './asked-answers.ts';
import { autoTxMethods } from './auto-tx-methods.ts';
import { keptDescription } from './description/kept-description.ts';
import { ClientError } from './errors.ts';
import type { ServiceDescription } from './openapi.ts';
import { readChart } from './reading/chart.ts';
import { readRateLimits, readSummary } from './reading/dashboard.ts';
import { readBlock, readTx, readTxRow } from './reading/explorer.ts';
import { harmlessJson, parseJson } from './reading/json.ts';
import { readMarket } from './reading/market.ts';
import { readBaseFeeRow, readGasUsedRatioRow, readMetrics, readPriorityFeeRow } from './reading/metrics.ts';
import { readRecommendation } from './reading/recommendation.ts';
import { readSnapshot } from './reading/snapshot.ts';
import { readTrend } from './reading/trend.ts';
import { parseServiceUrl, v1Root } from './service-url.ts';
import type { TransportOptions } from './transport.ts';
import type {
  AlertDetailsView,
  AlertListView,
  AlertSavingsView,
  AlertView,
  CreatedAlertView,
  NewAlert,
} from './views/alerts.ts';
import type {
  AutoTxAccountView,
  AutoTxChange,
  AutoTxDetailsView,
  AutoTxListView,
  AutoTxView,
  NewAutoTx,
} from './views/auto-txs.ts';
import type { ChartView, DashboardView, MarketView, RateLimitsView } from './views/dashboard.ts';
import type { BlockView, TxRowView, TxView } from './views/explorer.ts';
import type { RecommendationView, SnapshotView, TrendView } from './views/gas.ts';
import type {
  BaseFeeRowView,
  GasUsedRatioRowView,
  MetricsView,
  PriorityFeeRowView,
} from './views/metrics.ts';

/** A metrics window; what is left out is the service's default (the last hour, a fitting bucket). Times in ms. */
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

export interface WriteOptions extends CallOptions {
  /** Told of the service's own answer as text, where it gives one, before it is read. */
  readonly onAnswer?: (text: string) => void;
}

/** How likely is it that some block until then asks for no more? */
export interface ReachQuery {
  /** Wei per gas, base fee and tip together. */
  readonly targetPrice: bigint;
  /** Whole seconds from now, at most 7 days. */
  readonly deadlineSec: number;
}

export interface RecommendationOptions extends CallOptions {
  readonly reach?: ReachQuery;
}

/** The v1 service as the screens and commands see it. Every method rejects with a `ClientError`. */
export interface GasClient {
  gasCurrent(options?: CallOptions): Promise<SnapshotView>;
  gasTrend(options?: CallOptions): Promise<TrendView>;
  /** `reach` of the answer is `null` unless it was asked about, or where the service cannot say. */
  gasRecommendation(options?: RecommendationOptions): Promise<RecommendationView>;
  /** `timeFrame` and `percentile` are the contract's words or others that the service offers. */
  statsChart(timeFrame: string, options?: CallOptions): Promise<ChartView>;
  statsMarket(timeFrame: string, options?: CallOptions): Promise<MarketView>;
  baseFee(query?: MetricsQuery, options?: CallOptions): Promise<MetricsView<BaseFeeRowView>>;
  priorityFee(
    query?: MetricsQuery & { readonly percentile?: string },
    options?: CallOptions,
  ): Promise<MetricsView<PriorityFeeRowView>>;
  gasUsedRatio(query?: MetricsQuery, options?: CallOptions): Promise<MetricsView<GasUsedRatioRowView>>;
  /** One block, or the head for `latest`. */
  block(number: number | 'latest', options?: CallOptions): Promise<BlockView>;
  tx(hash: string, options?: CallOptions): Promise<TxView>;
  /** The transactions of a window of at most 100 blocks, newest first. */
  txs(query?: Omit<MetricsQuery, 'bucket'>, options?: CallOptions): Promise<MetricsView<TxRowView>>;
  rateLimits(options?: CallOptions): Promise<RateLimitsView>;
  summary(options?: CallOptions): Promise<DashboardView>;
  /** All of them, newest first, however many pages that takes (at most 10,000). */
  alerts(options?: CallOptions): Promise<AlertListView>;
  alert(id: string, options?: CallOptions): Promise<AlertDetailsView>;
  /**
   * Asked once, like everything here that changes something. The `ClientError` of a refusal says what is wrong field by
   * field (`details`); one whose answer never came or cannot be read says that it may be there all the same
   * (`mayBeDone`).
   */
  createAlert(alert: NewAlert, options?: WriteOptions): Promise<CreatedAlertView>;
  /** `status` is `PENDING`, `DISABLED`, or a service's own word. Answers the alert, where the service does. */
  setAlertStatus(id: string, status: string, options?: WriteOptions): Promise<AlertView | null>;
  deleteAlert(id: string, options?: WriteOptions): Promise<void>;
  /** `gasAmount`: gas that the savings are counted for; left out: the service's own idea. */
  alertSavings(
    id: string,
    options?: CallOptions & { readonly gasAmount?: number },
  ): Promise<AlertSavingsView>;
  /** Sends once more what was sent; gastop's own addition to v1. */
  redeliver(alertId: string, deliveryId: string, options?: WriteOptions): Promise<void>;
  /** All of them, newest first, however many pages that takes (at most 10,000). */
  autoTxs(options?: CallOptions): Promise<AutoTxListView>;
  autoTx(id: string, options?: CallOptions): Promise<AutoTxDetailsView>;
  /** What is signed of it goes to the service and into no error. */
  createAutoTx(autoTx: NewAutoTx, options?: WriteOptions): Promise<AutoTxView>;
  /** Answers the auto-tx, where the service does. */
  updateAutoTx(id: string, change: AutoTxChange, options?: WriteOptions): Promise<AutoTxView | null>;
  cancelAutoTx(id: string, options?: WriteOptions): Promise<AutoTxView | null>;
  deleteAutoTx(id: string, options?: WriteOptions): Promise<void>;
  /** What a pre-flight needs of a sender; gastop's own addition to v1. `null`: the service has no such route. */
  autoTxAccount(address: string, options?: CallOptions): Promise<AutoTxAccountView | null>;
  /**
   * What the service's own OpenAPI document says of v1, looked for once and kept; `null`: it has none. Nothing
   * depends on it: ask when something is there to be shown, not before.
   */
  description(options?: CallOptions): Promise<ServiceDescription | null>;
  /** The service's answer to any GET as text, for `--json` and the raw view; refused answers reject. */
  raw(path: string, query?: Readonly<Record<string, string>>, options?: CallOptions): Promise<string>;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 8_000_000;

export interface GasClientOptions {
  /** Of the service, with or without the v1 base path. */
  readonly baseUrl: string;
  readonly apiKey?: string | null;
  /** The embedded service's request handler; default: the network. */
  readonly fetch?: Fetch;
  /** `fetch` is the service of this very program: its answers need not be checked against the contract. Default: no. */
  readonly isOwn?: boolean;
  /** For the whole answer, head and body. Default: 10 s. */
  readonly timeoutMs?: number;
  /** Of an answer, unpacked. Default: 8 MB. */
  readonly maxBytes?: number;
  readonly userAgent?: string;
}

// Each route's schemas, once it is asked.
const gas = () => import('../contract/gas.ts');
const dashboard = () => import('../contract/dashboard.ts');
const metrics = () => import('../contract/metrics.ts');
const explorer = () => import('../contract/explorer.ts');

type Query = Readonly<Record<string, string>>;

/**
 * A client of any service that speaks v1, which it reads tolerantly: fees end up in wei, times in ms, absent
 * things as `null`, text clean for a terminal. It asks once per call and leaves asking again to the caller.
 *
 * @throws RangeError where `baseUrl` cannot be a service's (see {@link parseServiceUrl}). Its methods reject with
 * a `ClientError` and nothing else.
 */
export function createGasClient(options: GasClientOptions): GasClient {
  const service = parseServiceUrl(options.baseUrl);
  const transport = transportOf(options);
  const description = keptDescription(async () => {
    const { findDescription } = await import('./description/find-description.ts');
    return findDescription(transport, service);
  });

  const memory = new AnswerMemory(transport);

  const answers = askedAnswers(memory, service.host, options.isOwn ?? false);
  const current = answers(async () => (await gas()).GasCurrent, readSnapshot);
  const trend = answers(async () => (await gas()).GasTrend, readTrend);
  const recommendation = answers(async () => (await gas()).GasRecommendation, readRecommendation);
  const chart = answers(
    async () => (await dashboard()).StatsChart,
    (answer, { timeFrame = '' }) => readChart(answer, timeFrame),
  );
  const market = answers(
    async () => (await dashboard()).StatsMarket,
    (answer, { timeFrame = '' }) => readMarket(answer, timeFrame),
  );
  const baseFee = answers(
    async () => (await metrics()).BaseFeeMetrics,
    (answer) => readMetrics(answer, readBaseFeeRow),
  );
  const priorityFee = answers(
    async () => (await metrics()).PriorityFeeMetrics,
    (answer) => readMetrics(answer, readPriorityFeeRow),
  );
  const gasUsedRatio = answers(
    async () => (await metrics()).GasUsedRatioMetrics,
    (answer) => readMetrics(answer, readGasUsedRatioRow),
  );
  const block = answers(async () => (await explorer()).BlockMetrics, readBlock);
  const tx = answers(async () => (await explorer()).TxMetrics, readTx);
  const txs = answers(
    async () => (await explorer()).TxsMetrics,
    (answer) => readMetrics(answer, readTxRow),
  );
  const rateLimits = answers(async () => (await dashboard()).RateLimits, readRateLimits);
  const summary = answers(async () => (await dashboard()).Summary, readSummary);

  return {
    gasCurrent: (call = {}) => current(PATHS.gasCurrent, {}, call),
    gasTrend: (call = {}) => trend(PATHS.gasTrend, {}, call),
    gasRecommendation: ({ reach, ...call } = {}) =>
      recommendation(PATHS.gasRecommendation, reach === undefined ? {} : reachQuery(reach), call),
    statsChart: (timeFrame, call = {}) => chart(PATHS.statsChart, { timeFrame }, call),
    statsMarket: (timeFrame, call = {}) => market(PATHS.statsMarket, { timeFrame }, call),
    baseFee: async (query = {}, call = {}) =>
      baseFee(PATHS.baseFee, metricsQuery(query, PATHS.baseFee), call),
    priorityFee: async (query = {}, call = {}) =>
      priorityFee(
        PATHS.priorityFee,
        {
          ...metricsQuery(query, PATHS.priorityFee),
          ...(query.percentile === undefined ? {} : { percentile: query.percentile }),
        },
        call,
      ),
    gasUsedRatio: async (query = {}, call = {}) =>
      gasUsedRatio(PATHS.gasUsedRatio, metricsQuery(query, PATHS.gasUsedRatio), call),
    block: async (number, call = {}) => block(pathOf(PATHS.block, { number: String(number) }), {}, call),
    tx: async (hash, call = {}) => tx(pathOf(PATHS.tx, { hash }), {}, call),
    txs: async (query = {}, call = {}) => txs(PATHS.txs, metricsQuery(query, PATHS.txs), call),
    rateLimits: (call = {}) => rateLimits(PATHS.rateLimits, {}, call),
    summary: (call = {}) => summary(PATHS.summary, {}, call),
    ...autoTxMethods({ transport, answers }),
    ...alertMethods({ transport, answers, describe: description }),
    description: ({ signal } = {}) => description(signal),
    raw: async (path, query = {}, { signal } = {}) => {
      const { text } = await memory.ask(path, query, signal);
      return parseJson(text) === undefined ? cleanLines(text) : harmlessJson(text);
    },
  };
}

/** @throws RangeError as {@link createGasClient} does. */
export function transportOf(options: GasClientOptions): TransportOptions {
  const service = parseServiceUrl(options.baseUrl);
  return {
    root: v1Root(service),
    host: service.host,
    apiKey: options.apiKey?.trim() || null,
    ask: options.fetch === undefined ? askOverHttp : byFetch(options.fetch),
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    maxBytes: options.maxBytes ?? MAX_BYTES,
    userAgent: options.userAgent ?? 'gastop',
  };
}

function byFetch(fetch: Fetch): Ask {
  return async (asked) => {
    const { askByFetch } = await import('./ask-by-fetch.ts');
    return askByFetch(fetch, asked);
  };
}

/** A path of the contract with its parameters filled in. */
export function pathOf(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

/** What is not JSON is still worth a look, line by line. */
function cleanLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => cleanText(line))
    .join('\n');
}

/** What `/gas/recommendation` is asked about a price, as the contract writes it. */
export function reachQuery({ targetPrice, deadlineSec }: ReachQuery): Query {
  return { targetGwei: gweiString(targetPrice), deadlineSec: String(deadlineSec) };
}

/** Times in ms as the contract writes them: ISO 8601 with `Z`. */
function metricsQuery(query: MetricsQuery, endpoint: string): Query {
  const iso = (name: 'from' | 'to') => {
    const ms = query[name];
    if (ms === undefined) return {};
    const date = new Date(ms);
    if (Number.isNaN(date.getTime())) {
      throw new ClientError('invalid', `${name} is not a time`, { endpoint });
    }
    return { [name]: date.toISOString() };
  };
  return {
    ...iso('from'),
    ...iso('to'),
    ...(query.bucket === undefined ? {} : { bucket: query.bucket }),
    ...(query.page === undefined ? {} : { page: String(query.page) }),
    ...(query.size === undefined ? {} : { size: String(query.size) }),
  };
}
