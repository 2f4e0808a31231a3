import { MOST_GWEI } from '../contract/choices.ts';
import { formatCount } from '../core/units.ts';

const DECIMALS = 9;

/**
 * Reads a price in gwei (`5`, `0.05`, `1,200`) into wei.
 * @throws RangeError for anything else, and for prices that are not above 0 and at most a million gwei.
 */
export function parseGwei(text: string): bigint {
  const word = text.trim().replace(/ ?gwei$/i, '');
  const digits = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(word) ? word.replaceAll(',', '') : word;
  const match = /^(\d{1,15})?(?:\.(\d{1,30}))?$/.exec(digits);
  const [, whole = '', decimals = ''] = match ?? [];
  if (whole === '' && decimals === '') {
    throw new RangeError(`"${text}" is not a price; write gwei, such as 5 or 0.05`);
  }
  if (/[1-9]/.test(decimals.slice(DECIMALS))) {
    throw new RangeError(`"${text}" is finer than a wei; gwei have at most ${DECIMALS} decimals`);
  }
  const wei = BigInt(whole + decimals.slice(0, DECIMALS).padEnd(DECIMALS, '0'));
  if (wei <= 0n || wei > BigInt(MOST_GWEI) * 10n ** BigInt(DECIMALS)) {
    throw new RangeError(`"${text}" is out of range; above 0, at most ${formatCount(MOST_GWEI)} gwei`);
  }
  return wei;
}
