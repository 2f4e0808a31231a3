import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import { describeContent } from '../../../client/views/describe-auto-txs.ts';
import { type Line, wrapText } from '../../ui/text.tsx';
import type { Theme } from '../../ui/theme.ts';
import type { SignedRole } from './auto-tx-form-fields.ts';

const MOST_LINES = 4;

/** What to paste and where it goes, while there is nothing yet. `host`: another service gets it. */
export function formGuide(
  role: SignedRole,
  edited: AutoTxView | null,
  host: string | null,
): readonly string[] {
  const keeper = host ?? 'gastop';
  return [
    ...(role === 'replaces'
      ? ['What is pasted here takes the place of what waits. Left empty, that stays.']
      : edited === null
        ? ['Sign the transaction in your wallet without sending it, and paste it: 0x and many digits.']
        : [
            `The draft: ${describeContent(edited)}. Sign exactly that, with any nonce and fees, and paste it.`,
          ]),
    `It is checked here and never shown. ${keeper} keeps it and sends it when gas is at your target; until then you can cancel it.`,
    'Private keys and recovery phrases belong nowhere but in the wallet.',
  ];
}

export function guideLines(sentences: readonly string[], width: number, theme: Theme): readonly Line[] {
  return sentences.flatMap((sentence) =>
    wrapText(theme.text(sentence), width - 4, MOST_LINES, theme.glyph.ellipsis).map(
      (text): Line => [{ text: `   ${text}`, faint: true }],
    ),
  );
}
