import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { ownValue } from '../../core/own-value.ts';

/** The headers of an answer, by lower-case name. */
export interface AnswerHeaders extends Iterable<readonly [name: string, value: string]> {
  get(name: string): string | null;
}

/** The head of an answer, with its body still to be read. */
export interface Answered {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Unpacked, as it comes. Who leaves off in the middle ends it. */
  readonly body: AsyncIterable<Uint8Array> | null;
  /** For a body that nobody wants. */
  cancel(): Promise<void>;
}

/** One question, as it goes out. */
export interface Asked {
  readonly url: URL;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Ends the question, and its answer's body. */
  readonly signal: AbortSignal;
  /** Called with the connection open, right before the request is written to it; what it throws ends the request. */
  readonly beforeWrite?: (() => void) | undefined;
}

/** Gives the head of the answer, whatever its status, and follows no redirect. It throws what the connection threw. */
export type Ask = (asked: Asked) => Promise<Answered>;

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

export class BodyNotText extends Error {
  override readonly name = 'BodyNotText';
}

/**
 * Reads an answer's body as UTF-8, piece by piece, and stops as soon as it is larger than `maxBytes`: neither an
 * endless answer nor a small one that unpacks to a huge one is held in memory. Bytes that are no UTF-8 are replaced
 * where that is `lenient`.
 *
 * @throws BodyTooLarge, BodyNotText, or what the connection throws.
 */
export async function readBody(
  { headers, body, cancel }: Answered,
  maxBytes: number,
  { lenient = false } = {},
): Promise<string> {
  // Unpacked it is at least as large as announced, so the announcement alone may settle it.
  if (Number(headers.get('content-length') ?? 0) > maxBytes) {
    await cancel();
    throw new BodyTooLarge();
  }
  if (body === null) return '';
  const decoder = new TextDecoder('utf-8', { fatal: !lenient });
  let bytes = 0;
  let text = '';
  try {
    // Leaving it in the middle ends the answer: the connection is of no more use.
    for await (const piece of body) {
      bytes += piece.byteLength;
      if (bytes > maxBytes) throw new BodyTooLarge();
      text += decoder.decode(piece, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    throw isDecodingError(error) ? new BodyNotText() : error;
  }
}

function isDecodingError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}

/** How answers may be packed, and what unpacks them (RFC 9110 §8.4.1). */
const UNPACKER = {
  gzip: 'createGunzip',
  'x-gzip': 'createGunzip',
  deflate: 'createInflate',
  br: 'createBrotliDecompress',
} as const;
/** Not deflate: services disagree on what that is, with a header around it or without. */
const ACCEPTED = 'gzip, br';
const BODILESS = new Set([204, 205, 304]);

/**
 * Asks over a socket that is kept open for a while. Node's `fetch` would do the same, but loading it takes longer than all
 * else that a command needs to ask one thing and end; so does the module namespace of `node:http`, which reads all that it
 * offers, and with it a WebSocket made of `fetch`'s parts.
 */
export async function askOverHttp(asked: Asked): Promise<Answered> {
  const message = await send(asked);
  // A body that breaks off after it was given up has nobody to tell.
  message.on('error', () => {});
  const status = message.statusCode ?? 0;
  const headers = headersOf(message);
  return {
    status,
    headers,
    body: BODILESS.has(status) ? drained(message) : unpacked(message, headers),
    cancel: async () => {
      message.destroy();
    },
  };
}

function send({ url, method, headers, body, signal, beforeWrite }: Asked): Promise<IncomingMessage> {
  const { request } =
    url.protocol === 'https:'
      ? process.getBuiltinModule('node:https')
      : process.getBuiltinModule('node:http');
  return new Promise((resolve, reject) => {
    const question: ClientRequest = request(url, {
      method: method.toUpperCase(),
      headers: {
        'accept-encoding': ACCEPTED,
        // Node leaves it out where a body is unusual, and the service would take what follows for the next question.
        ...(body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
      signal,
    });
    question.once('response', resolve);
    // Node says nothing else of an answer that changes the protocol.
    question.once('close', () => reject(new NoAnswer()));
    // It stays: the connection may break later on, too, and the body says so then.
    question.on('error', reject);
    const write = () => {
      try {
        beforeWrite?.();
        question.end(body ?? undefined);
      } catch (error) {
        reject(error);
        question.destroy();
      }
    };
    // Ended earlier, the request would wait in Node.js for its connection, for as long as that takes.
    question.once('socket', (socket) => {
      if (socket.connecting) socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', write);
      else write();
    });
  });
}

/** Reads to the end what has no content, so that the socket is free for the next question. */
function drained(message: IncomingMessage): null {
  message.resume();
  return null;
}

function headersOf({ headersDistinct }: IncomingMessage): AnswerHeaders {
  const joined = new Map(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')] as const),
  );
  return {
    get: (name) => joined.get(name) ?? null,
    [Symbol.iterator]: () => joined.entries(),
  };
}

/** Packed more than once, the last packing comes off first. */
function unpacked(message: IncomingMessage, headers: AnswerHeaders): AsyncIterable<Uint8Array> {
  const packings = (headers.get('content-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .map((packing) => packing.trim())
    .filter((packing) => packing !== '' && packing !== 'identity')
    .toReversed();
  if (packings.length === 0) return message;
  const zlib = process.getBuiltinModule('node:zlib');
  const { pipeline } = process.getBuiltinModule('node:stream');
  const steps = packings.map((packing): Transform => {
    const unpacker = ownValue(UNPACKER, packing);
    if (unpacker === undefined) throw new UnknownPacking();
    // As browsers do: an empty answer may be called packed, and one that breaks off is noticed by its length.
    return unpacker === 'createBrotliDecompress'
      ? zlib[unpacker]()
      : zlib[unpacker]({ finishFlush: zlib.constants.Z_SYNC_FLUSH });
  });
  const last = steps.at(-1);
  if (last === undefined) return message;
  // What fails on the way is thrown where the last step is read.
  pipeline([message, ...steps], () => {});
  return last;
}

/** The connection ended without the head of an answer. */
class NoAnswer extends Error {
  readonly code = 'ECONNRESET';
}

/** An answer is packed in a way that it was not asked to be. */
class UnknownPacking extends Error {
  readonly code = 'Z_UNKNOWN_PACKING';
}
