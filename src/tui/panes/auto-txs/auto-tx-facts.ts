import {
  callOf,
  checkSign,
  describeChecks,
  describeContent,
  describeData,
  describeMostFee,
  describeOrder,
  describeOutcome,
  describeProgress,
  describeReason,
  describeSigned,
  describeState,
  describeTarget,
  sizeText,
} from '../../../client/views/auto-tx-texts.ts';
import {
  type AutoTxDetailsView,
  type AutoTxStateView,
  type AutoTxView,
  autoTxState,
  type CheckView,
  chanceOf,
  distanceToTarget,
  isOver,
  isUnsent,
  needsAttention,
  obstacleOf,
  statusOf,
  type TimelineEntryView,
} from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { describeTxType } from '../../../client/views/metrics.ts';
import { plainWord } from '../../../client/views/words.ts';
import { maxCostText } from '../../../core/auto-txs/cost-limit.ts';
import { coinSymbol } from '../../../core/chains.ts';
import { cleanText, hexText, shortHex, withShortHashes } from '../../../core/text.ts';
import {
  formatCount,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatSpan,
  shortGwei,
  UNKNOWN,
} from '../../../core/units.ts';
import {
  factGrid,
  factOf,
  given,
  hangingLines,
  longFact,
  type NamedValue,
  pendingLines,
  section,
  toldFacts,
  wrappedLines,
} from '../../ui/fact-list.tsx';
import type { PaneContext } from '../../ui/pane-context.tsx';
import { distanceCell, known, leftColumn, noteCell, rightColumn, type TableColumn } from '../../ui/table.tsx';
import {
  bold,
  colored,
  faint,
  filledTo,
  fitText,
  type Line,
  plain,
  type Span,
  shownWidth,
} from '../../ui/text.tsx';
import type { ColorName } from '../../ui/theme.ts';
import { ageText, aheadText, momentText, secondText } from '../../ui/time.ts';

export const detailsTitle = (autoTx: AutoTxDetailsView) => [
  [bold(describeContent(autoTx))],
  stateLine(autoTx),
];

export function detailsLines(autoTx: AutoTxDetailsView, context: PaneContext): readonly Line[] {
  const { width } = context;
  const facts = orderFacts(autoTx, context);
  const isMined = autoTx.blockNumber !== null || autoTx.costWei !== null;
  const mined = isMined ? toldFacts(describeOutcome(autoTx, context.moment), width) : [];
  const leastName = Math.max(...[...facts, ...mined].map(({ name }) => name.length));
  const call = callLines(autoTx, context);
  return [
    ...whyLines(autoTx, context),
    ...pendingLines(autoTx.pending, coinSymbol(autoTx.chainId), context),
    ...(mined.length === 0 ? [] : section('Outcome', null, factGrid(mined, width, leastName))),
    ...section('Order', null, factGrid(facts, width, leastName)),
    ...(call.length === 0 ? [] : section('Call', callOf(autoTx)?.signature ?? null, call)),
    ...section('Checks', checksNote(autoTx, context), checkLines(autoTx.checks, width)),
    ...section('Timeline', timelineNote(autoTx), timelineLines(autoTx.timeline ?? [], context)),
  ];
}

/** Why it is in its state; in at most `most` lines without long hashes. */
function whyLines(autoTx: AutoTxView, { snapshot, present, width }: PaneContext, most?: number) {
  const { text, severity } = describeReason(autoTx, snapshot, present, (at) => momentText(at, present));
  const shown = most === undefined ? text : withShortHashes(text, '…');
  if (severity === null) return wrappedLines(shown, width, { most });
  return wrappedLines(`! ${shown}`, width, { most, look: { color: severity } });
}

function checksNote(autoTx: AutoTxDetailsView, { present }: PaneContext): string {
  const { status, checks, checkedAt } = autoTx;
  if (checks.length === 0) return status === 'DRAFT' ? 'none before it is signed' : 'this service has none';
  const age = checkedAt === null ? '' : `, ${ageText(checkedAt, present)}`;
  // The outcome may differ from the checks.
  return `${describeChecks(checks)}${age}${isOver(autoTx) ? ', before it ended' : ''}`;
}

function timelineNote({ timeline, problem }: AutoTxDetailsView): string {
  if (problem !== undefined) return problem;
  if (timeline === null) return 'this service has none';
  return timeline.length === 0 ? 'nothing yet' : 'newest first';
}

