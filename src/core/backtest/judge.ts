import {
  type Action,
  type Advice,
  eachLane,
  LANE_PROMISES,
  type LaneName,
  type LanePromise,
} from '../advice.ts';
import { WindowMinimum } from '../engine/rolling.ts';
import { NAIVE_RULE, PEERS } from './baselines.ts';
import type { Offer, Past } from './past.ts';

/** What is judged of the advice at one block, as numbers, which take less memory. Shares 0 to 1, seconds. */
export interface Given {
  /** Index of the block. */
  readonly at: number;
  readonly lanes: Readonly<Record<LaneName, Offer & { readonly probability: number | null }>>;
  readonly targets: readonly Target[];
  readonly wait: Waiting | null;
}

/** A price predicted to be reached within a time. */
export interface Target {
  readonly horizonSec: number;
  readonly price: number;
  readonly probability: number | null;
}

/** An advice to wait for a price. */
interface Waiting {
  readonly action: Exclude<Action, 'SEND_NOW'>;
  readonly price: number;
  readonly deadlineSec: number;
  readonly probability: number;
  readonly expectedSaving: number;
}

export function givenAt(at: number, { lanes, recommendation }: Advice): Given {
  const { action, targetPrice, deadlineSec, probability, expectedSavingRatio } = recommendation;
  const isWait = action !== null && action !== 'SEND_NOW' && probability !== null;
  return {
    at,
    lanes: eachLane((lane) => ({
      cap: Number(lanes[lane].maxFeePerGas),
      tip: Number(lanes[lane].maxPriorityFeePerGas),
      probability: lanes[lane].probability,
    })),
    targets: recommendation.alternatives.map(({ horizonSec, price, probability }) => ({
      horizonSec,
      price: Number(price),
      probability,
    })),
    wait: isWait
      ? {
          action,
          price: Number(targetPrice),
          deadlineSec,
          probability,
          expectedSaving: expectedSavingRatio,
        }
      : null,
  };
}

/** Predictions with similar stated probabilities, and the share of them that came true. */
export interface CalibrationGroup {
  readonly size: number;
  /** Mean stated probability, 0 to 1. */
  readonly stated: number;
  readonly kept: number;
}

const GROUPS = 20;

/** In groups five points wide, by rising probability; empty ones are left out. */
function calibrationOf(
  outcomes: readonly (readonly [stated: number, isKept: boolean])[],
): CalibrationGroup[] {
  const groups = Array.from({ length: GROUPS }, () => ({ size: 0, stated: 0, kept: 0 }));
  for (const [stated, isKept] of outcomes) {
    const sums = groups[Math.min(Math.floor(stated * GROUPS), GROUPS - 1)];
    if (sums === undefined) continue;
    sums.size += 1;
    sums.stated += stated;
    sums.kept += isKept ? 1 : 0;
  }
  return groups
    .filter(({ size }) => size > 0)
    .map(({ size, stated, kept }) => ({ size, stated: stated / size, kept: kept / size }));
}

/** Mean distance between stated and actual shares over the groups, weighted by size; `null` for none. */
function calibrationError(groups: readonly CalibrationGroup[]): number | null {
  const size = groups.reduce((sum, group) => sum + group.size, 0);
  const apart = groups.reduce((sum, group) => sum + group.size * Math.abs(group.stated - group.kept), 0);
  return size > 0 ? apart / size : null;
}

/** Outcome of one horizon's target prices. Shares 0 to 1. */
export interface HorizonScore {
  readonly horizonSec: number;
  readonly judged: number;
  /** Share of prices that were reached in time. */
  readonly kept: number;
  readonly stated: number;
  /** Mean saving against the next block's price; a miss pays the price of the horizon's last block. */
  readonly saving: number;
  /** The same for the cheapest block of the horizon. */
  readonly foresight: number;
  readonly calibrationError: number;
  readonly calibration: readonly CalibrationGroup[];
}

/**
 * Judges the targets of one horizon. Skips targets without a probability, and those whose time had not ended before
 * the end of the recording or a gap; `null` if none is left. The first block with a price at or below the target
 * reaches it, at that block's price.
 */
