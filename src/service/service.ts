import { confirmationsOf } from '../core/auto-txs/state-machine.ts';
import type { ChainProfile } from '../core/chains.ts';
import { FeeEngine } from '../core/engine/fee-engine.ts';
import { TrackStore } from '../store/advice-track.ts';
import { type AlertFigures, AlertStore, alertFigures } from '../store/alerts.ts';
import { AutoTxStore } from '../store/auto-txs.ts';
import { BlockStore } from '../store/blocks.ts';
import { openDatabase } from '../store/database.ts';
import { HistoryStore } from '../store/history.ts';
import { LeaseStore } from '../store/lease.ts';
import { OutboxStore } from '../store/outbox.ts';
import { AlertService } from './alerts/alert-service.ts';
import { type NotifierSettings, startSending } from './alerts/dispatcher.ts';
import { retireOwners } from './alerts/retire-owners.ts';
import { channelsOf, targetRules } from './alerts/target-rules.ts';
import { AutoTxService } from './auto-txs/auto-tx-service.ts';
import { startAutoTxs } from './auto-txs/engine.ts';
import { ChainReader } from './chain-reader.ts';
import { AdviceJudge } from './follow/advice-judge.ts';
import { unsavedWords } from './follow/block-writer.ts';
import { Follower } from './follow/follower.ts';
import { Freshness } from './follow/freshness.ts';
import { createApp } from './http/app.ts';
import { createOpenGate } from './http/auth.ts';
import { ApiFailure, errorResponse } from './http/errors.ts';
import { GasStreams } from './http/gas-streams.ts';
import { Lease, leaseWords } from './leader.ts';
import { chainPriceFeed, NativePrice } from './native-price.ts';
import type { ServiceOptions } from './service-options.ts';
import { type Condition, ServiceState } from './service-state.ts';

const DEFAULT_HISTORY_SEC = 30 * 86_400;

export interface Service {
  /** Handles a v1 request without a socket; never rejects. Adds details for log and metrics to a `RequestRecord`. */
  fetch(request: Request, record?: object): Promise<Response>;
  /** Ends the streams of `gas/stream`, for a server that stops. */
  endStreams(): void;
  condition(): Condition;
  /** Figures of all owners' alerts, for the operator; rejects with a `StoreError`. */
  alertFigures(): Promise<AlertFigures>;
  /** Resolves with the first block, stored or new; rejects when the database belongs to another chain, or on abort. */
  readonly ready: Promise<void>;
  /** Resolves once all available history was read for the first time, or could not be; never rejects. */
  readonly filled: Promise<void>;
  /** Resolves when everything has ended after the abort and the database is closed. */
  readonly done: Promise<void>;
}

