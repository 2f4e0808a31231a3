import type { Chance } from '../advice.ts';
import { formatDuration } from '../units.ts';
import { type BlockSpan, type Column, feeRatio, type History } from './history.ts';
import { takeRanked, WholeSum } from './rolling.ts';

/** Features of a state: the price relative to its averages over so many blocks, to which it tends to return. */
const SHORT_BLOCKS = 3;
const MIDDLE_BLOCKS = 50;
const LONG_BLOCKS = 300;
/** And the movement of the base fee between blocks, over this many blocks: a volatile price falls further. */
const RESTLESS_BLOCKS = 15;
const LEAST_MOVE = 0.01;
/** Number of past states searched, number of nearest ones used, and the minimum. */
export const MEMORY_BLOCKS = 2_000;
export const NEIGHBOURS = 150;
const LEAST_STATES = 100;
/** When there are few states, only this share of them is used. */
const MOST_SHARE = 0.25;
/** Logarithms in whole ten-thousandths: sums of their squares stay exact; smaller differences are noise. */
const LOG_SCALE = 1e4;

/** Filled and read within one call: new arrays at each block would double its cost. */
const STATE = new Float64Array(MEMORY_BLOCKS);
const DISTANCE = new Float64Array(MEMORY_BLOCKS);
const NEAREST = new Float64Array(NEIGHBOURS);

const scaledLog = (value: number) => Math.round(Math.log(value) * LOG_SCALE);

/** Nearest neighbours by the price over its averages and by volatility. @param age blocks that must follow a state */
export function createNearestStates(history: History, age: number) {
  const logPrice = history.column(LONG_BLOCKS);
  const move = history.column(RESTLESS_BLOCKS);
  const feature = (source: Column, blocks: number, of: (mean: number) => number) => {
    const column = history.column(MEMORY_BLOCKS + age);
    const recent = history.rolling(source, new WholeSum(), blocks);
    const spread = history.rolling(column, new Spread(), MEMORY_BLOCKS, age);
    const states = new Float64Array(MEMORY_BLOCKS);
    /** Of the states in the span, and of the present one; its scale makes distances comparable. One below 1 is rounding. */
    const at = (span: BlockSpan): Measured => {
      column.copy(span, states);
      return { states, now: column.at(history.head), scale: 1 / Math.max(spread.tally.variance, 1) };
    };
    return { of, column, recent, at };
  };
  const overMean = (blocks: number) => feature(logPrice, blocks, (mean) => logPrice.at(history.head) - mean);
  const [short, middle, long] = [overMean(SHORT_BLOCKS), overMean(MIDDLE_BLOCKS), overMean(LONG_BLOCKS)];
  const restless = feature(move, RESTLESS_BLOCKS, (mean) => LOG_SCALE * Math.log(mean + LEAST_MOVE));
  const features = [short, middle, long, restless];

  return {
    /** Ingests the head's state; its price of sending at once must be known. */
    push(): void {
      const { head, baseFee, nextBaseFee, sendNow } = history;
      logPrice.put(head, scaledLog(Math.max(sendNow.at(head), 1)));
      const moved = Math.abs(Math.log(feeRatio(nextBaseFee.at(head), baseFee.at(head))));
      move.put(head, Math.round(moved * LOG_SCALE));
      for (const { recent, of, column } of features) column.put(head, Math.round(of(recent.tally.mean ?? 0)));
    },
    /** The nearest sufficiently old blocks, in order, valid until the next call; `null` while there are too few. */
    nearest(): Float64Array | null {
      const span = history.settled(age, MEMORY_BLOCKS);
      const count = span.to - span.from;
      if (count < LEAST_STATES) return null;
      const states = STATE.subarray(0, count);
      const distance = DISTANCE.subarray(0, count);
      putDistances(distance, short.at(span), middle.at(span), long.at(span), restless.at(span));
      const wanted = Math.min(NEIGHBOURS, Math.floor(count * MOST_SHARE));
      states.set(distance);
      const limit = takeRanked(states, wanted - 1);
      const found = NEAREST.subarray(0, wanted);
      // Among equally near ones, the youngest. Not `<=`: if distances are `NaN` the loop still finds enough, and ends.
      for (let index = count - 1, left = wanted; left > 0; index -= 1) {
        if (!((distance[index] ?? 0) > limit)) found[--left] = span.from + index;
      }
      return found;
    },
  };
}

interface Measured {
  readonly states: Float64Array;
  readonly now: number;
  readonly scale: number;
}

/** The squared distance of each state from the present one. In one pass: one for each feature takes four times as long. */
function putDistances(
  distance: Float64Array,
  short: Measured,
  middle: Measured,
  long: Measured,
  restless: Measured,
): void {
  for (let index = 0; index < distance.length; index += 1) {
    const fromShort = (short.states[index] ?? 0) - short.now;
    const fromMiddle = (middle.states[index] ?? 0) - middle.now;
    const fromLong = (long.states[index] ?? 0) - long.now;
    const fromRestless = (restless.states[index] ?? 0) - restless.now;
    distance[index] =
      fromShort * fromShort * short.scale +
      fromMiddle * fromMiddle * middle.scale +
      fromLong * fromLong * long.scale +
      fromRestless * fromRestless * restless.scale;
  }
}

