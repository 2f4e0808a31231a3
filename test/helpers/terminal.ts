import * as pty from '@lydell/node-pty';
import type { IBufferCell } from '@xterm/headless';
import xterm from '@xterm/headless';
import { openHome, programEnvironment } from './terminal-environment.ts';
import { keyBytes } from './terminal-keys.ts';
import { watchLine } from './terminal-line.ts';
import { type ClearCounts, watchModes } from './terminal-modes.ts';

export interface TerminalOptions {
  /** Default: the Node that runs the tests. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cols?: number;
  readonly rows?: number;
  /** Added to the clean environment of {@link programEnvironment}. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A home folder to use and keep, for programs that start a second time; default: a fresh one, removed at the end. */
  readonly home?: string;
  /**
   * Runs the program from a shell, so that {@link Terminal.leftovers} also sees a raw mode left on. A program
   * ended by a signal then has exit code 128 + signal, as a shell says it.
   */
  readonly watchTty?: boolean;
}

export interface Cell {
  readonly text: string;
  readonly dim: boolean;
  readonly bold: boolean;
  readonly inverse: boolean;
  readonly underline: boolean;
  /** Index of a palette colour, `rgb`, or `null` for the terminal's own. */
  readonly color: number | 'rgb' | null;
  readonly background: number | 'rgb' | null;
}

export interface Exit {
  readonly exitCode: number;
  /** Number of the signal that ended the program; 0 where none did. */
  readonly signal: number;
}

export type ScreenQuestion = string | RegExp | ((rows: readonly string[]) => unknown);

/** A program in a real pseudo-terminal and the screen it has drawn. */
export interface Terminal extends AsyncDisposable {
  readonly pid: number;
  /** `performance.now()` just before the program was started. */
  readonly startedAt: number;
  readonly home: string;
  /** Resolves when the program has ended and all it wrote is on the screen. */
  readonly exit: Promise<Exit>;
  /** Bytes the program has written. */
  readonly bytes: number;
  readonly clears: Readonly<ClearCounts>;
  /** The visible rows, without trailing spaces. */
  screen(): string[];
  cell(x: number, y: number): Cell;
  /** Whether all text of the row (from `from` to `to`, columns) is dimmed; a row without text is not. */
  isDim(row: number, from?: number, to?: number): boolean;
  /** Row and column of the first place where `text` stands on the screen. */
  find(text: string): { readonly x: number; readonly y: number } | null;
  cursor(): { readonly x: number; readonly y: number };
  cursorVisible(): boolean;
  isAlternate(): boolean;
  /** Everything written so far, as bytes decoded from UTF-8. */
  output(): string;
  /** Waits for content; a failure shows the screen. Gives the rows that satisfied it. */
  waitFor(question: ScreenQuestion, options?: { readonly timeoutMs?: number }): Promise<string[]>;
  /** Waits for the program's end; a failure shows the screen. */
  waitForExit(options?: { readonly timeoutMs?: number }): Promise<Exit>;
  /** Names (`up`, `enter`, `esc`, `ctrl+c`, `tab`) or text that is typed; one read of the program each. */
  press(...keys: readonly string[]): Promise<void>;
  /** Presses a key every ten seconds until the screen shows it. For requests that the program does not retry soon. */
  pressUntil(key: string, question: ScreenQuestion): Promise<string[]>;
  /** As a terminal pastes: in brackets if the program asked for them. */
  paste(text: string): void;
  /** As it is, in one go: what a terminal without brackets makes of a paste. */
  write(text: string): void;
  resize(cols: number, rows: number): void;
  signal(name: NodeJS.Signals): void;
  /** Calls back with each piece as it arrives, before it is on the screen. */
  onOutput(listener: (chunk: Buffer) => void): void;
  /** What the program switched on and left on, in words; empty: the terminal is clean. */
  leftovers(): string[];
  /** Ends the program if it still runs, waits for it and removes its home. */
  close(): Promise<void>;
}

