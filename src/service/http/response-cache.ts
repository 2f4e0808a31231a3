import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'hono';

const compress = promisify(gzip);
/** A smaller body fits into one packet anyway. */
const GZIP_MIN_BYTES = 1_024;
/** A higher level saves 2 % of JSON for twice the time. */
const GZIP_LEVEL = 5;
/** Recommendations for prices that callers choose are separate responses. */
const ENTRIES_MAX = 256;

/** The bytes of one response, its ETag, and its gzip once a client accepts that. */
export class EncodedResponse {
  readonly #text: string;
  readonly #tag: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #length: number;
  #gzip: Promise<Uint8Array<ArrayBuffer>> | null = null;

  constructor(text: string, type = 'application/json') {
    this.#text = text;
    this.#length = Buffer.byteLength(text);
    this.#tag = `"${hash('sha1', text, 'base64url')}"`;
    this.#headers = {
      // Keys have different limits, so no shared cache may store a response; a refetch costs a 304.
      'Cache-Control': 'private, no-cache',
      Vary: 'Accept-Encoding',
      'Content-Type': type,
      // Weak: the content is the same whether compressed or not.
      ETag: `W/${this.#tag}`,
      'Content-Length': String(this.#length),
    };
  }

  /** 304 when the client has it, gzip when the client accepts it. */
  respond({ req }: Context): Response | Promise<Response> {
    const known = req.header('if-none-match')?.split(',') ?? [];
    if (known.some((tag) => ['*', this.#tag].includes(tag.trim().replace(/^W\//, '')))) {
      const { 'Content-Type': _, 'Content-Length': __, ...headers } = this.#headers;
      return new Response(null, { status: 304, headers });
    }
    if (this.#length < GZIP_MIN_BYTES || !GZIP_ACCEPTED.test(req.header('accept-encoding') ?? '')) {
      return new Response(this.#text, { headers: this.#headers });
    }
    return this.#compressed();
  }

  async #compressed(): Promise<Response> {
    this.#gzip ??= compress(this.#text, { level: GZIP_LEVEL }).then((bytes) => new Uint8Array(bytes));
    const bytes = await this.#gzip;
    const packed = { 'Content-Encoding': 'gzip', 'Content-Length': String(bytes.byteLength) };
    return new Response(bytes, { headers: { ...this.#headers, ...packed } });
  }
}

const GZIP_ACCEPTED = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i;

/** Caches responses while `version` returns the same object, so between two blocks. Concurrent requests share one. */
export function createResponseCache(version: () => object | null) {
  const cache = new Map<string, Promise<EncodedResponse>>();
  let cachedVersion: object | null = null;
  return (url: string, make: () => Promise<EncodedResponse>): Promise<EncodedResponse> => {
    const now = version();
    if (now !== cachedVersion || cache.size >= ENTRIES_MAX) cache.clear();
    cachedVersion = now;
    const cached = cache.get(url);
    if (cached !== undefined) return cached;
    const making = make();
    cache.set(url, making);
    making.catch(() => cache.delete(url));
    return making;
  };
}
