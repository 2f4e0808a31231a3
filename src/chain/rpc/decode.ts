import * as z from 'zod';
import type { Bid } from '../../core/auto-txs/target.ts';
import type { Hex } from '../../core/block.ts';
import { operatorFee } from '../../core/data-fee.ts';
import type { StatedFeeRule } from '../../core/eip1559.ts';
import { ChainError } from '../chain-source.ts';

/** Stops at the first item that does not fit: zod's own array collects a problem of each, and may have millions. */
export const list = <T>(each: z.ZodType<T>) =>
  z.array(z.unknown()).transform((items, context) => {
    const read: T[] = [];
    for (const [index, item] of items.entries()) {
      const { data, error } = each.safeParse(item);
      if (error) {
        context.addIssue({ code: 'custom', path: [index, ...(error.issues[0]?.path ?? [])] });
        return z.NEVER;
      }
      read.push(data);
    }
    return read;
  });

/** Optional: a missing value reads as `null`. */
export const nullish = <T>(schema: z.ZodType<T>) => schema.nullish().transform((value) => value ?? null);

const hexOf = (pattern: RegExp) =>
  z
    .string()
    .regex(pattern)
    .transform((digits): Hex => `0x${digits.slice(2).toLowerCase()}`);

/** The highest price per gas: JSON integers end here (9 million gwei). */
const MAX_WEI_PER_GAS = BigInt(Number.MAX_SAFE_INTEGER);

/** `0x…` up to 256 bits. Accepts leading zeros and whole JSON numbers, which some nodes write. */
export const quantity = z
  .union([z.string().regex(/^0x[0-9a-fA-F]{1,64}$/), z.int().min(0)])
  .transform(BigInt);
/** Above, no chain has coins enough for one transaction: what is said wrapped round. */
const MOST_BASE_FEE = 2n ** 96n;
export const price = quantity.refine((value) => value <= MAX_WEI_PER_GAS);
/** A higher one than JSON integers hold reads as their highest. */
export const baseFee = quantity
  .refine((value) => value <= MOST_BASE_FEE)
  .transform((value) => (value > MAX_WEI_PER_GAS ? MAX_WEI_PER_GAS : value));
export const safeInteger = price.transform(Number);
/** One odd figure never takes the others away: `null` when it is missing or cannot be. */
const orUnknown = <T>(schema: z.ZodType<T>) => nullish(schema).catch(null);

export const hash = hexOf(/^0x[0-9a-fA-F]{64}$/);
const address = hexOf(/^0x[0-9a-fA-F]{40}$/);
export const bytes = hexOf(/^0x(?:[0-9a-fA-F]{2})*$/);

export const toQuantity = (value: number): Hex => `0x${value.toString(16)}`;

/** A block's header as `eth_getBlockByNumber` and `newHeads` give it; chains before EIP-1559 have no base fee. */
export const headerResponse = z.object({
  number: safeInteger,
  hash,
  parentHash: hash,
  // Until the year 5138: a larger value is in milliseconds, however far a development chain's clock is ahead.
  timestamp: safeInteger.refine((seconds) => seconds < 1e11),
  gasUsed: quantity,
  gasLimit: quantity,
  baseFeePerGas: baseFee.nullish().transform((wei) => wei ?? 0n),
  extraData: orUnknown(bytes),
  blobGasUsed: orUnknown(quantity),
  blockAccessListHash: orUnknown(hash),
  slotNumber: orUnknown(safeInteger),
});
export type Header = z.output<typeof headerResponse>;

const HOLOCENE_DIGITS = 2 * 9;
const JOVIAN_DIGITS = 2 * 17;

/**
 * Of an OP-stack header: version, denominator (4 bytes) and elasticity (4) since Holocene (version 0), and minimum base fee (8)
 * since Jovian (version 1), where the blob gas used is the data footprint. `undefined` on other chains.
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

/** `false` where a node is in step; what else it says of its progress differs between clients. */
export const syncingResponse = z
  .union([z.literal(false), z.object({ highestBlock: nullish(safeInteger).catch(null) })])
  .transform((progress) => progress || null);

/** Block 0: its other fields differ between chains and are not needed. */
export const genesisResponse = z.object({ hash, number: safeInteger.refine((number) => number === 0) });

const tips = list(orUnknown(price));
const baseFees = list(orUnknown(baseFee));

/**
 * Blob fields are missing before Cancun, `reward` where it is not supported; single rows of it may be `null`. So is a figure that
 * cannot be: below 0, or above what JSON integers hold (a tip that wrapped round).
 */
export const feeHistoryResponse = z.object({
  oldestBlock: orUnknown(safeInteger),
  baseFeePerGas: nullish(baseFees),
  gasUsedRatio: orUnknown(list(orUnknown(z.number().min(0)))),
  baseFeePerBlobGas: orUnknown(baseFees),
  reward: orUnknown(list(orUnknown(tips))),
});
export type FeeHistoryResponse = z.output<typeof feeHistoryResponse>;

