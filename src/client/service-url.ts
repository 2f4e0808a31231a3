import { BASE_PATH } from '../contract/routes.ts';
import { cleanText } from '../core/text.ts';

/** Whoever asks a service may have thought that its key belongs there. */
const KEY_HINT = 'the key goes into GASTOP_API_KEY';
const EXAMPLE = 'https://gas.example.org';

/**
 * The address of a v1 service as people write it: with or without the v1 base path or a slash at the end.
 *
 * @param hint What to do where the text says more than an address.
 * @returns The URL without the base path, so that `href` + a v1 path can be asked.
 * @throws RangeError with one line that says what would do. It never repeats the text, which may hold a key.
 */
export function parseServiceUrl(text: string, hint = KEY_HINT): URL {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed)) {
    const hint = /^[\w.-]+(:\d+)?(\/|$)/.test(trimmed) ? 'it lacks http:// or https://; ' : '';
    throw new RangeError(`not a URL; ${hint}for example ${EXAMPLE}`);
  }
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

/** The URL that every v1 path is appended to, e.g. `https://gas.example.org/be/api/v1`. */
export function v1Root(service: URL): string {
  return `${service.origin}${service.pathname.replace(/\/+$/, '')}${BASE_PATH}`;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether others on the way can read what is sent there. */
export function isPlain(url: URL): boolean {
  return url.protocol !== 'https:' && !LOOPBACK.test(url.hostname);
}
