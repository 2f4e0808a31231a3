import { accountFacts } from '../core/auto-txs/account-gas.ts';
import { isEstimable, pricedOrder } from '../core/auto-txs/cost-limit.ts';
import { accountsToAsk, type GasFacts, gasFactsAt } from '../core/auto-txs/gas-check.ts';
import { type AutoTxOrder, NEW_ORDER } from '../core/auto-txs/order.ts';
import { preflight, withEarlierDelegation } from '../core/auto-txs/preflight.ts';
import { type Bid, cannotBroadcastReason, forecastPrice, forecastWithin } from '../core/auto-txs/target.ts';
import { chainRules, NO_RULES } from '../core/chain-rules.ts';
import { type ChainProfile, hasDataFee, servedChain } from '../core/chains.ts';
import { type DataFees, NO_DATA_FEES } from '../core/data-fee.ts';
import { describeTransaction } from '../core/transactions/describe-call.ts';
import type { SignedTransaction } from '../core/transactions/signed-transaction.ts';
import { ifTold } from './errors.ts';
import type { GasClient, ReachQuery } from './gas-client.ts';
import type { CallOptions } from './requests.ts';
import {
  type AutoTxView,
  type CheckView,
  distanceToTarget,
  isSentAtOnce,
  signedStatus,
} from './views/auto-txs.ts';
import { ifReachable } from './views/chain-status.ts';
import type { SnapshotView } from './views/gas.ts';
import { laneOf } from './views/words.ts';

type CheckingClient = Pick<GasClient, 'gasCurrent' | 'gasRecommendation'> & AskedClient;
export type CheckedAutoTx = Awaited<ReturnType<typeof preflightAutoTx>>;

/**
 * Computed here from prices and the sender's account. The service gets no signed bytes; one of this program's own gets the call,
 * to estimate its gas. @throws ClientError
 */
export async function preflightAutoTx(
  client: CheckingClient,
  toCheck: AutoTxToCheck,
  now: number,
  call: CallOptions = {},
) {
  const { transaction } = toCheck;
  const [snapshot, sender] = await Promise.all([
    ifTold(client.gasCurrent(call)),
    askSender(client, toCheck, call),
  ]);
  const { order, checks } = judgeAutoTx(toCheck, { snapshot, sender, now });
  // A transaction for another chain is neither near this chain's prices nor likely to see them.
  const chainId = snapshot?.chainId ?? sender.account?.chainId ?? null;
  const isHere = transaction.chainId === null || chainId === null || chainId === transaction.chainId;
  const present = isHere ? ifReachable(snapshot, now) : null;
  const toAsk = isHere ? reachToAsk(order, transaction, snapshot, now) : null;
  const advice = toAsk && (await ifTold(client.gasRecommendation({ ...call, reach: toAsk })));
  const reach = advice?.reach ?? null;
  const priced = { ...transaction, ...order, gasSpeed: order.lane, status: statusOf(toCheck) };
  return {
    call: describeTransaction(transaction),
    order,
    checks,
    snapshot,
    distance: present && distanceToTarget(priced, present),
    isDue: present === null ? false : isSentAtOnce(priced, present, checks),
    reach: reach && { ...reach, deadlineSec: reach.deadlineSec ?? toAsk?.deadlineSec ?? null },
  };
}

/**
 * The question of how likely the target is reached in time: the one that the service asks of its auto-txs. `null`: there is no
 * price to ask about, or no time left. @param snapshot `null`: prices are unknown
 */
