import { EXPIRY_LONGEST_MS } from '../../contract/choices.ts';
import { parseDuration } from '../duration.ts';

/** ISO 8601 with its zone: a time without one means something else on each machine. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i;
const LONGEST = `${EXPIRY_LONGEST_MS / 86_400_000}d`;

/**
 * Reads `6h` from `now` (ms), or a time (`2026-01-31T12:00Z`), into the contract's words.
 * @throws RangeError for anything else, and for times that are over or too far ahead.
 */
export function parseExpiry(text: string, now: number): string {
  const word = text.trim();
  if (!/^\d{4}-/.test(word)) {
    try {
      return new Date(now + parseDuration(word, { min: '1s', max: LONGEST }) * 1_000).toISOString();
    } catch (error) {
      if (!(error instanceof RangeError) || error.message.includes('out of range')) throw error;
      throw new RangeError(`"${text}" is neither a duration nor a time; write 6h, 7d or 2026-01-31T12:00Z`);
    }
  }
  const ms = TIME.test(word) ? Date.parse(word.toUpperCase()) : Number.NaN;
  if (Number.isNaN(ms)) {
    throw new RangeError(`"${text}" is not a time with its zone; write 2026-01-31T12:00Z, or 6h`);
  }
  if (ms <= now) throw new RangeError(`"${text}" is over`);
  if (ms > now + EXPIRY_LONGEST_MS) throw new RangeError(`"${text}" is too far ahead; at most ${LONGEST}`);
  return new Date(ms).toISOString();
}
