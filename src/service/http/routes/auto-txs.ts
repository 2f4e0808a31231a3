import type { OpenAPIHono } from '@hono/zod-openapi';
import {
  AutoTxAccount,
  type AutoTxCreationInput,
  AutoTxDetails,
  AutoTxList,
} from '../../../contract/auto-txs.ts';
import { checkAutoTx, checkAutoTxUpdate } from '../../../contract/check-auto-tx.ts';
import {
  AccountParameter,
  AutoTxParameter,
  NoParameters,
  PAGE_SIZE_DEFAULT,
  PageParameters,
} from '../../../contract/queries.ts';
import { PATHS } from '../../../contract/routes.ts';
import { AUTO_TXS_PER_KEY, type AutoTxService } from '../../auto-txs/auto-tx-service.ts';
import { readJson, wrongFields } from '../body.ts';
import {
  changingRoute,
  conflict,
  getRoute,
  made,
  NEEDS_CHAIN,
  notFound,
  success,
  TOO_LARGE,
  WRONG_PARAMETER,
  wrongBody,
} from './describe.ts';

const NO_AUTO_TX = notFound('There is no such auto-tx, or it belongs to another key');
const WRONG_BODY = wrongBody(
  'The body is no JSON, its fields are wrong, or a check blocks: it can never be included',
);

const NEW_DRAFT: AutoTxCreationInput = {
  to: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf',
  value: '1000000000000000',
  targetGasPriceGwei: 5,
  gasSpeed: 'AVERAGE',
  note: 'when it is cheap',
};

const OF_ONE = { params: AutoTxParameter, query: NoParameters };

const listRoute = getRoute(
  PATHS.autoTxs,
  'The auto-txs of the key, newest first',
  { query: PageParameters },
  AutoTxList,
  {},
);
const detailsRoute = getRoute(PATHS.autoTx, 'One auto-tx with its history', OF_ONE, AutoTxDetails, {
  404: NO_AUTO_TX,
});

const creationRoute = changingRoute('post', PATHS.autoTxs, 'Schedule a transaction', {
  description:
    'With `signedTransaction` it is checked and pending until its target is reached. Without it `to`, `value` and `data` make a draft, which is signed later. No response holds the signed bytes.',
  body: { name: 'AutoTxCreation', example: NEW_DRAFT },
  request: { query: NoParameters },
  responses: {
    201: made('The auto-tx, with its checks', AutoTxDetails),
    400: WRONG_BODY,
    409: conflict(
      `The source takes no transactions, the key has ${AUTO_TXS_PER_KEY.toLocaleString('en')} auto-txs already that are not final, one with the same nonce of the same sender, or one of the same signed bytes`,
    ),
    413: TOO_LARGE,
    ...NEEDS_CHAIN,
  },
});

const updateRoute = changingRoute('put', PATHS.autoTx, 'Change an auto-tx', {
  description:
    'What is given changes. `signedTransaction` signs a draft, which it must match, or replaces what was never broadcast; `to`, `value` and `data` change of a draft alone. Once submitted only `note` can change.',
  body: { name: 'AutoTxUpdate', example: { targetGasPriceGwei: 3 } },
  request: OF_ONE,
  responses: {
    200: success('The auto-tx as it is now', AutoTxDetails),
    400: WRONG_BODY,
    404: NO_AUTO_TX,
    409: conflict(
      'Its status does not allow that, or another one has the same nonce or the same signed bytes',
    ),
    413: TOO_LARGE,
  },
});

const cancellationRoute = changingRoute('post', PATHS.autoTxCancel, 'Cancel an auto-tx', {
  description:
    'It is never broadcast. Once it is submitted only a same-nonce replacement from the wallet can stop it. A cancelled one stays so.',
  request: OF_ONE,
  responses: {
    200: success('The auto-tx as it is now', AutoTxDetails),
    400: WRONG_PARAMETER,
    404: NO_AUTO_TX,
    409: conflict('It was submitted, or is final'),
  },
});

const deletionRoute = changingRoute('delete', PATHS.autoTx, 'Delete an auto-tx', {
  description: 'A draft, or a final one, is deleted with its history.',
  request: OF_ONE,
  responses: {
    204: { description: 'It is gone' },
    400: WRONG_PARAMETER,
    404: NO_AUTO_TX,
    409: conflict('It may still be broadcast; cancel it first'),
  },
});

const accountRoute = {
  ...getRoute(
    PATHS.autoTxAccount,
    'A sender as the chain knows it',
    { params: AccountParameter, query: NoParameters },
    AutoTxAccount,
    { 409: conflict('The source takes no transactions'), ...NEEDS_CHAIN },
  ),
  description: 'Not part of v1. What pre-flight checks need of a sender, without the signed bytes.',
  'x-gastop-addition': true,
};

/** Each key sees only its own auto-txs. No response and no error repeats a signed transaction of a body. */
export function addAutoTxRoutes(app: OpenAPIHono, autoTxs: AutoTxService): void {
  app.openapi(listRoute, async (c) => {
    const { page = 0, size = PAGE_SIZE_DEFAULT } = c.req.valid('query');
    return c.json(await autoTxs.list(c.get('owner'), page, size), 200);
  });
  app.openapi(accountRoute, async (c) => {
    const { address } = c.req.valid('param');
    return c.json(await autoTxs.account(c.get('owner'), address, c.req.raw.signal), 200);
  });
  app.openapi(detailsRoute, async (c) =>
    c.json(await autoTxs.details(c.get('owner'), c.req.valid('param').id), 200),
  );
  app.openapi(creationRoute, async (c) => {
    const checked = checkAutoTx(await readJson(c), autoTxs.now());
    if (!checked.ok) throw wrongFields(checked.problems);
    const autoTx = await autoTxs.create(c.get('owner'), checked.value);
    // Relative to the list, wherever a proxy has put it.
    return c.json(autoTx, 201, { Location: `auto-txs/${autoTx.id}` });
  });
  app.openapi(updateRoute, async (c) => {
    const checked = checkAutoTxUpdate(await readJson(c), autoTxs.now());
    if (!checked.ok) throw wrongFields(checked.problems);
    return c.json(await autoTxs.update(c.get('owner'), c.req.valid('param').id, checked.value), 200);
  });
  app.openapi(cancellationRoute, async (c) =>
    c.json(await autoTxs.cancel(c.get('owner'), c.req.valid('param').id), 200),
  );
  app.openapi(deletionRoute, async (c) => {
    await autoTxs.remove(c.get('owner'), c.req.valid('param').id);
    return c.body(null, 204);
  });
}