export function reachToAsk(
  order: AutoTxOrder<bigint | null>,
  bid: Bid | null,
  snapshot: Pick<SnapshotView, 'baseFee' | 'nextBaseFee' | 'lanes'> | null,
  now: number,
): ReachQuery | null {
  const { target, expiresAt } = order;
  const prices = snapshot && {
    nextBaseFee: snapshot.nextBaseFee ?? snapshot.baseFee,
    averagePrice: snapshot.lanes.average.price,
  };
  const targetPrice = target === null ? null : forecastPrice({ ...order, target }, bid, prices);
  const deadlineSec = forecastWithin(expiresAt === null ? null : Math.floor((expiresAt - now) / 1_000));
  return targetPrice === null || targetPrice <= 0n || deadlineSec < 1 ? null : { targetPrice, deadlineSec };
}

/** An auto-tx without its signature. */
interface AutoTxToJudge {
  /** `null`: of a draft. */
  readonly transaction: SignedTransaction | null;
  /** `target` is `null` when none was given: it is then checked as if it were sent now. Wei per gas. */
  readonly order: AutoTxOrder<bigint | null>;
  readonly id?: string | null;
  /** The stored auto-tx, where the transaction is {@link storedTransaction}. */
  readonly stored?: AutoTxView | null;
  /** What its status is to be; left out: that of `stored`, or pending. */
  readonly status?: string;
  /** Its lane is a service's own, whose price is unknown. */
  readonly hasOwnLane?: boolean;
}

const statusOf = ({ stored = null, status }: AutoTxToJudge) => signedStatus(stored, status);

export interface AutoTxToCheck extends AutoTxToJudge {
  readonly transaction: SignedTransaction;
}

interface Told {
  readonly snapshot: SnapshotView | null;
  readonly sender: AskedSender;
  readonly now: number;
}

/**
 * The order with the target that its limit of cost stands for by what the service tells, by the gas limit where no estimate was
 * asked for. The same order where it has none, or where the service has worked it out.
 */
function orderNow(
  { transaction, order }: AutoTxToJudge,
  { snapshot, sender, now }: Told,
): AutoTxToCheck['order'] {
  if (order.costLimit === null || order.costLimit.since !== null) return order;
  const { account, gas } = sender;
  const costLimit = { ...order.costLimit, gas };
  const present = ifReachable(snapshot, now);
  const chain = servedChain(present?.chainId ?? account?.chainId ?? transaction?.chainId ?? null);
  const basis = {
    nativeUsd: present?.nativeUsd ?? null,
    nativeUsdReason: present?.nativeUsdReason ?? undefined,
    nativeSymbol: chain.nativeSymbol,
    dataFees: dataFeesOf(sender, chain.id),
    nextBlobBaseFee: present && sender.nextBlobBaseFee,
  };
  const value = transaction?.value ?? 0n;
  const priced = pricedOrder(
    { order: { ...order, target: 0n, costLimit }, signed: transaction, value },
    basis,
    now,
  );
  const reason = priced.costLimit?.reason ?? null;
  return { ...priced, target: reason === null ? priced.target : null, costLimit: { ...costLimit, reason } };
}

/** The order of a stored auto-tx, with the target that the service has worked out of its limit of cost; `null`: of a new one. */
export function orderOf(stored: AutoTxView | null): AutoTxOrder<bigint | null> {
  if (stored === null) return { ...NEW_ORDER, target: null };
  const { target, gasSpeed, isStrict, expiresAt, maxCost, effectiveSince, thresholdReason } = stored;
  const worked = { gas: null, since: effectiveSince ?? 0, reason: thresholdReason };
  return {
    target,
    lane: laneOf(gasSpeed) ?? 'average',
    isStrict: isStrict ?? false,
    expiresAt,
    costLimit: maxCost && { maxCost, ...worked },
  };
}

const dataFeesOf = ({ account }: AskedSender, chainId: number): Pick<DataFees, 'parameters' | 'reason'> =>
  account?.dataFees == null && !hasDataFee(chainId)
    ? NO_DATA_FEES
    : {
        parameters: account?.dataFees ?? null,
        reason: account?.dataFeesReason ?? 'the service does not tell it',
      };

