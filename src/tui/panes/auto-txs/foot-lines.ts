import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import { describeContent, describeReason, describeTarget } from '../../../client/views/describe-auto-txs.ts';
import { cleanText } from '../../../core/clean-text.ts';
import { shortHex, withShortHashes } from '../../../core/hex-text.ts';
import { EMPTY_LINE, type Line, wrapText } from '../../ui/text.tsx';
import type { AutoTxContext } from './auto-tx-columns.ts';

/** Lines of the foot: a rule, what it does, and two of why it stands where it stands. */
export const FOOT_LINES = 4;

const WHY_LINES = 2;

/** What there is to say of the marked auto-tx that no column holds. */
export function footLines(autoTx: AutoTxView, context: AutoTxContext, width: number): readonly Line[] {
  const { theme } = context;
  const { text, severity } = describeReason(autoTx, context.snapshot, context.present);
  const why = wrapText(theme.text(withShortHashes(text, '…')), width - 3, WHY_LINES, theme.glyph.ellipsis);
  const look = severity === null ? {} : { color: severity };
  return [
    [{ text: ` ${theme.glyph.line.repeat(Math.max(width - 2, 0))}`, faint: true }],
    [{ text: ` ${whatText(autoTx, context)}`, faint: true }],
    ...Array.from({ length: WHY_LINES }, (_, place): Line => {
      const part = why[place];
      if (part === undefined) return EMPTY_LINE;
      const mark = severity === null || place > 0 ? '' : `${theme.glyph.warning} `;
      return [{ text: ` ${mark}${part}`, ...look }];
    }),
  ];
}

const LONGEST = 400;

/** What it does, when, and as whose, for the line over the reason. */
function whatText(autoTx: AutoTxView, { describe }: Pick<AutoTxContext, 'describe'>): string {
  const called = describe(autoTx);
  const what = called === null || called.name === null ? describeContent(autoTx) : called.words;
  const note = cleanText(autoTx.note ?? '', LONGEST).trim();
  const nonce = autoTx.nonce === null ? '' : `, nonce ${autoTx.nonce}`;
  const from = autoTx.from === null ? '' : ` of ${shortHex(autoTx.from, '…')}`;
  return `${what} when ${describeTarget(autoTx)}${nonce}${from}${note === '' ? '' : ` · ${note}`}`;
}
