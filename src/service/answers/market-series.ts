import type { HistoryStore, Window } from '../../store/history-store.ts';
import type { PricePart } from '../../store/price-parts.ts';
import { ROLLUP_SEC } from '../../store/rollup-tables.ts';

/** A day of Ethereum and some more. */
const MOST_ROWS = 12_000;
const [MINUTE_SEC] = ROLLUP_SEC;

/**
 * The blocks of `window`, ascending: one by one where they are at most `mostRows`, else in the shortest stored buckets
 * that are. How much history there is decides, not what was asked for, so that two windows over the same blocks have the
 * same parts. No part reaches out of the window.
 */
export async function marketSeries(
  history: HistoryStore,
  window: Window,
  mostRows = MOST_ROWS,
): Promise<PricePart[]> {
  if ((await history.countBlocks(window)) <= mostRows) return history.blockPrices(window);
  const from = Math.max(window.from, (await history.reachesBackTo(null)) ?? window.from);
  const fits = (sec: number) => (window.to - from) / sec <= mostRows;
  const bucketSec = ROLLUP_SEC.find(fits) ?? ROLLUP_SEC.at(-1) ?? MINUTE_SEC;
  const firstWhole = Math.ceil(from / bucketSec) * bucketSec;
  const firstCut = Math.max(firstWhole, Math.floor((window.to + 1) / bucketSec) * bucketSec);
  const [before, whole, after] = await Promise.all([
    history.blockPrices({ from, to: Math.min(firstWhole - 1, window.to) }),
    history.bucketPrices(bucketSec, { from: firstWhole, to: firstCut - bucketSec }),
    history.blockPrices({ from: firstCut, to: window.to }),
  ]);
  return [...before, ...whole, ...after];
}
