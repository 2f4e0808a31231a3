import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { NewAlert } from '../client/views/alerts.ts';
import { acceptedAlert, plausibleAlert } from './accepted-alert.ts';
import { cleanLine } from './clean-line.ts';
import { usageError } from './cli-error.ts';
import type { Io } from './io.ts';
import { readAll } from './read-all.ts';

/** An alert has a note of 500 characters and a few targets. */
const MOST_BYTES = 65_536;
const STDIN = '-';

/**
 * Reads an alert as `POST /alerts` takes it, as JSON from a file or (`-`) stdin: there a secret URL stays out of the
 * shell's history and of what others see of a command line. A service elsewhere (`isForeign`) may have words of its own.
 * @throws CliError (usage) with a line per problem.
 */
export async function alertOfInput(io: Io, file: string, isForeign: boolean): Promise<NewAlert> {
  const name = file === STDIN ? 'stdin' : cleanLine(file);
  if (file === STDIN && io.stdin.isTTY === true) {
    io.stderr.write('gastop: reading an alert as JSON from the terminal; Ctrl-D ends it\n');
  }
  const text = (await textOf(io, file, name)).replace(/^\uFEFF/, '');
  if (text.trim() === '') throw usageError(`${name} is empty; an alert as JSON was expected`);
  const accept = isForeign ? plausibleAlert : acceptedAlert;
  return accept(parsed(text, name), (path) => (path === '' ? 'the alert' : path));
}

async function textOf(io: Io, file: string, name: string): Promise<string> {
  try {
    if (file === STDIN) return await io.readInput(MOST_BYTES);
    if ((await stat(file)).isDirectory())
      throw usageError(`${name} is a folder; name a file, or - for stdin`);
    return await readAll(createReadStream(file), MOST_BYTES);
  } catch (error) {
    if (error instanceof RangeError)
      throw usageError(`${name} ${error.message}; an alert as JSON was expected`);
    throw error instanceof Error && 'code' in error
      ? usageError(`${name} ${readFailure(String(error.code))}`)
      : error;
  }
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What was read may hold a secret, so it is not repeated.
    throw usageError(`${name} is not JSON; an alert as POST /alerts takes it was expected`);
  }
}

function readFailure(code: string): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist; name a file, or - for stdin';
  return code === 'EACCES' ? 'may not be read; check the rights on it' : `cannot be read (${code})`;
}
