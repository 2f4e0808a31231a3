import { CALLDATA_LONGEST } from '../../contract/choices.ts';
import type { Hex } from '../../core/block.ts';
import { ownValue } from '../../core/own-value.ts';
import type { AutoTxView, SignedTransactionView } from '../views/auto-txs.ts';
import type { Fields } from './fields.ts';

type TransactionView = SignedTransactionView &
  Pick<AutoTxView, 'blockNumber' | 'gasUsed' | 'effectiveGasPrice' | 'costWei'>;

const ADDRESS = /^0x[\da-f]{40}$/i;
const HASH = /^0x[\da-f]{64}$/i;
/** Pairs are counted by hand: a pattern of them runs out of stack on a long text. */
const DIGITS = /^0x[\da-f]*$/i;

/** How libraries call the types of EIP-2718. */
const TYPE_WORDS: Readonly<Record<string, number>> = {
  LEGACY: 0,
  EIP2930: 1,
  EIP1559: 2,
  EIP4844: 3,
  EIP7702: 4,
};

/** What is to be done and what came of it; services put that beside the rest, or into a record or a receipt. */
export function transactionFields(fields: Fields): TransactionView {
  const tx = fields.child('transaction', 'tx', 'decoded');
  const receipt = fields.child('receipt');
  const first = <Value>(
    read: (of: Fields) => Value | null,
    ...more: readonly (Fields | null)[]
  ): Value | null => {
    for (const of of [fields, ...more]) {
      const value = of === null ? null : read(of);
      if (value !== null) return value;
    }
    return null;
  };
  return {
    chainId: first((of) => of.count('chainId', 'chain'), tx),
    type: first(typeOf, tx),
    from: first((of) => hexOf(of, ADDRESS, 'from', 'sender', 'fromAddress'), tx),
    to: first((of) => hexOf(of, ADDRESS, 'to', 'recipient', 'toAddress'), tx),
    value: first((of) => of.wei('value', 'valueWei'), tx),
    data: first((of) => bytesOf(of, 'data', 'input', 'calldata'), tx),
    nonce: first((of) => of.count('nonce'), tx),
    gasLimit: first((of) => of.wei('gasLimit', 'gas'), tx),
    maxFeePerGas: first((of) => of.fee('maxFeePerGas', 'maxFee'), tx),
    maxPriorityFeePerGas: first((of) => of.fee('maxPriorityFeePerGas', 'priorityFee'), tx),
    gasPrice: first((of) => of.fee('gasPrice'), tx),
    hash: first((of) => hexOf(of, HASH, 'hash', 'txHash', 'transactionHash'), tx, receipt),
    blockNumber: first((of) => of.count('blockNumber', 'block'), receipt),
    gasUsed: first((of) => of.wei('gasUsed'), receipt),
    effectiveGasPrice: first((of) => of.fee('effectiveGasPrice', 'paidGasPrice'), receipt),
    costWei: first((of) => of.wei('costWei', 'cost', 'fee'), receipt),
  };
}

function hexOf(fields: Fields, shape: RegExp, ...names: readonly string[]): Hex | null {
  const text = fields.writtenText(CALLDATA_LONGEST, ...names);
  return text !== null && shape.test(text) && isHex(text) ? text : null;
}

function bytesOf(fields: Fields, ...names: readonly string[]): Hex | null {
  const hex = hexOf(fields, DIGITS, ...names);
  return hex === null || hex.length % 2 !== 0 ? null : hex;
}

const isHex = (text: string): text is Hex => text.startsWith('0x');

function typeOf(fields: Fields): number | null {
  const number = fields.count('type', 'txType', 'transactionType');
  if (number !== null) return number <= 0x7f ? number : null;
  const word = fields.text('type', 'txType', 'transactionType')?.toUpperCase().replaceAll(/[-_ ]/g, '');
  return word === undefined ? null : (ownValue(TYPE_WORDS, word) ?? null);
}
