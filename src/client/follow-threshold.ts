import { NO_BLOBS, type PricedLane } from '../core/advice.ts';
import { hasDataFee } from '../core/chains.ts';
import {
  effectivePrice,
  HISTORY_EVERY_SEC,
  isPricedByHistory,
  type PriceOrReason,
  type Threshold,
  type ThresholdBasis,
} from '../core/threshold/threshold.ts';
import { usdOf } from '../core/units.ts';
import { ClientError } from './errors.ts';
import type { GasClient } from './gas-client.ts';
import { loadThresholdBasis, whyNoDollars } from './threshold-basis.ts';
import type { SnapshotView } from './views/gas.ts';

/** The gas of work changes with a fork alone. */
const ANEW_MS = 300_000;
/** What is unknown may be known soon; each request may cost quota. */
const RETRY_MS = { own: 2_000, other: 60_000 };

interface Followed {
  readonly client: Pick<GasClient, 'statsMarket' | 'baseFee' | 'priorityFee'>;
  readonly lane: PricedLane;
  /** `below`: at most the threshold; `above`: at least. */
  readonly side: 'below' | 'above';
  /** Whether the service is in this process, and requests cost nothing. */
  readonly isOwn: boolean;
}

/** What a threshold stands for at one snapshot. */
export interface PricedThreshold {
  readonly effective: PriceOrReason;
  /** What the work of a rule in dollars costs in all at a price; `null`: the rule names none. */
  readonly costUsd: (price: bigint) => number | null;
}

/** What a threshold stands for, snapshot by snapshot: what does not change is not requested again. Rejects on abort. */
export function followThreshold(threshold: Threshold, { client, lane, side, isOwn }: Followed) {
  const condition = side === 'below' ? 'LESS_THAN' : 'GREATER_THAN';
  let known: { readonly basis: ThresholdBasis; readonly at: string } | null = null;
  let dueAt = 0;

  async function basisAt(snapshot: SnapshotView, signal: AbortSignal): Promise<ThresholdBasis> {
    const now = performance.now();
    const at = `${snapshot.chainId} ${changesWith(threshold, snapshot)}`;
    if (known === null || known.at !== at || now >= dueAt) {
      const priced = { lane, snapshot, thorough: isOwn };
      known = { basis: await loadThresholdBasis(client, threshold, priced, { signal }), at };
      dueAt = now + ANEW_MS;
    }
    const { nativeUsd } = snapshot;
    return { ...known.basis, nativeUsd, nativeUsdReason: whyNoDollars(snapshot) };
  }

  return async (snapshot: SnapshotView, signal: AbortSignal): Promise<PricedThreshold> => {
    const none = (effective: PriceOrReason): PricedThreshold => ({ effective, costUsd: () => null });
    if (lane === 'blob' && snapshot.blobBaseFee === null) return none({ reason: NO_BLOBS });
    if (threshold.kind === 'gwei') return none({ price: threshold.price });
    try {
      const basis = await basisAt(snapshot, signal);
      const effective = effectivePrice(threshold, condition, basis);
      if ('reason' in effective)
        dueAt = Math.min(dueAt, performance.now() + RETRY_MS[isOwn ? 'own' : 'other']);
      return { effective, costUsd: costBy(threshold, basis) };
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      return none({ reason: error.message });
    }
  };
}

/** With another value the basis is another one, too. */
function changesWith(
  threshold: Threshold,
  { chainId, blockNumber, blockTimestamp }: SnapshotView,
): number | null {
  if (isPricedByHistory(threshold)) return Math.floor((blockTimestamp ?? 0) / (HISTORY_EVERY_SEC * 1_000));
  // The fee for L1 may be another with each block.
  return hasDataFee(chainId) ? blockNumber : null;
}

const costBy =
  (threshold: Threshold, { nativeUsd, gasOf, dataFeeOf }: ThresholdBasis) =>
  (price: bigint): number | null => {
    if (!('work' in threshold) || nativeUsd === null) return null;
    const [gas, dataFee] = [gasOf(threshold.work), dataFeeOf(threshold.work)];
    return gas === null || dataFee === null ? null : usdOf(BigInt(gas) * price + dataFee, nativeUsd);
  };
