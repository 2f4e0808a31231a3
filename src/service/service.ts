import { sleep } from '../chain/async.ts';
import type { ChainSource } from '../chain/chain-source.ts';
import type { PriceFeed } from '../chain/price-feed.ts';
import { confirmationsOf } from '../core/auto-txs/state-machine.ts';
import type { ChainProfile } from '../core/chains.ts';
import { FeeEngine } from '../core/engine/fee-engine.ts';
import { TrackStore } from '../store/advice-track.ts';
import { AlertStore, alertFigures } from '../store/alerts.ts';
import { AutoTxStore } from '../store/auto-txs.ts';
import { BlockStore } from '../store/blocks.ts';
import { type Database, openDatabase, requireWritable } from '../store/database.ts';
import { EncryptionKey } from '../store/encryption-key.ts';
import { HistoryStore } from '../store/history.ts';
import { type LeaderReport, LeaseStore } from '../store/lease.ts';
import { HISTORY_TABLES } from '../store/move-database.ts';
import { refuseMoved } from '../store/moved.ts';
import { OutboxStore } from '../store/outbox.ts';
import { SigningSecretStore } from '../store/signing-secrets.ts';
import { AlertService } from './alerts/alert-service.ts';
import type { NotifierSettings } from './alerts/notifiers/notifiers.ts';
import { type MadeAttempt, startOutboxWorker } from './alerts/outbox-worker.ts';
import { retireOwners } from './alerts/retire-owners.ts';
import { createRuleBasis } from './alerts/rule-basis.ts';
import { targetRules } from './alerts/target-rules.ts';
import { AutoTxService } from './auto-txs/auto-tx-service.ts';
import { startAutoTxSchedule } from './auto-txs/schedule.ts';
import { createChainReader } from './chain-reader.ts';
import { createCoinPrice } from './coin-price.ts';
import { type Condition, conditionOf } from './condition.ts';
import { createAdviceJudge } from './follow/advice-judge.ts';
import { unsavedWords } from './follow/block-writer.ts';
import { Follower, type FollowerOptions } from './follow/follower.ts';
import { createForkWatch } from './follow/fork-watch.ts';
import type { Engine } from './follow/ingested-chain.ts';
import type { News } from './follow/source-news.ts';
import { createApp } from './http/app.ts';
import { createOpenGate, type Gate } from './http/auth.ts';
import { ApiFailure, errorResponse } from './http/errors.ts';
import { createGasMetrics } from './http/gas-metrics.ts';
import { createGasStreams } from './http/gas-streams.ts';
import type { RequestRecord } from './http/server.ts';
import { Lease, type LeaseOptions, leaseWords } from './lease.ts';
import { createLookups, type Lookups } from './lookups.ts';
import { createReadiness } from './readiness.ts';

export interface ServiceOptions {
  readonly source: ChainSource;
  /** An open history, or its location; closed when the service ends. */
  readonly database: Database | string;
  /** How far back to fill the history; default and most 30 days. */
  readonly historySec?: number;
  /**
   * For one answer, which needs prices alone, or advice too: reads of `historySec` what is stored, fills in the rest only
   * once `filled` is called, and neither judges past advice nor asks for forks. Default: it stays, and fills at once.
   */
  readonly glance?: 'prices' | 'advice';
  /** Default: the chain's own Chainlink feed, read through `source` if that is a node. */
  readonly priceFeed?: PriceFeed;
  /** Default: no API key needed. */
  readonly gate?: Gate;
  /** Public URL of the service behind a proxy, for the OpenAPI document. */
  readonly baseUrl?: string;
  /** Origins whose pages may use the service in a browser, `*` for all. Default: none. */
  readonly cors?: readonly string[];
  /** How fired alerts are delivered. */
  readonly delivery?: Partial<NotifierSettings>;
  /** Display name of this process: `gastop serve, process 4711`. */
  readonly process?: string;
  /** Default: it stays, and becomes the leader when no other process on the database is. */
  readonly role?: LeaseOptions['role'];
  /** How long a leader may store nothing until this process compares with its own node, ms. Default: a minute. */
  readonly neglectedMs?: number;
  /** Confirmations that make an auto-tx final. Default: the chain's number. */
  readonly confirmations?: number;
  /** Of the advice that is given and recorded, in seconds; a request may name another. Default: an hour. */
  readonly patienceSec?: number;
  /** Time limit for requests to a node about one sender of auto-txs, ms. Default: 10 s. */
  readonly senderMs?: number;
  /** Whether the database outlasts the start, so that alerts and auto-txs may be created. Default: it does. */
  readonly keepsAlerts?: boolean;
  /** Why everything here is lost with the process, for people; alerts and auto-txs are refused with it. */
  readonly unsaved?: string;
  /** Called with each delivery attempt of a fired alert, for a log. */
  readonly onAttempt?: (made: MadeAttempt) => void;
  readonly signal: AbortSignal;
  /** Ms since epoch. */
  readonly wallNow?: () => number;
  readonly createEngine?: (profile: ChainProfile) => Engine;
  /** Receives errors that the service survives, for a log. */
  readonly onError?: (error: unknown) => void;
  /** Called when the source, or one of several nodes, fails or recovers, for a log. */
  readonly onNews?: (news: News) => void;
}

