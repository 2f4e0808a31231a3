import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { format } from 'node:util';
import { useApp, useStdout } from 'ink';
import { useCallback, useEffect, useRef } from 'react';
import { useToast } from '../chrome/toast.tsx';

/** Why the monitor ended without a key: the exit code that says it, and an error to tell if there is one. */
export interface Ending {
  readonly code: number;
  readonly error?: Error;
}

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
/** A terminal that is gone looks like a hangup, whichever of its ends we notice first. */
const GONE: Ending = { code: SIGNALS.SIGHUP };

export const errorEnding = (cause: unknown): Ending => ({
  code: 1,
  error: cause instanceof Error ? cause : new Error(String(cause)),
});

/** Watches what can end the monitor from outside: a signal, a terminal that is gone, an uncaught error. */
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
  // These stay: the last words to a terminal that is gone fail later, and must not become a second error.
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

/**
 * Keeps what libraries print from tearing the screen: it is held and handed out by `release`, which also gives
 * the console back.
 */
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

/** The stop may reach us a moment after it was sent. */
const AFTER_STOP_MS = 100;

/**
 * `Ctrl-Z`: gives the terminal back, stops the whole job, and draws everything again when `fg` brings it back. Who was
 * stopped by a signal could give nothing back; the terminal is put in order once it goes on.
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
    // Only who has the terminal is told when it gets another size.
    process.emit('SIGWINCH', 'SIGWINCH');
    await nextTurn();
    // Drawing takes a moment. Stopped again within it, the monitor has to draw once more.
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
      // The whole group: under npx the shell waits for npx, not for us.
      process.kill(0, 'SIGTSTP');
      // Over when `fg` has woken us, or at once where nobody can stop us because no shell could wake us.
      await sleep(AFTER_STOP_MS);
    });
  };
}

/**
 * Puts text on the clipboard of the user's own terminal, also over ssh (OSC 52), and says so by its name. Terminals do
 * not say whether they allow it.
 */
export function useClipboard(): (text: string, name?: string) => void {
  const { stdout } = useStdout();
  const toast = useToast();
  return useCallback(
    (text, name = text) => {
      const encoded = Buffer.from(text, 'utf8').toString('base64');
      // Past Ink's own `write`: the sequence neither moves the cursor nor draws, so the frame may stay.
      stdout.write(`\u001b]52;c;${encoded}\u0007`);
      toast({ kind: 'info', text: `Copied ${name} (needs OSC 52 in your terminal)` });
    },
    [stdout, toast],
  );
}
