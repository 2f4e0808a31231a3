import type { AutoTxOrder } from '../core/auto-txs/kept-auto-tx.ts';
import type { PreflightFacts } from '../core/auto-txs/preflight-facts.ts';
import { chainProfile } from '../core/chains.ts';
import type { SignedTransaction } from '../core/transactions/signed-transaction.ts';
import type { AutoTxAccountView } from './views/auto-txs.ts';
import type { SnapshotView } from './views/snapshot.ts';

/** What a service has told of the prices and the sender. `null`: nothing. */
export interface ToldFacts {
  readonly snapshot: SnapshotView | null;
  readonly account: AutoTxAccountView | null;
  /** `null`: a service's own lane, whose price is not known. */
  readonly lanePrice: bigint | null;
  /** Ms since epoch. */
  readonly now: number;
  /** Of the auto-tx that it is already, which is not in its own way. */
  readonly id?: string | null;
}

/** What a pre-flight is made from on this side of a service. */
export function autoTxFacts(
  transaction: SignedTransaction,
  order: AutoTxOrder,
  { snapshot, account, lanePrice, now, id = null }: ToldFacts,
): PreflightFacts {
  const chain = chainProfile(snapshot?.chainId ?? account?.chainId ?? transaction.chainId ?? 1);
  return {
    transaction,
    order,
    chainId: chain.id,
    chainName: chain.name,
    nativeSymbol: chain.nativeSymbol,
    nativeUsd: snapshot?.nativeUsd ?? null,
    nextNonce: account?.nonce ?? null,
    pendingNonce: account?.pendingNonce ?? null,
    balance: account?.balance ?? null,
    nextBaseFee: snapshot?.nextBaseFee ?? null,
    nextBlobBaseFee: snapshot?.blobBaseFee ?? null,
    lanePrice,
    now,
    waitingBelow: (account?.waiting ?? []).flatMap(({ status, ...below }) =>
      below.nonce < transaction.nonce && below.id !== id ? [{ ...below, status: status ?? '' }] : [],
    ),
  };
}
