import type { AlertView } from '../../../client/views/alerts.ts';
import {
  type AlertState,
  alertState,
  describeChannels,
  describeCondition,
  describeShare,
  distanceToThreshold,
} from '../../../client/views/describe-alerts.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { cleanText } from '../../../core/clean-text.ts';
import { formatAge, formatCount, UNKNOWN } from '../../../core/units.ts';
import { columnsWithin, type TableColumn } from '../../ui/table.ts';
import { displayWidth, EMPTY_LINE, type Line, truncate } from '../../ui/text.tsx';
import type { ColorName, GlyphName, Theme } from '../../ui/theme.ts';
import { clockText, dayText, localDate, type OffsetAt, weekdayText } from '../../ui/time.ts';

export interface AlertColumnsContext {
  readonly snapshot: SnapshotView;
  /** What ages are counted from, ms. */
  readonly present: number;
  readonly offsetAt: OffsetAt;
  readonly theme: Theme;
  /** Words must be short. */
  readonly isNarrow?: boolean;
}

const LONGEST_TARGET = 34;

/** The columns of the list of alerts, left to right, all but the note. */
export function alertColumns(context: AlertColumnsContext): readonly TableColumn<AlertView>[] {
  const { snapshot, present, theme } = context;
  return [
    {
      id: 'state',
      heading: 'state',
      align: 'left',
      least: 10,
      rank: 0,
      cell: (alert) => stateLine(alert, context),
    },
    {
      id: 'condition',
      heading: 'fires when',
      align: 'left',
      least: 19,
      rank: 0,
      cell: (alert) => [{ text: describeCondition(alert), bold: alert.status !== 'DISABLED' }],
    },
    {
      id: 'distance',
      heading: 'to go',
      align: 'right',
      least: 7,
      rank: 1,
      cell: (alert) => distanceLine(alert, snapshot, theme),
    },
    {
      id: 'fired',
      heading: 'fired',
      align: 'right',
      least: 5,
      rank: 2,
      cell: ({ triggerCount }) => (triggerCount === null ? UNKNOWN : formatCount(triggerCount)),
    },
    {
      id: 'last',
      heading: 'last',
      align: 'right',
      least: 9,
      rank: 4,
      cell: ({ lastTriggeredAt, triggerCount }) => {
        if (lastTriggeredAt !== null) return formatAge((present - lastTriggeredAt) / 1_000);
        return triggerCount === 0 ? 'never' : UNKNOWN;
      },
    },
    {
      id: 'tells',
      heading: 'tells',
      align: 'left',
      least: 8,
      rank: 3,
      cell: (alert) => truncate(describeChannels(alert) ?? UNKNOWN, LONGEST_TARGET, theme.glyph.ellipsis),
    },
  ];
}

const STATE_LOOKS: Readonly<
  Record<AlertState['kind'], { readonly glyph: GlyphName; readonly word: string; readonly color?: ColorName }>
> = {
  armed: { glyph: 'live', word: 'armed', color: 'good' },
  confirming: { glyph: 'live', word: 'confirming', color: 'warn' },
  leaving: { glyph: 'stale', word: 'rests', color: 'accent' },
  resting: { glyph: 'stale', word: 'rests', color: 'accent' },
  disabled: { glyph: 'unknown', word: 'disabled' },
  other: { glyph: 'bullet', word: '' },
};

/** `● armed`, `◌ rests until 13:20` */
export function stateLine(
  alert: AlertView,
  { snapshot, present, offsetAt, theme, isNarrow = false }: AlertColumnsContext,
): Line {
  const state = alertState(alert, snapshot, present);
  const { glyph, word, color } = STATE_LOOKS[state.kind];
  const said = state.kind === 'other' ? state.word : word;
  const until =
    state.kind === 'resting'
      ? ` ${isNarrow ? 'to' : 'until'} ${untilText(state.until, present, offsetAt)}`
      : '';
  return [
    { text: `${theme.glyph[glyph]} `, ...(color === undefined ? {} : { color }) },
    { text: `${said}${until}`, faint: state.kind === 'disabled' },
  ];
}

/** `13:20`, on another day of this week `Tue 13:20`, else `5 Jan`. */
export function untilText(at: number, present: number, offsetAt: OffsetAt): string {
  const day = (ms: number) => localDate(ms, offsetAt).toISOString().slice(0, 10);
  if (day(at) === day(present)) return clockText(at, offsetAt);
  if (Math.abs(at - present) < 6 * 86_400_000)
    return `${weekdayText(at, offsetAt)} ${clockText(at, offsetAt)}`;
  return dayText(at, offsetAt);
}

function distanceLine(alert: AlertView, snapshot: SnapshotView, { glyph }: Theme): string | Line {
  const distance = distanceToThreshold(alert, snapshot);
  if (distance === null) return UNKNOWN;
  if (distance.isThere) return [{ text: `${glyph.marker} there`, color: 'good' }];
  return `${distance.ratio < 0 ? glyph.down : glyph.up} ${describeShare(distance.ratio)}`;
}

const GAP = 2;
const LEAST_TELLS = 8;
const LEAST_NOTE = 10;

export interface FittedColumns {
  readonly columns: readonly TableColumn<AlertView>[];
  readonly widths: ReadonlyMap<string, number>;
}

/**
 * The columns that fit into `width`. Whom it tells is cut to what is left, and what then is left goes to the note.
 * Columns without a single value say nothing.
 */
export function alertColumnsWithin(
  columns: readonly TableColumn<AlertView>[],
  rows: readonly AlertView[],
  widest: ReadonlyMap<string, number>,
  width: number,
): FittedColumns {
  const told = columns.filter(
    ({ id, cell }) => id === 'state' || rows.length === 0 || rows.some((row) => cell(row) !== UNKNOWN),
  );
  const fixed = columnsWithin(
    told.filter(({ id }) => !FLEXIBLE.has(id)),
    widest,
    width,
  );
  const widths = new Map(widest);
  let left = width - fixed.reduce((sum, { id, least }) => sum + (widest.get(id) ?? least) + GAP, 0);
  const kept = new Set(fixed.map(({ id }) => id));
  const keep = (id: string, least: number, most: number) => {
    if (left < least || !told.some((column) => column.id === id)) return;
    kept.add(id);
    widths.set(id, Math.min(most, left));
    left -= Math.min(most, left) + GAP;
  };
  keep('tells', LEAST_TELLS, widest.get('tells') ?? LEAST_TELLS);
  keep('last', widest.get('last') ?? 0, widest.get('last') ?? 0);
  const shown = told.filter(({ id }) => kept.has(id));
  if (left < LEAST_NOTE || !rows.some(({ note }) => note !== null && note !== ''))
    return { columns: shown, widths };
  return { columns: [...shown, noteColumn(left)], widths: widths.set('note', left) };
}

const FLEXIBLE = new Set(['tells', 'last']);

function noteColumn(width: number): TableColumn<AlertView> {
  return {
    id: 'note',
    heading: 'note',
    align: 'left',
    least: width,
    rank: 9,
    // A note may be long and is measured for every frame: more than the column cannot be seen.
    cell: ({ note }) =>
      note === null || note === ''
        ? EMPTY_LINE
        : [{ text: firstOf(cleanText(note, (width + 1) * 8), width + 1) }],
  };
}

function firstOf(text: string, columns: number): string {
  const most = text.slice(0, columns * 4);
  return displayWidth(most) <= columns ? most : truncate(most, columns);
}
