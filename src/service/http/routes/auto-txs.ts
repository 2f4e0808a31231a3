import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { ErrorBody } from '../../../contract/api-error.ts';
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
  ANYTHING_ELSE,
  answer,
  answers,
  conflict,
  describeRoute,
  GATE_REFUSALS,
  getOwnOneRoute,
  getOwnRoute,
  IF_NONE_MATCH,
  made,
  notFound,
  refusal,
  takes,
  UPSTREAM_DOWN,
  WRONG_PARAMETER,
  wrongBody,
} from './describe.ts';

const MISSING = 'There is no such auto-tx, or it belongs to another key';
const NO_AUTO_TX = notFound(MISSING);
const WRONG_BODY = wrongBody(
  'The body is no JSON, its fields are wrong, or a check blocks: it can never be included',
);
const TOO_LARGE = refusal('The body is too large: `payload_too_large`', ErrorBody);

const NEW_DRAFT: AutoTxCreationInput = {
  to: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf',
  value: '1000000000000000',
  targetGasPriceGwei: 5,
  gasSpeed: 'AVERAGE',
  note: 'when it is cheap',
};

const listRoute = getOwnRoute(
  PATHS.autoTxs,
  'The auto-txs of the key, newest first',
  PageParameters,
  AutoTxList,
);
const detailsRoute = getOwnOneRoute(PATHS.autoTx, 'One auto-tx with its history', {
  params: AutoTxParameter,
  query: NoParameters,
  answer: AutoTxDetails,
  missing: MISSING,
});

const creationRoute = createRoute({
  ...describeRoute('post', PATHS.autoTxs, 'Schedule a transaction'),
  description:
    'With `signedTransaction` it is checked and pending until its target is reached. Without it `to`, `value` and `data` make a draft, which is signed later. No response holds the signed bytes.',
  ...takes('AutoTxCreation', NEW_DRAFT),
  request: { query: NoParameters },
  responses: {
    201: made('The auto-tx, with its checks', AutoTxDetails),
    400: WRONG_BODY,
    409: conflict(
      `The source takes no transactions, the key has ${AUTO_TXS_PER_KEY.toLocaleString('en')} auto-txs already that are not final, one with the same nonce of the same sender, or one of the same signed bytes`,
    ),
    413: TOO_LARGE,
    ...GATE_REFUSALS,
    503: UPSTREAM_DOWN,
    default: ANYTHING_ELSE,
  },
});

const updateRoute = createRoute({
  ...describeRoute('put', PATHS.autoTx, 'Change an auto-tx'),
  description:
    'What is given changes. `signedTransaction` signs a draft, which it must match, or replaces what was never broadcast; `to`, `value` and `data` change of a draft alone. Once submitted only `note` can change.',
  ...takes('AutoTxUpdate', { targetGasPriceGwei: 3 }),
  request: { params: AutoTxParameter, query: NoParameters },
  responses: {
    200: answer('The auto-tx as it is now', AutoTxDetails),
    400: WRONG_BODY,
    404: NO_AUTO_TX,
    409: conflict(
      'Its status does not allow that, or another one has the same nonce or the same signed bytes',
    ),
    413: TOO_LARGE,
    ...GATE_REFUSALS,
    default: ANYTHING_ELSE,
  },
});

const cancellationRoute = createRoute({
  ...describeRoute('post', PATHS.autoTxCancel, 'Cancel an auto-tx'),
  description:
    'It is never broadcast. Once it is submitted only a same-nonce replacement from the wallet can stop it. A cancelled one stays so.',
  request: { params: AutoTxParameter, query: NoParameters },
  responses: {
    200: answer('The auto-tx as it is now', AutoTxDetails),
    400: WRONG_PARAMETER,
    404: NO_AUTO_TX,
    409: conflict('It was submitted, or is final'),
    ...GATE_REFUSALS,
    default: ANYTHING_ELSE,
  },
});

const deletionRoute = createRoute({
  ...describeRoute('delete', PATHS.autoTx, 'Delete an auto-tx'),
  description: 'A draft, or a final one, is deleted with its history.',
  request: { params: AutoTxParameter, query: NoParameters },
  responses: {
    204: { description: 'It is gone' },
    400: WRONG_PARAMETER,
    404: NO_AUTO_TX,
    409: conflict('It may still be broadcast; cancel it first'),
    ...GATE_REFUSALS,
    default: ANYTHING_ELSE,
  },
});

const accountRoute = createRoute({
  ...describeRoute('get', PATHS.autoTxAccount, 'A sender as the chain knows it'),
  description: 'Not part of v1. What pre-flight checks need of a sender, without the signed bytes.',
  'x-gastop-addition': true,
  parameters: [IF_NONE_MATCH],
  request: { params: AccountParameter, query: NoParameters },
  responses: {
    ...answers(PATHS.autoTxAccount, 'A sender as the chain knows it', AutoTxAccount),
    409: conflict('The source takes no transactions'),
    503: UPSTREAM_DOWN,
  },
});

/** Each key sees its own auto-txs alone. No answer and no error repeats what a body said of a signed transaction. */
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
    const autoTx = await autoTxs.create(c.get('owner'), checked.autoTx);
    // Beside the list, wherever a proxy has put that.
    return c.json(autoTx, 201, { Location: `auto-txs/${autoTx.id}` });
  });
  app.openapi(updateRoute, async (c) => {
    const checked = checkAutoTxUpdate(await readJson(c), autoTxs.now());
    if (!checked.ok) throw wrongFields(checked.problems);
    return c.json(await autoTxs.update(c.get('owner'), c.req.valid('param').id, checked.update), 200);
  });
  app.openapi(cancellationRoute, async (c) =>
    c.json(await autoTxs.cancel(c.get('owner'), c.req.valid('param').id), 200),
  );
  app.openapi(deletionRoute, async (c) => {
    await autoTxs.remove(c.get('owner'), c.req.valid('param').id);
    return c.body(null, 204);
  });
}
