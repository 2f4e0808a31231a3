import { SortedValues, WindowMinimum } from '../engine/rolling.ts';
import { NAIVE_SHARE, trailingWindows } from './baselines.ts';
import { meanOf, savingOf } from './judge.ts';
import type { Past } from './past.ts';

/** What a rule says to a user who comes at one block: a price to wait for, wei per gas, or to send at once. */
export interface WaitAdvice {
  readonly price: number;
  /** For so long; the whole patience where left out. */
  readonly withinSec?: number;
  /** Stated by gastop alone. */
  readonly probability: number | null;
}

/** A user who comes at a block and can wait so long follows the advice; where the price does not come, the last block takes the transaction. */
export interface PatienceScore {
  readonly patienceSec: number;
  /** Blocks at which each rule had enough history and the time was over before the end or a gap. */
  readonly judged: number;
  readonly rules: readonly PatienceRule[];
}

export interface PatienceRule {
  readonly rule: string;
  readonly kind: 'own' | 'naive' | 'quantile' | 'foresight';
  /** Mean saving over all arrivals against sending in the next block; sending at once saves nothing. */
  readonly saving: number;
  /** Share of arrivals that were told to wait. */
  readonly waits: number;
  /** Of the waits: mean stated probability, share in which the price came; `null` for none. */
  readonly stated: number | null;
  readonly kept: number | null;
  /** Mean price paid over that of the next block, less 1, where the price did not come; `null` for none. */
  readonly missRatio: number | null;
}

/** The windows of one patience: for each arrival its last block; -1 where its time was not over or no block came. */
function windowsOf(past: Past, patienceSec: number): Int32Array {
  const last = new Int32Array(past.blocks.length).fill(-1);
  let end = 0;
  for (let at = 0; at < last.length; at += 1) {
    const until = past.timeAt(at) + patienceSec;
    const stop = past.lastOf(at);
    end = Math.max(end, at);
    while (end < stop && past.timeAt(end + 1) <= until) end += 1;
    if (end > at && end < stop) last[at] = end;
  }
  return last;
}

type Rule = (at: number) => number | null;

/** Prices of so many blocks at least. */
const LEAST_BLOCKS = 50;
const LOW_QUANTILE = 0.08;

/** Waits for a low quantile of the prices of the last time as long as the patience, the known next one included. */
function quantilePrices(past: Past, patienceSec: number) {
  const sorted = new SortedValues();
  const nextPrice = (at: number) => (past.nextBaseFee[at] ?? 0) + (past.asked[at] ?? 0);
  return (share: number): Float64Array => {
    sorted.clear();
    let from = 0;
    let to = 0;
    return Float64Array.from({ length: past.blocks.length }, (_, at) => {
      const first = past.firstOf(at);
      if (from < first) {
        sorted.clear();
        from = first;
        to = first;
      }
      while (to <= at) sorted.add(past.priceAt(to++));
      const isOld = () => past.timeAt(from) < past.timeAt(at) - patienceSec && from <= at + 1 - LEAST_BLOCKS;
      while (isOld()) sorted.remove(past.priceAt(from++));
      const next = nextPrice(at);
      sorted.add(next);
      const price = sorted.quantile(share) ?? next;
      sorted.remove(next);
      return price;
    });
  };
}

/** The naive rule for any time. */
function naiveRule(past: Past, windows: Int32Array): Rule {
  const falls = new Float64Array(past.blocks.length).fill(Number.NaN);
  const lowest = new WindowMinimum();
  let pushed = -1;
  for (let at = 0; at < falls.length; at += 1) {
    const last = windows[at] ?? -1;
    if (last < 0) continue;
    while (pushed < last) lowest.push(++pushed, past.priceAt(pushed));
    lowest.dropBefore(at + 1);
    falls[at] = (lowest.minimum ?? 0) / Math.max(past.priceAt(at + 1), 1);
  }
  const sorted = new SortedValues();
  const ended: number[] = [];
  let next = 0;
  let first = 0;
  const targets = Float64Array.from({ length: falls.length }, (_, at) => {
    if (past.firstOf(at) !== first) {
      first = past.firstOf(at);
      sorted.clear();
      ended.length = 0;
      next = first;
    }
    // The window of `next` is over once a block after its last one is known.
    for (; next < at && (windows[next] ?? -1) >= 0 && (windows[next] ?? 0) < at; next += 1) {
      sorted.add(falls[next] ?? 1);
      ended.push(falls[next] ?? 1);
    }
    const trailing = trailingWindows(past, at);
    while (ended.length > trailing) sorted.remove(ended.shift() ?? 0);
    if (ended.length < trailing) return Number.NaN;
    return ((past.nextBaseFee[at] ?? 0) + (past.asked[at] ?? 0)) * (sorted.quantile(NAIVE_SHARE) ?? 1);
  });
  return (at) => {
    const target = targets[at] ?? Number.NaN;
    return Number.isNaN(target) ? null : target;
  };
}

