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
