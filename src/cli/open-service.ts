import { setTimeout as sleep } from 'node:timers/promises';
import { ChainError, type ChainEvent, type ChainSource } from '../chain/chain-source.ts';
import type { PriceFeed } from '../chain/price-feed.ts';
import { openReplaySource } from '../chain/replay-source.ts';
import { createRpcSource } from '../chain/rpc-source.ts';
import { createSimulatedSource, type SimulatedSource } from '../chain/simulated-source.ts';
import { createGasClient } from '../client/client.ts';
import { ClientError } from '../client/errors.ts';
import type { ChainProfile } from '../core/chains.ts';
import { formatDuration } from '../core/units.ts';
import { abortable } from '../service/async.ts';
import type { ServiceOptions } from '../service/service.ts';
import { type Service, startService } from '../service/service.ts';
import { BlockStore } from '../store/blocks.ts';
import { openDatabase } from '../store/database.ts';
import { TEMPORARY_DATABASE } from '../store/database-url.ts';
import { StoreError } from '../store/errors.ts';
import { chainDatabase } from './config-file.ts';
import { nameAsGiven } from './errors.ts';
import type { Io } from './io.ts';
import { INTERNAL_ORIGIN, type OpenedClient } from './open-source.ts';
import { type DeliverySettings, deliveryOf, FASTEST, type Settings, type SourceChoice } from './settings.ts';

export interface OpenOptions {
  readonly historySec: number;
  readonly withinMs: number;
  readonly pace: Pace;
  /** `visits`, for a command that ends by itself: as a leader it would fire alerts and leave deliveries unfinished. */
  readonly role?: 'stays' | 'visits';
  readonly signal: AbortSignal;
}

export interface ServiceExtras
  extends Omit<Partial<ServiceOptions>, 'source' | 'database' | 'historySec' | 'signal'> {
  /** Key for signed bytes; absent: a file has its own key. */
  readonly encryptionKey?: Buffer | null;
}

type DatabaseSettings = Pick<Settings, 'db' | 'encryptionKey' | 'confirmations'> & DeliverySettings;

export type StartedService = Awaited<ReturnType<typeof startOn>>;

const FASTEST_INTERVAL_MS = 250;
/** Requests within the process cost nearly nothing, and a block should appear at once. */
const EMBEDDED_INTERVAL_MS = 1_000;
/** A service with its first block by then is shown without a waiting screen. */
const FIRST_BLOCK_WITHIN_MS = 1_000;

