import { setTimeout as sleep } from 'node:timers/promises';
import { ChainError, type ChainEvent, type ChainSource } from '../chain/chain-source.ts';
import { createPriceFeed, type PriceFeed } from '../chain/price-feed.ts';
import { openReplaySource } from '../chain/replay-source.ts';
import { createRpcSource } from '../chain/rpc-source.ts';
import { createSimulatedSource, type SimulatedSource } from '../chain/simulated-source.ts';
import { ClientError } from '../client/errors.ts';
import type { ChainProfile } from '../core/chains.ts';
import { formatDuration } from '../core/units.ts';
import type { MadeAttempt } from '../service/alerts/dispatcher.ts';
import { abortable } from '../service/async.ts';
import type { DemoOptions } from '../service/demo.ts';
import type { News } from '../service/follow/follower.ts';
import type { Gate } from '../service/http/auth.ts';
import { type Service, startService } from '../service/service.ts';
import type { Delivery } from '../service/service-options.ts';
import { KeyStore } from '../store/api-keys.ts';
import { BlockStore } from '../store/blocks.ts';
import { type Database, openDatabase, openKeyDatabase } from '../store/database.ts';
import { TEMPORARY_DATABASE } from '../store/database-url.ts';
import { StoreError } from '../store/errors.ts';
import { chainDatabase } from './config-file.ts';
import { nameAsGiven } from './errors.ts';
import type { Io } from './io.ts';
import { type DeliverySettings, deliveryOf, FASTEST, type Settings, type SourceChoice } from './settings.ts';

export interface OpenOptions {
  readonly historySec: number;
  /** How long nodes may take until they count as unreachable. */
  readonly withinMs: number;
  readonly pace: Pace;
  /**
   * `stays`: a monitor or a service that runs until somebody ends it; it fires alerts while no other process on the
   * database does. Default: `visits`. A command that ends by itself must not: it would take alerts from nobody, fire for
   * what it happens to catch up with, and leave what it has begun to send to chance. It writes the history it reads
   * while nobody else does, and alerts count its blocks as missed.
   */
  readonly role?: 'stays' | 'visits';
  readonly signal: AbortSignal;
}

export interface ServiceExtras {
  readonly process?: string;
  readonly role?: 'stays' | 'visits';
  readonly delivery?: Delivery;
  /** Blocks that must have an auto-tx before it is final; default: the chain's own number. */
  readonly confirmations?: number;
  readonly onAttempt?: (made: MadeAttempt) => void;
  readonly keepsAlerts?: boolean;
  /** Why what is made here is gone with the process; left out: it is kept. */
  readonly unsaved?: string;
  readonly gate?: Gate;
  readonly baseUrl?: string;
  readonly cors?: readonly string[];
  readonly onError?: (error: unknown) => void;
  readonly onNews?: (news: News) => void;
  /** What signed bytes are encrypted with; left out: a file has its own key. */
  readonly encryptionKey?: Buffer | null;
}

type DatabaseSettings = Pick<Settings, 'db' | 'encryptionKey' | 'confirmations'> & DeliverySettings;

export interface StartedService {
  readonly service: Service;
  readonly database: Database;
  stop(): Promise<void>;
}

interface OpenedService extends Omit<StartedService, 'stop'> {
  readonly chain: OpenedChain;
  /** Why the chain's own database is not used, and nothing outlasts this process; `null`: it is. */
  readonly unsaved: StoreError | null;
  close(): Promise<void>;
}

/**
 * Opens the chosen chain and starts the service on it, in this process. Where the chain's own database cannot be used (a
 * home that takes no writing, a full disk), prices come all the same, from a history that ends with the process, and
 * nothing is made that would end with it; one that was named has to be usable.
 * @throws ClientError (unreachable) when no node says which chain it is, StoreError for a database that was named.
 */
