import type { AutoTxState } from '../../core/auto-txs/auto-tx-state.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import { wakesOf } from '../../core/auto-txs/target.ts';
import type { ChainProfile } from '../../core/chains.ts';
import type { Reach } from '../../core/reach-book.ts';
import type { Present } from './gas-answers.ts';
import { presentHold } from './present-hold.ts';

/** Further than a day ahead nothing is stated. */
const LONGEST_SEC = 86_400;
/** Each second would have a chance of its own. */
const STEP_SEC = 60;
/** Of one head; more are worked out anew. */
const REMEMBERED_MOST = 2_000;

export interface OutlookParts {
  readonly chain: () => ChainProfile | null;
  readonly moment: () => Present | null;
  readonly reach: (price: bigint, withinSec: number) => Reach | null;
  readonly confirmations: (chain: ChainProfile) => number;
  /** Ms since epoch. */
  readonly wallNow: () => number;
}

/** What an answer about auto-txs is made with beside them, all of one moment. */
export interface AutoTxMoment {
  readonly head: number | null;
  readonly chain: ChainProfile | null;
  readonly confirmations: (chain: ChainProfile) => number;
  /** How likely a pending one's target is reached, and within what time; `null`: it is not pending. */
  reach(autoTx: KeptAutoTx): { readonly probability: number | null; readonly withinSec: number } | null;
  /** What keeps it from being sent now; `null`: nothing but its target. */
  hold(autoTx: KeptAutoTx): AutoTxState['hold'];
}

/** Looks ahead for the answers about auto-txs. What was worked out holds until the next block. */
export class AutoTxOutlook {
  readonly #parts: OutlookParts;
  #advice: Present['advice'] | null = null;
  readonly #known = new Map<string, number | null>();

  constructor(parts: OutlookParts) {
    this.#parts = parts;
  }

  now(): AutoTxMoment {
    const { chain, moment, confirmations, wallNow } = this.#parts;
    const present = moment();
    const now = wallNow();
    return {
      head: present?.head.number ?? null,
      chain: chain(),
      confirmations,
      hold: (autoTx) => presentHold(autoTx, present),
      reach: (autoTx) => {
        if (autoTx.state.status !== 'PENDING') return null;
        const withinSec = timeLeftSec(autoTx.order.expiresAt, now);
        return withinSec === null
          ? null
          : { probability: this.#probability(autoTx, withinSec, present), withinSec };
      },
    };
  }

  #probability(autoTx: KeptAutoTx, withinSec: number, present: Present | null): number | null {
    if (present === null || present.stale) return null;
    const price = askedPrice(autoTx, present);
    if (price === null) return 0;
    if (this.#advice !== present.advice || this.#known.size >= REMEMBERED_MOST) {
      this.#known.clear();
      this.#advice = present.advice;
    }
    const question = `${price} ${withinSec}`;
    const known = this.#known.get(question);
    if (known !== undefined) return known;
    const probability = this.#parts.reach(price, withinSec)?.probability ?? null;
    this.#known.set(question, probability);
    return probability;
  }
}

function timeLeftSec(expiresAt: number | null, now: number): number | null {
  if (expiresAt === null) return LONGEST_SEC;
  const left = Math.floor((expiresAt - now) / 1_000);
  if (left <= 0) return null;
  return Math.min(left > STEP_SEC ? left - (left % STEP_SEC) : left, LONGEST_SEC);
}

/**
 * The price per gas, base fee and a usual tip together, at which a block takes it and its target is reached; `null`: none
 * ever will.
 */
function askedPrice({ order, signed }: KeptAutoTx, { advice }: Present): bigint | null {
  if (signed === null) return null;
  const usualTip = max(advice.lanes.average.price - advice.nextBaseFee, 0n);
  const { wakeLane, wakePrice, wakeBase, cap } = wakesOf(order, signed);
  const atCap = cap + usualTip;
  if (wakeLane !== null && wakePrice !== null) return min(wakePrice, atCap);
  return wakeBase === null ? null : min(wakeBase + usualTip, atCap);
}

const min = (one: bigint, other: bigint) => (one < other ? one : other);
const max = (one: bigint, other: bigint) => (one > other ? one : other);
