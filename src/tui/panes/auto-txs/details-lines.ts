import type { AutoTxDetailsView } from '../../../client/views/auto-txs.ts';
import { describeContent, describeReason } from '../../../client/views/describe-auto-txs.ts';
import { formatAge } from '../../../core/units.ts';
import { factGrid, sectionLine } from '../../ui/fact-list.tsx';
import { EMPTY_LINE, type Line, wrapText } from '../../ui/text.tsx';
import { type AutoTxContext, stateLine } from './auto-tx-columns.ts';
import { autoTxFacts, minedFacts } from './auto-tx-facts.ts';
import { callLines } from './call-lines.ts';
import { checkLines, timelineLines } from './log-lines.ts';

/** `send 0.01 ETH to 0x7099…79C8`, and how it stands. */
export function detailsTitle(autoTx: AutoTxDetailsView, context: AutoTxContext): readonly Line[] {
  return [
    [{ text: describeContent(autoTx, context.describe(autoTx)), bold: true }],
    stateLine(autoTx, context),
  ];
}

/** All that is known of an auto-tx, in sections. */
export function detailsLines(
  autoTx: AutoTxDetailsView,
  context: AutoTxContext,
  width: number,
): readonly Line[] {
  const { theme } = context;
  const facts = autoTxFacts(autoTx, context, width);
  const mined = minedFacts(autoTx, context);
  const leastName = Math.max(...[...facts, ...mined].map(({ name }) => name.length));
  const section = (title: string, note: Line, lines: readonly Line[]) => [
    EMPTY_LINE,
    sectionLine(title, note),
    ...lines,
  ];
  return [
    ...whyLines(autoTx, context, width),
    ...(mined.length === 0 ? [] : section('Mined', EMPTY_LINE, factGrid(mined, width, theme, leastName))),
    ...section('Order', EMPTY_LINE, factGrid(facts, width, theme, leastName)),
    ...callSection(),
    ...section('Checks', checksNote(autoTx, context), checkLines(autoTx, context, width)),
    ...section('Timeline', timelineNote(autoTx), timelineLines(autoTx.timeline ?? [], context, width)),
  ];

  function callSection(): readonly Line[] {
    const lines = callLines(autoTx, context, width);
    const signature = context.describe(autoTx)?.signature ?? null;
    const note: Line = signature === null ? EMPTY_LINE : [{ text: signature, faint: true }];
    return lines.length === 0 ? [] : section('Call', note, lines);
  }
}

function whyLines(autoTx: AutoTxDetailsView, context: AutoTxContext, width: number): readonly Line[] {
  const { theme } = context;
  const { text, severity } = describeReason(autoTx, context.snapshot, context.present);
  const mark = severity === null ? '' : `${theme.glyph.warning} `;
  return wrapText(
    theme.text(`${mark}${text}`),
    width - 2,
    Number.POSITIVE_INFINITY,
    theme.glyph.ellipsis,
  ).map((part): Line => [{ text: ` ${part}`, ...(severity === null ? {} : { color: severity }) }]);
}

function checksNote({ status, checks, checkedAt }: AutoTxDetailsView, { present }: AutoTxContext): Line {
  if (checks.length === 0) {
    const why = status === 'DRAFT' ? 'none: it is checked when it is signed' : 'this service says none';
    return [{ text: why, faint: true }];
  }
  const age = checkedAt === null ? '' : `, ${formatAge(Math.max(present - checkedAt, 0) / 1_000)}`;
  const failed = checks.filter(({ ok }) => ok === false).length;
  const word =
    failed === 0 ? (checks.every(({ ok }) => ok) ? 'all good' : 'nothing wrong') : `${failed} failed`;
  return [{ text: `${word}${age}`, faint: true }];
}

function timelineNote({ timeline }: AutoTxDetailsView): Line {
  if (timeline === null) return [{ text: 'this service keeps none', faint: true }];
  return [{ text: timeline.length === 0 ? 'nothing yet' : 'newest first', faint: true }];
}