/** The names of facts, and a blank before them. */
const NAMES_ROOM = 15;

function orderFacts(autoTx: AutoTxView, context: PaneContext): readonly NamedValue[] {
  const { present, snapshot, width, moment } = context;
  const until = (at: number) => `${moment(at)}, ${aheadText(at, present)}`;
  const order = toldFacts(describeOrder(autoTx, snapshot, moment, until), width);
  return [
    ...longFact(autoTx.note, 'note', width),
    ...order.map((fact) => ({ ...fact, alone: true })),
    ...toldFacts(describeSigned(autoTx, snapshot), width),
    ...given(describeMostFee(autoTx, snapshot.nativeUsd), 'fee at most', String),
    ...given(autoTx.type, 'type', describeTxType),
    ...toldFacts(describeProgress(autoTx, moment), width),
    // In a narrow half shortened in its middle: y copies the whole.
    ...given(autoTx.hash, 'hash', (hash) => hexText(hash, width - NAMES_ROOM, '…'), true),
    ...longFact(autoTx.keyId, 'of key', width),
    ...given(autoTx.id, 'id', String, true),
  ];
}

const ARGUMENT_ROOM = 24;
const VALUE_LINES = 4;

function callLines(autoTx: AutoTxView, { width }: PaneContext): readonly Line[] {
  const { data, to } = autoTx;
  if (data === null || data === '0x') return [];
  if (to === null) return [[plain(` ${sizeText((data.length - 2) / 2)} of code for a new contract`)]];
  const called = callOf(autoTx);
  if (called === null) return [[plain(` ${describeData(data)}`)]];
  const wrapped = (text: string, indent: string) => wrappedLines(text, width, { indent, most: VALUE_LINES });
  const args = called.args.flatMap(({ name, type, value }) => {
    const lines = wrappedLines(value, width - ARGUMENT_ROOM + 1, { indent: '', most: VALUE_LINES });
    return factOf(lines, (name || type).slice(0, ARGUMENT_ROOM - 3));
  });
  return [
    ...wrapped(called.words, ' '),
    ...factGrid(args, width),
    ...called.calls.flatMap(({ words }) => wrapped(`• ${words}`, '   ')),
  ];
}

const LONGEST = 600;

/** Texts after their heads, whose words are as wide as the widest of them. */
function headedLines(rows: readonly { head: Line; word: Span; text: string }[], width: number): Line[] {
  const room = Math.max(0, ...rows.map(({ word }) => shownWidth(word.text)));
  return rows.flatMap(({ head, word, text }) => {
    const before = [...head, { ...word, text: `${fitText(word.text, room)}  ` }];
    return hangingLines(before, cleanText(text, LONGEST), width);
  });
}

export function checkLines(checks: readonly CheckView[], width: number): Line[] {
  const rows = checks.map((check) => ({
    head: [plain('   '), markOf(check), plain(' ')],
    word: faint(plainWord(cleanText(check.name, 40))),
    text: check.message,
  }));
  return headedLines(rows, width);
}

const CHECK_COLORS = { '✓': 'good', '!': 'warn', '◌': 'accent', '✗': 'bad', '?': 'warn' } as const;

function markOf(check: CheckView): Span {
  const sign = checkSign(check);
  const isWarning = sign === '◌' && check.ok === false;
  return { text: sign, bold: sign === '!' || sign === '✗', color: isWarning ? 'warn' : CHECK_COLORS[sign] };
}

const COLORS = new Map<string | null, ColorName>([
  ['EXECUTED', 'good'],
  ['FAILED', 'bad'],
  ...['REORGED', 'UNSEEN', 'DECLINED', 'HELD', 'NONCE_TAKEN'].map((kind) => [kind, 'warn'] as const),
]);

function timelineLines(entries: readonly TimelineEntryView[], { present, width }: PaneContext) {
  const times = entries.map(({ at }) => (at === null ? '' : secondText(at, present)));
  const room = Math.max(0, ...times.map(shownWidth));
  const rows = entries.map(({ at, kind, blockNumber, message }, place) => {
    const number = blockNumber === null ? null : formatCount(blockNumber);
    const block = number === null || message.includes(number) ? '' : ` · block ${number}`;
    const age = at === null ? '' : ` · ${ageText(at, present)}`;
    return {
      head: [faint(`   ${(times[place] ?? '').padStart(room)}  `)],
      word: colored(plainWord(cleanText(kind ?? '', 40)), COLORS.get(kind)),
      text: `${cleanText(message, LONGEST)}${block}${age}`,
    };
  });
  return headedLines(rows, width);
}

