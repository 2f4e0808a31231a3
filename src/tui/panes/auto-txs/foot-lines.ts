import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import { EMPTY_LINE, type Line } from '../../lines.ts';
import { wrapText } from '../../wrap-text.ts';
import { withShortHashes } from '../explorer/hex-text.ts';
import type { AutoTxContext } from './auto-tx-columns.ts';
import { whatText, whyOf } from './auto-tx-why.ts';

/** Lines of the foot: a rule, what it does, and two of why it stands where it stands. */
export const FOOT_LINES = 4;

const WHY_LINES = 2;

/** What there is to say of the marked auto-tx that no column holds. */
export function footLines(autoTx: AutoTxView, context: AutoTxContext, width: number): readonly Line[] {
  const { theme } = context;
  const { text, color } = whyOf(autoTx, context);
  const why = wrapText(theme.text(withShortHashes(text, '…')), width - 3, WHY_LINES, theme.glyph.ellipsis);
  const look = color === undefined ? {} : { color };
  return [
    [{ text: ` ${theme.glyph.line.repeat(Math.max(width - 2, 0))}`, faint: true }],
    [{ text: ` ${whatText(autoTx, context)}`, faint: true }],
    ...Array.from({ length: WHY_LINES }, (_, place): Line => {
      const part = why[place];
      if (part === undefined) return EMPTY_LINE;
      const mark = color === undefined || place > 0 ? '' : `${theme.glyph.warning} `;
      return [{ text: ` ${mark}${part}`, ...look }];
    }),
  ];
}
