import type { AlertMessage } from '../../../core/alerts/alert-rule.ts';
import { cleanText } from '../../../core/text.ts';

export interface Notification {
  /** The same for every attempt: the recipient's idempotency key. */
  readonly id: string;
  readonly target: string;
  readonly message: AlertMessage;
  /** The owner's secrets, each of which signs webhooks. */
  readonly signingSecrets: readonly string[];
}

export interface Attempt {
  /** `later`: retried; `never`: refuses this notification; `gone`: refuses the alert for good, which disables it. */
  readonly kind: 'delivered' | 'later' | 'never' | 'gone';
  /** The response in short for the log, without secrets and whole URLs. */
  readonly answer: string;
  readonly retryAfterSec: number | null;
}

export interface Notifier {
  readonly deadlineMs?: number;
  /** One attempt. Never rejects. */
  deliver(notification: Notification, signal: AbortSignal): Promise<Attempt>;
}

export type Notifiers = Readonly<Partial<Record<string, Notifier>>>;

/** Messages for error codes of Node, for the delivery log. */
const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed early',
  EPIPE: 'connection closed early',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ENOTFOUND: 'host not found',
  ENODATA: 'host not found',
  EDNS: 'host not found',
  EAI_AGAIN: 'DNS lookup failed',
  HPE_HEADER_OVERFLOW: 'response headers too large',
  EPROTO: 'TLS failed: is that an https server?',
  CERT_HAS_EXPIRED: 'its TLS certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its TLS certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its TLS certificate is signed by an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its TLS certificate is for another host',
};

/** Why there was no response, without the addresses and secrets that an error may repeat. */
export function connectionWords(error: unknown): string {
  // When several addresses were tried, of the first.
  const { code } = Object(error instanceof AggregateError ? error.errors[0] : error);
  if (typeof code !== 'string') return 'no connection';
  if (code.startsWith('HPE_')) return BY_CODE[code] ?? 'the response is not HTTP';
  const what = /^ERR_(?:SSL|TLS)_|CERT|SIGN/.test(code) ? 'TLS failed' : 'no connection';
  return BY_CODE[code] ?? `${what} (${cleanText(code, 60)})`;
}

const LONGEST_RESPONSE = 200;

const attempt =
  (kind: Attempt['kind']) =>
  (answer: string, retryAfterSec: number | null = null): Attempt => ({
    kind,
    answer: cleanText(answer, LONGEST_RESPONSE),
    retryAfterSec,
  });

export const delivered = attempt('delivered');
export const never = attempt('never');
export const gone = attempt('gone');
export const later = attempt('later');