const DEFAULT_HISTORY_SEC = 30 * 86_400;

export interface Service {
  /** Handles a v1 request without a socket; never rejects. Adds details for log and metrics to `record`. */
  readonly fetch: (request: Request, record?: RequestRecord) => Promise<Response>;
  /** Ends the streams of `gas/stream`, for a server that stops. */
  readonly endStreams: () => void;
  readonly condition: () => Condition;
  /** Why requests would be refused or nothing can be written, whatever they need; `null` while all is well. */
  readonly checkParts: () => Promise<ApiFailure | null>;
  /** Figures of all owners' alerts, for the operator; rejects with a `StoreError`. */
  readonly alertFigures: () => ReturnType<typeof alertFigures>;
  /** What gas costs now, as families of Prometheus' text format; empty before the first block. Never rejects. */
  readonly gasMetrics: () => Promise<string>;
  /** Resolves with the first block, stored or new; rejects when the database belongs to another chain, or on abort. */
  readonly ready: Promise<void>;
  /** Resolves with the next change of what is served, such as a block. */
  readonly changed: () => Promise<void>;
  /** Resolves once all available history was read for the first time, or could not be; never rejects. */
  readonly filled: () => Promise<void>;
  /** Resolves when everything has ended after the abort and the database is closed. */
  readonly done: Promise<void>;
}

/** Follows `source` and serves v1, even while it is unreachable. @throws {StoreError} */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { signal, glance, wallNow = Date.now, onError = () => {} } = options;
  const database =
    typeof options.database === 'string' ? await openDatabase(options.database) : options.database;
  const lease = createLease(options, database, () => follower.publisher.report(coinPrice.usd()));
  const shared: Shared = { source: options.source, database, lease, wallNow, signal, onError };
  const stores = openStores(shared);
  const following = createFollowing(options, shared, stores, {
    wakeOutboxWorker: () => alerts.worker.wake(),
    wakeAutoTxSchedule: () => autoTxs.schedule.wake(),
  });
  const { follower, coinPrice } = following;
  const { chain, publisher } = follower;
  const reader = createChainReader(options.source, signal);
  const lookups = createLookups({ ...shared, ...stores, ...following, reader });
  const alerts = startAlerts(options, shared, stores, following);
  const autoTxs = startAutoTxs(options, shared, stores, following, lookups);
  const gate = options.gate ?? createOpenGate(wallNow);
  const streams = createGasStreams(publisher, gate);
  signal.addEventListener('abort', streams.end, { once: true });
  const condition = (): Condition => ({ ...conditionOf({ ...shared, follower }), streams: streams.count() });
  const app = createApp({
    ...options,
    publisher,
    chain,
    lookups,
    condition,
    gate,
    streams,
    onError,
    alerts: alerts.service,
    autoTxs: autoTxs.service,
  });
  const gasMetrics = createGasMetrics();

  async function loadRoutesLater(): Promise<void> {
    await sleep(LOAD_ROUTES_AFTER_MS, signal);
    if (!signal.aborted) await app.loadRoutes();
  }

  async function run(): Promise<void> {
    lease.run();
    if (glance === undefined) void loadRoutesLater().catch(onError);
    const retired = retireOwners([stores.alerts, stores.autoTxs], gate, wallNow, onError, signal);
    await Promise.all([following.run(), retired]);
    await Promise.all([alerts.worker.done(), autoTxs.schedule.done()]);
    // Last, so that the next leader finds everything stored.
    await lease.end();
    await database.close();
  }

  return {
    fetch: (request, record = {}) =>
      Promise.resolve(
        signal.aborted
          ? errorResponse(stopped(), request, chain.profile?.id ?? null)
          : app.fetch(request, record),
      ),
    endStreams: streams.end,
    condition,
    checkParts: createReadiness([
      { name: 'the database', check: () => requireOurs(database) },
      { name: 'the keys', check: async () => gate.check?.() },
    ]),
    alertFigures: () => alertFigures(database),
    gasMetrics: async () => gasMetrics(publisher.publish(), await lookups.dataFees()),
    ready: follower.ready,
    changed: () =>
      new Promise((resolve) => {
        const stop = publisher.subscribe(() => {
          stop();
          resolve();
        });
      }),
    filled: () => follower.filled(),
    done: run(),
  };
}

