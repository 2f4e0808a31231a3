import type { DescribedCall } from '../core/transactions/known-calls.ts';
import type { AutoTxToCheck } from './auto-tx-checks.ts';
import { ClientError, type ClientErrorCode } from './client-error.ts';
import type { CallOptions, GasClient } from './gas-client.ts';
import type { AutoTxAccountView, CheckView } from './views/auto-txs.ts';
import type { ReachView } from './views/recommendation.ts';
import type { SnapshotView } from './views/snapshot.ts';

export type CheckingClient = Pick<GasClient, 'gasCurrent' | 'autoTxAccount' | 'gasRecommendation'>;

export interface CheckedAutoTx {
  /** What it does, and what it delegates; `null`: its data is no call. */
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
  toCheck: AutoTxToCheck,
  now: number,
  call: CallOptions = {},
): Promise<CheckedAutoTx> {
  const { transaction, order } = toCheck;
  const [{ autoTxChecks }, { describeTransaction }, snapshot, account, reach] = await Promise.all([
    import('./auto-tx-checks.ts'),
    import('../core/transactions/describe-transaction.ts'),
    ifTold(client.gasCurrent(call)),
    ifTold(client.autoTxAccount(transaction.from, call)),
    ifTold(reachOf(client, order, now, call)),
  ]);
  const isElsewhere =
    snapshot?.chainId != null && transaction.chainId !== null && snapshot.chainId !== transaction.chainId;
  const lanePrice = snapshot?.lanes[order.lane].price ?? null;
  return {
    call: describeTransaction(transaction),
    checks: autoTxChecks(toCheck, { snapshot, account, lanePrice, now }),
    snapshot,
    account,
    // How likely its price is on another chain is not told by this one.
    reach: isElsewhere ? null : reach,
  };
}

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
