import { setTimeout as sleep } from 'node:timers/promises';
import { abortable, untilAborted } from '../chain/async.ts';
import { ChainError, type ChainSource } from '../chain/chain-source.ts';
import { openReplaySource } from '../chain/replay-source.ts';
import { createRpcSource } from '../chain/rpc-source.ts';
import { createSimulatedSource } from '../chain/simulated-source.ts';
import { createGasClient } from '../client/client.ts';
import { ClientError } from '../client/errors.ts';
import { badgeOfKind } from '../core/chain-status.ts';
import type { ChainProfile } from '../core/chains.ts';
import { FASTEST } from '../core/playback.ts';
import { OPENING } from '../core/simulation.ts';
import { formatDuration } from '../core/units.ts';
import type { DemoOptions } from '../service/demo.ts';
import { type ServiceOptions, startService } from '../service/service.ts';
import { BlockStore } from '../store/blocks.ts';
import { openDatabase } from '../store/database.ts';
import { hasNoFile, TEMPORARY_DATABASE } from '../store/database-url.ts';
import { StoreError } from '../store/errors.ts';
import { chainDatabase } from './config-file.ts';
import type { Io } from './io.ts';
import type { OpenedClient } from './open-source.ts';
import { type ChainChoice, deliveryOf, type Settings } from './settings.ts';

export const INTERNAL_ORIGIN = 'http://gastop.internal';

export interface OpenOptions extends ReachOptions {
  readonly historySec: number;
  readonly pace: Pace;
  /** `one-shot`, for a command that ends by itself: as a leader it would fire alerts and leave deliveries unfinished. */
  readonly role?: 'service' | 'one-shot';
  readonly glance?: ServiceOptions['glance'];
  /** For the stored alerts and auto-txs alone: neither follows the chain nor asks for dollar prices. */
  readonly isStored?: boolean;
}

export interface ServiceExtras
  extends Omit<Partial<ServiceOptions>, 'source' | 'database' | 'historySec' | 'signal'> {
  /** Key for signed bytes; absent: a file has its own key. */
  readonly encryptionKey?: Buffer | null;
}

