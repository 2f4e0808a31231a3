import { setImmediate } from 'node:timers/promises';
import { abortable } from '../../chain/async.ts';
import type { ChainSource } from '../../chain/chain-source.ts';
import {
  type CostBasis,
  isEstimable,
  isNewsOfTarget,
  pricedOrder,
  type ToPrice,
} from '../../core/auto-txs/cost-limit.ts';
import {
  type AutoTxOrder,
  type AutoTxStep,
  type StoredAutoTx,
  transactionOf,
} from '../../core/auto-txs/stored-auto-tx.ts';
import type { ChainProfile } from '../../core/chains.ts';
import { type DataFees, fastLzLength } from '../../core/data-fee.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import { bounded } from '../chain-reader.ts';
import { dataFeesOf } from '../data-fees-in-time.ts';
import { invalidField } from '../http/errors.ts';
import { unlessOutdated } from '../published-chain.ts';
import type { FactSources } from './preflight-facts.ts';
import type { SenderParts } from './sender-parts.ts';

const PAGE = 200;
const WITHIN_MS = 4_000;

/** Gas that it uses in the head's state; `null`: no node says, or an estimate leaves out a part of it. Never rejects. */
async function estimatedGas(
  source: Pick<ChainSource, 'estimateGas'>,
  transaction: SignedTransaction,
): Promise<bigint | null> {
  if (source.estimateGas === undefined || !isEstimable(transaction)) return null;
  const { from, to, data, value } = transaction;
  return source.estimateGas({ from, to, data, value }).catch(() => null);
}

type PricingParts = Pick<FactSources, 'source' | 'readPublished' | 'wallNow' | 'signal'>;

/**
 * The order with the target that its limit of cost stands for now, for a response: the schedule, which follows the head's fees,
 * works it out anew. @throws {ApiFailure} for a share of nothing
 */
export async function priceLimit(
  { source, readPublished, wallNow, signal }: PricingParts,
  { order, transaction, value, profile }: NewLimit,
): Promise<AutoTxOrder> {
  if (order.limit == null) return order;
  if ('maxShareOfValueRatio' in order.limit.maxCost && value === 0n) {
    throw invalidField(
      'threshold',
      'is a share of nothing: the transaction sends no coins; give {"maxCostUsd": 3}, or a target in gwei',
    );
  }
  const chain = profile();
  const published = readPublished();
  const asked =
    transaction === null ? null : bounded(() => estimatedGas(source, transaction), signal, WITHIN_MS);
  const [gas, dataFees] = await Promise.all([asked?.catch(() => null) ?? null, dataFeesOf(source, chain)]);
  const basis = {
    // It has a time of its own, whatever the head's is.
    nativeUsd: published?.nativeUsd ?? null,
    nativeUsdReason: published?.nativeUsdReason,
    nativeSymbol: chain.nativeSymbol,
    dataFees,
    nextBlobBaseFee: unlessOutdated(published)?.advice.nextBlobBaseFee ?? null,
  };
  const limit = { ...order.limit, gas };
  const priced = pricedOrder({ order: { ...order, limit }, signed: transaction, value }, basis, wallNow());
  return { ...priced, limit: { ...limit, ...priced.limit, since: null } };
}

interface NewLimit extends Pick<StoredAutoTx, 'order' | 'value'> {
  /** `null`: of a draft. */
  readonly transaction: SignedTransaction | null;
  readonly profile: () => ChainProfile;
}

export type CostLimits = ReturnType<typeof createCostLimits>;

/**
 * Targets of auto-txs with a limit of cost: stored ones follow the coin's price and the fees of L1 and of blobs where these
 * move them by more than 0.5 %, and so does the index of what is due; a decision has them exact.
 */
