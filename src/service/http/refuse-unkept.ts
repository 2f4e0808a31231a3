import type { OpenAPIHono } from '@hono/zod-openapi';
import { PATHS } from '../../contract/routes.ts';
import { ApiFailure } from './errors.ts';

const RETRY_SEC = 5;

/**
 * Has every route of alerts and auto-txs refuse: what would be made here is gone when the process ends, for the reason in
 * `unsaved`, or, without one, when it is known which chain they are about.
 */
export function refuseUnkept(app: OpenAPIHono, unsaved?: string): void {
  for (const [path, what] of [
    [PATHS.alerts, 'alerts'],
    [PATHS.autoTxs, 'auto-txs'],
  ]) {
    app.use(`${path}/*`, async (c, next) => {
      if (c.req.method === 'OPTIONS') return next();
      if (unsaved !== undefined) {
        throw new ApiFailure(
          'upstream_unavailable',
          `no ${what} are kept here: ${unsaved}; then start gastop again`,
        );
      }
      throw new ApiFailure(
        'upstream_unavailable',
        `no ${what} are kept yet: no node has said which chain this is, or its history cannot be opened, which /readyz tells; ask again in a moment`,
        { headers: { 'Retry-After': String(RETRY_SEC) } },
      );
    });
  }
}
