import type { ChainSource } from '../chain/chain-source.ts';
import type { PriceFeed } from '../chain/price-feed.ts';
import type { MadeAttempt } from '../service/alerts/dispatcher.ts';
import { abortable } from '../service/async.ts';
import type { Gate } from '../service/http/auth.ts';
import type { Service } from '../service/service.ts';
import type { Delivery } from '../service/service-options.ts';
import type { News } from '../service/source-news.ts';
import type { Database } from '../store/open-database.ts';
import type { StoreError } from '../store/store-error.ts';
import { boundYoungHeap } from './bound-young-heap.ts';
import type { DeliverySettings } from './delivery-settings.ts';
import type { Io } from './io.ts';
import { type ChainChoice, type OpenedChain, openChain, type Pace, reachedChainId } from './open-chain.ts';
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
  const [chain] = await Promise.all([opening, loadService()]);
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
        if (db !== null || !isStoreError(error)) throw error;
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

/** Known by its name: its class comes with the store, which is loaded late. */
const isStoreError = (error: unknown): error is StoreError =>
  error instanceof Error && error.name === 'StoreError';

/** What alerts are delivered with. */
export const deliveryOf = ({ smtp, telegram, allowPrivateTargets }: DeliverySettings): Delivery => ({
  smtp: smtp.value,
  telegram: telegram.value,
  allowPrivateTargets: allowPrivateTargets.value,
});

/** Left out where the chain's own number holds. */
export const confirmationsOf = ({
  confirmations: { value },
}: Pick<Settings, 'confirmations'>): Pick<ServiceExtras, 'confirmations'> =>
  value === null ? {} : { confirmations: value };

const loadService = () => Promise.all([import('../service/service.ts'), import('../store/open-database.ts')]);

/** A node that is there answers within it; without one, what is stored is shown. */
const CHAIN_WITHIN_MS = 1_000;

/** Before anything of another chain is shown; where no node says yet which one it is, the service finds out later. */
async function refuseOtherChain(source: ChainSource, database: Database): Promise<void> {
  const { BlockStore } = await import('../store/block-store.ts');
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
  const [{ startService }, { openDatabase, TEMPORARY_DATABASE }] = await loadService();
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
    const { createPriceFeed } = await import('../chain/price-feed.ts');
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
