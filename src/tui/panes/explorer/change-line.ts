import { formatChange } from '../../../core/units.ts';
import type { Line } from '../../ui/text.tsx';
import type { Theme } from '../../ui/theme.ts';

/** A change of price with its direction; cheaper is good news. */
export function changeLine(ratio: number, { glyph }: Theme): Line {
  const text = formatChange(ratio);
  if (ratio > 0.0005) return [{ text: `${glyph.up} ${text}`, color: 'warn' }];
  if (ratio < -0.0005) return [{ text: `${glyph.down} ${text}`, color: 'good' }];
  return [{ text: `${glyph.steady} ${text}`, faint: true }];
}
