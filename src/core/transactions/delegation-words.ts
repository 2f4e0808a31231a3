import { shortAddress } from './abi-text.ts';
import type { Authorization, SignedTransaction } from './signed-transaction.ts';

const NAMED = 2;
const NO_CODE = `0x${'0'.repeat(40)}`;

/** It ends a delegation and hands nothing over (EIP-7702). */
export const isTakenBack = ({ address }: Pick<Authorization, 'address'>) => address === NO_CODE;

/**
 * What becomes of whose account by the authorizations of a transaction (EIP-7702), the first two of many named:
 * `hands the account 0xd8dA6B…6045 over to the code at 0x709979…79C8 (on this chain)`; `null`: it has none.
 */
export function delegationWords({
  authorizations,
  chainId,
}: Pick<SignedTransaction, 'authorizations' | 'chainId'>): string | null {
  if (authorizations.length === 0) return null;
  const named = authorizations.slice(0, NAMED).map((each) => wordsOf(each, chainId));
  if (authorizations.length === 1) return named.join('');
  const more = authorizations.length - named.length;
  const all = [...named, ...(more > 0 ? [`${more} more`] : [])];
  return `changes who controls accounts ${authorizations.length} times: ${all.join('; ')}`;
}

function wordsOf(authorization: Authorization, chainHere: number | null): string {
  const { authority, address, chainId } = authorization;
  // A chain skips what no key has signed.
  const account =
    authority === null
      ? 'an account that its signature does not tell'
      : `the account ${shortAddress(authority)}`;
  const where = whereWords(chainId, chainHere);
  return isTakenBack(authorization)
    ? `takes the delegation of ${account} back (${where})`
    : `hands ${account} over to the code at ${shortAddress(address)} (${where})`;
}

function whereWords(chainId: Authorization['chainId'], chainHere: number | null): string {
  if (chainId === 0) return 'on every chain';
  if (chainId === chainHere) return 'on this chain';
  // Its 78 digits would push what it calls out of the line.
  return typeof chainId === 'number' ? `on chain ${chainId}, not on this one` : 'on no chain that is known';
}
