import { SIGNED_LONGEST } from '../../contract/choices.ts';
import { BASE_PATH, PATHS } from '../../contract/routes.ts';

/** What a stranger may cost the server, in one place. Tests shorten the times, never loosen the sizes. */
export interface ServerLimits {
  readonly headerBytes: number;
  readonly urlBytes: number;
  readonly bodyBytes: number;
  readonly signedBodyBytes: number;
  readonly headersMs: number;
  readonly requestMs: number;
  readonly checkEveryMs: number;
  readonly answerMs: number;
  readonly keepAliveMs: number;
  readonly idleMs: number;
  readonly graceMs: number;
  readonly calmMs: number;
  readonly drainMs: number;
  readonly connections: number;
}

export const SERVER_LIMITS: ServerLimits = {
  /** Node's own: room for what proxies add, and a page of memory per connection. Includes the request line. */
  headerBytes: 16_384,
  /** The longest v1 question, a metrics window with every parameter, is below 300. */
  urlBytes: 4_096,
  /** The largest body of the other routes, an alert with every target, is below 20 kB. */
  bodyBytes: 262_144,
  /** Of routes that take what was signed, as hexadecimal, which with blobs is a megabyte and more; and the fields beside it. */
  signedBodyBytes: SIGNED_LONGEST + 16_384,
  /** A slow-loris sends a header now and then; an honest client sends all of them at once. */
  headersMs: 10_000,
  /** Headers and body; a quarter megabyte in it is 14 kB/s, which any mobile line has. */
  requestMs: 20_000,
  /** How often Node looks for connections that are past the two limits above. */
  checkEveryMs: 2_000,
  /** The slowest answer, a month of stored history, takes well below a second; a node's may take several. */
  answerMs: 15_000,
  /** Longer than the 60 s after which common proxies close, so that it is never us who close under a request. */
  keepAliveMs: 65_000,
  /** A reader who takes nothing of an answer for that long is gone. */
  idleMs: 30_000,
  /** From the stop on, what is under way may end; longer than an answer may take would only wait for the dead. */
  graceMs: 10_000,
  /** At a stop: questions that were already sent reach us within it. Until then connections are still taken. */
  calmMs: 100,
  /** Whoever goes on asking does not hold up the stop for longer. */
  drainMs: 1_000,
  /** Each costs about 50 kB; with all of them the process stays below a quarter gigabyte. */
  connections: 2_048,
};

const TAKES_SIGNED = new RegExp(`^${BASE_PATH}${PATHS.autoTxs}(/[^/]*)?/?$`);

/** How many bytes the body of a request to `path` may have, query and base URL taken away. */
export function bodyBytesOf(
  { method, path }: { readonly method: string | undefined; readonly path: string },
  limits: Pick<ServerLimits, 'bodyBytes' | 'signedBodyBytes'>,
): number {
  const takesSigned = (method === 'POST' || method === 'PUT') && TAKES_SIGNED.test(path);
  return takesSigned ? limits.signedBodyBytes : limits.bodyBytes;
}
