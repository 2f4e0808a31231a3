import { type Column, feeRatio, type History } from './history.ts';
import { SortedValues } from './rolling.ts';
import { nextShare } from './similar-states.ts';

/** Prices that may be waited for: these quantiles of the prices of one horizon. */
export const QUANTILES = [0.05, 0.08, 0.12, 0.17, 0.23, 0.3, 0.4, 0.5, 0.65, 0.8] as const;
/** Past states are kept 25 times a horizon, at most once a block, over so many horizons. */
const STATES_A_HORIZON = 25;
const STATES = 2_000;
/** Of these so many at most are compared, and this share of them used: the nearest ones, half above and half below. */
const COMPARED = 400;
const NEAREST_SHARE = 0.5;
const LEAST_NEAREST = 10;
const LEAST_STATES = 20;

/** What came after similar states. */
interface Similar {
  /** How many they are, and after how many of them the price came. */
  readonly similar: number;
  readonly reached: number;
  /** Sum of where the others ended, over the price of sending at once. */
  readonly missed: number;
  /** Those of them that do not overlap, and of these those in which the price came. */
  readonly windows: number;
  readonly windowsKept: number;
}

interface PastParts {
  readonly horizonSec: number;
  /** The same by the chain's nominal pace. */
  readonly horizonBlocks: number;
  /** What came of each block, over its price of sending at once, see `createVerdicts`; `pending`: the oldest without. */
  readonly verdicts: { readonly best: Column; readonly last: Column; readonly pending: () => number };
  /** Lowest prices within the shorter horizon; `null`: there is none. */
  readonly soon: Column | null;
}

export type PastStates = ReturnType<typeof createPastStates>;

/** How high the price stood in the past of one horizon, and what came after. */
export function createPastStates(history: History, { horizonSec, horizonBlocks, verdicts, soon }: PastParts) {
  const { time } = history;
  const pace = Math.max(Math.round(horizonBlocks / STATES_A_HORIZON), 1);
  /** Of every `pace`-th block: the logarithm of the price of sending at once over each quantile. */
  const heights = QUANTILES.map(() => history.column(STATES));
  /** Of every such block whose window has ended: the logarithm of how far the price fell. */
  const fall = history.column(STATES);
  const compared = createComparedStates();

  function putCompared(row: number, state: number): void {
    const block = state * pace;
    compared.time[row] = time.at(block);
    compared.fall[row] = fall.at(state);
    compared.last[row] = verdicts.last.at(block);
    compared.soon[row] = soon?.at(block) ?? Number.NaN;
    for (const [quantile, column] of heights.entries()) {
      const height = compared.heights[quantile];
      if (height !== undefined) height.values[row] = column.at(state);
    }
  }

  return {
    /** Whether the state of a block is kept. */
    isKept: (block: number) => block % pace === 0,
    /** Keeps the head's state. `now`: its price of sending at once; `quantileOf`: that of its prices for a share. */
    keep(now: number, quantileOf: (share: number) => number): void {
      const { head } = history;
      if (head % pace > 0) return;
      for (const [quantile, share] of QUANTILES.entries()) {
        heights[quantile]?.put(head / pace, Math.log(feeRatio(now, quantileOf(share))));
      }
    },
    /** Learns what came after the states from block `from` on whose windows have ended. */
    learnSince(from: number): void {
      const last = Math.floor((verdicts.pending() - 1) / pace);
      for (let state = Math.ceil(from / pace); state <= last; state += 1) {
        fall.put(state, -Math.log(verdicts.best.at(state * pace)));
      }
    },
    /** Chooses the states to compare with: the newest ones whose windows have ended, evenly spread. */
    choose(): void {
      const end = Math.floor((verdicts.pending() - 1) / pace);
      const first = Math.max(Math.ceil(history.oldest / pace), end - STATES + 1);
      const stride = Math.max(Math.ceil((end - first + 1) / COMPARED), 1);
      compared.moveTo(Math.ceil(first / stride), Math.floor(end / stride), stride, putCompared);
    },
    /** What came after the states whose price stood as high above its quantile: the nearest higher and lower ones. */
    similarTo(quantile: number, height: number): Similar | null {
      const { count, time, fall, last } = compared;
      const heights = compared.heights[quantile];
      if (heights === undefined || heights.sorted.size < LEAST_STATES) return null;
      const { values, sorted } = heights;
      const half = Math.max(Math.floor(sorted.size * NEAREST_SHARE), LEAST_NEAREST) >> 1;
      const below = sorted.countBelow(height);
      const lowest = below > 0 ? sorted.at(Math.max(below - half, 0)) : height;
      const highest = below < sorted.size ? sorted.at(Math.min(below + half, sorted.size) - 1) : height;
      let similar = 0;
      let reached = 0;
      let missed = 0;
      let windows = 0;
      let windowsKept = 0;
      let before = Number.POSITIVE_INFINITY;
      for (let row = 0; row < count; row += 1) {
        const each = values[row] ?? 0;
        if (!(each > 0 && each >= lowest && each <= highest)) continue;
        const isReached = (fall[row] ?? 0) >= each;
        similar += 1;
        if (isReached) reached += 1;
        else missed += endingAs(last[row] ?? 0, each, height);
        // Windows that overlap add nothing: of the states, youngest first, those a horizon apart count.
        const at = time[row] ?? 0;
        if (before - at < horizonSec) continue;
        before = at;
        windows += 1;
        if (isReached) windowsKept += 1;
      }
      return { similar, reached, missed, windows, windowsKept };
    },
    /** How likely a price that did not come within the shorter horizon still comes within this one. */
    laterShare(ratio: number): number {
      const { count, fall, soon } = compared;
      const least = -Math.log(ratio);
      let open = 0;
      let reached = 0;
      for (let row = 0; row < count; row += 1) {
        if ((soon[row] ?? 0) <= ratio) continue;
        open += 1;
        if ((fall[row] ?? 0) >= least) reached += 1;
      }
      return nextShare(reached, open);
    },
    /** After a rewind: what is compared is read anew. */
    forget: () => compared.forget(),
  };
}

