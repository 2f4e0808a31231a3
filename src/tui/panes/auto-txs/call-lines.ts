import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import type { DescribedCall } from '../../../core/transactions/known-calls.ts';
import { factGrid } from '../../ui/fact-list.tsx';
import { type Line, wrapText } from '../../ui/text.tsx';
import type { AutoTxContext } from './auto-tx-columns.ts';
import { sizeText } from './transaction-lines.ts';

/** Longer names of arguments are cut by what the name's column needs. */
const NAME_ROOM = 24;
const VALUE_LINES = 4;

/** What a transaction calls with what; none where it only sends coins. */
export function callLines(autoTx: AutoTxView, context: AutoTxContext, width: number): readonly Line[] {
  const { data, to } = autoTx;
  const { theme, describe } = context;
  if (data === null || data === '0x') return [];
  const size = sizeText((data.length - 2) / 2);
  if (to === null) return [[{ text: ` ${size} of code for a new contract` }]];
  const called = describe(autoTx);
  if (called === null) return [[{ text: ` ${data.slice(0, 10)}, ${size} of data` }]];
  const wrapped = (text: string, indent: string): readonly Line[] =>
    wrapText(theme.text(text), width - indent.length - 1, VALUE_LINES, theme.glyph.ellipsis).map(
      (part): Line => [{ text: `${indent}${part}` }],
    );
  return [
    ...wrapped(called.words, ' '),
    ...argumentLines(called, context, width),
    ...called.calls.flatMap(({ words }) => wrapped(`${theme.glyph.bullet} ${words}`, '   ')),
  ];
}

function argumentLines({ args }: DescribedCall, { theme }: AutoTxContext, width: number): readonly Line[] {
  const facts = args.flatMap(({ name, type, value }) =>
    wrapText(theme.text(value), width - NAME_ROOM, VALUE_LINES, theme.glyph.ellipsis).map((part, place) => ({
      name: place === 0 ? (name === '' ? type : name).slice(0, NAME_ROOM - 3) : '',
      value: [{ text: part }],
      alone: true,
    })),
  );
  return factGrid(facts, width, theme);
}
