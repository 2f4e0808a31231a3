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
  readonly at: number;
  readonly lanes: Readonly<Record<LaneName, Offer & { readonly probability: number | null }>>;
  /** Prices predicted to be reached within a time. */
  readonly targets: readonly {
    readonly horizonSec: number;
    readonly price: number;
    readonly probability: number | null;
  }[];
  readonly wait: Waiting | null;
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
      ? { action, price: Number(targetPrice), deadlineSec, probability, expectedSaving: expectedSavingRatio }
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

type Outcome = Pick<CalibrationGroup, 'stated'> & { readonly isKept: boolean };

const GROUPS = 20;

/** In groups five points wide, by rising probability; empty ones are left out. */
function calibrationOf(outcomes: readonly Outcome[]): CalibrationGroup[] {
  const groupOf = ({ stated }: Outcome) => Math.min(Math.floor(stated * GROUPS), GROUPS - 1);
  const groups = Map.groupBy(outcomes, groupOf);
  return [...groups.entries()]
    .sort(([a], [b]) => a - b)
    .map(([, group]) => ({
      size: group.length,
      stated: meanOf(group, ({ stated }) => stated),
      kept: meanOf(group, ({ isKept }) => Number(isKept)),
    }));
}

/** Mean distance between stated and actual shares over the groups, weighted by size; `null` for none. */
function calibrationError(groups: readonly CalibrationGroup[]): number | null {
  const size = groups.reduce((sum, group) => sum + group.size, 0);
  const apart = groups.reduce((sum, group) => sum + group.size * Math.abs(group.stated - group.kept), 0);
  return size > 0 ? apart / size : null;
}

export const meanOf = <T>(rows: readonly T[], of: (row: T) => number): number =>
  rows.reduce((sum, row) => sum + of(row), 0) / rows.length;

/** Nothing can be saved on a free chain: a price of 0 counts as 1 wei on either side. */
export const savingOf = (paid: number, next: number) => 1 - Math.max(paid, 1) / Math.max(next, 1);

export type HorizonScore = NonNullable<ReturnType<typeof judgeHorizon>>;

/** Skips targets without a probability, or whose time had not ended before the end or a gap. Shares 0 to 1; `null` for none. */
export function judgeHorizon(
  past: Past,
  given: readonly Pick<Given, 'at' | 'targets'>[],
  horizonSec: number,
) {
  const window = new WindowMinimum();
  let last = -1;
  const outcomes = given.flatMap(({ at, targets }) => {
    const until = past.timeAt(at) + horizonSec;
    if (until >= past.timeAt(past.lastOf(at))) return [];
    for (; past.timeAt(last + 1) <= until; last += 1) window.push(last + 1, past.priceAt(last + 1));
    window.dropBefore(at + 1);
    const cheapest = window.minimum;
    const target = targets.find((each) => each.horizonSec === horizonSec);
    // Without a block in its time there was nothing to wait for.
    if (target?.probability == null || cheapest === null) return [];
    const [paid, next] = [past.paidBy(at, target.price, until), past.priceAt(at + 1)];
    const isKept = paid <= target.price;
    const [saving, foresight] = [savingOf(paid, next), savingOf(cheapest, next)];
    return [{ stated: target.probability, isKept, saving, foresight }];
  });
  if (outcomes.length === 0) return null;
  const calibration = calibrationOf(outcomes);
  return {
    horizonSec,
    judged: outcomes.length,
    kept: meanOf(outcomes, ({ isKept }) => Number(isKept)),
    stated: meanOf(outcomes, ({ stated }) => stated),
    /** Mean saving against the next block's price; a miss pays the price of the horizon's last block. */
    saving: meanOf(outcomes, ({ saving }) => saving),
    foresight: meanOf(outcomes, ({ foresight }) => foresight),
    calibrationError: calibrationError(calibration) ?? 0,
    calibration,
  };
}

/** Whether the recording has the whole window of an offer made at block `at`, without a gap. */
export const isSettled = (past: Past, at: number, { withinBlocks }: LanePromise): boolean =>
  at + withinBlocks <= past.lastOf(at);

/**
 * One rule's offers for one lane, by the index of their block; their windows must have ended. Block `j` includes an offer when
 * `min(tip, cap − base fee)` reaches the block's minimum tip; it pays `min(cap, base fee + tip)`. Shares; `null` for none.
 */
