import type { BlobSchedule } from './chain-rules.ts';

/** Mainnet's since its second blob-parameter fork (EIP-7892). */
export const BPO2_BLOBS: BlobSchedule = { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671 };

export const GAS_PER_BLOB = 131_072n;

/** `factor × e^(numerator / denominator)` by the integer Taylor series of EIP-4844; `denominator` > 0. */
export function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let sum = 0n;
  let term = factor * denominator;
  for (let i = 1n; term > 0n; i += 1n) {
    sum += term;
    term = (term * numerator) / (denominator * i);
  }
  return sum / denominator;
}

/** Blob base fee of a block with this `excessBlobGas` in its header, wei per blob gas (EIP-4844); at least 1. */
export const blobBaseFee = (excessBlobGas: bigint, updateFraction: number): bigint =>
  fakeExponential(1n, excessBlobGas, BigInt(updateFraction));

/** What a blob costs in execution at least, in gas (EIP-7918). */
const BLOB_BASE_COST = 8_192n;

interface BlobParent {
  readonly baseFeePerGas: bigint;
  readonly blobGasUsed: bigint;
  readonly excessBlobGas: bigint;
}

/**
 * `excessBlobGas` of the block after `parent` (EIP-4844), with the reserve price (EIP-7918) that holds since Osaka.
 * @param schedule of the new block, also where it is the first after a blob fork (EIP-7892)
 */
export function nextExcessBlobGas(
  { baseFeePerGas, blobGasUsed, excessBlobGas }: BlobParent,
  { target, max, baseFeeUpdateFraction }: BlobSchedule,
  hasReservePrice = true,
): bigint {
  const excess = excessBlobGas + blobGasUsed - BigInt(target) * GAS_PER_BLOB;
  if (excess < 0n) return 0n;
  const blobPrice = blobBaseFee(excessBlobGas, baseFeeUpdateFraction);
  const isBelowReserve = BLOB_BASE_COST * baseFeePerGas > GAS_PER_BLOB * blobPrice;
  if (!hasReservePrice || !isBelowReserve) return excess;
  return excessBlobGas + (blobGasUsed * BigInt(max - target)) / BigInt(max);
}

/** Blob base fee of the block after `parent`, wei per blob gas. @param schedule as in {@link nextExcessBlobGas} */
export const nextBlobBaseFee = (parent: BlobParent, schedule: BlobSchedule): bigint =>
  blobBaseFee(nextExcessBlobGas(parent, schedule), schedule.baseFeeUpdateFraction);
