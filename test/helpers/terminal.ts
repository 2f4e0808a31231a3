import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import * as pty from '@lydell/node-pty';
import type { Terminal as Emulator, IBufferCell } from '@xterm/headless';
import xterm from '@xterm/headless';
import { keyBytes } from './terminal-keys.ts';
import { PATIENCE_MS, waitFor } from './wait-for.ts';

/** DEC private modes that a program may switch on and has to switch off again. */
const PRIVATE_MODES: Readonly<Record<number, string>> = {
  1: 'application cursor keys',
  1000: 'mouse (1000)',
  1003: 'mouse (1003)',
  1004: 'focus reports',
  1006: 'mouse reports (SGR)',
  1049: 'alternate screen',
  2004: 'bracketed paste',
  2026: 'synchronized output',
};

/** By the SGR code that begins each; 20 more ends it, and 22 ends both 1 and 2. */
const ATTRIBUTES: Readonly<Record<number, string>> = {
  1: 'bold or dim',
  2: 'bold or dim',
  3: 'italic',
  4: 'underline',
  7: 'inverse',
  8: 'invisible',
  9: 'strikethrough',
};
/** Codes of either colour, by their tens: 30 to 38 and 90 to 97, 40 to 48 and 100 to 107; 39 and 49 end it. */
const COLOURS: Readonly<Record<number, string>> = {
  3: 'text colour',
  9: 'text colour',
  4: 'background colour',
  10: 'background colour',
};

type Parameters = readonly (number | number[])[];

/** Listens to the emulator's own parser, so sequences split over several reads count once and exactly. */
function watchModes(emulator: Emulator) {
  /** `ESC [ 2 J`: the whole screen, seen as flicker; `ESC [ 3 J`: the scrollback, which is the user's; `ESC c`: all. */
  const clears = { screen: 0, scrollback: 0, reset: 0 };
  const on = new Set<number>();
  const attributes = new Set<string>();
  const off = new Set<string>();
  let kittyDepth = 0;

  const setMode = (parameters: Parameters, value: boolean) => {
    for (const mode of parameters.flat()) {
      const name = mode === 25 ? 'hidden cursor' : mode === 7 ? 'no line wrap' : null;
      if (name === null) on[value ? 'add' : 'delete'](mode);
      else off[value ? 'delete' : 'add'](name);
    }
  };
  const setAttributes = (parameters: Parameters) => {
    const codes = parameters.length === 0 ? [0] : parameters;
    for (let index = 0; index < codes.length; index++) {
      const code = codes[index];
      // `38:2:…` arrives as [38, [2, …]], `38;2;…` flat: either way the rest belongs to the colour.
      if (typeof code !== 'number') continue;
      const colour = COLOURS[Math.floor(code / 10)];
      const name = ATTRIBUTES[code] ?? colour;
      const ends = code === 39 || code === 49 ? colour : ATTRIBUTES[code - 20];
      if (code === 0) attributes.clear();
      else if (ends !== undefined) attributes.delete(ends);
      else if (name !== undefined) attributes.add(name);
      if (code === 38 || code === 48) {
        if (codes[index + 1] === 5) index += 2;
        else if (codes[index + 1] === 2) index += 4;
      }
    }
  };

  const listen = (id: { prefix?: string; final: string }, hear: (parameters: Parameters) => void) =>
    emulator.parser.registerCsiHandler(id, (parameters) => {
      hear(parameters);
      return false;
    });
  listen({ prefix: '?', final: 'h' }, (parameters) => setMode(parameters, true));
  listen({ prefix: '?', final: 'l' }, (parameters) => setMode(parameters, false));
  listen({ final: 'm' }, setAttributes);
  listen({ final: 'J' }, ([what]) => {
    if (what === 2) clears.screen++;
    if (what === 3) clears.scrollback++;
  });
  listen({ prefix: '>', final: 'u' }, () => kittyDepth++);
  listen({ prefix: '<', final: 'u' }, () => {
    kittyDepth = Math.max(0, kittyDepth - 1);
  });
  emulator.parser.registerEscHandler({ final: 'c' }, () => {
    clears.reset++;
    for (const set of [on, attributes, off]) set.clear();
    kittyDepth = 0;
    return false;
  });

  return {
    clears: clears as Readonly<typeof clears>,
    synchronizing: () => on.has(2026),
    leftovers: () => [
      ...[...on].map((mode) => PRIVATE_MODES[mode] ?? `private mode ${mode}`),
      ...off,
      ...(kittyDepth > 0 ? ['kitty keyboard'] : []),
      ...attributes,
    ],
  };
}

export interface TerminalOptions {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cols?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A home folder to use and keep, for programs that start a second time; default: a fresh one, removed at the end. */
  readonly home?: string;
  /** Runs it from a shell, so that a raw mode left on is seen; exit code 128 + signal. */
  readonly watchTty?: boolean;
}

