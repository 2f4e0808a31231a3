import type { Context } from 'hono';
import type { Again, Found } from './kept-answers.ts';

declare module 'hono' {
  interface ContextVariableMap {
    /** Set by a route whose answer may be found again without the router. */
    again: Again | undefined;
  }
}

/**
 * Finds what this request is answered, and has `find` asked again, without the router, when the same is asked the next
 * time without a key. So `find` may depend on nothing of the request but what its path and query say.
 */
export async function askedAgain<Body extends object>(
  c: Context,
  find: () => Promise<Found<Body>>,
): Promise<Body> {
  const { body, holds } = await find();
  c.set('again', holds === undefined ? { find } : { find, holds });
  return body;
}
