/** Reads single settings, wherever they were written. Each throws a `RangeError` that says what would do. */
import { cleanLine } from './clean-line.ts';
import { parseDuration } from './duration.ts';

const BASE_PATH_SUFFIX = /\/be\/api\/v1\/?$/;

/** The base URL of a v1 service, without the path that every route shares. */
export function parseServiceUrl(text: string): URL {
  const url = parseUrl(text, ['http:', 'https:'], 'https://gas.example.org');
  if (url.username !== '' || url.password !== '') {
    throw new RangeError('a URL must not hold a user or password; the key goes into GASTOP_API_KEY');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new RangeError('a base URL has no ? or # part; the key goes into GASTOP_API_KEY');
  }
  url.pathname = url.pathname.replace(BASE_PATH_SUFFIX, '').replace(/\/+$/, '');
  return url;
}

/** An Ethereum JSON-RPC node. Its path often holds a key, so messages never repeat it. */
export function parseNodeUrl(text: string): URL {
  return parseUrl(text, ['http:', 'https:', 'ws:', 'wss:'], 'http://127.0.0.1:8545');
}

/** Several nodes in one word: separated by commas or spaces. */
export function parseNodeUrls(text: string): URL[] {
  const urls = text.split(/[\s,]+/).filter((part) => part !== '');
  if (urls.length === 0) throw new RangeError('no URL given; for example http://127.0.0.1:8545');
  return urls.map(parseNodeUrl);
}

function parseUrl(text: string, protocols: readonly string[], example: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.hostname === '') {
    const hint = /^[\w.-]+(:\d+)?(\/|$)/.test(text) ? 'it lacks http:// or https://; ' : '';
    throw new RangeError(`not a URL; ${hint}for example ${example}`);
  }
  if (!protocols.includes(url.protocol)) {
    const known = protocols.map((protocol) => `${protocol}//`).join(', ');
    throw new RangeError(
      `${cleanLine(url.protocol)}// cannot be asked; use ${known.replace(/, ([^,]+)$/, ' or $1')}`,
    );
  }
  return url;
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

export function parseSpeed(text: string): number {
  const speed = /^\d+(\.\d+)?x?$/.test(text.trim()) ? Number.parseFloat(text) : Number.NaN;
  if (!(speed > 0 && speed <= 1_000_000)) {
    throw new RangeError(`"${text}" is not a speed; 1 is real time, 60 plays an hour in a minute`);
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

/** A whole number of things, at least one. */
export function parseCount(text: string): number {
  const count = /^\d{1,9}$/.test(text.trim()) ? Number(text) : 0;
  if (count < 1) throw new RangeError(`"${text}" is not a count; a whole number from 1`);
  return count;
}

export function parsePath(text: string): string {
  if (text.trim() === '' || text.includes('\0')) throw new RangeError('a file name is missing');
  return text;
}
