import { ClientError } from '../../../client/errors.ts';
import type { ChartView } from '../../../client/views/dashboard.ts';
import {
  describeAdvice,
  keptWords,
  type RecommendationView,
  type SnapshotView,
  type TrendView,
} from '../../../client/views/gas.ts';
import { formatChange, formatGwei, formatLikelihood, formatPercent, formatUsd } from '../../../core/units.ts';
import type { Fact } from '../../ui/fact-list.tsx';
import { changeSpan, type Span } from '../../ui/text.tsx';
import type { ColorName, Theme } from '../../ui/theme.ts';
import { dayText, systemOffset, wholeSpan } from '../../ui/time.ts';
import { fullnessLine } from '../explorer/place-frame.tsx';
import type { LiveView } from './use-live.ts';

/**
 * The recommendation as facts: what to do, how likely, what it saves, and how such advice has held so far. On a narrow
 * screen the last one uses fewer words.
 *
 * @param age how old it is, where it is too old to be followed: then nothing of it is stated; `null`: it is of now
 */
export function adviceFacts(
  advice: RecommendationView,
  theme: Theme,
  narrow: boolean,
  age: string | null = null,
): readonly Fact[] {
  if (age !== null) {
    return [{ id: 'old', spans: [{ text: `advice of ${age}, no longer valid`, color: 'warn' }] }];
  }
  if (advice.action === null) return [whatToDo(advice, theme)];
  return [
    whatToDo(advice, theme),
    likelihood(advice),
    saving(advice, narrow),
    record(advice, narrow),
    claimed(advice),
  ].filter((fact) => fact !== null);
}

const ACTION_COLORS = new Map<string, ColorName>([
  ['SEND_NOW', 'good'],
  ['WAIT', 'warn'],
  ['SET_ALERT', 'accent'],
]);

function whatToDo(advice: RecommendationView, theme: Theme): Fact {
  const { action, target } = describeAdvice(advice);
  const color = ACTION_COLORS.get(advice.action ?? '');
  const words = { text: theme.text(action), bold: true };
  const spans: Span[] = [color === undefined ? words : { ...words, color }];
  if (target !== '') spans.push({ text: ` ${target}` });
  return { id: 'advice', spans };
}

/** The table below names it the mean too. */
function saving({ expectedSavingRatio }: RecommendationView, narrow: boolean): Fact | null {
  if (expectedSavingRatio === null || expectedSavingRatio < 0.005) return null;
  return {
    id: 'saving',
    spans: [{ text: `saves ${formatPercent(expectedSavingRatio)}${narrow ? '' : ' on average'}` }],
  };
}

function likelihood({ probability }: RecommendationView): Fact {
  const text = probability === null ? 'not yet measured' : `${formatLikelihood(probability)} likely`;
  return { id: 'likely', spans: [{ text, faint: probability === null }] };
}

function record({ track }: RecommendationView, narrow: boolean): Fact | null {
  const kept = track === null ? null : keptWords(track);
  if (track === null || kept === null) return null;
  const since = narrow || track.since === null ? '' : ` since ${dayText(track.since, systemOffset)}`;
  return { id: 'record', spans: [{ text: `${kept}${since}`, faint: true }] };
}

/** What was promised of those: a record far below it says how far the likelihood is to be trusted. */
function claimed({ track }: RecommendationView): Fact | null {
  if (track?.statedProbability == null || keptWords(track) === null) return null;
  return {
    id: 'stated',
    spans: [{ text: `stated ${formatPercent(track.statedProbability)}`, faint: true }],
  };
}

/** With the last bucket still to come, an hour is not whole. */
const SHORTEST_HOUR_SEC = 3_300;
const LONGEST_HOUR_SEC = 4_000;

/** What a chart of the last hour really spans: a young history is shorter, a foreign service's frame may be longer. */
export function spanOf(hour: ChartView): string {
  const sec = secondsOf(hour) ?? SHORTEST_HOUR_SEC;
  return sec < SHORTEST_HOUR_SEC || sec > LONGEST_HOUR_SEC ? `last ${wholeSpan(sec)}` : 'last hour';
}

/** What is said of the last hour is of less where the history is younger. */
function youngHour(hour: ChartView | undefined): string {
  const sec = hour && secondsOf(hour);
  return sec == null || sec >= SHORTEST_HOUR_SEC ? 'last hour' : `last ${wholeSpan(sec)}`;
}

function secondsOf({ points, bucketSec }: ChartView): number | null {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined) return null;
  return (last.timestamp - first.timestamp) / 1_000 + (bucketSec ?? 0);
}

const BAR_CELLS = 10;

/** What stands under the lanes, the most important first. What the service did not say is not there. */
export function liveFacts(view: LiveView, theme: Theme): readonly Fact[] {
  const { snapshot, trend } = view;
  return [
    nextBase(snapshot, theme),
    fan(trend, theme),
    congestion(trend),
    direction(view, theme),
    blob(snapshot.blobBaseFee),
    fullness(snapshot.gasUsedRatio, theme),
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
  if (baseFee > 0n)
    spans.push({ text: ' ' }, changeSpan(Number(nextBaseFee - baseFee) / Number(baseFee), theme));
  return { id: 'next', spans };
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
  return {
    id: 'block',
    spans: [{ text: 'last block ', faint: true }, ...fullnessLine(ratio, BAR_CELLS, theme)],
  };
}

function blob(fee: bigint | null): Fact | null {
  if (fee === null) return null;
  return { id: 'blob', spans: [{ text: 'blob base ', faint: true }, { text: `${formatGwei(fee)} gwei` }] };
}

/** How the base fee stands to the hour before it: by how much or, where that is not said, in the service's own word. */
function direction({ trend, hour }: LiveView, theme: Theme): Fact | null {
  if (trend === undefined) return null;
  const { changeRatio } = trend;
  if (changeRatio === null) {
    return { id: 'direction', spans: [{ text: theme.text(trend.direction.toLowerCase()) }] };
  }
  return {
    id: 'direction',
    spans: [
      { text: theme.text(formatChange(changeRatio)) },
      { text: ` against mean of ${youngHour(hour)}`, faint: true },
    ],
  };
}

function congestion(trend: TrendView | undefined): Fact | null {
  if (trend?.congestion == null) return null;
  return {
    id: 'congestion',
    spans: [{ text: 'blocks ', faint: true }, { text: `${formatPercent(trend.congestion)} full` }],
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
    spans: [{ text: 'volatility ', faint: true }, { text: `±${formatPercent(market.volatility)}` }],
  };
}

/**
 * Why a part of the pane is not there, with what matters first: narrow screens show no more than that.
 *
 * @param past the frame around says already why nothing is fresh
 */
export function missingReason(error: Error, past: boolean): string {
  if (!(error instanceof ClientError)) return error.message;
  const { code, endpoint, message } = error;
  if (code === 'not-found') return 'this service has none';
  if (code === 'quota' && error.limit === 'rate') return 'waiting: limit per second';
  // The frame around says why, and until when.
  if (past && (code === 'key' || code === 'quota')) return 'nothing is asked for now';
  if (code !== 'plan') return message;
  // The service's own words come after the route that it refuses.
  const at = message.indexOf(`${endpoint}: `);
  const said = at < 0 ? '' : `: ${message.slice(at + endpoint.length + 2)}`;
  return `plan lacks ${endpoint}${said}`;
}
