import type { MarketView } from '../client/views/dashboard.ts';
import { fillsFrame } from './fills-frame.ts';
import { timeFrameSec } from './panes/chart/time-frame.ts';

/**
 * How soon figures are asked for again that grew the last time: asking our own service costs its time alone, another
 * one counts questions.
 */
const OWN_MS = 3_000;
const OTHERS_MS = 15_000;
const SLOWEST_MS = 300_000;

/** When figures that do not yet reach as far back as their time frame are asked for again. */
export interface Growth {
  /** How far they reach, ms since epoch; `null`: nobody says. */
  readonly from: number | null;
  /** `null`: no sooner than otherwise. */
  readonly soonerMs: number | null;
}

/**
 * A history that is being filled reaches further back with each answer and is worth asking about again soon. One that
 * does not is as long as it will be for now, and is asked about half as often each time.
 *
 * @param now ms since epoch
 */
export function growthOf(
  { timeFrame, from, base }: Pick<MarketView, 'timeFrame' | 'from' | 'base'>,
  before: Growth | null,
  { now, isOwnService }: { readonly now: number; readonly isOwnService: boolean },
): Growth {
  const wantedSec = timeFrameSec(timeFrame);
  const isShort = wantedSec !== null && from !== null && !fillsFrame((now - from) / 1_000, wantedSec);
  if (!isShort && base !== null) return { from, soonerMs: null };
  const leastMs = isOwnService ? OWN_MS : OTHERS_MS;
  const grew = before === null || (from !== null && (before.from === null || from < before.from));
  const soonerMs = grew ? leastMs : Math.max(leastMs, (before.soonerMs ?? SLOWEST_MS) * 2);
  return { from, soonerMs: Math.min(soonerMs, SLOWEST_MS) };
}
