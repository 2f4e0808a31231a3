import { describeReach, distanceToThreshold, weiOfTypedGwei } from '../../../client/views/describe-alerts.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { useMonitor, useReach } from '../../data/queries.ts';
import type { AlertDraft } from './alert-draft.ts';

const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;

/**
 * How likely the lane's price falls to the threshold that is typed, in words; `null`: it is there already, it would have
 * to rise, or the service does not say.
 */
export function useThresholdReach(draft: AlertDraft, snapshot: SnapshotView): string | null {
  const { isOwnService = false } = useMonitor();
  const threshold = weiOfTypedGwei(draft.threshold);
  const distance =
    draft.condition === 'LESS_THAN' ? distanceToThreshold({ ...draft, threshold }, snapshot) : null;
  const price = distance === null || distance.isThere || threshold === 0n ? null : threshold;
  // Elsewhere each question costs quota.
  const hour = useReach(isOwnService ? price : null, HOUR_SEC, snapshot);
  const day = useReach(price, DAY_SEC, snapshot);
  if (price === null) return null;
  return describeReach([
    { withinSec: HOUR_SEC, reach: hour.data ?? null },
    { withinSec: DAY_SEC, reach: day.data ?? null },
  ]);
}
