import type { StatsView } from '../../../client/views/dashboard.ts';
import { formatGwei } from '../../../core/units.ts';
import { useWidest } from '../../ui/fact-list.tsx';
import { bold, colored, faint, type Line, plain, rankColor, rankText, shownWidth } from '../../ui/text.tsx';
import { reachedSec, spanOf } from '../../ui/time.ts';
import type { LiveView } from './live-view.ts';

const DAY = '24h';
/** Over a shorter time the price hardly moves. */
const LEAST_RANGE_SEC = 60;
const LEAST_CELLS = 6;
const MOST_CELLS = 60;

/** Where the price is between the extremes of the day, and what share of the day was dearer. */
export function useDayRange({ market, snapshot, trend }: LiveView, width: number): readonly Line[] {
  const { baseFee, nextBaseFee } = snapshot;
  const now = Number(nextBaseFee ?? baseFee);
  const { base = null } = market ?? {};
  const sec = reachedSec(market?.from ?? null, snapshot.blockTimestamp);
  const span = spanOf(sec, DAY);
  // The day's figures are polled less often than the price, which may have left their range.
  const [min, max] = [Math.min(base?.min ?? now, now), Math.max(base?.max ?? now, now)];
  const [low, high] = [formatGwei(min), formatGwei(max)];
  const rank = trend?.percentileRank24h ?? null;
  const verdict = base === null || rank === null ? '' : `   ${verdictOf(rank, now, base, span)}`;
  const [lowRoom = 0, highRoom = 0, verdictRoom = 0] = useWidest([low, high, verdict].map(shownWidth));
  if (base === null || sec < LEAST_RANGE_SEC) return [];
  const around = ` ${span}   ├┤ `.length + lowRoom + highRoom;
  const isSaid = width - around - verdictRoom >= LEAST_CELLS;
  const cells = Math.min(Math.max(width - around - (isSaid ? verdictRoom : 0), LEAST_CELLS), MOST_CELLS);
  const place = Math.round((max > min ? (now - min) / (max - min) : 0.5) * (cells - 1));
  return [
    [
      ...[faint(` ${span}  `), plain(low.padEnd(lowRoom)), faint(` ├${'─'.repeat(place)}`)],
      ...[bold('●', 'accent'), faint(`${'─'.repeat(cells - 1 - place)}┤ `)],
      ...[
        plain(high.padEnd(highRoom)),
        colored(isSaid ? verdict : '', rank === null ? undefined : rankColor(rank)),
      ],
    ],
  ];
}

/** Maximum distance from the median: that of an even number is between two values, and some blocks old. */
const AROUND_MEDIAN = 1.02;

/** Compares the price with the day, correctly even for equal prices; empty where `rank` is of another history. */
function verdictOf(rank: number, now: number, { min, median, max }: StatsView, span: string): string {
  const past = span === DAY ? 'the day' : span === '1h' ? 'the last hour' : `the last ${span}`;
  const off = median === null ? null : now / median;
  if (off !== null && (rank > 0.5 ? off < 1 / AROUND_MEDIAN : off > AROUND_MEDIAN)) return '';
  if (rank === 0) return `${min === max && now === max ? 'unchanged in' : 'the lowest of'} ${past}`;
  if (rank > 0.99) return `among the highest of ${past}`;
  // At most half is below, and it is at least the median: it is the median.
  if (rank <= 0.5 && off !== null && off >= 1) return `the usual price of ${past}`;
  return `${rankText(rank)} of ${past}`;
}
