import type { PreflightFacts, WaitingBelow } from './preflight-facts.ts';
import { listWords } from './preflight-words.ts';

/** Nonces from `first` to `last`, both included. */
interface NonceRange {
  readonly first: number;
  readonly last: number;
}

/** What has to be mined before a transaction, and is not with a node yet. */
export interface NoncesBefore {
  /** Nobody is known to have these. */
  readonly missing: readonly NonceRange[];
  /** Auto-txs that are still to be sent, by nonce. */
  readonly waiting: readonly WaitingBelow[];
}

/** Of a transaction whose nonce is not below the next one. `null`: nobody knows the sender's next nonce. */
export function noncesBefore({
  transaction: { nonce },
  nextNonce,
  pendingNonce,
  waitingBelow,
}: Pick<PreflightFacts, 'transaction' | 'nextNonce' | 'pendingNonce' | 'waitingBelow'>): NoncesBefore | null {
  if (nextNonce === null) return null;
  const first = Math.max(nextNonce, pendingNonce ?? nextNonce);
  const known = waitingBelow
    .filter((each) => each.nonce >= first && each.nonce < nonce)
    .toSorted((one, other) => one.nonce - other.nonce);
  const missing: NonceRange[] = [];
  let next = first;
  for (const each of known) {
    if (each.nonce > next) missing.push({ first: next, last: each.nonce - 1 });
    next = Math.max(next, each.nonce + 1);
  }
  if (nonce > next) missing.push({ first: next, last: nonce - 1 });
  return { missing, waiting: known.filter(({ status }) => status !== 'SUBMITTED') };
}

const RANGES_MOST = 3;

/** `nonce 5`, `nonces 5, 6 and 9 to 12`. */
export function nonceWords(ranges: readonly NonceRange[]): string {
  const parts = ranges
    .slice(0, RANGES_MOST)
    .map(({ first, last }) => (first === last ? `${first}` : `${first} to ${last}`));
  if (ranges.length > RANGES_MOST) parts.push('more');
  const [only] = ranges;
  const isOne = ranges.length === 1 && only !== undefined && only.first === only.last;
  return `${isOne ? 'nonce' : 'nonces'} ${listWords(parts)}`;
}

const WAITING_MOST = 3;

/** `auto-tx 4f (nonce 5)`, `auto-txs 4f (nonce 5) and 9a (nonce 6)`. */
export function waitingWords(waiting: readonly WaitingBelow[]): string {
  const parts = waiting.slice(0, WAITING_MOST).map(({ id, nonce }) => `${id} (nonce ${nonce})`);
  if (waiting.length > WAITING_MOST) parts.push(`${waiting.length - WAITING_MOST} more`);
  return `${waiting.length === 1 ? 'auto-tx' : 'auto-txs'} ${listWords(parts)}`;
}
