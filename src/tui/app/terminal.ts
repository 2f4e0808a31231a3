import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { format } from 'node:util';
import { useApp, useStdout } from 'ink';
import { useEffect, useRef } from 'react';
import { useToast } from '../chrome/toast.tsx';

export interface Ending {
  /** 0 after `q` and `Ctrl-C`, 128 + n after a signal, 1 after an error. */
  readonly code: number;
  readonly error?: Error;
}

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export const errorEnding = (cause: unknown): Ending => ({
  code: 1,
  error: cause instanceof Error ? cause : new Error(String(cause)),
});

/** Resolves with how the program ends, unless by a key. Listens to the last: a closed terminal may fail later, too. */
export function watchEnding(stdin: NodeJS.ReadableStream, stdout: NodeJS.WritableStream): Promise<Ending> {
  return new Promise((resolve) => {
    for (const [signal, code] of Object.entries(SIGNALS)) process.on(signal, () => resolve({ code }));
    process.on('uncaughtException', (cause) => resolve(errorEnding(cause)));
    // A closed terminal counts as a hangup, whichever stream reports it first.
    const onGone = () => resolve({ code: SIGNALS.SIGHUP });
    for (const event of ['end', 'close', 'error']) stdin.on(event, onGone);
    stdout.on('error', onGone);
  });
}

const METHODS = ['log', 'info', 'warn', 'error', 'debug'] as const;
const MOST_LINES = 50;

/** Holds what libraries print until it is called, which also restores the console. */
export function holdConsole(): () => readonly string[] {
  const held: string[] = [];
  const original = { ...console };
  for (const method of METHODS) {
    console[method] = (...values: unknown[]) => {
      if (held.length < MOST_LINES) held.push(format(...values));
    };
  }
  return () => {
    Object.assign(console, original);
    return held;
  };
}

const AFTER_STOP_MS = 100;

/** `Ctrl-Z`: restores the terminal, stops the whole job, and draws again after `fg`, or after any other stop. */
export function useSuspend(): (() => void) | string {
  const { suspendTerminal } = useApp();
  const isAway = useRef(false);
  const leaveFor = useRef(async (meanwhile: () => Promise<void>) => {
    if (isAway.current) return;
    isAway.current = true;
    const suspension = await suspendTerminal();
    await meanwhile();
    // Only the foreground process is told about resizes.
    process.emit('SIGWINCH', 'SIGWINCH');
    await nextTurn();
    // Drawing takes a moment. If the monitor is stopped again meanwhile, it must draw once more.
    isAway.current = false;
    await suspension.resume();
  });
  useEffect(() => {
    const goOn = () => void leaveFor.current(async () => {});
    process.on('SIGCONT', goOn);
    return () => {
      process.off('SIGCONT', goOn);
    };
  }, []);
  if (process.platform === 'win32') return 'This system cannot stop a program and go on with it later';
  return () => {
    void leaveFor.current(async () => {
      // The whole process group: under npx the shell waits for npx.
      process.kill(0, 'SIGTSTP');
      // Returns after `fg`, or at once when no shell controls the job.
      await sleep(AFTER_STOP_MS);
    });
  };
}

/** Sends text to the clipboard of the user's terminal, also over ssh (OSC 52), and says so: nothing tells whether it took it. */
export function useClipboard(): (text: string, name?: string) => void {
  const { stdout } = useStdout();
  const toast = useToast();
  return (text, name = text) => {
    // Bypasses Ink's `write`: the sequence neither moves the cursor nor draws.
    stdout.write(`\u001b]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`);
    const to = process.env.TMUX ? 'tmux: it needs set -g set-clipboard on' : "the terminal's clipboard";
    toast({ kind: 'info', text: `Sent ${name} to ${to}` });
  };
}
