import {
  type Advice,
  type Chance,
  DEFAULT_PATIENCE_SEC,
  type Direction,
  eachLane,
  type FanStep,
  type Horizon,
  type LanePrices,
  type MeanPrices,
  type PriceSpread,
  type Recommendation,
  type Trend,
} from '../advice.ts';
import { type Block, lowestPaidTip, tipAt } from '../block.ts';
import type { FeeRule } from '../eip1559.ts';
import { changeRatio } from '../market-stats.ts';
import { DAY_SEC, HOUR_SEC } from '../time.ts';
import { type Column, createHistory, type History, REWIND_DEPTH, wholeWei } from './history.ts';
import { createHorizons, createReachModel, type Forecast } from './horizons.ts';
import { createLaneModel, type LaneScorer } from './lanes.ts';
import { createFanModel, createNextBaseFee } from './next-base-fee.ts';
import { createTrackRecord, NO_TRACK, recommendation, toHorizon } from './recommendation.ts';
import { SortedValues } from './rolling.ts';
import { createAlikeBlocks } from './similar-states.ts';

const DEFAULT_SPAN_SEC = 8 * 86_400;
const LEAST_DEFAULT_CAPACITY = 8_192;
const MOST_CAPACITY = 262_144;
/** Enough to judge lanes and short horizons on. */
export const NEAR_BLOCKS = 2_400;

/** Learns from blocks, in order, and advises what to pay for the next ones, with the shares of its advice that came true. */
export class FeeEngine {
  readonly #rule: FeeRule;
  readonly #capacity: number;
  readonly #patienceSec: number;
  readonly #isForPrices: boolean;
  #models: Models;
  #head: Block | null = null;
  #advice: Advice | null = null;
  /** The latest blocks, by number in a ring, so that a rewind finds the new head. */
  readonly #recent: (Block | undefined)[] = new Array(REWIND_DEPTH + 1).fill(undefined);

  /**
   * @param capacity blocks of history; by default eight days at the chain's nominal pace, 8,192 to 262,144
   * @param patienceSec of the recommendation in `advice`
   * @param isForPrices learns no waits, at half the cost: advice is that of no history, and no price is known to come
   */
  constructor({
    feeRule,
    capacity = defaultCapacity(feeRule),
    patienceSec = DEFAULT_PATIENCE_SEC,
    isForPrices = false,
  }: {
    feeRule: FeeRule;
    capacity?: number;
    patienceSec?: number;
    isForPrices?: boolean;
  }) {
    this.#rule = feeRule;
    this.#patienceSec = patienceSec;
    this.#capacity = capacity;
    this.#isForPrices = isForPrices;
    this.#models = openModels(feeRule, capacity, isForPrices);
  }

  get head(): Block | null {
    return this.#head;
  }

