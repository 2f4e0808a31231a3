import { LANES, type PricedLane } from '../../core/advice.ts';
import { chainProfile } from '../../core/chains.ts';
import { advisedAction, decide, whyNot } from '../../core/engine/recommendation.ts';
import {
  formatCount,
  formatDuration,
  formatGwei,
  formatPercent,
  formatSaving,
  formatStated,
} from '../../core/units.ts';
import type { AdviceRecordView, HorizonView, RecommendationView, TrackView } from './advice.ts';
import type { SnapshotView } from './gas.ts';

/** The price of a lane, or the blob base fee; `null`: the chain has no blobs, or the service does not state it. */
export const watchedPrice = ({ lanes, blobBaseFee }: SnapshotView, lane: PricedLane): bigint | null =>
  lane === 'blob' ? blobBaseFee : lanes[lane].price;

export function withSourceName(snapshot: SnapshotView, host: string): SnapshotView {
  const { source } = snapshot;
  return source.name === '' ? { ...snapshot, source: { ...source, name: host } } : snapshot;
}

/** The chain's name from its service, or else by its id; `null` when the service reports no chain. */
export function chainNameOf({ chainId, source }: Pick<SnapshotView, 'chainId' | 'source'>): string | null {
  return source.chainName ?? (chainId === null ? null : chainProfile(chainId).name);
}

/**
 * The advice for this patience (seconds): the service's own where it advises for that, else by gastop's rule from its
 * table of waits. Advice without a measured wait stays as it is, with `patienceSec` of `null`.
 */
export function forPatience(advice: RecommendationView, patienceSec: number): RecommendationView {
  const { alternatives, action } = advice;
  const isMeasured = alternatives.some((wait) => wait.probability !== null && wait.savingRatio !== null);
  if (advice.patienceSec === patienceSec || action === null || !isMeasured) return advice;
  const chosen = decide(alternatives, patienceSec);
  const decided = {
    patienceSec,
    action: advisedAction(chosen),
    reasons: whyNot(alternatives, patienceSec, chosen),
  };
  if (chosen !== null) {
    const { horizonSec, price, probability, savingRatio } = chosen;
    return {
      ...{ ...advice, ...decided, lane: 'SLOW', targetPrice: price, probability },
      ...{ expectedWaitSec: null, deadlineSec: horizonSec, expectedSavingRatio: savingRatio },
    };
  }
  if (action === decided.action) return { ...advice, ...decided };
  // What sending now costs, and how likely it is, stands with the lanes.
  return {
    ...{ ...advice, ...decided, lane: 'AVERAGE', targetPrice: null, probability: null },
    ...{ expectedWaitSec: null, deadlineSec: null, expectedSavingRatio: 0 },
  };
}

export type AdviceKind = 'advice' | 'waits' | 'sends';

/** Of all advice, where the service does not tell its waits and its sends apart. */
export const recordOf = (track: TrackView, kind: AdviceKind): AdviceRecordView | null =>
  kind === 'advice' ? { ...track, savingRatio: null } : track[kind];

/** The kind of advice whose record belongs beside this advice. */
export function kindOf({ action, track }: Pick<RecommendationView, 'action' | 'track'>): AdviceKind {
  if (track?.waits == null && track?.sends == null) return 'advice';
  return action === 'SEND_NOW' ? 'sends' : 'waits';
}

/**
 * `waits: given 41, kept 37, stated 90 %, saved 9 %`, or of past blocks `waits on stored blocks: 41, kept …`; `null`
 * when none was judged.
 */
export function describeRecord(track: TrackView, kind: AdviceKind): string | null {
  const record = recordOf(track, kind);
  if (record === null || record.hitRatio === null || record.evaluated < 1) return null;
  const { evaluated, hitRatio, statedProbability } = record;
  const heading = track.basis === 'walked' ? `${kind} on stored blocks` : kind;
  const parts = [
    `${heading}: ${track.basis === 'given' ? 'given ' : ''}${evaluated}`,
    `kept ${Math.round(hitRatio * evaluated)}`,
    statedProbability === null ? null : `stated ${formatPercent(statedProbability)}`,
    outcomeText(record, kind),
  ];
  return parts.filter((part) => part !== null).join(', ');
}

/** What was really paid on average, against the lowest price that the next block took. */
function outcomeText({ savingRatio }: AdviceRecordView, kind: AdviceKind): string | null {
  if (savingRatio === null) return null;
  const share = formatPercent(Math.abs(savingRatio));
  if (Math.round(savingRatio * 100) >= 0) return `saved ${share}`;
  return kind === 'sends' ? `paid ${share} more than needed` : `lost ${share}`;
}

/** `90 %`, or `≤ 84 %` where so few windows support no higher probability; `null` when unknown. */
export const describeLikely = ({
  probability,
  isCeiling,
}: Pick<HorizonView, 'probability' | 'isCeiling'>): string | null =>
  probability === null ? null : formatStated(probability, isCeiling === true);

