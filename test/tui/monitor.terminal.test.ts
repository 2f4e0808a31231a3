import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { barTicks } from '../helpers/bar-ticks.ts';
import type { Terminal } from '../helpers/terminal.ts';
import { sceneOpener } from './open-scene.ts';

const { program, openScene } = await sceneOpener();

const LIVE = /● live/;

describe('the monitor on a terminal', () => {
  it.each([
    [80, 24],
    [60, 16],
    [200, 50],
  ])('fills %i×%i with its bars at the edges and never clears the screen', async (cols, rows) => {
    const screen = await openScene('live', { cols, rows });
    await screen.waitFor(/kept|likely/);
    const first = screen.screen()[0] ?? '';
    // Three more blocks: enough updates to see a clear if there is one.
    await screen.waitFor((lines) => /#24,337,60[89]/.test(lines[0] ?? ''));
    const lines = screen.screen();
    expect(first).toMatch(/^ gastop {3}Ethereum {2}#24,337,60\d/);
    expect(lines[1]).toMatch(/^\[1 Live\] 2 Chart .*(every 1s|6 Service) ?$/);
    expect(lines[rows - 1]).toMatch(/^ \? help .* q quit ?$/);
    expect(screen.clears).toEqual({ screen: 0, scrollback: 0, reset: 0 });
  });

  it('says below 60×16 which size it needs, goes on when it gets it, and quits there too', async () => {
    const screen = await openScene('live', { cols: 59, rows: 15 });
    await screen.waitFor('gastop needs 60×16');
    screen.resize(80, 24);
    await screen.waitFor(LIVE);
    screen.resize(40, 10);
    await screen.waitFor(/window has 40×10/);
    await screen.press('q');
    expect(await screen.waitForExit()).toEqual({ exitCode: 0, signal: 0 });
  });

  it('is drawn anew at every size while blocks come in', async () => {
    const screen = await openScene('live', { cols: 120, rows: 40 });
    await screen.waitFor(LIVE);
    for (const [cols, rows] of [
      [80, 24],
      [61, 17],
      [100, 30],
      [80, 24],
    ] as const) {
      screen.resize(cols, rows);
      await screen.waitFor(
        (lines) =>
          /q quit ?$/.test(lines[rows - 1] ?? '') &&
          /^ gastop/.test(lines[0] ?? '') &&
          lines.filter((line) => line.includes('│ Fast')).length === 1,
      );
    }
  });

  it('shows help from the keymap, scrolls it, closes it with Esc, and does not quit by Esc', async () => {
    const screen = await openScene('live');
    await screen.waitFor(LIVE);
    await screen.press('?');
    await screen.waitFor('show or hide this help');
    await screen.press('G');
    await screen.waitFor('a simulated chain, without network');
    await screen.press('g');
    await screen.waitFor('show or hide this help');
    await screen.press('esc');
    await screen.waitFor('│ Average');
    await screen.press('esc');
    await barTicks(screen, 2);
    await screen.press('esc');
    await barTicks(screen, 2);
    await screen.press('i');
    await screen.waitFor('"lowPrice": 41200000');
    await screen.press('i');
    await screen.waitFor('│ Average');
  });

  it('moves between tabs by number, Tab and brackets', async () => {
    const screen = await openScene('live');
    await screen.waitFor('[1 Live]');
    await screen.press('2');
    await screen.waitFor('[2 Chart]');
    await screen.press('tab');
    await screen.waitFor('[3 Alerts');
    await screen.press(']');
    await screen.waitFor('[4 Auto-tx');
    await screen.press(']');
    await screen.waitFor('[5 Explorer]');
    await screen.press(']');
    await screen.waitFor('[6 Service]');
    await screen.press(']');
    await screen.waitFor('[1 Live]');
    await screen.press('[');
    await screen.waitFor('[6 Service]');
    await screen.press('shift+tab');
    await screen.waitFor('[5 Explorer]');
  });

  it('changes the polling interval with + and -', async () => {
    const screen = await openScene('live');
    await screen.waitFor('every 1s');
    await screen.press('-');
    await screen.waitFor('every 2s');
    await screen.press('+', '+');
    await screen.waitFor('every 0.5s');
  });

  it('stands still while frozen and goes on afterwards', async () => {
    const screen = await openScene('live');
    await screen.waitFor(LIVE);
    await screen.press('f');
    await screen.waitFor('FROZEN');
    const block = /#[\d,]+/.exec(screen.screen()[0] ?? '')?.[0] ?? 'no block';
    // The age goes on: a few seconds of it are a few blocks that would have come.
    await screen.waitFor((lines) => /[6-9]s ago/.test(lines[0] ?? ''));
    expect(screen.screen()[0]).toContain(block);
    await screen.press('f');
    await screen.waitFor((lines) => LIVE.test(lines[0] ?? '') && !(lines[0] ?? '').includes(block));
  });

  it('copies the lanes through the terminal and says so', async () => {
    const screen = await openScene('live');
    await screen.waitFor('│ Average');
    await screen.press('c');
    await screen.waitFor('Copied the three lanes');
    const encoded = /\x1b\]52;c;([A-Za-z0-9+/=]+)\x07/.exec(screen.output())?.[1] ?? '';
    expect(Buffer.from(encoded, 'base64').toString()).toContain('Average\t0.0507\t0.0582\t0.01');
    await screen.waitFor('? help');
  });

  it('carries its badge on every screen of simulated data', async () => {
    const screen = await openScene('simulated');
    await screen.waitFor(LIVE);
    for (const key of ['2', '?', 'esc', 'i', 'esc', '1']) {
      await screen.press(key);
      expect(screen.screen()[0]).toContain('SIMULATED');
    }
    screen.resize(40, 10);
    await screen.waitFor((lines) => lines.some((line) => line.includes('needs 60×16')));
    expect(screen.screen().join('\n')).toContain('SIMULATED');
  });
});

describe('an alert that fires', () => {
  let folder = '';
  let flag = '';

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gastop-flag-'));
    flag = join(folder, 'fired');
  });

  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  it.each([
    ['on another tab', '2'],
    ['over the help', '?'],
    ['over a frozen screen', 'f'],
  ])('is told %s, rings and reaches the desktop, and the frame stays as it is', async (_where, key) => {
    const screen = await openScene('alert', { env: { DOWN_WHILE: flag } });
    await screen.waitFor('In the last day 1 alert fired');
    await screen.press(key);
    const before = screen.output().length;
    await writeFile(flag, '');
    const words = 'Average below 0.04 gwei has come · deploy it 🚀';
    await screen.waitFor((lines) => lines.at(-1) === ` ● ${words}`);
    const told = `\u0007\u001b]9;gastop: ${words}\u0007\u001b]777;notify;gastop;${words}\u0007`;
    expect(screen.output().slice(before).split(told)).toHaveLength(2);
    expect(screen.screen()[0]).toMatch(/^ gastop {3}Ethereum {2}#24,337/);
    expect(screen.clears).toEqual({ screen: 0, scrollback: 0, reset: 0 });
  });

  it('is said to a screen reader in the same words', async () => {
    const screen = await openScene('alert', { env: { DOWN_WHILE: flag, INK_SCREEN_READER: 'true' } });
    await screen.waitFor('In the last day 1 alert fired');
    await writeFile(flag, '');
    await screen.waitFor('Average below 0.04 gwei has come');
  });
});

