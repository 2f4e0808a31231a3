import { existsSync } from 'node:fs';
import { SIGNED_LONGEST } from '../../contract/choices.ts';
import { bareHex, isLongHex, isSignedShape } from '../../core/transactions/signed-text.ts';
import { type CliError, usageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { cleanLine } from '../output.ts';
import { readInput, STDIN } from '../parse.ts';

/** The calldata of a draft may be long, and is no secret. */
const CALLDATA_FLAG = /^--data(=|$)/;

function signedArgument(): CliError {
  return usageError(
    "a signed transaction is read from a file or stdin, never from an argument, where the shell's history keeps it",
  );
}

/** Refuses what looks like a signed transaction, before anything repeats it. After `--` come another program's words. */
export function refuseSignedArguments(argv: readonly string[]): void {
  const end = argv.indexOf('--');
  for (const [index, word] of (end < 0 ? argv : argv.slice(0, end)).entries()) {
    const value = word.replace(/^--?[\w-]+=/, '');
    const isCalldata = CALLDATA_FLAG.test(word) || argv[index - 1] === '--data';
    if (isCalldata ? isSignedShape(bareHex(value)) : isLongHex(value)) throw signedArgument();
  }
}

const MOST_BYTES = SIGNED_LONGEST + SIGNED_LONGEST / 16;
const PASTE = 'Paste the raw signed transaction, then press Enter (it is not shown): ';
const WANTED = 'a raw signed transaction as hex was expected';

/** The caller must pass `raw` only to a service. */
export type SignedInput = Awaited<ReturnType<typeof signedInput>>;

/** From a file or (`-`, or no `file`) stdin; no echo, and no error repeats any part of it. @throws CliError (usage) */
export async function signedInput(io: Io, file: string | undefined) {
  const from = file ?? STDIN;
  const isPasted = from === STDIN && io.stdin.isTTY === true;
  const name = isPasted ? 'what was pasted' : from === STDIN ? 'stdin' : cleanLine(from);
  if (isMeantAsContent(from)) throw signedArgument();
  const text = isPasted
    ? await io.askHidden(PASTE, MOST_BYTES)
    : await readInput(io, from, { name, mostBytes: MOST_BYTES, wanted: WANTED });
  const raw = text?.trim() ?? '';
  if (raw === '') throw usageError(`${name} is empty; ${WANTED}`);
  if (/^(0x)?[0-9a-f]{64}$/i.test(raw)) {
    throw usageError(
      `${name} is 32 bytes: the hash of a transaction, or a private key, which belongs into a wallet alone; ${WANTED}`,
    );
  }
  // Every command refuses signed arguments; few read a transaction.
  const { readSigned } = await import('../../core/transactions/decode-transaction.ts');
  const read = readSigned(raw);
  if (read.problem === null) return { raw, transaction: read.transaction };
  throw usageError(`${name} is no transaction that a node would take: ${cleanLine(read.problem)}`);
}

function isMeantAsContent(file: string): boolean {
  return (/^(0x)?[0-9a-f]{40,}$/i.test(file) || isLongHex(file)) && !existsSync(file);
}
