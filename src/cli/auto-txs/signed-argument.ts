import { bareHex, isLongHex, isSignedShape } from '../../core/transactions/signed-shape.ts';
import { type CliError, usageError } from '../cli-error.ts';

/** The calldata of a draft; it may be long, and is no secret. */
const CALLDATA_FLAG = /^--data(=|$)/;

/** For hex that stands where a file is to be named. None of it is repeated. */
export function signedArgument(): CliError {
  return usageError(
    "a signed transaction is read from a file or stdin, never from an argument, where the shell's history keeps it",
  );
}

/**
 * Refuses a command line that has something like a signed transaction in it, before anything can repeat it. What follows
 * `--` belongs to another program.
 *
 * @throws CliError (usage)
 */
export function refuseSignedArguments(argv: readonly string[]): void {
  const end = argv.indexOf('--');
  for (const [index, word] of (end < 0 ? argv : argv.slice(0, end)).entries()) {
    const value = word.replace(/^--?[\w-]+=/, '');
    const isCalldata = CALLDATA_FLAG.test(word) || argv[index - 1] === '--data';
    if (isCalldata ? isSignedShape(bareHex(value)) : isLongHex(value)) throw signedArgument();
  }
}
