import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import { describeShare } from '../../../client/views/describe-alerts.ts';
import {
  type AutoTxState,
  autoTxState,
  chanceOf,
  describeContent,
  describeState,
  distanceToTarget,
  isOver,
  isUnreachable,
  statusOf,
} from '../../../client/views/describe-auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { cleanText } from '../../../core/clean-text.ts';
import { shortHex } from '../../../core/hex-text.ts';
import { formatDuration, formatGwei, formatLikelihood, gweiString, UNKNOWN } from '../../../core/units.ts';
import type { DescribeCall } from '../../hooks/use-described-calls.ts';
import { columnsWithin, type TableColumn } from '../../ui/table.ts';
import { EMPTY_LINE, type Line, truncate } from '../../ui/text.tsx';
import type { ColorName, GlyphName, Theme } from '../../ui/theme.ts';
import type { OffsetAt } from '../../ui/time.ts';
import { endOf } from './auto-tx-order.ts';

export interface AutoTxContext {
  readonly snapshot: SnapshotView;
  /** What ages are counted from, ms. */
  readonly present: number;
  readonly offsetAt: OffsetAt;
  readonly theme: Theme;
  readonly describe: DescribeCall;
}

export type AutoTxColumn = TableColumn<AutoTxView>;

/** The columns of the list of auto-txs, left to right, all but what takes the room that is left. */
export function autoTxColumns(context: AutoTxContext): readonly AutoTxColumn[] {
  const { snapshot } = context;
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
      id: 'target',
      heading: 'target',
      align: 'right',
      least: 7,
      rank: 0,
      cell: ({ target }) => (target === null ? UNKNOWN : shortGwei(target)),
    },
    {
      id: 'now',
      heading: 'now',
      align: 'right',
      least: 7,
      rank: 3,
      cell: (autoTx) => {
        if (isOver(autoTx)) return UNKNOWN;
        const distance = distanceToTarget(autoTx, snapshot);
        return distance === null ? UNKNOWN : formatGwei(distance.price);
      },
    },
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
      id: 'time',
      heading: 'when',
      align: 'right',
      least: 8,
      rank: 2,
      cell: (autoTx) => timeText(autoTx, context.present),
    },
    {
      id: 'sender',
      heading: 'nonce/from',
      align: 'left',
      least: 10,
      rank: 5,
      cell: ({ nonce, from }) => {
        if (nonce === null && from === null) return UNKNOWN;
        return `${nonce === null ? UNKNOWN : `#${nonce}`} ${from === null ? '' : shortHex(from, '…')}`.trimEnd();
      },
    },
  ];
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
export function stateLine(autoTx: AutoTxView, { theme }: Pick<AutoTxContext, 'theme'>): Line {
  const { glyph, color } = LOOKS[autoTxState(autoTx)];
  return [
    { text: `${theme.glyph[glyph]} `, ...(color === undefined ? {} : { color }) },
    { text: describeState(autoTx), faint: isOver(autoTx) && statusOf(autoTx) !== 'FAILED' },
  ];
}

