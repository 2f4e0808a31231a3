import { cleanText } from '../../core/text.ts';
import { ChainError, type ChainErrorCode, OversizedResponse } from '../chain-source.ts';

/** Failures of nodes, including invalid URLs, as `ChainError`: one line for people, without secrets of the URL. */

const EXAMPLE = 'for example http://127.0.0.1:8545';
const SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'ws', 'wss']);

/**
 * Parses a node's URL as typed.
 *  Throws a `ChainError` (`unsupported`) with one line of advice. It repeats only the scheme: the rest often contains
 * a key.
 */
export function parseNodeUrl(text: string): URL {
  const trimmed = text.trim();
  if (trimmed === '') throw wrong('is empty', `write its address, ${EXAMPLE}`);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    throw wrong('does not say how to reach it', `begin with http://, https://, ws:// or wss://, ${EXAMPLE}`);
  }
  if (!SCHEMES.has(scheme)) {
    throw wrong(`begins with ${scheme.slice(0, 20)}://`, 'use http://, https://, ws:// or wss://');
  }
  const url = /[\s\p{Cc}]/u.test(trimmed) ? null : URL.parse(trimmed);
  if (url !== null && url.port !== '0') return url;
  throw wrong('has a host, port or character that cannot be', `write scheme, host and port, ${EXAMPLE}`);
}

function wrong(what: string, remedy: string): ChainError {
  return new ChainError('unsupported', `the node address ${what}: ${remedy}`);
}

/** Shorter parts of a URL are seldom keys and often words (`v3`, `rpc`). */
const SHORTEST_SEGMENT = 8;
const SHORTEST_VALUE = 4;

/**
 * Creates a function that removes from a text every part of `url` that may be a key: long path segments, query
 * values, user and password, encoded or decoded. Nodes repeat them ("Cannot POST /v3/…").
 */
export function createRedaction(url: URL): (text: string) => string {
  const segments = url.pathname.split('/').filter((each) => each.length >= SHORTEST_SEGMENT);
  // A query without `=` is a name alone, which is then the key.
  const query = [...url.searchParams].map(([name, value]) => (value === '' ? name : value));
  const written = url.search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
  const credentials = [url.username, url.password];
  const basic = Buffer.from(credentials.map(decoded).join(':')).toString('base64');
  const short = [...query, ...written, ...credentials, url.username === '' ? '' : basic].filter(
    (each) => each.length >= SHORTEST_VALUE,
  );
  const secrets = new Set([...segments, ...short].flatMap((each) => [each, decoded(each)]));
  if (secrets.size === 0) return (text) => text;
  // The longest first: one may contain another.
  const sorted = [...secrets].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(sorted.map(escaped).join('|'), 'gi');
  return (text) => text.replace(pattern, '(key)');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Removes the secrets of a node's URL from a text, see {@link createRedaction}. */
export type Redact = (text: string) => string;

const LONGEST_SAID = 160;
const LONGEST_READ = 16_384;

/**
 * Text from a node for a message: one line, without control characters, addresses, long hex (a refusal often repeats
 * the signed bytes) and the node's key.
 */
export function nodeText(text: string, redact: Redact): string {
  // Cleaned first, so that no invisible character splits a secret; cut last, so that no half of one remains.
  const line = redact(cleanText(text.slice(0, LONGEST_READ)))
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '(address)')
    .replace(/\b(?:0x)?[0-9a-f]{67,}/gi, '0x…')
    .replace(/ {2,}/g, ' ')
    .trim();
  return cleanText(line, LONGEST_SAID);
}

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
  if (code === -32601 || /method.*(?:not (?:found|supported|available|exist)|unsupported)/i.test(message)) {
    return new ChainError('unsupported', `${node} does not answer ${method}: use another node (${reason})`);
  }
  // -32005 is EIP-1474's "limit exceeded"; 429 and -32007 are providers' codes for it.
  if (
    code === 429 ||
    code === -32007 ||
    (code === -32005 && !/block|range/i.test(message)) ||
    RATE.test(message)
  ) {
    return new ChainError('rate-limited', `${node} has had too many requests: ${reason}`, { retryAfterMs });
  }
  const isPruned = code === PRUNED_HISTORY || PRUNED.test(message);
  return new ChainError(isPruned ? 'pruned' : 'rejected', `${node} refuses ${method}: ${reason}`);
}

