import { isUtf8 } from 'node:buffer';
import { abortable, DeadlineError, withDeadline } from '../../chain/async.ts';
import type { ErrorCode } from '../../contract/api-error.ts';
import { SIGNED_BODY_BYTES } from '../../contract/choices.ts';
import { ApiFailure, abandoned } from './errors.ts';

/** The largest body of most routes, an alert with every target, is below 20 kB. */
export const BODY_BYTES = 32_768;

/** Of concurrent larger bodies: a request takes a few times its body in memory. */
const KEY_BYTES = 2 * SIGNED_BODY_BYTES;
const ALL_BYTES = 8 * SIGNED_BODY_BYTES;

/** Less than the timeout of a response. The largest body needs 350 kB/s, a transaction with six blobs 140 kB/s. */
const BODY_MS = 12_000;

interface BodyLimits {
  /** The id of a key, or another name of the sender. */
  readonly owner: string;
  readonly takesSigned: boolean;
  /** Aborts when nobody waits for the response any more: at its deadline, or with the connection. */
  readonly signal: AbortSignal;
}

/** Reads bodies: within their size and time, a large one only while there is room, reserved until the response. */
export function createBodyReader(bodyMs = BODY_MS) {
  const heldBy = new Map<string, number>();
  let held = 0;
  const hold = (owner: string, bytes: number) => {
    held += bytes;
    const mine = (heldBy.get(owner) ?? 0) + bytes;
    if (mine > 0) heldBy.set(owner, mine);
    else heldBy.delete(owner);
  };
  /** Calls `respond` with the body. @throws {ApiFailure} */
  return async <T>(
    request: Request,
    { owner, takesSigned, signal }: BodyLimits,
    respond: (body: Buffer<ArrayBuffer>) => T | Promise<T>,
  ): Promise<T> => {
    const most = takesSigned ? SIGNED_BODY_BYTES : BODY_BYTES;
    const declared = Number(request.headers.get('content-length') ?? most);
    if (declared > most) throw tooLarge(most);
    const room = declared > BODY_BYTES ? declared : 0;
    if (held + room > ALL_BYTES)
      throw full('upstream_unavailable', 'too much is sent to this service at once; ask again in a moment');
    if ((heldBy.get(owner) ?? 0) + room > KEY_BYTES) {
      const size = `${KEY_BYTES / 1_000_000} MB at once`;
      const why = `this key sends more than ${size}; wait for the responses to what it has sent`;
      throw full('rate_limit_exceeded', why);
    }
    hold(owner, room);
    try {
      const bytes = await withDeadline(bodyMs, signal, (until) => bytesOf(request.body, most, until)).catch(
        (error: unknown) => {
          if (signal.aborted) throw abandoned();
          throw error instanceof DeadlineError ? tooSlow(bodyMs) : error;
        },
      );
      refuseMaze(bytes);
      return await respond(bytes);
    } finally {
      hold(owner, -room);
    }
  };
}

/** Rejects with the reason of `signal` when it aborts: a body that stalls is let go. */
async function bytesOf(body: ReadableStream<Uint8Array> | null, most: number, signal: AbortSignal) {
  const parts: Uint8Array[] = [];
  let length = 0;
  // A cancelled body would close the connection before the response.
  const reader = body?.getReader();
  for (;;) {
    const read = reader?.read().catch((error: unknown) => {
      throw wrongBody('the body did not arrive whole; send it again', error);
    });
    const { done, value } = (await (read && abortable(read, signal))) ?? { done: true, value: undefined };
    if (done) return Buffer.concat(parts);
    length += value.length;
    if (length > most) throw tooLarge(most);
    parts.push(value);
  }
}

/** No request has a tenth of so many fields, elements and levels. To parse megabytes of brackets takes a second. */
const PARTS_MOST = 2_000;
const PART_BEGINS = ['[', '{', ','];

/** @throws {ApiFailure} `validation_failed` for JSON of nothing but structure, or so deep that no recursion ends */
function refuseMaze(bytes: Buffer): void {
  let parts = 0;
  for (const sign of PART_BEGINS) {
    for (let at = bytes.indexOf(sign); at !== -1; at = bytes.indexOf(sign, at + 1)) {
      parts += 1;
      if (parts > PARTS_MOST)
        throw wrongBody('the body has more fields and brackets than any request; send less');
    }
  }
}

/** @throws {ApiFailure} `validation_failed` */
export function jsonOf({ headers }: Request, bytes: Buffer): unknown {
  const type = headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw wrongBody('send the body as JSON in UTF-8, with Content-Type: application/json');
  }
  if (!['', 'identity'].includes(headers.get('content-encoding')?.toLowerCase() ?? '')) {
    throw wrongBody('send the body as it is, without Content-Encoding');
  }
  if (!isUtf8(bytes)) throw wrongBody('the body is no UTF-8; send JSON in UTF-8');
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') throw wrongBody('the body is empty; send a JSON object');
  try {
    return JSON.parse(text);
  } catch {
    // Without the cause: the parser's message repeats a part of the body.
    throw wrongBody('the body is no JSON; check its brackets, quotes and commas');
  }
}

const wrongBody = (message: string, cause?: unknown) =>
  new ApiFailure('validation_failed', message, { cause });

const tooLarge = (most: number) =>
  new ApiFailure('payload_too_large', `the body of this request has at most ${most} bytes; send less`);

const tooSlow = (ms: number) =>
  new ApiFailure('validation_failed', `the body did not arrive within ${ms / 1_000} s; send it again`, {
    status: 408,
    headers: { Connection: 'close' },
  });

const full = (code: ErrorCode, message: string) => new ApiFailure(code, message, { retrySec: 2 });
