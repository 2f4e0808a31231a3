import type { Answered, Asked } from '../http/answered.ts';

/** An answer that needs no response object. */
export interface AtHand {
  readonly body: string | Uint8Array | null;
  readonly init: { readonly status: number; readonly headers: Readonly<Record<string, string>> };
}

/** Answers a GET of `target`, a path with its query, from what is at hand; `null`: that takes a request. */
export type Quick = (target: string, headers: Readonly<Record<string, string>>) => Promise<AtHand> | null;

/**
 * Asks the service of this process for what it has at hand; `null`: it has to be asked by a request. Requests and
 * responses are parts of `fetch`, which takes as long to load as prices take to be drawn.
 */
export async function askAtHand(
  quick: Quick,
  { url, method, headers, body }: Asked,
): Promise<Answered | null> {
  if (method !== 'get' || body !== null) return null;
  const found = await quick(url.pathname + url.search, headers);
  if (found === null) return null;
  const named = new Map(
    Object.entries(found.init.headers).map(([name, value]) => [name.toLowerCase(), value] as const),
  );
  return {
    status: found.init.status,
    headers: { get: (name) => named.get(name) ?? null, [Symbol.iterator]: () => named.entries() },
    body: found.body === null ? null : inOnePiece(found.body),
    cancel: async () => {},
  };
}

async function* inOnePiece(body: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof body === 'string' ? Buffer.from(body) : body;
}
