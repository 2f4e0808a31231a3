import type { ChainSource } from '../../chain/chain-source.ts';
import type { CODE_KINDS } from '../../contract/choices.ts';
import {
  type GasFacts,
  needsRecipient,
  type Recipient,
  recipientAddress,
} from '../../core/auto-txs/gas-check.ts';
import type { AutoTxOrder } from '../../core/auto-txs/kept-auto-tx.ts';
import type { Block, Hex } from '../../core/block.ts';
import type { ChainRules } from '../../core/chain-rules.ts';
import type { ChainProfile } from '../../core/chains.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';

/** What the gas of a transaction is judged by at this head. */
export const gasFactsAt = (head: Block, rules: ChainRules, chain: ChainProfile): GasFacts => ({
  rules,
  headTime: head.timestamp,
  blockTimeSec: chain.feeRule.blockTimeSec,
  gasRules: chain.gasRules,
  blockGasLimit: head.gasLimit,
});

/** Of a designator that delegates an account to code (EIP-7702). */
const DELEGATED = /^0xef0100[0-9a-f]{40}$/i;

export const codeKind = (code: Hex): (typeof CODE_KINDS)[number] =>
  code === '0x' ? 'none' : DELEGATED.test(code) ? 'delegated' : 'contract';

/** The same facts with the account that it pays or creates, where that decides. Never rejects: what no node says is unknown. */
export async function withRecipient(
  source: Pick<ChainSource, 'balance' | 'nonce' | 'code'>,
  gas: GasFacts,
  { transaction, order }: { readonly transaction: SignedTransaction; readonly order: AutoTxOrder },
): Promise<GasFacts> {
  if (!needsRecipient({ transaction, order, gas })) return gas;
  const recipient = await recipientAt(source, recipientAddress(transaction)).catch(() => null);
  return { ...gas, recipient };
}

async function recipientAt(
  source: Pick<ChainSource, 'balance' | 'nonce' | 'code'>,
  address: Hex,
): Promise<Recipient | null> {
  const [balance, nonce, code] = await Promise.all([
    source.balance(address),
    source.nonce(address, 'latest'),
    source.code?.(address),
  ]);
  if (code === undefined) return null;
  const kind = codeKind(code);
  return { exists: balance > 0n || nonce > 0 || kind !== 'none', isDelegated: kind === 'delegated' };
}
