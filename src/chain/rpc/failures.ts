import * as z from 'zod';
import { OF_CERTIFICATE, systemCode, WITHOUT_TLS } from '../../core/system-code.ts';
import { cleanText } from '../../core/text.ts';
import { ChainError, type ChainErrorCode, OversizedResponse } from '../chain-source.ts';

/** Failures of nodes, including invalid URLs, as `ChainError`: one line for people, without secrets of the URL. */

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'ws:', 'wss:']);

/** @throws {ChainError} `unsupported`, with advice that repeats nothing: a URL often contains a key. */
export function parseNodeUrl(text: string): URL {
  const trimmed = text.trim();
  const url = /[\s\p{Cc}]/u.test(trimmed) ? null : URL.parse(trimmed);
  if (url !== null && SCHEMES.has(url.protocol) && url.host !== '' && url.port !== '0') return url;
  throw new ChainError(
    'unsupported',
    'the node address cannot be read: write http://, https://, ws:// or wss:// with host and port, for example http://127.0.0.1:8545',
  );
}

/** Shorter parts of a URL are seldom keys and often words (`v3`, `rpc`). */
const SHORTEST_SEGMENT = 8;
const SHORTEST_VALUE = 4;

export type Redact = (text: string) => string;

/** Removes all parts of `url` that may be keys (long path segments, query values, user, password), encoded or decoded. */
export function createRedaction({ pathname, search, username, password }: URL): Redact {
  // A query without `=` is a name alone, which is then the key.
  const values = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
  const basic = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  const secrets = [
    ...pathname.split('/').filter((each) => each.length >= SHORTEST_SEGMENT),
    ...[...values, username, password, basic].filter((each) => each.length >= SHORTEST_VALUE),
  ];
  // The longest first: one may contain another.
  const written = secrets.flatMap((each) => [each, decoded(each)]).sort((a, b) => b.length - a.length);
  const escaped = written.map((each) => each.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  const pattern = new RegExp(escaped.join('|'), 'gi');
  return (text) => text.replace(pattern, '(key)');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const LONGEST_SAID = 160;
const LONGEST_READ = 16_384;

/** One line of a node's text, without control characters, addresses, the node's key and long hex (often the signed bytes). */
export function nodeText(text: string, redact: Redact): string {
  // Cleaned first, so that no invisible character splits a secret; cut last, so that no half of one remains.
  const line = redact(cleanText(text.slice(0, LONGEST_READ)))
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '(address)')
    .replace(/\b(?:0x)?[0-9a-f]{67,}/gi, '0x…')
    .replace(/ {2,}/g, ' ')
    .trim();
  return cleanText(line, LONGEST_SAID);
}

const UNSUPPORTED = /method.*(?:not (?:found|supported|available|exist)|unsupported)/i;
/** A limit of calls, in the words of providers and gateways; a page that is too large has others. */
const CALL_LIMIT =
  /rate.?(?:limit|exceeded)|too many (?:requests|connections|calls|subscriptions)|throttl|rate is too high|slow down|error code: 1015|threshold exceeded|\b(?:requests?|calls?|credits?|units?)\b ?(?:\/|per) ?(?:s|sec|second|minute|hour|day|month)\b|\/(?:s|sec|second|minute)\b/i;
/** These words also come with limits of a page: "upgrade to read more than 100 blocks". */
const PLAN_LIMIT =
  /quota|throughput|compute.?units?|\bcredits?\b|free tier|upgrade (?:your|to)|payment required|\b(?:requests?|calls?|connections?|subscriptions?|capacity|daily|monthly|usage|plan) (?:count |rate )?(?:limit|limited|(?:is |was |has been )?exceeded)\b|limit (?:for|of) your|(?:exceeded|reached) (?:your |the )?(?:daily|monthly|request|plan)|concurrent requests/i;
const PAGE_LIMIT =
  /\bblock ?(?:s|count|range)?\b|\brange\b|\bresults?\b|\bpercentiles?\b|response size|too (?:large|big)|time[ d-]*out/i;
/** 429 and 402 as in HTTP, -32005 of EIP-1474, -32007 of QuickNode, -32605 and -32607 of BlockVision. */
const LIMIT_CODES: ReadonlySet<number | null> = new Set([429, 402, -32005, -32007, -32605, -32607]);
/** A gateway that cannot take requests now: a smaller page changes nothing. */
const OVERLOADED =
  /unable to complete request at this time|under too much load|overloaded|no (?:server|backend|healthy upstream)s? (?:is |are )?available|please try again later/i;
/** Texts of nodes without EIP-4444's code for it. */
const PRUNED = /\bprun(?:ed|ing)\b|\bhistory (?:is )?(?:unavailable|not available|expired)\b/i;

/** Whether a node's words, with its error code, name a limit of calls and not of a page's size. */
const isCallLimit = (message: string, code: number | null = null) =>
  CALL_LIMIT.test(message) ||
  ((LIMIT_CODES.has(code) || PLAN_LIMIT.test(message)) && !PAGE_LIMIT.test(message));

/** A JSON-RPC `error` member as a `ChainError`. */
export function rpcFailure(
  node: string,
  method: string,
  error: unknown,
  redact: Redact,
  retryAfterMs: number | null,
): ChainError {
  const { code, message } = errorMember(error);
  const reason = nodeText(message, redact) || `error ${code ?? 'without a number'}`;
  if (code === -32601 || UNSUPPORTED.test(message))
    return new ChainError('unsupported', `${node} does not answer ${method}: use another node (${reason})`);
  if (isCallLimit(message, code)) {
    const words = `${node} has had too many requests: ${reason}`;
    const pauseMs = retryAfterMs ?? statedPauseMs(error, message);
    return new ChainError('rate-limited', words, { isUnsent: true, retryAfterMs: pauseMs });
  }
  // Not "unsent": it may have reached a node behind the gateway.
  if (OVERLOADED.test(message)) return new ChainError('unreachable', `${node} is overloaded: ${reason}`);
  const isPruned = code === 4444 || PRUNED.test(message);
  return new ChainError(isPruned ? 'pruned' : 'rejected', `${node} refuses ${method}: ${reason}`);
}

/** When to try again by the error itself: Infura's `data.rate.backoff_seconds`, or "try again in 250ms". */
function statedPauseMs(error: unknown, message: string): number | null {
  const stated = z.object({ data: z.object({ rate: z.object({ backoff_seconds: z.number() }) }) });
  const { data } = stated.safeParse(error);
  const [, count, unit] =
    /\b(?:try again|retry) (?:in|after) (\d{1,6}(?:\.\d+)?) ?(ms|s|m)/i.exec(message) ?? [];
  const scale = { ms: 1, s: 1_000, m: 60_000 }[(unit ?? '').toLowerCase()] ?? 0;
  const pauseMs = data ? data.data.rate.backoff_seconds * 1_000 : Number(count ?? 0) * scale;
  return pauseMs > 0 ? Math.min(pauseMs, LONGEST_PAUSE_MS) : null;
}

/** However long a node says. */
export const LONGEST_PAUSE_MS = 3_600_000;

/** An HTTP status without a JSON-RPC response. */
export function statusFailure(node: string, status: number, retryAfterMs: number | null = null): ChainError {
  const [code, words, isUnsent = true] = ((): [ChainErrorCode, string, boolean?] => {
    if (status === 429)
      return ['rate-limited', 'has had too many requests (HTTP 429): ask less often or use another node'];
    if (status === 402)
      return ['rate-limited', 'has no requests left (HTTP 402): wait for its next quota or use another node'];
    if (status === 401 || status === 403)
      return ['unreachable', `refuses access (HTTP ${status}): check the key in its address`];
    if (status >= 300 && status < 400)
      return ['bad-response', `sends elsewhere (HTTP ${status}): use the address it leads to`];
    if (status >= 500)
      return ['unreachable', `fails (HTTP ${status}): try again later or use another node`, false];
    return ['bad-response', `answers HTTP ${status}: is that the address of a JSON-RPC node?`, false];
  })();
  // A proxy may name an hour while its node restarts in seconds.
  const pause = code === 'rate-limited' ? { retryAfterMs } : {};
  return new ChainError(code, `${node} ${words}`, { isUnsent, ...pause });
}

const RESET = 'broke the connection off';
const UNKNOWN_HOST = 'has no address in DNS: check the spelling and the network';
const NO_ROUTE = 'cannot be reached from this network';
/** By Node.js's error code. */
const FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses the connection: is the node running?',
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  ENETUNREACH: NO_ROUTE,
  EHOSTUNREACH: NO_ROUTE,
  ECONNRESET: RESET,
  EPIPE: RESET,
  ETIMEDOUT: 'does not take the connection',
  Z_BUF_ERROR: 'sends a gzip response that is cut off: try again or use another node',
  Z_DATA_ERROR: 'sends a response that is no valid gzip: try another node',
};

