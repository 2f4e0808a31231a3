import type { SnapshotView, TrendView } from '../../../client/views/gas.ts';
import { formatChange, formatGwei, formatPercent, formatUsd } from '../../../core/units.ts';
import type { Fact } from '../../ui/fact-list.tsx';
import type { Span } from '../../ui/text.tsx';
import type { Theme } from '../../ui/theme.ts';
import type { LiveView } from './live-view.ts';
import { youngHour } from './span-of.ts';

const BAR_CELLS = 10;

/** What stands under the lanes, the most important first. What the service did not say is not there. */
export function liveFacts(view: LiveView, theme: Theme): readonly Fact[] {
  const { snapshot, trend } = view;
  return [
    nextBase(snapshot, theme),
    fan(trend, theme),
    fullness(snapshot.gasUsedRatio, theme),
    blob(snapshot.blobBaseFee),
    direction(view, theme),
    congestion(trend),
    coin(view),
    volatility(view),
  ].filter((fact) => fact !== null);
}

function nextBase({ baseFee, nextBaseFee }: SnapshotView, theme: Theme): Fact {
  if (nextBaseFee === null) {
    return {
      id: 'next',
      spans: [
        { text: 'base ', faint: true },
        { text: formatGwei(baseFee), bold: true },
      ],
    };
  }
  const spans: Span[] = [
    { text: 'next base ', faint: true },
    { text: formatGwei(nextBaseFee), bold: true },
  ];
  if (baseFee > 0n) spans.push(move(Number(nextBaseFee - baseFee) / Number(baseFee), theme));
  return { id: 'next', spans };
}

/** A change: cheaper is good news. */
function move(ratio: number, theme: Theme): Span {
  const text = theme.text(formatChange(ratio));
  if (ratio > 0.0005) return { text: ` ${theme.glyph.up} ${text}`, color: 'warn' };
  if (ratio < -0.0005) return { text: ` ${theme.glyph.down} ${text}`, color: 'good' };
  return { text: ` ${theme.glyph.steady} ${text}`, faint: true };
}

function fan(trend: TrendView | undefined, theme: Theme): Fact | null {
  const step = trend?.baseFeeFan.at(-1);
  if (step === undefined) return null;
  const blocks = step.blocksAhead === 1 ? '1 block' : `${step.blocksAhead} blocks`;
  return {
    id: 'fan',
    spans: [
      { text: `in ${blocks} `, faint: true },
      { text: `${formatGwei(step.min)} ${theme.glyph.range} ${formatGwei(step.max)}` },
    ],
  };
}

function fullness(ratio: number | null, theme: Theme): Fact | null {
  if (ratio === null) return null;
  const full = Math.min(Math.max(Math.round(ratio * BAR_CELLS), 0), BAR_CELLS);
  return {
    id: 'block',
    spans: [
      { text: 'block ', faint: true },
      { text: theme.glyph.barFull.repeat(full), color: ratio > 0.9 ? 'warn' : 'accent' },
      { text: theme.glyph.barEmpty.repeat(BAR_CELLS - full), faint: true },
      { text: ` ${formatPercent(ratio).padStart(5)} full` },
    ],
  };
}

function blob(fee: bigint | null): Fact | null {
  if (fee === null) return null;
  return { id: 'blob', spans: [{ text: 'blob base ', faint: true }, { text: `${formatGwei(fee)} gwei` }] };
}

const DIRECTIONS = new Map([
  ['RISING', 'rising'],
  ['FALLING', 'falling'],
  ['STABLE', 'steady'],
]);

function direction({ trend, hour }: LiveView, theme: Theme): Fact | null {
  if (trend === undefined) return null;
  const word = DIRECTIONS.get(trend.direction) ?? theme.text(trend.direction.toLowerCase());
  const spans: Span[] = [{ text: `${youngHour(hour)} `, faint: true }, { text: word }];
  if (trend.changeRatio !== null) spans.push(move(trend.changeRatio, theme));
  return { id: 'direction', spans };
}

function congestion(trend: TrendView | undefined): Fact | null {
  if (trend?.congestion == null) return null;
  return {
    id: 'congestion',
    spans: [{ text: 'last blocks ', faint: true }, { text: `${formatPercent(trend.congestion)} full` }],
  };
}

function coin({ snapshot, market, symbol }: LiveView): Fact | null {
  if (snapshot.nativeUsd === null) return null;
  const change = market?.nativeUsdChangeRatio ?? null;
  return {
    id: 'coin',
    spans: [
      { text: `${symbol} `, faint: true },
      { text: formatUsd(snapshot.nativeUsd) },
      ...(change === null ? [] : [{ text: ` ${formatChange(change)}`, faint: true }]),
    ],
  };
}

function volatility({ market }: LiveView): Fact | null {
  if (market?.volatility == null) return null;
  return {
    id: 'volatility',
    spans: [{ text: 'volatility ', faint: true }, { text: formatPercent(market.volatility) }],
  };
}
