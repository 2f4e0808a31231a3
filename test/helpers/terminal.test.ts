import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import xterm from '@xterm/headless';
import { afterEach, describe, expect, it } from 'vitest';
import { openTerminal, type Terminal, type TerminalOptions } from './terminal.ts';
import { watchModes } from './terminal-modes.ts';
import { waitFor } from './wait-for.ts';

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
  it('is drawn on the screen, in the alternate buffer, and leaves the terminal clean', async () => {
    const terminal = await bareInk({ watchTty: true });
    await terminal.waitFor('hello tick 0');
    expect(terminal.isAlternate()).toBe(true);
    expect(terminal.cursorVisible()).toBe(false);
    expect(terminal.leftovers()).toContain('alternate screen');
    await terminal.press('q');
    expect(await terminal.waitForExit()).toEqual({ exitCode: 0, signal: 0 });
    expect(terminal.leftovers()).toEqual([]);
    expect(terminal.isAlternate()).toBe(false);
  });

  it('hears typed text, named keys and a paste', async () => {
    const terminal = await bareInk();
    await terminal.waitFor('hello');
    await terminal.press('ab', 'up', 'esc');
    // On a busy machine a key right after Esc could be read together with it, as Alt.
    await terminal.waitFor('typed: ab<up><esc>');
    await terminal.press('c');
    await terminal.waitFor('typed: ab<up><esc>c');
    terminal.paste('two\nlines é');
    await terminal.waitFor('typed: pasted "two\\nlines é"');
  });

  it('learns of a new size', async () => {
    const terminal = await bareInk({ args: [BARE_INK, '50'] });
    await terminal.waitFor('size 60×10');
    terminal.resize(72, 20);
    await terminal.waitFor('size 72×20');
    expect(terminal.screen()).toHaveLength(20);
  });

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

  it('may keep its home for a second start', async () => {
    const home = await mkdtemp(join(tmpdir(), 'gastop-kept-'));
    const first = await script("require('fs').writeFileSync(process.env.HOME + '/kept', '')", { home });
    await first.waitForExit();
    await first.close();
    expect(await readdir(home)).toEqual(['kept']);
    await rm(home, { recursive: true });
  });

  it('tells how it ended: by code, by signal, by being closed', async () => {
    const failed = await script('process.exit(3)');
    expect(await failed.waitForExit()).toEqual({ exitCode: 3, signal: 0 });
    const signalled = await script("console.log('up'); setInterval(() => {}, 1000)");
    await signalled.waitFor('up');
    signalled.signal('SIGTERM');
    expect(await signalled.waitForExit()).toEqual({ exitCode: 0, signal: 15 });
    const closed = await script("console.log('up'); setInterval(() => {}, 1000)");
    await closed.waitFor('up');
    await closed.close();
    expect((await closed.exit).signal).toBe(9);
  });

  it('shows the screen when what was waited for does not come', async () => {
    const terminal = await script("console.log('something else'); setInterval(() => {}, 1000)");
    await terminal.waitFor('something');
    await expect(terminal.waitFor('never', { timeoutMs: 20 })).rejects.toThrow(/never[\s\S]*│something else/);
    const ended = await script("console.log('bye')");
    await expect(ended.waitFor('never')).rejects.toThrow('program ended');
  });
});

describe('what stands on the screen', () => {
  it('is read cell by cell with its attributes', async () => {
    const terminal = await script(
      String.raw`process.stdout.write('\x1b[2mdim row\x1b[22m\r\n\x1b[31mred\x1b[39m \x1b[2mhalf\x1b[0m\r\n漢字 x')`,
    );
    await terminal.waitForExit();
    expect(terminal.isDim(0)).toBe(true);
    expect(terminal.isDim(1)).toBe(false);
    expect(terminal.isDim(1, 4)).toBe(true);
    expect(terminal.isDim(4)).toBe(false);
    expect(terminal.cell(0, 1)).toMatchObject({ text: 'r', color: 1, dim: false, background: null });
    expect(terminal.find('half')).toEqual({ x: 4, y: 1 });
    expect(terminal.find('x')).toEqual({ x: 5, y: 2 });
    expect(terminal.find('y')).toBeNull();
  });

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

describe('waitFor', () => {
  it('gives the first true answer and lives through throws', async () => {
    let asked = 0;
    const answer = await waitFor(() => {
      asked++;
      if (asked === 1) throw new Error('not yet');
      return asked === 3 ? 'there' : undefined;
    });
    expect(answer).toBe('there');
  });

  it('says what did not come and what was seen last', async () => {
    await expect(waitFor(() => 0, { timeoutMs: 20, what: 'the head' })).rejects.toThrow(
      'the head did not come within 20 ms; last: 0',
    );
  });
});
