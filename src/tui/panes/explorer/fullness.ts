import { formatPercent } from '../../../core/units.ts';
import type { Line } from '../../ui/text.tsx';
import type { Theme } from '../../ui/theme.ts';

/** Above this a block drives the base fee up by more than a tenth (EIP-1559, elasticity 2). */
const NEARLY_FULL = 0.9;

/** How full a block is, as a bar of `cells` and in percent. */
export function fullnessLine(ratio: number, cells: number, { glyph }: Theme): Line {
  const full = Math.min(Math.max(Math.round(ratio * cells), 0), cells);
  return [
    { text: glyph.barFull.repeat(full), color: ratio > NEARLY_FULL ? 'warn' : 'accent' },
    { text: glyph.barEmpty.repeat(cells - full), faint: true },
    { text: ` ${formatPercent(ratio).padStart(5)}` },
  ];
}
