import type { AutoTxOrder } from '../core/auto-txs/kept-auto-tx.ts';
import { chainProfile } from '../core/chains.ts';
import type { DescribedCall } from '../core/transactions/known-calls.ts';
import type { SignedTransaction } from '../core/transactions/signed-transaction.ts';
import { ClientError, type ClientErrorCode } from './client-error.ts';
import type { CallOptions, GasClient } from './gas-client.ts';
import type { AutoTxAccountView, CheckView } from './views/auto-txs.ts';
import type { ReachView } from './views/recommendation.ts';
import type { SnapshotView } from './views/snapshot.ts';

export type CheckingClient = Pick<GasClient, 'gasCurrent' | 'autoTxAccount' | 'gasRecommendation'>;

/** What is to be checked. Nothing of the signature is needed for it, and none of it goes to a service. */
export interface AutoTxToCheck {
  readonly transaction: SignedTransaction;
  /** `target` is `null` where nobody said one: it is then checked as if it were sent now. Wei per gas. */
  readonly order: Omit<AutoTxOrder, 'target'> & { readonly target: bigint | null };
  /** Of the auto-tx that it is already, which is not in its own way. */
  readonly id?: string | null;
}

export interface CheckedAutoTx {
  /** `null`: its data is no call. */
  readonly call: DescribedCall | null;
  readonly checks: readonly CheckView[];
  readonly snapshot: SnapshotView | null;
  readonly account: AutoTxAccountView | null;
  /** How likely the target is reached before it expires, within a day at most; `null`: nobody says. */
  readonly reach: ReachView | null;
}

/** Without these nothing can be asked at all; whatever else fails leaves a check that could not be told. */
const FATAL: readonly ClientErrorCode[] = ['unreachable', 'key', 'quota'];
const DAY_SEC = 86_400;

/**
 * The pre-flight of an auto-tx, made here from what a service says of the prices and the sender: the service is told an
 * address and a price, and not what is signed. A service without gastop's account route cannot say all of it.
 *
 * @param now Wall clock, ms.
 * @throws ClientError where the service cannot be asked at all.
 */
export async function checkAutoTx(
  client: CheckingClient,
  { transaction, order, id = null }: AutoTxToCheck,
  now: number,
  call: CallOptions = {},
): Promise<CheckedAutoTx> {
  const [{ preflight }, { describeCall }, snapshot, account, reach] = await Promise.all([
    import('../core/auto-txs/preflight.ts'),
    import('../core/transactions/known-calls.ts'),
    ifTold(client.gasCurrent(call)),
    ifTold(client.autoTxAccount(transaction.from, call)),
    ifTold(reachOf(client, order, now, call)),
  ]);
  const chainId = snapshot?.chainId ?? account?.chainId ?? null;
  const chain = chainProfile(chainId ?? transaction.chainId ?? 1);
  const lanePrice = snapshot?.lanes[order.lane].price ?? null;
  const checks = preflight({
    transaction,
    order: { ...order, target: order.target ?? lanePrice ?? 0n },
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
  });
  return {
    call: describeCall(transaction.data, transaction.to),
    checks: checks.flatMap((check) => {
      // Without a target there is none to reach.
      if (check.name === 'reachable' && order.target === null) return [];
      return check.name === 'chain' && chainId === null ? [UNTOLD_CHAIN] : [check];
    }),
    snapshot,
    account,
    reach,
  };
}

const UNTOLD_CHAIN: CheckView = {
  name: 'chain',
  ok: null,
  message: 'could not be told: the service does not say which chain it is for',
};

async function reachOf(
  client: CheckingClient,
  { target, expiresAt }: AutoTxToCheck['order'],
  now: number,
  call: CallOptions,
): Promise<ReachView | null> {
  const left = expiresAt === null ? DAY_SEC : Math.floor((expiresAt - now) / 1_000);
  if (target === null || left < 1) return null;
  const reach = { targetPrice: target, deadlineSec: Math.min(left, DAY_SEC) };
  const { reach: said } = await client.gasRecommendation({ ...call, reach });
  return said === null ? null : { ...said, deadlineSec: said.deadlineSec ?? reach.deadlineSec };
}

async function ifTold<Told>(asked: Promise<Told>): Promise<Told | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ClientError && !FATAL.includes(error.code)) return null;
    throw error;
  }
}
