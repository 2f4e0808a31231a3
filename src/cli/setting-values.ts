/** Reads single settings, wherever they were written. Each throws a `RangeError` that says what would do. */
import { ChainError } from '../chain/errors.ts';
import { parseNodeUrl as readNodeUrl } from '../chain/rpc/node-url.ts';
import type { NotificationLevel } from '../tui/notification-bytes.ts';
import { parseDuration } from './duration.ts';

/** As fast as a recording can be played: 24 hours in a second. */
export const FASTEST = 100_000;

/** An Ethereum JSON-RPC node. Its path often holds a key, so messages never repeat it. */
export function parseNodeUrl(text: string): URL {
  try {
    return readNodeUrl(text);
  } catch (error) {
    throw error instanceof ChainError ? new RangeError(error.message) : error;
  }
}

/** Several nodes in one word: separated by commas or spaces. */
export function parseNodeUrls(text: string): URL[] {
  const urls = text.split(/[\s,]+/).filter((part) => part !== '');
  return urls.length === 0 ? [parseNodeUrl('')] : urls.map(parseNodeUrl);
}

/** A key as an HTTP header can carry it. A trailing line break is what `$(cat file)` habits leave behind. */
export function parseApiKey(text: string): string {
  const key = text.trim();
  if (key === '') throw new RangeError('the key is empty');
  if (!/^[\x21-\x7e]{1,512}$/.test(key)) {
    throw new RangeError('a key has no spaces, line breaks or letters beyond ASCII; copy it again');
  }
  return key;
}

export function parseHistory(text: string): number {
  return parseDuration(text, { min: '1h', max: '30d' });
}

const MOST_CONFIRMATIONS = 10_000;

/** Blocks that have an auto-tx, its own included. */
export function parseConfirmations(text: string): number {
  const blocks = /^\d{1,5}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(blocks >= 1 && blocks <= MOST_CONFIRMATIONS)) {
    throw new RangeError(
      `"${text}" is not a number of blocks; a whole number from 1 to ${MOST_CONFIRMATIONS}`,
    );
  }
  return blocks;
}

export function parseSpeed(text: string): number {
  const speed = /^\d+(\.\d+)?x?$/.test(text.trim()) ? Number.parseFloat(text) : Number.NaN;
  if (!(speed > 0 && speed <= FASTEST)) {
    throw new RangeError(
      `"${text}" is not a speed; 1 is real time, 60 plays an hour in a minute, at most 100000`,
    );
  }
  return speed;
}

export function parseSeed(text: string): number {
  const seed = /^\d{1,10}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(seed <= 0xffff_ffff)) {
    throw new RangeError(`"${text}" is not a seed; a whole number from 0 to 4294967295`);
  }
  return seed;
}

export function parseSwitch(text: string): boolean {
  const word = text.trim().toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  if (['0', 'false', 'no', 'off', ''].includes(word)) return false;
  throw new RangeError(`"${text}" is neither on nor off; write 1 or 0`);
}

export function parseNotifications(text: string): NotificationLevel {
  const word = text.trim().toLowerCase();
  if (word === 'on' || word === 'bell' || word === 'off') return word;
  throw new RangeError(`"${text}" is none of on, bell and off; bell rings without a note on the desktop`);
}

/** A whole number of things, at least one. */
export function parseCount(text: string): number {
  const count = /^\d{1,9}$/.test(text.trim()) ? Number(text) : 0;
  if (count < 1) throw new RangeError(`"${text}" is not a count; a whole number from 1`);
  return count;
}

export function parsePath(text: string): string {
  if (text.trim() === '' || text.includes('\0')) throw new RangeError('a file name is missing');
  // Only a shell knows what it stands for, and not in every place: a folder that is called ~ is never meant.
  if (/^~[/\\]/.test(text))
    throw new RangeError('~ is not known here; write the whole path of your home folder');
  if (process.platform !== 'win32' && /^[a-z]:\\/i.test(text))
    throw new RangeError(
      'this is a path of Windows, and here is none; write it as it is called on this machine',
    );
  return text;
}