export type Cell = ReturnType<typeof toCell>;
export type ScreenQuestion = string | RegExp | ((rows: readonly string[]) => unknown);
export type Terminal = Awaited<ReturnType<typeof openTerminal>>;

interface Exit {
  readonly exitCode: number;
  readonly signal: number;
}

// A program beside others that is not scheduled for a while must not read so many keys at once that it takes them for a paste.
const KEY_GAP_MS = 25;
/** Ink waits 20 ms after an escape for the rest of a sequence; a key that follows sooner would be taken for Alt. */
const ESCAPE_GAP_MS = 60;
/** Line-discipline flags that a shell needs on; a program in raw mode has them off. */
const COOKED_FLAGS = ['icanon', 'echo', 'isig', 'icrnl', 'opost'];
/** The traps keep the shell alive for its report; a trapped signal is back to default in the program. */
const WATCHING = 'trap : HUP INT TERM; "$@"; code=$?; stty -a >"$0"; exit $code';

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Built up, not inherited: no `CI`, `NO_COLOR`, `FORCE_COLOR` or `NODE_ENV`, no settings or keys of who runs the tests. */
const environment = (home: string): Record<string, string> => ({
  PATH: [dirname(process.execPath), process.env.PATH ?? '/usr/bin:/bin'].join(delimiter),
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  TERM: 'xterm-256color',
  TMPDIR: tmpdir(),
  HOME: home,
  XDG_CONFIG_HOME: join(home, '.config'),
  XDG_DATA_HOME: join(home, '.local', 'share'),
  XDG_STATE_HOME: join(home, '.local', 'state'),
  XDG_CACHE_HOME: join(home, '.cache'),
  XDG_RUNTIME_DIR: join(home, '.run'),
});

