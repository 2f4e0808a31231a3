import { delegationWords } from './delegation-words.ts';
import { type DescribedCall, describeCall } from './known-calls.ts';
import type { SignedTransaction } from './signed-transaction.ts';

/**
 * What a transaction does: what it delegates (EIP-7702) before what it calls, as that is more than any call can do.
 *
 * @returns as `describeCall`; `delegation` is the name of one that calls nothing and delegates.
 */
export function describeTransaction(
  transaction: Pick<SignedTransaction, 'data' | 'to' | 'chainId' | 'authorizations'>,
): DescribedCall | null {
  const { data, to } = transaction;
  const call = describeCall(data, to);
  const delegation = delegationWords(transaction);
  if (call === null || delegation === null) return call;
  const name = data === '0x' ? 'delegation' : call.name;
  return { ...call, name, words: `${delegation}; ${call.words}` };
}
