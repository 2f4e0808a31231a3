import { describeShare } from '../../../client/views/alerts.ts';
import {
  type AutoTxContent,
  type AutoTxState,
  type AutoTxView,
  autoTxState,
  chanceOf,
  describeContent,
  describeState,
  distanceToTarget,
  isOver,
  needsAttention,
  obstacleOf,
  statusOf,
} from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { cleanText, shortHex } from '../../../core/text.ts';
import { type DescribedCall, describeCall } from '../../../core/transactions/describe-call.ts';
import { formatDuration, formatGwei, formatLikelihood, shortGwei, UNKNOWN } from '../../../core/units.ts';
import type { PaneContext } from '../../ui/pane-context.ts';
import { leftColumn, rightColumn, type TableColumn } from '../../ui/table.ts';
import { type Line, truncate } from '../../ui/text.tsx';
import type { ColorName, GlyphName } from '../../ui/theme.ts';

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
  const { theme, width, present, snapshot } = context;
  const nowText = (autoTx: AutoTxView) => {
    const distance = isUnsent(autoTx) ? distanceToTarget(autoTx, snapshot) : null;
    return distance === null ? UNKNOWN : formatGwei(distance.price);
  };
  // On wider screens a column has the nonce.
  const called = Map.groupBy(width < NOTES_FROM ? rows : [], contentOf);
  const isTwice = [...called.values()].some(({ length }) => length > 1);
  return [
    leftColumn('state', 11, 0, (autoTx) => stateLine(autoTx, context)),
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
    rightColumn('target', 7, 0, ({ target }) => (target === null ? UNKNOWN : shortGwei(target))),
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
      width >= NOTES_FROM ? 5 : 9, // A long note is measured for every frame: cuts it at the edge first.
      ({ note }) =>
        note === null || note === ''
          ? ''
          : [{ text: truncate(cleanText(note, width * 4), width, theme.glyph.ellipsis), faint: true }],
      { most: Number.POSITIVE_INFINITY },
    ),
  ];
}

export const isUnsent = (autoTx: AutoTxView) => !isOver(autoTx) && statusOf(autoTx) !== 'SUBMITTED';
const contentOf = (autoTx: AutoTxView) => describeContent(autoTx, calledBy(autoTx));

const CALLED = new WeakMap<AutoTxContent, DescribedCall | null>();

/** The call of a transaction, as far as its data tells; `null` when it is unknown. */
export function calledBy(content: AutoTxContent): DescribedCall | null {
  // Rows are drawn at every key, and stay the same objects while unchanged.
  const known = CALLED.get(content);
  if (known !== undefined) return known;
  const { data, to } = content;
  const called = data === null || data === '0x' || to === null ? null : describeCall(data, to);
  CALLED.set(content, called);
  return called;
}

const LOOKS: Readonly<Record<AutoTxState, { readonly glyph: GlyphName; readonly color?: ColorName }>> = {
  submitted: { glyph: 'into', color: 'accent' },
  mined: { glyph: 'into', color: 'accent' },
  held: { glyph: 'warning', color: 'warn' },
  pending: { glyph: 'stale', color: 'accent' },
  disabled: { glyph: 'unknown' },
  draft: { glyph: 'bullet' },
  executed: { glyph: 'live', color: 'good' },
  cancelled: { glyph: 'unknown' },
  expired: { glyph: 'unknown' },
  failed: { glyph: 'warning', color: 'bad' },
  other: { glyph: 'bullet' },
};

/** `◌ waiting`, `● executed` */
export function stateLine(autoTx: AutoTxView, { theme }: Pick<PaneContext, 'theme'>): Line {
  const { glyph, color } = LOOKS[needsAttention(autoTx) ? 'held' : autoTxState(autoTx)];
  return [
    { text: `${theme.glyph[glyph]} `, color },
    { text: describeState(autoTx), faint: isOver(autoTx) && statusOf(autoTx) !== 'FAILED' },
  ];
}

