import type { Hex } from '../../core/block.ts';
import { operatorFee } from '../../core/data-fee.ts';
import type { StatedFeeRule } from '../../core/eip1559.ts';
import { ChainError, type ChainReceipt, type ChainTransaction } from '../chain-source.ts';

/**
 * Parses a part of a node's response. viem's formatters check nothing, and zod collects every problem of a response:
 * a malicious one of 32 MB has millions.
 *
 * @throws Unfit when the value is something else.
 */
export type Shape<T> = (value: unknown) => T;

export class Unfit extends Error {
  override readonly name = 'Unfit';
  /** `transactions.3.hash`; empty: the whole response. */
  readonly path: string;

  constructor(path = '') {
    super(path);
    this.path = path;
  }
}

type Fields = Readonly<Record<string, Shape<unknown>>>;
type Said<S extends Fields> = { readonly [Name in keyof S]: ReturnType<S[Name]> };

/** An object with these fields; others are left out. */
export function object<S extends Fields>(fields: S): Shape<Said<S>> {
  const shapes = Object.entries(fields);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Unfit();
    const given = value as Readonly<Record<string, unknown>>;
    const read: Record<string, unknown> = {};
    for (const [name, shape] of shapes) read[name] = at(name, shape, given[name]);
    // Each field was read by its shape.
    return read as Said<S>;
  };
}

export function list<T>(each: Shape<T>): Shape<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw new Unfit();
    return value.map((one, index) => at(String(index), each, one));
  };
}

/** Optional: a missing value reads as `null`. */
export function maybe<T>(shape: Shape<T>): Shape<T | null> {
  return (value) => (value === null || value === undefined ? null : shape(value));
}

export function text(pattern: RegExp): Shape<string> {
  return (value) => {
    if (typeof value !== 'string' || !pattern.test(value)) throw new Unfit();
    return value;
  };
}

export const number: Shape<number> = (value) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Unfit();
  return value;
};

export function where<T>(shape: Shape<T>, fits: (value: T) => boolean): Shape<T> {
  return (value) => {
    const read = shape(value);
    if (!fits(read)) throw new Unfit();
    return read;
  };
}

export function mapped<T, U>(shape: Shape<T>, make: (value: T) => U): Shape<U> {
  return (value) => make(shape(value));
}

