import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { format } from 'node:util';
import { useApp, useStdout } from 'ink';
import { useCallback, useEffect, useRef } from 'react';
import { useToast } from '../chrome/toast.tsx';

export interface Ending {
  readonly code: number;
  readonly error?: Error;
}

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
/** A closed terminal counts as a hangup, whichever stream reports it first. */
const GONE: Ending = { code: SIGNALS.SIGHUP };

export const errorEnding = (cause: unknown): Ending => ({
  code: 1,
  error: cause instanceof Error ? cause : new Error(String(cause)),
});

export function watchEnding(
  stdin: NodeJS.ReadableStream,
  stdout: NodeJS.WritableStream,
): { readonly ending: Promise<Ending>; readonly stop: () => void } {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const undo: (() => void)[] = [];
  const listen = (emitter: NodeJS.EventEmitter, event: string, endingOf: (cause: unknown) => Ending) => {
    const listener = (cause: unknown) => resolve(endingOf(cause));
    emitter.on(event, listener);
    return () => emitter.off(event, listener);
  };
  for (const [signal, code] of Object.entries(SIGNALS)) undo.push(listen(process, signal, () => ({ code })));
  undo.push(listen(process, 'uncaughtException', errorEnding));
  undo.push(listen(stdin, 'end', () => GONE));
  undo.push(listen(stdin, 'close', () => GONE));
  // Stay registered: writing to a closed terminal may fail later, which must not be a second error.
  listen(stdin, 'error', () => GONE);
  listen(stdout, 'error', () => GONE);
  return {
    ending: promise,
    stop: () => {
      for (const one of undo) one();
    },
  };
}

const METHODS = ['log', 'info', 'warn', 'error', 'debug'] as const;
const MOST_LINES = 50;

/** Holds what libraries print until `release`, which also restores the console. */
export function holdConsole(): { readonly release: () => readonly string[] } {
  const held: string[] = [];
  const originals = METHODS.map((method) => [method, console[method]] as const);
  for (const method of METHODS) {
    console[method] = (...values: unknown[]) => {
      if (held.length < MOST_LINES) held.push(format(...values));
    };
  }
  return {
    release: () => {
      for (const [method, original] of originals) console[method] = original;
      return held;
    },
  };
}

/** The stop signal may arrive shortly after it was sent. */
const AFTER_STOP_MS = 100;

/**
 * `Ctrl-Z`: restores the terminal, stops the whole job, and draws again after `fg`. A process stopped by a signal
 * could restore nothing; its terminal is restored when it continues.
 */
export function useSuspend(): () => void {
  const { suspendTerminal } = useApp();
  const toast = useToast();
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
  return () => {
    if (process.platform === 'win32') {
      toast({ kind: 'error', text: 'This system cannot stop a program and go on with it later' });
      return;
    }
    void leaveFor.current(async () => {
      // The whole process group: under npx the shell waits for npx.
      process.kill(0, 'SIGTSTP');
      // Returns after `fg`, or at once when no shell controls the job.
      await sleep(AFTER_STOP_MS);
    });
  };
}

/** Copies text to the clipboard of the user's terminal, also over ssh (OSC 52), and says so in a toast. */
export function useClipboard(): (text: string, name?: string) => void {
  const { stdout } = useStdout();
  const toast = useToast();
  return useCallback(
    (text, name = text) => {
      const encoded = Buffer.from(text, 'utf8').toString('base64');
      // Bypasses Ink's `write`: the sequence neither moves the cursor nor draws.
      stdout.write(`\u001b]52;c;${encoded}\u0007`);
      toast({ kind: 'info', text: `Copied ${name} (needs OSC 52 in your terminal)` });
    },
    [stdout, toast],
  );
}
