import { askHidden } from './ask-hidden.ts';
import { askOn } from './ask-on-terminal.ts';
import { EXIT } from './exit-code.ts';
import { homeFolder } from './home-folder.ts';
import { reportOutputFailure } from './output-failure.ts';
import { readAll } from './read-all.ts';

export interface Output {
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
  /** Wall clock, ms since epoch. */
  now(): number;
  /** Aborts at the first Ctrl-C, SIGTERM or SIGHUP. Commands that own the terminal do not ask for it. */
  interruption(): AbortSignal;
  /** From now on signals go to `listener` alone, and neither abort {@link interruption} nor end the process. */
  takeSignals(listener: (name: NodeJS.Signals) => void): void;
  /** From now on the process goes on when a reader of its output goes away; what it writes for them is lost. */
  outliveReaders(): void;
}

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** What else may be meant for a command that runs in this process's place. */
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
