import { describeDistance, plainWord } from '../../../client/views/alerts.ts';
import {
  type AutoTxContent,
  type AutoTxDetailsView,
  type AutoTxState,
  type AutoTxView,
  autoTxState,
  type CheckView,
  type ComparisonView,
  chanceOf,
  describeChecks,
  describeContent,
  describeReason,
  describeState,
  describeTarget,
  distanceToTarget,
  isOver,
  needsAttention,
  obstacleOf,
  statusOf,
  symbolOf,
  type TimelineEntryView,
} from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { describeTxType } from '../../../client/views/metrics.ts';
import { cleanText, shortHex, withShortHashes } from '../../../core/text.ts';
import { type DescribedCall, describeCall } from '../../../core/transactions/describe-call.ts';
import {
  exactAmount,
  formatAge,
  formatCount,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatNative,
  formatUsd,
  MINUS,
  shortGwei,
  UNKNOWN,
  usdOf,
} from '../../../core/units.ts';
import {
  factGrid,
  factOf,
  given,
  hangingLines,
  longFact,
  type NamedValue,
  section,
  wrappedLines,
} from '../../ui/fact-list.tsx';
import type { PaneContext } from '../../ui/pane-context.tsx';
import { known, leftColumn, rightColumn, type TableColumn } from '../../ui/table.ts';
import {
  bold,
  colored,
  displayWidth,
  EMPTY_LINE,
  faint,
  type Line,
  plain,
  type Span,
} from '../../ui/text.tsx';
import type { ColorName } from '../../ui/theme.ts';
import { momentText, secondText } from '../../ui/time.ts';
import { distanceCell, noteCell } from '../alerts/alert-facts.ts';
import { sizeText } from './pasted-transaction.ts';

export function detailsTitle(autoTx: AutoTxDetailsView): readonly Line[] {
  return [[bold(describeContent(autoTx, calledBy(autoTx)))], stateLine(autoTx)];
}

export function detailsLines(autoTx: AutoTxDetailsView, context: PaneContext): readonly Line[] {
  const { width } = context;
  const facts = autoTxFacts(autoTx, context);
  const mined = minedFacts(autoTx, context);
  const leastName = Math.max(...[...facts, ...mined].map(({ name }) => name.length));
  const call = callLines(autoTx, context);
  return [
    ...whyLines(autoTx, context),
    ...(mined.length === 0 ? [] : section('Mined', null, factGrid(mined, width, leastName))),
    ...section('Order', null, factGrid(facts, width, leastName)),
    ...(call.length === 0 ? [] : section('Call', calledBy(autoTx)?.signature ?? null, call)),
    ...section('Checks', checksNote(autoTx, context), checkLines(autoTx.checks, width)),
    ...section('Timeline', timelineNote(autoTx), timelineLines(autoTx.timeline ?? [], context)),
  ];
}

function whyLines(autoTx: AutoTxDetailsView, context: PaneContext): readonly Line[] {
  const { text, severity } = describeReason(autoTx, context.snapshot, context.present);
  if (severity === null) return wrappedLines(text, context.width);
  return wrappedLines(`! ${text}`, context.width, { look: { color: severity } });
}

function checksNote(autoTx: AutoTxDetailsView, { present }: PaneContext): string {
  const { status, checks, checkedAt } = autoTx;
  if (checks.length === 0) return status === 'DRAFT' ? 'none before it is signed' : 'this service has none';
  const age = checkedAt === null ? '' : `, ${formatAge(Math.max(present - checkedAt, 0) / 1_000)}`;
  // The outcome may differ from the checks.
  return `${describeChecks(checks)}${age}${isOver(autoTx) ? ', before it ended' : ''}`;
}

function timelineNote({ timeline, problem }: AutoTxDetailsView): string {
  if (problem !== undefined) return problem;
  if (timeline === null) return 'this service has none';
  return timeline.length === 0 ? 'nothing yet' : 'newest first';
}

