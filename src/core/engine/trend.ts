import type { Direction, FanStep, Summary, Trend } from '../advice.ts';
import { changeRatio } from '../market-stats.ts';
import { type Column, type History, wholeWei } from './history.ts';
import { Rolling, SortedValues } from './rolling.ts';

const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;
const CONGESTION_BLOCKS = 20;
/** Within ± 5 % of the hour's mean the base fee counts as stable: less than one block can move it (12.5 %). */
const STABLE_RATIO = 0.05;

/** What the last hour and day were like. */
export class TrendBook {
  readonly #history: History;
  readonly #hourOfBaseFees: Rolling<SortedValues>;
  readonly #hourOfTips: Rolling<SortedValues>;
  readonly #dayOfBaseFees: Rolling<SortedValues>;

  constructor(history: History) {
    this.#history = history;
    this.#hourOfBaseFees = new Rolling(history.baseFee, new SortedValues());
    this.#hourOfTips = new Rolling(history.medianTip, new SortedValues());
    this.#dayOfBaseFees = new Rolling(history.baseFee, new SortedValues());
  }

  followHead(): void {
    const hour = { from: this.#since(HOUR_SEC), to: this.#history.head + 1 };
    this.#hourOfBaseFees.moveTo(hour);
    this.#hourOfTips.moveTo(hour);
    this.#dayOfBaseFees.moveTo({ from: this.#since(DAY_SEC), to: this.#history.head + 1 });
  }

  /** Seconds of history that the day's figures stand on, 86,400 at most. */
  get daySec(): number {
    const { time, head } = this.#history;
    return time.at(head) - time.at(this.#since(DAY_SEC));
  }

  /** Share of the day's blocks that asked for more than the next one will. */
  get cheaperThanRatio(): number {
    const { nextBaseFee, head } = this.#history;
    const day = this.#dayOfBaseFees.tally;
    return 1 - day.countBelow(nextBaseFee.at(head) + 1) / Math.max(day.size, 1);
  }

  trend(baseFeeFan: readonly FanStep[]): Trend {
    const { head, baseFee, medianTip, nextBaseFee } = this.#history;
    const next = nextBaseFee.at(head);
    const change = changeRatio(next, this.#meanOfHour());
    const day = this.#dayOfBaseFees.tally;
    return {
      direction: directionOf(change),
      changeRatio: change,
      base: summary(this.#hourOfBaseFees.tally, baseFee.at(head)),
      priority: summary(this.#hourOfTips.tally, medianTip.at(head)),
      percentileRank24h: day.countBelow(next) / Math.max(day.size, 1),
      congestion: this.#congestion(),
      baseFeeFan,
    };
  }

  /** The first block less than `seconds` older than the head. */
  #since(seconds: number): number {
    const { time, head } = this.#history;
    return this.#history.firstSince(time.at(head) - seconds);
  }

  #meanOfHour(): number {
    return meanOf(this.#history.baseFee, this.#since(HOUR_SEC), this.#history.head);
  }

  #congestion(): number {
    const { head, oldest, gasUsedRatio } = this.#history;
    const mean = meanOf(gasUsedRatio, Math.max(head - CONGESTION_BLOCKS + 1, oldest), head);
    return Math.min(Math.max(mean, 0), 1);
  }
}

function meanOf(column: Column, from: number, to: number): number {
  let sum = 0;
  for (let block = from; block <= to; block += 1) sum += column.at(block);
  return sum / (to - from + 1);
}

function directionOf(change: number): Direction {
  if (change > STABLE_RATIO) return 'RISING';
  return change < -STABLE_RATIO ? 'FALLING' : 'STABLE';
}

/** Zeros where nothing is known; `now` is 0 where the head alone is unknown. */
function summary(values: SortedValues, now: number): Summary {
  const at = (q: number): bigint => BigInt(wholeWei(values.quantile(q) ?? 0));
  return {
    now: BigInt(Number.isNaN(now) ? 0 : wholeWei(now)),
    min: at(0),
    p25: at(0.25),
    median: at(0.5),
    p75: at(0.75),
    max: at(1),
  };
}