/** EIP-4444's code for pruned history; the texts are of nodes without a code for it. */
const PRUNED_HISTORY = 4444;
const PRUNED = /\bprun(?:ed|ing)\b|\bhistory (?:is )?(?:unavailable|not available|expired)\b/i;

const RATE = /rate.?limit|too many requests|requests? per second|quota|throughput|compute units/i;

/** An HTTP status without a JSON-RPC response. */
export function statusFailure(node: string, status: number, retryAfterMs: number | null = null): ChainError {
  const failure = (code: ChainErrorCode, words: string, isUnsent = true) =>
    new ChainError(code, `${node} ${words}`, {
      isUnsent,
      // A proxy may name an hour while its node restarts in seconds.
      retryAfterMs: code === 'rate-limited' ? retryAfterMs : null,
    });
  if (status === 429)
    return failure(
      'rate-limited',
      'has had too many requests (HTTP 429): ask less often or use another node',
    );
  if (status === 401 || status === 403)
    return failure('unreachable', `refuses access (HTTP ${status}): check the key in its address`);
  if (status >= 300 && status < 400)
    return failure('bad-response', `sends elsewhere (HTTP ${status}): use the address it leads to`);
  if (status >= 500)
    return failure('unreachable', `fails (HTTP ${status}): try again later or use another node`, false);
  return failure('bad-response', `answers HTTP ${status}: is that the address of a JSON-RPC node?`, false);
}

/** A failed or broken connection, from Node.js's error code. */
export function connectionFailure(node: string, code: string | null): ChainError {
  return new ChainError('unreachable', `${node} ${CONNECTION[code ?? ''] ?? connectionText(code)}`, {
    isUnsent: code !== null && (UNSENT.has(code) || CERTIFICATE.test(code)),
  });
}

/** Error codes without any connection. */
const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
]);
const CERTIFICATE = /CERT|SELF_SIGNED/;

const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses the connection: is the node running?',
  ECONNRESET: 'broke the connection off',
  EPIPE: 'broke the connection off',
  ENOTFOUND: 'has no address in DNS: check the spelling and the network',
  EAI_AGAIN: 'has no address in DNS: check the spelling and the network',
  ENETUNREACH: 'cannot be reached from this network',
  EHOSTUNREACH: 'cannot be reached from this network',
  ETIMEDOUT: 'does not take the connection',
};

function connectionText(code: string | null): string {
  if (code === null || !/^[A-Z][A-Z0-9_]{2,40}$/.test(code)) return 'cannot be reached';
  if (/CERT|SELF_SIGNED|TLS|SSL/.test(code)) return `has a TLS certificate that is not trusted (${code})`;
  return `cannot be reached (${code})`;
}

export function timeoutFailure(node: string, timeoutMs: number): ChainError {
  return new ChainError(
    'timeout',
    `${node} did not answer within ${Math.max(1, Math.round(timeoutMs / 1000))} s`,
  );
}

export function tooLargeFailure(node: string, maxBytes: number): ChainError {
  return new OversizedResponse(
    `${node} answers more than ${Math.round(maxBytes / 2 ** 20)} MB: try another node`,
  );
}

export function notRpcFailure(node: string): ChainError {
  return new ChainError(
    'bad-response',
    `${node} answers something that is not JSON-RPC: is that the address of a JSON-RPC node?`,
  );
}

/** Node.js's code of an error, such as `ECONNREFUSED`. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Whether a response has an `error` with number and text, as JSON-RPC wants it. */
export function isRpcError(response: unknown): boolean {
  if (typeof response !== 'object' || response === null || !('error' in response)) return false;
  const { error } = response;
  return typeof error === 'object' && errorMember(error).code !== null && errorMember(error).message !== '';
}

function errorMember(error: unknown): { code: number | null; message: string } {
  if (typeof error === 'string') return { code: null, message: error };
  if (typeof error !== 'object' || error === null) return { code: null, message: '' };
  return {
    code: 'code' in error && typeof error.code === 'number' ? error.code : null,
    message: 'message' in error && typeof error.message === 'string' ? error.message : '',
  };
}
