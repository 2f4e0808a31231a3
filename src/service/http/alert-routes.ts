import type { OpenAPIHono } from '@hono/zod-openapi';
import { AlertRedelivery, AlertStatusUpdate } from '../../contract/alerts.ts';
import { checkAlert } from '../../contract/check-alert.ts';
import { SAVINGS_GAS_DEFAULT } from '../../contract/choices.ts';
import { PAGE_SIZE_DEFAULT } from '../../contract/queries.ts';
import type { AlertBook } from '../alerts/alert-book.ts';
import {
  creationRoute,
  deletionRoute,
  detailsRoute,
  listRoute,
  redeliveryRoute,
  savingsRoute,
  statusRoute,
} from './alert-route-values.ts';
import { readBody, readJson, wrongFields } from './read-body.ts';

/** None of them needs the chain, so they answer whatever it does. Each key sees its own alerts alone. */
export function addAlertRoutes(app: OpenAPIHono, book: AlertBook): void {
  app.openapi(listRoute, async (c) => {
    const { page = 0, size = PAGE_SIZE_DEFAULT } = c.req.valid('query');
    return c.json(await book.list(c.get('owner'), page, size), 200);
  });
  app.openapi(detailsRoute, async (c) =>
    c.json(await book.details(c.get('owner'), c.req.valid('param').id), 200),
  );
  app.openapi(creationRoute, async (c) => {
    const checked = checkAlert(await readJson(c), book.rules);
    if (!checked.ok) throw wrongFields(checked.problems);
    const alert = await book.create(c.get('owner'), checked.alert);
    // Beside the list, wherever a proxy has put that.
    return c.json(alert, 201, { Location: `alerts/${alert.id}` });
  });
  app.openapi(statusRoute, async (c) => {
    const { status } = await readBody(c, AlertStatusUpdate);
    return c.json(await book.setStatus(c.get('owner'), c.req.valid('param').id, status), 200);
  });
  app.openapi(deletionRoute, async (c) => {
    await book.remove(c.get('owner'), c.req.valid('param').id);
    return c.body(null, 204);
  });
  app.openapi(savingsRoute, async (c) => {
    const { gasAmount = SAVINGS_GAS_DEFAULT } = c.req.valid('query');
    return c.json(await book.savings(c.get('owner'), c.req.valid('param').id, gasAmount), 200);
  });
  app.openapi(redeliveryRoute, async (c) => {
    const { deliveryId } = await readBody(c, AlertRedelivery);
    return c.json(await book.redeliver(c.get('owner'), c.req.valid('param').id, deliveryId), 202);
  });
}