/** The order with its target of now, and the checks that the service makes of it, by what it tells; a draft has none. */
export function judgeAutoTx(
  toJudge: AutoTxToJudge,
  { snapshot, sender, now }: Told,
): { readonly order: AutoTxToCheck['order']; readonly checks: readonly CheckView[] } {
  const order = orderNow(toJudge, { snapshot, sender, now });
  const { transaction, id = null, stored = null, hasOwnLane = false } = toJudge;
  if (transaction === null) return { order, checks: [] };
  const { account } = sender;
  const lanePrice = hasOwnLane ? null : (snapshot?.lanes[order.lane].price ?? null);
  const chainId = snapshot?.chainId ?? account?.chainId ?? null;
  const present = ifReachable(snapshot, now);
  const { nativeUsd = null, nextBaseFee = null } = present ?? {};
  const nextBlobBaseFee = present && sender.nextBlobBaseFee;
  const { nonce: nextNonce = null, pendingNonce = null, balance = null } = account ?? {};
  const chain = servedChain(chainId ?? transaction.chainId);
  const others = account?.waiting.filter((other) => other.id !== id) ?? [];
  const checks = preflight({
    transaction,
    order: { ...order, target: order.target ?? (order.costLimit === null ? lanePrice : null) ?? 0n },
    isTargetPresent: order.target === null && order.costLimit === null,
    isDisabled: statusOf(toJudge) === 'DISABLED',
    cannotBroadcastReason: snapshot === null ? null : cannotBroadcastReason(snapshot.source.kind),
    chainId: chain.id,
    chainName: chainId === null ? null : chain.name,
    now,
    nativeSymbol: chain.nativeSymbol,
    nativeUsd,
    nextBaseFee,
    nextBlobBaseFee,
    lanePrice: present === null ? null : lanePrice,
    nextNonce,
    pendingNonce,
    balance,
    gas: gasFacts(chain, snapshot, sender, now),
    waitingBelow: others
      .filter(({ nonce }) => nonce < transaction.nonce)
      .map(({ status, ...below }) => ({ ...below, status: status ?? '' })),
    rivalId: others.find(({ nonce }) => nonce === transaction.nonce)?.id,
    dataFees: dataFeesOf(sender, chain.id),
  });
  return {
    order,
    checks: stored === null ? checks : storedChecks(checks, stored, order.costLimit?.since != null),
  };
}

type AskedClient = Pick<GasClient, 'autoTxAccount' | 'chainRules'> &
  Partial<Pick<GasClient, 'isOwn' | 'gasEstimate' | 'block'>>;

/** What a service tells of the sender, the rules, the next blob base fee and the accounts that decide; `null`: it does not. */
export type AskedSender = Awaited<ReturnType<typeof askSender>>;

/** @throws ClientError where no route of the service can be read */
export async function askSender(
  client: AskedClient,
  { transaction, order }: Pick<AutoTxToCheck, 'transaction' | 'order'>,
  call: CallOptions = {},
) {
  const [account, rules, gas, head] = await Promise.all([
    ifTold(client.autoTxAccount(transaction.from, call)),
    ifTold(client.chainRules(call)),
    client.isOwn && order.costLimit !== null ? estimateOf(client, transaction, call) : null,
    // Prices have the blob base fee of the head alone.
    transaction.blobCount > 0 && client.block ? ifTold(client.block('latest', call)) : null,
  ]);
  const nextBlobBaseFee = head?.nextBlobBaseFee == null ? null : BigInt(Math.ceil(head.nextBlobBaseFee));
  const gasRules = servedChain(account?.chainId ?? transaction.chainId).gasRules;
  const facts = { ...NO_HEAD, rules: rules ?? NO_RULES, gasRules };
  const toAsk = account === null || rules === null ? [] : accountsToAsk({ transaction, order, gas: facts });
  if (toAsk.length === 0) return { account, rules, gas, nextBlobBaseFee };
  const asked = toAsk.map(async (address) => {
    const told = await ifTold(client.autoTxAccount(address, call));
    const { code = null, balance = null, nonce = 0 } = told ?? {};
    return [address, code === null || balance === null ? null : accountFacts(balance, nonce, code)] as const;
  });
  return { account, rules, gas, nextBlobBaseFee, accounts: new Map(await Promise.all(asked)) };
}

