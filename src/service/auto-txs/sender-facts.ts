import type { ChainSource } from '../../chain/chain-source.ts';
import { ChainError } from '../../chain/errors.ts';
import type { Hex } from '../../core/block.ts';
import { bounded } from '../bounded.ts';
import { ApiFailure } from '../http/errors.ts';

/** Who hands something over waits no longer for what a node knows of a sender. */
const WITHIN_MS = 4_000;

/** A sender as the chain knows it; wei. */
export interface SenderFacts {
  /** The next one that the chain takes. */
  readonly nextNonce: number;
  /** The next one after those in the node's pool. */
  readonly pendingNonce: number;
  readonly balance: bigint;
}

/** @throws {ChainError} or {ApiFailure} where the node does not say all of it in time. */
export async function readSender(
  source: ChainSource,
  address: Hex,
  ended: AbortSignal,
): Promise<SenderFacts> {
  const [nextNonce, pendingNonce, balance] = await bounded(
    () => Promise.all(questions(source, address)),
    ended,
  );
  return { nextNonce, pendingNonce, balance };
}

/** The same as far as it can be told: what the node does not say in time is `null`. */
export async function readKnownOfSender(
  source: ChainSource,
  address: Hex,
  ended: AbortSignal,
): Promise<{ readonly [Fact in keyof SenderFacts]: SenderFacts[Fact] | null }> {
  const known = <T>(answer: Promise<T>) => bounded(() => answer, ended, WITHIN_MS).catch(unlessUnforeseen);
  const [nextNonce, pendingNonce, balance] = questions(source, address);
  const told = await Promise.all([known(nextNonce), known(pendingNonce), known(balance)]);
  return { nextNonce: told[0], pendingNonce: told[1], balance: told[2] };
}

function questions(source: ChainSource, address: Hex) {
  return [
    source.nonce(address, 'latest'),
    source.nonce(address, 'pending'),
    source.balance(address),
  ] as const;
}

function unlessUnforeseen(error: unknown): null {
  if (error instanceof ChainError || error instanceof ApiFailure) return null;
  throw error;
}
