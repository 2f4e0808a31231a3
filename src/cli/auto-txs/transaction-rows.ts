import type { SignedTransactionView } from '../../client/views/auto-txs.ts';
import { chainProfile } from '../../core/chains.ts';
import { ownValue } from '../../core/own-value.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import { exactAmount, formatCount, gweiString } from '../../core/units.ts';
import { cleanLine } from '../clean-line.ts';
import { type Labelled, VALUE_WIDTH } from '../labelled-lines.ts';
import { wrapWords } from '../wrap-words.ts';

/** What a call does, where its selector is well known, or what a transaction delegates. */
export interface CallWords {
  readonly name: string | null;
  readonly signature: string | null;
  readonly words: string;
}

/** A transaction, signed here or kept by a service that says some of it. */
export type SaidTransaction = SignedTransactionView &
  Partial<Pick<SignedTransaction, 'blobCount' | 'maxFeePerBlobGas'>>;

/** EIP-2718 types, and the proposal that brought each. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  0: 'legacy',
  1: 'access list, EIP-2930',
  2: 'fee market, EIP-1559',
  3: 'blobs, EIP-4844',
  4: 'set code, EIP-7702',
};

/**
 * What a transaction says, a label and its value each; what it does not have is left out.
 *
 * @param chainHere The chain that it would be sent on, for one that names none.
 */
export function transactionRows(
  transaction: SaidTransaction,
  call: CallWords | null,
  chainHere: number | null = null,
): Labelled[] {
  const { hash, type, from, to, value, data, nonce, gasLimit, chainId, blobCount = 0 } = transaction;
  const coinOf = chainId ?? chainHere;
  const symbol = coinOf === null ? 'coins' : chainProfile(coinOf).nativeSymbol;
  const isContract = to === null && data !== null && data !== '0x';
  return [
    ['hash', hash],
    ['chain', chainId === null ? null : `${chainProfile(chainId).name} (${chainId})`],
    ['type', type === null ? null : `${type} (${ownValue(TYPE_WORDS, String(type)) ?? "this chain's own"})`],
    ['from', from],
    ['to', to ?? (isContract ? 'nobody: it makes a contract' : null)],
    ['value', value === null ? null : exactAmount(value, symbol)],
    ['call', callWords(data, call)],
    ['nonce', nonce === null ? null : String(nonce)],
    ['gas limit', gasLimit === null ? null : formatCount(Number(gasLimit))],
    ['max fee', gwei(transaction.maxFeePerGas)],
    ['max tip', gwei(transaction.maxPriorityFeePerGas)],
    ['gas price', gwei(transaction.gasPrice)],
    ['blobs', blobCount === 0 ? null : String(blobCount)],
    ['max blob fee', gwei(transaction.maxFeePerBlobGas ?? null, 'blob gas')],
  ];
}

const gwei = (wei: bigint | null, per = 'gas') =>
  wei === null ? null : `${gweiString(wei)} gwei per ${per}`;

function callWords(data: string | null, call: CallWords | null): string | null {
  const isCall = data !== null && data !== '0x';
  if (!isCall && call?.name !== 'delegation') return null;
  if (call === null)
    return data === null ? null : `${data.slice(0, 10)}, ${formatCount((data.length - 2) / 2)} bytes`;
  const lines = wrapWords(cleanLine(call.words), VALUE_WIDTH);
  return [...lines, ...(call.signature === null ? [] : wrapWords(call.signature, VALUE_WIDTH))].join('\n');
}