/** Without the windows of a row that repeats the price of a shorter one: its windows are of the shorter time. */
export const withOwnWindows = (waits: readonly HorizonView[]): readonly HorizonView[] =>
  waits.map((wait, place) => {
    const shorter = waits[place - 1];
    const isRepeated =
      wait.price !== null &&
      wait.price === shorter?.price &&
      wait.windows === shorter.windows &&
      wait.windowsKept === shorter.windowsKept;
    return isRepeated ? { ...wait, windows: null, windowsKept: null } : wait;
  });

/** How many past windows like the present one had the price. */
export const IN_THE_PAST = 'in the past';

export type WaitFact = readonly [name: string, of: (wait: HorizonView) => string | null];

/** What is known of a wait, in the order of the table; `null` where a service does not tell it. */
export const WAIT_FACTS: readonly WaitFact[] = [
  ['price', ({ price }) => (price === null ? null : formatGwei(price))],
  [
    'saves',
    ({ savingRatio: ratio }) =>
      ratio === null ? null : Math.round(ratio * 100) < 0 ? formatSaving(ratio) : formatPercent(ratio),
  ],
  ['likely', describeLikely],
  // The price may have fallen all the same: a miss saves, too.
  ['if not', ({ missRatio: ratio }) => (ratio === null ? null : formatSaving(-ratio))],
  [
    IN_THE_PAST,
    ({ windows, windowsKept }) =>
      windows === null || windowsKept === null
        ? null
        : `${formatCount(windowsKept)} of ${formatCount(windows)}`,
  ],
];

/** The facts that are known of at least one of the waits. */
export const waitFactsOf = (waits: readonly HorizonView[]): readonly WaitFact[] =>
  WAIT_FACTS.filter(([, of]) => waits.some((wait) => of(wait) !== null));

/** The row of the table that advice to wait follows; `null` for sending now. */
export const advisedWait = ({ action, deadlineSec, alternatives }: RecommendationView): HorizonView | null =>
  action === 'WAIT' || action === 'SET_ALERT'
    ? (alternatives.find(({ horizonSec }) => horizonSec === deadlineSec) ?? null)
    : null;

/** The heading of a wait in the table: `[15m]` where it is advised, `(6h)` where it is longer than the patience, else `1h`. */
export function waitHeading({ horizonSec }: HorizonView, advice: RecommendationView | undefined) {
  const span = formatDuration(horizonSec);
  const isAdvised = advice !== undefined && advisedWait(advice)?.horizonSec === horizonSec;
  const isBeyond = !isAdvised && horizonSec > (advice?.patienceSec ?? Number.POSITIVE_INFINITY);
  return { text: isAdvised ? `[${span}]` : isBeyond ? `(${span})` : span, isAdvised, isBeyond };
}

/** Whether prices are the base fee alone, because tips are unknown: then no wait can be forecast either. */
export function lacksTips({
  lanes,
  nextBaseFee,
  baseFee,
}: Pick<SnapshotView, 'lanes' | 'nextBaseFee' | 'baseFee'>): boolean {
  return LANES.every(
    (lane) => lanes[lane].maxPriorityFeePerGas === null && lanes[lane].price <= (nextBaseFee ?? baseFee),
  );
}

export const isAtFloor = ({ floor, nextBaseFee }: Pick<SnapshotView, 'floor' | 'nextBaseFee'>): boolean =>
  floor !== null && nextBaseFee !== null && nextBaseFee <= floor;

/** The same word as on the wire: `SET ALERT`. */
const wordsOf = (action: string) => action.replaceAll('_', ' ');

/** `WAIT` and `up to 15m for 0.0388 gwei`, `SEND NOW` and `at its floor: 0.00510 gwei`; `target` may be empty. */
export function describeAdvice(
  { action, targetPrice, deadlineSec, expectedWaitSec }: RecommendationView,
  snapshot: Pick<SnapshotView, 'floor' | 'baseFee' | 'nextBaseFee' | 'lanes' | 'source'>,
): { readonly action: string; readonly target: string } {
  if (action === null) {
    const { ended, kind } = snapshot.source;
    const isFinal = ended || (kind === 'replay' && lacksTips(snapshot));
    return { action: isFinal ? 'NO ADVICE' : 'NO ADVICE YET', target: '' };
  }
  const known = targetPrice ?? (action === 'SEND_NOW' ? snapshot.lanes.average.price : null);
  const price = known === null ? null : `${formatGwei(known)} gwei`;
  if (action === 'WAIT' || action === 'SET_ALERT') {
    const expected = expectedWaitSec === null ? null : `~${formatDuration(expectedWaitSec)}`;
    const parts = [
      deadlineSec === null ? expected : `up to ${formatDuration(deadlineSec)}`,
      price === null ? null : `for ${price}`,
    ];
    return { action: wordsOf(action), target: parts.filter((part) => part !== null).join(' ') };
  }
  const isFloor = action === 'SEND_NOW' && isAtFloor(snapshot);
  const target = price === null ? '' : isFloor ? `at its floor: ${price}` : `at ${price}`;
  return { action: wordsOf(action), target };
}
