import { accessSync, constants } from 'node:fs';

/** As Node calls a host name that the system is looking up. */
const LOOKUP = 'GetAddrInfoReqWrap';

/**
 * Ends this process with `exitCode` where the system is still looking up a host name, else does nothing. Node's own exit
 * waits for that, as long as a dead name server takes, which is half a minute and longer in which Ctrl-C does nothing.
 * So another program takes the process's place, which ends its threads at once. Everything has to be closed already.
 */
export function leaveHangingNames(exitCode: number, shell = '/bin/sh'): void {
  if (!process.getActiveResourcesInfo().includes(LOOKUP)) return;
  try {
    // Where a program cannot be started, execve ends this one with a stack trace; small containers have no shell.
    accessSync(shell, constants.X_OK);
    // Not on Windows, and not before Node.js 22.15.
    process.execve?.(shell, ['sh', '-c', `exit ${exitCode}`], {});
  } catch {
    // Without a shell it takes as long as it takes.
  }
}
