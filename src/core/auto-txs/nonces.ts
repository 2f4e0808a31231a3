import type { KeptAutoTx } from './kept-auto-tx.ts';
import {
  blocks,
  type Found,
  needs,
  type PreflightFacts,
  passes,
  unknown,
  type WaitingBelow,
  waits,
} from './preflight-facts.ts';
import type { AutoTxState } from './state-machine.ts';

export function nonceCheck({ transaction: { nonce }, nextNonce, pendingNonce }: PreflightFacts): Found {
  if (nextNonce === null) return unknown(`whether nonce ${nonce} is free is unknown`);
  if (nonce < nextNonce) return blocks('nonce_used', usedWords(nonce, nextNonce));
  if (pendingNonce !== null && nonce < pendingNonce) return needs('nonce_pending', inPoolWords(nonce));
  const message =
    nonce === nextNonce
      ? `nonce ${nonce} is the sender's next`
      : `nonce ${nonce} is free; the sender's next is ${nextNonce}`;
  return passes(message);
}

export const usedWords = (nonce: number, nextNonce: number) =>
  `nonce ${nonce} is used: the sender's next is ${nextNonce}; sign it again with nonce ${nextNonce}`;

/** The pool has its nonce, perhaps from this very transaction, sent by a wallet. */
const inPoolWords = (nonce: number) =>
  `a transaction with nonce ${nonce} is in the node's pool already: only one of the two can be mined, so this one is not broadcast`;

/** Checks that all lower nonces are used or pending. */
export function nonceGapCheck(facts: PreflightFacts): Found {
  const { nonce } = facts.transaction;
  const before = noncesBefore(facts);
  if (before === null) return unknown(`whether nonces below ${nonce} are missing is unknown`);
  const { missing, waiting } = before;
  if (missing.length > 0) return needs('nonce_gap', missingWords(before));
  const disabled = waiting.filter(({ status }) => status === 'DISABLED');
  if (disabled.length > 0) {
    return needs('nonce_order', `it waits for ${waitingWords(disabled)}, which is disabled`);
  }
  if (waiting.length > 0) return waits('nonce_order', `it is broadcast after ${waitingWords(waiting)}`);
  return passes('no nonce below it is missing');
}

/** The nonces that a transaction waits for: `nonce 5`, `auto-tx 4f (nonce 5)`; `null` when none are known. */
export function nonceHoldWords(facts: PreflightFacts): string | null {
  const { transaction, pendingNonce } = facts;
  if (pendingNonce !== null && transaction.nonce < pendingNonce) return 'the one with its nonce in the pool';
  const { missing = [], waiting = [] } = noncesBefore(facts) ?? {};
  if (missing.length > 0) return nonceWords(missing);
  return waiting.length > 0 ? waitingWords(waiting) : null;
}

function missingWords({ missing, waiting }: NoncesBefore): string {
  const isOne = isOneNonce(missing);
  const words = `${nonceWords(missing)} ${isOne ? 'is' : 'are'} missing: send ${isOne ? 'a transaction with that nonce' : 'transactions with those'} first`;
  return waiting.length === 0
    ? words
    : `${words}; ${waitingWords(waiting)} also ${waiting.length === 1 ? 'comes' : 'come'} before it`;
}

interface NonceRange {
  readonly first: number;
  readonly last: number;
}

const isOneNonce = ([range, ...others]: readonly NonceRange[]) =>
  others.length === 0 && range?.first === range?.last;

/** The nonces below a transaction's that no node has yet. */
interface NoncesBefore {
  readonly missing: readonly NonceRange[];
  readonly waiting: readonly WaitingBelow[];
}

/** For a transaction whose nonce is not below the next one. `null` when the sender's next nonce is unknown. */
function noncesBefore({
  transaction: { nonce },
  nextNonce,
  pendingNonce,
  waitingBelow,
}: PreflightFacts): NoncesBefore | null {
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
function nonceWords(ranges: readonly NonceRange[]): string {
  const parts = ranges
    .slice(0, RANGES_MOST)
    .map(({ first, last }) => (first === last ? `${first}` : `${first} to ${last}`));
  if (ranges.length > RANGES_MOST) parts.push('more');
  return `${isOneNonce(ranges) ? 'nonce' : 'nonces'} ${listWords(parts)}`;
}

/** `5`, `5 and 6`, `5, 6 and 9 to 12`. */
function listWords(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

const WAITING_MOST = 3;

/** `auto-tx 4f (nonce 5)`, `auto-txs 4f (nonce 5) and 9a (nonce 6)`. */
function waitingWords(waiting: readonly WaitingBelow[]): string {
  const parts = waiting.slice(0, WAITING_MOST).map(({ id, nonce }) => `${id} (nonce ${nonce})`);
  if (waiting.length > WAITING_MOST) parts.push(`${waiting.length - WAITING_MOST} more`);
  return `${waiting.length === 1 ? 'auto-tx' : 'auto-txs'} ${listWords(parts)}`;
}

/** The sender's live auto-txs with a nonce below `nonce`; `id`: its own when it is already stored, left out. */
export function waitingBelow(
  live: readonly KeptAutoTx[],
  { id, nonce }: { readonly id: string | null; readonly nonce: number },
): readonly WaitingBelow[] {
  return live.flatMap(({ id: other, signed, state }) =>
    other === id || signed === null || signed.nonce >= nonce
      ? []
      : [{ id: other, nonce: signed.nonce, status: isUnsent(state) ? 'PENDING' : state.status }],
  );
}

/** To be sent, but no node is known to have it: a pool would hold a later nonce back. */
const isUnsent = ({ status, sentAt, unseen, inclusion }: AutoTxState): boolean =>
  status === 'SUBMITTED' && inclusion === null && (sentAt === null || unseen > 0);