export function judgeHorizon(
  past: Past,
  given: readonly Pick<Given, 'at' | 'targets'>[],
  horizonSec: number,
): HorizonScore | null {
  let judged = 0;
  let kept = 0;
  let stated = 0;
  let saving = 0;
  let foresight = 0;
  const outcomes: [number, boolean][] = [];
  const window = new WindowMinimum();
  let last = -1;
  for (const { at, targets } of given) {
    const { price, probability } = targets.find((target) => target.horizonSec === horizonSec) ?? NO_TARGET;
    const until = (past.time[at] ?? 0) + horizonSec;
    if (until >= (past.time[past.lastOf(at)] ?? 0)) continue;
    for (; (past.time[last + 1] ?? 0) <= until; last += 1) window.push(last + 1, past.price[last + 1] ?? 0);
    window.dropBefore(at + 1);
    const cheapest = window.minimum;
    // Without a block in its time there was nothing to wait for.
    if (probability === null || cheapest === null) continue;
    // As in the lanes, a price of 0 counts as 1 wei on either side.
    const next = Math.max(past.price[at + 1] ?? 1, 1);
    const isReached = cheapest <= price;
    const paid = isReached ? firstAtMost(past, price, at + 1) : (past.price[last] ?? 0);
    judged += 1;
    kept += isReached ? 1 : 0;
    stated += probability;
    saving += 1 - Math.max(paid, 1) / next;
    foresight += 1 - Math.max(cheapest, 1) / next;
    outcomes.push([probability, isReached]);
  }
  if (judged === 0) return null;
  const groups = calibrationOf(outcomes);
  return {
    horizonSec,
    judged,
    kept: kept / judged,
    stated: stated / judged,
    saving: saving / judged,
    foresight: foresight / judged,
    calibrationError: calibrationError(groups) ?? 0,
    calibration: groups,
  };
}

const NO_TARGET = { price: 0, probability: null } as const;

/** The first price from block `from` on at or below `price`; there is one. */
function firstAtMost(past: Past, price: number, from: number): number {
  let block = from;
  while ((past.price[block] ?? 0) > price) block += 1;
  return past.price[block] ?? 0;
}

/** Outcome of one rule's offers for one lane, over all judged blocks. Shares 0 to 1; no unit, no wei. */
interface LaneScore {
  readonly judged: number;
  /** Share included in time. */
  readonly kept: number;
  /** Share that would have been included in time even if the transaction had missed the first block of the window. */
  readonly keptLate: number;
  /** Share that every single block of the window would have included. */
  readonly survived: number;
  /** Mean saving against the next block's lowest price; a miss pays the price of the window's last block. */
  readonly saving: number;
  /** Mean margin of the cap over the price paid, as a share of that price, among the included; `null` when none was. */
  readonly overhang: number | null;
  /**
   * Mean pinball loss, in multiples of the next block's price: takes the cap as the quantile, at the lane's target
   * share, of the lowest price included in any block of the window.
   */
  readonly pinball: number;
}

/** Whether the recording has the whole window of an offer made at block `at`, without a gap. */
export const isSettled = (past: Past, at: number, { withinBlocks }: LanePromise): boolean =>
  at + withinBlocks <= past.lastOf(at);

/**
 * Judges offers by the index of their block; their windows must have ended. Block `j` includes an offer when
 * `min(tip, cap − base fee)` reaches the block's minimum tip; it pays `min(cap, base fee + tip)`. `null` for none.
 */
export function judgeLane(
  past: Past,
  offers: ReadonlyMap<number, Offer>,
  promise: LanePromise,
): LaneScore | null {
  if (offers.size === 0) return null;
  let kept = 0;
  let keptLate = 0;
  let survived = 0;
  let saving = 0;
  let overhang = 0;
  let pinball = 0;
  for (const [at, offer] of offers) {
    const last = at + promise.withinBlocks;
    // Nothing can be saved on a free chain: a price of 0 counts as 1 wei on either side.
    const next = Math.max(past.price[at + 1] ?? 1, 1);
    const { paid, least, late, everywhere } = look(past, offer, at + 1, last);
    saving += 1 - Math.max(paid ?? past.price[last] ?? 1, 1) / next;
    if (paid !== null) {
      kept += 1;
      overhang += Math.max(offer.cap, 1) / Math.max(paid, 1) - 1;
    }
    if (late) keptLate += 1;
    if (everywhere) survived += 1;
    const short = least - offer.cap;
    pinball += Math.max(promise.target * short, (promise.target - 1) * short) / next;
  }
  const judged = offers.size;
  return {
    judged,
    kept: kept / judged,
    keptLate: keptLate / judged,
    survived: survived / judged,
    saving: saving / judged,
    overhang: kept > 0 ? overhang / kept : null,
    pinball: pinball / judged,
  };
}