export type StartedService = Awaited<ReturnType<typeof startOn>>;
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
  const { isStored = false, glance, role = 'one-shot' } = options;
  const db = settings.db.value;
  const chain = await openChain(choice, options.pace, db !== null);
  const { simulated, speed, playback } = chain;
  const source = isStored ? unfollowed(chain.source) : chain.source;
  const filling = new AbortController();
  let started: StartedService | null = null;
  const close = async () => {
    filling.abort();
    await started?.stop();
    chain.close();
  };
  try {
    const idOf = isStored ? storedChain : reachedChain;
    // Recordings and simulations start anew each time and store nothing.
    const path =
      choice.kind !== 'rpc' || db !== null ? db : chainDatabase(io, await idOf(source, choice, options));
    const extras = {
      process: `gastop, process ${process.pid}`,
      role,
      ...(glance !== undefined && { glance }),
      ...extrasOf(settings),
      ...(isStored && { priceFeed: { nativeUsd: async () => null } }),
    };
    let unsaved: string | null = null;
    started = await startOn(source, path, options.historySec, extras, !isStored).catch((error: unknown) => {
      if (isStored || db !== null || !(error instanceof StoreError)) throw error;
      unsaved = error.message;
      return startOn(source, null, options.historySec, { ...extras, unsaved: error.message });
    });
    const { service } = started;
    if (simulated !== null && db === null && role === 'service') {
      void fillDemo({ ...started, source: simulated, signal: filling.signal });
    }
    // The service's responses report errors, not this.
    const first = sleep(FIRST_BLOCK_WITHIN_MS, undefined, { ref: false });
    if (!isStored) await Promise.race([service.ready.catch(() => {}), first]);
    const clientOptions = { url: INTERNAL_ORIGIN, apiKey: null, fetch: service.fetch };
    // A fast recording has blocks far more often than its chain; a screen needs fewer.
    const blockMs = speed === null ? 0 : ((await source.chain()).feeRule.blockTimeSec * 1_000) / speed;
    return {
      client: createGasClient({ ...clientOptions, isOwn: true }),
      clientOptions,
      name: source.name,
      badge: badgeOfKind(source.kind) ?? undefined,
      playback,
      intervalMs: speed === null ? EMBEDDED_INTERVAL_MS : Math.max(blockMs, 250),
      embedded: {
        filled: () => abortable(service.filled(), options.signal),
        changed: service.changed,
        isReadThrough: choice.kind === 'replay' && options.pace === 'fastest',
        source,
      },
      isEphemeral: path === null || hasNoFile(path) || unsaved !== null,
      unsaved,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function fillDemo(options: DemoOptions): Promise<void> {
  try {
    await options.service.ready;
    await (await import('../service/demo.ts')).fillDemo(options);
  } catch {
    // The user left before, or sees less.
  }
}

export const extrasOf = (settings: Settings): ServiceExtras => ({
  delivery: deliveryOf(settings),
  encryptionKey: settings.encryptionKey.value,
  patienceSec: settings.patienceSec.value,
  ...(settings.confirmations.value !== null && { confirmations: settings.confirmations.value }),
});

/** Without a `path` the history is ephemeral. @throws {StoreError} */
export async function startOn(
  source: ChainSource,
  path: string | null,
  historySec: number,
  { encryptionKey = null, ...extras }: ServiceExtras,
  /** Whether a database of another chain than that of `source` is refused. */
  isOfSource = true,
) {
  const stop = new AbortController();
  const database = await openDatabase(path ?? TEMPORARY_DATABASE, encryptionKey);
  try {
    const store = new BlockStore(database);
    // Before anything of another chain is shown; if no node names the chain yet, the service finds out later.
    if (isOfSource && path !== null && (await store.chainId()) !== null) {
      const known = await abortable(source.chain(), AbortSignal.timeout(1_000)).catch(() => null);
      if (known !== null) await store.refuseOther(known);
    }
  } catch (error) {
    await database.close();
    throw error;
  }
  const service = await startService({ source, database, historySec, signal: stop.signal, ...extras });
  const end = async () => {
    stop.abort();
    await service.done;
  };
  return { service, database, stop: end };
}

/** The public nodes serve mainnet, even if they do not respond. */
export const storedChain = async (
  source: ChainSource,
  choice: ChainChoice & { readonly kind: 'rpc' },
  options: ReachOptions,
): Promise<Pick<ChainProfile, 'borrowsId' | 'id'>> =>
  choice.isPublicDefault ? { id: MAINNET } : reachedChain(source, choice, options);

/** The same chain, without any requests. */
function unfollowed(source: ChainSource): ChainSource {
  const subscribe: ChainSource['subscribe'] = async function* ({ signal }) {
    await untilAborted(signal);
    yield* [];
  };
  return Object.create(source, { subscribe: { value: subscribe } });
}

type Pace = 'real-time' | 'fastest';
const MAINNET = 1;

/**
 * Opens the chosen chain. `pace` is for recordings without a given speed; `speed` is that of a recording. A simulated chain whose
 * blocks are stored goes on where time is: it cannot begin anew at its opening.
 */
export async function openChain(choice: ChainChoice, pace: Pace, isPersistent: boolean) {
  const rest = { speed: null, simulated: null, playback: null, close: () => {} };
  switch (choice.kind) {
    case 'rpc': {
      const urls = choice.urls.map((url) => url.href);
      const expectedChainId = choice.chainId ?? (choice.isPublicDefault ? MAINNET : undefined);
      const source = createRpcSource({ urls, ...(expectedChainId !== undefined && { expectedChainId }) });
      return { ...rest, source, close: () => source.close() };
    }
    case 'replay': {
      const speed = choice.speed ?? (pace === 'fastest' ? FASTEST : 1);
      const source = await openReplaySource({ file: choice.file, speed });
      return { ...rest, source, speed, playback: source.playback };
    }
    case 'simulated': {
      const { seed, forkAfter } = choice;
      const opensAt = seed === OPENING.seed && !isPersistent ? OPENING.block : null;
      const simulated = createSimulatedSource({ seed, forkAfter, opensAt });
      return { ...rest, source: simulated, simulated };
    }
  }
}

interface ReachOptions {
  readonly withinMs: number;
  readonly signal: AbortSignal;
  readonly remedy?: string;
}

const ANOTHER_SOURCE = 'name one with --rpc URL, a service with --url URL, or look around with --demo';

/** The chain id determines the database. @throws ClientError (unreachable) with one line per node */
export async function reachedChain(
  source: ChainSource,
  choice: ChainChoice,
  { withinMs, signal, remedy = ANOTHER_SOURCE }: ReachOptions,
): Promise<ChainProfile> {
  const late = AbortSignal.timeout(withinMs);
  try {
    return await abortable(source.chain(), AbortSignal.any([late, signal]));
  } catch (error) {
    signal.throwIfAborted();
    const cause = late.aborted ? new ChainError('timeout', 'no answer in time') : error;
    if (source.kind !== 'rpc' || !(cause instanceof ChainError)) throw cause;
    const waited = `no answer within ${formatDuration(withinMs / 1_000)}`;
    const details = source.health().map(({ name, head, state, message }) => ({
      path: name,
      // Most messages name the node themselves.
      message: head === null && state === 'ok' ? waited : message.replace(`${name} `, ''),
    }));
    const isPublic = choice.kind === 'rpc' && choice.isPublicDefault;
    const what = isPublic ? 'no public Ethereum node answers' : 'no node answers';
    throw new ClientError('unreachable', `${what}; ${remedy}`, { endpoint: 'eth_chainId', details, cause });
  }
}
