import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { isSlowRun, slowIt } from '../helpers/rounds.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { expectCleanEnd, leads, NO_CLEARS, outputFrom, sceneOpener } from './open-scene.ts';

const { program, openScene, shareScene } = await sceneOpener();

const folder = sharedFolder('flag');
const LIVE = /● (?:live|running)/;

/** Columns and rows; more of them in `npm run test:slow`. */
const SIZES = [
  [60, 16],
  ...(isSlowRun
    ? ([
        [80, 24],
        [200, 50],
        [120, 40],
        [61, 17],
      ] as const)
    : []),
] as const;

describe('the monitor on a terminal', () => {
  const shown = shareScene('live', { watchTty: true, env: { SESSION_KEY: 'ab'.repeat(32) } });

  it('shows help from the keymap, scrolls it, closes it with Esc, and does not quit by Esc', async () => {
    const screen = shown();
    await screen.waitFor(LIVE);
    await leads(screen, '?', 'show or hide this help');
    await leads(screen, 'G', (lines) => !lines.some((line) => line.includes('more (j)')));
    await leads(screen, 'g', 'show or hide this help');
    await leads(screen, 'esc', '│ Average');
    await screen.press('esc');
    // The age in the bar ticks each second. With the next key close behind it, Esc would begin an Alt key.
    for (let tick = 0; tick < 2; tick++) {
      const bar = screen.screen()[0];
      await screen.waitFor((rows) => rows[0] !== bar);
    }
    await leads(screen, 'i', '"lowPrice": 41200000');
    await leads(screen, 'i', '│ Average');
    expect(screen.clears).toEqual(NO_CLEARS);
  });

  it('moves between tabs by number, Tab and brackets', async () => {
    const screen = shown();
    await screen.waitFor('[1 Live]');
    for (const [key, tab] of [
      ['2', '[2 Chart]'],
      ['tab', '[3 Alerts'],
      [']', '[4 Auto-tx'],
      [']', '[5 Explorer]'],
      [']', '[6 Service]'],
      [']', '[1 Live]'],
      ['[', '[6 Service]'],
      ['shift+tab', '[5 Explorer]'],
      ['1', '[1 Live]'],
    ] as const) {
      await leads(screen, key, tab);
    }
    expect(screen.clears).toEqual(NO_CLEARS);
  });

  it('copies one price, or all lanes, through the terminal, and says so', async () => {
    const screen = shown();
    await screen.waitFor('│ Average');
    const copied = () =>
      [...screen.output().matchAll(/\x1b\]52;c;([A-Za-z0-9+/=]+)\x07/g)].map(([, encoded = '']) =>
        Buffer.from(encoded, 'base64').toString(),
      );
    await leads(screen, 'y', "Sent Average 0.0507 gwei to the terminal's clipboard");
    expect(copied()).toEqual(['0.0507']);
    await leads(screen, 'Y', "Sent the three lanes to the terminal's clipboard");
    expect(copied()[1]).toContain('Average\t0.0507\t0.0582\t0.01');
  });

  it('never draws the key of the session where it is pasted to be looked up', async () => {
    const screen = shown();
    await leads(screen, ['5', '/'], /^ find/m);
    const written = outputFrom(screen);
    screen.paste('ab'.repeat(32));
    await screen.waitFor('this is a key, not a number or hash');
    expect(written()).not.toContain('abab');
    await leads(screen, 'esc', (lines) => !lines.join('\n').includes('this is a key'));
    await screen.press('1');
  });

  it.each(SIZES)('fills %i×%i, bars at the edges, and clears no screen for a block', async (cols, rows) => {
    const screen = shown();
    screen.resize(cols, rows);
    await screen.waitFor(
      (lines) =>
        /^ gastop {3}Ethereum {2}#24,337,\d{3}/.test(lines[0] ?? '') &&
        /^\[1 Live\] 2 Chart .*(every 1s|6 Service) *$/.test(lines[1] ?? '') &&
        /^ \? help .* q quit ?$/.test(lines[rows - 1] ?? '') &&
        lines.filter((line) => line.includes('│ Fast')).length === 1,
    );
    const clears = { ...screen.clears };
    const bar = screen.screen()[0];
    await screen.waitFor((lines) => /#24,337,\d{3}/.test(lines[0] ?? '') && lines[0] !== bar);
    expect(screen.clears).toEqual(clears);
  });

  it('changes the polling interval with + and -', async () => {
    const screen = shown();
    screen.resize(80, 24);
    await screen.waitFor('every 1s');
    await leads(screen, '-', 'every 2s');
    await leads(screen, ['+', '+'], 'every 0.5s');
  });

  it('says below 60×16 which size it needs, goes on when it gets it, and quits there too, without having drawn its key', async () => {
    const screen = shown();
    screen.resize(59, 15);
    await screen.waitFor('gastop needs 60×16');
    screen.resize(80, 24);
    await screen.waitFor(LIVE);
    screen.resize(40, 10);
    await screen.waitFor(/window has 40×10/);
    expect(screen.isAlternate()).toBe(true);
    await screen.press('q');
    await expectCleanEnd(screen, 0);
    expect(screen.output()).not.toContain('abab');
  });
});

