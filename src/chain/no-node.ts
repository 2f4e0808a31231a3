import type { ChainSource } from './chain-source.ts';
import { ChainError } from './errors.ts';

type NodeMethods =
  | 'call'
  | 'sendRawTransaction'
  | 'transaction'
  | 'receipt'
  | 'block'
  | 'transactionsOf'
  | 'nonce'
  | 'balance';

/** The methods that only a node can answer, for a source that is none. `what` begins the sentence: `A recording`. */
export function withoutNode(what: string): Pick<ChainSource, NodeMethods> {
  const refuse = (thing: string) => (): Promise<never> =>
    Promise.reject(new ChainError('unsupported', `${what} has ${thing}; use --rpc URL to ask a node`));
  const noTransactions = refuse('no transactions, only the fees of blocks');
  const noAccounts = refuse('no accounts');
  return {
    call: refuse('no contracts to call'),
    sendRawTransaction: refuse('no pool to send transactions to'),
    transaction: noTransactions,
    receipt: noTransactions,
    block: refuse('no whole blocks, only their fees'),
    transactionsOf: noTransactions,
    nonce: noAccounts,
    balance: noAccounts,
  };
}
