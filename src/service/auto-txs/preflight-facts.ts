import type { ChainSource } from '../../chain/chain-source.ts';
import type { CODE_KINDS } from '../../contract/choices.ts';
import { type AccountFacts, accountFacts } from '../../core/auto-txs/account-gas.ts';
import { accountsToAsk, type GasFacts } from '../../core/auto-txs/gas-check.ts';
import { type PreflightFacts, waitingBelow } from '../../core/auto-txs/preflight.ts';
import type { AutoTxOrder, StoredAutoTx } from '../../core/auto-txs/stored-auto-tx.ts';
import type { Hex } from '../../core/block.ts';
import type { ChainProfile } from '../../core/chains.ts';
import { decodeTransaction } from '../../core/transactions/decode-transaction.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import type { FreshChain } from './sender-parts.ts';
import type { SenderFacts } from './sender-turn.ts';

/** What is known of the chain and the sender of a transaction; `fresh`: `null` while prices are old. */
interface KnownFacts extends Pick<PreflightFacts, 'nativeUsd' | 'gas' | 'now'> {
  readonly profile: ChainProfile | null;
  readonly fresh: FreshChain | null;
  readonly sender: Pick<PreflightFacts, 'nextNonce' | 'pendingNonce' | 'balance' | 'dataFees'> &
    Pick<SenderFacts, 'live'>;
}

export function preflightFacts(
  { id, chainId, order, transaction }: ToCheck,
  { profile, fresh, sender: { live, ...sender }, ...known }: KnownFacts,
): PreflightFacts {
  const { nextBaseFee = null, nextBlobBaseFee = null, lanes } = fresh?.advice ?? {};
  return {
    ...sender,
    ...known,
    transaction,
    order,
    chainId,
    nextBaseFee,
    nextBlobBaseFee,
    chainName: profile?.name ?? `chain ${chainId}`,
    nativeSymbol: profile?.nativeSymbol ?? 'coins',
    lanePrice: lanes?.[order.lane].price ?? null,
    waitingBelow: waitingBelow(live, { id, nonce: transaction.nonce }),
  };
}

export interface ToCheck extends Pick<StoredAutoTx, 'id' | 'chainId' | 'order'> {
  readonly transaction: SignedTransaction;
}

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
