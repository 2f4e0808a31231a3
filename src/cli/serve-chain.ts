import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { ClientError } from '../client/client-error.ts';
import { abortable } from '../service/abortable.ts';
import type { RequestRecord } from '../service/http/request-record.ts';
import type { Served } from '../service/http/server.ts';
import { boundYoungHeap } from './bound-young-heap.ts';
import type { Io } from './io.ts';
import { type ChainChoice, MAINNET, type OpenedChain, openChain, reachedChainId } from './open-chain.ts';
import { type ServiceExtras, type StartedService, startOn } from './open-service.ts';
import { chainDatabase } from './paths.ts';

/** A node that is there answers within it; for one that is not nobody waits before the port is open. */
const CHAIN_WITHIN_MS = 2_000;
const RETRY_MS = 2_000;

export interface ServeChainOptions extends ServiceExtras {
  readonly db: string | null;
  readonly historySec: number;
  readonly onError: (error: unknown) => void;
}

export interface ServedChain extends Served {
  /** For people: the chain's name, or the node's while that is unknown. */
  readonly name: string;
  close(): Promise<void>;
}

/**
 * Starts the service that `gastop serve` puts on a port. It starts whether or not a node answers: until one says
 * which chain it is, and with that where the history lies, a service on a passing database says why it cannot
 * answer; then the real one takes its place.
 * @throws {StoreError} when a database that was named, or whose chain is known, cannot be used.
 */
export async function serveChain(
  io: Io,
  choice: ChainChoice,
  { db, historySec, ...extras }: ServeChainOptions,
): Promise<ServedChain> {
  boundYoungHeap();
  const chain = await openChain(choice, 'real-time');
  const stop = new AbortController();
  const start = (path: string | null) => startOn(chain.source, path, historySec, extras);
  try {
    const place = db ?? (await knownPlace(io, choice, chain));
    let current = await start(place === UNKNOWN ? null : place);
    const moved =
      place === UNKNOWN
        ? move(io, chain, start, stop.signal, extras.onError, (next) => {
            const before = current;
            current = next;
            return before;
          })
        : Promise.resolve();
    return {
      get name() {
        return current.service.condition().chain?.name ?? chain.source.name;
      },
      fetch: (request: Request, record: RequestRecord) => current.service.fetch(request, record),
      quick: (path: string, headers: IncomingHttpHeaders, record: RequestRecord) =>
        current.service.quick(path, headers, record),
      condition: () => current.service.condition(),
      close: async () => {
        stop.abort();
        await moved;
        await current.stop();
        chain.close();
      },
    };
  } catch (error) {
    chain.close();
    throw error;
  }
}

const UNKNOWN = Symbol('no node has said which chain it is');

/** Where the history lies; `null` for what keeps none. */
async function knownPlace(
  io: Io,
  choice: ChainChoice,
  { source }: OpenedChain,
): Promise<string | null | typeof UNKNOWN> {
  if (choice.kind !== 'rpc') return null;
  if (choice.isPublicDefault) return chainDatabase(io, MAINNET);
  // An interruption meanwhile ends a service that has begun, in order.
  const { signal } = new AbortController();
  const options = { withinMs: CHAIN_WITHIN_MS, isPublicDefault: false, signal };
  try {
    return chainDatabase(io, await reachedChainId(source, options));
  } catch (error) {
    if (error instanceof ClientError) return UNKNOWN;
    throw error;
  }
}

/** Waits for a node, then puts the service on the chain's own database in the place of the passing one. */
async function move(
  io: Io,
  { source }: OpenedChain,
  start: (path: string) => Promise<StartedService>,
  signal: AbortSignal,
  onError: (error: unknown) => void,
  swap: (next: StartedService) => StartedService,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { id } = await abortable(source.chain(), signal);
      const next = await start(chainDatabase(io, id));
      await swap(next).stop();
      return;
    } catch (error) {
      if (signal.aborted) return;
      onError(error);
      await setTimeout(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }
}
