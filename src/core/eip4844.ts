/** Blob parameters of one fork (EIP-7840 `blobSchedule`). */
export interface BlobParams {
  /** Blobs per block at which the blob base fee stays the same. */
  readonly target: number;
  readonly max: number;
  readonly updateFraction: bigint;
  /** EIP-7918 (since Osaka): below a reserve price of execution the excess no longer falls. */
  readonly reservePrice: boolean;
}

/** EIP-4844. */
export const CANCUN_BLOBS: BlobParams = {
  target: 3,
  max: 6,
  updateFraction: 3_338_477n,
  reservePrice: false,
};
/** EIP-7691. */
export const PRAGUE_BLOBS: BlobParams = {
  target: 6,
  max: 9,
  updateFraction: 5_007_716n,
  reservePrice: false,
};
/** First and second blob-parameter-only forks (EIP-7892). */
export const BPO1_BLOBS: BlobParams = {
  target: 10,
  max: 15,
  updateFraction: 8_346_193n,
  reservePrice: true,
};
export const BPO2_BLOBS: BlobParams = {
  target: 14,
  max: 21,
  updateFraction: 11_684_671n,
  reservePrice: true,
};

export const GAS_PER_BLOB = 131_072n;
const MIN_BLOB_BASE_FEE = 1n;
/** EIP-7918 `BLOB_BASE_COST`: execution gas that a blob is worth at least. */
const BLOB_BASE_COST = 8_192n;

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
export function blobBaseFee(excessBlobGas: bigint, params: Pick<BlobParams, 'updateFraction'>): bigint {
  return fakeExponential(MIN_BLOB_BASE_FEE, excessBlobGas, params.updateFraction);
}

interface BlobParent {
  readonly excessBlobGas: bigint;
  readonly blobGasUsed: bigint;
  readonly baseFeePerGas: bigint;
}

/** `excessBlobGas` of the next block (EIP-4844, EIP-7918). `params`: those in force at the next block. */
export function nextExcessBlobGas(parent: BlobParent, params: BlobParams): bigint {
  const { excessBlobGas, blobGasUsed, baseFeePerGas } = parent;
  const target = BigInt(params.target) * GAS_PER_BLOB;
  if (excessBlobGas + blobGasUsed < target) return 0n;
  const tooCheap =
    params.reservePrice && BLOB_BASE_COST * baseFeePerGas > GAS_PER_BLOB * blobBaseFee(excessBlobGas, params);
  if (tooCheap) {
    return excessBlobGas + (blobGasUsed * BigInt(params.max - params.target)) / BigInt(params.max);
  }
  return excessBlobGas + blobGasUsed - target;
}

const ETHEREUM_CHAIN_ID = 1;

/** Mainnet's forks that changed blobs, newest first; Unix seconds of the first slot (EIP-7892 and the forks' own EIPs). */
const SCHEDULE: readonly { readonly since: number; readonly params: BlobParams }[] = [
  { since: 1_767_747_671, params: BPO2_BLOBS },
  { since: 1_765_290_071, params: BPO1_BLOBS },
  // Osaka kept Prague's numbers and brought the reserve price (EIP-7918).
  { since: 1_764_798_551, params: { ...PRAGUE_BLOBS, reservePrice: true } },
  { since: 1_746_612_311, params: PRAGUE_BLOBS },
  { since: 1_710_338_135, params: CANCUN_BLOBS },
];

/** Blob parameters at `timestamp` (Unix seconds); `null` before EIP-4844 and where the schedule is unknown. */
export function blobParamsAt(chainId: number, timestamp: number): BlobParams | null {
  if (chainId !== ETHEREUM_CHAIN_ID) return null;
  return SCHEDULE.find(({ since }) => timestamp >= since)?.params ?? null;
}
