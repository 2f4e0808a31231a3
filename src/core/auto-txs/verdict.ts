import type { Obstacle } from './auto-tx-state.ts';
import { deadlineObstacle } from './deadline-check.ts';
import { mostItTakes } from './fee-costs.ts';
import { gasObstacle } from './gas-check.ts';
import type { Check } from './kept-auto-tx.ts';
import { capObstacle, lackWords } from './money-checks.ts';
import { inPoolWords, missingWords, usedWords } from './nonce-checks.ts';
import { noncesBefore, waitingWords } from './nonce-order.ts';
import { EXPIRY_MOST_MS, isForAnotherChain, preflight } from './preflight.ts';
import type { PreflightFacts } from './preflight-facts.ts';

/** What is to be done with one whose target is reached. */
export type Verdict =
  | { readonly kind: 'go' }
  /** Something is in the way that may go away. */
  | { readonly kind: 'hold'; readonly obstacle: Obstacle }
  /** It can never be mined. */
  | { readonly kind: 'refuse'; readonly obstacle: Obstacle };

/**
 * For the moment before it is sent. Whether the target is reached is not asked here. What nobody knows holds it, but for
 * the fees of the next block: a node judges those itself.
 *
 * `nonce_used` is also what its own bytes say once they are mined: whoever gets it looks at the chain first where they may
 * be out, or where a wallet may have sent them.
 */
export function verdict(facts: PreflightFacts): Verdict {
  const [hopeless] = hopelessness(facts);
  if (hopeless !== undefined) return { kind: 'refuse', obstacle: hopeless };
  // It would be mined, and be for nothing.
  const past = deadlineObstacle(facts);
  if (past !== null) return { kind: 'refuse', obstacle: past };
  const obstacle = obstacleNow(facts);
  return obstacle === null ? { kind: 'go' } : { kind: 'hold', obstacle };
}

/** Why no block of this chain will ever take it: nothing that waiting could mend. */
function hopelessness(facts: PreflightFacts): readonly Obstacle[] {
  const obstacles: Obstacle[] = [];
  const { transaction, nextNonce } = facts;
  const { nonce } = transaction;
  // Nothing else of this chain is about it.
  if (isForAnotherChain(facts)) return [{ code: 'wrong_chain', message: messageOf(facts, 'chain') }];
  if (nextNonce !== null && nonce < nextNonce) {
    obstacles.push({ code: 'nonce_used', message: usedWords(nonce, nextNonce) });
  }
  const gas = gasObstacle(facts);
  return gas === null ? obstacles : [...obstacles, gas];
}

function obstacleNow(facts: PreflightFacts): Obstacle | null {
  const { transaction, order, balance, nextNonce, pendingNonce, now } = facts;
  const { nonce } = transaction;
  if (order.expiresAt !== null && order.expiresAt <= now) {
    return { code: 'expired', message: messageOf(facts, 'expiry') };
  }
  const before = noncesBefore(facts);
  if (before === null || nextNonce === null || balance === null) {
    return { code: 'sender_unknown', message: `no node says what ${transaction.from} has sent and has` };
  }
  if (pendingNonce !== null && nonce < pendingNonce) {
    return { code: 'nonce_pending', message: inPoolWords(nonce) };
  }
  if (before.missing.length > 0) return { code: 'nonce_gap', message: missingWords(facts) };
  if (before.waiting.length > 0) {
    return { code: 'nonce_order', message: `it goes out after ${waitingWords(before.waiting)}` };
  }
  if (balance < mostItTakes(transaction)) {
    return { code: 'insufficient_balance', message: lackWords(facts, balance) };
  }
  return capObstacle(facts);
}

/** Why what somebody hands over is not taken at all: nothing that waiting could mend. */
export interface CreationProblem {
  readonly code: string;
  /** The field of the request that it is about. */
  readonly path: 'signedTransaction' | 'expiresAt';
  readonly message: string;
}

/** Empty: it is taken, whatever else the checks say of it. */
export function creationProblems(facts: PreflightFacts): readonly CreationProblem[] {
  const { now, order } = facts;
  const { expiresAt } = order;
  const problems = hopelessness(facts).map(
    (obstacle): CreationProblem => ({ ...obstacle, path: 'signedTransaction' }),
  );
  const isOutOfTime = expiresAt !== null && (expiresAt <= now || expiresAt - now > EXPIRY_MOST_MS);
  return isOutOfTime
    ? [...problems, { code: 'expiry', path: 'expiresAt', message: messageOf(facts, 'expiry') }]
    : problems;
}

const messageOf = (facts: PreflightFacts, name: string) =>
  preflight(facts).find((check: Check) => check.name === name)?.message ?? name;
