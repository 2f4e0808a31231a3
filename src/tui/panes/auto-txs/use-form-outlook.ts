import type { AutoTxView, CheckView } from '../../../client/views/auto-txs.ts';
import { laneOf, weiOfTypedGwei } from '../../../client/views/describe-alerts.ts';
import { distanceToTarget, type PricedAutoTx } from '../../../client/views/describe-auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { takesNone } from '../../../core/auto-txs/preflight.ts';
import { useNow } from '../../app/clock.ts';
import { priceText } from './auto-tx-form-lines.ts';
import type { AutoTxFormState } from './auto-tx-form-state.ts';
import { expiresAt, parseExpiry } from './expiry-text.ts';
import type { Pasted } from './use-pasted-transaction.ts';
import { usePreflight } from './use-preflight.ts';
import { useTargetReach } from './use-target-reach.ts';

/** What follows from what stands in the form. */
export interface FormOutlook {
  readonly order: PricedAutoTx;
  /** Where the price is. */
  readonly price: string | null;
  /** How likely it is reached, or that it is. */
  readonly odds: string | null;
  readonly checks: readonly CheckView[] | null;
}

/** That the price of its lane is there does not mean that it pays no more itself. */
const goesNowWords = (checks: readonly CheckView[] | null, isStrict: boolean) => {
  const isDear = !isStrict && checks?.some(({ name, ok }) => name === 'cost' && ok === false) === true;
  if (isDear) return "the lane's price is there: it goes out with the next block, but pays more";
  return 'the price is there already: it goes out with the next block';
};

export function useFormOutlook(
  form: AutoTxFormState,
  pasted: Pasted,
  edited: AutoTxView | null,
  snapshot: SnapshotView,
  /** `false`: the service knows no expiry. */
  mayExpire: boolean,
): FormOutlook {
  const now = useNow();
  const { draft } = form;
  const transaction = pasted.kind === 'transaction' ? pasted.transaction : null;
  const bid = transaction ?? edited;
  const order: PricedAutoTx = {
    target: weiOfTypedGwei(draft.target),
    gasSpeed: draft.gasSpeed,
    isStrict: draft.isStrict,
    gasPrice: bid?.gasPrice ?? null,
    maxFeePerGas: bid?.maxFeePerGas ?? null,
    maxPriorityFeePerGas: bid?.maxPriorityFeePerGas ?? null,
  };
  const expiry = mayExpire ? parseExpiry(draft.expires) : null;
  const at = expiry === null ? null : expiresAt(expiry, now);
  const leftSec = at === null ? null : Math.max(Math.round((at - now) / 1_000), 0);
  const distance = distanceToTarget(order, snapshot);
  const isThere = distance?.isThere ?? false;
  const likely = useTargetReach(order, isThere, leftSec, snapshot);
  const isSent = takesNone(snapshot.source.kind) === null;
  const goesNow = isThere && distance?.isCapped === false && edited?.status !== 'DISABLED';
  const lane = laneOf(draft.gasSpeed);
  const lanePrice = lane === null ? null : snapshot.lanes[lane].price;
  const checks = usePreflight({
    transaction,
    order: {
      target: order.target,
      lane: lane ?? 'average',
      isStrict: draft.isStrict,
      expiresAt: at,
    },
    lanePrice,
    snapshot,
    id: edited?.id ?? null,
    now,
  });
  const isKept = checks?.some(({ name, ok }) => ok === false && name !== 'cost') === true;
  const odds = goesNow ? (isKept || !isSent ? null : goesNowWords(checks, draft.isStrict)) : likely;
  return { order, price: priceText({ order, snapshot }), odds, checks };
}
