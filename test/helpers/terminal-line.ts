import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from './wait-for.ts';

/** Line-discipline flags that a shell needs on; a program in raw mode has them off. */
const COOKED_FLAGS = ['icanon', 'echo', 'isig', 'icrnl', 'opost'] as const;

export interface LineWatch {
  readonly command: string;
  readonly args: readonly string[];
  /** The program's own process id, given the shell's. */
  programPid(shellPid: number): Promise<number>;
  /** After the end: what the shell found switched off. */
  leftovers(): string[];
  close(): void;
}

/**
 * Runs a program as people do, from a shell, which reads the line discipline when the program has ended. Without
 * a shell nobody could: the kernel hangs the terminal up and resets it when the leader of its session ends.
 */
export function watchLine(command: string, args: readonly string[]): LineWatch {
  const folder = mkdtempSync(join(tmpdir(), 'gastop-line-'));
  const report = join(folder, 'stty');
  return {
    command: '/bin/sh',
    args: [
      '-c',
      // The traps keep the shell alive for its report; a trapped signal is back to default in the program.
      'trap : HUP INT TERM; "$@"; code=$?; stty -a >"$0"; exit $code',
      report,
      command,
      ...args,
    ],
    programPid: (shellPid) =>
      waitFor(
        () => {
          // A program may be through before it was looked for.
          if (existsSync(report)) return shellPid;
          const children = readFileSync(`/proc/${shellPid}/task/${shellPid}/children`, 'utf8');
          return Number(children.split(' ')[0]);
        },
        { what: "the shell's child" },
      ),
    leftovers: () => {
      const words = readFileSync(report, 'utf8').split(/[\s;]+/);
      return COOKED_FLAGS.filter((flag) => words.includes(`-${flag}`)).map((flag) => `raw mode (-${flag})`);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
