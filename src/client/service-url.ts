import { BASE_PATH } from '../contract/routes.ts';
import { isLoopback } from '../core/loopback.ts';
import { cleanText } from '../core/text.ts';

const EXAMPLE = 'https://gas.example.org';

/**
 * The URL of a v1 service without the base path, which the text may have.
 * @param hint Advice when the text is more than a URL: the user may have put the key into it.
 * @throws RangeError with one line of advice. It never repeats the text, which may contain a key.
 */
export function parseServiceUrl(text: string, hint = 'the key goes into apiKey'): URL {
  const trimmed = text.trim();
  if (/^[\w.-]+(:\d+)?(\/|$)/.test(trimmed)) {
    throw new RangeError(`not a URL; begin it with https:// or http://, for example ${EXAMPLE}`);
  }
  if (!URL.canParse(trimmed)) throw new RangeError(`not a URL; for example ${EXAMPLE}`);
  const url = new URL(trimmed);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new RangeError(`${cleanText(url.protocol, 40)}// cannot be asked; use http:// or https://`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new RangeError(`a URL must not hold a user or password; ${hint}`);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new RangeError(`a service URL has no ? or # part; ${hint}`);
  }
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith(BASE_PATH) ? path.slice(0, -BASE_PATH.length) : path;
  return url;
}

/** Whether others can intercept requests to this URL. */
export const isPlain = (url: URL): boolean => url.protocol !== 'https:' && !isLoopback(url.hostname);