export async function openService(
  io: Io,
  choice: ChainChoice,
  settings: DatabaseSettings,
  options: OpenOptions,
): Promise<OpenedService> {
  const db = settings.db.value;
  const opening = openChain(choice, options.pace);
  // Which chain it is, is asked before the rest is loaded: a node answers meanwhile.
  const naming = opening.then(({ source }) =>
    // Recordings and simulations begin anew each time and leave nothing behind.
    choice.kind === 'rpc' && db === null
      ? reachedChain(source, { ...options, isPublicDefault: choice.isPublicDefault }).then((chain) =>
          chainDatabase(io, chain),
        )
      : db,
  );
  naming.catch(() => {});
  const chain = await opening;
  try {
    const path = await naming;
    const extras = {
      process: `gastop, process ${process.pid}`,
      role: options.role ?? 'visits',
      delivery: deliveryOf(settings),
      encryptionKey: settings.encryptionKey.value,
      ...confirmationsOf(settings),
    } as const;
    let unsaved: StoreError | null = null;
    const { stop, ...started } = await startOn(chain.source, path, options.historySec, extras).catch(
      (error: unknown) => {
        if (db !== null || !(error instanceof StoreError)) throw error;
        unsaved = error;
        return startOn(chain.source, null, options.historySec, { ...extras, unsaved: error.message });
      },
    );
    const filling = new AbortController();
    if (chain.simulated !== null && db === null && options.role === 'stays') {
      void fillDemo({ ...started, source: chain.simulated, signal: filling.signal });
    }
    return {
      ...started,
      unsaved,
      chain,
      close: async () => {
        filling.abort();
        await stop();
        chain.close();
      },
    };
  } catch (error) {
    chain.close();
    throw error;
  }
}

async function fillDemo(options: DemoOptions): Promise<void> {
  try {
    await options.service.ready;
    await (await import('../service/demo.ts')).fillDemo(options);
  } catch {
    // It was left before that, or shows less.
  }
}

export const confirmationsOf = ({
  confirmations: { value },
}: Pick<Settings, 'confirmations'>): Pick<ServiceExtras, 'confirmations'> =>
  value === null ? {} : { confirmations: value };

/** A node that is there answers within it; without one, what is stored is shown. */
const CHAIN_WITHIN_MS = 1_000;

/** Before anything of another chain is shown; where no node says yet which one it is, the service finds out later. */
async function refuseOtherChain(source: ChainSource, database: Database): Promise<void> {
  const store = new BlockStore(database);
  if ((await store.chainId()) === null) return;
  const known = await abortable(source.chain(), AbortSignal.timeout(CHAIN_WITHIN_MS)).catch(() => null);
  if (known !== null) await store.refuseOther(known);
}

/**
 * Starts a service over an open source; without a `path` its history ends with the process.
 * @throws {StoreError} for a database that cannot be used, or is another chain's.
 */
export async function startOn(
  source: ChainSource,
  path: string | null,
  historySec: number,
  { encryptionKey = null, ...extras }: ServiceExtras = {},
): Promise<StartedService> {
  const stop = new AbortController();
  const database = await openDatabase(path ?? TEMPORARY_DATABASE, encryptionKey);
  try {
    if (path !== null) await refuseOtherChain(source, database);
  } catch (error) {
    await database.close();
    throw error;
  }
  const service = await startService({
    source,
    database,
    historySec,
    signal: stop.signal,
    ...(source.kind === 'rpc' ? { priceFeed: lazyPriceFeed(source) } : {}),
    ...extras,
  });
  return {
    service,
    database,
    stop: async () => {
      stop.abort();
      await service.done;
    },
  };
}

/** The chain's dollar price, once it is known which chain it is. */
function lazyPriceFeed(source: ChainSource): PriceFeed {
  let feed: PriceFeed | null = null;
  const open = async (): Promise<PriceFeed> => {
    feed ??= createPriceFeed({ source, chain: await source.chain(), now: () => source.now() });
    return feed;
  };
  return {
    nativeUsd: async () => (await open()).nativeUsd(),
  };
}

/**
 * Starts a service over what the chain's database holds, for a command that reads or changes it and ends. It follows no
 * chain, and neither fires nor sends.
 */
