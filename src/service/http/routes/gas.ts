import { GasRecommendation, GasTrend } from '../../../contract/advice.ts';
import { ChainRules } from '../../../contract/chain.ts';
import { PATIENCE_SEC } from '../../../contract/choices.ts';
import { CallToEstimate, checkCall, GasEstimate } from '../../../contract/estimate.ts';
import { GasCurrent } from '../../../contract/gas.ts';
import { RecommendationParameters } from '../../../contract/queries.ts';
import { API_KEY_HEADER, PATHS } from '../../../contract/routes.ts';
import { usualWorkTable } from '../../../core/usual-work.ts';
import { gasCurrent, gasRecommendation, gasTrend } from '../../responses/gas.ts';
import { valid } from '../errors.ts';
import { NEEDS_CHAIN, type Route, type RouteParts, route } from './route.ts';

/** For proxies as well: events must be passed on at once, and not be stored. */
const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
} as const;

export const gasRoutes = ({ publisher, chain, lookups, gate, streams }: RouteParts): Route[] => [
  route('get', PATHS.gasCurrent, {
    summary: 'What gas costs now',
    response: GasCurrent,
    handle: () => gasCurrent(publisher.require()),
  }),
  route('get', PATHS.gasTrend, {
    summary: 'Where the price is going',
    response: GasTrend,
    handle: () => gasTrend(publisher.require()),
  }),
  route('get', PATHS.gasRecommendation, {
    summary: 'Send now, or wait for what price and how long',
    query: RecommendationParameters,
    response: GasRecommendation,
    handle({ query: { patienceSec = PATIENCE_SEC.default, targetGwei: targetPrice, deadlineSec } }) {
      const published = publisher.require();
      const recommendation = chain.recommendation(patienceSec);
      if (targetPrice === undefined || deadlineSec === undefined) {
        return gasRecommendation(published, { recommendation });
      }
      const chance = chain.reachProbability(targetPrice, deadlineSec);
      const reach = { targetPrice: Number(targetPrice), deadlineSec, ...chance };
      return gasRecommendation(published, { recommendation, reach });
    },
  }),
  route('post', PATHS.gasEstimate, {
    summary: 'What a call takes, by eth_estimateGas',
    description:
      'Gas of a call in the state of the newest block, and what a rollup takes for L1 beside it. Nothing is sent; it is not stored.',
    body: {
      schema: CallToEstimate,
      example: { to: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf', value: '1' },
    },
    response: GasEstimate,
    refusals: {
      400: 'The body is wrong, or the call would fail: what the node says of it is in `message`',
      409: 'The source runs no calls',
      ...NEEDS_CHAIN,
    },
    handle: ({ body, signal }) => lookups.estimate(valid(checkCall(body)), signal),
  }),
  route('get', PATHS.chainRules, {
    summary: 'Whose gas rules hold, which fork comes next, and what usual work takes',
    response: ChainRules,
    handle: async ({ signal }) => ({ ...(await lookups.rules(signal)), usualWork: [...usualWorkTable] }),
  }),
  route('get', PATHS.gasStream, {
    summary: 'What gas costs, with each new block',
    description:
      'Server-Sent Events: the response of `/gas/current` now, with each new block, and whenever else it changes, such as when prices become stale. The `id` is the number of the block; blocks that come within 200 ms of each other are one event, of the newest. A comment comes every 15 seconds. Each key has at most five streams on one process, and each stream costs one request of the quota an hour. A reader that does not keep up is dropped: ask again with `Last-Event-ID`.',
    isStream: true,
    success: 'Events until the stream ends; the schema is that of the `data` of each',
    response: GasCurrent,
    handle({ c, owner }) {
      // A HEAD response has no body.
      if (c.req.method === 'HEAD') return c.body(null, 200, STREAM_HEADERS);
      const key = c.req.header(API_KEY_HEADER) ?? null;
      const admit = () => gate.admit({ key, group: 'gas' });
      const stream = streams.open(c.req.header('last-event-id'), { owner, key, admit });
      return c.body(stream, 200, STREAM_HEADERS);
    },
  }),
];
