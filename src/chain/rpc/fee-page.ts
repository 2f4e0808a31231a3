import { TIP_PERCENTILES, type TipLadder } from '../../core/block.ts';
import { ChainError } from '../errors.ts';
import type { FeeHistoryAnswer } from './answers.ts';

/** What `eth_feeHistory` says of one block. Wei per gas. */
export interface FeeRow {
  readonly number: number;
  readonly baseFee: bigint;
  readonly gasUsedRatio: number;
  readonly blobBaseFee: bigint | null;
  readonly tips: TipLadder | null;
  /** The base fee of the block after it: that block's own, or the node's forecast for the newest. */
  readonly nextBaseFee: bigint | null;
  readonly nextBlobBaseFee: bigint | null;
}

/**
 * The rows of one answer, ascending. An answer without rows (a node asked for blocks it does not have) is an
 * empty list; one whose lists do not belong together is a `bad-answer`.
 *
 * Shape: https://ethereum.github.io/execution-apis, `eth_feeHistory`: n ratios and rewards, n + 1 fees.
 */
export function readFeePage(answer: FeeHistoryAnswer, node: string): FeeRow[] {
  const fees = answer.baseFeePerGas ?? [];
  const ratios = answer.gasUsedRatio ?? [];
  const blobFees = answer.baseFeePerBlobGas ?? [];
  const rewards = answer.reward ?? [];
  const count = ratios.length;
  const fits = (length: number) => length === 0 || length === count || length === count + 1;
  if (
    (fees.length !== count && fees.length !== count + 1) ||
    !fits(blobFees.length) ||
    !fits(rewards.length)
  ) {
    throw new ChainError(
      'bad-answer',
      `${node} gives an answer to eth_feeHistory whose lists differ in length: try another node`,
    );
  }
  return ratios.map((ratio, index) => ({
    number: answer.oldestBlock + index,
    baseFee: fees[index] ?? 0n,
    gasUsedRatio: Math.min(1, Math.max(0, ratio)),
    blobBaseFee: blobFee(blobFees[index]),
    tips: ladder(rewards[index], node),
    nextBaseFee: fees[index + 1] ?? null,
    nextBlobBaseFee: blobFee(blobFees[index + 1]),
  }));
}

/** The protocol's minimum is 1 wei (EIP-4844): 0 is how nodes say that there are no blobs yet. */
function blobFee(fee: bigint | undefined): bigint | null {
  return fee === undefined || fee === 0n ? null : fee;
}

function ladder(reward: readonly bigint[] | null | undefined, node: string): TipLadder | null {
  if (!reward || reward.length === 0) return null;
  const [p10, p25, p50, p75, p90, p95, p99] = reward;
  if (
    reward.length !== TIP_PERCENTILES.length ||
    p10 === undefined ||
    p25 === undefined ||
    p50 === undefined ||
    p75 === undefined ||
    p90 === undefined ||
    p95 === undefined ||
    p99 === undefined
  ) {
    throw new ChainError(
      'bad-answer',
      `${node} gives ${reward.length} tips per block where ${TIP_PERCENTILES.length} were asked for: try another node`,
    );
  }
  return [p10, p25, p50, p75, p90, p95, p99];
}
