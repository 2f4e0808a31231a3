import type { ChainSource } from '../chain/chain-source.ts';
import { ChainError } from '../chain/errors.ts';
import { ClientError } from '../client/client-error.ts';
import type { SourceChoice } from './settings.ts';

export type ChainChoice = Exclude<SourceChoice, { readonly kind: 'hosted' }>;

export interface OpenedChain {
  readonly source: ChainSource;
  close(): void;
}

const MAINNET = 1;

/** Opens the chain that was chosen. Only the chosen kind's code is loaded. */
export async function openChain(choice: ChainChoice): Promise<OpenedChain> {
  switch (choice.kind) {
    case 'rpc': {
      const { createRpcSource } = await import('../chain/rpc-source.ts');
      const urls = choice.urls.map((url) => url.href);
      const source = createRpcSource(choice.isPublicDefault ? { urls, expectedChainId: MAINNET } : { urls });
      return { source, close: () => source.close() };
    }
    case 'replay': {
      const { openReplaySource } = await import('../chain/replay-source.ts');
      return { source: await openReplaySource({ file: choice.file, speed: choice.speed }), close: () => {} };
    }
    case 'simulated': {
      const { createSimulatedSource } = await import('../chain/simulated-source.ts');
      return { source: createSimulatedSource({ seed: choice.seed }), close: () => {} };
    }
  }
}

/**
 * Asks a chain for its id, which decides where its history is kept.
 * @throws ClientError (unreachable) with one line per node when none has answered within `withinMs`.
 */
export async function reachedChainId(
  source: ChainSource,
  options: { readonly withinMs: number; readonly signal: AbortSignal; readonly isPublicDefault: boolean },
): Promise<number> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new ChainError('timeout', 'no answer in time')), options.withinMs);
  const interrupt = (): void => reject(options.signal.reason);
  options.signal.addEventListener('abort', interrupt, { once: true });
  try {
    options.signal.throwIfAborted();
    return (await Promise.race([source.chain(), late])).id;
  } catch (error) {
    throw source.kind === 'rpc' && error instanceof ChainError
      ? unreachable(source, options.isPublicDefault, error)
      : error;
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', interrupt);
  }
}

function unreachable(source: ChainSource, isPublicDefault: boolean, cause: ChainError): ClientError {
  const details = source.health().map(({ name, head, state, message }) => ({
    path: name,
    message: head === null && state === 'ok' ? 'no answer yet' : message,
  }));
  const what = isPublicDefault ? 'no public Ethereum node answers' : 'no node answers';
  const remedy = 'name one with --rpc URL, a service with --url URL, or look around with --demo';
  return new ClientError('unreachable', `${what}; ${remedy}`, { endpoint: 'eth_chainId', details, cause });
}
