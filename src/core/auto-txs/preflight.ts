import { formatDuration } from '../units.ts';
import { utcMinute } from '../utc-minute.ts';
import { deadlineCheck } from './deadline-check.ts';
import { delegationCheck } from './delegation-check.ts';
import { gasCheck } from './gas-check.ts';
import type { Check } from './kept-auto-tx.ts';
import { moneyChecks } from './money-checks.ts';
import { nonceChecks } from './nonce-checks.ts';
import type { PreflightFacts } from './preflight-facts.ts';
import { chainWords } from './preflight-words.ts';
import { reachableCheck } from './reachable-check.ts';

/** How far ahead an auto-tx may expire. */
export const EXPIRY_MOST_MS = 366 * 86_400_000;

/**
 * Everything that can be told of a transaction before it is sent, each a line that a person understands. The names and
 * their order are the contract's: chain, signature, delegation (of type 4), nonce, nonce-gap, balance, cap, blob-cap (of blob transactions),
 * intrinsic-gas, expiry, deadline (of calls that have one), reachable, cost. What is to be done about it is for `verdict.ts` to say.
 */
export function preflight(facts: PreflightFacts): Check[] {
  const { balance, cap, cost } = moneyChecks(facts);
  const checks = [
    chainCheck(facts),
    signatureCheck(facts),
    ...delegationCheck(facts),
    ...nonceChecks(facts),
    balance,
    ...cap,
    gasCheck(facts),
    expiryCheck(facts),
    ...deadlineCheck(facts),
    reachableCheck(facts),
    cost,
  ];
  return isForAnotherChain(facts) ? checks.map(unasked) : checks;
}

/** What holds of it on whatever chain. */
const ANYWHERE: ReadonlySet<string> = new Set(['chain', 'signature', 'delegation', 'expiry', 'deadline']);

/** This chain's account and prices say nothing of what is for another one. */
const unasked = (check: Check): Check =>
  ANYWHERE.has(check.name)
    ? check
    : { name: check.name, ok: null, message: 'not asked: it is for another chain' };

export const isForAnotherChain = ({
  transaction,
  chainId,
}: Pick<PreflightFacts, 'transaction' | 'chainId'>): boolean =>
  transaction.chainId !== null && transaction.chainId !== chainId;

function chainCheck({ transaction, chainId, chainName }: PreflightFacts): Check {
  const name = 'chain';
  const here = chainWords(chainId, chainName);
  if (transaction.chainId === null) {
    const message =
      'it names no chain (it was signed without EIP-155): whoever sees it can send it on every other chain, too, and many nodes refuse it; sign it again with a chain id';
    return { name, ok: false, message };
  }
  if (transaction.chainId === chainId) return { name, ok: true, message: `signed for ${here}` };
  const message = `it is signed for ${chainWords(transaction.chainId)}, but this is ${here}`;
  return { name, ok: false, message };
}

function signatureCheck({ transaction: { from } }: PreflightFacts): Check {
  return { name: 'signature', ok: true, message: `signed by ${from}` };
}

function expiryCheck({ order: { expiresAt }, now }: PreflightFacts): Check {
  const name = 'expiry';
  if (expiresAt === null) {
    return { name, ok: true, message: 'it waits until its target is reached, however long that takes' };
  }
  const left = expiresAt - now;
  if (left <= 0) return { name, ok: false, message: `its time was over at ${utcMinute(expiresAt)}` };
  if (left > EXPIRY_MOST_MS) {
    return { name, ok: false, message: `it may wait ${EXPIRY_MOST_MS / 86_400_000} days at most` };
  }
  const message = `it waits until ${utcMinute(expiresAt)} at most, ${formatDuration(left / 1_000)} from now`;
  return { name, ok: true, message };
}