/** A rule, and three lines for the call and the reason, which has at most two. */
const FOOT_LINES = 4;

const WHY_LINES = 2;

function footLines(autoTx: AutoTxView, context: PaneContext): readonly Line[] {
  const { width } = context;
  const why = whyLines(autoTx, context, WHY_LINES);
  const most = FOOT_LINES - 1 - Math.max(why.length, 1);
  const what = wrappedLines(whatText(autoTx), width, { most, look: { faint: true } });
  return filledTo([[faint(` ${'─'.repeat(Math.max(width - 2, 0))}`)], ...what, ...why], FOOT_LINES);
}

export const autoTxFoot = { rows: FOOT_LINES, lines: footLines };

const LONGEST_NOTE = 400;

function whatText(autoTx: AutoTxView): string {
  const call = autoTx.to === null ? null : callOf(autoTx);
  const what = call === null || call.name === null ? describeContent(autoTx) : call.words;
  const note = cleanText(autoTx.note ?? '', LONGEST_NOTE).trim();
  const nonce = autoTx.nonce === null ? '' : `, nonce ${autoTx.nonce}`;
  const from = autoTx.from === null ? '' : ` of ${shortHex(autoTx.from, '…')}`;
  return `${what} once ${describeTarget(autoTx)}${nonce}${from}${note === '' ? '' : ` · ${note}`}`;
}

const LEAST_CALL = 20;
/** `0.01 ETH to 0x7099…79C8`: the minimum width that shows it whole. */
const WHOLE_CALL = 23;
const WHOLE_FROM = 80;
const MOST_CALL = 44;
/** From this width on there is room for nonce and price, and a note goes before the sender. */
const NOTES_FROM = 100;

export function autoTxColumns(
  context: PaneContext,
  rows: readonly AutoTxView[] = [],
): readonly TableColumn<AutoTxView>[] {
  const { width, present, snapshot } = context;
  const isWide = width >= NOTES_FROM;
  const called = Map.groupBy(isWide ? [] : rows, describeContent);
  const isTwice = [...called.values()].some(({ length }) => length > 1);
  const content = (autoTx: AutoTxView): Line => {
    const text = describeContent(autoTx);
    // The nonce distinguishes two with the same text.
    const nonce = (called.get(text)?.length ?? 0) > 1 && autoTx.nonce !== null ? `#${autoTx.nonce} ` : '';
    return [{ text: `${nonce}${text}`, bold: !isOver(autoTx) }];
  };
  const leastCall = width < WHOLE_FROM ? LEAST_CALL : isTwice ? WHOLE_CALL + 3 : WHOLE_CALL;
  const stays = { stays: true };
  const price = (autoTx: AutoTxView) =>
    known(isUnsent(autoTx) ? distanceToTarget(autoTx, snapshot) : null, (now) => formatGwei(now.price));
  const note = (text: string | null) => (text ? [faint(noteCell(text, width))] : '');
  return [
    leftColumn('state', 11, 0, (autoTx) => stateLine(autoTx)),
    leftColumn(isTwice ? '#nonce, what it does' : 'what it does', leastCall, 0, content, { most: MOST_CALL }),
    rightColumn('target', 7, 0, ({ target, maxCost }) =>
      maxCost === null
        ? known(target, shortGwei)
        : `≤${maxCostText(maxCost)}${isWide && target !== null ? ` ${shortGwei(target)}` : ''}`,
    ),
    ...(isWide ? [rightColumn('now', 7, 4, price, stays)] : []),
    rightColumn('to go', 11, 1, (autoTx) => progressLine(autoTx, context), stays),
    rightColumn('chance', 6, 2, chanceText, stays),
    rightColumn('when', 8, 2, (autoTx) => whenText(autoTx, present), stays),
    leftColumn('nonce/from', 10, 6, ({ nonce, from }) => {
      const sender = from === null ? '' : ` ${shortHex(from, '…')}`;
      return nonce === null ? sender.trim() || UNKNOWN : `#${nonce}${sender}`;
    }),
    leftColumn('note', 12, isWide ? 5 : 9, (autoTx) => note(autoTx.note), { most: Number.POSITIVE_INFINITY }),
  ];
}

const chanceText = (autoTx: AutoTxView) =>
  known(isUnsent(autoTx) ? chanceOf(autoTx) : null, (chance) =>
    formatLikelihood(chance).replace('over ', '>').replace('under ', '<'),
  );

