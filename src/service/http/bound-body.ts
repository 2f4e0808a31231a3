import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { ApiFailure } from './api-failure.ts';
import { bodyTooLarge } from './early-refusal.ts';
import { bodyBytesOf, SERVER_LIMITS } from './server-limits.ts';

const limitTo = (most: number) =>
  bodyLimit({
    maxSize: most,
    onError: () => {
      const { errorCode, message } = bodyTooLarge(most).body;
      throw new ApiFailure(errorCode, message);
    },
  });

const LIMITS: ReadonlyMap<number, MiddlewareHandler> = new Map(
  [SERVER_LIMITS.bodyBytes, SERVER_LIMITS.signedBodyBytes].map((most) => [most, limitTo(most)]),
);

/** Holds every body to the limit, also one in chunks that does not say how long it will be. */
export const boundBody: MiddlewareHandler = async (c, next) => {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
  const limit = LIMITS.get(bodyBytesOf(c.req, SERVER_LIMITS));
  try {
    return await limit?.(c, next);
  } catch (error) {
    if (error instanceof ApiFailure) throw error;
    // What routes throw does not come by here, so this is the reading: who sent it has gone, as a rule.
    throw new ApiFailure('validation_failed', 'the body did not arrive whole; send it again', {
      cause: error,
    });
  }
};
