import { looksLikeKey } from '../../core/key-prefix.ts';
import { parseLookup } from '../../core/parse-lookup.ts';
import { cleanLine } from '../clean-line.ts';
import { usageError } from '../cli-error.ts';

/**
 * A block in any of the ways that `parseLookup` knows.
 * @throws CliError for anything else.
 */
export function parseBlockNumber(text: string): number | 'latest' {
  const sought = parseLookup(text);
  if (sought.kind === 'newest') return 'latest';
  if (sought.kind === 'block') return sought.number;
  const why = sought.kind === 'tx' ? 'it is a transaction hash, which gastop tx looks up' : sought.problem;
  throw usageError(`"${shown(text)}" is not a block number: ${why}; write 24337604, 0x1735cc4 or latest`);
}

/**
 * A transaction hash, in lower case.
 * @throws CliError for anything else.
 */
export function parseTxHash(text: string): string {
  const sought = parseLookup(text);
  if (sought.kind === 'tx') return sought.hash;
  const why = sought.kind === 'wrong' ? `${sought.problem}; it is` : 'it is';
  const block = sought.kind === 'wrong' ? '' : ' (gastop block looks up blocks)';
  throw usageError(`"${shown(text)}" is not a transaction hash: ${why} 0x and 64 hexadecimal digits${block}`);
}

function shown(text: string): string {
  if (looksLikeKey(text)) return '(key)';
  const line = cleanLine(text);
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
