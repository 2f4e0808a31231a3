/** What a command's end tells the shell. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  key: 4,
  quota: 5,
  /** Of `wait` alone, as of timeout(1). */
  timedOut: 124,
  /** The command that `wait` was to run cannot be run, or is not there: as shells say it. */
  notExecutable: 126,
  notFound: 127,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What each says to people: the documents and the man page have it from here. */
export const EXIT_SAYS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'ok',
  failed: 'failed',
  usage: 'wrong usage',
  unreachable: 'source unreachable, or it gives nothing new',
  key: 'key missing or refused',
  quota: 'quota used up',
  timedOut: '`wait` gave up after `--timeout`',
  notExecutable: 'the command of `wait` cannot be run',
  notFound: 'the command of `wait` is not there',
};
