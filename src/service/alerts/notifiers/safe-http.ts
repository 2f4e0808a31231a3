import { lookup } from 'node:dns/promises';
import http, { STATUS_CODES } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { VERSION } from '../../../contract/routes.ts';
import { retryAfterSec } from '../../../core/retry-after.ts';
import { cleanText } from '../../../core/text.ts';
import { hostOf, isForbiddenAddress, readWebTarget, type TargetPolicy } from '../target-rules.ts';
import {
  type Attempt,
  connectionWords,
  delivered,
  later,
  type Notification,
  type Notifier,
} from './notifier.ts';

/** All addresses of a name. Rejects with an error that has a `code` when there is none. */
type ResolveHost = (hostname: string) => Promise<readonly string[]>;

export const resolveHost: ResolveHost = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/** The message may be shown to the alert's owner. */
class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
}

/**
 * The `lookup` of a socket. The socket connects to exactly the addresses checked here, so DNS rebinding changes
 * nothing. One forbidden address among several refuses the name.
 */
function guardedLookup(resolve: ResolveHost, policy: TargetPolicy): LookupFunction {
  const { allowPrivateTargets, isForbidden = isForbiddenAddress } = policy;
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        // Does not name the address: a key holder must not learn the addresses of the operator's network.
        if (!allowPrivateTargets && addresses.some(isForbidden)) {
          return callback(new RequestRefused(`${hostname} leads to a private address`), '');
        }
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (first === undefined) return callback(notFound(hostname), '');
        if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : notFound(hostname), ''),
    );
  };
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
}

/** The longest response that is read; the rest is cut off. */
const LONGEST_BODY_BYTES = 65_536;
/** Deadline of the body, since the status alone decides. */
const BODY_DEADLINE_MS = 2_000;
const JSON_HEADERS = { 'Content-Type': 'application/json', 'User-Agent': `gastop/${VERSION}` };

export interface WebAccess extends TargetPolicy {
  /** Ms since epoch. */
  readonly now: () => number;
  readonly resolve: ResolveHost;
  /** Root certificates to trust instead of the default ones, PEM. */
  readonly ca?: string;
}

interface WebRequest {
  readonly url: string;
  /** Besides those of JSON, or in their place. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Not logged where the response repeats them. Default: path and query of the URL, which may be secret. */
  readonly secrets?: readonly string[];
  /** What a response's body says, for the log. Default: all of it. */
  readonly read?: (body: string) => string;
}

interface WebResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly movedTo: string | null;
  /** The part of the body that arrived in time, at most 64 kB. */
  readonly text: string;
}

/**
 * Posts, and checks each address before it connects. One connection per request; no redirects, no proxy.
 * @throws {RequestRefused} the target is forbidden; other errors are those of the connection.
 */
async function sendRequest(
  request: WebRequest,
  access: WebAccess,
  signal: AbortSignal,
): Promise<WebResponse> {
  const url = readWebTarget(request.url, access);
  if (typeof url === 'string') throw new RequestRefused(`the target ${url}`);
  const isEncrypted = url.protocol === 'https:';
  const body = Buffer.from(request.body);
  const options: https.RequestOptions = {
    method: 'POST',
    host: hostOf(url),
    port: url.port === '' ? (isEncrypted ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    // A fresh agent, which keeps no connection and ignores proxy settings of the environment.
    agent: isEncrypted ? new https.Agent({ keepAlive: false }) : new http.Agent({ keepAlive: false }),
    lookup: guardedLookup(access.resolve, access),
    headers: { ...JSON_HEADERS, ...request.headers, 'Content-Length': String(body.length) },
    signal,
    ...(access.ca === undefined ? {} : { ca: access.ca }),
  };
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const sent = isEncrypted ? https.request(options) : http.request(options);
    sent.once('response', resolve);
    // Stays attached: an error while the response is read must not end the process.
    sent.on('error', reject);
    // Node reports no error for a response that switches protocols and ends the connection.
    sent.once('close', () => reject(Object.assign(new Error('no response'), { code: 'ECONNRESET' })));
    sent.end(body);
  });
  const text = await readBody(response);
  const status = response.statusCode ?? 0;
  const { location: to, 'retry-after': retryAfter } = response.headers;
  const location = status >= 300 && status < 400 && to !== undefined ? URL.parse(to, url.href) : null;
  return { status, retryAfter, movedTo: location?.host ?? null, text };
}

/** Never rejects: the status is known, and a part of the body is enough. */
async function readBody(response: http.IncomingMessage): Promise<string> {
  const timer = setTimeout(() => response.destroy(), BODY_DEADLINE_MS);
  const body = Buffer.alloc(LONGEST_BODY_BYTES);
  let length = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      length += part.copy(body, length);
      if (length === LONGEST_BODY_BYTES) break;
    }
  } catch {
    // Cut off, or late.
  }
  clearTimeout(timer);
  return body.toString('utf8', 0, length);
}

/** A notifier over HTTP. 2xx: delivered; else retried, after the response's `Retry-After`; but first `judge` decides. */
export const webNotifier = (
  access: WebAccess,
  post: (notification: Notification) => WebRequest,
  judge: (response: WebResponse, words: string) => Attempt | null,
): Notifier => ({
  async deliver(notification, signal) {
    try {
      const request = post(notification);
      const { secrets = secretsOf(request.url), read = String } = request;
      const response = await sendRequest(request, access, signal);
      const { status, retryAfter, text } = response;
      const words = statusWords({ ...response, text: read(text) }, secrets);
      const decided = judge(response, words);
      if (decided !== null) return decided;
      if (status >= 200 && status < 300) return delivered(words);
      return later(words, retryAfterSec(retryAfter ?? null, access.now()));
    } catch (error) {
      if (error instanceof RequestRefused) return later(`refused: ${cleanText(error.message, 200)}`);
      return later(signal.aborted ? 'no response in time' : connectionWords(error));
    }
  },
});

/** An HTTP status as text, with the beginning of the body without `secrets`: servers repeat unknown paths. */
function statusWords({ status, text, movedTo }: WebResponse, secrets: readonly string[]): string {
  const words = STATUS_CODES[status];
  const line = words === undefined ? String(status) : `${status} ${words}`;
  if (status >= 300 && status < 400) {
    return movedTo === null ? `${line} without a Location` : `${line}: moved to ${movedTo}`;
  }
  const shown = secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
  const excerpt = cleanText(shown, LONGEST_EXCERPT).trim();
  return excerpt === '' || /^</.test(excerpt) ? line : `${line}: ${excerpt}`;
}

const LONGEST_EXCERPT = 120;
const SHORTEST_TOKEN = 8;

/** The parts of a webhook's URL that may be secret: path and query, whole and in parts. */
function secretsOf(target: string): string[] {
  const url = URL.parse(target);
  if (url === null) return [];
  const { pathname, search } = url;
  const parts = pathname.split('/').filter(({ length }) => length >= SHORTEST_TOKEN);
  const whole = [`${pathname}${search}`, pathname, search, search.slice(1)];
  const secrets = [...whole, ...parts, ...url.searchParams.values()];
  const decoded = secrets.map((secret) => new URLSearchParams(`x=${secret}`).get('x') ?? '');
  return [...secrets, ...decoded].filter(({ length }) => length > 1);
}
