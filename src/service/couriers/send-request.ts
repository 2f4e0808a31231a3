import http from 'node:http';
import https from 'node:https';
import { guardedLookup } from './guarded-lookup.ts';
import type { ResolveHost } from './resolve-host.ts';
import { hostOf, readWebTarget, type TargetPolicy } from './web-target.ts';

/** No receiver has this much to say; what comes after it is cut off. */
const LONGEST_ANSWER_BYTES = 65_536;
/** The status has decided by then; the words may take this long. */
const ANSWER_WITHIN_MS = 2_000;
const MOST_REDIRECTS = 3;
/** They have the same request sent again elsewhere; the older ones leave open with which method. */
const FOLLOWED = new Set([307, 308]);

/** The way out for couriers that speak HTTP. */
export interface WebAccess extends TargetPolicy {
  readonly resolve: ResolveHost;
  /** Root certificates to trust instead of the usual ones, PEM. */
  readonly ca?: string;
}

export interface WebRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How many redirects are followed; 3 where nobody says. */
  readonly redirects?: number;
}

export interface WebAnswer {
  readonly status: number;
  /** Of the final answer, as it came. */
  readonly retryAfter: string | undefined;
  /** Where a redirect that is not followed leads: its host. */
  readonly movedTo: string | null;
  /** At most 64 kB, and what of it came in time. */
  readonly text: string;
}

/** Not sent, for a reason that the sender can be told. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
}

/**
 * Posts, follows at most 3 redirects that ask for the same request elsewhere, and looks at each address it goes to
 * first. One connection per request: nothing is left open, no proxy is asked.
 * @throws {RequestRefused} a redirect leads where nothing may be sent; otherwise whatever the connection failed with.
 */
export async function sendRequest(
  request: WebRequest,
  access: WebAccess,
  signal: AbortSignal,
): Promise<WebAnswer> {
  let { url } = request;
  const most = request.redirects ?? MOST_REDIRECTS;
  for (let redirects = 0; ; redirects += 1) {
    const target = readWebTarget(url, access);
    if (!target.ok) {
      throw new RequestRefused(`${redirects === 0 ? 'the target' : 'a redirect'} ${target.problem}`);
    }
    const { answer, location } = await post(target.url, request, access, signal);
    if (!FOLLOWED.has(answer.status) || location === null) return answer;
    if (redirects === most) {
      if (most === 0) return answer;
      throw new RequestRefused(`more than ${most} redirects`);
    }
    url = location.href;
  }
}

interface Exchange {
  readonly answer: WebAnswer;
  readonly location: URL | null;
}

async function post(
  url: URL,
  request: WebRequest,
  access: WebAccess,
  signal: AbortSignal,
): Promise<Exchange> {
  const isEncrypted = url.protocol === 'https:';
  const body = Buffer.from(request.body);
  const options: https.RequestOptions = {
    method: 'POST',
    host: hostOf(url),
    port: url.port === '' ? (isEncrypted ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    // A fresh agent, which keeps no connection and asks no proxy whatever the environment says.
    agent: isEncrypted ? new https.Agent({ keepAlive: false }) : new http.Agent({ keepAlive: false }),
    lookup: guardedLookup(access.resolve, access),
    headers: { ...request.headers, 'Content-Length': String(body.length), Connection: 'close' },
    signal,
    ...(access.ca === undefined ? {} : { ca: access.ca }),
  };
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const sent = isEncrypted ? https.request(options) : http.request(options);
    sent.once('response', resolve);
    // It stays: what breaks while the answer is read must not end the process.
    sent.on('error', reject);
    // An answer that switches protocols ends the connection and is no error to Node.
    sent.once('close', () => reject(Object.assign(new Error('no answer'), { code: 'ECONNRESET' })));
    sent.end(body);
  });
  const text = await readAnswer(response);
  const status = response.statusCode ?? 0;
  const { location: to } = response.headers;
  const location = status >= 300 && status < 400 && to !== undefined ? URL.parse(to, url.href) : null;
  return {
    answer: {
      status,
      retryAfter: response.headers['retry-after'],
      movedTo: location?.host ?? null,
      text,
    },
    location,
  };
}

/** Never rejects: the status is known, and what could be read of the rest is enough. */
function readAnswer(response: http.IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let length = 0;
    const finish = () => {
      clearTimeout(timer);
      response.destroy();
      resolve(Buffer.concat(parts).toString('utf8', 0, Math.min(length, LONGEST_ANSWER_BYTES)));
    };
    const timer = setTimeout(finish, ANSWER_WITHIN_MS);
    response.on('data', (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length >= LONGEST_ANSWER_BYTES) finish();
    });
    response.once('end', finish);
    response.once('close', finish);
    response.on('error', finish);
  });
}
