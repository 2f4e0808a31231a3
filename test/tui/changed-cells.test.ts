import xterm from '@xterm/headless';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changedCells } from '../../src/tui/changed-cells.ts';

const COLUMNS = 24;

/** What a terminal shows, cell by cell, after it was written to. */
async function shown(...written: readonly string[]): Promise<readonly string[]> {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: 3, allowProposedApi: true });
  for (const bytes of written) await new Promise<void>((done) => terminal.write(bytes, done));
  const line = terminal.buffer.active.getLine(0);
  const cells = Array.from({ length: COLUMNS }, (_, x) => {
    const cell = line?.getCell(x);
    if (cell === undefined) return '';
    const look = [cell.isBold(), cell.isDim(), cell.isInverse(), cell.getFgColor(), cell.getBgColor()];
    return `${cell.getChars() || ' '} ${look.join()}`;
  });
  terminal.dispose();
  return cells;
}

const piece = fc
  .tuple(
    fc.constantFrom('│', '21.4', ' gwei ', '╭─╯', 'a', '    '),
    fc.constantFrom([0, 0], [1, 22], [2, 22], [7, 27], [36, 39], [91, 39], [44, 49]),
    fc.constantFrom([0, 0], [1, 22], [35, 39]),
  )
  .map(([text, [on, off], [onToo, offToo]]) => {
    const inner = on === 0 ? text : `\x1b[${on}m${text}\x1b[${off}m`;
    return onToo === 0 ? inner : `\x1b[${onToo}m${inner}\x1b[${offToo}m`;
  });
const line = fc
  .array(piece, { maxLength: 7 })
  .map((pieces) => pieces.join(''))
  .filter((text) => text.replaceAll(/\x1b\[\d+m/g, '').length <= COLUMNS);

it('leaves on the screen what writing the whole line would have left', async () => {
  await fc.assert(
    fc.asyncProperty(line, line, async (previous, next) => {
      const changed = changedCells(previous, next, COLUMNS);
      expect(changed).not.toBeNull();
      // The cursor stands anywhere in the line, as after what was written before it.
      expect(await shown(previous, '\x1b[7G', changed ?? '')).toEqual(await shown(next));
    }),
    { numRuns: 100 },
  );
});

it('passes over what stays, and ends a line that is shorter now', () => {
  expect(changedCells('│ 21.4 │ a long time │', '│ 21.5 │ a long time │', 80)).toBe('\x1b[6G5');
  expect(changedCells('│ 21.4 │ a long time │', '│ 21.4 │', 80)).toBe('\x1b[9G\x1b[K');
  expect(changedCells('same', 'same', 80)).toBe('');
});

it.each([
  ['a wide character', '日本', 'a'],
  ['an emoji', 'a', '👩‍👩‍👧'],
  ['a colour out of 256', '\x1b[38;5;200ma\x1b[39m', 'b'],
  ['a line that is too long', 'a'.repeat(81), 'b'],
])('leaves %s to Ink', (_, previous, next) => {
  expect(changedCells(previous, next, 80)).toBeNull();
});
