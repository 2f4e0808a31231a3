import { LANE_PROMISES, type LaneName } from '../advice.ts';
import { Calibration, type CalibrationGroup, calibrationError } from './calibration.ts';
import { foresight, isKept, isSettled, judgeLane, type LaneScore } from './judge-lane.ts';
import { OfferColumn } from './offer.ts';
import type { Past } from './past.ts';
import type { Said } from './said.ts';

export interface RuleScore extends LaneScore {
  readonly rule: string;
  readonly kind: 'own' | 'peer' | 'naive' | 'foresight';
}

/** The advice beside the other rules for one lane, all judged on the very same blocks. Shares 0 to 1. */
export interface LaneReport {
  readonly lane: LaneName;
  readonly withinBlocks: number;
  readonly target: number;
  /** Mean probability that the advice stated; `null` where nothing was judged. */
  readonly stated: number | null;
  readonly calibrationError: number | null;
  readonly calibration: readonly CalibrationGroup[];
  /** Own first, then peers, the naive rule (Slow only), perfect foresight; none where nothing was judged. */
  readonly rules: readonly RuleScore[];
  /** The peers with the least room above what they pay; `null` where none is good enough. */
  readonly tightest: {
    /** Of those that keep the lane's promise. */
    readonly keeping: string | null;
    /**
     * Of those that keep it even when they miss the first block: as often as promised, or as the own advice does
     * where that is less.
     */
    readonly late: string | null;
  };
  /** Blocks at which the advice stated no probability, which are not judged above, and the share kept all the same. */
  readonly unstated: { readonly judged: number; readonly kept: number | null };
}

export interface LaneOffering {
  readonly rule: string;
  readonly kind: 'peer' | 'naive';
  readonly offers: OfferColumn;
}

/** @param given the blocks, by index, whose advice is to be judged. */
export function reportLane(
  past: Past,
  said: Said,
  given: readonly number[],
  others: readonly LaneOffering[],
  lane: LaneName,
): LaneReport {
  const promise = LANE_PROMISES[lane];
  const own = said.lanes[lane];
  const stated = said.probabilities[lane];
  const settled = given.filter((at) => isSettled(past, at, promise) && own.at(at) !== null);
  const [promised, unstated] = parted(settled, (at) => !Number.isNaN(stated[at] ?? Number.NaN));
  // A rule that has hardly ever seen enough in this stretch must not keep the others from being judged.
  const offered = (offers: OfferColumn) => promised.filter((at) => offers.at(at) !== null).length;
  const able = others.filter(({ offers }) => 2 * offered(offers) > promised.length);
  const judged = promised.filter((at) => able.every(({ offers }) => offers.at(at) !== null));
  const best = new OfferColumn(past.length);
  for (const at of judged) best.put(at, foresight(past, at, promise));
  const all = [
    { rule: 'gastop', kind: 'own' as const, offers: own },
    ...able,
    { rule: 'perfect foresight', kind: 'foresight' as const, offers: best },
  ];
  const rules = all.flatMap(({ rule, kind, offers }): RuleScore[] => {
    const score = judgeLane(past, offers, judged, promise);
    return score === null ? [] : [{ rule, kind, ...score }];
  });
  const calibration = new Calibration();
  for (const at of judged) {
    const offer = own.at(at);
    if (offer !== null) calibration.add(stated[at] ?? Number.NaN, isKept(past, offer, at, promise));
  }
  const { groups } = calibration;
  return {
    lane,
    ...promise,
    stated: mean(judged.map((at) => stated[at] ?? Number.NaN)),
    calibrationError: calibrationError(groups),
    calibration: groups,
    rules,
    tightest: {
      keeping: tightest(rules, ({ kept }) => kept >= promise.target),
      late: tightest(rules, ({ keptLate }) => keptLate >= Math.min(promise.target, rules[0]?.keptLate ?? 1)),
    },
    unstated: {
      judged: unstated.length,
      kept: judgeLane(past, own, unstated, promise)?.kept ?? null,
    },
  };
}

function parted(values: readonly number[], isFirst: (value: number) => boolean): [number[], number[]] {
  return [values.filter(isFirst), values.filter((value) => !isFirst(value))];
}

function tightest(rules: readonly RuleScore[], isGood: (score: RuleScore) => boolean): string | null {
  const room = ({ overhang }: RuleScore) => overhang ?? Number.POSITIVE_INFINITY;
  const good = rules.filter((score) => score.kind === 'peer' && isGood(score));
  return good.toSorted((a, b) => room(a) - room(b))[0]?.rule ?? null;
}

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
