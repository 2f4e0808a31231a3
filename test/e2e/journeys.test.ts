/** The built program as a user meets it: sizes, keys, resizing, every kind of end. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KEYMAP } from '../../src/tui/keymap.ts';
import { gastop } from '../helpers/gastop.ts';

const FIRST_PRICES = /Average .*\d/;
const NO_CLEARS = { screen: 0, scrollback: 0, reset: 0 };

describe('gastop --demo', () => {
  it.each([
    [80, 24],
    [60, 16],
    [200, 50],
  ])('at %i×%i shows lanes, advice and keys, and says that nothing of it is real', async (cols, rows) => {
    await using terminal = await gastop(['--demo'], { cols, rows });
    await terminal.waitFor(FIRST_PRICES);
    const lines = await terminal.waitFor(/SEND NOW|WAIT|SET ALERT/);
    expect(lines[0]).toContain('SIMULATED');
    expect(lines.at(-1)).toMatch(/\? help/);
    await terminal.press('2');
    const chart = await terminal.waitFor(/base [\d.]+ .*min/);
    expect(chart[0]).toContain('SIMULATED');
    for (const line of chart) expect([...line].length).toBeLessThanOrEqual(cols);
    await terminal.press('q');
    expect((await terminal.waitForExit()).exitCode).toBe(0);
    expect(terminal.leftovers()).toEqual([]);
    expect(terminal.clears).toEqual(NO_CLEARS);
  });

  it('at 59×15 says which size it needs, and quits', async () => {
    await using terminal = await gastop(['--demo'], { cols: 59, rows: 15 });
    await terminal.waitFor('60×16');
    await terminal.press('q');
    expect((await terminal.waitForExit()).exitCode).toBe(0);
    expect(terminal.leftovers()).toEqual([]);
  });

  it('survives every key it knows, in every place, and still quits clean', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gastop-keys-'));
    try {
      await using terminal = await gastop(['--demo'], { cwd: folder });
      await terminal.waitFor(FIRST_PRICES);
      // Quitting and stopping are for the end; all others in turn on both tabs and in the overlays.
      const ends = new Set<string>(['quit', 'suspend']);
      const keys = KEYMAP.filter(({ action }) => !ends.has(action)).flatMap(({ keys: names }) => names);
      for (const place of [['1'], ['2'], ['2', 'h'], ['?'], ['i']]) {
        await terminal.press('esc', ...place);
        for (const key of keys) await terminal.press(terminalKey(key));
      }
      await terminal.press('esc', 'esc', '1');
      await terminal.waitFor(/\[1 Live\]/);
      expect(terminal.clears).toEqual(NO_CLEARS);
      await terminal.press('ctrl+c');
      expect((await terminal.waitForExit()).exitCode).toBe(0);
      expect(terminal.leftovers()).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('changes what the chart shows with t, p, v, h, the arrows and e', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gastop-chart-'));
    try {
      await using terminal = await gastop(['--demo'], { cols: 120, rows: 40, cwd: folder });
      await terminal.waitFor(FIRST_PRICES);
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
      await terminal.press('e');
      await terminal.waitFor(/gastop-.*\.csv/);
      const [file = ''] = await readdir(folder);
      expect(file).toMatch(/^gastop-\S+-24h-\S+\.csv$/);
      expect((await readFile(join(folder, file), 'utf8')).split('\n').length).toBeGreaterThan(10);
      await terminal.press('h');
      await terminal.waitFor(/cheap hours/);
      await terminal.press('q');
      expect((await terminal.waitForExit()).exitCode).toBe(0);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('is drawn right after each resize, also while blocks come in', async () => {
    await using terminal = await gastop(['--demo']);
    await terminal.waitFor(FIRST_PRICES);
    for (const [cols, rows] of [
      [120, 40],
      [60, 16],
      [200, 50],
      [50, 10],
      [80, 24],
    ] as const) {
      terminal.resize(cols, rows);
      await terminal.waitFor((lines) =>
        cols < 60 ? lines.join('\n').includes('60×16') : (lines.at(-1) ?? '').includes('? help'),
      );
    }
    await terminal.waitFor(FIRST_PRICES);
    await terminal.press('q');
    expect((await terminal.waitForExit()).exitCode).toBe(0);
    expect(terminal.leftovers()).toEqual([]);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)('ended by %s gives the terminal back and exits with %i', async (signal, exitCode) => {
    await using terminal = await gastop(['--demo']);
    await terminal.waitFor(FIRST_PRICES);
    // The keyboard is heard: so raw mode is on and there is something to give back.
    await terminal.press('2');
    await terminal.waitFor(/\[2 Chart\]/);
    terminal.signal(signal);
    expect((await terminal.waitForExit()).exitCode).toBe(exitCode);
    expect(terminal.leftovers()).toEqual([]);
  });

  it('draws without a single colour or non-ASCII character where that is asked for', async () => {
    await using terminal = await gastop(['--demo', '--ascii'], { env: { NO_COLOR: '1' } });
    const lines = await terminal.waitFor(FIRST_PRICES);
    expect(lines.join('')).toMatch(/^[\x20-\x7e]*$/);
    expect(terminal.output()).not.toMatch(/\x1b\[(3[0-7]|9[0-7])m/);
  });
});

/** The keymap's names as the terminal helper spells them. */
function terminalKey(name: string): string {
  const names: Readonly<Record<string, string>> = { return: 'enter', escape: 'esc' };
  return names[name] ?? name;
}
