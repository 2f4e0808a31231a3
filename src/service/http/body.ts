import type { Context, MiddlewareHandler } from 'hono';
import type { z } from 'zod';
import type { FieldProblem } from '../../contract/alert-targets.ts';
import type { ErrorCode } from '../../contract/api-error.ts';
import { SIGNED_LONGEST } from '../../contract/choices.ts';
import { fieldProblems } from '../../contract/field-problems.ts';
import { BASE_PATH, PATHS } from '../../contract/routes.ts';
import { ApiFailure, shorten } from './errors.ts';

/** Limits the response to a nonsensical body. */
const PROBLEMS_MOST = 50;

/** The body of a request, which must be JSON. @throws {ApiFailure} `validation_failed`, with a message. */
export async function readJson(c: Context): Promise<unknown> {
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw wrongBody('send the body as JSON in UTF-8, with Content-Type: application/json');
  }
  if (!['', 'identity'].includes(c.req.header('content-encoding')?.toLowerCase() ?? '')) {
    throw wrongBody('send the body as it is, without Content-Encoding');
  }
  const text = textOf(c.get('body'));
  if (text.trim() === '') throw wrongBody('the body is empty; send a JSON object');
  try {
    return JSON.parse(text);
  } catch {
    // Without the cause: the parser's message repeats a part of the body.
    throw wrongBody('the body is no JSON; check its brackets, quotes and commas');
  }
}

/** A body that matches `schema`. @throws {ApiFailure} `validation_failed`, with each invalid field by name. */
export async function readBody<Body extends z.ZodType>(c: Context, schema: Body): Promise<z.output<Body>> {
  const body = await readJson(c);
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw wrongFields(fieldProblems(parsed.error, body));
  return parsed.data;
}

export function wrongFields(problems: readonly FieldProblem[]): ApiFailure {
  const details = problems
    .slice(0, PROBLEMS_MOST)
    .map(({ path, message }) => ({ path: path.split('.').map(shorten).join('.'), message }));
  const words = details.map(({ path, message }) =>
    path === '' ? `the body ${message}` : `${path} ${message}`,
  );
  const more = problems.length - details.length;
  if (more > 0) words.push(`and ${more.toLocaleString('en')} more`);
  return new ApiFailure('validation_failed', words.join('; '), { details });
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw wrongBody('the body is no UTF-8; send JSON in UTF-8', error);
  }
}

const wrongBody = (message: string, cause?: unknown) =>
  new ApiFailure('validation_failed', message, { cause });

declare module 'hono' {
  interface ContextVariableMap {
    body: Uint8Array;
  }
}

/** The largest body of most routes, an alert with every target, is below 20 kB. */
export const BODY_BYTES = 32_768;
/** A signed transaction in hexadecimal, with blobs more than a megabyte, and the other fields. */
export const SIGNED_BODY_BYTES = SIGNED_LONGEST + 16_384;
const TAKES_SIGNED = new RegExp(`^${BASE_PATH}${PATHS.autoTxs}(/[^/]*)?/?$`);

/** Of concurrent larger bodies: a request takes a few times its body in memory. */
const KEY_BYTES = 2 * SIGNED_BODY_BYTES;
const ALL_BYTES = 8 * SIGNED_BODY_BYTES;

/** Less than the timeout of a response. The largest body needs 350 kB/s, a transaction with six blobs 140 kB/s. */
const BODY_MS = 12_000;
const REST_MS = 500;

/** Reads the body before its route runs: within its size and time, a large one only while there is room, reserved until the response. */
export function takeBodies(bodyMs = BODY_MS): MiddlewareHandler {
  const heldBy = new Map<string, number>();
  let held = 0;
  return async (c, next) => {
    const { method, raw, path } = c.req;
    const takesSigned = (method === 'POST' || method === 'PUT') && TAKES_SIGNED.test(path);
    const most = takesSigned ? SIGNED_BODY_BYTES : BODY_BYTES;
    const declared = Number(c.req.header('content-length') ?? 0);
    if (declared === 0 && (method === 'GET' || method === 'HEAD')) return next();
    const owner = c.get('owner');
    const { body } = raw;
    let room = 0;
    const hold = (bytes: number) => {
      if (bytes > most) throw tooLarge(most);
      const more = bytes <= BODY_BYTES ? 0 : Math.max(bytes - room, 0);
      if (held + more > ALL_BYTES) throw noRoom();
      if ((heldBy.get(owner) ?? 0) + more > KEY_BYTES) throw noRoomForKey();
      take(more);
    };
    const take = (bytes: number) => {
      room += bytes;
      held += bytes;
      const mine = (heldBy.get(owner) ?? 0) + bytes;
      if (mine > 0) heldBy.set(owner, mine);
      else heldBy.delete(owner);
    };
    const leave = () => take(-room);
    try {
      hold(declared);
      // Without an owner no route takes it.
      const isTaken = owner !== undefined && body !== null;
      c.set('body', isTaken ? await bytesOf(body, bodyMs, hold) : new Uint8Array());
    } catch (error) {
      leave();
      // If the connection closed earlier, it would be reset and the client would lose the response.
      await takeRest(body);
      throw error;
    }
    await next().finally(leave);
  };
}

/** @throws {ApiFailure}, also errors of `hold`, which receives the size so far. */
async function bytesOf(
  body: ReadableStream<Uint8Array>,
  ms: number,
  hold: (bytes: number) => void,
): Promise<Uint8Array> {
  const reader = body.getReader();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reader.releaseLock();
  }, ms);
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(parts);
      length += value.length;
      hold(length);
      parts.push(value);
    }
  } catch (error) {
    if (isLate) throw tooSlow(ms);
    throw error instanceof ApiFailure
      ? error
      : wrongBody('the body did not arrive whole; send it again', error);
  } finally {
    clearTimeout(timer);
    reader.releaseLock();
  }
}

async function takeRest(body: ReadableStream<Uint8Array> | null): Promise<void> {
  if (body === null || body.locked) return;
  const options = { signal: AbortSignal.timeout(REST_MS), preventCancel: true };
  await body.pipeTo(new WritableStream(), options).catch(() => {});
}

/** The rest of the body may be missing: the client must not send its next request on this connection. */
const refusal = (
  code: ErrorCode,
  message: string,
  extra: { readonly retrySec?: number; readonly status?: 408 } = {},
) => new ApiFailure(code, message, { headers: { Connection: 'close' }, ...extra });

const RETRY = { retrySec: 2 };

const tooLarge = (most: number) =>
  refusal('payload_too_large', `the body of this request has at most ${most} bytes; send less`);

const tooSlow = (ms: number) =>
  refusal('validation_failed', `the body did not arrive within ${ms / 1_000} s; send it again`, {
    status: 408,
  });

const noRoomForKey = () =>
  refusal(
    'rate_limit_exceeded',
    `this key sends more than ${KEY_BYTES / 1_000_000} MB at once; wait for the responses to what it has sent`,
    RETRY,
  );

const noRoom = () =>
  refusal('upstream_unavailable', 'too much is sent to this service at once; ask again in a moment', RETRY);