/** What a node estimates that it takes; `null`: none says. */
async function estimateOf(
  { gasEstimate }: AskedClient,
  transaction: SignedTransaction,
  call: CallOptions,
): Promise<bigint | null> {
  if (gasEstimate === undefined || !isEstimable(transaction)) return null;
  const { from, to, data, value } = transaction;
  const asked = { from, data, value: String(value), ...(to !== null && { to }) };
  const { gas = null } = (await ifTold(gasEstimate(asked, call))) ?? {};
  return gas === null ? null : BigInt(gas);
}

/** Before any block: a fork that is ahead of it counts. */
const NO_HEAD = { nextTime: 0, blockGasLimit: null };

/** Slots without a block that are believed: the clock of the service may be another. */
const MISSED_MOST = 4;

function gasFacts(
  chain: ChainProfile,
  snapshot: SnapshotView | null,
  { account, rules, accounts }: AskedSender,
  now: number,
): GasFacts {
  const timestamp = Math.floor((snapshot?.blockTimestamp ?? 0) / 1_000);
  const known = rules ?? chainRules({ timestamp }, chain, null);
  const gasLimit = account?.blockGasLimit == null ? null : BigInt(account.blockGasLimit);
  const earliest = now - MISSED_MOST * chain.feeRule.blockTimeSec * 1_000;
  const updatedAt = Math.max(snapshot?.updatedAt ?? now, earliest);
  const facts = gasFactsAt({ head: { timestamp, gasLimit }, rules: known, updatedAt }, chain, now);
  return { ...facts, ...(accounts !== undefined && { accounts }) };
}

/** A stored transaction's known fields, for a pre-flight; `null` when too few are. What needs the bytes is left out. */
export function storedTransaction(autoTx: AutoTxView): SignedTransaction | null {
  const { type, from, nonce, gasLimit, value, maxFeePerGas } = autoTx;
  if (from === null || nonce === null || gasLimit === null || value === null) return null;
  if (maxFeePerGas === null && autoTx.gasPrice === null) return null;
  return {
    ...autoTx,
    from,
    nonce,
    gasLimit,
    value,
    type: SIGNED_TYPES.find((each) => each === type) ?? (maxFeePerGas === null ? 0 : 2),
    hash: autoTx.hash ?? '0x',
    data: autoTx.data ?? '0x',
    maxFeePerBlobGas: null,
    blobCount: 0,
    authorizations: [],
    parts: null,
  };
}

const SIGNED_TYPES = [0, 1, 2, 3, 4] as const;

/** Keeps the service's findings of checks that need the bytes. */
function storedChecks(
  checks: readonly CheckView[],
  autoTx: AutoTxView,
  isLimited: boolean,
): readonly CheckView[] {
  const earlier = new Map(autoTx.checks.map((check) => [check.name, check]));
  return withEarlierDelegation(checks, autoTx.checks).flatMap((check) => {
    // Its cost goes by the service's estimate.
    const hasHiddenFees = isLimited || autoTx.type === 3 || hasDataFee(autoTx.chainId);
    const needsBytes = OF_BYTES.has(check.name) || (hasHiddenFees && OF_FEES.has(check.name));
    return needsBytes ? (earlier.get(check.name) ?? []) : [check];
  });
}

const OF_BYTES: ReadonlySet<string> = new Set(['signature', 'intrinsic-gas', 'blob-cap']);
/** Costs depend on blobs and a rollup's data size, which are unknown. */
const OF_FEES: ReadonlySet<string> = new Set(['balance', 'cost', 'reachable']);
