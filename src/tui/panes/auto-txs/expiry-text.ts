import { EXPIRY_LONGEST_MS } from '../../../contract/choices.ts';
import { parseCooldown } from '../../../core/alerts/cooldown-text.ts';

const NONE = 'none';
const EXPIRY_PRESETS: readonly string[] = [NONE, '1h', '6h', '1d', '7d'];
export const EXPIRY_DEFAULT = '1d';
const NEVER = /^(none|never|no|-|—)$/i;
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z?$/i;

export type Expiry =
  | { readonly kind: 'never' }
  /** So long from when it is sent to the service. */
  | { readonly kind: 'after'; readonly ms: number }
  /** Ms since epoch. */
  | { readonly kind: 'at'; readonly at: number };

/** `6h`, `1d12h`, `none`, `2026-01-06T12:00Z` (UTC); `null`: that is none of them. */
export function parseExpiry(text: string): Expiry | null {
  const bare = text.trim();
  if (NEVER.test(bare)) return { kind: 'never' };
  const ms = parseCooldown(bare);
  if (ms !== null) return ms > 0 ? { kind: 'after', ms } : null;
  if (!TIME.test(bare)) return null;
  const at = Date.parse(`${bare.replace(/z$/i, '').replace(' ', 'T')}Z`);
  return Number.isNaN(at) ? null : { kind: 'at', at };
}

/** When that is, ms since epoch, seen from `now`; `null`: never. */
export function expiresAt(expiry: Expiry, now: number): number | null {
  switch (expiry.kind) {
    case 'never':
      return null;
    case 'after':
      return now + expiry.ms;
    case 'at':
      return expiry.at;
  }
}

/** What is wrong with it, in words that go after its name. */
export function expiryProblem(text: string, now: number): string | null {
  const expiry = parseExpiry(text);
  if (expiry === null) return 'must be a time such as 6h, 1d, 2026-01-31T12:00Z, or none';
  const at = expiresAt(expiry, now);
  if (at === null) return null;
  if (at <= now) return 'is in the past';
  return at > now + EXPIRY_LONGEST_MS ? 'must be at most 366 days ahead' : null;
}

/** A time as it can be typed: `2026-01-31T12:00Z`; `none`. */
export function expiryText(at: number | null): string {
  if (at === null) return NONE;
  return new Date(at).toISOString().replace(/(:00)?\.000Z$/, 'Z');
}

/** The preset after the one that stands there; the first where none does. */
export function nextExpiry(text: string): string {
  const place = EXPIRY_PRESETS.indexOf(text.trim().toLowerCase());
  return EXPIRY_PRESETS[(place + 1) % EXPIRY_PRESETS.length] ?? text;
}
