import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import xterm from '@xterm/headless';
import { afterEach, describe, expect, it } from 'vitest';
import { openTerminal, type Terminal, type TerminalOptions } from './terminal.ts';
import { watchModes } from './terminal-modes.ts';

const BARE_INK = join(import.meta.dirname, 'bare-ink.ts');
const open: Terminal[] = [];

async function start(options: TerminalOptions): Promise<Terminal> {
  const terminal = await openTerminal(options);
  open.push(terminal);
  return terminal;
}

const bareInk = (options: TerminalOptions = {}) =>
  start({ args: [BARE_INK], cols: 60, rows: 10, ...options });
const script = (source: string, options: TerminalOptions = {}) =>
  start({ args: ['-e', source], cols: 40, rows: 6, ...options });

afterEach(async () => {
  for (const terminal of open.splice(0)) await terminal.close();
});

describe('a program in the pseudo-terminal', () => {
  it('has a home of its own, no CI and nothing of the one who runs the tests', async () => {
    process.env.GASTOP_API_KEY = 'of-the-user';
    const terminal = await script('console.log(JSON.stringify(Object.keys(process.env)), process.env.HOME)', {
      cols: 300,
    });
    await terminal.waitForExit();
    delete process.env.GASTOP_API_KEY;
    const text = terminal.screen().join('');
    expect(text).toContain(terminal.home);
    for (const name of ['CI', 'NO_COLOR', 'FORCE_COLOR', 'NODE_ENV', 'GASTOP_API_KEY', 'VITEST'])
      expect(text).not.toContain(`"${name}"`);
    await terminal.close();
    await expect(readdir(terminal.home)).rejects.toThrow('ENOENT');
  });
});

describe('what stands on the screen', () => {
  it('counts bytes and full clears, also when a sequence is split over two writes', async () => {
    const terminal = await script(
      String.raw`const w = (t) => process.stdout.write(t);
      w('é'); w('\x1b[2J\x1b[3J'); w('\x1b'); setTimeout(() => { w('[2J\x1b[0J\x1b[K\x1bc') }, 30)`,
    );
    await terminal.waitForExit();
    expect(terminal.clears).toEqual({ screen: 2, scrollback: 1, reset: 1 });
    expect(terminal.bytes).toBe(2 + 8 + 1 + 3 + 4 + 3 + 2);
    expect(terminal.output()).toContain('é\x1b[2J');
  });

  it.each([
    ['alternate screen', '[?1049h'],
    ['bracketed paste', '[?2004h'],
    ['mouse (1003)', '[?1003h'],
    ['focus reports', '[?1004h'],
    ['hidden cursor', '[?25l'],
    ['kitty keyboard', '[>1u'],
    ['no line wrap', '[?7l'],
    ['bold or dim', '[1m'],
    ['text colour', '[38;5;1m'],
    ['background colour', '[48;2;0;0;0m'],
  ])('names what was left on: %s', async (name, sequence) => {
    const emulator = new xterm.Terminal({ allowProposedApi: true });
    const modes = watchModes(emulator);
    await new Promise<void>((resolve) => emulator.write(`\x1b${sequence}`, resolve));
    expect(modes.leftovers()).toEqual([name]);
  });

  it('names a raw mode left on', async () => {
    const terminal = await start({ command: 'stty', args: ['raw', '-echo'], watchTty: true });
    await terminal.waitForExit();
    expect(terminal.leftovers()).toContain('raw mode (-icanon)');
    const killed = await bareInk({ watchTty: true });
    await killed.waitFor('hello');
    await killed.press('x');
    await killed.waitFor('typed: x');
    killed.signal('SIGKILL');
    expect(await killed.waitForExit()).toEqual({ exitCode: 137, signal: 0 });
    expect(killed.leftovers()).toEqual(expect.arrayContaining(['alternate screen', 'raw mode (-icanon)']));
  });
});
