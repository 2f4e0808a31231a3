import { abortable } from '../../chain/async.ts';
import type { ChainReceipt } from '../../chain/chain-source.ts';
import { type Inclusion, isFinal, type Observation } from '../../core/auto-txs/state-machine.ts';
import type { StoredAutoTx } from '../../core/auto-txs/stored-auto-tx.ts';
import { type Bid, ownPriceAt, paysAt } from '../../core/auto-txs/target.ts';
import type { Block } from '../../core/block.ts';
import type { SenderParts } from './sender-parts.ts';

interface ObservingTurn {
  readonly context: Pick<SenderParts, 'source' | 'blocks'>;
  readonly head: Block;
  readonly signal: AbortSignal;
}

const BUCKET_SEC = 300;
const NEARLY_A_DAY_SEC = 23 * 3_600;

/** What is known only when a block has it: the day's mean price, and the coin's. */
export async function pricesOf(
  { signed }: Pick<StoredAutoTx, 'signed'>,
  { minedAt }: Pick<Inclusion, 'minedAt'>,
  { history, coinPrice }: Pick<SenderParts, 'history' | 'coinPrice'>,
): Promise<Pick<StoredAutoTx, 'dayMeanPrice' | 'nativeUsd'>> {
  const minedAtSec = Math.floor(minedAt / 1_000);
  const [day, oldest] = await Promise.all([
    history.referencePrices(minedAtSec),
    history.reachesBackTo(BUCKET_SEC),
  ]);
  // In a chain's first hours there is no mean of a day.
  const isDay = oldest !== null && oldest <= minedAtSec - NEARLY_A_DAY_SEC;
  const dayMeanPrice =
    day === null || signed === null || !isDay ? null : ownPriceAt(signed, BigInt(day.base));
  return { dayMeanPrice, nativeUsd: coinPrice().nativeUsd };
}

/** `null` when responses are inconsistent, so that the next head must decide. Rejects as the node or the store do. */
export async function observe(
  { state, signed }: StoredAutoTx,
  nextNonce: number,
  turn: ObservingTurn,
): Promise<Observation | null> {
  if (signed === null) return null;
  const { context, head, signal } = turn;
  const { source } = context;
  // Requested before: a transaction that has used the nonce by then has a receipt in this later request.
  const isTaken = nextNonce > signed.nonce;
  // For an ended auto-tx only its inclusion matters.
  if (isFinal(state.status) && !isTaken) {
    return { head: head.number, inclusion: null, isKnown: false, nextNonce };
  }
  const receipt = await abortable(source.receipt(signed.hash), signal);
  if (receipt !== null) {
    const inclusion = await inclusionOf(receipt, signed, turn);
    return inclusion && { head: head.number, inclusion, isKnown: true, nextNonce };
  }
  const transaction = await abortable(source.transaction(signed.hash), signal);
  // One node has it mined, while another has no receipt yet.
  if (transaction !== null && transaction.blockNumber !== null) return null;
  return { head: head.number, inclusion: null, isKnown: transaction !== null, nextNonce };
}

/** `null` when its block is not on the followed chain, or not known yet. */
async function inclusionOf(
  receipt: ChainReceipt,
  signed: Bid,
  { context: { source, blocks }, signal }: ObservingTurn,
): Promise<Inclusion | null> {
  const { blockNumber, blockHash } = receipt;
  const [stored] = await blocks.page(blockNumber, 1);
  // Above the stored head there may be a branch whose reorg is not stored yet.
  if (stored === undefined) return null;
  const ours = stored.number === blockNumber ? stored : null;
  if (ours !== null && ours.hash !== null && ours.hash !== blockHash) return null;
  const block = ours ?? (await abortable(source.block(blockNumber), signal));
  if (block === null || (block.hash !== null && block.hash !== blockHash)) return null;
  return inclusionBy(receipt, signed, block);
}

export const inclusionBy = (
  receipt: ChainReceipt,
  signed: Bid,
  { timestamp, baseFeePerGas }: Pick<Block, 'timestamp' | 'baseFeePerGas'>,
): Inclusion => ({
  blockNumber: receipt.blockNumber,
  blockHash: receipt.blockHash,
  outcome: receipt.status,
  gasUsed: receipt.gasUsed,
  effectiveGasPrice: receipt.effectiveGasPrice ?? paysAt(signed, baseFeePerGas),
  otherFees: receipt.blobFee + receipt.dataFee,
  minedAt: timestamp * 1_000,
});
