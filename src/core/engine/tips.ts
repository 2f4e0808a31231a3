import { LANE_PROMISES, type LaneName } from '../advice.ts';
import { type Column, feeRatio, type History, wholeWei } from './history.ts';
import { Rolling, SortedValues } from './rolling.ts';

/** Blocks whose median low tip is called the usual one. */
const USUAL_BLOCKS = 10;
/** Blocks whose tips bound the advice: an hour on mainnet. */
const BOUND_BLOCKS = 300;
/** Blocks that the quantiles are taken over: the one in a hundred that Fast may miss needs many to be seen. */
const TRAILING_BLOCKS = 2_000;
/** A little above the promises, so that the share kept sways about what is still enough. */
const FAST_AIM = 0.993;
const AVERAGE_AIM = 0.955;
/** How far one miss moves a level. */
const STEP = 0.005;
/** Slow has many blocks to choose from and needs only the usual ones within reach. */
const SLOW_SHARE = 0.9;

/** Whether the advice that the head settles got in: 1 or 0, `null` where there was none. */
type Verdicts = Readonly<Record<LaneName, number | null>>;
export type Tips = Readonly<Record<LaneName, number>>;

/**
 * What one lane's blocks let in, as a multiple of the tip that was usual before them: tips drift by the hour and the multiple
 * does not. Its quantile is steered by the lane's own verdicts, which also makes up for caps that fell short.
 */
class TipMultiple {
  readonly #history: History;
  readonly #withinBlocks: number;
  readonly #needed: Column;
  readonly #multiples: Rolling<SortedValues>;
  readonly #level: SteeredLevel;

  constructor(history: History, lane: LaneName, aim: number) {
    this.#history = history;
    this.#withinBlocks = LANE_PROMISES[lane].withinBlocks;
    this.#needed = history.column(TRAILING_BLOCKS + this.#withinBlocks);
    this.#multiples = new Rolling(this.#needed, new SortedValues());
    this.#level = new SteeredLevel(history, aim, STEP);
  }

  push(verdict: number | null, usual: Column): void {
    const { head, oldest, lowTip } = this.#history;
    this.#level.push(verdict ?? 0, verdict === null ? 0 : 1);
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

  /** `null` where no tips are known. */
  get value(): number | null {
    return this.#multiples.tally.quantile(this.#level.value);
  }
}

/** The tip that each lane offers: the least that keeps its promise. 0 where no tips are known. */
export class TipBook {
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

  /** Digests the head's tips and the verdicts that it settled. */
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

  /** A block without transactions says nothing of tips. */
  get areKnown(): boolean {
    return this.#bounds.tally.size > 0 && (this.#fullness.tally.quantile(1) ?? 0) > 0;
  }

  /** Wei per gas. Who waits longer never tips more. */
  advised(): Tips {
    const fast = this.#offer(this.#fast);
    const average = Math.min(this.#offer(this.#average), fast);
    const slow = Math.min(this.#bounds.tally.quantile(SLOW_SHARE) ?? average, average);
    return { slow, average, fast };
  }

  /** No more than what the last hour asked for at most: a multiple of next to nothing may be anything. */
  #offer({ value }: TipMultiple): number {
    const usual = this.#usual.at(this.#history.head);
    const most = this.#bounds.tally.quantile(1) ?? 0;
    if (value === null || Number.isNaN(usual)) return most;
    return Math.min(wholeWei(Math.ceil(Math.max(usual, 1) * value)), most);
  }
}

const LOWEST = 0.5;
const HIGHEST = 1;

/**
 * A quantile level that is moved until the share of promises kept is the one aimed for, whatever the prices do
 * (adaptive conformal inference, Gibbs and Candès 2021). It is kept per block, so a rewind finds it where it was.
 */
class SteeredLevel {
  readonly #history: History;
  readonly #level: Column;
  readonly #aim: number;
  readonly #step: number;

  /** @param step how far one miss moves the level: small against 1 / blocks that a verdict takes. */
  constructor(history: History, aim: number, step: number) {
    this.#history = history;
    this.#level = history.column(2);
    this.#aim = aim;
    this.#step = step;
  }

  /** The level at the head. */
  get value(): number {
    return this.#level.at(this.#history.head);
  }

  /** Carries the level on to the head, moved by the promises that the head settled. */
  push(kept: number, judged: number): void {
    const { head, origin } = this.#history;
    const before = head > origin ? this.#level.at(head - 1) : this.#aim;
    const moved = before + this.#step * (judged * this.#aim - kept);
    this.#level.put(head, Math.min(Math.max(moved, LOWEST), HIGHEST));
  }
}