interface LaneOutcome {
  /** The price paid in the first block that included it; `null` when none did. */
  readonly paid: number | null;
  /** The lowest price of the window. */
  readonly least: number;
  /** Whether any block but the first would have included it. */
  readonly late: boolean;
  /** Whether every block would have included it. */
  readonly everywhere: boolean;
}

function look(past: Past, { cap, tip }: Offer, from: number, to: number): LaneOutcome {
  let paid: number | null = null;
  let least = Number.POSITIVE_INFINITY;
  let late = false;
  let everywhere = true;
  for (let block = from; block <= to; block += 1) {
    const baseFee = past.baseFee[block] ?? 0;
    least = Math.min(least, past.price[block] ?? 0);
    if (Math.min(tip, cap - baseFee) < (past.asked[block] ?? 0)) {
      everywhere = false;
      continue;
    }
    paid ??= Math.min(cap, baseFee + tip);
    late ||= block > from;
  }
  return { paid, least, late, everywhere };
}

/** Perfect foresight: exactly the price of the cheapest block of the window. `null` when the window is incomplete. */
export function foresight(past: Past, at: number, promise: LanePromise): Offer | null {
  if (!isSettled(past, at, promise)) return null;
  let best = at + 1;
  for (let block = best; block <= at + promise.withinBlocks; block += 1) {
    if ((past.price[block] ?? 0) < (past.price[best] ?? 0)) best = block;
  }
  return { cap: past.price[best] ?? 0, tip: past.asked[best] ?? 0 };
}

/** Outcome of the advice to wait. Shares 0 to 1. */
export interface WaitScore {
  readonly action: Waiting['action'];
  /** Number of times it was given and ended within the recording, before a gap. */
  readonly judged: number;
  /** Share of all blocks with judged advice. */
  readonly share: number;
  readonly stated: number;
  /** Share of prices reached in time. */
  readonly kept: number;
  /** Mean predicted saving, misses included. */
  readonly expectedSaving: number;
  /** Mean saving against the next block's price; a miss pays the price of the last block before the deadline. */
  readonly saving: number;
}

/** Scores each kind of waiting that was advised, `WAIT` first. */
export function judgeWaits(past: Past, given: readonly Pick<Given, 'at' | 'wait'>[]): WaitScore[] {
  return (['WAIT', 'SET_ALERT'] as const).flatMap((action) => {
    const judged = given.flatMap(({ at, wait }) =>
      wait?.action === action ? (outcomeOf(past, at, wait) ?? []) : [],
    );
    if (judged.length === 0) return [];
    const meanOf = (of: (outcome: WaitOutcome) => number) => mean(judged.map(of)) ?? 0;
    return [
      {
        action,
        judged: judged.length,
        share: judged.length / given.length,
        stated: meanOf(({ wait }) => wait.probability),
        kept: meanOf(({ isReached }) => (isReached ? 1 : 0)),
        expectedSaving: meanOf(({ wait }) => wait.expectedSaving),
        saving: meanOf(({ saving }) => saving),
      },
    ];
  });
}

interface WaitOutcome {
  readonly wait: Waiting;
  readonly isReached: boolean;
  readonly saving: number;
}

/** `null` while its time is not over, or when no block came in it. */
function outcomeOf(past: Past, given: number, wait: Waiting): WaitOutcome | null {
  const timeOf = (at: number) => past.time[at] ?? 0;
  const until = timeOf(given) + wait.deadlineSec;
  const first = given + 1;
  if (until >= timeOf(past.lastOf(given)) || timeOf(first) > until) return null;
  let at = first;
  while (timeOf(at + 1) <= until && (past.price[at] ?? 0) > wait.price) at += 1;
  const paid = past.price[at] ?? 0;
  // As in the lanes, a price of 0 counts as 1 wei on either side.
  return {
    wait,
    isReached: paid <= wait.price,
    saving: 1 - Math.max(paid, 1) / Math.max(past.price[first] ?? 1, 1),
  };
}

export interface RuleScore extends LaneScore {
  readonly rule: string;
  readonly kind: 'own' | 'peer' | 'naive' | 'foresight';
}

