import type { AutoTxOrder } from '../core/auto-txs/kept-auto-tx.ts';
import { preflight } from '../core/auto-txs/preflight.ts';
import { takesNone } from '../core/auto-txs/takes-none.ts';
import { chainProfile } from '../core/chains.ts';
import type { SignedTransaction } from '../core/transactions/signed-transaction.ts';
import { isPast } from './is-past.ts';
import type { AutoTxAccountView, CheckView } from './views/auto-txs.ts';
import type { SnapshotView } from './views/snapshot.ts';

/** What is to be checked. Nothing of the signature is needed for it, and none of it goes to a service. */
export interface AutoTxToCheck {
  readonly transaction: SignedTransaction;
  /** `target` is `null` where nobody said one: it is then checked as if it were sent now. Wei per gas. */
  readonly order: Omit<AutoTxOrder, 'target'> & { readonly target: bigint | null };
  /** Of the auto-tx that it is already, which is not in its own way. */
  readonly id?: string | null;
}

/** What a service has told of the prices and the sender. `null`: nothing. */
export interface Told {
  readonly snapshot: SnapshotView | null;
  readonly account: AutoTxAccountView | null;
  /** Of the lane that it waits for; `null` also where that is a service's own. */
  readonly lanePrice: bigint | null;
  /** Wall clock, ms. */
  readonly now: number;
}

/** The pre-flight of an auto-tx, made from what a service says of the prices and the sender. */
export function autoTxChecks(
  { transaction, order, id = null }: AutoTxToCheck,
  { snapshot, account, lanePrice, now }: Told,
): readonly CheckView[] {
  const chainId = snapshot?.chainId ?? account?.chainId ?? null;
  // Prices of an hour ago say nothing of what it meets now.
  const present = snapshot === null || isPast(snapshot) ? null : snapshot;
  const chain = chainProfile(chainId ?? transaction.chainId ?? 1);
  const checks = preflight({
    transaction,
    order: { ...order, target: order.target ?? lanePrice ?? 0n },
    isTargetPresent: order.target === null,
    takesNone: snapshot === null ? null : takesNone(snapshot.source.kind),
    chainId: chain.id,
    chainName: chain.name,
    nativeSymbol: chain.nativeSymbol,
    nativeUsd: present?.nativeUsd ?? null,
    nextNonce: account?.nonce ?? null,
    pendingNonce: account?.pendingNonce ?? null,
    balance: account?.balance ?? null,
    nextBaseFee: present?.nextBaseFee ?? null,
    nextBlobBaseFee: present?.blobBaseFee ?? null,
    lanePrice: present === null ? null : lanePrice,
    now,
    waitingBelow: (account?.waiting ?? []).flatMap(({ status, ...below }) =>
      below.nonce < transaction.nonce && below.id !== id ? [{ ...below, status: status ?? '' }] : [],
    ),
  });
  return checks.flatMap((check) => {
    // Without a target there is none to reach.
    if (check.name === 'reachable' && order.target === null) return [];
    return check.name === 'chain' && chainId === null ? [UNTOLD_CHAIN] : [check];
  });
}

const UNTOLD_CHAIN: CheckView = {
  name: 'chain',
  ok: null,
  message: 'could not be told: the service does not say which chain it is for',
};
