import type { ActionView, NodeView } from '../../../client/views/dashboard.ts';
import { LANES } from '../../../core/advice.ts';
import { formatCount, formatGwei, formatNative, formatUsd } from '../../../core/units.ts';
import { type Line, SpokenSentences } from '../../ui/text.tsx';
import { ASCII_THEME } from '../../ui/theme.ts';
import { marketWords, type StatsRow, statsRows } from './market-lines.ts';
import { quotaLines } from './quota-lines.ts';
import { recordLines, routesLines, summaryLines } from './record-lines.ts';
import type { ServiceContext, ServiceView } from './service-view.ts';
import { sourceTitle } from './source-lines.ts';

interface SpokenServiceProps {
  readonly view: ServiceView;
  readonly context: ServiceContext;
}

/** The Service pane for a screen reader: sentences in the order of their weight, no tables and no drawing. */
export function SpokenService({ view, context }: SpokenServiceProps) {
  const plain = { ...context, width: Number.MAX_SAFE_INTEGER, theme: ASCII_THEME };
  const { summary, day, month, symbol } = view;
  const sentences = [
    words(sourceTitle(view, plain)),
    ...(summary.problem === null ? [] : [summary.problem]),
    ...(summary.value?.health.nodes ?? []).map(nodeSentence),
    ...quotaLines(view, plain).map(words),
    `Market, ${words(marketWords(view, context.now))}`,
    ...statsRows(view, view.snapshot.blockTimestamp ?? context.now).map(statsSentence),
    ...((day.value ?? month.value)?.actions.map((action) => actionSentence(action, symbol)) ?? []),
    ...[...recordLines(view, plain), ...summaryLines(view, plain), ...routesLines(view, plain)].map(words),
  ];
  return <SpokenSentences sentences={sentences.map((sentence) => `${sentence}.`)} />;
}

function nodeSentence({ name, state, head, latencyMs, message }: NodeView): string {
  return [
    `Node ${name}: ${state ?? 'state not known'}`,
    head === null ? null : `head ${formatCount(head)}`,
    latencyMs === null ? null : `answers in ${formatCount(latencyMs)} milliseconds`,
    state === 'ok' ? null : message,
  ]
    .filter((part) => part !== null && part !== '')
    .join(', ');
}

function statsSentence({ name, stats }: StatsRow): string {
  const median = stats.median === null ? '' : `, median ${formatGwei(stats.median)}`;
  const mean = stats.mean === null ? '' : `, mean ${formatGwei(stats.mean)}`;
  return (
    `Over ${name}: ${formatGwei(stats.now)} now, lowest ${formatGwei(stats.min)}${median}${mean}, ` +
    `highest ${formatGwei(stats.max)}`
  );
}

function actionSentence(action: ActionView, symbol: string): string {
  const prices = LANES.flatMap((lane) => {
    const cost = action[lane];
    if (cost === null) return [];
    return [`${lane} ${cost.usd === null ? formatNative(cost.wei, symbol) : formatUsd(cost.usd)}`];
  });
  return `${action.name}: ${prices.join(', ')}`;
}

function words(line: Line): string {
  return (
    line
      .map(({ text }) => text)
      .join('')
      .replace(/[#.]{4,}/g, '')
      .trim()
      // What is set apart on the screen is a part of its own in a sentence.
      .replace(/\s{2,}/g, ', ')
  );
}