/** Adds the squared distance of each state from the present one, over their variance; one below 1 is rounding. */
function addDistances(distance: Float64Array, states: Float64Array, now: number, variance: number): void {
  const scale = 1 / Math.max(variance, 1);
  for (let index = 0; index < states.length; index += 1) {
    const apart = (states[index] ?? 0) - now;
    distance[index] = (distance[index] ?? 0) + apart * apart * scale;
  }
}

class Spread extends WholeSum {
  #squares = 0;

  get variance(): number {
    return this.mean === null ? 0 : Math.max(this.#squares / this.count - this.mean ** 2, 0);
  }

  override add(value: number): void {
    super.add(value);
    this.#squares += value * value;
  }

  override remove(value: number): void {
    super.remove(value);
    this.#squares -= value * value;
  }

  override clear(): void {
    super.clear();
    this.#squares = 0;
  }
}

/** Features of a state: the price relative to its averages over these multiples of the wait. */
const AVERAGES = [0.2, 2, 12] as const;
/** Past states searched, spread evenly over this many times, and the number of nearest ones used. */
const STATES = 300;
const LOOK_BACK_TIMES = 80;
const SIMILAR_BLOCKS = 75;
const LEAST_BLOCKS = 100;

export type AlikeBlocks = ReturnType<typeof createAlikeBlocks>;

/** Finds past blocks with prices similar to the head's, for a wait of any length. */
export function createAlikeBlocks(history: History) {
  /** Sum of the logarithms of all prices up to a block, from which the average over any stretch follows. */
  const logSum = history.column();

  /** Logarithm of the price at `block` relative to the average of its last `length` blocks. */
  function overAverage(block: number, length: number, oldest: number): number {
    const from = Math.max(block - length, oldest);
    if (from === block) return 0;
    const sum = logSum.at(block);
    return sum - logSum.at(block - 1) - (sum - logSum.at(from)) / (block - from);
  }

  return {
    /** Ingests the head; its price of sending at once must be known. */
    push(): void {
      const { head, origin, sendNow } = history;
      const before = head > origin ? logSum.at(head - 1) : 0;
      logSum.put(head, before + scaledLog(Math.max(sendNow.at(head), 1)));
    },
    /** The blocks before `end` most similar to the head, youngest first; `null` when they are too few or too short. */
    before(end: number, timeSec: number, leastSec: number): Float64Array | null {
      const { oldest, time, head } = history;
      if (end - oldest < LEAST_BLOCKS) return null;
      const seenSec = time.at(end - 1) - time.at(oldest);
      if (seenSec < leastSec || seenSec === 0) return null;
      const blocks = Math.max(Math.round((timeSec * (end - 1 - oldest)) / seenSec), 1);
      const reach = end - Math.max(oldest, end - Math.max(blocks * LOOK_BACK_TIMES, STATES));
      const stride = Math.max(reach / STATES, 1);
      const count = Math.min(reach, STATES);
      const blockAt = (index: number) => Math.floor(end - 1 - index * stride);
      const states = STATE.subarray(0, count);
      const distance = DISTANCE.subarray(0, count).fill(0);
      for (const times of AVERAGES) {
        const length = Math.max(Math.round(blocks * times), 1);
        let sum = 0;
        let squares = 0;
        for (let index = 0; index < count; index += 1) {
          const value = overAverage(blockAt(index), length, oldest);
          states[index] = value;
          sum += value;
          squares += value * value;
        }
        addDistances(
          distance,
          states,
          overAverage(head, length, oldest),
          squares / count - (sum / count) ** 2,
        );
      }
      const wanted = Math.min(SIMILAR_BLOCKS, Math.floor(count * MOST_SHARE));
      states.set(distance);
      const limit = takeRanked(states, wanted - 1);
      let found = 0;
      for (let index = 0; index < count; index += 1) {
        if ((distance[index] ?? 0) <= limit) states[found++] = blockAt(index);
      }
      return states.slice(0, found);
    },
  };
}

export const unknownChance = (reason: string): Chance => ({ probability: null, reason });

/** No probability: `count` pieces of advice were judged, and `enough` are needed. */
export const unjudged = (count: number, enough: number): Chance =>
  unknownChance(`not measured yet, ${count} of ${enough} blocks`);

/** No probability: so much history is needed. On a chain too fast to keep that, the reason says so. */
export function tooLittlePast({ mostSec, pastSec: knownSec }: History, pastSec: number): Chance {
  const takes = formatDuration(pastSec);
  return mostSec < pastSec
    ? unknownChance(
        `it takes ${takes} of blocks, and ${formatDuration(mostSec)} are kept of a chain this fast`,
      )
    : unknownChance(
        `too little history, ${formatDuration(Math.min(knownSec, pastSec - 1))} of the ${takes} that it takes`,
      );
}

/** How likely a success is after so many independent outcomes: never certain, and 1 in 2 before the first (Laplace's rule of succession). */
export const nextShare = (successes: number, outcomes: number) => (successes + 1) / (outcomes + 2);