const LOOKS: Readonly<Record<AutoTxStateView, readonly [glyph: string, color?: ColorName]>> = {
  submitted: ['→', 'accent'],
  included: ['→', 'accent'],
  held: ['!', 'warn'],
  pending: ['◌', 'accent'],
  disabled: ['—'],
  draft: ['•'],
  executed: ['●', 'good'],
  cancelled: ['—'],
  expired: ['—'],
  failed: ['!', 'bad'],
  other: ['•'],
};

function stateLine(autoTx: AutoTxView): Line {
  const [glyph, color] = LOOKS[needsAttention(autoTx) ? 'held' : autoTxState(autoTx)];
  const isFaint = isOver(autoTx) && statusOf(autoTx) !== 'FAILED';
  return [colored(`${glyph} `, color), { text: describeState(autoTx), faint: isFaint }];
}

function progressLine(autoTx: AutoTxView, { snapshot }: PaneContext): string | Line {
  const status = statusOf(autoTx);
  const { confirmations: count, confirmationsNeeded: needed } = autoTx;
  if (status === 'SUBMITTED') {
    if (autoTx.blockNumber === null && !count) return 'not mined';
    return count === null ? 'mined' : `${count}${needed === null ? '' : `/${needed}`} blocks`;
  }
  if (status === 'EXECUTED') return known(autoTx.effectiveGasPrice, (wei) => `paid ${formatGwei(wei)}`);
  if (isOver(autoTx)) return UNKNOWN;
  const obstacle = obstacleOf(autoTx.checks);
  if (obstacle?.result === 'block') return [colored('never', 'bad')];
  if (autoTx.maxCost !== null && autoTx.target === null) return [colored('no price', 'warn')];
  const distance = distanceToTarget(autoTx, snapshot);
  if (distance?.isThere && distance.isCapped) return [colored('cap low', 'warn')];
  if (distance?.isThere && obstacle !== null) return [colored(cleanText(obstacle.name, 9), 'warn')];
  return known(distance, distanceCell);
}

/** When it expires, or how long ago it was broadcast or came to its end. */
function whenText(autoTx: AutoTxView, present: number): string {
  const { expiresAt, submittedAt } = autoTx;
  if (!isUnsent(autoTx)) {
    const at = statusOf(autoTx) === 'SUBMITTED' ? submittedAt : endOf(autoTx);
    return known(at, (from) => `${firstUnit(formatSpan(Math.max(present - from, 0) / 1_000))} ago`);
  }
  if (expiresAt === null) return 'no end';
  const sec = Math.floor((expiresAt - present) / 1_000);
  const text = formatDuration(sec < 60 ? sec : Math.floor(sec / 60) * 60);
  return sec <= 0 ? 'expiring' : `in ${text.length > 5 ? firstUnit(text) : text}`;
}

const firstUnit = (span: string) => /^[\d,]+[a-z]+/.exec(span)?.[0] ?? span;

/** The last comes first, others at the end. */
const RANKED: readonly (string | null)[] = ['FAILED', 'DRAFT', 'DISABLED', null, 'PENDING', 'SUBMITTED'];

/**
 * The auto-txs with what is under way first: submitted (oldest first), waiting (nearest first), what is on hold, then what has
 * ended, failed ones before the others. A failure is told when it comes, and counted on the tab and first among the counts.
 */
export function ordered(autoTxs: readonly AutoTxView[], snapshot: SnapshotView): readonly AutoTxView[] {
  const placed = autoTxs.map((autoTx) => ({
    autoTx,
    rank: RANKED.indexOf(statusOf(autoTx)),
    value: orderIn(autoTx, snapshot),
  }));
  placed.sort((one, other) => other.rank - one.rank || one.value - other.value);
  return placed.map(({ autoTx }) => autoTx);
}

function orderIn(autoTx: AutoTxView, snapshot: SnapshotView): number {
  const status = statusOf(autoTx);
  if (status === 'SUBMITTED') return autoTx.submittedAt ?? autoTx.createdAt ?? 0;
  if (status === 'PENDING') return -(distanceToTarget(autoTx, snapshot)?.ratio ?? -Number.MAX_VALUE);
  return -((isOver(autoTx) ? endOf(autoTx) : autoTx.createdAt) ?? 0);
}

const endOf = ({ executedAt, updatedAt }: AutoTxView) => executedAt ?? updatedAt;
