import { type ChainBlock, ChainError } from '../../chain/chain-source.ts';
import type { BlockMetrics } from '../../contract/metrics.ts';
import type { Block } from '../../core/block.ts';
import { blobsOfNextBlock } from '../../core/chain-rules.ts';
import { nextBlobBaseFee } from '../../core/eip4844.ts';
import { nextBaseFeeByRule } from '../../core/engine/next-base-fee.ts';
import { gasOfReceipts, paidTips, tipsByGas } from '../../core/tips-by-gas.ts';
import { type ChainReader, ifAvailable, isBlockOf, type MinedTransaction } from '../chain-reader.ts';
import { type ApiFailure, notFound } from '../http/errors.ts';
import { confirmationsAt, type LookupContext } from './explorer.ts';
import { explained, integerOrNull, isoFromSec, toWire } from './wire.ts';

/** `whole` is `null` when the source has no whole blocks, `fees` when no one states them; `child` is the stored block after it. */
type KnownBlock = Awaited<ReturnType<typeof readBlock>>;

/** @throws {ApiFailure} `not_found` for a future or orphaned block */
export async function blockMetrics(asked: number | 'latest', context: LookupContext): Promise<BlockMetrics> {
  const { head, profile } = context;
  const known = await readBlock(asked === 'latest' ? head.number : asked, context);
  const { header, whole, fees } = known;
  // Other OP-stack chains show by their headers; all store the data footprint in the fields of blobs.
  const isOpStack =
    profile.dataFee === 'op' || (profile.dataFee === 'op-or-none' && whole?.stated !== undefined);
  const hasBlobs = profile.hasBlobs ?? !isOpStack;
  const blobBaseFee = (hasBlobs && fees?.blobBaseFee) || null;
  const nextBlob = hasBlobs ? nextBlobBaseFeeOf(known, context) : null;
  const baseFeeGoes = isOpStack ? 'elsewhere' : profile.baseFeeGoes;
  const mined = await minedIn(known, context);
  const gasPaid = gasPaidIn(known, mined);
  const burntWei =
    baseFeeGoes === undefined
      ? burnt(known, gasPaid, hasBlobs, blobBaseFee)
      : baseFeeGoes === 'elsewhere'
        ? 0n
        : null;
  return {
    chainId: profile.id,
    blockNumber: header.number,
    hash: header.hash,
    parentHash: header.parentHash,
    timestamp: isoFromSec(Math.floor(header.timestamp)),
    confirmations: confirmationsAt(header.number, head),
    ...explained({
      baseFeePerGas: integerOrNull(header.baseFeePerGas),
      nextBaseFeePerGas: integerOrNull(nextBaseFeeOf(known, context)),
    }),
    slotNumber: header.slotNumber ?? null,
    gasUsed: integerOrNull(header.gasUsed),
    gasPaid: integerOrNull(gasPaid),
    gasLimit: integerOrNull(header.gasLimit),
    gasUsedRatio: known.gasUsedRatio,
    transactionCount: whole?.transactionHashes.length ?? null,
    tips: tipsOf(known, mined),
    blobBaseFee: integerOrNull(blobBaseFee),
    nextBlobBaseFee: integerOrNull(nextBlob),
    blobGasUsed: integerOrNull(hasBlobs ? whole?.blobGasUsed : null),
    excessBlobGas: integerOrNull(hasBlobs ? whole?.excessBlobGas : null),
    burntWei: burntWei?.toString() ?? null,
    feeRecipient: whole?.feeRecipient ?? null,
  };
}

async function readBlock(number: number, context: LookupContext) {
  const { blocks, reader, head } = context;
  const page = await blocks.page(number, 2);
  const stored = page.find((block) => block.number === number) ?? null;
  const child = page.find((block) => block.number === number + 1) ?? null;
  const whole = await readWhole(number, reader);
  if (whole !== null) {
    // Until a reorg is ingested, the store has the orphaned block.
    const isSame = stored !== null && isBlockOf(whole, stored);
    const follows = child?.parentHash === whole.hash || (isSame && child?.parentHash === null);
    const fees =
      (isSame && stored.tips !== null ? stored : await feesOf(whole, reader)) ?? (isSame ? stored : null);
    const { gasUsed, gasLimit } = whole;
    const gasUsedRatio = gasLimit === 0n ? 0 : Math.min(Number(gasUsed) / Number(gasLimit), 1);
    return { header: whole, gasUsedRatio, whole, fees, child: follows ? child : null };
  }
  if (number > head.number) {
    throw notFound(`block ${number} is not there yet; the head is block ${head.number}`);
  }
  if (await isNullRound(number, context)) {
    throw notFound(
      `there is no block ${number}: its round stayed without one (a null round); ask for one beside it`,
    );
  }
  const fees = stored ?? (reader.kind === 'rpc' ? null : await reader.fees(number));
  if (fees === null) throw await gone(number, context);
  return { header: fees, gasUsedRatio: fees.gasUsedRatio, whole: null, fees, child };
}