function autoTxFacts(autoTx: AutoTxView, context: PaneContext): readonly NamedValue[] {
  const { present, snapshot, width } = context;
  const moment = (at: number) => momentText(at, present);
  const gwei = (wei: bigint) => `${shortGwei(wei)} gwei`;
  const symbol = symbolOf(autoTx.chainId);
  const { gasLimit, maxFeePerGas, gasPrice, expiresAt } = autoTx;
  const cap = maxFeePerGas ?? gasPrice;
  return [
    ...longFact(autoTx.note, 'note', width),
    ...given(autoTx, 'target', describeTarget, true),
    ...given(
      isUnsent(autoTx) ? distanceToTarget(autoTx, snapshot) : null,
      'now',
      (distance) =>
        `${distance.isOfCap ? 'base fee ' : ''}${formatGwei(distance.price)} gwei${autoTx.isStrict === true && !distance.isOfCap ? ' with its own tip' : ''}, ${describeDistance(distance)}`,
      true,
    ),
    ...given(
      isOver(autoTx) ? null : chanceOf(autoTx),
      'chance',
      (share) => `${formatLikelihood(share)}${withinText(autoTx, present)}`,
      true,
    ),
    ...given(
      isOver(autoTx) ? null : expiresAt,
      'expires',
      (at) => `${moment(at)}, ${at <= present ? 'now' : `in ${formatDuration((at - present) / 1_000)}`}`,
      true,
    ),
    ...given(autoTx.from, 'from', String, true),
    ...given(autoTx.to, 'to', String, true),
    ...given(autoTx.value, 'value', (wei) => exactAmount(wei, symbol)),
    ...given(autoTx.nonce, 'nonce', String),
    ...given(gasLimit, 'gas limit', (gas) => formatCount(Number(gas))),
    ...given(autoTx.type, 'type', describeTxType),
    ...given(maxFeePerGas, 'max fee', gwei),
    ...given(autoTx.maxPriorityFeePerGas, 'max tip', gwei),
    ...given(gasPrice, 'gas price', gwei),
    ...given(gasLimit === null || cap === null ? null : gasLimit * cap, 'fee at most', (wei) =>
      worth(wei, symbol, snapshot.nativeUsd),
    ),
    ...given(autoTx.attempts === 0 ? null : autoTx.attempts, 'attempts', formatCount),
    ...given(autoTx.createdAt, 'created', moment),
    ...given(autoTx.updatedAt, 'changed', moment),
    ...given(autoTx.submittedAt, 'submitted', moment),
    ...given(autoTx.hash, 'hash', String, true),
    ...longFact(autoTx.keyId, 'of key', width),
    ...given(autoTx.id, 'id', String, true),
  ];
}

const MINUTE_MS = 60_000;

/** ` before it expires`, or the service's shorter forecast horizon. */
function withinText({ expiresAt, reachWithinSec }: AutoTxView, present: number): string {
  if (reachWithinSec === null) return '';
  const isToTheEnd = expiresAt !== null && expiresAt - present <= reachWithinSec * 1_000 + MINUTE_MS;
  return isToTheEnd ? ' before it expires' : ` within ${formatDuration(reachWithinSec)}`;
}

function worth(wei: bigint, symbol: string, nativeUsd: number | null): string {
  const amount = formatNative(wei, symbol);
  return nativeUsd === null ? amount : `${amount}  ${formatUsd(usdOf(wei, nativeUsd))}`;
}

function minedFacts(autoTx: AutoTxView, { present }: PaneContext): readonly NamedValue[] {
  const { blockNumber, gasUsed, effectiveGasPrice, costWei, costUsd, executedAt } = autoTx;
  const { confirmations, confirmationsNeeded, atCreation, dayMean } = autoTx;
  const symbol = symbolOf(autoTx.chainId);
  if (blockNumber === null && costWei === null && effectiveGasPrice === null) return [];
  const usd = costUsd === null ? '' : `  ${formatUsd(costUsd)}`;
  return [
    ...given(blockNumber, 'block', formatCount),
    ...given(confirmations, 'confirmed', (count) =>
      confirmationsNeeded !== null && count <= confirmationsNeeded
        ? `${count} of ${confirmationsNeeded} blocks`
        : `by ${formatCount(count)} ${count === 1 ? 'block' : 'blocks'}`,
    ),
    ...given(effectiveGasPrice, 'paid', (wei) => `${formatGwei(wei)} gwei`),
    ...given(gasUsed, 'gas used', (gas) => formatCount(Number(gas))),
    ...given(costWei, 'cost', (wei) => `${formatNative(wei, symbol)}${usd}`, true),
    ...given(atCreation, 'saved', (compared) => savedText(compared, 'at creation', symbol), true),
    ...given(
      dayMean,
      atCreation === null ? 'saved' : '',
      (compared) => savedText(compared, '24 h mean + its tip', symbol),
      true,
    ),
    ...given(
      atCreation === null && dayMean === null ? autoTx.savedWei : null,
      'saved',
      (wei) => formatNative(wei, symbol),
      true,
    ),
    ...given(executedAt, 'final', (at) => momentText(at, present)),
  ];
}

