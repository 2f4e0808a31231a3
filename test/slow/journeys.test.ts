import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KEYMAP } from '../../src/tui/input/keymap.ts';
import { gastop } from '../helpers/gastop.ts';

/** The built program as a user meets it: sizes, keys, resizing, every kind of end. */

const FIRST_PRICES = /Average .*\d/;
const COLOUR = /\x1b\[(3[0-7]|9[0-7])m/;
const NO_CLEARS = { screen: 0, scrollback: 0, reset: 0 };

const isLive = /\[1 Live\]/;

/** Sizes that are too small even for the sentence, and what is left of it. */
const TINY = [
  [10, 3, ['60×16', 'needed', 'q quits']],
  [4, 2, ['60×1', 'need']],
  [2, 1, ['60']],
] as const;

const SIZES = [
  [60, 16],
  [80, 24],
  [200, 50],
] as const;

describe('gastop --demo', () => {
  it('at every size shows lanes, advice and keys, and says that nothing of it is real', async () => {
    await using terminal = await gastop(['--demo', '--history', '1h'], {
      cols: 80,
      rows: 24,
    });
    for (const [cols, rows] of SIZES) {
      terminal.resize(cols, rows);
      const lines = await terminal.waitFor(
        (now) =>
          now[0]?.includes('SIMULATED') &&
          /\? help/.test(now.at(-1) ?? '') &&
          /SEND NOW|WAIT|SET ALERT/.test(now.join('\n')),
      );
      expect(lines.join('\n')).toMatch(FIRST_PRICES);
      await terminal.press('2');
      const chart = await terminal.waitFor(/base [\d.]+ .*min/);
      expect(chart[0]).toContain('SIMULATED');
      for (const line of chart) expect([...line].length).toBeLessThanOrEqual(cols);
      await terminal.press('1');
      await terminal.waitFor(isLive);
    }
    // Too small for it: what fits is said, nothing over anything else.
    terminal.resize(59, 15);
    await terminal.waitFor('60×16');
    for (const [cols, rows, said] of TINY) {
      terminal.resize(cols, rows);
      await terminal.waitFor((lines) => JSON.stringify(lines) === JSON.stringify(said));
    }
    terminal.resize(80, 24);
    await terminal.waitFor(FIRST_PRICES);
    terminal.signal('SIGTERM');
    expect((await terminal.waitForExit()).exitCode).toBe(143);
    expect(terminal.leftovers()).toEqual([]);
  });

  it('changes its chart with t, p, v, h, the arrows and w', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gastop-chart-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await using terminal = await gastop(['--demo', '--history', '3h'], { cols: 120, rows: 40, cwd: folder });
    await terminal.waitFor(isLive);
    const clears = { ...terminal.clears };
    await terminal.press('2');
    await terminal.waitFor(/^ 1h /m);
    await terminal.press('p');
    await terminal.waitFor(/tip p75/);
    await terminal.press('t');
    await terminal.waitFor(/^ 24h /m);
    await terminal.press('v');
    await terminal.waitFor(/before|reaches/);
    await terminal.press('left', 'left');
    await terminal.waitFor(/^ (?!now).*base [\d.]+ .*tip p75/m);
    await terminal.press('w');
    await terminal.waitFor(/gastop-.*\.csv/);
    const [file = ''] = await readdir(folder);
    expect(file).toMatch(/^gastop-\S+-24h-\S+\.csv$/);
    expect((await readFile(join(folder, file), 'utf8')).split('\n').length).toBeGreaterThan(10);
    await terminal.press('h');
    await terminal.waitFor(/cheap hours/);
    expect(terminal.clears).toEqual(clears);
  });

  it.each(TINY)('begun at %i×%i says what fits of it, and quits', async (cols, rows, said) => {
    await using terminal = await gastop(['--demo'], { cols, rows });
    await terminal.waitFor((lines) => JSON.stringify(lines) === JSON.stringify(said));
    await terminal.press('q');
    expect((await terminal.waitForExit()).exitCode).toBe(0);
    expect(terminal.leftovers()).toEqual([]);
  });

  it('scrolls the help by lines, by screens and to its ends, without a colour or non-ASCII character where that is asked for', async () => {
    const env = { NO_COLOR: '1' };
    await using terminal = await gastop(['--demo', '--ascii'], { cols: 60, rows: 16, env });
    const lines = await terminal.waitFor(FIRST_PRICES);
    expect(lines.join('')).toMatch(/^[\x20-\x7e]*$/);
    await terminal.press('?');
    const [, , title = ''] = await terminal.waitFor(/lines 1 to \d+ of \d+/);
    const [room = 0, all = 0] = (/1 to (\d+) of (\d+)/.exec(title) ?? []).slice(1).map(Number);
    const last = all - room + 1;
    const pressed = new Set<string>();
    for (const [key, line] of [
      ['j', 2],
      ['down', 3],
      ['k', 2],
      ['up', 1],
      ['space', Math.min(room + 1, last)],
      ['b', 1],
      ['pagedown', Math.min(room + 1, last)],
      ['pageup', 1],
      ['G', last],
      ['g', 1],
      ['end', last],
      ['home', 1],
    ] as const) {
      await terminal.press(key);
      pressed.add(key);
      await terminal.waitFor(`lines ${line} to ${line + room - 1} of ${all}`);
    }
    const known = KEYMAP.filter(({ scope }) => scope === 'scroll').flatMap(({ keys }) => keys);
    expect(known.filter((key) => !pressed.has(key))).toEqual([]);
    await terminal.press('esc');
    await terminal.waitFor(FIRST_PRICES);
    expect(terminal.clears).toEqual(NO_CLEARS);
    await terminal.press('q');
    expect((await terminal.waitForExit()).exitCode).toBe(0);
    expect(terminal.leftovers()).toEqual([]);
    expect(terminal.output()).not.toMatch(COLOUR);
  });

  it('draws without a single colour where CLICOLOR asks for it', async () => {
    await using terminal = await gastop(['--demo', '--ascii'], { env: { CLICOLOR: '0' } });
    await terminal.waitFor(FIRST_PRICES);
    expect(terminal.output()).not.toMatch(COLOUR);
  });
});