export async function openStored(
  io: Io,
  choice: ChainChoice,
  settings: DatabaseSettings,
  options: Omit<ReachOptions, 'isPublicDefault'>,
): Promise<{ readonly service: Service; close(): Promise<void> }> {
  const chain = await openChain(choice, 'real-time');
  try {
    const path =
      settings.db.value ??
      (choice.kind === 'simulated'
        ? TEMPORARY_DATABASE
        : chainDatabase(io, await storedChain(chain.source, choice, options)));
    const stop = new AbortController();
    const service = await startService({
      source: unfollowed(chain.source),
      database: await openDatabase(path, settings.encryptionKey.value),
      priceFeed: NO_PRICES,
      role: 'visits',
      delivery: deliveryOf(settings),
      signal: stop.signal,
    });
    return {
      service,
      close: async () => {
        stop.abort();
        await service.done;
        chain.close();
      },
    };
  } catch (error) {
    chain.close();
    throw error;
  }
}

/** What was saved is known since it was. */
const NO_PRICES: PriceFeed = { nativeUsd: async () => null };

/** The public nodes are mainnet's, whether or not they answer. */
async function storedChain(
  source: ChainSource,
  choice: ChainChoice,
  options: Omit<ReachOptions, 'isPublicDefault'>,
): Promise<Pick<ChainProfile, 'borrowsId' | 'id'>> {
  if (choice.kind === 'rpc' && choice.isPublicDefault) return { id: MAINNET };
  return reachedChain(source, { ...options, isPublicDefault: false });
}

/** The same chain, of which nothing is heard. */
function unfollowed(source: ChainSource): ChainSource {
  const subscribe: ChainSource['subscribe'] = async function* ({ signal }) {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  };
  return Object.create(source, { subscribe: { value: subscribe } });
}

export type ChainChoice = Exclude<SourceChoice, { readonly kind: 'hosted' }>;

export interface OpenedChain {
  readonly source: ChainSource;
  /** Resolves when whoever subscribed has been given a recording's last block; `null` for what has no end. */
  readonly ended: Promise<void> | null;
  /** How many times as fast as real time a recording is played; `null` for everything else. */
  readonly speed: number | null;
  /** The source itself where it is the simulation. */
  readonly simulated: SimulatedSource | null;
  close(): void;
}

type Pace = 'real-time' | 'fastest';

export const MAINNET = 1;

/**
 * Opens the chain that was chosen. Only the chosen kind's code is loaded. `pace` is for recordings without a speed
 * of their own.
 */
export async function openChain(choice: ChainChoice, pace: Pace): Promise<OpenedChain> {
  switch (choice.kind) {
    case 'rpc': {
      const urls = choice.urls.map((url) => url.href);
      const expectedChainId = choice.chainId ?? (choice.isPublicDefault ? MAINNET : undefined);
      const source = createRpcSource({ urls, ...(expectedChainId !== undefined && { expectedChainId }) });
      return { source, ended: null, speed: null, simulated: null, close: () => source.close() };
    }
    case 'replay': {
      const speed = choice.speed ?? (pace === 'fastest' ? FASTEST : 1);
      const source = await openReplaySource({ file: choice.file, speed }).catch(async (error) => {
        throw nameAsGiven(error, choice.file);
      });
      return { ...watchEnd(source), speed, simulated: null, close: () => {} };
    }
    case 'simulated': {
      const simulated = createSimulatedSource({ seed: choice.seed });
      return { source: simulated, simulated, ended: null, speed: null, close: () => {} };
    }
  }
}

function watchEnd(source: ChainSource): { readonly source: ChainSource; readonly ended: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  async function* subscribe(options: Parameters<ChainSource['subscribe']>[0]): AsyncGenerator<ChainEvent> {
    for await (const event of source.subscribe(options)) {
      yield event;
      // Asked for the next one, the subscriber has taken in this one.
      if (event.type === 'ended') resolve();
    }
  }
  return { source: Object.create(source, { subscribe: { value: subscribe } }), ended: promise };
}

interface ReachOptions {
  readonly withinMs: number;
  readonly signal: AbortSignal;
  readonly isPublicDefault: boolean;
  /** What to do where none answers; default: another source. */
  readonly remedy?: string;
}

