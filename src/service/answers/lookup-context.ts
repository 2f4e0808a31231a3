import type { ChainReceipt } from '../../chain/chain-source.ts';
import { ChainError } from '../../chain/errors.ts';
import type { Block } from '../../core/block.ts';
import type { ChainProfile } from '../../core/chains.ts';
import type { BlockStore } from '../../store/block-store.ts';
import { abortable } from '../abortable.ts';
import type { ChainReader } from '../chain-reader.ts';
import { ApiFailure } from '../http/api-failure.ts';

/** What is at hand to say something of single blocks and transactions. */
export interface LookupContext {
  readonly profile: ChainProfile;
  /** The last block digested. */
  readonly head: Block;
  /** What the block after the head will ask for, wei per gas; `null` while nothing was worked out. */
  readonly nextBaseFee: bigint | null;
  readonly nativeUsd: number | null;
  /** Why nothing new comes, one line; `null` while all is well. */
  readonly problem: string | null;
  readonly blocks: BlockStore;
  readonly reader: ChainReader;
}

const SOURCES = { replay: 'a recording', simulated: 'a simulation', rpc: 'a node' } as const;

/** @throws {ApiFailure} where no node is followed, which alone knows transactions */
export function requireTransactions({ kind }: ChainReader): void {
  if (kind === 'rpc') return;
  throw new ApiFailure(
    'not_found',
    `this service follows ${SOURCES[kind]}, which holds no transactions; ask one that follows a node (--rpc URL)`,
  );
}

/** Much less than a question has in all: two of these, one after the other, leave time for the answer itself. */
const COMPLETED_WITHIN_MS = 2_000;

/**
 * The answer, or `null` where the node does not give it, or not soon: for what only completes another answer. A late
 * one is not broken off, so that the next question finds it.
 */
export async function ifAnswered<T>(answer: Promise<T>): Promise<T | null> {
  const late = AbortSignal.timeout(COMPLETED_WITHIN_MS);
  try {
    return await abortable(answer, late);
  } catch (error) {
    if (late.aborted || error instanceof ChainError || error instanceof ApiFailure) return null;
    throw error;
  }
}

/** The chain is being reorganised between two questions of ours, unless its node is not well at all. */
export function reorganised(number: number, { problem }: Pick<LookupContext, 'problem'>): ApiFailure {
  const [message, retrySec] =
    problem === null
      ? [`block ${number} is being replaced by another (a reorg); ask again in a second`, 1]
      : [`block ${number} cannot be read now: ${problem}`, 5];
  return new ApiFailure('upstream_unavailable', message, { headers: { 'Retry-After': String(retrySec) } });
}

/** Blocks on top of block `number`, itself included. */
export const confirmationsOf = (number: number, head: Block) => Math.max(head.number - number + 1, 1);

/** What a transaction paid per gas above the base fee; a rollup's deposits pay nothing at all. */
export function tipOf(effectiveGasPrice: bigint, baseFeePerGas: bigint): bigint {
  return effectiveGasPrice > baseFeePerGas ? effectiveGasPrice - baseFeePerGas : 0n;
}

/** Everything a transaction paid beside its value, wei. */
export function costOf({
  gasUsed,
  effectiveGasPrice,
  blobFee,
  dataFee,
}: Pick<ChainReceipt, 'gasUsed' | 'effectiveGasPrice' | 'blobFee' | 'dataFee'>): bigint {
  return gasUsed * effectiveGasPrice + blobFee + dataFee;
}