/** What all parts of a service need. */
interface Shared {
  readonly source: ChainSource;
  readonly database: Database;
  readonly lease: Lease;
  readonly wallNow: () => number;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

const openStores = ({ database, lease, wallNow }: Shared) => ({
  blocks: new BlockStore(database, () => lease.right, wallNow),
  history: new HistoryStore(database),
  alerts: new AlertStore(database),
  autoTxs: new AutoTxStore(database, () => lease.right),
});

type Stores = ReturnType<typeof openStores>;
type Following = ReturnType<typeof createFollowing>;

/** The follower, and what is read beside blocks: the coin's price, what rules in dollars are priced by, and forks. */
function createFollowing(
  options: ServiceOptions,
  shared: Shared,
  { blocks, alerts }: Stores,
  wakes: Pick<FollowerOptions, 'wakeOutboxWorker' | 'wakeAutoTxSchedule'>,
) {
  const { glance } = options;
  const { database, lease, signal, onError } = shared;
  const historySec = Math.min(options.historySec ?? DEFAULT_HISTORY_SEC, DEFAULT_HISTORY_SEC);
  const profile = () => follower.chain.profile;
  const coinPrice = createCoinPrice({ ...shared, given: options.priceFeed, profile });
  const ruleBasis = createRuleBasis({
    ...shared,
    alerts,
    profile,
    coinPrice: coinPrice.read,
    coinRequested: coinPrice.asked,
  });
  const follower = new Follower({
    ...shared,
    ...wakes,
    store: blocks,
    track: createAdviceJudge(new TrackStore(database), onError, () => lease.mayWrite && glance === undefined),
    createEngine: options.createEngine ?? engineOf(options),
    historySec,
    // Advice rests on more of the past than prices do.
    loadedSec: glance === 'advice' ? historySec : 0,
    isFilledOnDemand: glance !== undefined,
    isForPrices: glance === 'prices',
    neglectedMs: options.neglectedMs,
    unsaved: options.unsaved && unsavedWords(options.unsaved),
    coinPrice: coinPrice.read,
    ruleBasis,
    onNews: options.onNews ?? (() => {}),
  });
  const onForksChange = () => {
    follower.publisher.notify();
    wakes.wakeAutoTxSchedule();
  };
  const forks = createForkWatch({ ...shared, chain: follower.chain, onChange: onForksChange });
  return {
    follower,
    coinPrice,
    ruleBasis,
    forks,
    run: () => Promise.all([follower.run(), coinPrice.run(signal), glance === undefined && forks.run()]),
  };
}

/** The alerts of all owners: the routes' side, and the worker that sends what has fired. */
function startAlerts(
  options: ServiceOptions,
  shared: Shared,
  { alerts, history }: Stores,
  { follower, ruleBasis }: Following,
) {
  const { source, database, wallNow } = shared;
  const delivery: NotifierSettings = {
    smtp: null,
    telegram: null,
    allowPrivateTargets: false,
    ...options.delivery,
    isSimulated: source.kind === 'simulated',
  };
  const worker = startOutboxWorker({
    ...shared,
    delivery,
    agreedNow: () => follower.agreedNow(),
    onAttempt: options.onAttempt,
  });
  const service = new AlertService({
    alerts,
    outbox: new OutboxStore(database),
    secrets: new SigningSecretStore(database),
    rules: targetRules(delivery),
    chain: follower.chain,
    history,
    basis: ruleBasis,
    wallNow,
    chainNow: () => source.now(),
    onDue: () => worker.wake(),
  });
  return { service, worker };
}

/** The auto-txs of all owners: the routes' side, and the schedule that sends what is due. */
function startAutoTxs(
  options: ServiceOptions,
  shared: Shared,
  { autoTxs, blocks, history }: Stores,
  { follower, coinPrice }: Following,
  { pending }: Lookups,
) {
  const { lease } = shared;
  const { chain, publisher } = follower;
  const confirmations = (profile: ChainProfile) => options.confirmations ?? confirmationsOf(profile);
  const schedule = startAutoTxSchedule({
    ...shared,
    store: autoTxs,
    blocks,
    history,
    profile: () => follower.reconciledChain,
    confirmations,
    freshChain: () => follower.freshChain(),
    coinPrice: coinPrice.read,
    agreedNow: () => follower.agreedNow(),
    steadyNow: () => performance.now(),
    senderMs: options.senderMs,
  });
  const service = new AutoTxService({
    ...shared,
    store: autoTxs,
    profile: () => chain.profile,
    isKeyMissing: () => lease.cannotLead !== null && lease.current === null,
    readPublished: () => publisher.publish(),
    reach: (price, withinSec) => chain.reachProbability(price, withinSec),
    pending,
    confirmations,
    onChanged: () => schedule.wake(),
  });
  return { service, schedule };
}

/** The lease, with news of its changes; a process without the key of the stored transactions does not lead. */
function createLease(options: ServiceOptions, database: Database, report: () => LeaderReport): Lease {
  const { signal, wallNow = Date.now, onError = () => {}, onNews = () => {} } = options;
  const encryptionKey = new EncryptionKey(database);
  const warning = database.sealer.warning();
  if (warning !== null) onNews({ isWell: false, message: warning });
  const lease = new Lease({
    store: new LeaseStore(database),
    process: options.process ?? `process ${process.pid}`,
    role: options.role ?? 'service',
    report,
    cannotLead: () => encryptionKey.problem(),
    onMayLead: (cannotLead) =>
      onNews({
        isWell: cannotLead === null,
        message: cannotLead ?? 'the encryption key is back: this process may lead, and auto-txs go on',
      }),
    wallNow,
    onError,
  });
  let hasStoodBy = false;
  lease.onChange((state) => {
    if (state === 'idle') return;
    // A single process need not be reported.
    hasStoodBy ||= state !== 'leads';
    if (hasStoodBy && !signal.aborted) onNews({ isWell: true, message: leaseWords(state, lease) });
  });
  return lease;
}

const engineOf =
  ({ patienceSec, glance }: ServiceOptions) =>
  ({ feeRule }: ChainProfile): Engine =>
    new FeeEngine({
      feeRule,
      ...(patienceSec !== undefined && { patienceSec }),
      isForPrices: glance === 'prices',
    });

async function requireOurs(database: Database): Promise<void> {
  await database.run((db) => refuseMoved(db, database.name));
  await requireWritable(database, [...HISTORY_TABLES, 'leases']);
}

const stopped = () => new ApiFailure('upstream_unavailable', 'the service has been stopped; start it again');

/** After the first prices, which must not wait for the code of other routes. */
const LOAD_ROUTES_AFTER_MS = 5_000;
