import { cleanText } from '../../core/clean-text.ts';
import { ChainError, OversizedAnswer } from '../errors.ts';

/** Takes out of a text what must not be shown of a node's address; see redaction.ts. */
export type Redact = (text: string) => string;

const LONGEST_SAID = 160;
const LONGEST_READ = 16_384;

/**
 * Text from a node made fit for a message: one line, no control or escape characters, no addresses, no long hex
 * (a refusal often repeats the signed bytes it refuses), nothing of the node's own key.
 */
export function nodeText(text: string, redact: Redact): string {
  // Cleaned first, so that nothing unseen splits what is looked for; cut last, so that no half of it stays.
  const line = redact(cleanText(text.slice(0, LONGEST_READ)))
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '(address)')
    .replace(/\b(?:0x)?[0-9a-f]{67,}/gi, '0x…')
    .replace(/ {2,}/g, ' ')
    .trim();
  return cleanText(line, LONGEST_SAID);
}

/** A JSON-RPC `error` member as a `ChainError`. */
export function rpcFailure(node: string, method: string, error: unknown, redact: Redact): ChainError {
  const { code, message } = errorMember(error);
  const said = nodeText(message, redact) || `error ${code ?? 'without a number'}`;
  if (code === -32601 || /method.*(?:not (?:found|supported|available|exist)|unsupported)/i.test(message)) {
    return new ChainError('unsupported', `${node} has no ${method}: ${said}`);
  }
  // -32005 is EIP-1474's "limit exceeded", 429 and -32007 are providers' own words for it.
  if (
    code === 429 ||
    code === -32007 ||
    (code === -32005 && !/block|range/i.test(message)) ||
    RATE.test(message)
  ) {
    return new ChainError('rate-limited', `${node} has had too many requests: ${said}`);
  }
  const isPruned = code === PRUNED_HISTORY || PRUNED.test(message);
  return new ChainError(isPruned ? 'pruned' : 'rejected', `${node} refuses ${method}: ${said}`);
}

/** EIP-4444's number for what a node no longer keeps; the words are of nodes that have no number for it. */
const PRUNED_HISTORY = 4444;
const PRUNED = /\bprun(?:ed|ing)\b|\bhistory (?:is )?(?:unavailable|not available|expired)\b/i;

const RATE = /rate.?limit|too many requests|requests? per second|quota|throughput|compute units/i;

/** An HTTP status without a JSON-RPC answer. */
export function statusFailure(node: string, status: number): ChainError {
  if (status === 429) {
    return new ChainError(
      'rate-limited',
      `${node} has had too many requests (HTTP 429): ask less often or use another node`,
      { isUnsent: true },
    );
  }
  if (status === 401 || status === 403) {
    return new ChainError(
      'unreachable',
      `${node} refuses access (HTTP ${status}): check the key in its address`,
      { isUnsent: true },
    );
  }
  if (status >= 300 && status < 400) {
    return new ChainError(
      'bad-answer',
      `${node} sends elsewhere (HTTP ${status}): use the address it leads to`,
      { isUnsent: true },
    );
  }
  if (status >= 500) {
    return new ChainError(
      'unreachable',
      `${node} fails (HTTP ${status}): try again later or use another node`,
    );
  }
  return new ChainError(
    'bad-answer',
    `${node} answers HTTP ${status}: is that the address of a JSON-RPC node?`,
  );
}

/** A connection that could not be made or broke, from the error code that Node.js gives for it. */
export function connectionFailure(node: string, code: string | null): ChainError {
  return new ChainError('unreachable', `${node} ${CONNECTION[code ?? ''] ?? connectionText(code)}`, {
    isUnsent: code !== null && (UNSENT.has(code) || CERTIFICATE.test(code)),
  });
}

/** With these there was never a connection. */
const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const CERTIFICATE = /CERT|SELF_SIGNED/;

const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses the connection: is the node running?',
  ECONNRESET: 'broke the connection off',
  UND_ERR_SOCKET: 'broke the connection off',
  EPIPE: 'broke the connection off',
  ENOTFOUND: 'is not known by name: check the spelling and the network',
  EAI_AGAIN: 'is not known by name: check the spelling and the network',
  ENETUNREACH: 'cannot be reached from this network',
  EHOSTUNREACH: 'cannot be reached from this network',
  ETIMEDOUT: 'does not take the connection',
  UND_ERR_CONNECT_TIMEOUT: 'does not take the connection',
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
  return new OversizedAnswer(
    `${node} answers more than ${Math.round(maxBytes / 2 ** 20)} MB: try another node`,
  );
}

export function notJsonFailure(node: string): ChainError {
  return new ChainError(
    'bad-answer',
    `${node} answers something that is not JSON: is that the address of a JSON-RPC node?`,
  );
}

/** The first error code (`ECONNREFUSED`, …) along a chain of causes. */
export function systemCode(error: unknown): string | null {
  for (let each: unknown = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth++) {
    if ('code' in each && typeof each.code === 'string') return each.code;
  }
  return null;
}

function errorMember(error: unknown): { code: number | null; message: string } {
  if (typeof error === 'string') return { code: null, message: error };
  if (typeof error !== 'object' || error === null) return { code: null, message: '' };
  return {
    code: 'code' in error && typeof error.code === 'number' ? error.code : null,
    message: 'message' in error && typeof error.message === 'string' ? error.message : '',
  };
}
