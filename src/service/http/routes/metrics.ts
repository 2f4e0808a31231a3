import { LANE_OF_SPEED } from '../../../contract/choices.ts';
import {
  BaseFeeMetrics,
  BlockMetrics,
  GasUsedRatioMetrics,
  PriorityFeeMetrics,
  TxMetrics,
  TxsMetrics,
} from '../../../contract/metrics.ts';
import * as queries from '../../../contract/queries.ts';
import { PATHS } from '../../../contract/routes.ts';
import type { Rollup } from '../../../store/rollups.ts';
import { blockMetrics } from '../../responses/block.ts';
import { txMetrics, txsMetrics } from '../../responses/explorer.ts';
import { metricsResponse } from '../../responses/metrics.ts';
import { meansToWire, wholeWeiOrNull } from '../../responses/wire.ts';
import { type Route, type RouteParts, route } from './route.ts';

export const metricsRoutes = ({ lookups }: Pick<RouteParts, 'lookups'>): Route[] => [
  route('get', PATHS.baseFee, {
    summary: 'Base fee over a window',
    query: queries.MetricsParameters,
    response: BaseFeeMetrics,
    handle: async ({ query }) =>
      metricsResponse(query, await lookups.context(), (rollup) => {
        const { base_open: open, base_min: min, base_mean: mean, base_max: max, base_close: close } = rollup;
        return meansToWire({ open, min, mean, max, close });
      }),
  }),
  route('get', PATHS.priorityFee, {
    summary: 'Tip at a percentile over a window',
    query: queries.PriorityFeeParameters,
    response: PriorityFeeMetrics,
    async handle({ query: { percentile, ...window } }) {
      const tipOf = (rollup: Rollup) => {
        const tip = rollup[`tip_${percentile}`];
        return tip === null ? null : { value: wholeWeiOrNull(tip) };
      };
      return metricsResponse(window, await lookups.context(), tipOf, true);
    },
  }),
  route('get', PATHS.gasUsedRatio, {
    summary: 'How full the blocks of a window were',
    query: queries.MetricsParameters,
    response: GasUsedRatioMetrics,
    handle: async ({ query }) =>
      metricsResponse(query, await lookups.context(), ({ ratio_mean, ratio_max }) => ({
        mean: ratio_mean,
        max: ratio_max,
      })),
  }),
  route('get', PATHS.block, {
    summary: 'One block: its fees, how full it was, what it tipped and burnt',
    params: queries.BlockParameter,
    response: BlockMetrics,
    refusals: {
      404: 'The block is not there yet, or neither node nor history holds it any more',
    },
    handle: ({ signal, params: { number } }) =>
      lookups.explore((context) => blockMetrics(number, context), signal),
  }),
  route('get', PATHS.tx, {
    summary: 'One transaction: what it offered, what it paid, how it stood in its block',
    params: queries.TxParameter,
    query: queries.TxOptions,
    response: TxMetrics,
    refusals: {
      404: 'The chain knows no such transaction, or a recording is followed, which holds none',
    },
    handle: ({ signal, params: { hash }, query: { gasSpeed } }) =>
      lookups.explore((context) => txMetrics(hash, LANE_OF_SPEED[gasSpeed], context), signal),
  }),
  route('get', PATHS.txs, {
    summary: 'Transactions of a window, newest first',
    query: queries.TxsParameters,
    response: TxsMetrics,
    refusals: { 404: 'A recording is followed, which holds no transactions' },
    handle: ({ signal, query }) =>
      lookups.explore((context, until) => txsMetrics(query, context, until), signal),
  }),
];
