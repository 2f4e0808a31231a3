import {
  type Advice,
  type Direction,
  eachLane,
  type FanStep,
  type LanePrices,
  type MeanPrices,
  type Summary,
  type Trend,
} from '../advice.ts';
import { type Block, tipAt } from '../block.ts';
import type { FeeRule } from '../eip1559.ts';
import { changeRatio } from '../market-stats.ts';
import { type Column, History, REWIND_DEPTH, wholeWei } from './history.ts';
import { type Forecast, HorizonForecasts, type Reach, ReachModel } from './horizons.ts';
import { LaneModel, UNKNOWN_TIPS } from './lanes.ts';
import { FanModel, NextBaseFee } from './next-base-fee.ts';
import { recommendation, TrackRecord } from './recommendation.ts';
import { Rolling, SortedValues, takeRanked } from './rolling.ts';
import { AlikeBlocks } from './similar-states.ts';

const DEFAULT_SPAN_SEC = 8 * 86_400;
const LEAST_DEFAULT_CAPACITY = 8_192;
const MOST_CAPACITY = 262_144;
/** With fewer blocks than Slow's window nothing can be judged. */
const LEAST_CAPACITY = 64;
/** Enough to judge lanes and short horizons on. */
export const NEAR_BLOCKS = 2_400;

interface FeeEngineOptions {
  readonly feeRule: FeeRule;
  /** Number of blocks of history; by default eight days at the chain's nominal pace, between 8,192 and 262,144. */
  readonly capacity?: number;
}

/**
 * Learns from blocks, in order, and advises what to pay for the next ones.
 *  It advises at every block and judges that advice once the predicted blocks have come; the probabilities it states
 * are the shares that came true (`null` until there are enough). It knows only pushed blocks. Time per block and
 * memory do not grow with history.
 */
export class FeeEngine {
  readonly #rule: FeeRule;
  readonly #capacity: number;
  #books: Models;
  #head: Block | null = null;
  #advice: Advice | null = null;
  /** The latest blocks, by number in a ring, so that a rewind finds the new head. */
  readonly #recent: (Block | undefined)[] = new Array(REWIND_DEPTH + 1).fill(undefined);

  /** @throws RangeError for a capacity that is no whole number of blocks from 64 to 262,144. */
  constructor({ feeRule, capacity = defaultCapacity(feeRule) }: FeeEngineOptions) {
    if (!Number.isInteger(capacity) || capacity < LEAST_CAPACITY || capacity > MOST_CAPACITY) {
      throw new RangeError(`capacity must be a whole number from ${LEAST_CAPACITY} to ${MOST_CAPACITY}`);
    }
    this.#rule = feeRule;
    this.#capacity = capacity;
    this.#books = openModels(feeRule, capacity);
  }

  get head(): Block | null {
    return this.#head;
  }

