/** The built program as a user meets it: sizes that are too small for anything but a word, and no colours. */
import { expect, it } from 'vitest';
import { gastop } from '../helpers/gastop.ts';

const FIRST_PRICES = /Average .*\d/;

it('at every size shows what fits of it, over nothing else, and leaves the terminal clean by SIGTERM', async () => {
  await using terminal = await gastop(['--demo', '--history', '1h'], { cols: 80, rows: 24 });
  for (const [cols, rows] of [
    [60, 16],
    [80, 24],
    [200, 50],
  ] as const) {
    terminal.resize(cols, rows);
    const isWhole = (now: readonly string[]) =>
      now[0]?.includes('SIMULATED') &&
      /\? help/.test(now.at(-1) ?? '') &&
      /SEND NOW|WAIT|SET ALERT/.test(now.join());
    expect((await terminal.waitFor(isWhole)).join('\n')).toMatch(FIRST_PRICES);
    await terminal.press('2');
    const chart = await terminal.waitFor(/base [\d.]+ .*min/);
    for (const line of chart) expect([...line].length).toBeLessThanOrEqual(cols);
    await terminal.press('1');
    await terminal.waitFor(/\[1 Live\]/);
  }
  // Too small even for the whole sentence.
  terminal.resize(10, 3);
  await terminal.waitFor((lines) => lines.map((line) => line.trim()).join(' ') === 'gastop needs 60×16');
  terminal.resize(80, 24);
  await terminal.waitFor(FIRST_PRICES);
  terminal.signal('SIGTERM');
  expect((await terminal.waitForExit()).exitCode).toBe(143);
  expect(terminal.leftovers()).toEqual([]);
});

it.each(['NO_COLOR', 'CLICOLOR'])('draws without a single colour where %s asks for it', async (name) => {
  await using terminal = await gastop(['--demo', '--ascii'], { env: { [name]: '0' } });
  const lines = await terminal.waitFor(FIRST_PRICES);
  expect(lines.join('')).toMatch(/^[\x20-\x7e]*$/);
  expect(terminal.output()).not.toMatch(/\x1b\[(3[0-7]|9[0-7])m/);
});
