import { once } from 'node:events';
import { homedir, userInfo } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { TerminalInput } from '../tui/input/terminal-input.ts';
import { EXIT, Interruption, reportOutputFailure } from './errors.ts';

interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** All parts of the process that commands use, so that tests can replace them. */
export interface Io {
  readonly stdin: { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** All of stdin as text. @throws RangeError when it is not UTF-8 or longer than `mostBytes`. */
  readInput(mostBytes: number): Promise<string>;
  /** Asks on stderr and returns the typed line; `null` at the end of the input. */
  ask(message: string): Promise<string | null>;
  /** Asks on stderr for a hidden paste; `null` without input. Only if stdin is a terminal. */
  askHidden(message: string, mostLength: number): Promise<string | null>;
  /** Writes to stdout and waits until the system has accepted it. Rejects when it fails. */
  deliver(text: string): Promise<void>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  now(): number;
  /** Aborts at the first Ctrl-C, SIGTERM or SIGHUP. Commands that own the terminal do not use it. */
  interruption(): AbortSignal;
  /** Passes signals to `listener` alone from now on; they neither abort {@link interruption} nor end the process. */
  takeSignals(listener: (name: NodeJS.Signals) => void): void;
  /** Keeps the process running when a reader of its output closes; the output is lost. */
  outliveReaders(): void;
  /** Ends the process with 0 so long after {@link interruption}, whatever is under way; `onLate` is called before. */
  endWithin(ms: number, onLate: () => void): void;
}

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const FURTHER_SIGNALS = ['SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;
type SignalListener = (name: NodeJS.Signals) => void;

/** @param env the shell's environment, without the launcher's own changes. */
export function processIo(env: Io['env']): Io {
  let controller: AbortController | null = null;
  let listener: SignalListener | null = null;
  const interruption = (): AbortSignal => {
    controller ??= abortOnSignals(() => listener);
    return controller.signal;
  };
  let outlivesReaders = false;
  for (const name of ['stdout', 'stderr'] as const) endWithOutput(name, () => outlivesReaders);
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    readInput: (mostBytes) => readAll(process.stdin, mostBytes),
    ask: (message) => askOn(message, interruption()),
    askHidden: (message, mostLength) => askHidden(message, mostLength, interruption()),
    deliver: (text) => deliverTo(process.stdout, text),
    env,
    platform: process.platform,
    home: homeFolder(),
    now: () => Date.now(),
    interruption,
    takeSignals: (taker) => {
      interruption();
      listener = taker;
      if (process.platform === 'win32') return;
      for (const name of FURTHER_SIGNALS) process.on(name, taker);
    },
    outliveReaders: () => {
      outlivesReaders = true;
    },
    endWithin: (ms, onLate) => {
      const end = () => {
        onLate();
        process.exit(EXIT.ok);
      };
      const begin = () => setTimeout(end, ms).unref();
      const signal = interruption();
      if (signal.aborted) begin();
      else signal.addEventListener('abort', begin, { once: true });
    },
  };
}

/** A reader that closes early (`gastop history | head`) is no failure; a full disk is one. */
function endWithOutput(name: 'stdout' | 'stderr', outlives: () => boolean): void {
  const stream = process[name];
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The monitor has a watch of its own.
    if (outlives() || stream.listenerCount('error') > 1) return;
    // The terminal is closed. A job in the background or in a session of its own is told by no signal.
    if (stream.isTTY) return name === 'stdout' ? process.exit(SIGNALS.SIGHUP) : undefined;
    process.exit(error.code === 'EPIPE' ? EXIT.ok : reportOutputFailure(error));
  });
}

function deliverTo(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.on('error', reject);
    stream.write(text, (error) => {
      if (error) return reject(error);
      stream.off('error', reject);
      resolve();
    });
  });
}

/** The first signal aborts, the second ends the process at once; unless a listener has taken them over. */
function abortOnSignals(taker: () => SignalListener | null): AbortController {
  const controller = new AbortController();
  for (const [name, code] of Object.entries(SIGNALS)) {
    process.on(name, (signal: NodeJS.Signals) => {
      const take = taker();
      if (take !== null) return take(signal);
      if (controller.signal.aborted) process.exit(code);
      controller.abort(new Interruption(code));
    });
  }
  return controller;
}

const ENTER = /[\r\n]$/;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const PIECES_WITHIN_MS = 150;
/** Keys, marks of a paste and reports of the terminal (ECMA-48). */
const SEQUENCES = /\u001b\[[0-?]*[ -/]*[@-~]/g;

/** A terminal's line has at most 4,096 characters, so keys are read raw, until Enter or Ctrl-D. */
async function askHidden(
  message: string,
  mostLength: number,
  interruption: AbortSignal,
): Promise<string | null> {
  const { stdin, stderr } = process;
  interruption.throwIfAborted();
  const input = new TerminalInput(stdin).setEncoding('utf8');
  // Before the prompt: the terminal must not echo an immediate input.
  input.setRawMode(true);
  stderr.write(message);
  let text = '';
  try {
    await new Promise<void>((resolve, reject) => {
      let pieces = 0;
      const take = async (piece: string) => {
        // Raw keys raise no signals.
        if (piece.includes(CTRL_C)) process.kill(process.pid, 'SIGINT');
        text += piece;
        pieces += 1;
        if (piece.includes(CTRL_D) || text.length > mostLength) return resolve();
        const seen = pieces;
        if (!ENTER.test(piece) || text.trim() === '') return;
        await sleep(PIECES_WITHIN_MS);
        if (pieces === seen) resolve();
      };
      input.on('data', take);
      stdin.once('end', resolve);
      interruption.addEventListener('abort', () => reject(interruption.reason), { once: true });
    });
  } finally {
    input.setRawMode(false);
    stderr.write('\n');
  }
  const pasted = text.replaceAll(CTRL_D, '').replaceAll(SEQUENCES, '');
  return pasted.trim() === '' ? null : pasted;
}

async function askOn(message: string, interruption: AbortSignal): Promise<string | null> {
  // Without readline's own keys: Ctrl-C stays a signal.
  const prompt = createInterface({ input: process.stdin, terminal: false });
  process.stderr.write(message);
  try {
    const line = once(prompt, 'line', { signal: interruption }).then(([text]) => String(text));
    return await Promise.race([line, once(prompt, 'close').then(() => null)]);
  } catch {
    throw interruption.reason;
  } finally {
    prompt.close();
  }
}

/** HOME, or the system's user list, or `/`. An empty HOME counts as unset: data must not end up in this folder. */
function homeFolder(): string {
  try {
    return homedir() || userInfo().homedir || '/';
  } catch {
    // A user id without an entry and no HOME, as in containers.
    return '/';
  }
}

export async function readAll(
  stream: AsyncIterable<Uint8Array | string>,
  mostBytes: number,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const piece = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    bytes += piece.length;
    if (bytes > mostBytes) throw new RangeError(`is longer than ${Math.floor(mostBytes / 1_024)} kB`);
    chunks.push(piece);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new RangeError('is not UTF-8 text');
  }
}
