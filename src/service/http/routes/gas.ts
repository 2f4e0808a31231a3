import type { OpenAPIHono } from '@hono/zod-openapi';
import { GasCurrent, GasRecommendation, GasTrend } from '../../../contract/gas.ts';
import { NoParameters, RecommendationParameters } from '../../../contract/queries.ts';
import { PATHS } from '../../../contract/routes.ts';
import { gasCurrent, gasRecommendation, gasTrend } from '../../responses/gas.ts';
import { wireWei } from '../../responses/wire.ts';
import type { ServiceState } from '../../service-state.ts';
import { chainRoute } from './describe.ts';

const currentRoute = chainRoute(PATHS.gasCurrent, NoParameters, GasCurrent, 'What gas costs now');
const trendRoute = chainRoute(PATHS.gasTrend, NoParameters, GasTrend, 'Where the price is going');
const recommendationRoute = chainRoute(
  PATHS.gasRecommendation,
  RecommendationParameters,
  GasRecommendation,
  'Send now, or wait for what price and how long',
);

export function addGasRoutes(app: OpenAPIHono, state: ServiceState): void {
  app.openapi(currentRoute, (c) => c.json(gasCurrent(state.present()), 200));
  app.openapi(trendRoute, (c) => c.json(gasTrend(state.present()), 200));
  app.openapi(recommendationRoute, (c) => {
    const present = state.present();
    const { targetGwei: targetPrice, deadlineSec } = c.req.valid('query');
    if (targetPrice === undefined || deadlineSec === undefined)
      return c.json(gasRecommendation(present), 200);
    const reach = state.reachProbability(targetPrice, deadlineSec);
    const asked = { targetPrice: wireWei(targetPrice), deadlineSec };
    return c.json(
      gasRecommendation(present, {
        ...asked,
        probability: reach?.probability ?? null,
        reason: reach === null ? 'no block is known yet' : reach.reason,
      }),
      200,
    );
  });
}
