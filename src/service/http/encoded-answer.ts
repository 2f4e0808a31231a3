import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip, namesTag } from './accepts.ts';

const compress = promisify(gzip);
/** Below it the packet would be sent all the same. */
const WORTH_COMPRESSING_BYTES = 1_024;
/** Above this level JSON gets 2 % smaller for twice the time. */
const LEVEL = 5;

const JSON_TYPE = 'application/json';
/** Keys see different limits, so no cache may share an answer; asking again costs a 304. */
const CACHING = { 'Cache-Control': 'private, no-cache', Vary: 'Accept-Encoding' } as const;

/** What of a request decides how its answer is sent. */
export interface Wanted {
  readonly encoding: string | undefined;
  readonly noneMatch: string | undefined;
}

/** One answer's bytes, its tag, and its compressed form once somebody wanted that. */
export class EncodedAnswer {
  readonly #plain: Uint8Array<ArrayBuffer>;
  /** Weak: the same content, whether compressed or not. */
  readonly #tag: string;
  #compressed: Uint8Array<ArrayBuffer> | null = null;

  constructor(plain: Uint8Array<ArrayBuffer>) {
    this.#plain = plain;
    this.#tag = `W/"${hash('sha1', plain, 'base64url')}"`;
  }

  /** The response to one request; a promise only while it is compressed for the first time. */
  respond(wanted: Wanted): Response | Promise<Response> {
    if (namesTag(wanted.noneMatch, this.#tag)) {
      return new Response(null, { status: 304, headers: { ...CACHING, ETag: this.#tag } });
    }
    if (this.#plain.byteLength < WORTH_COMPRESSING_BYTES || !acceptsGzip(wanted.encoding)) {
      return this.#send(this.#plain, {});
    }
    return this.#compressed === null ? this.#respondCompressed() : this.#sendCompressed(this.#compressed);
  }

  async #respondCompressed(): Promise<Response> {
    this.#compressed = new Uint8Array(await compress(this.#plain, { level: LEVEL }));
    return this.#sendCompressed(this.#compressed);
  }

  #sendCompressed(bytes: Uint8Array<ArrayBuffer>): Response {
    return this.#send(bytes, { 'Content-Encoding': 'gzip' });
  }

  #send(bytes: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>): Response {
    return new Response(bytes, {
      status: 200,
      headers: {
        'Content-Type': JSON_TYPE,
        'Content-Length': String(bytes.byteLength),
        ETag: this.#tag,
        ...CACHING,
        ...headers,
      },
    });
  }
}