  /**
   * Ingests the block after the head. `isWarmUp`: at least {@link NEAR_BLOCKS} more blocks follow before anyone reads the
   * advice, so lanes and short horizons advise more roughly, at a fraction of the cost. @throws RangeError for a gap.
   */
  push(block: Block, isWarmUp = false): void {
    if (!Number.isSafeInteger(block.number) || block.number < 0) {
      throw new RangeError(`a block number is a whole number from 0 on, not ${block.number}`);
    }
    if (this.#head !== null && block.number !== this.#head.number + 1) {
      throw new RangeError(`block ${block.number} does not follow block ${this.#head.number}`);
    }
    const { history, nextBaseFee, lanes, alike, horizons, fan, trend, reach, track } = this.#books;
    keep(history, block);
    const next = nextBaseFee.push(block);
    history.nextBaseFee.put(block.number, Number(next));
    const { formulaHolds, rule } = nextBaseFee;
    lanes.push({ nextBaseFee: next, formulaHolds, rule }, isWarmUp);
    alike.push();
    horizons.push(isWarmUp);
    fan.push();
    trend.followHead();
    reach.followHead();
    // At its floor the base fee cannot fall: there is nothing to wait for.
    const forecasts = isAtFloor(next, rule) ? [] : forecastsOf(this.#books);
    track.push(forecasts, lanes.chance('average').probability);
    this.#recent[block.number % this.#recent.length] = block;
    this.#head = block;
    this.#advice = null;
  }

  /** As if the blocks above had never been pushed. Beyond 1,024 blocks it resets the engine. */
  rewindTo(number: number): void {
    if (this.#head === null || number >= this.#head.number) return;
    this.#advice = null;
    const deepest = Math.max(this.#head.number - REWIND_DEPTH, this.#books.history.origin);
    const head = number >= deepest ? this.#recent[number % this.#recent.length] : undefined;
    if (head === undefined) {
      this.#head = null;
      this.#books = openModels(this.#rule, this.#capacity);
      return;
    }
    this.#head = head;
    const { history, nextBaseFee, lanes, horizons, fan, trend, reach } = this.#books;
    history.moveHead(number);
    for (const book of [nextBaseFee, lanes, horizons, fan, trend, reach]) book.followHead();
  }

  /** What to pay after the head; `null` before the first block. The same object until the head changes. */
  advice(): Advice | null {
    if (this.#head !== null) this.#advice ??= this.#advise(this.#head);
    return this.#advice;
  }

  /** The lanes' prices alone, as in `advice`; `null` before the first block. Cheap. */
  lanePrices(): LanePrices | null {
    return this.#head === null ? null : this.#books.lanes.prices();
  }

  /**
   * The probability of a price at or below `price` (wei per gas, base fee plus tip) within `withinSec` seconds. It rises with
   * price and time, and lies between what the alternatives state of lower prices and times and of higher ones.
   */
  reachProbability(price: bigint, withinSec: number): Reach {
    if (this.#head === null) return { probability: null, reason: 'no block is known yet' };
    const { reach, lanes } = this.#books;
    if (!lanes.areTipsKnown) return UNKNOWN_TIPS;
    const chance = reach.reach(Number(price), withinSec);
    if (chance.probability === null) return chance;
    let least = 0;
    let most = 1;
    for (const { horizonSec, price: promised, probability } of forecastsOf(this.#books)) {
      if (probability === null) continue;
      const target = wholeWei(promised);
      if (horizonSec <= withinSec && target <= Number(price)) least = Math.max(least, probability);
      if (horizonSec >= withinSec && target >= Number(price)) most = Math.min(most, probability);
    }
    return { probability: Math.max(Math.min(chance.probability, most), least), reason: null };
  }

  meanPrices(first: number, last: number): MeanPrices | null {
    const { history } = this.#books;
    if (this.#head === null || first < history.oldest || last > history.head || last < first) return null;
    return eachLane((lane) => meanOf(history.prices[lane], first, last));
  }

  #advise(head: Block): Advice {
    const { history, nextBaseFee, lanes: book, fan, trend: trends, track } = this.#books;
    const next = nextBaseFee.predict(head);
    const { formulaHolds: holds, rule } = nextBaseFee;
    const { minBaseFee: floor } = rule;
    const measuredSec = blockSpacing(history);
    const blockSec = measuredSec ?? this.#rule.blockTimeSec;
    const lanes = book.advice(blockSec);
    const trend = trends.trend(fan.steps(next, head.nextBaseFee !== null || holds, holds));
    const forecasts = forecastsOf(this.#books);
    const score = track.score();
    return {
      blockSec,
      nextBaseFee: next,
      nextBlobBaseFee: head.nextBlobBaseFee,
      ...(floor !== undefined && { floor }),
      lanes,
      trend,
      recommendation: recommendation({
        decision: track.decision(forecasts),
        forecasts,
        lanes,
        trend,
        daySec: trends.daySec,
        blockSec,
        isPaceKnown: measuredSec !== null,
        track: score,
        floor: isAtFloor(next, rule) ? next : null,
        sendNowJudgedRatio: book.scorer('average').judgedRatio,
      }),
    };
  }
}

const isAtFloor = (nextBaseFee: bigint, { minBaseFee }: FeeRule): boolean =>
  minBaseFee !== undefined && nextBaseFee <= minBaseFee;

function defaultCapacity({ blockTimeSec }: FeeRule): number {
  const blocks = Math.ceil(DEFAULT_SPAN_SEC / blockTimeSec);
  return Math.min(Math.max(blocks, LEAST_DEFAULT_CAPACITY), MOST_CAPACITY);
}

function openModels(rule: FeeRule, capacity: number) {
  const history = new History(capacity);
  const nextBaseFee = new NextBaseFee(history, rule);
  const lanes = new LaneModel(history, nextBaseFee);
  const alike = new AlikeBlocks(history);
  const horizons = new HorizonForecasts(history, alike);
  return {
    history,
    nextBaseFee,
    lanes,
    alike,
    horizons,
    fan: new FanModel(history, nextBaseFee),
    trend: new TrendModel(history),
    reach: new ReachModel(history, alike),
    track: new TrackRecord(history, lanes.scorer('average'), horizons.horizons),
  };
}

type Models = ReturnType<typeof openModels>;

/** The horizons' forecasts at the head; a price is base fee plus tip, so without tips there is no probability. */
function forecastsOf({ horizons, lanes, nextBaseFee, history }: Models): readonly Forecast[] {
  const { minBaseFee } = nextBaseFee.rule;
  const floor = Number(minBaseFee ?? 0n);
  const most = 1 - floor / history.sendNow.at(history.head);
  // No price is below the floor, and no wait saves more than what lies above it.
  const forecasts =
    minBaseFee === undefined
      ? horizons.forecasts()
      : horizons.forecasts().map((forecast) => ({
          ...forecast,
          price: Math.max(forecast.price, floor),
          savingRatio: forecast.savingRatio === null ? null : Math.min(forecast.savingRatio, most),
        }));
  if (lanes.areTipsKnown) return forecasts;
  return forecasts.map((forecast) => ({
    ...forecast,
    ...UNKNOWN_TIPS,
    savingRatio: null,
  }));
}

function keep(history: History, block: Block): void {
  const { number } = block;
  const before = history.isEmpty ? block.timestamp : history.time.at(number - 1);
  const lowTip = tipNumber(tipAt(block, 10));
  const baseFee = wholeWei(Number(block.baseFeePerGas));
  history.moveHead(number);
  history.time.put(number, Math.max(block.timestamp, before));
  history.baseFee.put(number, baseFee);
  history.gasUsedRatio.put(number, block.gasUsedRatio);
  history.lowTip.put(number, lowTip);
  history.ask.put(number, baseFee + (Number.isNaN(lowTip) ? 0 : lowTip));
}

function tipNumber(tip: bigint | null): number {
  return tip === null ? Number.NaN : wholeWei(Number(tip));
}

/** Some chains have several blocks in a second, the unit of timestamps: spacing is measured over so many blocks. */
const STRIDE = 8;
const STRIDES = 120;
/** The first blocks of a chain may have any time. */
const FIRST_TIMED = 1;

/** Median seconds between the last blocks; `null` when fewer than two are known, or when their times are equal. */
function blockSpacing({ head, oldest, time }: History): number | null {
  const first = Math.max(oldest, FIRST_TIMED);
  const stride = Math.min(Math.max(Math.floor((head - first) / 2), 1), STRIDE);
  const spacings = new Float64Array(Math.min(Math.max(head - stride - first + 1, 0), STRIDES));
  for (let index = 0; index < spacings.length; index += 1) {
    spacings[index] = (time.at(head - index) - time.at(head - index - stride)) / stride;
  }
  const median = takeRanked(spacings, spacings.length >>> 1);
  return median > 0 ? median : null;
}

const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;
const CONGESTION_BLOCKS = 20;
/** Within ± 5 % of the hour's mean the base fee counts as stable: one block can move it further (12.5 %). */
const STABLE_RATIO = 0.05;

class TrendModel {
  readonly #history: History;
  readonly #hourOfBaseFees: Rolling<SortedValues>;
  readonly #hourOfPriorities: Rolling<SortedValues>;
  readonly #dayOfBaseFees: Rolling<SortedValues>;

  constructor(history: History) {
    this.#history = history;
    this.#hourOfBaseFees = new Rolling(history.baseFee, new SortedValues());
    this.#hourOfPriorities = new Rolling(history.priority, new SortedValues());
    this.#dayOfBaseFees = new Rolling(history.baseFee, new SortedValues());
  }

  followHead(): void {
    const hour = { from: this.#since(HOUR_SEC), to: this.#history.head + 1 };
    this.#hourOfBaseFees.moveTo(hour);
    this.#hourOfPriorities.moveTo(hour);
    this.#dayOfBaseFees.moveTo({ from: this.#since(DAY_SEC), to: this.#history.head + 1 });
  }

  /** Seconds of history behind the day's figures, at most 86,400. */
  get daySec(): number {
    const { time, head } = this.#history;
    return time.at(head) - time.at(this.#since(DAY_SEC));
  }

  trend(baseFeeFan: readonly FanStep[]): Trend {
    const { head, baseFee, priority, nextBaseFee } = this.#history;
    const next = nextBaseFee.at(head);
    const change = changeRatio(next, this.#meanOfHour());
    const day = this.#dayOfBaseFees.tally;
    return {
      direction: directionOf(change),
      changeRatio: change,
      base: summary(this.#hourOfBaseFees.tally, baseFee.at(head)),
      priority: summary(this.#hourOfPriorities.tally, priority.at(head)),
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

/** Zeros when nothing is known; only `now` is 0 when the head's value is unknown. */
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
