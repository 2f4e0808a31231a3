import type { BacktestReport } from '../../core/backtest/backtest.ts';
import type { BacktestParts } from './backtest-text.ts';

const DECIMALS = 6;

/** Everything that a backtest measured as one JSON object, documented field by field in docs/COMMANDS.md. */
export function backtestJson(
  { stretch, judged, lanes, horizons, unjudgedHorizons, waits }: BacktestReport,
  about: { readonly file: string; readonly chainId: number },
  parts: BacktestParts,
): string {
  const { withTips, firstTime, lastTime, ...rest } = stretch;
  const answer = {
    ...about,
    stretch: { ...rest, firstTime: iso(firstTime), lastTime: iso(lastTime), blocksWithTips: withTips },
    judged,
    ...(parts.lanes ? { lanes } : {}),
    ...(parts.horizons ? { horizons, unjudgedHorizons, waits } : {}),
  };
  return `${JSON.stringify(answer, (_, value) => plain(value), 2)}\n`;
}

const iso = (sec: number): string => new Date(sec * 1_000).toISOString();

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' ? Number(value.toFixed(DECIMALS)) : value;
}
