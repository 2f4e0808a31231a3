import { ClientError } from '../errors.ts';
import type { ServiceDescription } from '../openapi.ts';

type Described = ServiceDescription | null;

/**
 * Finds out once, for whoever asks: those who come while the search goes on share it, and one who calls off leaves
 * it to the others. Only a search that found nobody to ask is made again.
 */
export function keptDescription(
  find: () => Promise<Described>,
): (signal: AbortSignal | undefined) => Promise<Described> {
  let search: Promise<Described> | null = null;
  return async (signal) => {
    const current = search ?? find();
    search = current;
    current.catch(() => {
      if (search === current) search = null;
    });
    const calledOff = Promise.withResolvers<never>();
    const abort = () =>
      calledOff.reject(new ClientError('unreachable', 'the question was called off', { endpoint: '/' }));
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([current, calledOff.promise]);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  };
}