/** An unusable default database makes the history ephemeral; a named one must work. @throws ClientError, StoreError */
export async function openEmbedded(
  io: Io,
  choice: ChainChoice,
  settings: Settings,
  options: OpenOptions,
): Promise<OpenedClient> {
  const db = settings.db.value;
  const opening = openChain(choice, options.pace);
  // The chain id is requested before the rest is loaded: the node responds meanwhile.
  const naming = opening.then(async ({ source }) => {
    // Recordings and simulations start anew each time and store nothing.
    if (choice.kind !== 'rpc' || db !== null) return db;
    const { isPublicDefault } = choice;
    return chainDatabase(io, await reachedChain(source, { ...options, isPublicDefault }));
  });
  naming.catch(() => {});
  const chain = await opening;
  const { source, simulated, speed } = chain;
  const filling = new AbortController();
  let started: StartedService | null = null;
  const close = async () => {
    filling.abort();
    await started?.stop();
    chain.close();
  };
  try {
    const extras = {
      process: `gastop, process ${process.pid}`,
      role: options.role ?? 'visits',
      delivery: deliveryOf(settings),
      encryptionKey: settings.encryptionKey.value,
      ...confirmationsOf(settings),
    } as const;
    let unsaved: string | null = null;
    started = await startOn(source, await naming, options.historySec, extras).catch((error: unknown) => {
      if (db !== null || !(error instanceof StoreError)) throw error;
      unsaved = error.message;
      return startOn(source, null, options.historySec, { ...extras, unsaved: error.message });
    });
    const { service } = started;
    if (simulated !== null && db === null && options.role === 'stays') {
      // The user may leave before, or see less.
      const demo = { ...started, source: simulated, signal: filling.signal };
      import('../service/demo.ts').then(({ fillDemo }) => fillDemo(demo)).catch(() => {});
    }
    // The service's responses report errors, not this.
    const first = sleep(FIRST_BLOCK_WITHIN_MS, undefined, { ref: false });
    await Promise.race([service.ready.catch(() => {}), first]);
    const reach = { url: INTERNAL_ORIGIN, apiKey: null, fetch: service.fetch };
    // A fast recording has blocks far more often than its chain; a screen needs fewer.
    const blockMs = speed === null ? 0 : ((await source.chain()).feeRule.blockTimeSec * 1_000) / speed;
    return {
      client: createGasClient({ ...reach, isOwn: true }),
      reach,
      name: source.name,
      badge: source.kind === 'replay' ? 'REPLAY' : source.kind === 'simulated' ? 'SIMULATED' : undefined,
      intervalMs: speed === null ? EMBEDDED_INTERVAL_MS : Math.max(blockMs, FASTEST_INTERVAL_MS),
      embedded: {
        filled: service.filled,
        ended: options.pace === 'fastest' ? chain.ended : null,
        head: () => source.head().catch(() => null),
        isDown: () => source.health().every(({ state }) => state === 'down' || state === 'wrong-chain'),
      },
      unsaved,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export const confirmationsOf = ({
  confirmations: { value },
}: Pick<Settings, 'confirmations'>): Pick<ServiceExtras, 'confirmations'> =>
  value === null ? {} : { confirmations: value };

const CHAIN_WITHIN_MS = 1_000;

/** Without a `path` the history is ephemeral. @throws {StoreError} */
export async function startOn(
  source: ChainSource,
  path: string | null,
  historySec: number,
  { encryptionKey = null, ...extras }: ServiceExtras = {},
) {
  const stop = new AbortController();
  const database = await openDatabase(path ?? TEMPORARY_DATABASE, encryptionKey);
  try {
    const store = new BlockStore(database);
    // Before anything of another chain is shown; if no node names the chain yet, the service finds out later.
    if (path !== null && (await store.chainId()) !== null) {
      const known = await abortable(source.chain(), AbortSignal.timeout(CHAIN_WITHIN_MS)).catch(() => null);
      if (known !== null) await store.refuseOther(known);
    }
  } catch (error) {
    await database.close();
    throw error;
  }
  const service = await startService({
    source,
    database,
    historySec,
    signal: stop.signal,
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

/** A service over the stored data for one command: it neither follows the chain nor fires or sends. */
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

/** Stored savings already include their dollar prices. */
const NO_PRICES: PriceFeed = { nativeUsd: async () => null };

/** The public nodes serve mainnet, even if they do not respond. */
export async function storedChain(
  source: ChainSource,
  choice: ChainChoice,
  options: Omit<ReachOptions, 'isPublicDefault'>,
): Promise<Pick<ChainProfile, 'borrowsId' | 'id'>> {
  if (choice.kind === 'rpc' && choice.isPublicDefault) return { id: MAINNET };
  return reachedChain(source, { ...options, isPublicDefault: false });
}

/** The same chain, without any requests. */
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
  /** Resolves when all subscribers have received a recording's last block; `null` for sources without an end. */
  readonly ended: Promise<void> | null;
  readonly speed: number | null;
  readonly simulated: SimulatedSource | null;
  close(): void;
}

type Pace = 'real-time' | 'fastest';

const MAINNET = 1;

/** Opens the chosen chain. Loads only the code of that kind. `pace` is for recordings without a given speed. */
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
      // The subscriber asks for the next event after it has ingested this one.
      if (event.type === 'ended') resolve();
    }
  }
  return { source: Object.create(source, { subscribe: { value: subscribe } }), ended: promise };
}

interface ReachOptions {
  readonly withinMs: number;
  readonly signal: AbortSignal;
  readonly isPublicDefault: boolean;
  readonly remedy?: string;
}

/** The chain id determines the database. @throws ClientError (unreachable) with one line per node */
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