describe('a source that fails', () => {
  it('leaves its last data dimmed, with reason and next try, and is live again without a key', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gastop-flag-'));
    const flag = join(folder, 'down');
    try {
      const screen = await openScene('flaky', { env: { DOWN_WHILE: flag } });
      await screen.waitFor(LIVE);
      await screen.waitFor('│ Average');
      const row = screen.find('│ Average')?.y ?? -1;
      expect(screen.isDim(row)).toBe(false);
      await writeFile(flag, '');
      await screen.waitFor((lines) => /◌ reconnecting/.test(lines[0] ?? ''));
      await screen.waitFor(/nothing answers at 127\.0\.0\.1:8787 .* · next try in \d+s/);
      const moved = screen.find('│ Average')?.y ?? -1;
      expect(screen.screen()[moved]).toContain('0.0507');
      expect(screen.isDim(moved)).toBe(true);
      await screen.waitFor((lines) => /[5-9]s ago/.test(lines[0] ?? ''));
      await rm(flag);
      await screen.waitFor((lines) => LIVE.test(lines[0] ?? ''));
      expect(screen.isDim(screen.find('│ Average')?.y ?? -1)).toBe(false);
      expect(screen.clears).toEqual({ screen: 0, scrollback: 0, reset: 0 });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('at start is told node by node, and the demo is one key away', async () => {
    const screen = await openScene('picker');
    await screen.waitFor('No source answers');
    await screen.waitFor(/eth\.drpc\.org +connection refused/);
    await screen.press('d');
    await screen.waitFor('│ Average');
    expect(screen.screen()[0]).toContain('SIMULATED');
  });

  it('can be replaced by a URL that is checked while it is typed or pasted', async () => {
    const screen = await openScene('picker');
    await screen.waitFor('No source answers');
    await screen.press('u');
    await screen.waitFor('for example http://127.0.0.1:8545');
    await screen.press('q', 'x');
    await screen.waitFor('begin with http://');
    await screen.press('backspace', 'backspace');
    screen.paste('http://127.0.0.1:0\n');
    await screen.waitFor('has port 0');
    await screen.press('enter');
    await screen.press('backspace');
    screen.paste('8545');
    await screen.waitFor('Enter opens it');
    await screen.press('enter');
    await screen.waitFor('│ Average');
  });

  it('is not drawn with what gives access in the URL that is typed', async () => {
    const screen = await openScene('picker');
    await screen.waitFor('No source answers');
    await screen.press('u');
    await screen.waitFor('for example http://127.0.0.1:8545');
    let written = '';
    screen.onOutput((chunk) => {
      written += chunk;
    });
    screen.paste('https://me:sesame@rpc.example/v3/0123456789abcdef01234567');
    await screen.waitFor(`https://${'•'.repeat(9)}@rpc.example/v3/${'•'.repeat(24)}`);
    expect(written).not.toMatch(/sesame|0123456789abcdef/);
  });

  it('never draws the key of the session where it is pasted to be looked up', async () => {
    const screen = await openScene('live', { env: { SESSION_KEY: 'ab'.repeat(32) } });
    await screen.waitFor(LIVE);
    await screen.press('5', '/');
    await screen.waitFor('look up');
    let written = '';
    screen.onOutput((chunk) => {
      written += chunk;
    });
    screen.paste('ab'.repeat(32));
    await screen.waitFor('this is a key, not a number or hash');
    expect(written).not.toContain('abab');
  });

  it('with a refused key is not asked again, and how to set the key is said', async () => {
    const screen = await openScene('key');
    await screen.waitFor('set GASTOP_API_KEY');
    expect(screen.screen().join('\n')).toContain('not tried again by itself');
  });
});

describe('the end', () => {
  const cases: readonly (readonly [string, (screen: Terminal) => void | Promise<void>, number])[] = [
    ['q', (screen) => screen.press('q'), 0],
    [
      'Ctrl-C after a paste whose end was lost',
      async (screen) => {
        screen.write('\x1b[200~0xabab');
        await screen.waitFor('Not pasted: nothing here takes text');
        await screen.press('ctrl+c');
      },
      0,
    ],
    ['SIGTERM', (screen) => screen.signal('SIGTERM'), 143],
    ['SIGHUP', (screen) => screen.signal('SIGHUP'), 129],
    ['SIGINT', (screen) => screen.signal('SIGINT'), 130],
  ];
  it.each(cases)('by %s gives the terminal back clean', async (_, end, exitCode) => {
    const screen = await openScene('live', { watchTty: true });
    await screen.waitFor(LIVE);
    expect(screen.isAlternate()).toBe(true);
    await end(screen);
    expect(await screen.waitForExit()).toEqual({ exitCode, signal: 0 });
    expect(screen.leftovers()).toEqual([]);
    expect(screen.isAlternate()).toBe(false);
    expect(screen.screen().join('').trim()).toBe('');
  });

  it.each([
    ['an exception while rendering', 'render-error', /^gastop: stopped by an error of its own: .+$/],
    ['an exception in a timer', 'late-throw', /^gastop: stopped by an error of its own: a timer broke$/],
  ])('by %s leaves one clear line and exit code 1', async (_, scene, line) => {
    const screen = await openScene(scene, { watchTty: true });
    expect((await screen.waitForExit()).exitCode).toBe(1);
    expect(screen.leftovers()).toEqual([]);
    const said = screen.screen().filter((row) => row !== '');
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(line);
  });
});

/** The processes that a shell has started. */
async function jobsOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').map(Number);
}

describe('Ctrl-Z', () => {
  const startInShell = async () => {
    const screen = await openScene('live', {
      command: 'bash',
      args: ['--norc', '--noprofile', '-i'],
      env: { PS1: 'shell> ' },
    });
    await screen.waitFor('shell>');
    await screen.press(`${process.execPath} ${program}`, 'enter');
    await screen.waitFor(LIVE);
    return screen;
  };
  const quit = async (screen: Terminal) => {
    await screen.press('q');
    await screen.waitFor((lines) => !screen.isAlternate() && lines.join('\n').includes('shell>'));
  };

  it('goes back to the shell, and fg draws everything again', async () => {
    const screen = await startInShell();
    await screen.press('ctrl+z');
    await screen.waitFor('Stopped');
    expect(screen.isAlternate()).toBe(false);
    await screen.press('fg', 'enter');
    await screen.waitFor(() => screen.isAlternate());
    await screen.waitFor('│ Average');
    await quit(screen);
  });

  it('fg draws in the size that the terminal has then, of which a stopped program is not told', async () => {
    const screen = await startInShell();
    await screen.press('ctrl+z');
    await screen.waitFor('Stopped');
    screen.resize(100, 30);
    await screen.press('fg', 'enter');
    await screen.waitFor((lines) => screen.isAlternate() && lines.at(-1)?.includes('q quit'));
    expect(screen.screen()[1]).toMatch(/^\[1 Live\].{81,} every \S+ $/);
    await quit(screen);
  });

  it('goes back to the shell from a form, which is as it was after fg', async () => {
    const screen = await startInShell();
    await screen.press('3', 'n');
    await screen.waitFor('New alert');
    await screen.press('0.0321');
    await screen.waitFor('threshold  0.0321');
    await screen.press('ctrl+z');
    await screen.waitFor('Stopped');
    await screen.press('fg', 'enter');
    await screen.waitFor((lines) => screen.isAlternate() && lines.some((line) => line.includes('0.0321')));
    expect(screen.find('0.0321fg')).toBe(null);
    await screen.press('esc');
    await screen.waitFor('Leave');
    await screen.press('y');
    await screen.waitFor('Alerts');
    await quit(screen);
  });

  it('is not needed: stopped by a signal, it takes the terminal again after fg', async () => {
    const screen = await startInShell();
    const [pid] = await jobsOf(screen.pid);
    process.kill(pid ?? 0, 'SIGSTOP');
    await screen.waitFor('Stopped');
    await screen.press('fg', 'enter');
    await screen.waitFor((lines) => screen.isAlternate() && lines[0]?.startsWith(' gastop'));
    await screen.waitFor((lines) => !lines.some((line) => line.includes('Stopped')));
    await screen.press('?');
    await screen.waitFor('show or hide this help');
    await screen.press('?');
    await quit(screen);
  });

  it('does no harm where no shell waits', async () => {
    const screen = await openScene('live');
    await screen.waitFor('│ Average');
    await screen.press('ctrl+z');
    await screen.waitFor(() => screen.isAlternate() && screen.find('│ Average') !== null);
    const block = screen.screen()[0];
    await screen.waitFor((lines) => lines[0] !== block && LIVE.test(lines[0] ?? ''));
  });
});

describe('without colour', () => {
  it('everything that colour says is said by a word or a glyph', async () => {
    const screen = await openScene('simulated', { env: { FORCE_COLOR: '0' } });
    await screen.waitFor(LIVE);
    await screen.waitFor('[1 Live]');
    await screen.waitFor('SIMULATED');
    // No SGR at all but resets.
    expect(screen.output()).not.toMatch(/\x1b\[[0-9;]*[1-9][0-9;]*m/);
  });

  it('only ASCII is written with --ascii', async () => {
    const screen = await openScene('live', { env: { ASCII: '1' } });
    await screen.waitFor('* live');
    await screen.press('?');
    await screen.waitFor('show or hide this help');
    expect(screen.screen().join('')).toMatch(/^[\x20-\x7e]*$/);
  });

  it('a screen reader hears sentences', async () => {
    const screen = await openScene('live', { env: { INK_SCREEN_READER: 'true' } });
    await screen.waitFor('Average: 0.0507 gwei');
    expect(screen.screen().join('')).not.toMatch(/[┌│█╭]/);
  });
});
