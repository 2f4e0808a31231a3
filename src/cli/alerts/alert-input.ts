import type { NewAlert } from '../../client/views/alerts.ts';
import { cleanLine } from '../clean-line.ts';
import { usageError } from '../cli-error.ts';
import type { Io } from '../io.ts';
import { readInput, STDIN } from '../read-input.ts';
import { acceptedAlert, plausibleAlert } from './accepted-alert.ts';

/** An alert has a note of 500 characters and a few targets. */
const MOST_BYTES = 65_536;
const WANTED = 'an alert as JSON was expected';

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
  const text = await readInput(io, file, { name, mostBytes: MOST_BYTES, wanted: WANTED });
  if (text.trim() === '') throw usageError(`${name} is empty; ${WANTED}`);
  const accept = isForeign ? plausibleAlert : acceptedAlert;
  return accept(parsed(text, name), (path) => (path === '' ? 'the alert' : path));
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What was read may hold a secret, so it is not repeated.
    throw usageError(`${name} is not JSON; an alert as POST /alerts takes it was expected`);
  }
}
