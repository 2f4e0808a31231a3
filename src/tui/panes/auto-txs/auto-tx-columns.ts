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
import type { GrowingColumn, PaneContext } from '../../resource/types.ts';
import { type Line, truncate } from '../../ui/text.tsx';
import type { ColorName, GlyphName } from '../../ui/theme.ts';

const LEAST_CALL = 20;
/** `0.01 ETH to 0x7099…79C8`: from this width on there is room for it. */
const WHOLE_CALL = 23;
const WHOLE_FROM = 80;
const MOST_CALL = 44;
const LEAST_NOTE = 12;
/** From this width on a note is worth more than the sender, and there is room for the price and the time. */
const NOTES_FROM = 100;

/** The columns of the list of auto-txs, from the left to the right. */
export function autoTxColumns(
  context: PaneContext,
  rows: readonly AutoTxView[] = [],
): readonly GrowingColumn<AutoTxView>[] {
  const { theme, width } = context;
  // From there on a column has the nonce.
  const called = Map.groupBy(width < NOTES_FROM ? rows : [], contentOf);
  const isTwice = [...called.values()].some(({ length }) => length > 1);
  return [
    {
      id: 'state',
      heading: 'state',
      align: 'left',
      least: 11,
      rank: 0,
      cell: (autoTx) => stateLine(autoTx, context),
    },
    {
      id: 'call',
      heading: isTwice ? '#nonce, what it does' : 'what it does',
      align: 'left',
      least: width < WHOLE_FROM ? LEAST_CALL : isTwice ? WHOLE_CALL + 3 : WHOLE_CALL,
      most: MOST_CALL,
      rank: 0,
      cell: (autoTx) => {
        const text = contentOf(autoTx);
        // Of two with the same words the nonce tells which is which.
        const nonce = (called.get(text)?.length ?? 0) > 1 && autoTx.nonce !== null ? `#${autoTx.nonce} ` : '';
        return [{ text: `${nonce}${text}`, bold: !isOver(autoTx) }];
      },
    },
    {
      id: 'target',
      heading: 'target',
      align: 'right',
      least: 7,
      rank: 0,
      cell: ({ target }) => (target === null ? UNKNOWN : shortGwei(target)),
    },
    ...(width < NOTES_FROM ? [] : [nowColumn(context)]),
    {
      id: 'progress',
      heading: 'to go',
      align: 'right',
      least: 9,
      rank: 1,
      cell: (autoTx) => progressLine(autoTx, context),
    },
    {
      id: 'chance',
      heading: 'chance',
      align: 'right',
      least: 6,
      rank: 2,
      cell: (autoTx) => chanceText(autoTx) ?? UNKNOWN,
    },
    {
      id: 'expires',
      heading: 'expires',
      align: 'right',
      least: 8,
      rank: 2,
      cell: (autoTx) => expiryText(autoTx, context.present),
    },
    ...(width < NOTES_FROM ? [] : [sinceColumn(context)]),
    {
      id: 'sender',
      heading: 'nonce/from',
      align: 'left',
      least: 10,
      rank: 6,
      cell: ({ nonce, from }) => {
        if (nonce === null && from === null) return UNKNOWN;
        return `${nonce === null ? UNKNOWN : `#${nonce}`} ${from === null ? '' : shortHex(from, '…')}`.trimEnd();
      },
    },
    {
      id: 'note',
      heading: 'note',
      align: 'left',
      least: LEAST_NOTE,
      most: Number.POSITIVE_INFINITY,
      rank: width >= NOTES_FROM ? 5 : 9,
      // A note may be long and is measured for every frame: the part past the edge is not seen.
      cell: ({ note }) =>
        note === null || note === ''
          ? ''
          : [{ text: truncate(cleanText(note, width * 4), width, theme.glyph.ellipsis), faint: true }],
    },
  ];
}

const contentOf = (autoTx: AutoTxView) => describeContent(autoTx, calledBy(autoTx));

const nowColumn = ({ snapshot }: PaneContext): GrowingColumn<AutoTxView> => ({
  id: 'now',
  heading: 'now',
  align: 'right',
  least: 7,
  rank: 4,
  cell: (autoTx) => {
    if (isOver(autoTx) || statusOf(autoTx) === 'SUBMITTED') return UNKNOWN;
    const distance = distanceToTarget(autoTx, snapshot);
    return distance === null ? UNKNOWN : formatGwei(distance.price);
  },
});

