/** Why the monitor ended without a key: the exit code that says it, and an error to tell if there is one. */
export interface Ending {
  readonly code: number;
  readonly error?: Error;
}

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
/** A terminal that is gone looks like a hangup, whichever of its ends we notice first. */
const GONE: Ending = { code: SIGNALS.SIGHUP };

export interface EndingWatch {
  /** Resolves with the first of: a signal, a terminal that is gone, an error nobody caught. */
  readonly ending: Promise<Ending>;
  readonly stop: () => void;
}

/** Watches everything from outside that can end the monitor. */
export function watchEnding(stdin: NodeJS.ReadableStream, stdout: NodeJS.WritableStream): EndingWatch {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const undo: (() => void)[] = [];
  const listen = (
    emitter: NodeJS.EventEmitter,
    event: string,
    listener: (cause: unknown) => void,
    keep = false,
  ) => {
    emitter.on(event, listener);
    if (!keep) undo.push(() => emitter.off(event, listener));
  };
  for (const [signal, code] of Object.entries(SIGNALS)) listen(process, signal, () => resolve({ code }));
  listen(process, 'uncaughtException', (cause) => {
    resolve({ code: 1, error: cause instanceof Error ? cause : new Error(String(cause)) });
  });
  listen(stdin, 'end', () => resolve(GONE));
  listen(stdin, 'close', () => resolve(GONE));
  // These stay: the last words to a terminal that is gone fail later, and must not become a second error.
  listen(stdin, 'error', () => resolve(GONE), true);
  listen(stdout, 'error', () => resolve(GONE), true);
  return {
    ending: promise,
    stop: () => {
      for (const one of undo) one();
    },
  };
}
