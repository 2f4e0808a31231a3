import type { ChainEvent, ChainSource } from '../chain/chain-source.ts';
import { ChainError } from '../chain/errors.ts';
import { openReplaySource } from '../chain/replay-source.ts';
import { createRpcSource } from '../chain/rpc-source.ts';
import { createSimulatedSource } from '../chain/simulated-source.ts';
import { ClientError } from '../client/errors.ts';
import { formatDuration } from '../core/units.ts';
import { nameAsGiven } from './name-as-given.ts';
import { FASTEST } from './setting-values.ts';
import type { SourceChoice } from './settings.ts';

export type ChainChoice = Exclude<SourceChoice, { readonly kind: 'hosted' }>;

export interface OpenedChain {
  readonly source: ChainSource;
  /** Resolves when whoever subscribed has been given a recording's last block; `null` for what has no end. */
  readonly ended: Promise<void> | null;
  /** How many times as fast as real time a recording is played; `null` for everything else. */
  readonly speed: number | null;
  close(): void;
}

export type Pace = 'real-time' | 'fastest';

export const MAINNET = 1;

/**
 * Opens the chain that was chosen. Only the chosen kind's code is loaded. `pace` is for recordings without a speed
 * of their own.
 */
export async function openChain(choice: ChainChoice, pace: Pace): Promise<OpenedChain> {
  switch (choice.kind) {
    case 'rpc': {
      const urls = choice.urls.map((url) => url.href);
      const source = createRpcSource(choice.isPublicDefault ? { urls, expectedChainId: MAINNET } : { urls });
      return { source, ended: null, speed: null, close: () => source.close() };
    }
    case 'replay': {
      const speed = choice.speed ?? (pace === 'fastest' ? FASTEST : 1);
      const source = await openReplaySource({ file: choice.file, speed }).catch(async (error) => {
        throw nameAsGiven(error, choice.file);
      });
      return { ...watchEnd(source), speed, close: () => {} };
    }
    case 'simulated': {
      return {
        source: createSimulatedSource({ seed: choice.seed }),
        ended: null,
        speed: null,
        close: () => {},
      };
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

export interface ReachOptions {
  readonly withinMs: number;
  readonly signal: AbortSignal;
  readonly isPublicDefault: boolean;
  /** What to do where none answers; default: another source. */
  readonly remedy?: string;
}

/**
 * Asks a chain for its id, which decides where its history is kept.
 * @throws ClientError (unreachable) with one line per node when none has answered within `withinMs`.
 */
export async function reachedChainId(source: ChainSource, options: ReachOptions): Promise<number> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new ChainError('timeout', 'no answer in time')), options.withinMs);
  const interrupt = (): void => reject(options.signal.reason);
  options.signal.addEventListener('abort', interrupt, { once: true });
  try {
    options.signal.throwIfAborted();
    return (await Promise.race([source.chain(), late])).id;
  } catch (error) {
    throw source.kind === 'rpc' && error instanceof ChainError ? unreachable(source, options, error) : error;
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', interrupt);
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
