import { basename } from 'node:path';
import { cleanText } from '../core/clean-text.ts';
import { ChainError } from './errors.ts';

const LONGEST_QUOTE = 40;

/** A piece of a file's text as it may appear in a message: short, one line, nothing a terminal obeys. */
export function quoteText(text: string): string {
  return `"${cleanText(legible(text).trim(), LONGEST_QUOTE + 1)}"`;
}

/** Bytes that are no UTF-8 tell nobody anything. */
function legible(text: string): string {
  return text.replaceAll('\ufffd', ' ');
}

/** A file's own name, fit for a message or a status line. */
export function fileLabel(path: string): string {
  return cleanText(legible(basename(path))).trim() || 'file';
}

/**
 * `blocks.csv line 17: …` as a `ChainError`. `what` says what is wrong and what to do.
 * @param line counted from 1; `null` where the fault is the file's.
 */
export function badFile(path: string, line: number | null, what: string, cause?: unknown): ChainError {
  const where = line === null ? fileLabel(path) : `${fileLabel(path)} line ${line}`;
  return new ChainError('bad-file', `${where}: ${what}`, { cause });
}

const OPEN_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file; check the path',
  ENOTDIR: 'there is no such file; check the path',
  EACCES: 'may not be read; check its permissions',
  EPERM: 'may not be read; check its permissions',
  EISDIR: 'is a folder; name a file of recorded blocks',
  Z_BUF_ERROR: 'the compressed data ends early; copy the file again',
  Z_DATA_ERROR: 'the compressed data is damaged; copy the file again',
};

/** What the system or zlib said about a file, as a `ChainError`. */
export function fileFailure(path: string, error: unknown): ChainError {
  if (error instanceof ChainError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  return badFile(path, null, OPEN_FAILURES[code] ?? `cannot be read (${code}); check the disk`, error);
}
