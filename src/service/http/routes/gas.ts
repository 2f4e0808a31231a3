import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { GasCurrent, GasRecommendation, GasTrend } from '../../../contract/gas.ts';
import { NoParameters, RecommendationParameters } from '../../../contract/queries.ts';
import { API_KEY_HEADER, PATHS } from '../../../contract/routes.ts';
import { gasCurrent, gasRecommendation, gasTrend } from '../../responses/gas.ts';
import { wireInteger } from '../../responses/wire.ts';
import type { ServiceState } from '../../service-state.ts';
import type { Gate } from '../auth.ts';
import type { GasStreams } from '../gas-streams.ts';
import {
  ANYTHING_ELSE,
  chainRoute,
  describeRoute,
  GATE_REFUSALS,
  NEEDS_CHAIN,
  WRONG_PARAMETER,
} from './describe.ts';

const currentRoute = chainRoute(PATHS.gasCurrent, NoParameters, GasCurrent, 'What gas costs now');
const trendRoute = chainRoute(PATHS.gasTrend, NoParameters, GasTrend, 'Where the price is going');
const recommendationRoute = chainRoute(
  PATHS.gasRecommendation,
  RecommendationParameters,
  GasRecommendation,
  'Send now, or wait for what price and how long',
);

const streamedRoute = createRoute({
  ...describeRoute('get', PATHS.gasStream, 'What gas costs, with each new block'),
  description:
    'Not part of v1. Server-Sent Events: the response of `/gas/current` now, with each new block, and whenever else it changes, such as when prices become stale. The `id` is the number of the block; blocks that come within 200 ms of each other are one event, of the newest. A comment comes every 15 seconds. Each key has at most five streams on one process, and each stream costs one request of the quota an hour. A reader that does not keep up is dropped: ask again with `Last-Event-ID`.',
  'x-gastop-addition': true,
  parameters: [
    {
      name: 'Last-Event-ID',
      in: 'header' as const,
      description: 'The `id` of the last event of an earlier stream: its block is not sent again',
      schema: { type: 'string' as const },
    },
  ],
  request: { query: NoParameters },
  responses: {
    200: {
      description: 'Events until the stream ends; the schema is that of the `data` of each',
      content: { 'text/event-stream': { schema: GasCurrent } },
    },
    400: WRONG_PARAMETER,
    ...GATE_REFUSALS,
    ...NEEDS_CHAIN,
    default: ANYTHING_ELSE,
  },
});

/** For proxies as well: events must be passed on at once, and not be stored. */
const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
} as const;

export function addGasRoutes(
  app: OpenAPIHono,
  {
    state,
    gate,
    streams,
  }: { readonly state: ServiceState; readonly gate: Gate; readonly streams: GasStreams },
): void {
  app.openapi(currentRoute, (c) => c.json(gasCurrent(state.present()), 200));
  app.openapi(trendRoute, (c) => c.json(gasTrend(state.present()), 200));
  app.openapi(recommendationRoute, (c) => {
    const present = state.present();
    const { targetGwei: targetPrice, deadlineSec } = c.req.valid('query');
    if (targetPrice === undefined || deadlineSec === undefined)
      return c.json(gasRecommendation(present), 200);
    const reach = state.reachProbability(targetPrice, deadlineSec);
    const asked = { targetPrice: wireInteger(targetPrice), deadlineSec };
    return c.json(
      gasRecommendation(present, {
        ...asked,
        probability: reach?.probability ?? null,
        reason: reach === null ? 'no block is known yet' : reach.reason,
      }),
      200,
    );
  });
  app.openapi(streamedRoute, (c) => {
    // A HEAD response has no body.
    if (c.req.method === 'HEAD') return c.body(null, 200, STREAM_HEADERS);
    const key = c.req.header(API_KEY_HEADER) ?? null;
    const admit = () => gate.admit({ key, group: 'gas' });
    const stream = streams.open(c.req.header('last-event-id'), { owner: c.get('owner'), key, admit });
    return c.body(stream, 200, STREAM_HEADERS);
  });
}
