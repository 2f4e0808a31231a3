import { homedir, userInfo } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT, reportOutputFailure } from './errors.ts';

interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** All that a command touches of its process, so that tests can hand it something else. */
export interface Io {
  readonly stdin: { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** All of stdin as text. @throws RangeError when it is not UTF-8 or longer than `mostBytes`. */
  readInput(mostBytes: number): Promise<string>;
  /** Asks on stderr and gives the line that is typed; `null` at the end of the input. */
  ask(question: string): Promise<string | null>;
  /** Asks on stderr for a paste that is not shown; `null`: nothing came. Only where stdin is a terminal. */
  askHidden(question: string, mostLength: number): Promise<string | null>;
  /** Writes to stdout and waits until the system has taken it. Rejects where it does not. */
  deliver(text: string): Promise<void>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  now(): number;
  /** Aborts at the first Ctrl-C, SIGTERM or SIGHUP. Commands that own the terminal do not ask for it. */
  interruption(): AbortSignal;
  /** From now on signals go to `listener` alone, and neither abort {@link interruption} nor end the process. */
  takeSignals(listener: (name: NodeJS.Signals) => void): void;
  /** From now on the process goes on when a reader of its output goes away; what it writes for them is lost. */
  outliveReaders(): void;
}

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const FURTHER_SIGNALS = ['SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

type SignalListener = (name: NodeJS.Signals) => void;

/** @param env as the shell gave it: what the launcher sets for itself is not for commands that are run from here. */
export function processIo(env: Io['env']): Io {
  let controller: AbortController | null = null;
  let listener: SignalListener | null = null;
  const interruption = (): AbortSignal => {
    controller ??= abortOnSignals(() => listener);
    return controller.signal;
  };
  let outlivesReaders = false;
  for (const stream of [process.stdout, process.stderr]) endWithOutput(stream, () => outlivesReaders);
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    readInput: (mostBytes) => readAll(process.stdin, mostBytes),
    ask: (question) => askOn(question, interruption()),
    askHidden: (question, mostLength) => askHidden(question, mostLength, interruption()),
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
  };
}

/**
 * `gastop history | head`: the reader has what it wants, which is no failure. A full disk is one, and is said in a
 * line; who waits for the output with `Io.deliver` says more.
 */
function endWithOutput(stream: NodeJS.WriteStream, outlives: () => boolean): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The terminal is gone. Its hangup, or the monitor's own watch, ends the program; nobody is left to be told.
    if (stream.isTTY || outlives() || stream.listenerCount('error') > 1) return;
    process.exit(error.code === 'EPIPE' ? EXIT.ok : reportOutputFailure(error));
  });
}

function deliverTo(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // Stays where it fails: whoever waits for this says what came of it.
    stream.on('error', reject);
    stream.write(text, (error) => {
      if (error) return reject(error);
      stream.off('error', reject);
      resolve();
    });
  });
}

/** The first signal asks to end cleanly, the second one ends at once; unless somebody has taken them over. */
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

/** Why {@link Io.interruption} aborted; a command that cannot end well because of it exits with `exitCode`. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('interrupted');
    this.exitCode = exitCode;
  }
}

const ENTER = /[\r\n]$/;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
/** Of a paste that a terminal hands over piece by piece. */
const PIECES_WITHIN_MS = 150;
/** What a terminal puts around a paste where a program before this one left that on. */
const PASTE_MARKS = /\u001b\[20[01]~/g;

/**
 * Asks on stderr for a paste that is not shown and gives it: what comes until Enter ends it, or Ctrl-D. `null`: nothing
 * came. A line of a terminal has 4,096 characters at most, so the keys are read as they come.
 */
async function askHidden(
  question: string,
  mostLength: number,
  interruption: AbortSignal,
): Promise<string | null> {
  const { stdin, stderr } = process;
  interruption.throwIfAborted();
  // Before the question: what answers it at once must not be drawn by the terminal itself.
  stdin.setRawMode(true);
  stderr.write(question);
  stdin.setEncoding('utf8');
  let text = '';
  try {
    await new Promise<void>((resolve, reject) => {
      let pieces = 0;
      const take = async (piece: string) => {
        // Raw keys are no signals.
        if (piece.includes(CTRL_C)) process.kill(process.pid, 'SIGINT');
        text += piece;
        pieces += 1;
        if (piece.includes(CTRL_D) || text.length > mostLength) return resolve();
        const seen = pieces;
        if (!ENTER.test(piece) || text.trim() === '') return;
        await sleep(PIECES_WITHIN_MS);
        if (pieces === seen) resolve();
      };
      stdin.on('data', take);
      stdin.once('end', resolve);
      interruption.addEventListener('abort', () => reject(interruption.reason), { once: true });
    });
  } finally {
    stdin.removeAllListeners('data');
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
  const pasted = text.replaceAll(CTRL_D, '').replaceAll(PASTE_MARKS, '');
  return pasted.trim() === '' ? null : pasted;
}

function askOn(question: string, interruption: AbortSignal): Promise<string | null> {
  return new Promise((resolve, reject) => {
    // Without keys of its own: Ctrl-C stays a signal.
    const prompt = createInterface({ input: process.stdin, terminal: false });
    const interrupt = () => {
      reject(interruption.reason);
      prompt.close();
    };
    interruption.addEventListener('abort', interrupt, { once: true });
    prompt.once('close', () => {
      interruption.removeEventListener('abort', interrupt);
      resolve(null);
    });
    prompt.once('line', (line) => {
      resolve(line);
      prompt.close();
    });
    process.stderr.write(question);
    if (interruption.aborted) interrupt();
  });
}

/**
 * The user's home folder: what HOME says, else the list of users; `/` for one that has neither, as containers do it.
 * An empty HOME says nothing: what is kept must not come to lie in whatever folder gastop is started in.
 */
function homeFolder(): string {
  try {
    return homedir() || userInfo().homedir || '/';
  } catch {
    // A number that the list of users does not know, and no HOME: a container that runs as somebody.
    return '/';
  }
}

/** Reads a stream to its end as text. @throws RangeError when it is not UTF-8 or longer than `mostBytes`. */
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