/** `0.000012 ETH  $0.04, at creation 0.0507 gwei`; negative where it paid more. */
function savedText(
  { savedWei, savedUsd, referencePrice }: ComparisonView,
  when: string,
  symbol: string,
): string {
  const price = referencePrice === null ? '' : ` ${formatGwei(referencePrice)} gwei`;
  const sign = savedWei !== null && savedWei < 0n ? MINUS : '';
  const amount =
    savedWei === null ? UNKNOWN : `${sign}${formatNative(savedWei < 0n ? -savedWei : savedWei, symbol)}`;
  const usd = savedUsd === null ? '' : `  ${sign}${formatUsd(Math.abs(savedUsd))}`;
  return `${amount}${usd}, ${when}${price}`;
}

const ARGUMENT_ROOM = 24;
const VALUE_LINES = 4;

function callLines(autoTx: AutoTxView, { width }: PaneContext): readonly Line[] {
  const { data, to } = autoTx;
  if (data === null || data === '0x') return [];
  const size = sizeText((data.length - 2) / 2);
  if (to === null) return [[plain(` ${size} of code for a new contract`)]];
  const called = calledBy(autoTx);
  if (called === null) return [[plain(` ${data.slice(0, 10)}, ${size} of data`)]];
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

export function checkLines(checks: readonly CheckView[], width: number): Line[] {
  const named = Math.max(0, ...checks.map(({ name }) => displayWidth(plainWord(name))));
  return checks.flatMap((check) => {
    const { text, color } = markOf(check);
    const head: Line = [
      { text: `   ${text} `, color, bold: check.ok === false },
      faint(`${plainWord(cleanText(check.name, 40)).padEnd(named)}  `),
    ];
    return hangingLines(head, cleanText(check.message, LONGEST), width);
  });
}

function markOf({ result, ok }: CheckView): Span {
  switch (result) {
    case 'block':
      return colored('✗', 'bad');
    case 'wait':
      return colored('◌', ok === false ? 'warn' : 'accent');
    case 'unknown':
      return colored('?', 'warn');
    case 'pass':
      return ok === false ? colored('!', 'warn') : colored('✓', 'good');
  }
}

const COLORS = new Map<string | null, ColorName>([
  ['EXECUTED', 'good'],
  ['FAILED', 'bad'],
  ['REORGED', 'warn'],
  ['DROPPED', 'warn'],
  ['DECLINED', 'warn'],
  ['HELD', 'warn'],
  ['NONCE_TAKEN', 'warn'],
]);

function timelineLines(
  entries: readonly TimelineEntryView[],
  { present, width }: PaneContext,
): readonly Line[] {
  const words = entries.map(({ kind }) => (kind === null ? '' : plainWord(cleanText(kind, 40))));
  const named = Math.max(0, ...words.map(displayWidth));
  const times = entries.map(({ at }) => (at === null ? '' : secondText(at, present)));
  const timed = Math.max(0, ...times.map(displayWidth));
  return entries.flatMap(({ at, kind, blockNumber, message }, place) => {
    const head: Line = [
      faint(`   ${(times[place] ?? '').padStart(timed)}  `),
      colored(`${(words[place] ?? '').padEnd(named)}  `, COLORS.get(kind)),
    ];
    const finding = cleanText(message, LONGEST);
    const number = blockNumber === null ? null : formatCount(blockNumber);
    const block = number === null || finding.includes(number) ? '' : ` · block ${number}`;
    const age = at === null ? '' : ` · ${formatAge(Math.max(present - at, 0) / 1_000)}`;
    return hangingLines(head, `${finding}${block}${age}`, width);
  });
}

/** Lines of the foot: a rule, and three for the call and the reason, which has at most two. */
export const FOOT_LINES = 4;

const WHY_LINES = 2;

export function footLines(autoTx: AutoTxView, context: PaneContext): readonly Line[] {
  const { width } = context;
  const { text, severity } = describeReason(autoTx, context.snapshot, context.present);
  const mark = severity === null ? '' : '! ';
  const look = severity === null ? {} : { color: severity };
  const why = wrappedLines(`${mark}${withShortHashes(text, '…')}`, width, { most: WHY_LINES, look });
  const most = FOOT_LINES - 1 - Math.max(why.length, 1);
  const lines: readonly Line[] = [
    [faint(` ${'─'.repeat(Math.max(width - 2, 0))}`)],
    ...wrappedLines(whatText(autoTx), width, { most, look: { faint: true } }),
    ...why,
  ];
  return Array.from({ length: FOOT_LINES }, (_, place) => lines[place] ?? EMPTY_LINE);
}

const LONGEST_NOTE = 400;

function whatText(autoTx: AutoTxView): string {
  const called = calledBy(autoTx);
  const what = called === null || called.name === null ? describeContent(autoTx) : called.words;
  const note = cleanText(autoTx.note ?? '', LONGEST_NOTE).trim();
  const nonce = autoTx.nonce === null ? '' : `, nonce ${autoTx.nonce}`;
  const from = autoTx.from === null ? '' : ` of ${shortHex(autoTx.from, '…')}`;
  return `${what} at ${describeTarget(autoTx)}${nonce}${from}${note === '' ? '' : ` · ${note}`}`;
}

const LEAST_CALL = 20;
/** `0.01 ETH to 0x7099…79C8`: the minimum width that shows it whole. */
const WHOLE_CALL = 23;
const WHOLE_FROM = 80;
const MOST_CALL = 44;
const LEAST_NOTE = 12;
/** From this width on a note replaces the sender, and there is room for price and time. */
const NOTES_FROM = 100;

export function autoTxColumns(
  context: PaneContext,
  rows: readonly AutoTxView[] = [],
): readonly TableColumn<AutoTxView>[] {
  const { width, present, snapshot } = context;
  const nowText = (autoTx: AutoTxView) =>
    known(isUnsent(autoTx) ? distanceToTarget(autoTx, snapshot) : null, ({ price }) => formatGwei(price));
  // On wider screens a column has the nonce.
  const called = Map.groupBy(width < NOTES_FROM ? rows : [], contentOf);
  const isTwice = [...called.values()].some(({ length }) => length > 1);
  return [
    leftColumn('state', 11, 0, (autoTx) => stateLine(autoTx)),
    leftColumn(
      isTwice ? '#nonce, what it does' : 'what it does',
      width < WHOLE_FROM ? LEAST_CALL : isTwice ? WHOLE_CALL + 3 : WHOLE_CALL,
      0,
      (autoTx) => {
        const text = contentOf(autoTx);
        // The nonce distinguishes two with the same text.
        const nonce = (called.get(text)?.length ?? 0) > 1 && autoTx.nonce !== null ? `#${autoTx.nonce} ` : '';
        return [{ text: `${nonce}${text}`, bold: !isOver(autoTx) }];
      },
      { most: MOST_CALL },
    ),
    rightColumn('target', 7, 0, ({ target }) => known(target, shortGwei)),
    ...(width < NOTES_FROM ? [] : [rightColumn('now', 7, 4, nowText)]),
    rightColumn('to go', 9, 1, (autoTx) => progressLine(autoTx, context)),
    rightColumn('chance', 6, 2, (autoTx) => chanceText(autoTx) ?? UNKNOWN),
    rightColumn('expires', 8, 2, (autoTx) => expiryText(autoTx, present)),
    ...(width < NOTES_FROM
      ? []
      : [rightColumn('since', 7, 3, (autoTx: AutoTxView) => sinceText(autoTx, present))]),
    leftColumn('nonce/from', 10, 6, ({ nonce, from }) => {
      if (nonce === null && from === null) return UNKNOWN;
      return `${nonce === null ? UNKNOWN : `#${nonce}`} ${from === null ? '' : shortHex(from, '…')}`.trimEnd();
    }),
    leftColumn(
      'note',
      LEAST_NOTE,
      width >= NOTES_FROM ? 5 : 9,
      ({ note }) => (note ? [faint(noteCell(note, width))] : ''),
      { most: Number.POSITIVE_INFINITY },
    ),
  ];
}

export const isUnsent = (autoTx: AutoTxView) => !isOver(autoTx) && statusOf(autoTx) !== 'SUBMITTED';
const contentOf = (autoTx: AutoTxView) => describeContent(autoTx, calledBy(autoTx));

const CALLED = new WeakMap<AutoTxContent, DescribedCall | null>();

export function calledBy(content: AutoTxContent): DescribedCall | null {
  // Rows are drawn at every key, and stay the same objects while unchanged.
  const known = CALLED.get(content);
  if (known !== undefined) return known;
  const { data, to } = content;
  const called = data === null || data === '0x' || to === null ? null : describeCall(data, to);
  CALLED.set(content, called);
  return called;
}

const LOOKS: Readonly<Record<AutoTxState, readonly [glyph: string, color?: ColorName]>> = {
  submitted: ['→', 'accent'],
  mined: ['→', 'accent'],
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

/** `◌ waiting`, `● executed` */
export function stateLine(autoTx: AutoTxView): Line {
  const [glyph, color] = LOOKS[needsAttention(autoTx) ? 'held' : autoTxState(autoTx)];
  const isFaint = isOver(autoTx) && statusOf(autoTx) !== 'FAILED';
  return [colored(`${glyph} `, color), { text: describeState(autoTx), faint: isFaint }];
}

function progressLine(autoTx: AutoTxView, { snapshot }: PaneContext): string | Line {
  const status = statusOf(autoTx);
  if (status === 'SUBMITTED') return confirmationsText(autoTx) ?? 'not mined';
  if (status === 'EXECUTED') return known(autoTx.effectiveGasPrice, (wei) => `paid ${formatGwei(wei)}`);
  if (isOver(autoTx)) return UNKNOWN;
  const obstacle = obstacleOf(autoTx.checks);
  if (obstacle?.result === 'block') return [colored('never', 'bad')];
  const distance = distanceToTarget(autoTx, snapshot);
  if (distance?.isThere && distance.isCapped) return [colored('cap low', 'warn')];
  if (distance?.isThere && obstacle !== null) return [colored(cleanText(obstacle.name, 9), 'warn')];
  return known(distance, distanceCell);
}

/** `3/12 conf`; `null` until it is mined. */
function confirmationsText({ blockNumber, confirmations, confirmationsNeeded }: AutoTxView): string | null {
  if (confirmations === null) return blockNumber === null ? null : 'mined';
  if (blockNumber === null && confirmations === 0) return null;
  return `${confirmations}${confirmationsNeeded === null ? '' : `/${confirmationsNeeded}`} conf`;
}

function chanceText(autoTx: AutoTxView): string | null {
  const chance = chanceOf(autoTx);
  if (chance === null || !isUnsent(autoTx)) return null;
  return formatLikelihood(chance).replace('over ', '>').replace('under ', '<');
}

function expiryText(autoTx: AutoTxView, present: number): string {
  const { expiresAt } = autoTx;
  if (!isUnsent(autoTx)) return UNKNOWN;
  if (expiresAt === null) return 'never';
  return expiresAt <= present ? 'now' : `in ${inMinutes(expiresAt - present)}`;
}

function sinceText(autoTx: AutoTxView, present: number): string {
  const isSubmitted = statusOf(autoTx) === 'SUBMITTED';
  const at = isSubmitted ? autoTx.submittedAt : isOver(autoTx) ? endOf(autoTx) : null;
  return at === null ? UNKNOWN : `${oneUnit(Math.max(present - at, 0))} ago`;
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
] as const;

function oneUnit(ms: number): string {
  const sec = Math.floor(ms / 1_000);
  const [length, unit] = UNITS.find(([least]) => sec >= least) ?? [1, 's'];
  return `${Math.floor(sec / length)}${unit}`;
}

function inMinutes(ms: number): string {
  const sec = ms / 1_000;
  return formatDuration(sec < 60 ? Math.floor(sec) : Math.floor(sec / 60) * 60);
}

/** Order of the list: failed, submitted, pending (also statuses that only the service knows), drafts; then the rest. */
const RANKED: readonly (string | null)[] = ['FAILED', 'SUBMITTED', 'PENDING', null, 'DISABLED', 'DRAFT'];

/** The auto-txs with what needs attention first: failed, submitted (oldest first), waiting (nearest first) and so on. */
export function ordered(autoTxs: readonly AutoTxView[], snapshot: SnapshotView): readonly AutoTxView[] {
  const placed = autoTxs.map((autoTx) => {
    const status = statusOf(autoTx);
    const rank = RANKED.indexOf(status);
    return { autoTx, rank: rank < 0 ? RANKED.length : rank, value: orderIn(autoTx, status, snapshot) };
  });
  placed.sort((one, other) => one.rank - other.rank || one.value - other.value);
  return placed.map(({ autoTx }) => autoTx);
}

function orderIn(autoTx: AutoTxView, status: string | null, snapshot: SnapshotView): number {
  if (status === 'SUBMITTED') return autoTx.submittedAt ?? autoTx.createdAt ?? 0;
  if (status === 'PENDING') return -(distanceToTarget(autoTx, snapshot)?.ratio ?? -Number.MAX_VALUE);
  return -((isOver(autoTx) ? endOf(autoTx) : autoTx.createdAt) ?? 0);
}

export function endOf({ executedAt, updatedAt }: AutoTxView): number | null {
  return executedAt ?? updatedAt;
}
