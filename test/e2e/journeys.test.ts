import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { formatCount } from '../../src/core/units.ts';
import { KEYMAP } from '../../src/tui/input/keymap.ts';
import { barTicks } from '../helpers/bar-ticks.ts';
import { gastop } from '../helpers/gastop.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import type { ScreenQuestion, Terminal } from '../helpers/terminal.ts';

/** The built program as a user meets it: sizes, keys, resizing, every kind of end. */

const FIRST_PRICES = /Average .*\d/;
const COLOUR = /\x1b\[(3[0-7]|9[0-7])m/;
const NO_CLEARS = { screen: 0, scrollback: 0, reset: 0 };

const isHelp = /close what is open; never quits/;
const isLive = /\[1 Live\]/;
const isChart = /\[2 Chart\]/;
const isAlerts = /\[3 Alerts/;
const isAutoTxs = /\[4 Auto-tx/;
const isExplorer = /\[5 Explorer\]/;
const isService = /\[6 Service\]/;
const isFollowing = /^ now [\d:]+ +base/m;
const isLookingBack = /^ ▸ [\d:]+ .*base/m;

/** When the cursor of the chart stands there, as it is written. */
let cursorTime = '';
const standsBack = (rows: readonly string[]) => {
  cursorTime = /^ ▸ ([\d:]+) .*base/m.exec(rows.join('\n'))?.[1] ?? '';
  return cursorTime !== '';
};
/** At the newest value again, or, where a block has come meanwhile, at the one after the last. */
const standsLater = (rows: readonly string[]) => {
  const at = /^ ▸ ([\d:]+) .*base/m.exec(rows.join('\n'))?.[1];
  return isFollowing.test(rows.join('\n')) || (at !== undefined && at !== cursorTime);
};
const without = (pattern: RegExp) => (rows: readonly string[]) => !pattern.test(rows.join('\n'));

/** Keys in turn, and what each must bring on the screen before the next is pressed. */
const EVERYWHERE_AND_CHART: readonly (readonly [key: string, shows: ScreenQuestion])[] = [
  ['?', isHelp],
  ['?', without(isHelp)],
  ['?', isHelp],
  ['escape', without(isHelp)],
  ['i', /"chainId": 15591559/],
  ['i', /Average/],
  ['i', /"chainId": 15591559/],
  ['escape', /Average/],
  ['escape', isLive],
  ['2', isChart],
  ['1', isLive],
  ['4', isAutoTxs],
  ['5', isExplorer],
  ['6', isService],
  ['tab', isLive],
  ['tab', isChart],
  [']', isAlerts],
  ['3', isAlerts],
  ['[', isChart],
  ['shift+tab', isLive],
  ['f', /FROZEN/],
  ['f', /● running/],
  ['r', 'Refreshed'],
  ['-', /every 2s/],
  ['+', /every 1s/],
  ['+', /every 0.5s/],
  ['-', /every 1s/],
  ['-', /every 2s/],
  ['=', /every 1s/],
  ['enter', /^ Advice /m],
  ['escape', isLive],
  ['y', 'Copied the three lanes'],
  ['/', /^ find/m],
  ['escape', without(/^ find/m)],
  ['a', 'New alert'],
  ['escape', isLive],
  ['2', /^ 1h .*\n.* base [\d.]+ /m],
  ['t', /^ 24h /m],
  ['t', /^ 7d /m],
  ['t', /^ 30d /m],
  ['t', /^ 1h /m],
  ['p', /tip p75 [\d.]/],
  ['v', / 1h before .*mean now/],
  ['v', without(/ 1h before/)],
  ['h', /cheap hours/],
  ['h', isFollowing],
  ['h', /cheap hours/],
  ['escape', isFollowing],
  ['left', standsBack],
  ['right', standsLater],
  ['g', isLookingBack],
  ['G', isFollowing],
  ['home', isLookingBack],
  ['end', isFollowing],
  ['w', /Saved .*gastop-/],
  ['escape', isChart],
  ['escape', isFollowing],
  ['a', 'New alert'],
  ['escape', isChart],
  ['1', isLive],
];

const marks = (block: number) => (rows: readonly string[]) => markedBlock(rows) === block;

/** The block under the list's cursor. */
function markedBlock(rows: readonly string[]): number {
  return Number((/^ ▸ +([\d,]+) /m.exec(rows.join('\n'))?.[1] ?? '-1').replaceAll(',', ''));
}

/** The same for the Explorer, where the block that the cursor stands on is `at` at the beginning. */
const explorerKeys = (at: number): readonly (readonly [key: string, shows: ScreenQuestion])[] => [
  ['j', marks(at - 1)],
  ['down', marks(at - 2)],
  ['k', marks(at - 1)],
  ['pagedown', (rows) => markedBlock(rows) < at - 20],
  ['pageup', marks(at - 1)],
  ['space', (rows) => markedBlock(rows) < at - 20],
  ['b', marks(at - 1)],
  ['up', marks(at)],
  ['y', `Copied ${at} `],
  ['enter', isBlock(at)],
  ['left', isBlock(at - 1)],
  ['right', isBlock(at)],
  ['/', /^ find/m],
  ['escape', without(/^ find/m)],
  ['i', new RegExp(`GET /metrics/block/${at}[\\s\\S]*"baseFeePerGas"`)],
  ['i', isBlock(at)],
  ['escape', marks(at)],
  ['escape', marks(at)],
  ['G', (rows) => markedBlock(rows) < at - 100],
  ['g', (rows) => markedBlock(rows) > at],
  ['end', (rows) => markedBlock(rows) < at - 100],
  ['home', (rows) => markedBlock(rows) > at],
];

const isBlock = (number: number) => new RegExp(`^ Block ${formatCount(number)} [\\s\\S]*base fee`, 'm');

const isTop = /^ Source/m;
const isEnd = /^ Summary/m;

/** And for the Service pane on a screen that is too small for it. */
const SERVICE_KEYS: readonly (readonly [key: string, shows: ScreenQuestion])[] = [
  ['j', without(isTop)],
  ['k', isTop],
  ['down', without(isTop)],
  ['up', isTop],
  ['G', isEnd],
  ['g', isTop],
  ['end', isEnd],
  ['home', isTop],
  ['pagedown', without(isTop)],
  ['pageup', isTop],
  ['space', without(isTop)],
  ['b', isTop],
  ['i', /GET \/dashboard\/summary/],
  ['escape', isTop],
];

function keysOf(scope: string): readonly string[] {
  return KEYMAP.filter((binding) => binding.scope === scope).flatMap(({ keys }) => keys.map(terminalKey));
}

/** Presses keys in turn and waits for what each must bring; gives the keys. */
async function pressAll(
  terminal: Terminal,
  keys: readonly (readonly [key: string, shows: ScreenQuestion])[],
): Promise<readonly string[]> {
  for (const [place, [key, shows]] of keys.entries()) {
    await terminal.press(key);
    if (key === 'escape') await barTicks(terminal, 2);
    await terminal.waitFor(shows).catch((cause: unknown) => {
      throw new Error(`${key} (key ${place + 1}) did not do what it should`, { cause });
    });
  }
  return keys.map(([key]) => key);
}

/** Sizes that are too small even for the sentence, and what is left of it. */
const TINY = [
  [10, 3, ['60×16', 'needed', 'q quits']],
  [4, 2, ['60×1', 'need']],
  [2, 1, ['60']],
] as const;

describe('gastop --demo', () => {
  it('at every size shows lanes, advice and keys, and says that nothing of it is real; its chart changes with t, p, v, h, the arrows and e', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gastop-chart-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await using terminal = await gastop(['--demo', '--history', '3h'], { cols: 80, rows: 24, cwd: folder });
    for (const [cols, rows] of [
      [80, 24],
      [60, 16],
      [200, 50],
    ] as const) {
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
    terminal.resize(120, 40);
    await terminal.waitFor((now) => /\? help/.test(now[39] ?? ''));
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
    await terminal.press('1');
    await terminal.waitFor(isLive);
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

  it.runIf(isSlowRun).each(TINY)(
    'begun at %i×%i says what fits of it, and quits',
    async (cols, rows, said) => {
      await using terminal = await gastop(['--demo'], { cols, rows });
      await terminal.waitFor((lines) => JSON.stringify(lines) === JSON.stringify(said));
      await terminal.press('q');
      expect((await terminal.waitForExit()).exitCode).toBe(0);
      expect(terminal.leftovers()).toEqual([]);
    },
  );

  it.runIf(isSlowRun)(
    'does with every key what its help says, on both tabs, and Esc never quits',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'gastop-keys-'));
      try {
        await using terminal = await gastop(['--demo'], { cols: 120, rows: 40, cwd: folder });
        await terminal.waitFor(FIRST_PRICES);
        const pressed = new Set<string>();
        for (const [key, shows] of EVERYWHERE_AND_CHART) {
          await terminal.press(key);
          if (key === 'escape') await barTicks(terminal, 2);
          pressed.add(key);
          await terminal.waitFor(shows).catch((cause: unknown) => {
            throw new Error(`${key} (key ${pressed.size}) did not do what it should`, { cause });
          });
        }
        expect(terminal.output()).toContain('\u001b]52;c;');
        expect((await readdir(folder)).length).toBe(1);
        expect(terminal.clears).toEqual(NO_CLEARS);
        // What the table leaves out: the way out, and what is not on these screens.
        const elsewhere = new Set<string>(['quit', 'suspend']);
        const known = KEYMAP.filter(
          ({ scope }) => scope === 'global' || scope === 'live' || scope === 'chart',
        )
          .filter(({ action }) => !elsewhere.has(action))
          .flatMap(({ keys }) => keys.map(terminalKey));
        expect(known.filter((key) => !pressed.has(key))).toEqual([]);
        await terminal.press('ctrl+c');
        expect((await terminal.waitForExit()).exitCode).toBe(0);
        expect(terminal.leftovers()).toEqual([]);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );

  it.runIf(isSlowRun)(
    'does with every key what its help says in the Explorer and the Service pane',
    async () => {
      await using terminal = await gastop(['--demo'], { cols: 120, rows: 40 });
      await terminal.waitFor(FIRST_PRICES);
      await terminal.press('5');
      const rows = await terminal.waitFor(/^ ▸ +[\d,]+ .*\d %/m);
      // The cursor leaves the newest block and so stays where it is while others arrive.
      await terminal.press('j');
      await terminal.waitFor((now) => markedBlock(now) !== markedBlock(rows));
      await terminal.press('j');
      await terminal.waitFor((now) => markedBlock(now) <= markedBlock(rows) - 2);
      const pressed = await pressAll(terminal, explorerKeys(markedBlock(terminal.screen())));
      expect(keysOf('explorer').filter((key) => !pressed.includes(key))).toEqual([]);
      expect(terminal.clears).toEqual(NO_CLEARS);
      terminal.resize(60, 16);
      await terminal.waitFor((now) => / q quit ?$/.test(now[15] ?? ''));
      await terminal.press('6');
      await terminal.waitFor(/\d+ more \(j\)/);
      const scrolled = await pressAll(terminal, SERVICE_KEYS);
      expect(keysOf('service').filter((key) => !scrolled.includes(key))).toEqual([]);
      await terminal.press('q');
      expect((await terminal.waitForExit()).exitCode).toBe(0);
      expect(terminal.leftovers()).toEqual([]);
    },
  );

  it.runIf(isSlowRun)(
    'scrolls the help by lines, by screens and to its ends, without a colour or non-ASCII character where that is asked for',
    async () => {
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
    },
  );

  it.runIf(isSlowRun).each([
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
    expect(terminal.clears).toEqual(NO_CLEARS);
  });

  it.runIf(isSlowRun)('draws without a single colour where CLICOLOR asks for it', async () => {
    await using terminal = await gastop(['--demo', '--ascii'], { env: { CLICOLOR: '0' } });
    await terminal.waitFor(FIRST_PRICES);
    expect(terminal.output()).not.toMatch(COLOUR);
  });
});

/** The keymap's names as the terminal helper spells them. */
function terminalKey(name: string): string {
  const names: Readonly<Record<string, string>> = { return: 'enter' };
  return names[name] ?? name;
}
