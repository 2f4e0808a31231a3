import type { PricedLane } from '../core/advice.ts';
import { hasDataFee, servedChain } from '../core/chains.ts';
import {
  effectivePrice,
  isPricedByHistory,
  NO_BLOB_HISTORY,
  type PaidWork,
  type PriceOrReason,
  type Threshold,
  type ThresholdBasis,
} from '../core/threshold/threshold.ts';
import { gasByChainAlone, USUAL_ACTIONS } from '../core/usual-work.ts';
import { ifTold } from './errors.ts';
import type { GasClient } from './gas-client.ts';
import { loadLanePrices, pastPriceAt } from './lane-prices.ts';
import type { CallOptions } from './requests.ts';
import type { AlertThreshold } from './views/alert-texts.ts';
import type { ActionView } from './views/dashboard.ts';
import type { SnapshotView } from './views/gas.ts';

/** How far a rule looks back, in seconds; 0: not at all. */
export const windowSecOf = (threshold: Threshold): number =>
  'windowSec' in threshold ? threshold.windowSec : 0;

export interface WhatIsPriced {
  readonly lane: PricedLane;
  readonly snapshot: SnapshotView;
  /** Many requests are allowed, as for a service in this process. */
  readonly thorough: boolean;
}

/** As its service says; others say nothing. */
export const whyNoDollars = ({ chainId, nativeUsdReason }: SnapshotView): string =>
  nativeUsdReason ?? `no dollar price of ${servedChain(chainId).nativeSymbol}`;

/** Gas that usual work takes: as the service says, else by the chain alone; `null`: that does not tell it. */
export const gasOfWork = (
  name: string,
  action: Pick<ActionView, 'gas'> | undefined,
  chainId: number | null,
): number | null => action?.gas ?? gasByChainAlone(name, servedChain(chainId));

/** The data fee of an action, wei; `null` when the chain has one that the service does not report. */
export function dataFeeOf(
  action: Partial<Pick<ActionView, 'dataFee' | 'dataFeeReason'>> | undefined,
  chainId: number | null,
): bigint | null {
  if (action?.dataFee != null) return action.dataFee.wei;
  return action?.dataFeeReason == null && !hasDataFee(chainId) ? 0n : null;
}

/** What a rule is priced by now, of any service that speaks v1. @throws ClientError */
export async function loadThresholdBasis(
  client: Pick<GasClient, 'statsMarket' | 'baseFee' | 'priorityFee'>,
  threshold: Threshold,
  { lane, snapshot, thorough }: WhatIsPriced,
  call: CallOptions = {},
): Promise<ThresholdBasis> {
  const { chainId, nativeUsd } = snapshot;
  const at = snapshot.blockTimestamp ?? snapshot.updatedAt ?? Date.now();
  const isHistory = isPricedByHistory(threshold);
  const from = at - windowSecOf(threshold) * 1_000;
  const past =
    isHistory && lane !== 'blob'
      ? await loadLanePrices(client, lane, { from, to: at }, thorough, call)
      : null;
  const work = isHistory ? workOf([], chainId) : await loadWork(client, snapshot, call);
  return {
    nativeUsd,
    nativeUsdReason: whyNoDollars(snapshot),
    ...work,
    pastPrice: lane === 'blob' ? () => NO_BLOB_HISTORY : pastPriceAt(past, at / 1_000),
  };
}

/** What work takes now, by what the service says of usual work. */
export async function loadWork(
  client: Pick<GasClient, 'statsMarket'>,
  { chainId }: Pick<SnapshotView, 'chainId'>,
  call: CallOptions = {},
) {
  const market = await ifTold(client.statsMarket('24h', call));
  return workOf(market?.actions ?? [], chainId);
}

const nameOf = (work: PaidWork) =>
  'gas' in work ? null : (USUAL_ACTIONS.find(({ word }) => word === work.action)?.name ?? work.action);

function workOf(
  actions: readonly ActionView[],
  chainId: number | null,
): Pick<ThresholdBasis, 'gasOf' | 'dataFeeOf'> {
  const find = (work: PaidWork) => actions.find(({ name }) => name === nameOf(work));
  return {
    gasOf: (work) => ('gas' in work ? work.gas : gasOfWork(nameOf(work) ?? '', find(work), chainId)),
    dataFeeOf: (work) => ('gas' in work ? (hasDataFee(chainId) ? null : 0n) : dataFeeOf(find(work), chainId)),
  };
}

/** A threshold with what it stands for now, as the view of an alert has it; `now` is `null` while that is looked up. */
export const alertThreshold = (threshold: Threshold, now: PriceOrReason | null): AlertThreshold => ({
  rule: threshold.kind === 'gwei' ? null : threshold,
  threshold: now !== null && 'price' in now ? now.price : null,
  thresholdReason: now !== null && 'reason' in now ? now.reason : null,
});

/** What a threshold stands for now, or why that is unknown. @throws ClientError */
export async function priceNow(
  client: Pick<GasClient, 'statsMarket' | 'baseFee' | 'priorityFee'>,
  threshold: Threshold,
  condition: 'LESS_THAN' | 'GREATER_THAN',
  priced: WhatIsPriced,
  call: CallOptions = {},
): Promise<PriceOrReason> {
  if (threshold.kind === 'gwei') return { price: threshold.price };
  return effectivePrice(threshold, condition, await loadThresholdBasis(client, threshold, priced, call));
}
