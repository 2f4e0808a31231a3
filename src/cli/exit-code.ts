/** What a command's end tells the shell. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  key: 4,
  quota: 5,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