/** Whether the node has blocks on both sides of a height, and none there. */
async function isNullRound(number: number, { reader, head }: LookupContext): Promise<boolean> {
  if (reader.kind !== 'rpc' || number === 0 || number >= head.number) return false;
  const beside = async (step: 1 | -1) => {
    for (let at = number + step; Math.abs(at - number) <= MOST_NULL_ROUNDS; at += step)
      if ((await readWhole(at, reader)) !== null) return true;
    return false;
  };
  return (await beside(-1)) && (await beside(1));
}

const MOST_NULL_ROUNDS = 4;

async function readWhole(number: number, reader: ChainReader): Promise<ChainBlock | null> {
  return reader.block(number).catch((error) => {
    const code = error instanceof ChainError ? error.code : null;
    // Any other refusal may be temporary.
    if (code === 'pruned' || (code === 'unsupported' && reader.kind !== 'rpc')) return null;
    throw error;
  });
}

async function feesOf(whole: ChainBlock, reader: ChainReader): Promise<Block | null> {
  const fees = await ifAvailable(reader.fees(whole.number));
  return fees !== null && isBlockOf(whole, fees) ? fees : null;
}

async function gone(number: number, { blocks, reader }: LookupContext): Promise<ApiFailure> {
  const oldest = await blocks.oldest();
  const begins = oldest ? `stored history begins at block ${oldest.number}` : 'nothing is stored yet';
  const holder = reader.kind === 'rpc' ? 'the node' : 'the source';
  return notFound(`${holder} does not hold block ${number}, and ${begins}; ask for a later one`);
}

/** The base fee of the next block, if it exists; for the head that of `gas/current`. */
function nextBaseFeeOf(
  { header, gasUsedRatio, fees, child }: KnownBlock,
  { head, nextBaseFee, profile }: LookupContext,
): bigint {
  if (child !== null) return child.baseFeePerGas;
  if (header.number === head.number && header.hash === head.hash) return nextBaseFee;
  if (fees?.nextBaseFee != null) return fees.nextBaseFee;
  return nextBaseFeeByRule({ ...header, gasUsedRatio }, profile.feeRule);
}

/**
 * By the schedule of the next block, which the node states (EIP-7910): nodes forecast the first fee after a blob fork by the old
 * one. Without it the node's forecast.
 */
function nextBlobBaseFeeOf(
  { header, whole, fees, child }: KnownBlock,
  context: LookupContext,
): bigint | null {
  if (child?.blobBaseFee != null) return child.blobBaseFee;
  const schedule = blobsOfNextBlock(context.rules, context.nextTime);
  const isHead = header.number === context.head.number;
  if (!isHead || schedule === null || whole?.excessBlobGas == null || whole.blobGasUsed === null)
    return fees?.nextBlobBaseFee ?? null;
  const { excessBlobGas, blobGasUsed, baseFeePerGas } = whole;
  return nextBlobBaseFee({ excessBlobGas, blobGasUsed, baseFeePerGas }, schedule);
}

/** By receipts where those were read: nodes may weigh by the header's gas. */
function tipsOf({ header, fees }: KnownBlock, mined: Mined): BlockMetrics['tips'] {
  const paid = mined && paidTips(mined, header.baseFeePerGas);
  const tips = (paid && tipsByGas(paid, gasOfReceipts(paid))) ?? fees?.tips;
  if (!tips) return null;
  const [p10, p25, p50, p75, p90, p95, p99] = tips;
  return toWire({ p10, p25, p50, p75, p90, p95, p99 });
}

type Mined = readonly MinedTransaction[] | null;

/**
 * Its transactions with their receipts, which are read since Amsterdam: the gas of the header is no sum of them any more
 * (EIP-7778, EIP-8037). `null` before, and where they cannot be read.
 */
async function minedIn({ header, whole }: KnownBlock, { reader }: LookupContext): Promise<Mined> {
  if (header.blockAccessListHash == null || whole === null) return null;
  return ifAvailable(reader.transactionsOf(whole));
}

/** The gas that was paid for; `null`: not known. */
const gasPaidIn = ({ header }: KnownBlock, mined: Mined): bigint | null =>
  header.blockAccessListHash == null ? header.gasUsed : mined && gasOfReceipts(mined);

/** `null` when a part is unknown. */
function burnt(
  { header: { baseFeePerGas }, whole }: KnownBlock,
  gasPaid: bigint | null,
  hasBlobs: boolean,
  blobBaseFee: bigint | null,
): bigint | null {
  // At that limit it stands for every higher one.
  if (baseFeePerGas >= BigInt(Number.MAX_SAFE_INTEGER)) return null;
  const blobGasUsed = !hasBlobs
    ? 0n
    : whole === null
      ? blobBaseFee === null
        ? 0n
        : null
      : (whole.blobGasUsed ?? 0n);
  const blobs = blobGasUsed === 0n ? 0n : blobGasUsed && blobBaseFee && blobBaseFee * blobGasUsed;
  return gasPaid === null || blobs === null ? null : baseFeePerGas * gasPaid + blobs;
}
