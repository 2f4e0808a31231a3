import { STATUS_CODES } from 'node:http';
import { cleanText } from '../../core/clean-text.ts';
import { connectionWords } from './connection-words.ts';
import type { Attempt } from './courier.ts';
import { readRetryAfter } from './retry-after.ts';
import { RequestRefused, type WebAnswer } from './send-request.ts';

const LONGEST_ANSWER = 200;
const LONGEST_EXCERPT = 120;

export const delivered = (answer: string): Attempt => attempt('delivered', answer);
export const never = (answer: string): Attempt => attempt('never', answer);
export const gone = (answer: string): Attempt => attempt('gone', answer);
export const later = (answer: string, retryAfterSec: number | null = null): Attempt =>
  attempt('later', answer, retryAfterSec);

function attempt(outcome: Attempt['outcome'], answer: string, retryAfterSec: number | null = null): Attempt {
  return { outcome, answer: cleanText(answer, LONGEST_ANSWER), retryAfterSec };
}

/** No answer came: why. Whether time was up only the sender knows, whose `signal` it is. */
export function unanswered(error: unknown, signal: AbortSignal): Attempt {
  if (error instanceof RequestRefused) return later(`refused: ${error.message}`);
  if (signal.aborted) return later('no answer in time');
  return later(connectionWords(error));
}

/** What is not delivered for now, as the receiver said it. @param now ms since epoch */
export function laterAfter(answer: WebAnswer, said: string, now: number): Attempt {
  return later(said, readRetryAfter(answer.retryAfter, now));
}

/**
 * A status in the words of HTTP, and the beginning of what came with it. Whatever of `secrets` it repeats is left out:
 * servers like to say which path they do not know.
 */
export function statusWords({ status, text, movedTo }: WebAnswer, secrets: readonly string[] = []): string {
  const words = STATUS_CODES[status];
  const line = words === undefined ? String(status) : `${status} ${words}`;
  if (status >= 300 && status < 400) {
    return movedTo === null ? `${line}, which leads nowhere` : `${line}: moved to ${movedTo}`;
  }
  const excerpt = cleanText(without(text, secrets), LONGEST_EXCERPT).trim();
  return excerpt === '' || /^</.test(excerpt) ? line : `${line}: ${excerpt}`;
}

const SHORTEST_TOKEN = 8;

/** What of a webhook's URL may be its secret: path and query, whole and in parts. */
export function secretsOf(target: string): string[] {
  const url = URL.parse(target);
  if (url === null) return [];
  const { pathname, search } = url;
  const parts = [...pathname.split('/').filter(({ length }) => length >= SHORTEST_TOKEN)];
  const whole = [`${pathname}${search}`, pathname, search, search.slice(1)];
  const secrets = [...whole, ...parts, ...url.searchParams.values()];
  return [...secrets, ...secrets.map(decoded)].filter(({ length }) => length > 1);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function without(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length > 1)
    .reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
}