/** Its block is `null` while it is pending. What other chains' kinds lack (deposits, retryables) reads as 0 or `null`. */
export const transactionResponse = z
  .object({
    hash,
    type: safeInteger.nullish().transform((type) => type ?? 0),
    from: address,
    to: nullish(address),
    value: quantity.nullish().transform((value) => value ?? 0n),
    nonce: safeInteger.nullish().transform((nonce) => nonce ?? 0),
    gas: quantity,
    gasPrice: nullish(quantity),
    maxFeePerGas: nullish(quantity),
    maxPriorityFeePerGas: nullish(quantity),
    input: nullish(bytes),
    // Celo's CIP-64 and its kin; Tempo.
    feeCurrency: nullish(address),
    feeToken: nullish(address),
    maxFeePerBlobGas: nullish(quantity),
    blobVersionedHashes: nullish(list(hash)),
    blockNumber: nullish(safeInteger),
    blockHash: nullish(hash),
  })
  .transform(({ gas, input, blobVersionedHashes, feeToken, ...rest }) => ({
    ...rest,
    ...pricesOf(rest, rest.feeCurrency ?? feeToken),
    /** Contract of the coin that its fee is paid in; `null`: the chain's own. */
    feeCurrency: rest.feeCurrency ?? feeToken,
    gasLimit: gas,
    data: input ?? (`0x` as Hex),
    /** `null` for other than blob transactions (EIP-4844). */
    blobCount: blobVersionedHashes?.length ?? null,
  }));

/** What a transaction signed, wei per gas; nothing of it is wei where its fee is paid in another coin. */
function pricesOf({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: Bid, feeCurrency: Hex | null) {
  if (feeCurrency !== null) return { gasPrice: null, maxFeePerGas: null, maxPriorityFeePerGas: null };
  // For a fee-market transaction nodes return the price paid as `gasPrice`, which is also in the receipt.
  return { gasPrice: maxFeePerGas === null ? gasPrice : null, maxFeePerGas, maxPriorityFeePerGas };
}

export type ChainTransaction = Readonly<z.output<typeof transactionResponse>>;

const receiptFields = z.object({
  transactionHash: hash,
  // Missing before Byzantium (2017).
  status: nullish(safeInteger),
  blockNumber: safeInteger,
  blockHash: hash,
  gasUsed: quantity,
  // Missing or `null` on a number of chains.
  effectiveGasPrice: nullish(quantity),
  transactionIndex: safeInteger,
  blobGasUsed: nullish(quantity),
  blobGasPrice: nullish(quantity),
  l1Fee: nullish(quantity),
  operatorFeeScalar: nullish(quantity),
  operatorFeeConstant: nullish(quantity),
  daFootprintGasScalar: nullish(quantity),
  gasUsedForL1: nullish(quantity),
});

export const receiptResponse = receiptFields.transform((fields) => {
  const { transactionHash, status, blockNumber, blockHash, transactionIndex } = fields;
  const { gasUsed, effectiveGasPrice, l1Fee, blobGasUsed, blobGasPrice } = fields;
  return {
    hash: transactionHash,
    blockNumber,
    blockHash,
    transactionIndex,
    status: status === 0 ? ('reverted' as const) : ('success' as const),
    gasUsed,
    /** Price paid, wei per gas; `null` when the node does not say (`paidPrice` computes it). */
    effectiveGasPrice,
    /** Wei; 0 without blobs. OP-stack chains have none, and store the data footprint here. */
    blobFee: l1Fee === null ? (blobGasUsed ?? 0n) * (blobGasPrice ?? 0n) : 0n,
    ...l1Fees(fields),
  };
});
export type ChainReceipt = Readonly<z.output<typeof receiptResponse>>;

interface L1Fees {
  /** A rollup's fees beside gas, wei: for posting the data, and for its operator; 0 elsewhere. */
  readonly dataFee: bigint;
  /** The same, or the part of gas for posting (Arbitrum); absent when the receipt lacks it. */
  readonly l1Part?: bigint;
}

function l1Fees(fields: z.output<typeof receiptFields>): L1Fees {
  const { gasUsed, effectiveGasPrice: price, l1Fee, operatorFeeScalar: scalar, gasUsedForL1 } = fields;
  if (l1Fee === null)
    return { dataFee: 0n, ...(gasUsedForL1 !== null && price !== null && { l1Part: gasUsedForL1 * price }) };
  const constant = fields.operatorFeeConstant ?? 0n;
  const isJovian = fields.daFootprintGasScalar !== null;
  const dataFee = l1Fee + (scalar === null ? 0n : operatorFee(gasUsed, { scalar, constant, isJovian }));
  return { dataFee, l1Part: dataFee };
}

/** A block as the chain has it; without EIP-1559 its base fee is 0, without EIP-4844 its blob gas `null`. */
export const blockResponse = headerResponse
  .extend({ miner: address, excessBlobGas: nullish(quantity), transactions: list(hash) })
  .transform(({ miner: feeRecipient, transactions: transactionHashes, ...block }) => {
    const { extraData: _, ...header } = block;
    const stated = statedFeeRule(block);
    return { ...header, ...(stated && { stated }), feeRecipient, transactionHashes };
  });
export type ChainBlock = Readonly<z.output<typeof blockResponse>>;

export const fullBlockResponse = headerResponse.extend({ transactions: list(transactionResponse) });

/** Parses a response; an invalid one is a `bad-response` that names node, method and field. */
export function readRpcResponse<T>(shape: z.ZodType<T>, response: unknown, node: string, method: string): T {
  // Compiling a schema takes longer than reading a few responses by it; items of a list are read by a compiled one.
  const { data, error } = shape.safeParse(response, { jitless: true });
  if (!error) return data;
  const path = error.issues[0]?.path.join('.');
  const words = `${node} sends an invalid response to ${method}${path ? ` (${path})` : ''}`;
  throw new ChainError('bad-response', `${words}: try another node`);
}
