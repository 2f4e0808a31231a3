/** Mainnet's since its second blob-parameter fork (EIP-7892): blobs at which the fee stays the same, and at most. */
export const BPO2_BLOBS = { target: 14, max: 21, updateFraction: 11_684_671n };

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
export function blobBaseFee(excessBlobGas: bigint, updateFraction = BPO2_BLOBS.updateFraction): bigint {
  return fakeExponential(1n, excessBlobGas, updateFraction);
}