export function judgeLane(past: Past, offers: ReadonlyMap<number, Offer>, promise: LanePromise) {
  if (offers.size === 0) return null;
  const outcomes = [...offers].map(([at, offer]) => {
    const last = at + promise.withinBlocks;
    const next = past.priceAt(at + 1);
    const { paid, least, isLate, isEverywhere } = look(past, offer, at + 1, last);
    const short = least - offer.cap;
    const overhang = paid === null ? null : Math.max(offer.cap, 1) / Math.max(paid, 1) - 1;
    const pinball = Math.max(promise.target * short, (promise.target - 1) * short) / Math.max(next, 1);
    return { overhang, isLate, isEverywhere, saving: savingOf(paid ?? past.priceAt(last), next), pinball };
  });
  const overhangs = outcomes.flatMap(({ overhang }) => overhang ?? []);
  return {
    judged: outcomes.length,
    kept: overhangs.length / outcomes.length,
    /** Share that would have been included in time even if the transaction had missed the first block of the window. */
    keptLate: meanOf(outcomes, ({ isLate }) => Number(isLate)),
    /** Share that every single block of the window would have included. */
    survived: meanOf(outcomes, ({ isEverywhere }) => Number(isEverywhere)),
    /** Mean saving against the next block's lowest price; a miss pays the price of the window's last block. */
    saving: meanOf(outcomes, ({ saving }) => saving),
    /** Mean margin of the cap over the price paid, as a share of that price, among the included; `null` when none was. */
    overhang: overhangs.length > 0 ? meanOf(overhangs, (each) => each) : null,
    /** Mean pinball loss over the next price, of the cap as the target's quantile of the window's lowest included price. */
    pinball: meanOf(outcomes, ({ pinball }) => pinball),
  };
}

/** What the blocks make of an offer. */
function look(past: Past, { cap, tip }: Offer, from: number, to: number) {
  /** The price paid in the first block that included it; `null` when none did. */
  let paid: number | null = null;
  let least = Number.POSITIVE_INFINITY;
  /** Whether any block but the first, and whether every block would have included it. */
  let isLate = false;
  let isEverywhere = true;
  for (let block = from; block <= to; block += 1) {
    const baseFee = past.baseFee[block] ?? 0;
    least = Math.min(least, past.priceAt(block));
    if (Math.min(tip, cap - baseFee) < (past.asked[block] ?? 0)) {
      isEverywhere = false;
      continue;
    }
    paid ??= Math.min(cap, baseFee + tip);
    isLate ||= block > from;
  }
  return { paid, least, isLate, isEverywhere };
}

/** Perfect foresight: exactly the price of the cheapest block of the window. `null` when the window is incomplete. */
export function foresight(past: Past, at: number, promise: LanePromise): Offer | null {
  if (!isSettled(past, at, promise)) return null;
  let best = at + 1;
  for (let block = best; block <= at + promise.withinBlocks; block += 1) {
    if (past.priceAt(block) < past.priceAt(best)) best = block;
  }
  return { cap: past.priceAt(best), tip: past.asked[best] ?? 0 };
}

export type WaitScore = ReturnType<typeof judgeWaits>[number];

/** Scores each kind of waiting that was advised, `WAIT` first. Shares 0 to 1. */
export function judgeWaits(past: Past, given: readonly Pick<Given, 'at' | 'wait'>[]) {
  return (['WAIT', 'SET_ALERT'] as const).flatMap((action) => {
    const judged = given.flatMap(({ at, wait }) =>
      wait?.action === action ? (outcomeOf(past, at, wait) ?? []) : [],
    );
    if (judged.length === 0) return [];
    return [
      {
        action,
        /** Number of times it was given and ended within the recording, before a gap. */
        judged: judged.length,
        /** Share of all blocks with judged advice. */
        share: judged.length / given.length,
        stated: meanOf(judged, ({ wait }) => wait.probability),
        kept: meanOf(judged, ({ isReached }) => Number(isReached)),
        /** Mean predicted saving, misses included. */
        expectedSaving: meanOf(judged, ({ wait }) => wait.expectedSaving),
        /** Mean saving against the next block's price; a miss pays the price of the last block before the deadline. */
        saving: meanOf(judged, ({ saving }) => saving),
      },
    ];
  });
}

