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
import { Follower } from './follow/follower.ts';
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
import { createLookups } from './lookups.ts';
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

export type Service = Awaited<ReturnType<typeof startService>>;

/** Follows `source` and serves v1, even while it is unreachable. @throws {StoreError} */
export async function startService(options: ServiceOptions) {
  const { source, signal, glance, wallNow = Date.now, onError = () => {}, onNews = () => {} } = options;
  const database =
    typeof options.database === 'string' ? await openDatabase(options.database) : options.database;
  const lease = createLease(options, database, () => follower.publisher.report(price.usd()));
  const historySec = Math.min(options.historySec ?? DEFAULT_HISTORY_SEC, DEFAULT_HISTORY_SEC);
  const shared = { source, lease, wallNow, signal, onError };
  const blocks = new BlockStore(database, () => lease.right, wallNow);
  const history = new HistoryStore(database);
  const alerts = new AlertStore(database);
  const autoTxs = new AutoTxStore(database, () => lease.right);
  const profile = () => follower.chain.profile;
  const price = createCoinPrice({ ...shared, given: options.priceFeed, profile });
  const ruleBasis = createRuleBasis({
    ...shared,
    alerts,
    profile,
    coinPrice: price.read,
    coinAsked: price.asked,
  });
  const follower = new Follower({
    ...shared,
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
    coinPrice: price.read,
    ruleBasis,
    wakeOutboxWorker: () => outboxWorker.wake(),
    onStored: () => autoTxSchedule.wake(),
    onNews,
  });
  const notifiers: NotifierSettings = {
    smtp: null,
    telegram: null,
    allowPrivateTargets: false,
    ...options.delivery,
    isSimulated: source.kind === 'simulated',
  };
  const outboxWorker = startOutboxWorker({
    ...shared,
    database,
    delivery: notifiers,
    agreedNow: () => follower.agreedNow(),
    onAttempt: options.onAttempt,
  });
  const confirmations = (chain: ChainProfile) => options.confirmations ?? confirmationsOf(chain);
  const autoTxSchedule = startAutoTxSchedule({
    ...shared,
    store: autoTxs,
    blocks,
    history,
    profile: () => follower.sharedChain,
    confirmations,
    freshChain: () => follower.freshChain(),
    coinPrice: price.read,
    agreedNow: () => follower.agreedNow(),
    steadyNow: () => performance.now(),
    senderMs: options.senderMs,
  });
  const onForksChange = () => {
    follower.publisher.notify();
    autoTxSchedule.wake();
  };
  const forks = createForkWatch({ ...shared, chain: follower.chain, onChange: onForksChange });
  const reader = createChainReader(source, signal);
  const { chain, publisher } = follower;
  const lookups = createLookups({ ...shared, follower, history, blocks, reader, forks });
  const condition = () => conditionOf({ ...shared, database, follower });
  const gate = options.gate ?? createOpenGate(wallNow);
  const streams = createGasStreams(follower.publisher, gate);
  signal.addEventListener('abort', streams.end, { once: true });
  const gasMetrics = createGasMetrics();
  const app = createApp({
    ...options,
    publisher,
    chain,
    lookups,
    condition,
    gate,
    streams,
    onError,
    alerts: new AlertService({
      alerts,
      outbox: new OutboxStore(database),
      rules: targetRules(notifiers),
      chain: follower.chain,
      history,
      basis: ruleBasis,
      wallNow,
      chainNow: () => source.now(),
      onDue: () => outboxWorker.wake(),
    }),
    autoTxs: new AutoTxService({
      ...shared,
      store: autoTxs,
      profile,
      isKeyMissing: () => lease.cannotLead !== null && lease.current === null,
      readPublished: () => follower.publisher.read(),
      reach: (price, withinSec) => chain.reachProbability(price, withinSec),
      pending: lookups.pending,
      confirmations,
      onChanged: () => autoTxSchedule.wake(),
    }),
  });

  async function loadRoutesLater(): Promise<void> {
    await sleep(LOAD_ROUTES_AFTER_MS, signal);
    if (!signal.aborted) await app.loadRoutes();
  }

  async function run(): Promise<void> {
    lease.run();
    if (glance === undefined) void loadRoutesLater().catch(onError);
    const retired = retireOwners([alerts, autoTxs], gate, wallNow, onError, signal);
    await Promise.all([follower.run(), price.run(signal), glance === undefined && forks.run(), retired]);
    await Promise.all([outboxWorker.done(), autoTxSchedule.done()]);
    // Last, so that the next leader finds everything stored.
    await lease.end();
    await database.close();
  }

  return {
    /** Handles a v1 request without a socket; never rejects. Adds details for log and metrics to `record`. */
    fetch: (request: Request, record: RequestRecord = {}): Promise<Response> =>
      Promise.resolve(
        signal.aborted
          ? errorResponse(stopped(), request, chain.profile?.id ?? null)
          : app.fetch(request, record),
      ),
    /** Ends the streams of `gas/stream`, for a server that stops. */
    endStreams: streams.end,
    condition: (): Condition => ({ ...condition(), streams: streams.count() }),
    /** Why requests would be refused or nothing can be written, whatever they need; `null` while all is well. */
    checkParts: createReadiness([
      { name: 'the database', check: () => requireOurs(database) },
      { name: 'the keys', check: async () => gate.check?.() },
    ]),
    /** Figures of all owners' alerts, for the operator; rejects with a `StoreError`. */
    alertFigures: () => alertFigures(database),
    /** What gas costs now, as families of Prometheus' text format; empty before the first block. Never rejects. */
    gasMetrics: async () => gasMetrics(follower.publisher.read(), await lookups.dataFees()),
    /** Resolves with the first block, stored or new; rejects when the database belongs to another chain, or on abort. */
    ready: follower.ready,
    /** Resolves with the next change of what is served, such as a block. */
    changed: (): Promise<void> =>
      new Promise((resolve) => {
        const stop = follower.publisher.subscribe(() => {
          stop();
          resolve();
        });
      }),
    /** Resolves once all available history was read for the first time, or could not be; never rejects. */
    filled: () => follower.filled(),
    /** Resolves when everything has ended after the abort and the database is closed. */
    done: run(),
  };
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