/** A failed or broken connection, from an error of Node.js. */
export function connectionFailure(node: string, error: unknown, isUnsent = false): ChainError {
  const code = systemCode(error);
  const isPlain = WITHOUT_TLS.test(code);
  const other = OF_CERTIFICATE.test(code) ? 'has a TLS certificate that is not trusted' : 'cannot be reached';
  const coded = code === '' ? other : `${other} (${code})`;
  const words = isPlain ? 'does not speak TLS: write http:// or ws:// in its address' : coded;
  return new ChainError('unreachable', `${node} ${FAILURES[code] ?? words}`, { isUnsent });
}

export const brokenConnection = (node: string): ChainError =>
  new ChainError('unreachable', `${node} ${RESET}`);

/** No status, and closed without a close frame (RFC 6455 7.4.1). */
const WITHOUT_CODE: ReadonlySet<number> = new Set([1_005, 1_006]);

/** A WebSocket that the node closed: with its reason, or else the code that it gave (1008 policy, 1013 try again later). */
export function closedFailure(node: string, code: number, said: string, redact: Redact): ChainError {
  const reason = nodeText(said, redact);
  const words = [...(reason === '' ? [] : [reason]), ...(WITHOUT_CODE.has(code) ? [] : [`code ${code}`])];
  if (words.length === 0) return brokenConnection(node);
  const kind = isCallLimit(said, code) ? 'rate-limited' : 'unreachable';
  return new ChainError(kind, `${node} ${RESET}: ${words.join(', ')}`);
}