function at<T>(name: string, shape: Shape<T>, value: unknown): T {
  try {
    return shape(value);
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    throw new Unfit(error.path === '' ? name : `${name}.${error.path}`);
  }
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
/** The highest price per gas: JSON integers end here (9 million gwei). */
const MAX_WEI_PER_GAS = MAX_SAFE;

const hexOf = (pattern: RegExp): Shape<Hex> =>
  mapped(text(pattern), (digits): Hex => `0x${digits.slice(2).toLowerCase()}`);

/** `0x…` up to 256 bits. Accepts leading zeros, which some nodes write. */
export const quantity = mapped(text(/^0x[0-9a-fA-F]{1,64}$/), (digits) => BigInt(digits));

export const safeInteger = mapped(
  where(quantity, (value) => value <= MAX_SAFE),
  Number,
);

export const baseFee = where(quantity, (value) => value <= MAX_WEI_PER_GAS);

/** Absurd tips exist (mistyped fees), so they are capped, not refused. */
export const tip = mapped(quantity, (value) => (value > MAX_WEI_PER_GAS ? MAX_WEI_PER_GAS : value));

export const hash = hexOf(/^0x[0-9a-fA-F]{64}$/);
export const address = hexOf(/^0x[0-9a-fA-F]{40}$/);
export const bytes = hexOf(/^0x(?:[0-9a-fA-F]{2})*$/);

export const toQuantity = (value: number): Hex => `0x${value.toString(16)}`;

/** The year 5138: a larger value is in milliseconds, however far a development chain's clock is ahead. */
const LATEST_TIME = 1e11;

const HEADER = {
  number: safeInteger,
  hash,
  parentHash: hash,
  timestamp: where(safeInteger, (seconds) => seconds < LATEST_TIME),
  gasUsed: quantity,
  gasLimit: quantity,
  baseFeePerGas: mapped(maybe(baseFee), (value) => value ?? 0n),
  extraData: maybe(bytes),
  blobGasUsed: maybe(quantity),
};

/** A block's header as `eth_getBlockByNumber` and `newHeads` give it; chains before EIP-1559 have no base fee. */
export const headerResponse = object(HEADER);
export type Header = ReturnType<typeof headerResponse>;

const HOLOCENE_DIGITS = 2 * 9;
const JOVIAN_DIGITS = 2 * 17;

/**
 * The fee rule in `extraData` of an OP-stack header: version, denominator (4 bytes) and elasticity (4) since Holocene
 * (version 0), and the minimum base fee (8) since Jovian (version 1), where the blob gas used is the data footprint.
 * `undefined` without one, as on other chains.
 */
export function statedFeeRule({ extraData, gasUsed, blobGasUsed }: Header): StatedFeeRule | undefined {
  const digits = extraData?.slice(2) ?? '';
  const isJovian = digits.length === JOVIAN_DIGITS && digits.startsWith('01');
  if (!isJovian && !(digits.length === HOLOCENE_DIGITS && digits.startsWith('00'))) return undefined;
  const [denominator, elasticity] = [digits.slice(2, 10), digits.slice(10, 18)].map((each) =>
    Number.parseInt(each, 16),
  );
  // Both are 0 when the chain's own defaults apply.
  if (!denominator || !elasticity) return undefined;
  if (!isJovian) return { denominator, elasticity, meteredGas: gasUsed };
  const minBaseFee = BigInt(`0x${digits.slice(18)}`);
  if (minBaseFee > MAX_WEI_PER_GAS) return undefined;
  const footprint = blobGasUsed ?? 0n;
  return { denominator, elasticity, minBaseFee, meteredGas: footprint > gasUsed ? footprint : gasUsed };
}

/** Block 0: its other fields differ between chains and are not needed. */
export const genesisResponse = object({ hash, number: where(safeInteger, (number) => number === 0) });

/** Blob fields are missing before Cancun, `reward` where it is not supported; single rows of it may be `null`. */
export const feeHistoryResponse = object({
  oldestBlock: safeInteger,
  baseFeePerGas: maybe(list(baseFee)),
  gasUsedRatio: maybe(list(number)),
  baseFeePerBlobGas: maybe(list(baseFee)),
  reward: maybe(list(maybe(list(tip)))),
});
export type FeeHistoryResponse = ReturnType<typeof feeHistoryResponse>;

/** Other chains have more kinds of transactions (deposits, retryables): their missing fields read as 0 or `null`. */
export const transactionResponse = object({
  hash,
  type: maybe(safeInteger),
  from: address,
  to: maybe(address),
  value: mapped(maybe(quantity), (value) => value ?? 0n),
  nonce: mapped(maybe(safeInteger), (nonce) => nonce ?? 0),
  gas: quantity,
  gasPrice: maybe(quantity),
  maxFeePerGas: maybe(quantity),
  maxPriorityFeePerGas: maybe(quantity),
  input: bytes,
  maxFeePerBlobGas: maybe(quantity),
  blobVersionedHashes: maybe(list(hash)),
  blockNumber: maybe(safeInteger),
  blockHash: maybe(hash),
});
type TransactionResponse = ReturnType<typeof transactionResponse>;

export const receiptResponse = object({
  transactionHash: hash,
  // Missing before Byzantium (2017).
  status: maybe(safeInteger),
  blockNumber: safeInteger,
  blockHash: hash,
  gasUsed: quantity,
  effectiveGasPrice: quantity,
  transactionIndex: safeInteger,
  blobGasUsed: maybe(quantity),
  blobGasPrice: maybe(quantity),
  l1Fee: maybe(quantity),
  operatorFeeScalar: maybe(quantity),
  operatorFeeConstant: maybe(quantity),
  daFootprintGasScalar: maybe(quantity),
  gasUsedForL1: maybe(quantity),
});
export type ReceiptResponse = ReturnType<typeof receiptResponse>;

export const blockResponse = object({
  ...HEADER,
  miner: address,
  excessBlobGas: maybe(quantity),
  transactions: list(hash),
});

export const fullBlockResponse = object({ ...HEADER, transactions: list(transactionResponse) });

/** Parses a response; an invalid one is a `bad-response` that names node, method and field. */
export function readResponse<T>(shape: Shape<T>, response: unknown, node: string, method: string): T {
  try {
    return shape(response);
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    const where = error.path === '' ? '' : ` (${error.path})`;
    throw new ChainError(
      'bad-response',
      `${node} sends an invalid response to ${method}${where}: try another node`,
    );
  }
}

export function toTransaction(response: TransactionResponse): ChainTransaction {
  const { gas, input, blobVersionedHashes, ...rest } = response;
  return {
    ...rest,
    type: rest.type ?? 0,
    gasLimit: gas,
    // For a fee-market transaction nodes return the price paid here, which is also in the receipt.
    gasPrice: rest.maxFeePerGas === null ? rest.gasPrice : null,
    data: input,
    blobCount: blobVersionedHashes?.length ?? null,
  };
}

export function toReceipt(response: ReceiptResponse): ChainReceipt {
  return {
    hash: response.transactionHash,
    status: response.status === 0 ? 'reverted' : 'success',
    blockNumber: response.blockNumber,
    blockHash: response.blockHash,
    gasUsed: response.gasUsed,
    effectiveGasPrice: response.effectiveGasPrice,
    transactionIndex: response.transactionIndex,
    // OP-stack chains have no blobs, and store the data footprint here.
    blobFee: response.l1Fee === null ? (response.blobGasUsed ?? 0n) * (response.blobGasPrice ?? 0n) : 0n,
    ...l1Fees(response),
  };
}

/** On OP-stack chains including the operator fee; on Arbitrum a part of the gas. */
function l1Fees(response: ReceiptResponse): Pick<ChainReceipt, 'dataFee' | 'l1Part'> {
  const { gasUsed, effectiveGasPrice: price, l1Fee, operatorFeeScalar: scalar, gasUsedForL1 } = response;
  if (l1Fee === null) return { dataFee: 0n, ...(gasUsedForL1 !== null && { l1Part: gasUsedForL1 * price }) };
  const constant = response.operatorFeeConstant ?? 0n;
  const isJovian = response.daFootprintGasScalar !== null;
  const dataFee = l1Fee + (scalar === null ? 0n : operatorFee(gasUsed, { scalar, constant, isJovian }));
  return { dataFee, l1Part: dataFee };
}
