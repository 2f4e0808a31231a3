import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainSource } from '../chain/chain-source.ts';
import type { GasClient } from '../client/client.ts';
import { createGasClient, type GasClientOptions } from '../client/client.ts';
import type { Io } from './io.ts';
import type { ChainChoice } from './open-chain.ts';
import type { OpenOptions } from './open-service.ts';
import type { Settings } from './settings.ts';
import { VERSION } from './version.ts';

/** Stands for the embedded service in requests that never leave the process. */
export const INTERNAL_ORIGIN = 'http://gastop.internal';
const FASTEST_INTERVAL_MS = 250;
/** Asking within the process costs next to nothing, and a block should be seen when it is there. */
const EMBEDDED_INTERVAL_MS = 1_000;
/** A service that has its first block by then is shown without a waiting screen before it. */
const READY_WITHIN_MS = 1_000;

export interface OpenedClient {
  readonly client: GasClient;
  /** How `client` reaches its service, for who asks it in another way. */
  readonly reach: GasClientOptions;
  /** For people: `gas.example.org`, `seed 1`. */
  readonly name: string;
  readonly badge: 'REPLAY' | 'SIMULATED' | undefined;
  /** How often there is something new, ms, where the service's own word (the chain's pace) does not hold. */
  readonly intervalMs: number | undefined;
  /** The service runs in this process, so it may still be warming up; `null` for one elsewhere. */
  readonly embedded: Embedded | null;
  /** Why nothing is kept of what the service in this process reads; `null`: it is, or need not be. */
  readonly unsaved: string | null;
  close(): Promise<void>;
}

export interface Embedded {
  /** A recording's end, where it is to be read through. */
  readonly ended: Promise<void> | null;
  /** The highest block the source itself knows of; `null` while it does not answer. */
  headNumber(): Promise<number | null>;
  /** Waits until the stored history holds the last `windowSec`, or all there is; answers where it begins (ms). */
  historyFilled(question: {
    /** The chain's present, Unix seconds. */
    readonly presentSec: number;
    readonly windowSec: number;
    readonly onProgress: (filledSec: number) => void;
  }): Promise<number | null>;
}

/** From settings to a v1 client: over HTTP to a URL, or straight into a service started here. */
export async function openClient(io: Io, settings: Settings, options: OpenOptions): Promise<OpenedClient> {
  const choice = settings.source.value;
  if (choice.kind !== 'hosted') return openEmbedded(io, choice, settings, options);
  const reach = { baseUrl: choice.url.href, apiKey: choice.apiKey, userAgent: `gastop/${VERSION}` };
  return {
    client: createGasClient(reach),
    reach,
    name: choice.url.host,
    badge: undefined,
    intervalMs: undefined,
    embedded: null,
    unsaved: null,
    close: async () => {},
  };
}

async function openEmbedded(
  io: Io,
  choice: ChainChoice,
  settings: Settings,
  options: OpenOptions,
): Promise<OpenedClient> {
  const { historyFilled, openService } = await import('./open-service.ts');
  const { chain, service, database, unsaved, close } = await openService(io, choice, settings, options);
  const { source } = chain;
  try {
    await readyOrLate(service.ready);
    const reach = { baseUrl: INTERNAL_ORIGIN, apiKey: null, fetch: service.fetch };
    return {
      client: createGasClient({ ...reach, isOwn: true }),
      reach,
      name: source.name,
      badge: source.kind === 'replay' ? 'REPLAY' : source.kind === 'simulated' ? 'SIMULATED' : undefined,
      intervalMs: chain.speed === null ? EMBEDDED_INTERVAL_MS : await replayInterval(source, chain.speed),
      embedded: {
        ended: options.pace === 'fastest' ? chain.ended : null,
        headNumber: () =>
          source.head().then(
            (head) => head.number,
            () => null,
          ),
        historyFilled: (question) => historyFilled({ ...question, database, source, signal: options.signal }),
      },
      unsaved: unsaved?.message ?? null,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A recording played fast has a new block far more often than its chain had; the eye needs fewer. */
async function replayInterval(source: ChainSource, speed: number): Promise<number> {
  const { feeRule } = await source.chain();
  return Math.max((feeRule.blockTimeSec * 1_000) / speed, FASTEST_INTERVAL_MS);
}

/** Waits a moment for the first block. What goes wrong is told by the service's answers, not here. */
async function readyOrLate(ready: Promise<void>): Promise<void> {
  const late = new AbortController();
  await Promise.race([
    ready.catch(() => {}),
    sleep(READY_WITHIN_MS, undefined, { signal: late.signal }).catch(() => {}),
  ]);
  late.abort();
}
