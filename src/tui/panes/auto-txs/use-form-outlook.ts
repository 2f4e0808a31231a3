import type { AutoTxView, CheckView } from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/snapshot.ts';
import { distanceTo, type PricedAutoTx } from '../../auto-tx-distance.ts';
import { useNow } from '../../hooks/use-now.ts';
import { thresholdWei } from '../alerts/threshold-wei.ts';
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
  /** How likely it is reached. */
  readonly odds: string | null;
  readonly checks: readonly CheckView[] | null;
}

export function useFormOutlook(
  form: AutoTxFormState,
  pasted: Pasted,
  edited: AutoTxView | null,
  snapshot: SnapshotView,
): FormOutlook {
  const now = useNow();
  const { draft } = form;
  const transaction = pasted.kind === 'transaction' ? pasted.transaction : null;
  const bid = transaction ?? edited;
  const order: PricedAutoTx = {
    target: thresholdWei(draft.target),
    gasSpeed: draft.gasSpeed,
    isStrict: draft.isStrict,
    gasPrice: bid?.gasPrice ?? null,
    maxFeePerGas: bid?.maxFeePerGas ?? null,
    maxPriorityFeePerGas: bid?.maxPriorityFeePerGas ?? null,
  };
  const expiry = parseExpiry(draft.expires);
  const at = expiry === null ? null : expiresAt(expiry, now);
  const leftSec = at === null ? null : Math.max(Math.round((at - now) / 1_000), 0);
  const isReached = distanceTo(order, snapshot)?.isReached ?? false;
  const odds = useTargetReach(order, isReached, leftSec, snapshot);
  const checks = usePreflight(transaction, draft, snapshot);
  return { order, price: priceText({ order, snapshot }), odds, checks };
}