function progressLine(autoTx: AutoTxView, { snapshot, theme }: PaneContext): string | Line {
  const { glyph } = theme;
  switch (statusOf(autoTx)) {
    case 'SUBMITTED':
      return confirmationsText(autoTx) ?? 'not mined';
    case 'EXECUTED':
      return autoTx.effectiveGasPrice === null ? UNKNOWN : `paid ${formatGwei(autoTx.effectiveGasPrice)}`;
    default: {
      if (isOver(autoTx)) return UNKNOWN;
      const obstacle = obstacleOf(autoTx.checks);
      if (obstacle?.result === 'block') return [{ text: 'never', color: 'bad' }];
      const distance = distanceToTarget(autoTx, snapshot);
      if (distance === null) return UNKNOWN;
      if (!distance.isThere)
        return `${distance.ratio < 0 ? glyph.down : glyph.up} ${describeShare(distance.ratio)}`;
      if (distance.isCapped) return [{ text: 'cap low', color: 'warn' }];
      if (obstacle !== null) return [{ text: cleanText(obstacle.name, 9), color: 'warn' }];
      return [{ text: `${glyph.marker} reached`, color: 'good' }];
    }
  }
}

/** `3/12 conf`; `null` until it is mined. */
function confirmationsText({ blockNumber, confirmations, confirmationsNeeded }: AutoTxView): string | null {
  if (confirmations === null) return blockNumber === null ? null : 'mined';
  if (blockNumber === null && confirmations === 0) return null;
  return `${confirmations}${confirmationsNeeded === null ? '' : `/${confirmationsNeeded}`} conf`;
}

/** The probability that it is sent before it expires; `null` when unknown, impossible, or no longer pending. */
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

/** `44s`, `20m`, `22h`, `50d` */
function oneUnit(ms: number): string {
  const sec = Math.floor(ms / 1_000);
  const [length, unit] = UNITS.find(([least]) => sec >= least) ?? [1, 's'];
  return `${Math.floor(sec / length)}${unit}`;
}

/** A time that ticks only when it matters: `45s`, `12m`, `3h05m`, `2d03h`. */
function inMinutes(ms: number): string {
  const sec = ms / 1_000;
  return formatDuration(sec < 60 ? Math.floor(sec) : Math.floor(sec / 60) * 60);
}

const RANKS = new Map<string | null, number>([
  ['SUBMITTED', 0],
  ['PENDING', 1],
  // An unknown status of a service.
  [null, 2],
  ['DISABLED', 3],
  ['DRAFT', 4],
]);
const OVER = 5;

/**
 * The auto-txs in list order: submitted (oldest first), waiting (nearest to their price first), disabled, drafts, and
 * final ones, newest first.
 */
export function ordered(autoTxs: readonly AutoTxView[], snapshot: SnapshotView): readonly AutoTxView[] {
  return autoTxs
    .map((autoTx) => ({ autoTx, ...placeOf(autoTx, snapshot) }))
    .sort((one, other) => one.rank - other.rank || one.value - other.value)
    .map(({ autoTx }) => autoTx);
}

function placeOf(autoTx: AutoTxView, snapshot: SnapshotView): { rank: number; value: number } {
  const rank = RANKS.get(statusOf(autoTx)) ?? OVER;
  switch (rank) {
    case 0:
      return { rank, value: autoTx.submittedAt ?? autoTx.createdAt ?? 0 };
    case 1:
      return { rank, value: -(distanceToTarget(autoTx, snapshot)?.ratio ?? -Number.MAX_VALUE) };
    case OVER:
      return { rank, value: -(endOf(autoTx) ?? 0) };
    default:
      return { rank, value: -(autoTx.createdAt ?? 0) };
  }
}

export function endOf({ executedAt, updatedAt }: AutoTxView): number | null {
  return executedAt ?? updatedAt;
}
