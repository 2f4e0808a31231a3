import type { OpenAPIHono } from '@hono/zod-openapi';
import { checkAutoTx, checkAutoTxUpdate } from '../../contract/check-auto-tx.ts';
import { PAGE_SIZE_DEFAULT } from '../../contract/queries.ts';
import type { AutoTxBook } from '../auto-txs/auto-tx-book.ts';
import {
  accountRoute,
  cancellationRoute,
  creationRoute,
  deletionRoute,
  detailsRoute,
  listRoute,
  updateRoute,
} from './auto-tx-route-values.ts';
import { readJson, wrongFields } from './read-body.ts';

/** Each key sees its own auto-txs alone. No answer and no error repeats what a body said of a signed transaction. */
export function addAutoTxRoutes(app: OpenAPIHono, book: AutoTxBook): void {
  app.openapi(listRoute, async (c) => {
    const { page = 0, size = PAGE_SIZE_DEFAULT } = c.req.valid('query');
    return c.json(await book.list(c.get('owner'), page, size), 200);
  });
  app.openapi(accountRoute, async (c) => {
    const { address } = c.req.valid('param');
    return c.json(await book.account(c.get('owner'), address, c.req.raw.signal), 200);
  });
  app.openapi(detailsRoute, async (c) =>
    c.json(await book.details(c.get('owner'), c.req.valid('param').id), 200),
  );
  app.openapi(creationRoute, async (c) => {
    const checked = checkAutoTx(await readJson(c), book.now());
    if (!checked.ok) throw wrongFields(checked.problems);
    const autoTx = await book.create(c.get('owner'), checked.autoTx);
    // Beside the list, wherever a proxy has put that.
    return c.json(autoTx, 201, { Location: `auto-txs/${autoTx.id}` });
  });
  app.openapi(updateRoute, async (c) => {
    const checked = checkAutoTxUpdate(await readJson(c), book.now());
    if (!checked.ok) throw wrongFields(checked.problems);
    return c.json(await book.update(c.get('owner'), c.req.valid('param').id, checked.update), 200);
  });
  app.openapi(cancellationRoute, async (c) =>
    c.json(await book.cancel(c.get('owner'), c.req.valid('param').id), 200),
  );
  app.openapi(deletionRoute, async (c) => {
    await book.remove(c.get('owner'), c.req.valid('param').id);
    return c.body(null, 204);
  });
}
