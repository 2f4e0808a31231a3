import { LANE_PROMISES, type LaneName } from '../advice.ts';
import { type Column, feeRatio, type History, wholeWei } from './history.ts';
import { Rolling, SortedValues } from './rolling.ts';

/** Number of blocks whose median low tip is the usual tip. */
const USUAL_BLOCKS = 10;
/** Number of blocks whose tips bound the advice: an hour on mainnet. */
const BOUND_BLOCKS = 300;
/** Number of blocks for the quantiles: Fast may miss one in a hundred, which takes many blocks to measure. */
const TRAILING_BLOCKS = 2_000;
/** Slightly above the target shares, so that the actual share varies around an acceptable value. */
const FAST_AIM = 0.993;
const AVERAGE_AIM = 0.955;
/** How far one miss moves a level: small against 1 / blocks until a verdict. */
const STEP = 0.005;
const LOWEST_LEVEL = 0.5;
/** Slow can choose among many blocks and needs only the usual ones. */
const SLOW_SHARE = 0.9;

/** Whether the advice that the head settles was included: 1 or 0, `null` when there was none. */
type Verdicts = Readonly<Record<LaneName, number | null>>;
export type Tips = Readonly<Record<LaneName, number>>;

/**
 * Tips that one lane's blocks included, as multiples of the usual tip before them: tips drift by the hour, the
 * multiple does not. The lane's own verdicts steer the level of its quantile until the share of successes equals its aim,
 * whatever prices do (adaptive conformal inference, Gibbs and Candès 2021), which also compensates for caps that were
 * too low. Stored per block, so that a rewind restores it.
 */
class TipMultiple {
  readonly #history: History;
  readonly #withinBlocks: number;
  readonly #needed: Column;
  readonly #multiples: Rolling<SortedValues>;
  readonly #level: Column;
  readonly #aim: number;

  constructor(history: History, lane: LaneName, aim: number) {
    this.#history = history;
    this.#withinBlocks = LANE_PROMISES[lane].withinBlocks;
    this.#needed = history.column(TRAILING_BLOCKS + this.#withinBlocks);
    this.#multiples = new Rolling(this.#needed, new SortedValues());
    this.#level = history.column(2);
    this.#aim = aim;
  }

  push(verdict: number | null, usual: Column): void {
    const { head, oldest, origin, lowTip } = this.#history;
    const before = head > origin ? this.#level.at(head - 1) : this.#aim;
    const moved = verdict === null ? before : before + STEP * (this.#aim - verdict);
    this.#level.put(head, Math.min(Math.max(moved, LOWEST_LEVEL), 1));
    const since = head - this.#withinBlocks;
    if (since >= oldest) {
      let lowest = Number.POSITIVE_INFINITY;
      for (let block = since + 1; block <= head; block += 1) lowest = Math.min(lowest, lowTip.at(block));
      this.#needed.put(since, feeRatio(lowest, usual.at(since)));
    }
    this.followHead();
  }

  followHead(): void {
    this.#multiples.moveTo(this.#history.settled(this.#withinBlocks, TRAILING_BLOCKS));
  }

  /** `null` when no tips are known. */
  get value(): number | null {
    return this.#multiples.tally.quantile(this.#level.at(this.#history.head));
  }
}

/** The tip of each lane: the lowest that reaches its target share. 0 when no tips are known. */
export class TipModel {
  readonly #history: History;
  readonly #usual: Column;
  readonly #fast: TipMultiple;
  readonly #average: TipMultiple;
  readonly #lately: Rolling<SortedValues>;
  readonly #bounds: Rolling<SortedValues>;
  readonly #fullness: Rolling<SortedValues>;

  constructor(history: History) {
    this.#history = history;
    this.#usual = history.column(LANE_PROMISES.average.withinBlocks + 1);
    this.#fast = new TipMultiple(history, 'fast', FAST_AIM);
    this.#average = new TipMultiple(history, 'average', AVERAGE_AIM);
    this.#lately = new Rolling(history.lowTip, new SortedValues());
    this.#bounds = new Rolling(history.lowTip, new SortedValues());
    this.#fullness = new Rolling(history.gasUsedRatio, new SortedValues());
  }

  /** Ingests the head's tips and the verdicts that it settled. */
  push({ fast, average }: Verdicts): void {
    this.#fast.push(fast, this.#usual);
    this.#average.push(average, this.#usual);
    this.followHead();
    this.#usual.put(this.#history.head, this.#lately.tally.quantile(0.5) ?? Number.NaN);
  }

  followHead(): void {
    this.#fast.followHead();
    this.#average.followHead();
    this.#lately.moveTo(this.#history.settled(0, USUAL_BLOCKS));
    this.#bounds.moveTo(this.#history.settled(0, BOUND_BLOCKS));
    this.#fullness.moveTo(this.#history.settled(0, BOUND_BLOCKS));
  }

  /** A block without transactions has no tips. */
  get areKnown(): boolean {
    return this.#bounds.tally.size > 0 && (this.#fullness.tally.quantile(1) ?? 0) > 0;
  }

  /** Wei per gas. A lane that waits longer never tips more. */
  advised(): Tips {
    const fast = this.#offer(this.#fast);
    const average = Math.min(this.#offer(this.#average), fast);
    const slow = Math.min(this.#bounds.tally.quantile(SLOW_SHARE) ?? average, average);
    return { slow, average, fast };
  }

  /** At most the highest tip of the last hour: a multiple of a tiny tip may be anything. */
  #offer({ value }: TipMultiple): number {
    const usual = this.#usual.at(this.#history.head);
    const most = this.#bounds.tally.quantile(1) ?? 0;
    if (value === null || Number.isNaN(usual)) return most;
    return Math.min(wholeWei(Math.ceil(Math.max(usual, 1) * value)), most);
  }
}
