import { delegationWords, isTakenBack } from '../transactions/delegation-words.ts';
import type { Check } from './kept-auto-tx.ts';
import type { PreflightFacts } from './preflight-facts.ts';

const name = 'delegation';

/** Whose accounts it hands over to code (EIP-7702), which keeps nothing from being sent; none of other types. */
export function delegationCheck({
  transaction,
  chainId,
}: Pick<PreflightFacts, 'transaction' | 'chainId'>): readonly Check[] {
  if (transaction.type !== 4) return [];
  const { authorizations } = transaction;
  const words = delegationWords({ authorizations, chainId });
  if (words === null) {
    const message = 'it hands accounts over to code (EIP-7702): which ones could not be told';
    return [{ name, ok: null, message }];
  }
  const handedOver = authorizations.filter((each) => !isTakenBack(each));
  if (handedOver.length === 0) return [{ name, ok: true, message: `it ${words}` }];
  const everywhere = handedOver.filter(({ chainId }) => chainId === 0).length;
  if (everywhere === 0) {
    return [{ name, ok: null, message: `it ${words}: make sure that you trust this code` }];
  }
  const count = authorizations.length;
  const which = count === 1 ? '' : `; ${everywhere} of ${count} on every chain`;
  const message = `it ${words}${which}: whoever sees it can use it on any other chain, too; sign it for one chain`;
  return [{ name, ok: false, message }];
}

/** Authorizations are not kept: where checks are made anew without what was signed, what was found with it stands. */
export function withKeptDelegation(checks: readonly Check[], before: readonly Check[]): Check[] {
  const kept = before.find((check) => check.name === name);
  return checks.map((check) => (check.name === name ? (kept ?? check) : check));
}
