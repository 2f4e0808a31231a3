import ky from 'ky';
import type { Answered, Asked } from '../http/answered.ts';

export type Fetch = (request: Request) => Response | Promise<Response>;

/** Asks a request handler of this process: no socket. */
export async function askByFetch(fetch: Fetch, { url, ...asked }: Asked): Promise<Answered> {
  const response = await ky(url, {
    ...asked,
    fetch: async (input, init) => fetch(new Request(input, init)),
    // The transport's: the key must not go to another origin.
    redirect: 'manual',
    retry: 0,
    throwHttpErrors: false,
    // One clock for the head and the body, held by the caller.
    timeout: false,
  });
  const { status, headers, body } = response;
  return { status, headers, body, cancel: async () => body?.cancel() };
}
