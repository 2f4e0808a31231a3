import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type CliError, usageError } from './cli-error.ts';
import type { Io } from './io.ts';
import { readAll } from './read-all.ts';

/** What stands for stdin where a file is to be named. */
export const STDIN = '-';

export interface InputOptions {
  /** What messages call the input. */
  readonly name: string;
  /** A longer input is refused before it is all in memory. */
  readonly mostBytes: number;
  /** Ends what is said of an input that is too long or no text: `an alert as JSON was expected`. */
  readonly wanted: string;
}

/**
 * Reads all of a file, or (`-`) of stdin, as text. A byte order mark is left out.
 *
 * @throws CliError (usage) that repeats nothing of what was read.
 */
export async function readInput(io: Io, file: string, options: InputOptions): Promise<string> {
  return (await textOf(io, file, options)).replace(/^\uFEFF/, '');
}

async function textOf(io: Io, file: string, { name, mostBytes, wanted }: InputOptions): Promise<string> {
  try {
    if (file === STDIN) return await io.readInput(mostBytes);
    if ((await stat(file)).isDirectory())
      throw usageError(`${name} is a folder; name a file, or - for stdin`);
    return await readAll(createReadStream(file), mostBytes);
  } catch (error) {
    if (error instanceof RangeError) throw usageError(`${name} ${error.message}; ${wanted}`);
    throw error instanceof Error && 'code' in error ? notRead(name, String(error.code)) : error;
  }
}

function notRead(name: string, code: string): CliError {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return usageError(`${name} does not exist; name a file, or - for stdin`);
    case 'ENAMETOOLONG':
      return usageError('no file has so long a name; name a file, or - for stdin');
    case 'EACCES':
      return usageError(`${name} may not be read; check the rights on it`);
    default:
      return usageError(`${name} cannot be read (${code})`);
  }
}
