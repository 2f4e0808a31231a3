import type { ChainSource } from '../../chain/chain-source.ts';
import type { AutoTxUpdate } from '../../contract/auto-txs.ts';
import { type GasFacts, gasFactsAt } from '../../core/auto-txs/gas-check.ts';
import { preflight, problemsOf, withEarlierDelegation } from '../../core/auto-txs/preflight.ts';
import { NEW_DRAFT } from '../../core/auto-txs/state-machine.ts';
import { type Check, callDifferences, type StoredAutoTx } from '../../core/auto-txs/stored-auto-tx.ts';
import { cannotBroadcastReason } from '../../core/auto-txs/target.ts';
import type { Hex } from '../../core/block.ts';
import { NO_RULES } from '../../core/chain-rules.ts';
import { checksummed, type SignedTransaction } from '../../core/transactions/signed-transaction.ts';
import type { AutoTxStore } from '../../store/auto-txs.ts';
import { bounded } from '../chain-reader.ts';
import { dataFeesOf } from '../data-fees-in-time.ts';
import { ApiFailure, conflict, invalidField } from '../http/errors.ts';
import { ifFresh, type PublishedChain } from '../published-chain.ts';
import { preflightFacts, type ToCheck, withAccounts } from './preflight-facts.ts';

export interface CheckerParts {
  readonly source: ChainSource;
  readonly store: Pick<AutoTxStore, 'liveOf'>;
  readonly readPublished: () => PublishedChain | null;
  readonly wallNow: () => number;
  readonly signal: AbortSignal;
}

/**
 * @param earlier its checks until now, where its signature stays
 * @throws {ApiFailure} `validation_failed` when its signature or this request's changes can never be included
 */
export async function checkToSend(
  { source, store, readPublished, wallNow, signal }: CheckerParts,
  toCheck: ToCheck & Pick<StoredAutoTx, 'owner'>,
  earlier: readonly Check[] | null = null,
): Promise<Check[]> {
  const published = readPublished();
  const { transaction } = toCheck;
  /** What comes late, or not at all, is unknown. */
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
  const facts = preflightFacts(toCheck, {
    profile: published?.profile ?? null,
    fresh: ifFresh(published),
    nativeUsd: published?.nativeUsd ?? null,
    sender: { nextNonce, pendingNonce, balance, live, dataFees },
    gas: (await known(withAccounts(source, gas, toCheck))) ?? gas,
    now,
  });
  const checks = preflight({ ...facts, cannotBroadcastReason: cannotBroadcastReason(source.kind) });
  const details = problemsOf(checks).filter(({ path }) => earlier === null || path !== 'signedTransaction');
  if (details.length === 0) return earlier === null ? checks : withEarlierDelegation(checks, earlier);
  const message = details.map((each) => each.message).join('; ');
  throw new ApiFailure('validation_failed', message, { details });
}

/** @throws {ApiFailure} `conflict` for a source that cannot broadcast. */
export function requirePool({ kind }: ChainSource): void {
  const why = cannotBroadcastReason(kind);
  if (why !== null) throw conflict(`${why}; run with --rpc URL`);
}

export type Content = Pick<StoredAutoTx, 'to' | 'value' | 'data'>;

type SaidContent = Pick<AutoTxUpdate, 'to' | 'value' | 'data'>;

/** @throws {ApiFailure} when it can no longer change, or a signature belongs to another call. */
export function contentAfter(
  stored: Content & Pick<StoredAutoTx, 'signed'> & Partial<Pick<StoredAutoTx, 'state'>>,
  said: SaidContent,
  signed: SignedTransaction | null,
): Content {
  const isDraft = stored.signed === null;
  const wanted = contentWith(isDraft ? stored : (signed ?? stored), said);
  if (signed === null) {
    const changed = isDraft
      ? []
      : callDifferences({ ...stored, chainId: null }, { ...wanted, chainId: null });
    if (changed.length === 0) return wanted;
    const fields = changed.map(({ field }) => field).join(', ');
    throw conflict(`${fields} cannot change: it is signed; give another signedTransaction`);
  }
  const { status, attempts, mayBeOut } = stored.state ?? NEW_DRAFT;
  if (!isDraft && (attempts > 0 || mayBeOut || (status !== 'PENDING' && status !== 'DISABLED'))) {
    throw conflict(
      'it was broadcast before and may still be mined, so its signature cannot be replaced here; send another transaction with its nonce from the wallet',
    );
  }
  const others = callDifferences(signed, { ...wanted, chainId: null });
  if (others.length > 0) throw wrongSignature(others.map(({ words }) => words).join('; '));
  return { to: signed.to, value: signed.value, data: signed.data };
}

/** @throws {ApiFailure} `validation_failed` for a mistyped address, by its checksum. */
const contentWith = (content: Content, { to, value, data }: SaidContent): Content => ({
  to: to === undefined ? content.to : to === null ? null : addressOf(to),
  value: value === undefined ? content.value : BigInt(value),
  data: data === undefined ? content.data : hexOf(data),
});

const hexOf = (text: string): Hex => `0x${text.slice(2).toLowerCase()}`;

/** Mixed case is the checksum of an address (EIP-55). */
function addressOf(text: string): Hex {
  const address = checksummed(hexOf(text));
  const digits = text.slice(2);
  const isPlain = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (isPlain || digits === address.slice(2)) return address;
  throw invalidField('to', 'is mistyped: its capitals are not those of its checksum (EIP-55); copy it again');
}

export function wrongSignature(why: string): ApiFailure {
  return new ApiFailure('validation_failed', `signedTransaction is refused: ${why}`, {
    details: [{ path: 'signedTransaction', message: why }],
  });
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