/** The advice beside the other rules for one lane, all judged on the same blocks. Shares 0 to 1. */
export interface LaneReport {
  readonly lane: LaneName;
  readonly withinBlocks: number;
  readonly target: number;
  /** Mean stated probability; `null` when nothing was judged. */
  readonly stated: number | null;
  readonly calibrationError: number | null;
  readonly calibration: readonly CalibrationGroup[];
  /** Own advice first, then peers, the naive rule (Slow only), perfect foresight; empty when nothing was judged. */
  readonly rules: readonly RuleScore[];
  /** The peers with the smallest margin above the price they pay; `null` when none is good enough. */
  readonly tightest: {
    /** Among those that reach the lane's target share. */
    readonly keeping: string | null;
    /** Among those that reach it, or the own advice's share if lower, also when they miss the first block. */
    readonly late: string | null;
  };
  /** Blocks without a stated probability, which are not judged above, and their share included in time. */
  readonly unstated: { readonly judged: number; readonly kept: number | null };
}

/** @param given the judged advice. */
export function reportLane(past: Past, given: readonly Given[], lane: LaneName): LaneReport {
  const promise = LANE_PROMISES[lane];
  const settled = given.filter(({ at }) => isSettled(past, at, promise));
  const promised = settled.filter(({ lanes }) => lanes[lane].probability !== null);
  const unstated = settled.filter(({ lanes }) => lanes[lane].probability === null);
  // Only Slow waits, so the naive rule applies to Slow alone.
  const others = lane === 'slow' ? [...PEERS, NAIVE_RULE] : PEERS;
  const able = others
    .map(({ rule, kind, offer }) => ({
      rule,
      kind,
      offers: offersOf(promised, ({ at }) => offer(past, at, lane)),
    }))
    // A rule that made hardly any offer must not prevent the judgement of the others.
    .filter(({ offers }) => 2 * offers.size > promised.length);
  const judged = promised.filter(({ at }) => able.every(({ offers }) => offers.has(at)));
  const own = (advice: Given) => advice.lanes[lane];
  const all = [
    { rule: 'gastop', kind: 'own' as const, offers: offersOf(judged, own) },
    ...able.map((each) => ({ ...each, offers: offersOf(judged, ({ at }) => each.offers.get(at)) })),
    {
      rule: 'perfect foresight',
      kind: 'foresight' as const,
      offers: offersOf(judged, ({ at }) => foresight(past, at, promise)),
    },
  ];
  const rules = all.flatMap(({ rule, kind, offers }): RuleScore[] => {
    const score = judgeLane(past, offers, promise);
    return score === null ? [] : [{ rule, kind, ...score }];
  });
  const groups = calibrationOf(
    judged.map(({ at, lanes }) => {
      const { paid } = look(past, lanes[lane], at + 1, at + promise.withinBlocks);
      return [lanes[lane].probability ?? 0, paid !== null];
    }),
  );
  return {
    lane,
    ...promise,
    stated: mean(judged.map(({ lanes }) => lanes[lane].probability ?? 0)),
    calibrationError: calibrationError(groups),
    calibration: groups,
    rules,
    tightest: {
      keeping: tightest(rules, ({ kept }) => kept >= promise.target),
      late: tightest(rules, ({ keptLate }) => keptLate >= Math.min(promise.target, rules[0]?.keptLate ?? 1)),
    },
    unstated: {
      judged: unstated.length,
      kept: judgeLane(past, offersOf(unstated, own), promise)?.kept ?? null,
    },
  };
}

/** The offers that a rule made, by the index of their block. */
function offersOf(
  given: readonly Given[],
  offer: (advice: Given) => Offer | null | undefined,
): ReadonlyMap<number, Offer> {
  return new Map(
    given.flatMap((advice): [number, Offer][] => {
      const made = offer(advice);
      return made ? [[advice.at, made]] : [];
    }),
  );
}

function tightest(rules: readonly RuleScore[], isGood: (score: RuleScore) => boolean): string | null {
  const room = ({ overhang }: RuleScore) => overhang ?? Number.POSITIVE_INFINITY;
  const good = rules.filter((score) => score.kind === 'peer' && isGood(score));
  return good.toSorted((a, b) => room(a) - room(b))[0]?.rule ?? null;
}

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
