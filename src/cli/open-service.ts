import type { ChainSource } from '../chain/chain-source.ts';
import type { PriceFeed } from '../chain/price-feed.ts';
import { createPriceFeed } from '../chain/price-feed.ts';
import type { MadeAttempt } from '../service/alerts/dispatcher.ts';
import { abortable } from '../service/async.ts';
import type { Gate } from '../service/http/auth.ts';
import { type Service, startService } from '../service/service.ts';
import type { Delivery } from '../service/service-options.ts';
import type { News } from '../service/source-news.ts';
import { BlockStore } from '../store/block-store.ts';
import { type Database, openDatabase, TEMPORARY_DATABASE } from '../store/open-database.ts';
import { StoreError } from '../store/store-error.ts';
import { boundYoungHeap } from './bound-young-heap.ts';

export { historyFilled } from './history-filled.ts';

import { type DeliverySettings, deliveryOf } from './delivery-settings.ts';
import type { Io } from './io.ts';
import {
  type ChainChoice,
  MAINNET,
  type OpenedChain,
  openChain,
  type Pace,
  type ReachOptions,
  reachedChainId,
} from './open-chain.ts';
import { chainDatabase } from './paths.ts';
import type { Settings } from './settings.ts';

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

/** What only some services need. */
export interface ServiceExtras {
  /** What people call this process by. */
  readonly process?: string;
  readonly role?: 'stays' | 'visits';
  /** How fired alerts reach people. */
  readonly delivery?: Delivery;
  /** Blocks that must have an auto-tx before it is final; default: the chain's own number. */
  readonly confirmations?: number;
  readonly onAttempt?: (made: MadeAttempt) => void;
  readonly keepsAlerts?: boolean;
  /** Why what is made here is gone with the process; left out: it is kept. */
  readonly unsaved?: string;
  readonly gate?: Gate;
  readonly baseUrl?: string;
  readonly onError?: (error: unknown) => void;
  readonly onNews?: (news: News) => void;
}

type DatabaseSettings = Pick<Settings, 'db' | 'confirmations'> & DeliverySettings;

export interface StartedService {
  readonly service: Service;
  readonly database: Database;
  stop(): Promise<void>;
}

export interface OpenedService extends Omit<StartedService, 'stop'> {
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
  boundYoungHeap();
  const opening = openChain(choice, options.pace);
  // Which chain it is, is asked before the rest is loaded: a node answers meanwhile.
  const naming = opening.then(({ source }) =>
    choice.kind === 'rpc' && db === null ? ownDatabase(io, source, choice, options) : db,
  );
  // Told below.
  naming.catch(() => {});
  const chain = await opening;
  try {
    const path = await naming;
    const extras = {
      process: `gastop, process ${process.pid}`,
      role: options.role ?? 'visits',
      delivery: deliveryOf(settings),
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
    return {
      ...started,
      unsaved,
      chain,
      close: async () => {
        await stop();
        chain.close();
      },
    };
  } catch (error) {
    chain.close();
    throw error;
  }
}

/** Left out where the chain's own number holds. */
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
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), CHAIN_WITHIN_MS);
  const known = await abortable(source.chain(), late.signal).catch(() => null);
  clearTimeout(timer);
  if (known !== null) await store.refuseOther(known.id);
}

/**
 * Starts a service over an open source; without a `path` its history ends with the process.
 * @throws {StoreError} for a database that cannot be used, or is another chain's.
 */
export async function startOn(
  source: ChainSource,
  path: string | null,
  historySec: number,
  extras: ServiceExtras = {},
): Promise<StartedService> {
  const stop = new AbortController();
  const database = await openDatabase(path ?? TEMPORARY_DATABASE);
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
    nativeUsdAt: async (timestampSec) => (await open()).nativeUsdAt(timestampSec),
  };
}

/** A chain keeps its own file; recordings and simulations begin anew each time and leave nothing behind. */
async function ownDatabase(
  io: Io,
  source: ChainSource,
  choice: ChainChoice & { readonly kind: 'rpc' },
  options: OpenOptions,
): Promise<string> {
  const chainId = await reachedChainId(source, { ...options, isPublicDefault: choice.isPublicDefault });
  return chainDatabase(io, chainId);
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
    const path = settings.db.value ?? chainDatabase(io, await storedChainId(chain.source, choice, options));
    const stop = new AbortController();
    const service = await startService({
      source: unfollowed(chain.source),
      database: path,
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
const NO_PRICES: PriceFeed = { nativeUsd: async () => null, nativeUsdAt: async () => null };

/** The public nodes are mainnet's, whether or not they answer. */
async function storedChainId(
  source: ChainSource,
  choice: ChainChoice,
  options: Omit<ReachOptions, 'isPublicDefault'>,
): Promise<number> {
  if (choice.kind === 'rpc' && choice.isPublicDefault) return MAINNET;
  return reachedChainId(source, { ...options, isPublicDefault: false });
}

/** The same chain, of which nothing is heard. */
function unfollowed(source: ChainSource): ChainSource {
  const subscribe: ChainSource['subscribe'] = async function* ({ signal }) {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  };
  return Object.create(source, { subscribe: { value: subscribe } });
}