/** Follows `source` and serves v1, even while it is unreachable. @throws {StoreError} */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { source, signal, wallNow = Date.now, onError = () => {}, onNews = () => {} } = options;
  const database =
    typeof options.database === 'string' ? await openDatabase(options.database) : options.database;
  const lease = new Lease({
    store: new LeaseStore(database),
    process: options.process ?? `process ${process.pid}`,
    role: options.role ?? 'stays',
    report: () => follower.report(price.usd),
    wallNow,
    onError,
  });
  let hasStoodBy = false;
  lease.onChange((state) => {
    if (state === 'unknown') return;
    // A single process need not be reported.
    hasStoodBy ||= state !== 'holds';
    if (hasStoodBy && !signal.aborted) onNews({ isWell: true, message: leaseWords(state, lease) });
  });
  const store = new BlockStore(database, () => lease.right, wallNow);
  const historySec = Math.min(options.historySec ?? DEFAULT_HISTORY_SEC, DEFAULT_HISTORY_SEC);
  const createEngine = options.createEngine ?? (({ feeRule }) => new FeeEngine({ feeRule }));
  const alertStore = new AlertStore(database);
  const autoTxStore = new AutoTxStore(database, () => lease.right);
  const confirmations = (chain: ChainProfile) => options.confirmations ?? confirmationsOf(chain);
  const notifiers: NotifierSettings = {
    smtp: null,
    telegram: null,
    allowPrivateTargets: false,
    ...options.delivery,
    isSimulated: source.kind === 'simulated',
  };
  const track = new AdviceJudge(new TrackStore(database), onError, () => lease.mayWrite);
  const shared = { source, lease, wallNow, signal, onError };
  const follower = new Follower({
    ...shared,
    store,
    track,
    createEngine,
    historySec,
    neglectedMs: options.neglectedMs,
    unsaved: options.unsaved && unsavedWords(options.unsaved),
    nativeUsd: () => nativeUsd(),
    onFired: () => sending.wake(),
    onStored: () => broadcasting.wake(),
    onEvent: () => streams.tell(),
    onNews,
  });
  const sending = startSending({
    ...shared,
    isVisitor: options.role === 'visits',
    database,
    delivery: notifiers,
    agreedNow: () => follower.agreedNow(),
    onAttempt: options.onAttempt,
  });
  const { priceFeed } = options;
  const ownFeed = chainPriceFeed(source, () => follower.chain.profile, wallNow);
  // Several processes on one database cost the node one request: standbys get the price from the leader.
  const price = new NativePrice(() => (lease.mayWrite ? (priceFeed ?? ownFeed()) : null), wallNow);
  const nativeUsd = () => (lease.state === 'stands-by' ? (lease.leaderReport?.nativeUsd ?? null) : price.usd);
  const sourceName = () => lease.leaderReport?.sourceName ?? source.name;
  const history = new HistoryStore(database);
  const steadyNow = () => performance.now();
  const freshness = new Freshness({
    ...shared,
    isLeading: () => lease.mayWrite,
    head: () => follower.chain.head,
    chain: () => follower.chain.profile,
    steadyNow,
    onFresh: () => broadcasting.wake(),
  });
  const broadcasting = startAutoTxs({
    ...shared,
    store: autoTxStore,
    blocks: store,
    history,
    profile: () => follower.sharedChain,
    confirmations,
    present: () => {
      const present = follower.present();
      return present !== null && freshness.isFresh(present.head) ? present : null;
    },
    nativeUsd,
    agreedNow: () => follower.agreedNow(),
    steadyNow,
    senderMs: options.senderMs,
  });
  const state = new ServiceState({
    source,
    follower,
    track,
    history,
    blocks: store,
    reader: new ChainReader(source, signal),
    nativeUsd,
    sourceName,
    engine: () =>
      lease.held && {
        ...lease.held,
        isHere: lease.state === 'holds',
        head: lease.held.report?.block ?? null,
      },
    unkept: () =>
      database.damage?.message ??
      follower.chain.writeProblem ??
      (lease.problem === null ? null : unsavedWords(lease.problem)) ??
      (lease.held === null && options.role !== 'visits' ? NO_LEADER : null),
    wallNow,
  });
  const gate: NonNullable<ServiceOptions['gate']> = options.gate ?? createOpenGate(wallNow);
  const streams = new GasStreams(state, gate);
  signal.addEventListener('abort', streams.end, { once: true });
  const { baseUrl, cors, keepsAlerts, unsaved } = options;
  const app = createApp({
    state,
    gate,
    streams,
    baseUrl,
    cors,
    keepsAlerts,
    unsaved,
    onError,
    alerts: new AlertService({
      alerts: alertStore,
      outbox: new OutboxStore(database),
      rules: (owner) => targetRules(channelsOf(notifiers), notifiers, owner === '' ? 'operator' : 'key'),
      wallNow,
      chainNow: () => source.now(),
      onDue: () => sending.wake(),
    }),
    autoTxs: new AutoTxService({
      source,
      store: autoTxStore,
      chain: () => follower.chain.profile,
      moment: () => state.moment(),
      reach: (price, withinSec) => state.reachProbability(price, withinSec),
      confirmations,
      onChanged: () => broadcasting.wake(),
      wallNow,
      signal,
    }),
  });

  async function run(): Promise<void> {
    lease.run();
    const retired =
      gate.withdrawn === undefined
        ? null
        : retireOwners([alertStore, autoTxStore], gate.withdrawn, wallNow, onError, signal);
    await Promise.all([follower.run(), freshness.run(), price.run(signal), retired]);
    await Promise.all([sending.done(), broadcasting.done()]);
    // Last, so that the next leader finds everything stored.
    await lease.end();
    await database.close();
  }

  return {
    async fetch(request, record) {
      if (signal.aborted) return errorResponse(stopped(), request, state.chainId);
      try {
        return await app.fetch(request, record ?? {});
      } catch (error) {
        onError(error);
        return errorResponse(error, request, state.chainId);
      }
    },
    endStreams: streams.end,
    condition: () => ({ ...state.condition(), streams: streams.count }),
    alertFigures: () => alertFigures(database),
    ready: follower.ready,
    filled: follower.filled,
    done: run(),
  };
}

const NO_LEADER = 'no process leads on this database: no block is written and no alert fires';

const stopped = () => new ApiFailure('upstream_unavailable', 'the service has been stopped; start it again');
