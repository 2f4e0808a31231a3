import type * as z from 'zod';
import { GasEstimate } from '../../contract/estimate.ts';
import { eachLane, type LaneName } from '../../core/advice.ts';
import { servedChain } from '../../core/chains.ts';
import { usdOf } from '../../core/units.ts';
import { cost } from '../../core/usual-work.ts';
import { lenient } from '../lenient.ts';
import type { HorizonView, RecommendationView } from './advice.ts';
import type { SnapshotView } from './gas.ts';

/** `POST /gas/estimate`: what a call takes. */
export const GasEstimateView = lenient(GasEstimate, 'gas');
export type GasEstimateView = z.infer<typeof GasEstimateView>;

/** Wei in all, L1's part included where it is known; dollars for one native coin. */
interface Cost {
  readonly wei: bigint;
  readonly usd: number | null;
}

interface Work {
  readonly gas: number;
  /** Pays beside gas for L1, wei; `null`: not known, and in no cost. */
  readonly dataFee: bigint | null;
  readonly dataFeeReason: string | null;
}

export interface CallCost extends Work {
  readonly lanes: Readonly<Record<LaneName, Cost & { readonly price: bigint }>>;
  /** The rows of the table of waits within the patience, each with its cost at its price. */
  readonly waits: readonly (Cost & { readonly wait: HorizonView; readonly price: bigint })[];
}

/** Where only the gas is given: how large its data is, which a rollup charges for, is not known. */
export function workOfGas(gas: number, chainId: number | null): Work {
  const isWhole = servedChain(chainId).dataFee === undefined;
  const reason = 'what L1 takes depends on the call: give it with --to and --data';
  return { gas, dataFee: isWhole ? 0n : null, dataFeeReason: isWhole ? null : reason };
}

/** What a call costs now in each lane, and if it waits: the same prices and rows as everywhere. */
export function costOfCall(
  { gas, dataFee, dataFeeReason }: Work,
  { lanes, nativeUsd }: Pick<SnapshotView, 'lanes' | 'nativeUsd'>,
  advice: Pick<RecommendationView, 'alternatives'> | null,
  patienceSec: number,
): CallCost {
  const at = (price: bigint) => {
    const wei = cost(gas, price) + (dataFee ?? 0n);
    return { price, wei, usd: nativeUsd === null ? null : usdOf(wei, nativeUsd) };
  };
  return {
    gas,
    dataFee,
    dataFeeReason,
    lanes: eachLane((lane) => at(lanes[lane].price)),
    waits: (advice?.alternatives ?? []).flatMap((wait) =>
      wait.price === null || wait.horizonSec > patienceSec ? [] : [{ wait, ...at(wait.price) }],
    ),
  };
}