slowIt('an alert that fires is said to a screen reader, like the prices in sentences', async () => {
  const fired = join(folder, 'fired');
  // All that is said has its lines: on fewer the first ones scroll away before they are looked for.
  const env = { DOWN_WHILE: fired, INK_SCREEN_READER: 'true' };
  const screen = await openScene('alert', { rows: 60, env });
  await screen.waitFor('Average, price 0.0507');
  expect(screen.screen().join('')).not.toMatch(/[┌│█╭]/);
  await screen.waitFor('In the last day 1 alert fired');
  await appendFile(fired, '!');
  await screen.waitFor('Average below 0.04 gwei: reached');
});

const FAULTS = [
  ['an exception in a timer', 'late-throw', /^gastop: stopped by an error of its own: a timer broke$/],
  ['an exception while rendering', 'render-error', /^gastop: stopped by an error of its own: .+$/],
] as const;

it.each(isSlowRun ? FAULTS : FAULTS.slice(1))(
  'the end by %s leaves one clear line and exit code 1',
  async (_, scene, line) => {
    const screen = await openScene(scene, { watchTty: true });
    expect((await screen.waitForExit()).exitCode).toBe(1);
    expect(screen.leftovers()).toEqual([]);
    const said = screen.screen().filter((row) => row !== '');
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(line);
  },
);

async function jobsOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').map(Number);
}

describe('Ctrl-Z', () => {
  const shown = shareScene('live', {
    command: 'bash',
    args: ['--norc', '--noprofile', '-i'],
    env: { PS1: 'shell> ' },
  });

  /** The shell has the terminal; what it said of an earlier stop is above its prompt. */
  const atPrompt = () =>
    shown().waitFor((lines) => !shown().isAlternate() && lines.join('\n').trimEnd().endsWith('\nshell>'));

  const resumed = (shows: (lines: readonly string[]) => unknown) =>
    leads(shown(), ['fg', 'enter'], (lines) => shown().isAlternate() && shows(lines));

  beforeAll(async () => {
    const screen = shown();
    await screen.waitFor('shell>');
    await leads(screen, [`${process.execPath} ${program}`, 'enter'], LIVE);
  });

  slowIt('goes back to the shell, and fg draws in the size that the terminal has then', async () => {
    const screen = shown();
    await screen.press('ctrl+z');
    await atPrompt();
    // A stopped program is not told of it.
    screen.resize(100, 30);
    await resumed((lines) => lines.at(-1)?.includes('q quit'));
    expect(screen.screen()[1]).toMatch(/^\[1 Live\].{81,} every \S+ $/);
    await screen.waitFor('│ Average');
  });

  slowIt('is not needed: stopped by a signal, it takes the terminal again after fg', async () => {
    const screen = shown();
    const [pid = 0] = await jobsOf(screen.pid);
    process.kill(pid, 'SIGSTOP');
    // Stopped within a frame it leaves the screen unfinished, so what the shell says of it may not be seen.
    await waitFor(async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).includes(') T '));
    await resumed((lines) => lines[0]?.startsWith(' gastop') && !lines.join().includes('Stopped'));
    await leads(screen, '?', 'show or hide this help');
    await leads(screen, '?', '│ Average');
  });

  it('goes back to the shell from a form, which is as it was after fg', async () => {
    const screen = shown();
    await leads(screen, ['3', 'n'], 'New alert');
    await leads(screen, '0.0321', /threshold +0\.0321/);
    await screen.press('ctrl+z');
    await atPrompt();
    await resumed((lines) => lines.some((line) => line.includes('0.0321')));
    expect(screen.find('0.0321fg')).toBe(null);
    await leads(screen, 'esc', 'Leave');
    await leads(screen, 'y', 'Alerts');
    await screen.press('q');
    await atPrompt();
  });
});