/** What came of one rule's advice to the arrivals. */
function scoreOf(
  past: Past,
  patienceSec: number,
  arrivals: readonly number[],
  advise: (at: number) => WaitAdvice | null,
): Omit<PatienceRule, 'rule' | 'kind'> {
  const waits: { saving: number; stated: number | null; isKept: boolean }[] = [];
  for (const at of arrivals) {
    const wait = advise(at);
    const next = past.priceAt(at + 1);
    if (wait === null || wait.price >= next) continue;
    const until = past.timeAt(at) + Math.min(wait.withinSec ?? patienceSec, patienceSec);
    const paid = past.paidBy(at, wait.price, until);
    waits.push({ saving: savingOf(paid, next), stated: wait.probability, isKept: paid <= wait.price });
  }
  const missed = waits.filter(({ isKept }) => !isKept);
  const sum = waits.reduce((total, { saving }) => total + saving, 0);
  const hasStated = waits.length > 0 && waits.every(({ stated }) => stated !== null);
  return {
    saving: sum / arrivals.length,
    waits: waits.length / arrivals.length,
    stated: hasStated ? meanOf(waits, ({ stated }) => stated ?? 0) : null,
    kept: waits.length > 0 ? meanOf(waits, ({ isKept }) => Number(isKept)) : null,
    missRatio: missed.length > 0 ? meanOf(missed, ({ saving }) => -saving) : null,
  };
}

/** Steps of the search for the quantile that waits as often. */
const STEPS = 12;

/** Scores the advice for one patience beside other rules, over the same arrivals; `null` where none can be judged. */
export function judgePatience(
  past: Past,
  advice: ReadonlyMap<number, WaitAdvice | null>,
  patienceSec: number,
): PatienceScore | null {
  const windows = windowsOf(past, patienceSec);
  const naive = naiveRule(past, windows);
  const arrivals = [...advice.keys()].filter((at) => (windows[at] ?? -1) >= 0 && naive(at) !== null);
  if (arrivals.length === 0) return null;
  const pricesAt = quantilePrices(past, patienceSec);
  const stating = (rule: Rule) => (at: number) => {
    const price = rule(at);
    return price === null ? null : { price, probability: null };
  };
  const score = (rule: Rule) => scoreOf(past, patienceSec, arrivals, stating(rule));
  const quantileRule = (share: number) => {
    const prices = pricesAt(share);
    return score((at) => prices[at] ?? null);
  };
  const own = scoreOf(past, patienceSec, arrivals, (at) => advice.get(at) ?? null);
  const waitsAt = (share: number) => {
    const prices = pricesAt(share);
    return arrivals.filter((at) => (prices[at] ?? 0) < past.priceAt(at + 1)).length / arrivals.length;
  };
  let [low, high] = [LOW_QUANTILE, 1];
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (waitsAt(middle) > own.waits) low = middle;
    else high = middle;
  }
  const cheapest = (at: number) => {
    let least = Number.POSITIVE_INFINITY;
    for (let block = at + 1; block <= (windows[at] ?? at); block += 1) {
      least = Math.min(least, past.priceAt(block));
    }
    return least;
  };
  return {
    patienceSec,
    judged: arrivals.length,
    rules: [
      { rule: 'gastop', kind: 'own', ...own },
      { rule: 'naive rule', kind: 'naive', ...score(naive) },
      { rule: 'low-quantile rule', kind: 'quantile', ...quantileRule(LOW_QUANTILE) },
      { rule: 'a quantile that waits as often', kind: 'quantile', ...quantileRule(high) },
      { rule: 'perfect foresight', kind: 'foresight', ...score(cheapest) },
    ],
  };
}