export function createCostLimits(parts: SenderParts) {
  const { store, source, freshChain, profile, coinPrice, wallNow } = parts;
  let known: DataFees | null = null;
  let hasAny = false;
  let pricedBy = { coin: '', blobs: '' };

  async function readFees(): Promise<void> {
    known = await dataFeesOf(source, profile(), true);
  }

  function basis(): CostBasis | null {
    const chain = profile();
    if (known === null || chain === null) return null;
    return {
      ...coinPrice(),
      nativeSymbol: chain.nativeSymbol,
      dataFees: known,
      nextBlobBaseFee: freshChain()?.advice.nextBlobBaseFee ?? null,
    };
  }

  /** Its order with the exact target of this moment. */
  function orderNow(stored: ToPrice): AutoTxOrder {
    const { limit } = stored.order;
    const now = basis();
    if (limit == null) return stored.order;
    if (now !== null) return pricedOrder(stored, now, wallNow());
    return { ...stored.order, limit: { ...limit, reason: 'it is not worked out yet' } };
  }

  /** With the compressed length of its bytes, which is read once and stored with its target. */
  async function withSize(stored: StoredAutoTx): Promise<StoredAutoTx> {
    const { id, signed } = stored;
    if (signed === null || signed.compressedSize != null || known?.parameters?.rate === 0n) return stored;
    const bytes = await store.signedBytes(id);
    if (!(bytes instanceof Uint8Array)) return stored;
    return { ...stored, signed: { ...signed, compressedSize: fastLzLength(bytes) } };
  }

  /** Those with another target to be stored. */
  async function moves(page: readonly StoredAutoTx[]): Promise<readonly StoredAutoTx[]> {
    const moved: StoredAutoTx[] = [];
    for (const before of page) {
      const sized = await withSize(before);
      const order = orderNow(sized);
      if (isNewsOfTarget(before.order, order)) moved.push({ ...sized, order });
    }
    return moved;
  }

  /** What its cost depends on at this moment: the gas that a node estimates, beside the fees of the head. */
  async function ask(stored: StoredAutoTx): Promise<bigint | null> {
    const transaction = transactionOf(stored);
    if (stored.order.limit == null || transaction === null) return null;
    const [gas] = await Promise.all([estimatedGas(source, transaction), readFees()]);
    return gas;
  }

  /** With this gas, and its exact target by it. */
  function priced(stored: StoredAutoTx, gas: bigint | null): StoredAutoTx {
    const { order } = stored;
    if (order.limit == null) return stored;
    return { ...stored, order: orderNow({ ...stored, order: { ...order, limit: { ...order.limit, gas } } }) };
  }

  const moved = (before: StoredAutoTx, autoTx: StoredAutoTx): AutoTxStep | null =>
    isNewsOfTarget(before.order, autoTx.order) ? { autoTx, notes: [], at: wallNow() } : null;

  return {
    orderNow,
    /** Reads the fees of the head, where there is one with a limit. Rejects with a `StoreError`. */
    async read(): Promise<void> {
      hasAny = freshChain() !== null && (await store.limitedAfter('', 1)).length > 0;
      if (hasAny) await readFees();
    },
    /** Works out all whose basis has changed, and new ones; `true`: a target has moved. Rejects with a `StoreError`. */
    async run(signal: AbortSignal): Promise<boolean> {
      const now = basis();
      if (!hasAny || now === null) return false;
      const { rate, operatorPerMillionGas, operatorConstant } = now.dataFees.parameters ?? {};
      const coin = `${now.nativeUsd ?? now.nativeUsdReason} ${rate} ${operatorPerMillionGas} ${operatorConstant} ${now.dataFees.reason}`;
      const blobs = String(now.nextBlobBaseFee);
      const which = coin !== pricedBy.coin ? 'all' : blobs !== pricedBy.blobs ? 'with-blobs' : 'new';
      let [isWhole, hasMoved] = [true, false];
      for (let after = ''; !signal.aborted; ) {
        const page = await store.limitedAfter(after, PAGE, which === 'new');
        const isAsked = ({ signed, order }: StoredAutoTx) =>
          which !== 'with-blobs' || (signed?.blobCount ?? 0) > 0 || order.limit?.since == null;
        const moved = await moves(page.filter(isAsked));
        if (moved.length > 0) {
          hasMoved = true;
          if (!(await store.retarget(moved))) isWhole = false;
        }
        after = page.at(-1)?.id ?? '';
        if (page.length < PAGE) break;
        // Requests come between.
        await setImmediate();
      }
      if (!signal.aborted && isWhole) pricedBy = { coin, blobs };
      return hasMoved;
    },
    ask,
    priced,
    /** The change that stores another target; `null`: it has moved too little. */
    moved,
    /** What it calls may take other gas by now, as after an approval: its target follows. Rejects with a `StoreError`. */
    async estimateAnew(seen: StoredAutoTx, signal: AbortSignal): Promise<void> {
      if (seen.order.limit == null || seen.state.status !== 'PENDING') return;
      const gas = await abortable(ask(seen), signal);
      const decide = (stored: StoredAutoTx) =>
        stored.state.status === 'PENDING' && stored.signed?.hash === seen.signed?.hash
          ? moved(stored, priced(stored, gas))
          : null;
      if (decide(seen) !== null) await store.change(seen, decide, 'leader');
    },
  };
}
