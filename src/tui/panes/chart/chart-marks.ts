import type { ColorName } from '../../ui/theme.ts';
import type { SlotMark } from './chart-data.ts';

/** How a kind of mark looks and is called; `rank`: which of two in one column is seen. */
export interface MarkLook {
  readonly glyph: string;
  readonly color: ColorName;
  readonly name: string;
  readonly rank: number;
}

const LOOKS = new Map<string, MarkLook & { readonly ascii: string }>([
  ['ANOMALY', { glyph: '◇', ascii: '?', color: 'warn', name: 'unusual', rank: 1 }],
  ['REGIME_SHIFT', { glyph: '◆', ascii: '#', color: 'accent', name: 'regime shift', rank: 2 }],
  ['SPIKE', { glyph: '▲', ascii: '^', color: 'bad', name: 'spike', rank: 3 }],
  ['AUTO_TX', { glyph: '■', ascii: '$', color: 'good', name: 'auto-tx', rank: 4 }],
  ['ALERT', { glyph: '●', ascii: 'o', color: 'good', name: 'alert fired', rank: 5 }],
]);

/** The look of a kind; an unknown one keeps the service's own word. */
export function markLook(kind: string, ascii: boolean): MarkLook {
  const look = LOOKS.get(kind);
  if (look === undefined) {
    const name = kind.toLowerCase().replaceAll('_', ' ').slice(0, 20);
    return { glyph: ascii ? '*' : '✱', color: 'warn', name, rank: 0 };
  }
  return ascii ? { ...look, glyph: look.ascii } : look;
}

/** Each kind that occurs, with how often, in the order of importance. */
export function countMarks(
  marks: readonly SlotMark[],
  ascii: boolean,
): readonly { readonly look: MarkLook; readonly count: number }[] {
  return [...Map.groupBy(marks, ({ kind }) => kind)]
    .map(([kind, all]) => ({ look: markLook(kind, ascii), count: all.length }))
    .sort((a, b) => b.look.rank - a.look.rank);
}

/** Marks so ordered that of two in one column the more important is drawn last, on top. */
export function byRank(marks: readonly SlotMark[]): readonly SlotMark[] {
  return [...marks].sort((a, b) => markLook(a.kind, false).rank - markLook(b.kind, false).rank);
}