const KEY_GAP_MS = 8;
/** Ink waits 20 ms after an escape for the rest of a sequence; a key that follows sooner would be taken for Alt. */
const ESCAPE_GAP_MS = 60;

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Starts a program in a pseudo-terminal of its own. */
export async function openTerminal(options: TerminalOptions): Promise<Terminal> {
  const { cols = 80, rows = 24, args = [], command = process.execPath } = options;
  const home = await openHome(options.home);
  const emulator = new xterm.Terminal({ cols, rows, allowProposedApi: true, scrollback: 1_000 });
  const modes = watchModes(emulator);
  const line = options.watchTty === true ? watchLine(command, args) : null;
  const startedAt = performance.now();
  // One character per byte: bytes are counted and decoded here, not guessed from text.
  const program = pty.spawn(line?.command ?? command, [...(line?.args ?? args)], {
    name: 'xterm-256color',
    cols,
    rows,
    cwd: options.cwd ?? process.cwd(),
    env: programEnvironment(home, options.env),
    encoding: 'latin1',
  });

  const leaderPid = program.pid;

  let bytes = 0;
  let ended: Exit | null = null;
  const chunks: Buffer[] = [];
  const listeners: ((chunk: Buffer) => void)[] = [];
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
    for (const listener of listeners) listener(chunk);
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

  const pid = (await line?.programPid(leaderPid)) ?? leaderPid;

  const screen = (): string[] => {
    const buffer = emulator.buffer.active;
    return Array.from(
      { length: emulator.rows },
      (_, row) => buffer.getLine(buffer.viewportY + row)?.translateToString(true) ?? '',
    );
  };

  const cell = (x: number, y: number): Cell => {
    const buffer = emulator.buffer.active;
    const found = buffer.getLine(buffer.viewportY + y)?.getCell(x);
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

  const terminal: Terminal = {
    pid,
    startedAt,
    home: home.path,
    exit,
    get bytes() {
      return bytes;
    },
    clears: modes.clears,
    screen,
    cell,
    isDim(row, from = 0, to = emulator.cols) {
      const letters = [];
      for (let x = from; x < to; x++) {
        const at = cell(x, row);
        if (at.text.trim() !== '') letters.push(at);
      }
      return letters.length > 0 && letters.every((letter) => letter.dim);
    },
    find(text) {
      for (const [y, row] of screen().entries()) {
        const index = row.indexOf(text);
        if (index === -1) continue;
        // Columns are not characters: a wide character takes two cells, a combining one none.
        let seen = 0;
        for (let x = 0; x < emulator.cols; x++) {
          if (seen >= index) return { x, y };
          const buffer = emulator.buffer.active;
          const found = buffer.getLine(buffer.viewportY + y)?.getCell(x);
          if (found !== undefined && found.getWidth() > 0) seen += found.getChars().length || 1;
        }
      }
      return null;
    },
    cursor: () => ({ x: emulator.buffer.active.cursorX, y: emulator.buffer.active.cursorY }),
    cursorVisible: modes.cursorVisible,
    isAlternate: () => emulator.buffer.active.type === 'alternate',
    output: () => Buffer.concat(chunks).toString('utf8'),
    async waitFor(question, { timeoutMs = 120_000 } = {}) {
      const deadline = performance.now() + timeoutMs;
      while (!answers(question)) {
        const left = deadline - performance.now();
        if (left <= 0 || ended !== null) {
          throw new Error(
            `the screen never showed ${String(question)} (${ended === null ? `${timeoutMs} ms` : 'program ended'})\n${picture()}`,
          );
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
    },
    async waitForExit({ timeoutMs = 120_000 } = {}) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(
          () => reject(new Error(`the program did not end within ${timeoutMs} ms\n${picture()}`)),
          timeoutMs,
        );
      });
      try {
        return await Promise.race([exit, late]);
      } finally {
        clearTimeout(timer);
      }
    },
    async press(...keys) {
      for (const key of keys) {
        for (const sent of keyBytes(key)) {
          program.write(sent);
          await delay(sent === '\x1b' ? ESCAPE_GAP_MS : KEY_GAP_MS);
        }
      }
    },
    async pressUntil(key, question) {
      for (let left = 11; left > 0; left--) {
        await terminal.press(key);
        const rows = await terminal.waitFor(question, { timeoutMs: 10_000 }).catch(() => null);
        if (rows !== null) return rows;
      }
      await terminal.press(key);
      return terminal.waitFor(question);
    },
    paste(text) {
      const framed = emulator.modes.bracketedPasteMode ? `\x1b[200~${text}\x1b[201~` : text;
      program.write(framed);
    },
    write(text) {
      program.write(text);
    },
    resize(newCols, newRows) {
      emulator.resize(newCols, newRows);
      program.resize(newCols, newRows);
    },
    signal(name) {
      process.kill(pid, name);
    },
    onOutput(listener) {
      listeners.push(listener);
    },
    leftovers: () => [...modes.leftovers(), ...(ended === null ? [] : (line?.leftovers() ?? []))],
    async close() {
      if (ended === null) {
        killGroup(leaderPid);
        await exit;
      }
      line?.close();
      emulator.dispose();
      await home.remove();
    },
    [Symbol.asyncDispose]: () => terminal.close(),
  };
  return terminal;
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

function toCell(found: IBufferCell): Cell {
  const color = (isDefault: boolean, isRgb: boolean, value: number) => {
    if (isDefault) return null;
    return isRgb ? 'rgb' : value;
  };
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
