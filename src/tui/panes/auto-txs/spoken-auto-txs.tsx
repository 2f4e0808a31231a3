import { Box, Text } from 'ink';
import type { AutoTxDetailsView, AutoTxView } from '../../../client/views/auto-txs.ts';
import { describeDistance } from '../../../client/views/describe-alerts.ts';
import {
  chanceOf,
  describeContent,
  describeReason,
  describeState,
  describeTarget,
  distanceToTarget,
  isOver,
} from '../../../client/views/describe-auto-txs.ts';
import { cleanText } from '../../../core/clean-text.ts';
import { formatPercent } from '../../../core/units.ts';
import { type Line, SpokenSentences } from '../../ui/text.tsx';
import { ASCII_THEME } from '../../ui/theme.ts';
import type { AutoTxContext } from './auto-tx-columns.ts';
import { autoTxFacts } from './auto-tx-facts.ts';
import { checkLines, timelineLines } from './log-lines.ts';

/** Read out at once. */
const SPOKEN = 10;

interface SpokenAutoTxsProps {
  /** From the marked one on. */
  readonly autoTxs: readonly AutoTxView[];
  readonly context: AutoTxContext;
  readonly notices: readonly Line[];
}

/** The list for a screen reader: a sentence for each auto-tx, the marked one first. */
export function SpokenAutoTxs({ autoTxs, context, notices }: SpokenAutoTxsProps) {
  return (
    <Box flexDirection="column">
      <Text>
        Auto-txs, what needs attention first. Enter opens the first one named here, n makes a new one.
      </Text>
      {notices.map((notice) => (
        <Text key={plain(notice)}>{`${plain(notice)}.`}</Text>
      ))}
      {autoTxs.slice(0, SPOKEN).map((autoTx) => (
        <Text key={autoTx.id}>{ASCII_THEME.text(spokenRow(autoTx, context))}</Text>
      ))}
    </Box>
  );
}

function spokenRow(autoTx: AutoTxView, context: AutoTxContext): string {
  const distance = isOver(autoTx) ? null : distanceToTarget(autoTx, context.snapshot);
  const { note } = autoTx;
  const chance = isOver(autoTx) ? null : chanceOf(autoTx);
  const way = distance === null ? null : describeDistance(distance);
  const parts = [
    describeState(autoTx),
    context.describe(autoTx)?.words ?? describeContent(autoTx),
    `when ${describeTarget(autoTx)}`,
    way,
    chance === null ? null : `chance ${formatPercent(chance)}`,
    describeReason(autoTx, context.snapshot, context.present).text,
    note === null || note === '' ? null : cleanText(note),
  ];
  return `${parts.filter((part) => part !== null && part !== '').join(', ')}.`;
}

interface SpokenAutoTxProps {
  readonly autoTx: AutoTxView;
  readonly timeline: AutoTxDetailsView['timeline'];
  readonly context: AutoTxContext;
}

/** One auto-tx for a screen reader. */
export function SpokenAutoTx({ autoTx, timeline, context }: SpokenAutoTxProps) {
  const spoken = { ...context, theme: ASCII_THEME };
  const sentences = [
    spokenRow(autoTx, context),
    ...autoTxFacts(autoTx, spoken).map(({ name, value }) => `${name}: ${plain(value)}.`),
    ...checkLines(autoTx, spoken).map((line) => `Check: ${plain(line)}.`),
    ...(timeline === null ? ['This service keeps no timeline.'] : ['What happened, newest first.']),
    ...timelineLines((timeline ?? []).slice(0, SPOKEN), spoken).map((line) => `${plain(line)}.`),
  ];
  return <SpokenSentences sentences={sentences} />;
}

/** Without gaps that only align. */
function plain(line: Line): string {
  return ASCII_THEME.text(line.map(({ text }) => text).join(''))
    .trim()
    .replace(/\s{2,}/g, ', ');
}
