import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context, MiddlewareHandler, Next } from 'hono';
import { BASE_PATH, PATHS } from '../../contract/routes.ts';
import { recordOf } from './record.ts';

const compress = promisify(gzip);
/** A smaller body fits into one packet anyway. */
const GZIP_MIN_BYTES = 1_024;
/** A higher level saves 2 % of JSON for twice the time. */
const GZIP_LEVEL = 5;
/** Recommendations for prices that callers choose are separate responses. */
const ENTRIES_MAX = 256;

/** Keys have different limits, so no shared cache may store a response; a refetch costs a 304. */
const HEADERS = { 'Cache-Control': 'private, no-cache', Vary: 'Accept-Encoding' };

/** Routes whose responses depend only on the present state and the query, not on the key. */
const SHARED: ReadonlySet<string> = new Set(
  [PATHS.gasCurrent, PATHS.gasTrend, PATHS.gasRecommendation, PATHS.statsCurrent, PATHS.statsMarket].map(
    (path) => BASE_PATH + path,
  ),
);

/** The bytes of one response, its ETag, and its gzip once a client accepts that. */
export class EncodedResponse {
  readonly #text: string;
  readonly #headers: Record<string, string>;
  readonly #bytes: number;
  #gzip: Promise<Uint8Array<ArrayBuffer>> | null = null;

  constructor(text: string, type = 'application/json') {
    this.#text = text;
    this.#bytes = Buffer.byteLength(text);
    // Weak: the content is the same whether compressed or not.
    this.#headers = { ...HEADERS, 'Content-Type': type, ETag: `W/"${hash('sha1', text, 'base64url')}"` };
  }

  /** 304 when the client has it, gzip when the client accepts it. */
  async respond(c: Context): Promise<Response> {
    const { 'Content-Type': type, ...headers } = this.#headers;
    if (namesTag(c.req.header('if-none-match'), this.#headers.ETag)) {
      return sent(c, null, 0, 304, headers);
    }
    if (this.#bytes < GZIP_MIN_BYTES || !acceptsGzip(c.req.header('accept-encoding'))) {
      return sent(c, this.#text, this.#bytes, 200, this.#headers);
    }
    this.#gzip ??= compress(this.#text, { level: GZIP_LEVEL }).then((bytes) => new Uint8Array(bytes));
    const bytes = await this.#gzip;
    return sent(c, bytes, bytes.byteLength, 200, { ...this.#headers, 'Content-Encoding': 'gzip' });
  }
}

/**
 * Encodes every 200 of a `GET`, and caches the shared ones while `version` returns the same object: between two
 * blocks all clients request the same few responses. Concurrent requests share one computation.
 */
export function cacheResponses(version: () => object | null): MiddlewareHandler {
  const cache = new Map<string, Promise<EncodedResponse | null>>();
  let cachedVersion: object | null = null;
  return async (c, next) => {
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') {
      await next();
      return measure(c);
    }
    const now = version();
    if (now !== cachedVersion || cache.size >= ENTRIES_MAX) cache.clear();
    cachedVersion = now;
    const key = SHARED.has(c.req.path) && now !== null ? c.req.url : null;
    const made = key === null ? undefined : cache.get(key);
    const cached = made && (await made);
    if (cached) return cached.respond(c);
    const making = encodedResponse(c, next);
    if (key !== null) cache.set(key, making);
    let encoded: EncodedResponse | null = null;
    try {
      encoded = await making;
    } finally {
      if (key !== null && encoded === null && cache.get(key) === making) cache.delete(key);
    }
    if (encoded === null) return;
    c.res = await encoded.respond(c);
  };
}

/** The encoded response of the route; `null` when it is not JSON with status 200. */
async function encodedResponse(c: Context, next: Next): Promise<EncodedResponse | null> {
  await next();
  return c.res.status === 200 && isJson(c.res) ? new EncodedResponse(await c.res.text()) : null;
}

function sent(
  c: Context,
  body: string | Uint8Array<ArrayBuffer> | null,
  bytes: number,
  status: number,
  headers: Record<string, string>,
): Response {
  const record = recordOf(c.env);
  if (record !== null) record.bytes = bytes;
  return new Response(body, {
    status,
    headers: body === null ? headers : { ...headers, 'Content-Length': String(bytes) },
  });
}

/** Notes the length of an unencoded body, for the log. */
async function measure(c: Context): Promise<void> {
  const record = recordOf(c.env);
  if (record === null || !isJson(c.res) || c.res.headers.has('content-length')) return;
  record.bytes = Buffer.byteLength(await c.res.clone().text());
}

const isJson = (response: Response) =>
  response.headers.get('content-type')?.startsWith('application/json') === true;

/** Whether an `Accept-Encoding` header accepts gzip (RFC 9110, 12.5.3). */
function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false;
  let byName: boolean | null = null;
  let byStar = false;
  for (const part of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((word) => word.trim());
    const isAccepted = parameters.every((parameter) => !/^q=0(\.0*)?$/.test(parameter));
    if (coding === 'gzip' || coding === 'x-gzip') byName = isAccepted;
    if (coding === '*') byStar = isAccepted;
  }
  return byName ?? byStar;
}

/** Whether an `If-None-Match` header names the tag; compared weakly (RFC 9110, 13.1.2). */
function namesTag(header: string | undefined, tag = ''): boolean {
  if (header === undefined) return false;
  if (header === tag || header.trim() === '*') return true;
  const named = Array.from(header.matchAll(/"[\x21\x23-\x7e\x80-\xff]*"/g), ([found]) => found);
  return named.includes(tag.replace(/^W\//, ''));
}
