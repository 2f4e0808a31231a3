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
import { type AutoTxOrder, NOT_PRICED } from '../../core/auto-txs/order.ts';
import { type AutoTxStep, type StoredAutoTx, transactionOf } from '../../core/auto-txs/stored-auto-tx.ts';
import type { ChainProfile } from '../../core/chains.ts';
import type { DataFees } from '../../core/data-fee.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import type { AutoTxStore } from '../../store/auto-txs.ts';
import { bounded } from '../chain-reader.ts';
import { dataFeesOf } from '../data-fees-in-time.ts';
import type { FreshChain } from '../follow/fresh-head.ts';
import { invalidField } from '../http/errors.ts';
import { type CoinPrice, unlessOutdated } from '../published-chain.ts';
import type { FactSources } from './preflight-facts.ts';

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
export async function workOutTarget(
  { source, readPublished, wallNow, signal }: PricingParts,
  { order, transaction, value, profile }: NewLimit,
): Promise<AutoTxOrder> {
  if (order.costLimit === null) return order;
  if ('maxShareOfValueRatio' in order.costLimit.maxCost && value === 0n) {
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
  const costLimit = { ...order.costLimit, gas };
  const toPrice = { order: { ...order, costLimit }, signed: transaction, value };
  const priced = pricedOrder(toPrice, basis, wallNow());
  return { ...priced, costLimit: { ...costLimit, ...priced.costLimit, since: null } };
}

interface NewLimit extends Pick<StoredAutoTx, 'order' | 'value'> {
  /** `null`: of a draft. */
  readonly transaction: SignedTransaction | null;
  readonly profile: () => ChainProfile;
}

interface CostLimitParts extends Pick<PricingParts, 'source' | 'wallNow'> {
  readonly store: AutoTxStore;
  readonly freshChain: () => FreshChain | null;
  readonly profile: () => ChainProfile | null;
  readonly coinPrice: () => CoinPrice;
}

/**
 * Targets of auto-txs with a limit of cost: stored ones follow the coin's price and the fees of L1 and of blobs where these
 * move them by more than 0.5 %, and so does the index of what is due; a decision has them exact.
 */
export class CostLimits {
  readonly #parts: CostLimitParts;
  /** Of the head; `null`: not read yet. */
  #fees: DataFees | null = null;
  #hasAny = false;
  /** What the stored targets were worked out by. */
  #pricedBy = { coin: '', blobs: '' };

  constructor(parts: CostLimitParts) {
    this.#parts = parts;
  }

  /** Its order with the exact target of this moment. */
  orderNow(stored: ToPrice): AutoTxOrder {
    const { costLimit } = stored.order;
    const basis = this.#basis();
    if (costLimit === null) return stored.order;
    if (basis !== null) return pricedOrder(stored, basis, this.#parts.wallNow());
    return { ...stored.order, costLimit: { ...costLimit, reason: NOT_PRICED } };
  }

  /** Reads the fees of the head, where there is one with a limit. Rejects with a `StoreError`. */
  async read(): Promise<void> {
    const { store, freshChain } = this.#parts;
    this.#hasAny = freshChain() !== null && (await store.limitedAfter('', 1)).length > 0;
    if (this.#hasAny) await this.#readFees();
  }

  /** Works out all whose basis has changed, and new ones; `true`: a target has moved. Rejects with a `StoreError`. */
  async run(signal: AbortSignal): Promise<boolean> {
    const { store } = this.#parts;
    const basis = this.#basis();
    if (!this.#hasAny || basis === null) return false;
    const pricedBy = keysOf(basis);
    const { coin, blobs } = this.#pricedBy;
    const which = pricedBy.coin !== coin ? 'all' : pricedBy.blobs !== blobs ? 'with-blobs' : 'new';
    let [isWhole, hasMoved] = [true, false];
    for (let after = ''; !signal.aborted; ) {
      const page = await store.limitedAfter(after, PAGE, which === 'new');
      const isAsked = ({ signed, order }: StoredAutoTx) =>
        which !== 'with-blobs' || (signed?.blobCount ?? 0) > 0 || order.costLimit?.since == null;
      const moved = page.filter(isAsked).flatMap((before) => {
        const order = this.orderNow(before);
        return isNewsOfTarget(before.order, order) ? [{ ...before, order }] : [];
      });
      if (moved.length > 0) {
        hasMoved = true;
        if (!(await store.retarget(moved))) isWhole = false;
      }
      after = page.at(-1)?.id ?? '';
      if (page.length < PAGE) break;
      // Requests come between.
      await setImmediate();
    }
    if (!signal.aborted && isWhole) this.#pricedBy = pricedBy;
    return hasMoved;
  }

  /** The gas that a node estimates for it now, beside which the fees of the head are read; `null`: none says, or none is needed. */
  async ask(stored: StoredAutoTx): Promise<bigint | null> {
    const transaction = transactionOf(stored);
    if (stored.order.costLimit === null || transaction === null) return null;
    const [gas] = await Promise.all([estimatedGas(this.#parts.source, transaction), this.#readFees()]);
    return gas;
  }

  /** With this gas, and its exact target by it. */
  priced(stored: StoredAutoTx, gas: bigint | null): StoredAutoTx {
    const { order } = stored;
    if (order.costLimit === null) return stored;
    const costLimit = { ...order.costLimit, gas };
    return { ...stored, order: this.orderNow({ ...stored, order: { ...order, costLimit } }) };
  }

  /** The change that stores another target; `null`: it has moved too little. */
  moved(before: StoredAutoTx, autoTx: StoredAutoTx): AutoTxStep | null {
    const isNews = isNewsOfTarget(before.order, autoTx.order);
    return isNews ? { autoTx, notes: [], at: this.#parts.wallNow() } : null;
  }

  /** What it calls may take other gas by now, as after an approval: its target follows. Rejects with a `StoreError`. */
  async estimateAnew(seen: StoredAutoTx, signal: AbortSignal): Promise<void> {
    if (seen.order.costLimit === null || seen.state.status !== 'PENDING') return;
    const gas = await abortable(this.ask(seen), signal);
    const decide = (stored: StoredAutoTx) =>
      stored.state.status === 'PENDING' && stored.signed?.hash === seen.signed?.hash
        ? this.moved(stored, this.priced(stored, gas))
        : null;
    if (decide(seen) !== null) await this.#parts.store.change(seen, decide, 'leader');
  }

  async #readFees(): Promise<void> {
    const { source, profile } = this.#parts;
    this.#fees = await dataFeesOf(source, profile(), true);
  }

  #basis(): CostBasis | null {
    const { profile, coinPrice, freshChain } = this.#parts;
    const chain = profile();
    if (this.#fees === null || chain === null) return null;
    return {
      ...coinPrice(),
      nativeSymbol: chain.nativeSymbol,
      dataFees: this.#fees,
      nextBlobBaseFee: freshChain()?.advice.nextBlobBaseFee ?? null,
    };
  }
}

/** Texts that are the same as long as targets by this basis are: of all, and of those with blobs. */
function keysOf({ nativeUsd, nativeUsdReason, dataFees, nextBlobBaseFee }: CostBasis) {
  const { rate, operatorPerMillionGas, operatorConstant } = dataFees.parameters ?? {};
  const coin = `${nativeUsd ?? nativeUsdReason} ${rate} ${operatorPerMillionGas} ${operatorConstant} ${dataFees.reason}`;
  return { coin, blobs: String(nextBlobBaseFee) };
}
