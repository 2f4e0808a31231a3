import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { z } from 'zod';
import type { FieldProblem } from '../../contract/alert-targets.ts';
import { SIGNED_LONGEST } from '../../contract/choices.ts';
import { fieldProblems } from '../../contract/field-problems.ts';
import { BASE_PATH, PATHS } from '../../contract/routes.ts';
import { ApiFailure, shorten } from './errors.ts';

/** What a body of nonsense is told is no longer than the nonsense. */
const PROBLEMS_MOST = 50;

/** The body of a request, which must be JSON. @throws {ApiFailure} `validation_failed`, with words. */
export async function readJson(c: Context): Promise<unknown> {
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw wrongBody('send the body as JSON in UTF-8, with Content-Type: application/json');
  }
  if (!['', 'identity'].includes(c.req.header('content-encoding')?.toLowerCase() ?? '')) {
    throw wrongBody('send the body as it is, without Content-Encoding');
  }
  const text = textOf(await bytesOf(c));
  if (text.trim() === '') throw wrongBody('the body is empty; send a JSON object');
  try {
    return JSON.parse(text);
  } catch {
    // Without the cause: the parser's words repeat a piece of the body.
    throw wrongBody('the body is no JSON; check its brackets, quotes and commas');
  }
}

/** A body of the shape of `schema`. @throws {ApiFailure} `validation_failed`, each field that is wrong by name. */
export async function readBody<Body extends z.ZodType>(c: Context, schema: Body): Promise<z.output<Body>> {
  const body = await readJson(c);
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw wrongFields(fieldProblems(parsed.error, body));
  return parsed.data;
}

/** The refusal of a body, field by field. */
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

async function bytesOf(c: Context): Promise<ArrayBuffer> {
  try {
    return await c.req.arrayBuffer();
  } catch (error) {
    throw wrongBody('the body did not arrive whole; send it again', error);
  }
}

function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw wrongBody('the body is no UTF-8; send JSON in UTF-8', error);
  }
}

const wrongBody = (message: string, cause?: unknown) =>
  new ApiFailure('validation_failed', message, { cause });

/** The largest body of most routes, an alert with every target, is below 20 kB. */
const BODY_BYTES = 262_144;
/** A signed transaction in hexadecimal, which with blobs is a megabyte and more, and the fields beside it. */
const SIGNED_BODY_BYTES = SIGNED_LONGEST + 16_384;
const TAKES_SIGNED = new RegExp(`^${BASE_PATH}${PATHS.autoTxs}(/[^/]*)?/?$`);

const tooLarge = (most: number) =>
  new ApiFailure('payload_too_large', `the body of this request has at most ${most} bytes; send less`, {
    // The rest of the body may not have come: no client may send its next request on this connection.
    headers: { Connection: 'close' },
  });

const REST_MS = 500;

/** Takes what still comes of a body: a connection that closes before is reset, and the client loses the response. */
async function takeRest(body: ReadableStream<Uint8Array> | null): Promise<void> {
  if (body === null || body.locked) return;
  const options = { signal: AbortSignal.timeout(REST_MS), preventCancel: true };
  await body.pipeTo(new WritableStream(), options).catch(() => {});
}

const limitTo = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError: async (c) => {
      await takeRest(c.req.raw.body);
      throw tooLarge(maxSize);
    },
  });

const limit = limitTo(BODY_BYTES);
const signedLimit = limitTo(SIGNED_BODY_BYTES);

/** Holds every body to the limit, also one in chunks that does not say how long it will be. */
export const boundBody: MiddlewareHandler = async (c, next) => {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') {
    if (Number(c.req.header('content-length') ?? 0) > BODY_BYTES) throw tooLarge(BODY_BYTES);
    return next();
  }
  const takesSigned = ['POST', 'PUT'].includes(c.req.method) && TAKES_SIGNED.test(c.req.path);
  try {
    return await (takesSigned ? signedLimit : limit)(c, next);
  } catch (error) {
    if (error instanceof ApiFailure) throw error;
    // What routes throw does not come by here, so this is the reading: who sent it has gone, as a rule.
    throw new ApiFailure('validation_failed', 'the body did not arrive whole; send it again', {
      cause: error,
    });
  }
};
