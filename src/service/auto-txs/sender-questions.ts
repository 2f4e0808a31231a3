import type { ChainSource } from '../../chain/chain-source.ts';
import type { Hex } from '../../core/block.ts';
import { abortable } from '../async.ts';

/** What a node says of one sender, each asked at most once. */
export interface SenderQuestions {
  /** The next nonce that the chain takes. */
  nextNonce(): Promise<number>;
  /** The next one after those in the node's pool. */
  pendingNonce(): Promise<number>;
  /** Wei. */
  balance(): Promise<bigint>;
}

/** @param signal nothing is waited for any longer than until it aborts */
export function askOfSender(source: ChainSource, address: Hex, signal: AbortSignal): SenderQuestions {
  return {
    nextNonce: once(() => abortable(source.nonce(address, 'latest'), signal)),
    pendingNonce: once(() => abortable(source.nonce(address, 'pending'), signal)),
    balance: once(() => abortable(source.balance(address), signal)),
  };
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | null = null;
  return () => {
    asked ??= ask();
    return asked;
  };
}
