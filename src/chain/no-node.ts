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
    Promise.reject(new ChainError('unsupported', `${what} has no ${thing}; use --rpc URL to ask a node`));
  return {
    call: refuse('contracts to call'),
    sendRawTransaction: refuse('pool to send transactions to'),
    transaction: refuse('transactions'),
    receipt: refuse('transactions'),
    block: refuse('whole blocks'),
    transactionsOf: refuse('transactions'),
    nonce: refuse('accounts'),
    balance: refuse('accounts'),
  };
}
