import type { Hex } from '../../core/block.ts';
import { operatorFee } from '../../core/data-fee.ts';
import type { StatedFeeRule } from '../../core/eip1559.ts';
import { ChainError, type ChainReceipt, type ChainTransaction } from '../chain-source.ts';

/**
 * Reads a part of a node's response. viem's formatters check nothing, and zod collects every problem of a response before
 * it stops: one of 32 MB, made to harm, has millions.
 *
 * @throws Unfit where the value is something else.
 */
export type Shape<T> = (value: unknown) => T;

/** Names the place of a value that does not fit. */
export class Unfit extends Error {
  override readonly name = 'Unfit';
  /** `transactions.3.hash`; empty: the response itself. */
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
    const said: Record<string, unknown> = {};
    for (const [name, shape] of shapes) said[name] = at(name, shape, given[name]);
    // Each field was read by its shape.
    return said as Said<S>;
  };
}

export function list<T>(each: Shape<T>): Shape<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw new Unfit();
    return value.map((one, index) => at(String(index), each, one));
  };
}

/** Missing, `null`, or that: what is missing reads as `null`. */
export function maybe<T>(shape: Shape<T>): Shape<T | null> {
  return (value) => (value === null || value === undefined ? null : shape(value));
}

/** An explicit `null`, or that. */
export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return (value) => (value === null ? null : shape(value));
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

/** The value as `shape` reads it, where that `fits`. */
export function where<T>(shape: Shape<T>, fits: (value: T) => boolean): Shape<T> {
  return (value) => {
    const said = shape(value);
    if (!fits(said)) throw new Unfit();
    return said;
  };
}

/** The value as `shape` reads it, converted by `make`. */
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
/** The highest price per gas: the wire's integers end here (9 million gwei). */
const MAX_WEI_PER_GAS = MAX_SAFE;

const hexOf = (pattern: RegExp): Shape<Hex> =>
  mapped(text(pattern), (digits): Hex => `0x${digits.slice(2).toLowerCase()}`);

/** `0x…` up to 256 bits. Leading zeros are let through: some nodes write them. */
export const quantity = mapped(text(/^0x[0-9a-fA-F]{1,64}$/), (digits) => BigInt(digits));

export const safeInteger = mapped(
  where(quantity, (value) => value <= MAX_SAFE),
  Number,
);

export const baseFee = where(quantity, (value) => value <= MAX_WEI_PER_GAS);

/** A tip may really be absurd (blocks with a mistyped fee exist), so it is capped, not refused. */
export const tip = mapped(quantity, (value) => (value > MAX_WEI_PER_GAS ? MAX_WEI_PER_GAS : value));

export const hash = hexOf(/^0x[0-9a-fA-F]{64}$/);
export const address = hexOf(/^0x[0-9a-fA-F]{40}$/);
export const bytes = hexOf(/^0x(?:[0-9a-fA-F]{2})*$/);

/** The JSON-RPC form of a number. */
export const toQuantity = (value: number): Hex => `0x${value.toString(16)}`;

/** The year 5138: what lies after it is milliseconds, however far a development chain's clock was turned. */
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
 * The fee rule that an OP-stack header states in `extraData`: version, denominator (4 bytes) and elasticity (4) since Holocene
 * (version 0), and the least base fee (8) since Jovian (version 1), where the data's footprint stands as the blob gas used.
 * `undefined`: it states none, as other chains' do.
 */
export function statedFeeRule({ extraData, gasUsed, blobGasUsed }: Header): StatedFeeRule | undefined {
  const digits = extraData?.slice(2) ?? '';
  const isJovian = digits.length === JOVIAN_DIGITS && digits.startsWith('01');
  if (!isJovian && !(digits.length === HOLOCENE_DIGITS && digits.startsWith('00'))) return undefined;
  const [denominator, elasticity] = [digits.slice(2, 10), digits.slice(10, 18)].map((each) =>
    Number.parseInt(each, 16),
  );
  // Both are 0 where the chain's own defaults hold.
  if (!denominator || !elasticity) return undefined;
  if (!isJovian) return { denominator, elasticity, meteredGas: gasUsed };
  const minBaseFee = BigInt(`0x${digits.slice(18)}`);
  if (minBaseFee > MAX_WEI_PER_GAS) return undefined;
  const footprint = blobGasUsed ?? 0n;
  return { denominator, elasticity, minBaseFee, meteredGas: footprint > gasUsed ? footprint : gasUsed };
}

/** Block 0: its other fields differ between chains and do not matter. */
export const genesisResponse = object({ hash, number: where(safeInteger, (number) => number === 0) });

/**
 * `eth_feeHistory`. Blob fields are missing on older nodes, `reward` where none was asked for or the node
 * cannot say; single rows of it may be `null` too.
 */
