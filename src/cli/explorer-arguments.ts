import { cleanLine } from './clean-line.ts';
import { usageError } from './cli-error.ts';

/**
 * A block as people write it: `latest`, `24337604`, `24,337,604`, `24_337_604` or hex as nodes write it.
 * @throws CliError for anything else.
 */
export function parseBlockNumber(text: string): number | 'latest' {
  const word = text.trim().replace(/^#/, '');
  if (word.toLowerCase() === 'latest') return 'latest';
  const digits = /^\d{1,3}([,_ ]\d{3})+$/.test(word) ? word.replaceAll(/[,_ ]/g, '') : word;
  const number = /^(\d{1,17}|0x[\da-f]{1,14})$/i.test(digits) ? Number(digits) : Number.NaN;
  if (!Number.isSafeInteger(number)) {
    throw usageError(`"${shown(text)}" is not a block number; write 24337604, 0x1735cc4 or latest`);
  }
  return number;
}

/**
 * A transaction hash, in lower case.
 * @throws CliError for anything else.
 */
export function parseTxHash(text: string): string {
  const word = text.trim();
  if (/^0x[\da-f]{64}$/i.test(word)) return word.toLowerCase();
  const bare = /^[\da-f]{64}$/i.test(word);
  const hint = bare
    ? 'put 0x before it'
    : /^0x[\da-f]{40}$/i.test(word)
      ? 'this is an address; a hash has 64 digits after 0x'
      : 'it is 0x and 64 hexadecimal digits';
  throw usageError(`"${shown(text)}" is not a transaction hash: ${hint}`);
}

function shown(text: string): string {
  const line = cleanLine(text);
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
