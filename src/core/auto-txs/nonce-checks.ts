import type { Check } from './kept-auto-tx.ts';
import { noncesBefore, nonceWords, waitingWords } from './nonce-order.ts';
import type { PreflightFacts } from './preflight-facts.ts';

/** Whether its nonce is free, and whether everything before it is on its way. */
export function nonceChecks(facts: PreflightFacts): readonly [Check, Check] {
  return [
    { name: 'nonce', ...nonceLine(facts) },
    { name: 'nonce-gap', ...gapLine(facts) },
  ];
}

type Line = Omit<Check, 'name'>;

function nonceLine({ transaction: { nonce }, nextNonce, pendingNonce }: PreflightFacts): Line {
  if (nextNonce === null) {
    return { ok: null, message: `it could not be told whether nonce ${nonce} is free` };
  }
  if (nonce < nextNonce) return { ok: false, message: usedWords(nonce, nextNonce) };
  if (pendingNonce !== null && nonce < pendingNonce) return { ok: false, message: inPoolWords(nonce) };
  const message =
    nonce === nextNonce
      ? `nonce ${nonce} is the sender's next`
      : `nonce ${nonce} is free; the sender's next is ${nextNonce}`;
  return { ok: true, message };
}

/** Its nonce is in the chain already. */
export const usedWords = (nonce: number, nextNonce: number) =>
  `nonce ${nonce} is used: the sender's next is ${nextNonce}; sign it again with that`;

/** The pool has its nonce, and it may be this very one, which a wallet has sent. */
export const inPoolWords = (nonce: number) =>
  `a transaction with nonce ${nonce} waits in the node's pool already: this one is not sent beside it, and only one of the two can be mined`;

function gapLine(facts: PreflightFacts): Line {
  const { nonce } = facts.transaction;
  const before = noncesBefore(facts);
  if (before === null) {
    return { ok: null, message: `it could not be told whether nonces below ${nonce} are missing` };
  }
  const { missing, waiting } = before;
  if (missing.length > 0) return { ok: false, message: missingWords(facts) };
  const disabled = waiting.filter(({ status }) => status === 'DISABLED');
  if (disabled.length > 0) {
    return { ok: false, message: `it comes after ${waitingWords(disabled)}, not sent while disabled` };
  }
  if (waiting.length > 0) return { ok: true, message: `it goes out after ${waitingWords(waiting)}` };
  return { ok: true, message: 'no nonce below it is missing' };
}

/** Which nonces are missing, and what waits among them. */
export function missingWords(facts: PreflightFacts): string {
  const { missing, waiting } = noncesBefore(facts) ?? { missing: [], waiting: [] };
  const [first] = missing;
  const isOne = missing.length === 1 && first !== undefined && first.first === first.last;
  const words = `${nonceWords(missing)} ${isOne ? 'is' : 'are'} missing: send ${isOne ? 'a transaction with that nonce' : 'transactions with those'} first`;
  return waiting.length === 0
    ? words
    : `${words}; ${waitingWords(waiting)} also ${waiting.length === 1 ? 'comes' : 'come'} before it`;
}
