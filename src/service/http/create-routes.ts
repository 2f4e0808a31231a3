import type { OpenAPIHono } from '@hono/zod-openapi';
import { AlertBook, type AlertBookParts } from '../alerts/alert-book.ts';
import { AutoTxBook, type AutoTxBookParts } from '../auto-txs/auto-tx-book.ts';
import { type AppOptions, createApp } from './app.ts';

export interface RoutesOptions extends Omit<AppOptions, 'alerts' | 'autoTxs'> {
  readonly alerts: AlertBookParts;
  readonly autoTxs: AutoTxBookParts;
}

/** All of v1 with what its routes ask beside the prices: loaded with the first question that needs it. */
export function createRoutes({ alerts, autoTxs, ...options }: RoutesOptions): OpenAPIHono {
  return createApp({ ...options, alerts: new AlertBook(alerts), autoTxs: new AutoTxBook(autoTxs) });
}