export const feeHistoryResponse = object({
  oldestBlock: safeInteger,
  baseFeePerGas: maybe(list(baseFee)),
  gasUsedRatio: maybe(list(number)),
  baseFeePerBlobGas: maybe(list(baseFee)),
  reward: maybe(list(nullable(list(tip)))),
});
export type FeeHistoryResponse = ReturnType<typeof feeHistoryResponse>;

/** Other chains have more kinds of transactions (deposits, retryables): a field that these lack reads as 0 or `null`. */
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
  // Missing before Byzantium (2017), where a receipt did not say.
  status: maybe(safeInteger),
  blockNumber: safeInteger,
  blockHash: hash,
  gasUsed: quantity,
  // Missing on nodes from before London (2021).
  effectiveGasPrice: maybe(quantity),
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

/** `eth_getBlockByNumber` with the transactions' hashes. */
export const blockResponse = object({
  ...HEADER,
  /** OpenEthereum's word for it is `author`. */
  miner: maybe(address),
  author: maybe(address),
  excessBlobGas: maybe(quantity),
  transactions: list(hash),
});

/** `eth_getBlockByNumber` with the transactions themselves. */
export const fullBlockResponse = object({ ...HEADER, transactions: list(transactionResponse) });

/** Reads a response; what does not fit is a `bad-answer` that names the node, the method and the field. */
export function readResponse<T>(shape: Shape<T>, response: unknown, node: string, method: string): T {
  try {
    return shape(response);
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    const where = error.path === '' ? '' : ` (${error.path})`;
    throw new ChainError(
      'bad-answer',
      `${node} gives an answer to ${method} that makes no sense${where}: try another node`,
    );
  }
}

/** Converts a node's transaction. */
export function toTransaction(response: TransactionResponse): ChainTransaction {
  const feeMarket = response.maxFeePerGas !== null;
  return {
    hash: response.hash,
    type: response.type ?? 0,
    from: response.from,
    to: response.to,
    value: response.value,
    nonce: response.nonce,
    gasLimit: response.gas,
    maxFeePerGas: response.maxFeePerGas,
    maxPriorityFeePerGas: response.maxPriorityFeePerGas,
    // For a fee-market transaction nodes write here what it paid, which the receipt says too.
    gasPrice: feeMarket ? null : response.gasPrice,
    data: response.input,
    maxFeePerBlobGas: response.maxFeePerBlobGas,
    blobCount: response.blobVersionedHashes?.length ?? null,
    blockNumber: response.blockNumber,
    blockHash: response.blockHash,
  };
}

/** @param effectiveGasPrice wei per gas, of the receipt or, where that does not say, of the transaction */
export function toReceipt(response: ReceiptResponse, effectiveGasPrice: bigint): ChainReceipt {
  return {
    hash: response.transactionHash,
    status: response.status === 0 ? 'reverted' : 'success',
    blockNumber: response.blockNumber,
    blockHash: response.blockHash,
    gasUsed: response.gasUsed,
    effectiveGasPrice,
    transactionIndex: response.transactionIndex,
    // OP-stack chains have no blobs, and write the data's footprint here.
    blobFee: response.l1Fee === null ? (response.blobGasUsed ?? 0n) * (response.blobGasPrice ?? 0n) : 0n,
    ...l1Fees(response, effectiveGasPrice),
  };
}

/** Of an OP-stack chain with its operator fee; of Arbitrum in the gas. */
function l1Fees(response: ReceiptResponse, price: bigint): Pick<ChainReceipt, 'dataFee' | 'l1Part'> {
  const { gasUsed, l1Fee, operatorFeeScalar: scalar, gasUsedForL1 } = response;
  if (l1Fee === null) return { dataFee: 0n, ...(gasUsedForL1 !== null && { l1Part: gasUsedForL1 * price }) };
  const constant = response.operatorFeeConstant ?? 0n;
  const isJovian = response.daFootprintGasScalar !== null;
  const dataFee = l1Fee + (scalar === null ? 0n : operatorFee(gasUsed, { scalar, constant, isJovian }));
  return { dataFee, l1Part: dataFee };
}

/**
 * What a transaction paid per gas (wei) where its receipt does not say, as those of nodes from before London: the
 * price it signed, or what the node says of it instead; else base fee and tip within the cap (EIP-1559).
 */
export function paidPerGas(
  { gasPrice, maxFeePerGas, maxPriorityFeePerGas }: TransactionResponse,
  baseFeePerGas: bigint,
): bigint {
  if (gasPrice !== null) return gasPrice;
  const asked = baseFeePerGas + (maxPriorityFeePerGas ?? 0n);
  const cap = maxFeePerGas ?? asked;
  return cap < asked ? cap : asked;
}