/**
 * Asks a chain which it is, which decides where its history is kept.
 * @throws ClientError (unreachable) with one line per node when none has answered within `withinMs`.
 */
export async function reachedChain(source: ChainSource, options: ReachOptions): Promise<ChainProfile> {
  const late = AbortSignal.timeout(options.withinMs);
  try {
    options.signal.throwIfAborted();
    return await abortable(source.chain(), AbortSignal.any([late, options.signal]));
  } catch (error) {
    options.signal.throwIfAborted();
    const cause = late.aborted ? new ChainError('timeout', 'no answer in time') : error;
    throw source.kind === 'rpc' && cause instanceof ChainError ? unreachable(source, options, cause) : cause;
  }
}

const ANOTHER_SOURCE = 'name one with --rpc URL, a service with --url URL, or look around with --demo';

function unreachable(
  source: ChainSource,
  { isPublicDefault, withinMs, remedy = ANOTHER_SOURCE }: ReachOptions,
  cause: ChainError,
): ClientError {
  const waited = `no answer within ${formatDuration(withinMs / 1_000)}`;
  const details = source.health().map(({ name, head, state, message }) => ({
    path: name,
    // Most messages name the node themselves.
    message: head === null && state === 'ok' ? waited : message.replace(`${name} `, ''),
  }));
  const what = isPublicDefault ? 'no public Ethereum node answers' : 'no node answers';
  return new ClientError('unreachable', `${what}; ${remedy}`, { endpoint: 'eth_chainId', details, cause });
}

const LOOK_AGAIN_MS = 200;
/** Nodes that give nothing for so long will not give it soon. */
const STANDSTILL_MS = 20_000;

interface HistoryFilledOptions {
  readonly database: Database;
  readonly source: ChainSource;
  /** The chain's present, Unix seconds: what was digested last may not be stored yet. */
  readonly presentSec: number;
  readonly windowSec: number;
  readonly onProgress: (filledSec: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Watches the service fill its history, newest first, until it holds the last `windowSec`, the chain has no more,
 * or nothing has come for a while. Answers the time of the oldest block without a hole behind it (ms since epoch).
 */
export async function historyFilled(options: HistoryFilledOptions): Promise<number | null> {
  const { source, presentSec, windowSec, onProgress, signal } = options;
  const store = new BlockStore(options.database);
  let movedAt = performance.now();
  let before = Number.POSITIVE_INFINITY;
  for (;;) {
    signal.throwIfAborted();
    const head = await store.head();
    const oldest = head && (await oldestWithoutHole(store, head.number));
    if (head && oldest) {
      const filledSec = Math.max(presentSec, head.timestamp) - oldest.timestamp;
      onProgress(filledSec);
      if (filledSec >= windowSec || (await isFirst(source, oldest.number))) return oldest.timestamp * 1_000;
      if (oldest.number < before) movedAt = performance.now();
      before = oldest.number;
      if (performance.now() - movedAt > STANDSTILL_MS) return oldest.timestamp * 1_000;
    } else if (performance.now() - movedAt > STANDSTILL_MS) return null;
    await sleep(LOOK_AGAIN_MS, undefined, { signal });
  }
}

async function oldestWithoutHole(
  store: BlockStore,
  head: number,
): Promise<{ number: number; timestamp: number } | null> {
  const oldest = await store.oldest();
  if (oldest === null) return null;
  const [newestHole] = await store.missingRanges({ from: oldest.number, to: head });
  if (newestHole === undefined) return oldest;
  return (await store.page(newestHole.to + 1, 1))[0] ?? null;
}

/** Whether the chain has nothing older. Nodes are not asked for it: their history is as good as endless. */
async function isFirst(source: ChainSource, number: number): Promise<boolean> {
  if (number === 0) return true;
  return source.kind !== 'rpc' && (await source.blocks(number - 1, number - 1)).length === 0;
}

export const openKeyStore = async (database: string): Promise<KeyStore> =>
  new KeyStore(await openKeyDatabase(database));
