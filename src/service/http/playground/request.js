// @ts-check

/** @import { Parameter, Route } from './api-document.js' */

/**
 * @typedef {object} Filled
 * @property {Parameter} parameter
 * @property {string} value
 */

/**
 * The URL of a route with its parameters; leaves out empty ones.
 *
 * @param {string} root
 * @param {Route} route
 * @param {Filled[]} filled
 * @returns {string}
 */
export function addressOf(root, route, filled) {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(
      filled.find(({ parameter }) => parameter.in === 'path' && parameter.name === name)?.value ?? '',
    ),
  );
  const query = new URLSearchParams();
  for (const { parameter, value } of filled) {
    if (parameter.in === 'query' && value !== '') query.append(parameter.name, value);
  }
  return `${root}${path}${query.size === 0 ? '' : `?${query}`}`;
}

/**
 * @param {Filled[]} filled
 * @returns {Record<string, string>}
 */
export function headersOf(filled) {
  return Object.fromEntries(
    filled
      .filter(({ parameter, value }) => parameter.in === 'header' && value !== '')
      .map(({ parameter, value }) => [parameter.name, value]),
  );
}

/**
 * The same request for a shell; the key comes from the environment, and a signed transaction from a file, because shells keep a history.
 *
 * @param {string} method
 * @param {string} address
 * @param {Record<string, string>} headers
 * @param {string | null} keyHeader
 * @param {string | null} body
 * @returns {string}
 */
export function curlLine(method, address, headers, keyHeader, body) {
  const parts = ['curl -sS'];
  if (method !== 'GET') parts.push(`-X ${method}`);
  if (keyHeader !== null) parts.push(`-H "${keyHeader}: $GASTOP_API_KEY"`);
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== null) {
    const data = body.includes('signedTransaction') ? '@body.json' : quoted(body);
    parts.push(`-H 'Content-Type: application/json' --data-binary ${data}`);
  }
  parts.push(quoted(address));
  return parts.join(' ');
}

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * @typedef {object} Outcome
 * @property {number} status
 * @property {string} statusText
 * @property {number} ms until the whole body was there
 * @property {[string, string][]} headers
 * @property {string} text
 */

const SHOWN_HEADERS = [
  'etag',
  'location',
  'retry-after',
  'content-type',
  'content-encoding',
  'cache-control',
  'allow',
];

/** @param {Response} response */
const isStream = (response) => response.headers.get('content-type')?.startsWith('text/event-stream') === true;

/**
 * The first of a stream's events; the rest would never end.
 *
 * @param {Response} response
 */
async function firstOf(response) {
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

/**
 * @param {string} method
 * @param {string} address
 * @param {Record<string, string>} headers
 * @param {string | null} body
 * @returns {Promise<Outcome>}
 */
export async function send(method, address, headers, body) {
  const started = performance.now();
  const response = await fetch(address, {
    method,
    headers: body === null ? headers : { ...headers, 'Content-Type': 'application/json' },
    body,
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
  });
  const text = isStream(response) ? await firstOf(response) : await response.text();
  return {
    status: response.status,
    statusText: response.statusText,
    ms: performance.now() - started,
    headers: SHOWN_HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [/** @type {[string, string]} */ ([name, value])];
    }),
    text,
  };
}
