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
  /** A string, because Node sends that in one piece with the head; bytes would be a second write. */
  readonly #text: string;
  readonly #bytes: number;
  /** Weak: the same content, whether compressed or not. */
  readonly #tag: string;
  readonly #type: string;
  #compressed: Uint8Array<ArrayBuffer> | null = null;

  constructor(text: string, type = JSON_TYPE) {
    this.#text = text;
    this.#type = type;
    this.#bytes = Buffer.byteLength(text);
    this.#tag = `W/"${hash('sha1', text, 'base64url')}"`;
  }

  /** The response to one request; a promise only while it is compressed for the first time. */
  respond(wanted: Wanted): Response | Promise<Response> {
    if (namesTag(wanted.noneMatch, this.#tag)) {
      return new Response(null, { status: 304, headers: { ...CACHING, ETag: this.#tag } });
    }
    if (this.#bytes < WORTH_COMPRESSING_BYTES || !acceptsGzip(wanted.encoding)) {
      return this.#send(this.#text, this.#bytes, {});
    }
    return this.#compressed === null ? this.#respondCompressed() : this.#sendCompressed(this.#compressed);
  }

  async #respondCompressed(): Promise<Response> {
    this.#compressed = new Uint8Array(await compress(this.#text, { level: LEVEL }));
    return this.#sendCompressed(this.#compressed);
  }

  #sendCompressed(bytes: Uint8Array<ArrayBuffer>): Response {
    return this.#send(bytes, bytes.byteLength, { 'Content-Encoding': 'gzip' });
  }

  #send(
    body: string | Uint8Array<ArrayBuffer>,
    length: number,
    headers: Readonly<Record<string, string>>,
  ): Response {
    return new Response(body, {
      status: 200,
      headers: {
        'Content-Type': this.#type,
        'Content-Length': String(length),
        ETag: this.#tag,
        ...CACHING,
        ...headers,
      },
    });
  }
}
