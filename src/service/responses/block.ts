import { type ChainBlock, ChainError } from '../../chain/chain-source.ts';
import type { BlockMetrics } from '../../contract/explorer.ts';
import type { Block } from '../../core/block.ts';
import { nextBaseFeeByRule } from '../../core/engine/next-base-fee.ts';
import { type ChainReader, isBlockOf } from '../chain-reader.ts';
import { type ApiFailure, notFound } from '../http/errors.ts';
import { confirmationsOf, ifAvailable, type LookupContext } from './explorer.ts';
import { integerOrNull, isoFromSec, toWire, wireInteger } from './wire.ts';

interface KnownBlock {
  /** `null` when the source has no whole blocks. */
  readonly whole: ChainBlock | null;
  /** `null` when no fees are stored and the node does not report them. */
  readonly fees: Block | null;
  /** The block after it, as stored. */
  readonly child: Block | null;
}

/** @throws {ApiFailure} `not_found` for a future or orphaned block */
export async function blockMetrics(asked: number | 'latest', context: LookupContext): Promise<BlockMetrics> {
  const { head, profile } = context;
  const read = await readBlock(asked === 'latest' ? head.number : asked, context);
  // OP-stack chains have no blobs, and store the data footprint in those fields.
  const whole = read.whole && profile.dataFee === 'op' ? { ...read.whole, blobGasUsed: null } : read.whole;
  const known = { ...read, whole };
  const { fees } = known;
  const header = whole ?? fees;
  if (header === null) throw new Error('a block is known by its header or by its fees');
  const blobBaseFee = fees?.blobBaseFee ?? null;
  return {
    chainId: profile.id,
    blockNumber: header.number,
    hash: header.hash,
    parentHash: header.parentHash,
    timestamp: isoFromSec(Math.floor(header.timestamp)),
    confirmations: confirmationsOf(header.number, head),
    baseFeePerGas: wireInteger(header.baseFeePerGas),
    nextBaseFeePerGas: wireInteger(nextBaseFeeOf(known, header, context)),
    gasUsed: integerOrNull(header.gasUsed),
    gasLimit: integerOrNull(header.gasLimit),
    gasUsedRatio: whole === null ? (fees?.gasUsedRatio ?? 0) : gasUsedRatioOf(whole),
    transactionCount: whole?.transactionHashes.length ?? null,
    tips: tipsOf(known),
    blobBaseFee: integerOrNull(blobBaseFee),
    nextBlobBaseFee: integerOrNull(known.child?.blobBaseFee ?? fees?.nextBlobBaseFee),
    blobGasUsed: integerOrNull(whole?.blobGasUsed),
    excessBlobGas: integerOrNull(whole?.excessBlobGas),
    burntWei: burnt(known, blobBaseFee)?.toString() ?? null,
    feeRecipient: whole?.feeRecipient ?? null,
  };
}

async function readBlock(number: number, context: LookupContext): Promise<KnownBlock> {
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
    return { whole, fees, child: follows ? child : null };
  }
  if (number > head.number) {
    throw notFound(`block ${number} is not there yet; the head is block ${head.number}`);
  }
  const fees = stored ?? (reader.kind === 'rpc' ? null : await reader.fees(number));
  if (fees === null) throw await gone(number, context);
  return { whole: null, fees, child };
}

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

function gasUsedRatioOf({ gasUsed, gasLimit }: ChainBlock): number {
  return gasLimit === 0n ? 0 : Math.min(Number(gasUsed) / Number(gasLimit), 1);
}

/** The base fee of the next block, if it exists; for the head that of `gas/current`. */
function nextBaseFeeOf(
  { whole, fees, child }: KnownBlock,
  header: ChainBlock | Block,
  { head, nextBaseFee, profile }: LookupContext,
): bigint {
  if (child !== null) return child.baseFeePerGas;
  if (header.number === head.number && header.hash === head.hash && nextBaseFee !== null) return nextBaseFee;
  if (fees?.nextBaseFee != null) return fees.nextBaseFee;
  const gasUsedRatio = whole === null ? (fees?.gasUsedRatio ?? 0) : gasUsedRatioOf(whole);
  return nextBaseFeeByRule({ ...header, gasUsedRatio }, profile.feeRule);
}

function tipsOf({ fees }: KnownBlock): BlockMetrics['tips'] {
  if (!fees?.tips) return null;
  const [p10, p25, p50, p75, p90, p95, p99] = fees.tips;
  return toWire({ p10, p25, p50, p75, p90, p95, p99 });
}

/** `null` when a part is unknown. */
function burnt({ whole, fees }: KnownBlock, blobBaseFee: bigint | null): bigint | null {
  const { gasUsed = null, baseFeePerGas = 0n } = whole ?? fees ?? {};
  const blobGasUsed = whole === null ? (blobBaseFee === null ? 0n : null) : (whole.blobGasUsed ?? 0n);
  const blobs = blobGasUsed === 0n ? 0n : blobGasUsed && blobBaseFee && blobBaseFee * blobGasUsed;
  return gasUsed === null || blobs === null ? null : baseFeePerGas * gasUsed + blobs;
}
