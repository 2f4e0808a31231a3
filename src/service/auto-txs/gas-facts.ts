import type { ChainSource } from '../../chain/chain-source.ts';
import type { CODE_KINDS } from '../../contract/choices.ts';
import { type AccountFacts, accountFacts } from '../../core/auto-txs/account-gas.ts';
import { accountsToAsk, type GasFacts } from '../../core/auto-txs/gas-check.ts';
import type { AutoTxOrder } from '../../core/auto-txs/stored-auto-tx.ts';
import type { Hex } from '../../core/block.ts';
import { decodeTransaction } from '../../core/transactions/decode-transaction.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';

/** With what its signed bytes alone tell: its authorizations, and the parts of one that an older program has stored. */
export function withBytes(
  transaction: SignedTransaction,
  bytes: Uint8Array | 'sealed' | null,
): SignedTransaction {
  if (!(bytes instanceof Uint8Array) || (transaction.parts !== null && transaction.type !== 4))
    return transaction;
  try {
    const { parts, authorizations } = decodeTransaction(bytes);
    return { ...transaction, parts, authorizations };
  } catch {
    // A file that was modified.
    return transaction;
  }
}

/** Of a designator that delegates an account to code (EIP-7702). */
const DELEGATED = /^0xef0100[0-9a-f]{40}$/i;

export const codeKind = (code: Hex): (typeof CODE_KINDS)[number] =>
  code === '0x' ? 'none' : DELEGATED.test(code) ? 'delegated' : 'contract';

/** The same facts with the accounts that decide. Never rejects: what no node says is unknown. */
export async function withAccounts(
  source: Pick<ChainSource, 'balance' | 'nonce' | 'code'>,
  gas: GasFacts,
  { transaction, order }: { readonly transaction: SignedTransaction; readonly order: AutoTxOrder },
): Promise<GasFacts> {
  const toAsk = accountsToAsk({ transaction, order, gas });
  if (toAsk.length === 0) return gas;
  const asked = toAsk.map(
    async (address) => [address, await accountAt(source, address).catch(() => null)] as const,
  );
  return { ...gas, accounts: new Map(await Promise.all(asked)) };
}

async function accountAt(
  source: Pick<ChainSource, 'balance' | 'nonce' | 'code'>,
  address: Hex,
): Promise<AccountFacts | null> {
  const [balance, nonce, code] = await Promise.all([
    source.balance(address),
    source.nonce(address, 'latest'),
    source.code?.(address),
  ]);
  return code === undefined ? null : accountFacts(balance, nonce, codeKind(code));
}