/** How far it is: the price's way to the target, confirmations of what was sent, what a mined one paid. */
function progressLine(autoTx: AutoTxView, { snapshot, theme }: AutoTxContext): string | Line {
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
      if (isUnreachable(autoTx)) return [{ text: 'never', color: 'bad' }];
      const distance = distanceToTarget(autoTx, snapshot);
      if (distance === null) return UNKNOWN;
      if (!distance.isThere)
        return `${distance.ratio < 0 ? glyph.down : glyph.up} ${describeShare(distance.ratio)}`;
      if (distance.isCapped) return [{ text: 'cap low', color: 'warn' }];
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

/** The chance that it is sent before it expires; `null`: nobody can say, it can never be sent, or it no longer matters. */
function chanceText(autoTx: AutoTxView): string | null {
  const chance = chanceOf(autoTx);
  if (chance === null || isOver(autoTx) || statusOf(autoTx) === 'SUBMITTED') return null;
  return formatLikelihood(chance).replace('over ', '>').replace('under ', '<');
}

/** How long it still waits, since when it is out, or since when it is over. */
function timeText(autoTx: AutoTxView, present: number): string {
  const ago = (at: number | null) => (at === null ? UNKNOWN : `${oneUnit(Math.max(present - at, 0))} ago`);
  const { expiresAt, submittedAt } = autoTx;
  if (isOver(autoTx)) return ago(endOf(autoTx));
  if (statusOf(autoTx) === 'SUBMITTED') return ago(submittedAt);
  if (expiresAt === null) return 'no end';
  return expiresAt <= present ? 'now' : `in ${inMinutes(expiresAt - present)}`;
}

/** `44s`, `20m`, `22h`, `50d`: long past is past. */
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

/** Exact where that is short. */
function shortGwei(wei: bigint): string {
  const exact = gweiString(wei);
  return exact.length <= LONGEST_PRICE ? exact : formatGwei(wei);
}

const LONGEST_PRICE = 7;
const GAP = 2;
const LEAST_CALL = 20;
const MOST_CALL = 44;
const LEAST_NOTE = 12;
/** From here on a note is worth more than the columns that are worth least. */
const NOTES_FROM = 100;

export interface FittedColumns {
  readonly columns: readonly AutoTxColumn[];
  readonly widths: ReadonlyMap<string, number>;
}

/**
 * The columns that fit into `width`. What a transaction does comes second and takes what the others leave, at most what
 * it needs; what then is left goes to the note. Columns without a single value say nothing.
 */
export function autoTxColumnsWithin(
  columns: readonly AutoTxColumn[],
  rows: readonly AutoTxView[],
  widest: ReadonlyMap<string, number>,
  width: number,
  context: AutoTxContext,
): FittedColumns {
  const told = columns.filter(({ id, cell }) => id === 'state' || rows.some((row) => cell(row) !== UNKNOWN));
  const hasNotes = rows.some(({ note }) => note !== null && note !== '');
  const kept = hasNotes && width >= NOTES_FROM ? LEAST_NOTE + GAP : 0;
  const fixed = columnsWithin(told, widest, width - LEAST_CALL - GAP - kept);
  const used = fixed.reduce((sum, { id, least }) => sum + (widest.get(id) ?? least) + GAP, 0);
  const room = width - used;
  const wanted = Math.min(Math.max(widest.get('call') ?? 0, LEAST_CALL), MOST_CALL);
  const call = Math.max(Math.min(wanted, room - kept), Math.min(LEAST_CALL, room));
  const note = room - call - GAP;
  const [state, ...others] = fixed;
  if (state === undefined) return { columns: fixed, widths: widest };
  const shown = [state, callColumn(call, context), ...others];
  const widths = new Map(widest).set('call', call);
  if (!hasNotes || note < LEAST_NOTE) return { columns: shown, widths };
  return { columns: [...shown, noteColumn(note, context)], widths: widths.set('note', note) };
}

const flexible = { align: 'left', rank: 9 } as const;

/** What it does, in `width` columns. */
export function callColumn(width: number, { describe }: Pick<AutoTxContext, 'describe'>): AutoTxColumn {
  return {
    ...flexible,
    id: 'call',
    heading: 'what it does',
    least: width,
    cell: (autoTx) => [{ text: describeContent(autoTx, describe(autoTx)), bold: !isOver(autoTx) }],
  };
}

function noteColumn(width: number, { theme: { glyph } }: AutoTxContext): AutoTxColumn {
  return {
    ...flexible,
    id: 'note',
    heading: 'note',
    least: width,
    // A note may be long and is measured for every frame: more than the column cannot be seen.
    cell: ({ note }) =>
      note === null || note === ''
        ? EMPTY_LINE
        : [{ text: truncate(cleanText(note, (width + 1) * 8), width, glyph.ellipsis), faint: true }],
  };
}
