import type { ChainSource } from '../../chain/chain-source.ts';
import type { CODE_KINDS } from '../../contract/choices.ts';
import { type AccountFacts, accountFacts } from '../../core/auto-txs/account-gas.ts';
import { accountsToAsk, type GasFacts, gasFactsAt } from '../../core/auto-txs/gas-check.ts';
import type { AutoTxOrder } from '../../core/auto-txs/order.ts';
import { liveForChecks, type PreflightFacts } from '../../core/auto-txs/preflight.ts';
import type { StoredAutoTx } from '../../core/auto-txs/stored-auto-tx.ts';
import type { Hex } from '../../core/block.ts';
import { NO_RULES } from '../../core/chain-rules.ts';
import type { ChainProfile } from '../../core/chains.ts';
import { type DataFees, fastLzLength } from '../../core/data-fee.ts';
import { decodeTransaction } from '../../core/transactions/decode-transaction.ts';
import type { SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import type { AutoTxStore } from '../../store/auto-txs.ts';
import { bounded } from '../chain-reader.ts';
import { dataFeesOf } from '../data-fees-in-time.ts';
import type { FreshChain } from '../follow/fresh-head.ts';
import { type PublishedChain, unlessOutdated } from '../published-chain.ts';

/** The facts of a sender; nonces and its live auto-txs follow each other. Wei. */
export interface SenderFacts {
  readonly nextNonce: number;
  readonly pendingNonce: number;
  readonly balance: bigint;
  readonly live: readonly StoredAutoTx[];
  readonly dataFees: DataFees;
}

/** What is known of the chain and the sender of a transaction; `advice`: `null` while prices are outdated. */
interface KnownFacts extends Pick<PreflightFacts, 'nativeUsd' | 'gas' | 'now'> {
  readonly profile: ChainProfile | null;
  readonly advice: FreshChain['advice'] | null;
  readonly sender: Pick<PreflightFacts, 'nextNonce' | 'pendingNonce' | 'balance' | 'dataFees'> &
    Pick<SenderFacts, 'live'>;
}

export function preflightFacts(
  { id, chainId, order, transaction }: ToCheck,
  { profile, advice, sender: { live, ...sender }, ...known }: KnownFacts,
): PreflightFacts {
  const { nextBaseFee = null, nextBlobBaseFee = null, lanes } = advice ?? {};
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
    waitingBelow: liveForChecks(live).filter((other) => other.id !== id && other.nonce < transaction.nonce),
  };
}

export interface ToCheck extends Pick<StoredAutoTx, 'id' | 'chainId' | 'order'> {
  readonly transaction: SignedTransaction;
}

export interface FactSources {
  readonly source: ChainSource;
  readonly store: Pick<AutoTxStore, 'liveOf'>;
  readonly readPublished: () => PublishedChain | null;
  readonly wallNow: () => number;
  readonly signal: AbortSignal;
}

const WITHIN_MS = 4_000;

/** While no block is known. */
const NO_GAS_FACTS: GasFacts = {
  rules: NO_RULES,
  nextTime: 0,
  gasRules: 'own',
  blockGasLimit: null,
};

/** Its next nonce, the same including the node's pool, and its balance. */
export const senderRequests = (source: ChainSource, address: Hex) =>
  [source.nonce(address, 'latest'), source.nonce(address, 'pending'), source.balance(address)] as const;

/** What is known of a transaction of an owner now. What comes late, or not at all, is unknown. Rejects as the store does. */
export async function readFacts(
  { source, store, readPublished, wallNow, signal }: FactSources,
  toCheck: ToCheck & Pick<StoredAutoTx, 'owner'>,
): Promise<PreflightFacts> {
  const published = readPublished();
  const { transaction } = toCheck;
  const known = <T>(request: Promise<T>) => bounded(() => request, signal, WITHIN_MS).catch(() => null);
  const [latest, pending, funds] = senderRequests(source, transaction.from);
  const [nextNonce, pendingNonce, balance, live, dataFees] = await Promise.all([
    known(latest),
    known(pending),
    known(funds),
    store.liveOf(toCheck.owner, transaction.from),
    dataFeesOf(source, published?.profile ?? null),
  ]);
  const now = wallNow();
  const gas = published === null ? NO_GAS_FACTS : gasFactsAt(published, published.profile, now);
  return preflightFacts(toCheck, {
    profile: published?.profile ?? null,
    advice: unlessOutdated(published)?.advice ?? null,
    nativeUsd: published?.nativeUsd ?? null,
    sender: { nextNonce, pendingNonce, balance, live, dataFees },
    gas: (await known(withAccounts(source, gas, toCheck))) ?? gas,
    now,
  });
}

/** With what its signed bytes alone tell: its authorizations, and the parts and the size of one that an older program has stored. */
export function withBytes(
  transaction: SignedTransaction,
  bytes: Uint8Array | 'sealed' | null,
): SignedTransaction {
  if (!(bytes instanceof Uint8Array)) return transaction;
  const sized = { ...transaction, compressedSize: transaction.compressedSize ?? fastLzLength(bytes) };
  if (sized.parts !== null && sized.type !== 4) return sized;
  try {
    const { parts, authorizations } = decodeTransaction(bytes);
    return { ...sized, parts, authorizations };
  } catch {
    // A file that was modified.
    return sized;
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
