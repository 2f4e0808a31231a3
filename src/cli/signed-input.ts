import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { SIGNED_LONGEST } from '../contract/choices.ts';
import { isLongHex } from '../core/transactions/signed-shape.ts';
import { type SignedTransaction, TransactionError } from '../core/transactions/signed-transaction.ts';
import { cleanLine } from './clean-line.ts';
import { type CliError, usageError } from './cli-error.ts';
import type { Io } from './io.ts';
import { readAll } from './read-all.ts';
import { signedArgument } from './signed-argument.ts';

const STDIN = '-';
/** With line breaks in it, every so often. */
const MOST_BYTES = SIGNED_LONGEST + SIGNED_LONGEST / 16;
const WANTED = 'a raw signed transaction as hex was expected';

/** A transaction that is ready to be handed over. Where `raw` goes is the caller's care: to a service and nowhere else. */
export interface SignedInput {
  readonly raw: string;
  readonly transaction: SignedTransaction;
}

/**
 * Reads a raw signed transaction from a file or (`-`, or no `file`) stdin; at a terminal it is pasted without being shown.
 * Nothing that is said of what is wrong repeats any of it.
 *
 * @throws CliError (usage)
 */
export async function signedInput(io: Io, file: string | undefined): Promise<SignedInput> {
  const isPasted = (file === undefined || file === STDIN) && io.stdin.isTTY === true;
  const name = isPasted
    ? 'what was pasted'
    : file === undefined || file === STDIN
      ? 'stdin'
      : cleanLine(file);
  const raw = (isPasted ? await pasted(io) : await textOf(io, file ?? STDIN, name))
    .replace(/^\uFEFF/, '')
    .trim();
  if (raw === '') throw usageError(`${name} is empty; ${WANTED}`);
  if (/^(0x)?[0-9a-f]{64}$/i.test(raw)) {
    throw usageError(
      `${name} is 32 bytes: the hash of a transaction, or a private key, which belongs into a wallet alone; ${WANTED}`,
    );
  }
  const { decodeTransaction } = await import('../core/transactions/decode-transaction.ts');
  try {
    return { raw, transaction: decodeTransaction(raw) };
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    throw usageError(`${name} is no transaction that a node would take: ${cleanLine(error.message)}`);
  }
}

async function pasted(io: Io): Promise<string> {
  const question = 'Paste the raw signed transaction, then press Enter (it is not shown): ';
  return (await io.askHidden(question, MOST_BYTES)) ?? '';
}

async function textOf(io: Io, file: string, name: string): Promise<string> {
  try {
    if (file === STDIN) return await io.readInput(MOST_BYTES);
    if ((await stat(file)).isDirectory())
      throw usageError(`${name} is a folder; name a file, or - for stdin`);
    return await readAll(createReadStream(file), MOST_BYTES);
  } catch (error) {
    if (error instanceof RangeError) throw usageError(`${name} ${error.message}; ${WANTED}`);
    throw error instanceof Error && 'code' in error ? notRead(file, name, String(error.code)) : error;
  }
}

/** What was meant to be a file may be what should have been in one. */
function notRead(file: string, name: string, code: string): CliError {
  if (/^(0x)?[0-9a-f]{40,}$/i.test(file) || isLongHex(file)) return signedArgument();
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return usageError(`${name} does not exist; name a file, or - for stdin`);
  }
  if (code === 'ENAMETOOLONG') return usageError('no file has so long a name; name a file, or - for stdin');
  return usageError(
    `${name} ${code === 'EACCES' ? 'may not be read; check the rights on it' : `cannot be read (${code})`}`,
  );
}
