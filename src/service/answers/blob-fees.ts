import type { ChainBlock } from '../../chain/chain-source.ts';
import { blobParamsAt } from '../../core/blob-schedule.ts';
import type { Block } from '../../core/block.ts';
import { type BlobParams, blobBaseFee, nextExcessBlobGas } from '../../core/eip4844.ts';

/** Only mainnet's schedule is known here, and its slots. */
const SLOT_SEC = 12;

/**
 * What a block and the one after it ask per blob gas, wei: the node's word, and where it says nothing the formula
 * with the parameters of the time. `null` before EIP-4844 and where the parameters are not known.
 */
export function blobFees(
  known: { readonly whole: ChainBlock | null; readonly fees: Block | null; readonly child: Block | null },
  chainId: number,
): { readonly now: bigint | null; readonly next: bigint | null } {
  const { whole, fees, child } = known;
  const now = fees?.blobBaseFee ?? null;
  const next = child?.blobBaseFee ?? fees?.nextBlobBaseFee ?? null;
  if (whole === null || (now !== null && next !== null)) return { now, next };
  return {
    now: now ?? ownFee(whole, blobParamsAt(chainId, whole.timestamp)),
    next: next ?? nextFee(whole, blobParamsAt(chainId, whole.timestamp + SLOT_SEC)),
  };
}

function ownFee({ excessBlobGas }: ChainBlock, params: BlobParams | null): bigint | null {
  return excessBlobGas === null || params === null ? null : blobBaseFee(excessBlobGas, params);
}

function nextFee(
  { excessBlobGas, blobGasUsed, baseFeePerGas }: ChainBlock,
  params: BlobParams | null,
): bigint | null {
  if (excessBlobGas === null || blobGasUsed === null || params === null) return null;
  return blobBaseFee(nextExcessBlobGas({ excessBlobGas, blobGasUsed, baseFeePerGas }, params), params);
}
