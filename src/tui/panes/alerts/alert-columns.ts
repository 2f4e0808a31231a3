import {
  type AlertState,
  type AlertView,
  alertState,
  describeChannels,
  describeCondition,
  describeShare,
  distanceToThreshold,
} from '../../../client/views/alerts.ts';
import { cleanText } from '../../../core/text.ts';
import { formatAge, formatCount, UNKNOWN } from '../../../core/units.ts';
import type { PaneContext } from '../../ui/pane-context.ts';
import { leftColumn, rightColumn, type TableColumn } from '../../ui/table.ts';
import type { Line } from '../../ui/text.tsx';
import type { ColorName, GlyphName } from '../../ui/theme.ts';
import { untilText } from '../../ui/time.ts';

const ROOMY_FROM = 100;
const LONGEST_TARGET = 34;

export function alertColumns(context: PaneContext): readonly TableColumn<AlertView>[] {
  const { present } = context;
  return [
    leftColumn('state', 10, 0, (alert) => stateLine(alert, context)),
    leftColumn('fires when', 19, 0, (alert) => [
      { text: describeCondition(alert), bold: alert.status !== 'DISABLED' },
    ]),
    rightColumn('to go', 7, 1, (alert) => distanceLine(alert, context)),
    rightColumn('fired', 5, 2, ({ triggerCount }) =>
      triggerCount === null ? UNKNOWN : formatCount(triggerCount),
    ),
    rightColumn('last', 9, 4, ({ lastTriggeredAt, triggerCount }) => {
      if (lastTriggeredAt !== null) return formatAge((present - lastTriggeredAt) / 1_000);
      return triggerCount === 0 ? 'never' : UNKNOWN;
    }),
    leftColumn('notify', 16, 3, (alert) => describeChannels(alert) ?? UNKNOWN, { most: LONGEST_TARGET }),
    leftColumn(
      'note',
      10,
      9, // A long note is measured for every frame: cuts it at the edge first.
      ({ note }) => (note === null || note === '' ? '' : cleanText(note, context.width * 4)),
      { most: Number.POSITIVE_INFINITY },
    ),
  ];
}

const STATE_LOOKS: Readonly<
  Record<AlertState['kind'], { readonly glyph: GlyphName; readonly word: string; readonly color?: ColorName }>
> = {
  armed: { glyph: 'live', word: 'armed', color: 'good' },
  confirming: { glyph: 'live', word: 'confirming', color: 'warn' },
  leaving: { glyph: 'stale', word: 'cooling down', color: 'accent' },
  cooling: { glyph: 'stale', word: 'cooling down', color: 'accent' },
  disabled: { glyph: 'unknown', word: 'disabled' },
  other: { glyph: 'bullet', word: '' },
};

/** `● armed`, `◌ cooling down until 13:20`, on a narrow screen `◌ cooldown 13:20` */
export function stateLine(
  alert: AlertView,
  { snapshot, present, offsetAt, theme, width }: PaneContext,
): Line {
  const state = alertState(alert, snapshot, present);
  const { glyph, word, color } = STATE_LOOKS[state.kind];
  const label = state.kind === 'other' ? state.word : word;
  const text =
    state.kind === 'cooling'
      ? `${width < ROOMY_FROM ? 'cooldown' : `${label} until`} ${untilText(state.until, present, offsetAt)}`
      : label;
  return [
    { text: `${theme.glyph[glyph]} `, color },
    { text, faint: state.kind === 'disabled' },
  ];
}

function distanceLine(alert: AlertView, { snapshot, theme: { glyph } }: PaneContext): string | Line {
  const distance = distanceToThreshold(alert, snapshot);
  if (distance === null) return UNKNOWN;
  if (distance.isThere) return [{ text: `${glyph.marker} reached`, color: 'good' }];
  return `${distance.ratio < 0 ? glyph.down : glyph.up} ${describeShare(distance.ratio)}`;
}
