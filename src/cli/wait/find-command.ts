import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { cleanLine } from '../clean-line.ts';
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';

const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * Looks whether a command can be run, as the shell would: nobody wants to learn hours later that it cannot.
 * @throws CliError (127: not found, 126: not executable)
 */
export async function refuseUnrunnable(command: string, { env, platform }: Io): Promise<void> {
  // Windows finds programs in further places, under further names.
  if (platform === 'win32') return;
  const folders = command.includes('/') ? [''] : (env.PATH ?? DEFAULT_PATH).split(delimiter);
  const found = await Promise.all(
    folders.map((folder) => lookAt(folder === '' ? command : join(folder, command))),
  );
  if (command !== '' && found.includes('runnable')) return;
  throw found.includes('not-executable') && command !== '' ? notExecutable(command) : notFound(command);
}

export function notFound(command: string): CliError {
  return new CliError(EXIT.notFound, `${named(command)}: there is no such command`);
}

export function notExecutable(command: string): CliError {
  return new CliError(
    EXIT.notExecutable,
    `${named(command)} cannot be run; is it a program, and may you run it?`,
  );
}

const named = (command: string) => (command === '' ? '""' : cleanLine(command));

async function lookAt(file: string): Promise<'runnable' | 'not-executable' | 'absent'> {
  try {
    if (!(await stat(file)).isFile()) return file.includes('/') ? 'not-executable' : 'absent';
    await access(file, constants.X_OK);
    return 'runnable';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'not-executable' : 'absent';
  }
}
