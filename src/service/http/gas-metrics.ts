import { LANES } from '../../core/advice.ts';
import { TIP_PERCENTILES, tipAt } from '../../core/block.ts';
import { isOutdated } from '../../core/chain-status.ts';
import type { DataFees } from '../../core/data-fee.ts';
import type { PublishedChain } from '../published-chain.ts';
import { gasCurrent, gasRecommendation, gasTrend } from '../responses/gas.ts';
import { usualWork } from '../responses/market.ts';
import { integerOrNull } from '../responses/wire.ts';
import { gauge, type Series } from './metrics.ts';

const ACTIONS = ['SEND_NOW', 'WAIT', 'SET_ALERT'] as const;

/** Labels beside the chain's, and the value; `null`: unknown, and left out. */
type Sample = readonly [labels: string, value: number | null];

/** {@link gasMetrics}, written once for each block: a scrape holds up nobody who asks for prices. */
export function createGasMetrics() {
  let written: { readonly of: readonly [PublishedChain | null, DataFees]; readonly text: string } | null =
    null;
  return (published: PublishedChain | null, dataFees: DataFees): string => {
    if (written?.of[0] === published && written.of[1] === dataFees) return written.text;
    written = { of: [published, dataFees], text: gasMetrics(published, dataFees) };
    return written.text;
  };
}

/**
 * What gas costs now, as gauges in Prometheus' text format: the figures of `/gas/current`, `/gas/trend`, `/gas/recommendation` and
 * `/dashboard/stats/market`. A sample says that its figure is of now, so stale ones are left out. docs/METRICS.md lists them.
 */
function gasMetrics(published: PublishedChain | null, dataFees: DataFees): string {
  if (published === null) return '';
  const { profile, head, advice } = published;
  const isStale = isOutdated(published.status);
  const chain = `chain_id="${profile.id}"`;
  const gauges = (name: string, help: string, samples: readonly Sample[]) =>
    gauge(
      name,
      help,
      samples.flatMap(([labels, value]): Series => (value === null ? [] : [[`{${chain}${labels}}`, value]])),
    );
  const single = (name: string, help: string, value: number | null) => gauges(name, help, [['', value]]);
  const freshness = single(
    'gastop_prices_stale',
    '1 while prices are stale and left out here.',
    Number(isStale),
  );
  if (isStale) return freshness;

  const now = gasCurrent(published);
  const { changeRatio, percentileRank24h, congestion } = gasTrend(published);
  const advised = gasRecommendation(published);
  const ofAdvice = (value: number | null) => (advised.action === null ? null : value);
  const nextBlob = now.blobBasePrice === null ? null : integerOrNull(advice.nextBlobBaseFee);
  const ofLanes = (name: string, help: string, value: (lane: typeof now.lanes.slow) => number | null) =>
    gauges(
      name,
      help,
      LANES.map((lane) => [`,lane="${lane}"`, value(now.lanes[lane])]),
    );
  // Without the data fee it would not be what the action costs.
  const work = usualWork(published, dataFees).filter(({ dataFee }) => dataFee !== null);
  const costs = (unit: 'wei' | 'usd') =>
    work.flatMap((action) =>
      LANES.map((lane): Sample => {
        const cost = action[lane][unit];
        return [`,action="${action.name}",lane="${lane}"`, cost === null ? null : Number(cost)];
      }),
    );
  const tips = TIP_PERCENTILES.map(
    (percentile): Sample => [`,percentile="p${percentile}"`, integerOrNull(tipAt(head, percentile))],
  );
  const actions = ACTIONS.map(
    (action): Sample => [`,action="${action}"`, ofAdvice(Number(action === advised.action))],
  );
  return [
    freshness,
    single('gastop_base_fee_wei', 'Base fee of the newest block, wei per gas.', now.basePrice),
    single('gastop_next_base_fee_wei', 'Base fee of the next block, wei per gas.', now.nextBasePrice),
    single('gastop_base_fee_floor_wei', 'What the base fee never falls below, wei per gas.', now.floorPrice),
    single('gastop_base_fee_change_ratio', 'Base fee against the mean of the hour before.', changeRatio),
    single(
      'gastop_base_fee_rank_ratio',
      'Share of the last 24 h of blocks with a base fee below the next.',
      percentileRank24h,
    ),
    single(
      'gastop_blob_base_fee_wei',
      'Blob base fee of the newest block, wei per blob gas.',
      now.blobBasePrice,
    ),
    single('gastop_next_blob_base_fee_wei', 'Blob base fee of the next block, wei per blob gas.', nextBlob),
    single('gastop_gas_used_ratio', 'How full the newest block is.', now.gasUsedRatio),
    single('gastop_recent_gas_used_ratio', 'How full the last blocks are on average.', congestion),
    gauges('gastop_tip_wei', 'Priority fees paid in the newest block by percentile, wei per gas.', tips),
    ofLanes('gastop_lane_price_wei', 'What a lane expects to pay, wei per gas.', ({ price }) => price),
    ofLanes('gastop_lane_max_fee_wei', 'Max fee to sign, wei per gas.', (lane) => lane.maxFeePerGas),
    ofLanes(
      'gastop_lane_max_priority_fee_wei',
      'Max priority fee to sign, wei per gas.',
      (lane) => lane.maxPriorityFeePerGas,
    ),
    ofLanes(
      'gastop_lane_probability',
      "Share of the lane's past advice that was included in time.",
      ({ probability }) => probability,
    ),
    ofLanes(
      'gastop_lane_wait_seconds',
      'Time until inclusion that 19 of 20 stay below.',
      ({ waitSec }) => waitSec.p95,
    ),
    gauges('gastop_advice', '1 for what is advised for the patience of the service.', actions),
    single('gastop_advice_target_price_wei', 'Price to send at, wei per gas.', ofAdvice(advised.targetPrice)),
    single('gastop_advice_deadline_seconds', 'Longest wait that is advised.', ofAdvice(advised.deadlineSec)),
    single(
      'gastop_advice_probability',
      'Probability that the target price is reached in time.',
      ofAdvice(advised.probability),
    ),
    single(
      'gastop_advice_saving_ratio',
      'Saving expected against sending in the next block.',
      ofAdvice(advised.expectedSavingRatio),
    ),
    single('gastop_native_usd', 'US dollars for one native coin.', now.nativeUsd),
    gauges('gastop_action_cost_wei', 'Cost of usual work, L1 part included, wei.', costs('wei')),
    gauges('gastop_action_cost_usd', 'Cost of usual work, L1 part included, US dollars.', costs('usd')),
  ].join('');
}
