import { chainProfile } from '../core/chains.ts';
import type { SignedTransaction } from '../core/transactions/signed-transaction.ts';
import { nativeString } from '../core/units.ts';
import type { AutoTxView } from './views/auto-txs.ts';

export interface DraftDifference {
  readonly field: 'to' | 'value' | 'data' | 'chain';
  /** A sentence about the transaction, amounts in the chain's coin. */
  readonly words: string;
}

/** In what a signed transaction is another one than the draft that it is to sign; what the service does not say of the draft is not compared. */
export function draftDifferences(
  signed: Pick<SignedTransaction, 'to' | 'value' | 'data' | 'chainId'>,
  draft: AutoTxView,
): readonly DraftDifference[] {
  const found: DraftDifference[] = [];
  if (signed.to?.toLowerCase() !== draft.to?.toLowerCase()) {
    found.push({ field: 'to', words: `it is to ${whom(signed.to)} and not to ${whom(draft.to)}` });
  }
  if (draft.value !== null && draft.value !== signed.value) {
    const chainId = signed.chainId ?? draft.chainId;
    const symbol = chainId === null ? 'coins' : chainProfile(chainId).nativeSymbol;
    const words = `it sends ${nativeString(signed.value)} ${symbol} and not ${nativeString(draft.value)}`;
    found.push({ field: 'value', words });
  }
  if (draft.data !== null && signed.data.toLowerCase() !== draft.data.toLowerCase()) {
    found.push({ field: 'data', words: 'its data is not that of the draft' });
  }
  if (draft.chainId !== null && signed.chainId !== null && draft.chainId !== signed.chainId) {
    const [has, should] = [signed.chainId, draft.chainId].map((id) => chainProfile(id).name);
    found.push({ field: 'chain', words: `it is for ${has} and not for ${should}` });
  }
  return found;
}

const whom = (to: string | null) => to ?? 'a new contract';