/** `null` while its time is not over, or when no block came in it. */
function outcomeOf(past: Past, given: number, wait: Waiting) {
  const until = past.timeAt(given) + wait.deadlineSec;
  if (until >= past.timeAt(past.lastOf(given)) || past.timeAt(given + 1) > until) return null;
  const paid = past.paidBy(given, wait.price, until);
  return { wait, isReached: paid <= wait.price, saving: savingOf(paid, past.priceAt(given + 1)) };
}

export type LaneReport = ReturnType<typeof reportLane>;
export type RuleScore = LaneReport['rules'][number];

/** The advice beside the other rules for one lane, all judged on the same blocks. Shares 0 to 1. */
export function reportLane(past: Past, given: readonly Given[], lane: LaneName) {
  const promise = LANE_PROMISES[lane];
  const settled = given.filter(({ at }) => isSettled(past, at, promise));
  const promised = settled.filter(({ lanes }) => lanes[lane].probability !== null);
  const unstated = settled.filter(({ lanes }) => lanes[lane].probability === null);
  // Only Slow waits, so the naive rule applies to Slow alone.
  const able = [...PEERS, ...(lane === 'slow' ? [NAIVE_RULE] : [])]
    .map(({ rule, kind, offer }) => {
      return { rule, kind, offers: offersOf(promised, ({ at }) => offer(past, at, lane)) };
    })
    // A rule that made hardly any offer must not prevent the judgement of the others.
    .filter(({ offers }) => 2 * offers.size > promised.length);
  const judged = promised.filter(({ at }) => able.every(({ offers }) => offers.has(at)));
  const own = (advice: Given) => advice.lanes[lane];
  const rules = [
    { rule: 'gastop', kind: 'own' as const, offer: own },
    ...able.map(({ rule, kind, offers }) => ({ rule, kind, offer: ({ at }: Given) => offers.get(at) })),
    {
      rule: 'perfect foresight',
      kind: 'foresight' as const,
      offer: ({ at }: Given) => foresight(past, at, promise),
    },
  ].flatMap(({ rule, kind, offer }) => {
    const score = judgeLane(past, offersOf(judged, offer), promise);
    return score === null ? [] : [{ rule, kind, ...score }];
  });
  const outcomes = judged.map((advice) => ({
    stated: own(advice).probability ?? 0,
    isKept: look(past, own(advice), advice.at + 1, advice.at + promise.withinBlocks).paid !== null,
  }));
  const calibration = calibrationOf(outcomes);
  /** The good peer with the smallest margin above the price it pays; `null` when none is good enough. */
  const tightest = (isGood: (score: (typeof rules)[number]) => boolean) => {
    const room = ({ overhang }: (typeof rules)[number]) => overhang ?? Number.POSITIVE_INFINITY;
    const good = rules.filter((score) => score.kind === 'peer' && isGood(score));
    return good.toSorted((a, b) => room(a) - room(b))[0]?.rule ?? null;
  };
  return {
    lane,
    ...promise,
    /** Mean stated probability; `null` when nothing was judged. */
    stated: outcomes.length > 0 ? meanOf(outcomes, ({ stated }) => stated) : null,
    calibrationError: calibrationError(calibration),
    calibration,
    /** Own advice first, then peers, the naive rule (Slow only), perfect foresight; empty when nothing was judged. */
    rules,
    tightest: {
      /** Among those that reach the lane's target share. */
      keeping: tightest(({ kept }) => kept >= promise.target),
      /** Among those that reach it, or the own advice's share if lower, also when they miss the first block. */
      late: tightest(({ keptLate }) => keptLate >= Math.min(promise.target, rules[0]?.keptLate ?? 1)),
    },
    /** Blocks without a stated probability, which are not judged above, and their share included in time. */
    unstated: {
      judged: unstated.length,
      kept: judgeLane(past, offersOf(unstated, own), promise)?.kept ?? null,
    },
  };
}

/** The offers that a rule made, by the index of their block. */
function offersOf(given: readonly Given[], offer: (advice: Given) => Offer | null | undefined) {
  const made = given.map((advice) => [advice.at, offer(advice)] as const);
  return new Map(made.filter((each): each is [number, Offer] => each[1] != null));
}
