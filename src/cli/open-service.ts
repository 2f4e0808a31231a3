import type { ChainSource } from '../chain/chain-source.ts';
import type { PriceFeed } from '../chain/price-feed.ts';
import type { Gate } from '../service/http/gate.ts';
import type { Service } from '../service/service.ts';
import type { News } from '../service/source-news.ts';
import type { Database } from '../store/open-database.ts';
import { boundYoungHeap } from './bound-young-heap.ts';
import type { Io } from './io.ts';
import { type ChainChoice, type OpenedChain, openChain, type Pace, reachedChainId } from './open-chain.ts';
import { chainDatabase } from './paths.ts';

export interface OpenOptions {
  readonly historySec: number;
  /** How long nodes may take until they count as unreachable. */
  readonly withinMs: number;
  readonly pace: Pace;
  readonly signal: AbortSignal;
}

/** What only a service for others needs. */
export interface ServiceExtras {
  readonly gate?: Gate;
  readonly baseUrl?: string;
  readonly onError?: (error: unknown) => void;
  readonly onNews?: (news: News) => void;
}

export interface StartedService {
  readonly service: Service;
  readonly database: Database;
  stop(): Promise<void>;
}

export interface OpenedService extends Omit<StartedService, 'stop'> {
  readonly chain: OpenedChain;
  close(): Promise<void>;
}

/**
 * Opens the chosen chain and starts the service on it, in this process.
 * @throws ClientError (unreachable) when no node says which chain it is, {@link StoreError} for the database.
 */
export async function openService(
  io: Io,
  choice: ChainChoice,
  db: string | null,
  options: OpenOptions,
): Promise<OpenedService> {
  boundYoungHeap();
  const [chain] = await Promise.all([openChain(choice, options.pace), loadService()]);
  try {
    const path = db ?? (choice.kind === 'rpc' ? await ownDatabase(io, chain.source, choice, options) : null);
    const { stop, ...started } = await startOn(chain.source, path, options.historySec);
    return {
      ...started,
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

const loadService = () => Promise.all([import('../service/service.ts'), import('../store/open-database.ts')]);

/** Starts a service over an open source; without a `path` its history ends with the process. */
export async function startOn(
  source: ChainSource,
  path: string | null,
  historySec: number,
  extras: ServiceExtras = {},
): Promise<StartedService> {
  const [{ startService }, { openDatabase, TEMPORARY_DATABASE }] = await loadService();
  const stop = new AbortController();
  const database = await openDatabase(path ?? TEMPORARY_DATABASE);
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