const sinceColumn = ({ present }: PaneContext): GrowingColumn<AutoTxView> => ({
  id: 'since',
  heading: 'since',
  align: 'right',
  least: 7,
  rank: 3,
  cell: (autoTx) => sinceText(autoTx, present),
});

const CALLED = new WeakMap<AutoTxContent, DescribedCall | null>();

/** What a transaction calls, as far as its data tells; `null` when it calls nothing known. */
export function calledBy(content: AutoTxContent): DescribedCall | null {
  // Rows are drawn at every key, and are the same objects as long as nothing about them changes.
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
    { text: `${theme.glyph[glyph]} `, ...(color === undefined ? {} : { color }) },
    { text: describeState(autoTx), faint: isOver(autoTx) && statusOf(autoTx) !== 'FAILED' },
  ];
}

/** How far it is: the price's way to the target, confirmations of what was sent, what a mined one paid. */
function progressLine(autoTx: AutoTxView, { snapshot, theme }: PaneContext): string | Line {
  const { glyph } = theme;
  switch (statusOf(autoTx)) {
    case 'SUBMITTED':
      return confirmationsText(autoTx) ?? 'not mined';
    case 'EXECUTED':
      return autoTx.effectiveGasPrice === null ? UNKNOWN : `paid ${formatGwei(autoTx.effectiveGasPrice)}`;
    case 'CANCELLED':
    case 'EXPIRED':
    case 'FAILED':
      return UNKNOWN;
    default: {
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

/** `3/12 conf`; `null`: no block has it. */
function confirmationsText({ blockNumber, confirmations, confirmationsNeeded }: AutoTxView): string | null {
  if (blockNumber === null && (confirmations === null || confirmations === 0)) return null;
  const has = confirmations === null ? 'mined' : String(confirmations);
  if (confirmations === null) return has;
  return confirmationsNeeded === null ? `${has} conf` : `${has}/${confirmationsNeeded} conf`;
}

/** The probability that it is sent before it expires; `null`: unknown, it can never be sent, or it is no longer pending. */
function chanceText(autoTx: AutoTxView): string | null {
  const chance = chanceOf(autoTx);
  if (chance === null || isOver(autoTx) || statusOf(autoTx) === 'SUBMITTED') return null;
  return formatLikelihood(chance).replace('over ', '>').replace('under ', '<');
}

function expiryText(autoTx: AutoTxView, present: number): string {
  const { expiresAt } = autoTx;
  if (isOver(autoTx) || statusOf(autoTx) === 'SUBMITTED') return UNKNOWN;
  if (expiresAt === null) return 'never';
  return expiresAt <= present ? 'now' : `in ${inMinutes(expiresAt - present)}`;
}

/** How long ago it was submitted, or became final. */
function sinceText(autoTx: AutoTxView, present: number): string {
  const isSubmitted = statusOf(autoTx) === 'SUBMITTED';
  const at = isSubmitted ? autoTx.submittedAt : isOver(autoTx) ? endOf(autoTx) : null;
  return at === null ? UNKNOWN : `${oneUnit(Math.max(present - at, 0))} ago`;
}

/** `44s`, `20m`, `22h`, `50d` */
function oneUnit(ms: number): string {
  const sec = Math.floor(ms / 1_000);
  const unit = sec < 60 ? 1 : sec < 3_600 ? 60 : sec < 86_400 ? 3_600 : 86_400;
  return unit === 1 ? `${sec}s` : `${Math.floor(sec / unit)}${UNITS.get(unit)}`;
}

const UNITS = new Map([
  [60, 'm'],
  [3_600, 'h'],
  [86_400, 'd'],
]);

/** A time that ticks only where it matters: `45s`, `12m`, `3h05m`, `2d03h`. */
function inMinutes(ms: number): string {
  const sec = ms / 1_000;
  return formatDuration(sec < 60 ? Math.floor(sec) : Math.floor(sec / 60) * 60);
}

/** What needs attention first. */
const RANKS = new Map<string | null, number>([
  ['SUBMITTED', 0],
  ['PENDING', 1],
  // A service's own words: who knows.
  [null, 2],
  ['DISABLED', 3],
  ['DRAFT', 4],
]);
const OVER = 5;

/**
 * The auto-txs as they are listed: on their way (the longest first), waiting (the nearest to their price first), disabled,
 * drafts, and final ones, newest first.
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

/** When it was over, ms. */
export function endOf({ executedAt, updatedAt }: AutoTxView): number | null {
  return executedAt ?? updatedAt;
}
