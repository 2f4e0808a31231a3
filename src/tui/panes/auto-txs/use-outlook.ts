import {
  type AskedSender,
  askSender,
  judgeAutoTx,
  orderOf,
  reachToAsk,
  storedTransaction,
} from '../../../client/auto-tx-preflight.ts';
import { describeOwnFee } from '../../../client/views/auto-tx-texts.ts';
import {
  type AutoTxView,
  distanceToTarget,
  isSentAtOnce,
  obstacleOf,
  type PricedAutoTx,
  signedStatus,
} from '../../../client/views/auto-txs.ts';
import { describeDistance } from '../../../client/views/distance.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { laneOf } from '../../../client/views/words.ts';
import { type AutoTxOrder, changedOrder } from '../../../core/auto-txs/order.ts';
import { type Bid, FORECAST_SEC } from '../../../core/auto-txs/target.ts';
import { formatDuration, formatGwei, formatLikelihood, shortGwei } from '../../../core/units.ts';
import { useShownSnapshot } from '../../data/monitor-context.ts';
import { useMonitorQuery } from '../../data/polled-query.ts';
import { useReach } from '../../data/queries.ts';
import { weiOfTypedGwei } from '../../input/form.ts';
import { useNow } from '../../ui/pane-context.tsx';
import { type AutoTxDraft, expiresAt, maxCostOf } from './auto-tx-draft.ts';
import type { Pasted } from './pasted.ts';

const NOT_ASKED: AskedSender = { account: null, rules: null, gas: null, nextBlobBaseFee: null };

export type Outlook = ReturnType<typeof useAutoTxOutlook>;

/** What would become of the order now: its pre-flight checks, its price, and how likely that comes. */
export function useAutoTxOutlook(
  draft: AutoTxDraft,
  pasted: Pasted,
  edited: AutoTxView | null,
  snapshot: SnapshotView,
  mayExpire: boolean,
) {
  const now = useNow();
  const stored = pasted.text === null && edited !== null ? storedTransaction(edited) : null;
  const transaction = pasted.transaction ?? stored;
  const bid = transaction ?? edited;
  const { gasPrice = null, maxFeePerGas = null, maxPriorityFeePerGas = null } = bid ?? {};
  const { gasSpeed } = draft;
  const maxCost = maxCostOf(draft.targetGasPriceGwei);
  const end = mayExpire ? (expiresAt(draft.expiresAt, now) ?? null) : null;
  const lane = laneOf(gasSpeed);
  const from = transaction?.from ?? null;
  // A limit that stays has the price that the service has worked out.
  const before = orderOf(maxCost === null ? null : edited);
  const change = {
    target: maxCost === null ? (weiOfTypedGwei(draft.targetGasPriceGwei) ?? undefined) : undefined,
    maxCost: maxCost ?? undefined,
    lane: lane ?? 'average',
    isStrict: draft.strictTargetPrice === 'yes',
    expiresAt: end,
  };
  const asked = changedOrder(before, change, pasted.text !== null);
  const { data: sender, error } = useMonitorQuery({
    key: ['auto-tx-sender', from, transaction?.hash, maxCost !== null],
    enabled: from !== null,
    ask: async (client, signal) =>
      transaction === null ? NOT_ASKED : askSender(client, { transaction, order: asked }, { signal }),
    head: snapshot,
    isSettled: ({ account }) => account === null && (transaction?.blobCount ?? 0) === 0,
  });
  const status = signedStatus(edited);
  const told = { snapshot, sender: sender ?? NOT_ASKED, now };
  const judged = judgeAutoTx(
    {
      transaction,
      order: asked,
      id: edited?.id ?? null,
      stored: stored && edited,
      status,
      hasOwnLane: lane === null,
    },
    told,
  );
  const { target, isStrict, costLimit } = judged.order;
  const checks = sender === undefined && error === null ? [] : judged.checks;
  const bids = { gasPrice, maxFeePerGas, maxPriorityFeePerGas };
  const order = {
    target,
    gasSpeed,
    isStrict,
    maxCost,
    thresholdReason: costLimit?.reason ?? null,
    ...bids,
  };
  const isThere = distanceToTarget(order, snapshot)?.isThere ?? false;
  const hasPrice = (maxFeePerGas ?? gasPrice) !== null;
  const likely = useTargetReach(judged.order, hasPrice ? bids : null, isThere, now);
  const isHeld = obstacleOf(checks) !== null;
  const at = (present: SnapshotView) => ({
    price: priceText(order, present),
    isDue: isSentAtOnce({ ...order, status }, present, checks),
    /** Its own price, which may be far from the lane's. */
    pays: bid === null ? null : describeOwnFee(bid, present),
  });
  const present = at(snapshot);
  const isUnlikely = isThere || isHeld || (pasted.text !== null && pasted.transaction === null);
  // A transaction may pay more than its lane costs.
  const isDear = checks.some(({ name, ok }) => name === 'cost' && ok === false);
  const sent = present.isDue === true ? 'is' : 'may be';
  const due = `target reached: it ${sent} broadcast at once${isDear ? ', but pays more itself' : ''}`;
  return { order, at, ...present, odds: present.isDue !== false ? due : isUnlikely ? null : likely, checks };
}

function priceText(order: PricedAutoTx, snapshot: SnapshotView): string | null {
  const { maxCost = null, target, thresholdReason } = order;
  if (maxCost === null) return gweiPriceText(order, snapshot);
  if (target === null) return thresholdReason ?? null;
  const distance = distanceToTarget(order, snapshot);
  return `${shortGwei(target)} gwei now${distance === null ? '' : `, ${describeDistance(distance)}`}`;
}

function gweiPriceText(order: PricedAutoTx, snapshot: SnapshotView): string | null {
  const { gasSpeed, isStrict, maxFeePerGas, gasPrice } = order;
  const { lanes, nextBaseFee } = snapshot;
  const distance = distanceToTarget(order, snapshot);
  const cap = maxFeePerGas ?? gasPrice;
  // With a target above its cap, the cap decides.
  const decides = cap !== null && (order.target ?? 0n) > cap;
  if (decides && distance?.isCapped === true && nextBaseFee !== null)
    return `your cap of ${shortGwei(cap)} decides: base fee ${formatGwei(nextBaseFee)} now`;
  const what = distance?.isOfCap === true ? 'base fee' : isStrict ? 'its own price' : 'now';
  if (distance !== null) return `${what} ${formatGwei(distance.price)}, ${describeDistance(distance)}`;
  const lane = laneOf(gasSpeed);
  return lane === null || isStrict ? null : `now ${formatGwei(lanes[lane].price)}`;
}

function useTargetReach(
  order: AutoTxOrder<bigint | null>,
  bid: Bid | null,
  isThere: boolean,
  now: number,
): string | null {
  const shown = useShownSnapshot();
  const asked = isThere ? null : reachToAsk(order, bid, shown, now);
  const { data: reach } = useReach(asked?.targetPrice ?? null, asked?.deadlineSec ?? 0);
  if (asked === null || reach == null) return null;
  const isToTheEnd = order.expiresAt !== null && order.expiresAt - now <= FORECAST_SEC * 1_000;
  const within = isToTheEnd ? 'before it expires' : `within ${formatDuration(asked.deadlineSec)}`;
  if (reach.probability !== null) return `reached ${formatLikelihood(reach.probability)} likely ${within}`;
  return reach.reason === null ? null : `how likely it is reached ${within} is not known: ${reach.reason}`;
}