/** Longer ones are web pages, which may speak of limits as well. */
const LONGEST_NOTICE = 1_000;

/** A short body that names a limit: gateways send it instead of JSON-RPC, with any status. `null`: another body. */
export function noticeFailure(node: string, body: unknown, redact: Redact, retryAfterMs: number | null) {
  const notice = errorMember(body).message || JSON.stringify(body);
  const isNotice = notice.length <= LONGEST_NOTICE && isCallLimit(notice);
  return isNotice ? rpcFailure(node, '', notice, redact, retryAfterMs) : null;
}

export const timeoutFailure = (node: string, timeoutMs: number): ChainError =>
  new ChainError('timeout', `${node} did not answer within ${Math.max(1, Math.round(timeoutMs / 1000))} s`);

export const tooLargeFailure = (node: string, maxBytes: number): ChainError =>
  new OversizedResponse(`${node} answers more than ${maxBytes / 2 ** 20} MB: try another node`);

export const notRpcFailure = (node: string): ChainError =>
  new ChainError(
    'bad-response',
    `${node} answers something that is not JSON-RPC: is that the address of a JSON-RPC node?`,
  );

/** Whether this is an error with number and text, as JSON-RPC wants it. */
export function isRpcError(error: unknown): boolean {
  const { code, message } = errorMember(error);
  return code !== null && message !== '';
}

function errorMember(error: unknown): { readonly code: number | null; readonly message: string } {
  const { code, message } =
    typeof error === 'object' ? { code: null, message: null, ...error } : { code: null, message: error };
  return {
    code: typeof code === 'number' ? code : null,
    message: typeof message === 'string' ? message : '',
  };
}