  /**
   * Ingests the block after the head. `isWarmUp`: at least {@link NEAR_BLOCKS} more blocks follow before anyone reads the
   * advice, so lanes and short horizons advise more roughly, at a fraction of the cost. @throws RangeError for a gap.
   */
  push(block: Block, isWarmUp = false): void {
    if (this.#head !== null && block.number !== this.#head.number + 1) {
      throw new RangeError(`block ${block.number} does not follow block ${this.#head.number}`);
    }
    const { history, nextBaseFee, lanes, fan, waits } = this.#models;
    keep(history, block, lanes.leastTip());
    const next = nextBaseFee.push(block);
    history.nextBaseFee.put(block.number, Number(next));
    lanes.push(next, isWarmUp);
    waits?.alike.push();
    waits?.horizons.push(lanes.slowPromise(), isWarmUp);
    fan.push();
    waits?.reach.followHead();
    history.follow();
    // At its floor the base fee cannot fall: there is nothing to wait for.
    const forecasts = isAtFloor(next, nextBaseFee.rule) ? [] : forecastsOf(this.#models);
    waits?.track.push(forecasts, lanes.chance('average').probability);
    this.#recent[block.number % this.#recent.length] = block;
    this.#head = block;
    this.#advice = null;
  }

  /** As if the blocks above had never been pushed. Beyond 1,024 blocks below the highest that was, it resets the engine. */
  rewindTo(number: number): void {
    if (this.#head === null || number >= this.#head.number) return;
    this.#advice = null;
    const found = this.#recent[number % this.#recent.length];
    // A rewind after another may reach blocks whose place later ones have taken.
    const head = found?.number === number && number >= this.#models.history.origin ? found : undefined;
    if (head === undefined) {
      this.#head = null;
      this.#models = openModels(this.#rule, this.#capacity, this.#isForPrices);
      return;
    }
    this.#head = head;
    const { history, waits } = this.#models;
    history.moveHead(number);
    waits?.horizons.followHead();
    waits?.reach.followHead();
    history.follow();
  }

  /** What to pay after the head; `null` before the first block. The same object until the head changes. */
  advice(): Advice | null {
    if (this.#head !== null) this.#advice ??= this.#advise(this.#head);
    return this.#advice;
  }

  /** The lanes' prices alone, as in `advice`; `null` before the first block. Cheap. */
  lanePrices(): LanePrices | null {
    return this.#head === null ? null : this.#models.lanes.prices();
  }

  /** Of a price (wei per gas, with tip) at or below this, in seconds. It lies between what the alternatives state around it. */
  reachProbability(price: bigint, withinSec: number): Chance {
    if (this.#head === null) return { probability: null, reason: 'no block is known yet' };
    const { waits, lanes } = this.#models;
    const unknownTips = lanes.whyTipsAreUnknown();
    if (unknownTips !== null) return unknownTips;
    if (waits === null) return { probability: null, reason: 'no history is read' };
    const chance = waits.reach.reach(Number(price), withinSec);
    let least = 0;
    let most = 1;
    for (const { horizonSec, price: promised, probability } of forecastsOf(this.#models)) {
      if (probability === null) continue;
      const target = wholeWei(promised);
      if (horizonSec <= withinSec && target <= Number(price)) least = Math.max(least, probability);
      if (horizonSec >= withinSec && target >= Number(price)) most = Math.min(most, probability);
    }
    // It takes more history than the alternatives: until then what they state of this very price is all that is known.
    if (chance.probability === null && least < most) return chance;
    return { probability: Math.max(Math.min(chance.probability ?? most, most), least), reason: null };
  }

  meanPrices(first: number, last: number): MeanPrices | null {
    const { history } = this.#models;
    if (this.#head === null || first < history.oldest || last > history.head || last < first) return null;
    return eachLane((lane) => meanOf(history.prices[lane], first, last));
  }

  /** The best advice for this patience; `null` before the first block. Cheap: it reads what `push` found. */
  recommendation(patienceSec: number): Recommendation | null {
    const advice = this.advice();
    if (advice === null || patienceSec === this.#patienceSec) return advice?.recommendation ?? null;
    return this.#recommend(advice, patienceSec);
  }

  /** The advised wait for this patience, one of the alternatives; `null`: send now. */
  waitFor(patienceSec: number): Horizon | null {
    const decision = this.#decision(forecastsOf(this.#models), patienceSec);
    return decision === null ? null : toHorizon(decision);
  }

  #decision(forecasts: readonly Forecast[], patienceSec: number): Forecast | null {
    return this.#models.waits?.track.decision(forecasts, patienceSec) ?? null;
  }

  #recommend(
    { lanes, trend, blockSec, nextBaseFee: next }: Omit<Advice, 'recommendation'>,
    patienceSec: number,
  ): Recommendation {
    const { history, nextBaseFee, lanes: laneModel, trend: trendModel, waits } = this.#models;
    const forecasts = forecastsOf(this.#models);
    return recommendation({
      patienceSec,
      decision: this.#decision(forecasts, patienceSec),
      forecasts,
      lanes,
      trend,
      daySec: trendModel.daySec,
      blockSec,
      isPaceKnown: blockSpacing(history) !== null,
      track: waits?.track.score(patienceSec) ?? NO_TRACK,
      floor: isAtFloor(next, nextBaseFee.rule) ? next : null,
      sendNowJudgedRatio: laneModel.scorers.average.judgedRatio,
    });
  }

  #advise(head: Block): Advice {
    const { history, nextBaseFee, lanes: laneModel, fan, trend: trendModel } = this.#models;
    const next = nextBaseFee.predict(head);
    const { rule } = nextBaseFee;
    const blockSec = blockSpacing(history) ?? this.#rule.blockTimeSec;
    const lanes = laneModel.advice(blockSec);
    const trend = trendModel.trend(fan.steps(next, nextBaseFee.isKnown(head), nextBaseFee));
    const advice = {
      blockSec,
      nextBaseFee: next,
      nextBlobBaseFee: head.nextBlobBaseFee,
      ...(rule.minBaseFee !== undefined && { floor: rule.minBaseFee }),
      lanes,
      trend,
    };
    return { ...advice, recommendation: this.#recommend(advice, this.#patienceSec) };
  }
}

const isAtFloor = (nextBaseFee: bigint, { minBaseFee }: FeeRule): boolean =>
  minBaseFee !== undefined && nextBaseFee <= minBaseFee;

function defaultCapacity({ blockTimeSec }: FeeRule): number {
  const blocks = Math.ceil(DEFAULT_SPAN_SEC / blockTimeSec);
  return Math.min(Math.max(blocks, LEAST_DEFAULT_CAPACITY), MOST_CAPACITY);
}

function openModels(rule: FeeRule, capacity: number, isForPrices: boolean) {
  const history = createHistory(capacity);
  const nextBaseFee = createNextBaseFee(history, rule);
  const lanes = createLaneModel(history, nextBaseFee);
  return {
    history,
    nextBaseFee,
    lanes,
    fan: createFanModel(history),
    trend: createTrendModel(history),
    waits: isForPrices ? null : openWaits(history, rule, lanes.scorers.average),
  };
}

/** What later prices may be waited for. */
function openWaits(history: History, { blockTimeSec }: FeeRule, sent: LaneScorer) {
  const alike = createAlikeBlocks(history);
  const horizons = createHorizons(history, blockTimeSec);
  const reach = createReachModel(history, alike);
  return { alike, horizons, reach, track: createTrackRecord(history, blockTimeSec, sent, horizons) };
}

type Models = ReturnType<typeof openModels>;

/** The horizons' forecasts at the head; a price is base fee plus tip, so without evidence of tips there is no probability. */
function forecastsOf({ waits, lanes, nextBaseFee, history }: Models): readonly Forecast[] {
  if (waits === null || history.head < 0) return [];
  // No price is below the floor, and no wait saves more than what lies above it.
  const floor = Number(nextBaseFee.rule.minBaseFee ?? 0n) + lanes.leastTip();
  return waits.horizons.forecasts(floor, lanes.whyTipsAreUnknown());
}

/** @param leastTip that nodes take, as known before this block */
function keep(history: History, block: Block, leastTip: number): void {
  const { number } = block;
  const before = history.head < 0 ? block.timestamp : history.time.at(number - 1);
  const weiOf = (tip: bigint | null) => (tip === null ? Number.NaN : wholeWei(Number(tip)));
  const isFirst = history.head < 0;
  // `NaN` stays.
  const lowTip = Math.max(weiOf(lowestPaidTip(block)), leastTip);
  const baseFee = wholeWei(Number(block.baseFeePerGas));
  history.moveHead(number);
  /** Of the block before, where this one has none. */
  const carry = (column: Column, value: number) => {
    const known = Number.isNaN(value) && !isFirst ? column.at(number - 1) : value;
    column.put(number, known);
    return known;
  };
  history.time.put(number, Math.max(block.timestamp, before));
  history.baseFee.put(number, baseFee);
  history.gasUsedRatio.put(number, block.gasUsedRatio);
  history.lowTip.put(number, lowTip);
  history.midTip.put(number, (lowestPaidTip(block) ?? 0n) > 0n ? weiOf(tipAt(block, 50)) : Number.NaN);
  carry(history.suggestedTip, weiOf(block.suggestedTip ?? null));
  const asked = carry(history.lastTip, lowTip);
  history.ask.put(number, baseFee + (Number.isNaN(asked) ? leastTip : Math.max(asked, leastTip)));
}

/** Some chains have several blocks in a second, the unit of timestamps: spacing is measured over so many blocks. */
const STRIDE = 8;
const STRIDES = 120;
/** The first blocks of a chain may have any time. */
const FIRST_TIMED = 1;

/** Median seconds between blocks; `null` when unknown. */
function blockSpacing({ head, oldest, time }: History): number | null {
  const first = Math.max(oldest, FIRST_TIMED);
  const stride = Math.min(Math.max(Math.floor((head - first) / 2), 1), STRIDE);
  const spacings = new Float64Array(Math.min(Math.max(head - stride - first + 1, 0), STRIDES));
  for (let index = 0; index < spacings.length; index += 1) {
    spacings[index] = (time.at(head - index) - time.at(head - index - stride)) / stride;
  }
  const median = spacings.sort()[spacings.length >>> 1] ?? 0;
  return median > 0 ? median : null;
}

const CONGESTION_BLOCKS = 20;
/** Within ± 5 % of the hour's mean the base fee counts as stable: one block can move it further (12.5 %). */
const STABLE_RATIO = 0.05;

function createTrendModel(history: History) {
  const { time, baseFee, priority, gasUsedRatio } = history;
  /** The first block less than `seconds` older than the head. */
  const since = (seconds: number) => history.firstSince(time.at(history.head) - seconds);
  const last = (seconds: number) => () => ({ from: since(seconds), to: history.head + 1 });
  const hourOfBaseFees = history.rolling(baseFee, new SortedValues(), last(HOUR_SEC));
  const hourOfPriorities = history.rolling(priority, new SortedValues(), last(HOUR_SEC));
  const dayOfBaseFees = history.rolling(baseFee, new SortedValues(), last(DAY_SEC));
  return {
    /** Seconds of history behind the day's figures, at most 86,400. */
    get daySec(): number {
      return time.at(history.head) - time.at(since(DAY_SEC));
    },
    trend(baseFeeFan: readonly FanStep[]): Trend {
      const { head, oldest } = history;
      const next = history.nextBaseFee.at(head);
      const change = changeRatio(next, meanOf(baseFee, since(HOUR_SEC), head)) ?? 0;
      const day = dayOfBaseFees.tally;
      const fullness = meanOf(gasUsedRatio, Math.max(head - CONGESTION_BLOCKS + 1, oldest), head);
      return {
        direction: directionOf(change),
        changeRatio: change,
        base: summary(hourOfBaseFees.tally, baseFee.at(head)),
        priority: summary(hourOfPriorities.tally, priority.at(head)),
        percentileRank24h: day.countBelow(next) / Math.max(day.size, 1),
        congestion: Math.min(Math.max(fullness, 0), 1),
        baseFeeFan,
      };
    },
  };
}

function meanOf(column: Column, from: number, to: number): number {
  let sum = 0;
  for (let block = from; block <= to; block += 1) sum += column.at(block);
  return sum / (to - from + 1);
}

const directionOf = (change: number): Direction =>
  change > STABLE_RATIO ? 'RISING' : change < -STABLE_RATIO ? 'FALLING' : 'STABLE';

/** Zeros when nothing is known; only `now` is 0 when the head's value is unknown. */
function summary(values: SortedValues, now: number): PriceSpread {
  const at = (q: number): bigint => BigInt(wholeWei(values.quantile(q) ?? 0));
  const head = BigInt(Number.isNaN(now) ? 0 : wholeWei(now));
  return { now: head, min: at(0), p25: at(0.25), median: at(0.5), p75: at(0.75), max: at(1) };
}