export async function openTerminal(options: TerminalOptions) {
  const { cols = 80, rows = 24, args = [], command = process.execPath, watchTty = false } = options;
  const folder = mkdtempSync(join(tmpdir(), 'gastop-home-'));
  const home = options.home ?? folder;
  const emulator = new xterm.Terminal({ cols, rows, allowProposedApi: true, scrollback: 1_000 });
  const modes = watchModes(emulator);
  // Run as people do, from a shell, which reads the line discipline when the program has ended. Without a shell nobody
  // could: the kernel hangs the terminal up and resets it when the leader of its session ends.
  const report = join(folder, 'stty');
  const line = watchTty ? ['/bin/sh', '-c', WATCHING, report, command, ...args] : [command, ...args];
  const startedAt = performance.now();
  // One character per byte: bytes are counted and decoded here, not guessed from text.
  const program = pty.spawn(line[0] ?? '', line.slice(1), {
    name: 'xterm-256color',
    cols,
    rows,
    cwd: options.cwd ?? process.cwd(),
    env: { ...environment(home), ...options.env },
    encoding: 'latin1',
  });
  const leaderPid = program.pid;

  let bytes = 0;
  let ended: Exit | null = null;
  const chunks: Buffer[] = [];
  let onScreen: (() => void)[] = [];
  const screenChanged = () => {
    const waiting = onScreen;
    onScreen = [];
    for (const wake of waiting) wake();
  };
  program.onData((text) => {
    const chunk = Buffer.from(text, 'latin1');
    bytes += chunk.length;
    chunks.push(chunk);
    emulator.write(chunk, screenChanged);
  });
  // The emulator answers questions (cursor position, device attributes) as a terminal does.
  emulator.onData((answer) => {
    if (ended === null) program.write(answer);
  });
  const exit = new Promise<Exit>((resolve) => {
    program.onExit(({ exitCode, signal }) => {
      const settled = { exitCode, signal: signal ?? 0 };
      // Written last, so it comes after everything that is still being parsed.
      emulator.write('', () => {
        ended = settled;
        resolve(settled);
        screenChanged();
      });
    });
  });

  const ownPid = () => {
    // A program may be through before it was looked for.
    if (existsSync(report)) return leaderPid;
    return Number(readFileSync(`/proc/${leaderPid}/task/${leaderPid}/children`, 'utf8').split(' ')[0]);
  };
  const pid = watchTty ? await waitFor(ownPid, { what: "the shell's child" }) : leaderPid;

  const screen = (): string[] => {
    const buffer = emulator.buffer.active;
    return Array.from(
      { length: emulator.rows },
      (_, row) => buffer.getLine(buffer.viewportY + row)?.translateToString(true) ?? '',
    );
  };
  const cellAt = (x: number, y: number) => {
    const buffer = emulator.buffer.active;
    return buffer.getLine(buffer.viewportY + y)?.getCell(x);
  };
  const cell = (x: number, y: number) => {
    const found = cellAt(x, y);
    if (found === undefined) throw new Error(`no cell ${x},${y} on ${emulator.cols}×${emulator.rows}`);
    return toCell(found);
  };
  const picture = () =>
    [
      `┌${'─'.repeat(emulator.cols)}┐`,
      ...screen().map((row) => `│${row.padEnd(emulator.cols)}│`),
      `└${'─'.repeat(emulator.cols)}┘`,
      ended === null ? 'still running' : `ended with ${JSON.stringify(ended)}`,
    ].join('\n');
  const answers = (question: ScreenQuestion): boolean => {
    if (modes.synchronizing()) return false;
    const now = screen();
    if (typeof question === 'function') return Boolean(question(now));
    const text = now.join('\n');
    return typeof question === 'string' ? text.includes(question) : question.test(text);
  };

  const waitForScreen = async (question: ScreenQuestion, { timeoutMs = PATIENCE_MS } = {}) => {
    const deadline = performance.now() + timeoutMs;
    while (!answers(question)) {
      const left = deadline - performance.now();
      if (left <= 0 || ended !== null) {
        const why = ended === null ? `${timeoutMs} ms` : 'program ended';
        throw new Error(`the screen never showed ${String(question)} (${why})\n${picture()}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, 250));
        onScreen.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    return screen();
  };
  /** Names (`up`, `enter`, `esc`, `ctrl+c`, `tab`) or text that is typed; one read of the program each. */
  const press = async (...keys: readonly string[]) => {
    for (const sent of keys.flatMap(keyBytes)) {
      program.write(sent);
      await delay(sent === '\x1b' ? ESCAPE_GAP_MS : KEY_GAP_MS);
    }
  };
  const close = async () => {
    if (ended === null) {
      killGroup(leaderPid);
      await exit;
    }
    emulator.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };

  return {
    pid,
    startedAt,
    home,
    exit,
    get bytes() {
      return bytes;
    },
    clears: modes.clears,
    screen,
    cell,
    isDim(row: number) {
      const letters = Array.from({ length: emulator.cols }, (_, x) => cell(x, row)).filter(
        ({ text }) => text.trim() !== '',
      );
      return letters.length > 0 && letters.every((letter) => letter.dim);
    },
    find(text: string) {
      for (const [y, row] of screen().entries()) {
        const index = row.indexOf(text);
        if (index === -1) continue;
        // Columns are not characters: a wide character takes two cells, a combining one none.
        let seen = 0;
        for (let x = 0; x < emulator.cols; x++) {
          if (seen >= index) return { x, y };
          const found = cellAt(x, y);
          if (found !== undefined && found.getWidth() > 0) seen += found.getChars().length || 1;
        }
      }
      return null;
    },
    isAlternate: () => emulator.buffer.active.type === 'alternate',
    output: () => Buffer.concat(chunks).toString('utf8'),
    waitFor: waitForScreen,
    async waitForExit({ timeoutMs = PATIENCE_MS } = {}): Promise<Exit> {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        const fail = () => reject(new Error(`the program did not end within ${timeoutMs} ms\n${picture()}`));
        timer = setTimeout(fail, timeoutMs);
      });
      return Promise.race([exit, late]).finally(() => clearTimeout(timer));
    },
    press,
    /** Presses a key every ten seconds until the screen shows it. For requests that the program does not retry soon. */
    async pressUntil(key: string, question: ScreenQuestion) {
      for (let left = 11; left > 0; left--) {
        await press(key);
        const shown = await waitForScreen(question, { timeoutMs: 10_000 }).catch(() => null);
        if (shown !== null) return shown;
      }
      await press(key);
      return waitForScreen(question);
    },
    /** As a terminal pastes: in brackets if the program asked for them. */
    paste: (text: string) =>
      program.write(emulator.modes.bracketedPasteMode ? `\x1b[200~${text}\x1b[201~` : text),
    /** As it is, in one go: what a terminal without brackets makes of a paste. */
    write: (text: string) => program.write(text),
    resize(newCols: number, newRows: number) {
      emulator.resize(newCols, newRows);
      program.resize(newCols, newRows);
    },
    signal(name: NodeJS.Signals) {
      process.kill(pid, name);
    },
    /** What the program switched on and left on, in words; empty: the terminal is clean. */
    leftovers() {
      const words = watchTty && ended !== null ? readFileSync(report, 'utf8').split(/[\s;]+/) : [];
      const raw = COOKED_FLAGS.filter((flag) => words.includes(`-${flag}`)).map(
        (flag) => `raw mode (-${flag})`,
      );
      return [...modes.leftovers(), ...raw];
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The program leads its own session, so its group is it and what it started. */
function killGroup(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // Already gone.
    }
  }
}

function toCell(found: IBufferCell) {
  /** Index of a palette colour, `rgb`, or `null` for the terminal's own. */
  const color = (isDefault: boolean, isRgb: boolean, value: number): number | 'rgb' | null =>
    isDefault ? null : isRgb ? 'rgb' : value;
  return {
    text: found.getChars(),
    dim: found.isDim() !== 0,
    bold: found.isBold() !== 0,
    inverse: found.isInverse() !== 0,
    underline: found.isUnderline() !== 0,
    color: color(found.isFgDefault(), found.isFgRGB(), found.getFgColor()),
    background: color(found.isBgDefault(), found.isBgRGB(), found.getBgColor()),
  };
}
