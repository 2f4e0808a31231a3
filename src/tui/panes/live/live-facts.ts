import { ClientError } from '../../../client/errors.ts';
import type { ChartView } from '../../../client/views/dashboard.ts';
import { describeAdvice, keptWords, type RecommendationView } from '../../../client/views/gas.ts';
import { formatChange, formatGwei, formatLikelihood, formatPercent, formatUsd } from '../../../core/units.ts';
import type { Fact } from '../../ui/fact-list.tsx';
import { changeSpan, fullnessLine, type Span } from '../../ui/text.tsx';
import type { ColorName, Theme } from '../../ui/theme.ts';
import { dayText, systemOffset, wholeSpan } from '../../ui/time.ts';
import type { LiveView } from './live-pane.tsx';

const ACTION_COLORS = new Map<string, ColorName>([
  ['SEND_NOW', 'good'],
  ['WAIT', 'warn'],
  ['SET_ALERT', 'accent'],
]);
/** The table below names a saving the mean too. */
const LEAST_SAVING = 0.005;

/**
 * The recommendation as facts: what to do, how likely, what it saves, and how such advice has held so far. On a narrow
 * screen the last one uses fewer words.
 *
 * @param age how old it is, where it is too old to be followed: then nothing of it is stated; `null`: it is of now
 */
export function adviceFacts(
  advice: RecommendationView,
  theme: Theme,
  isNarrow: boolean,
  age: string | null = null,
): readonly Fact[] {
  if (age !== null)
    return [{ id: 'old', spans: [{ text: `advice of ${age}, no longer valid`, color: 'warn' }] }];
  const { probability, expectedSavingRatio: saving, track } = advice;
  const { action, target } = describeAdvice(advice);
  const color = ACTION_COLORS.get(advice.action ?? '');
  const todo: Span = { text: theme.text(action), bold: true, ...(color === undefined ? {} : { color }) };
  const first = { id: 'advice', spans: [todo, { text: target === '' ? '' : ` ${target}` }] };
  if (advice.action === null) return [first];
  const likely = probability === null ? 'not yet measured' : `${formatLikelihood(probability)} likely`;
  const kept = track === null ? null : keptWords(track);
  const since = isNarrow || track?.since == null ? '' : ` since ${dayText(track.since, systemOffset)}`;
  // What was promised of those: a record far below it says how far the likelihood is to be trusted.
  const stated = kept === null ? null : (track?.statedProbability ?? null);
  const fact = (id: string, text: string | null, faint = false): readonly Fact[] =>
    text === null ? [] : [{ id, spans: [{ text, faint }] }];
  const worth = saving === null || saving < LEAST_SAVING ? null : `saves ${formatPercent(saving)}`;
  return [
    first,
    ...fact('likely', likely, probability === null),
    ...fact('saving', worth && `${worth}${isNarrow ? '' : ' on average'}`),
    ...fact('record', kept && `${kept}${since}`, true),
    ...fact('stated', stated === null ? null : `stated ${formatPercent(stated)}`, true),
  ];
}

/** With the last bucket still to come, an hour is not whole. */
const SHORTEST_HOUR_SEC = 3_300;
const LONGEST_HOUR_SEC = 4_000;

/** What a chart of the last hour really spans: a young history is shorter, a foreign service's frame may be longer. */
export function spanOf(hour: ChartView, longest = LONGEST_HOUR_SEC): string {
  const [first, last] = [hour.points[0], hour.points.at(-1)];
  const sec =
    first && last ? (last.timestamp - first.timestamp) / 1_000 + (hour.bucketSec ?? 0) : SHORTEST_HOUR_SEC;
  return sec < SHORTEST_HOUR_SEC || sec > longest ? `last ${wholeSpan(sec)}` : 'last hour';
}

const BAR_CELLS = 10;

/** What stands under the lanes, the most important first. What the service did not say is not there. */
export function liveFacts(view: LiveView, theme: Theme): readonly Fact[] {
  const { snapshot, trend, hour, market, symbol } = view;
  const { baseFee, nextBaseFee, blobBaseFee, gasUsedRatio, nativeUsd } = snapshot;
  const fact = <T>(
    id: string,
    name: string,
    value: T | null | undefined,
    said: (value: T) => string | readonly Span[],
  ) => {
    if (value == null) return [];
    const words = said(value);
    return [
      {
        id,
        spans: [{ text: name, faint: true }, ...(typeof words === 'string' ? [{ text: words }] : words)],
      },
    ];
  };
  const change =
    nextBaseFee === null || baseFee === 0n
      ? []
      : [{ text: ' ' }, changeSpan(Number(nextBaseFee - baseFee) / Number(baseFee), theme)];
  const ahead = trend?.baseFeeFan.at(-1);
  const coinChange = market?.nativeUsdChangeRatio ?? null;
  // Of the hour before: how the base fee stands to it, or the service's own word where it does not say by how much.
  const against = ` against mean of ${hour === undefined ? 'last hour' : spanOf(hour, Number.POSITIVE_INFINITY)}`;
  return [
    ...fact('next', nextBaseFee === null ? 'base ' : 'next base ', nextBaseFee ?? baseFee, (wei) => [
      { text: formatGwei(wei), bold: true },
      ...change,
    ]),
    ...fact(
      'fan',
      `in ${ahead?.blocksAhead === 1 ? '1 block' : `${ahead?.blocksAhead} blocks`} `,
      ahead,
      ({ min, max }) => `${formatGwei(min)} ${theme.glyph.range} ${formatGwei(max)}`,
    ),
    ...fact('congestion', 'blocks ', trend?.congestion, (ratio) => `${formatPercent(ratio)} full`),
    ...fact('direction', '', trend, ({ changeRatio, direction }) =>
      changeRatio === null
        ? theme.text(direction.toLowerCase())
        : [{ text: theme.text(formatChange(changeRatio)) }, { text: against, faint: true }],
    ),
    ...fact('blob', 'blob base ', blobBaseFee, (fee) => `${formatGwei(fee)} gwei`),
    ...fact('block', 'last block ', gasUsedRatio, (ratio) => fullnessLine(ratio, BAR_CELLS, theme)),
    ...fact('coin', `${symbol} `, nativeUsd, (usd) => [
      { text: formatUsd(usd) },
      { text: coinChange === null ? '' : ` ${formatChange(coinChange)}`, faint: true },
    ]),
    ...fact('volatility', 'volatility ', market?.volatility, (ratio) => `±${formatPercent(ratio)}`),
  ];
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