/** The states that are compared, youngest first: every `stride`-th one, numbered in these steps. */
function createComparedStates() {
  const values = () => new Float64Array(COMPARED);
  const facts = {
    time: values(),
    /** Logarithm of how far the price fell after it, its last price, and the lowest one within the shorter horizon. */
    fall: values(),
    last: values(),
    soon: values(),
    /** Logarithm of its price of sending at once over each quantile; in order, those above it. */
    heights: QUANTILES.map(() => ({ values: values(), sorted: new SortedValues() })),
  };
  const all = [facts.time, facts.fall, facts.last, facts.soon, ...facts.heights.map(({ values }) => values)];
  let youngest = -1;
  let stride = 0;
  return {
    ...facts,
    count: 0,
    /** Makes them those from `oldest` to `newest`, in steps; `put` fills a row with a state, only where it is another one. */
    moveTo(oldest: number, newest: number, step: number, put: (row: number, state: number) => void): void {
      const moved = step === stride && newest >= youngest ? newest - youngest : COMPARED;
      const before = this.count;
      this.count = Math.max(newest - oldest + 1, 0);
      const left = Math.max(this.count - moved, 0);
      for (const { values, sorted } of facts.heights) {
        for (let row = left; row < before; row += 1)
          if ((values[row] ?? 0) > 0) sorted.remove(values[row] ?? 0);
      }
      if (moved > 0 && left > 0) for (const each of all) each.copyWithin(moved, 0);
      const fresh = Math.min(moved, this.count);
      for (let row = 0; row < fresh; row += 1) put(row, (newest - row) * step);
      for (const { values, sorted } of facts.heights) {
        for (let row = 0; row < fresh; row += 1) if ((values[row] ?? 0) > 0) sorted.add(values[row] ?? 0);
      }
      youngest = newest;
      stride = step;
    },
    forget(): void {
      stride = 0;
    },
  };
}

/**
 * Where a window that missed its price would have ended had it begun `height` above it, not `own` (logarithms): a rise counts
 * as it was, a fall as the same part of the way down, so that no miss ends below the price that it missed.
 */
const endingAs = (last: number, own: number, height: number): number =>
  last >= 1 ? last : last ** (height / own);
