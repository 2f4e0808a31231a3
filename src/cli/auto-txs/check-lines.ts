import type { CheckView } from '../../client/views/auto-txs.ts';
import { cleanLine } from '../clean-line.ts';
import { wrapWords } from '../wrap-words.ts';

const MARKS = { signs: ['✓', '✗', '?'], words: ['ok', 'no', '?'] } as const;
const NAME_WIDTH = 15;
const LINE_WIDTH = 80;

/** The pre-flight, a line each: `✓ nonce  nonce 7 is the next one`; in ASCII `ok` and `no`. */
export function checkLines(checks: readonly CheckView[], isAscii: boolean): string[] {
  const [fine, bad, unknown] = isAscii ? MARKS.words : MARKS.signs;
  const indent = isAscii ? 3 : 2;
  return checks.flatMap(({ name, ok, message }) => {
    const mark = (ok === null ? unknown : ok ? fine : bad).padEnd(indent);
    const head = `${mark}${cleanLine(name).padEnd(NAME_WIDTH)}`;
    const lines = wrapWords(cleanLine(message), LINE_WIDTH - head.length);
    return lines.map((line, index) => (index === 0 ? head : ' '.repeat(head.length)) + line);
  });
}
