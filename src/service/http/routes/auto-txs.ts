import * as wire from '../../../contract/auto-txs.ts';
import { checkAutoTx, checkAutoTxUpdate } from '../../../contract/auto-txs.ts';
import * as queries from '../../../contract/queries.ts';
import { PATHS } from '../../../contract/routes.ts';
import { formatCount } from '../../../core/units.ts';
import { AUTO_TXS_PER_KEY, type AutoTxService } from '../../auto-txs/auto-tx-service.ts';
import { valid } from '../errors.ts';
import { NEEDS_CHAIN, type Route, route } from './route.ts';

const REFUSALS = {
  400: 'The body is no JSON, its fields are wrong, or a check blocks: it can never be included; `details` names every one of them',
  404: 'There is no such auto-tx, or it belongs to another key',
  413: 'The body is too large',
};

const EXAMPLE: wire.AutoTxCreationInput = {
  to: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf',
  value: '1000000000000000',
  targetGasPriceGwei: 5,
  gasSpeed: 'AVERAGE',
  note: 'when it is cheap',
};

/** Each key sees only its own auto-txs. No response and no error repeats a signed transaction of a body. */
export const autoTxRoutes = (autoTxs: AutoTxService): Route[] => [
  route('get', PATHS.autoTxs, {
    summary: 'The auto-txs of the key, newest first',
    query: queries.PageParameters,
    response: wire.AutoTxList,
    handle: ({ owner, query: { page = 0, size = queries.PAGE_SIZE_DEFAULT } }) =>
      autoTxs.list(owner, page, size),
  }),
  route('get', PATHS.autoTxAccount, {
    summary: 'A sender as the chain knows it',
    description: 'What pre-flight checks need of a sender, without the signed bytes.',
    params: queries.AccountParameter,
    response: wire.AutoTxAccount,
    refusals: { 409: 'The source takes no transactions', ...NEEDS_CHAIN },
    handle: ({ owner, signal, params: { address } }) => autoTxs.account(owner, address, signal),
  }),
  route('get', PATHS.autoTx, {
    summary: 'One auto-tx with its history',
    params: queries.AutoTxParameter,
    response: wire.AutoTxDetails,
    refusals: { 404: REFUSALS[404] },
    handle: ({ owner, params: { id } }) => autoTxs.details(owner, id),
  }),
  route('post', PATHS.autoTxs, {
    summary: 'Schedule a transaction',
    description:
      'With `signedTransaction` it is checked and pending until its target is reached: a price in gwei, or with `threshold` the price at which it costs at most so much itself. Without it `to`, `value` and `data` make a draft, which is signed later. No response holds the signed bytes.',
    body: { schema: wire.AutoTxCreation, example: EXAMPLE },
    status: 201,
    success: 'The auto-tx, with its checks',
    response: wire.AutoTxDetails,
    refusals: {
      400: REFUSALS[400],
      409: `The source takes no transactions, the key has ${formatCount(AUTO_TXS_PER_KEY)} auto-txs already that are not final, one with the same nonce of the same sender, or one of the same signed bytes`,
      413: REFUSALS[413],
      ...NEEDS_CHAIN,
    },
    handle: ({ owner, body, signal }) =>
      autoTxs.create(owner, valid(checkAutoTx(body, autoTxs.now())), signal),
  }),
  route('put', PATHS.autoTx, {
    summary: 'Change an auto-tx',
    description:
      'What is given changes. `signedTransaction` signs a draft, which it must match, or replaces what was never broadcast; `to`, `value` and `data` change of a draft alone. Once submitted only `note` can change.',
    params: queries.AutoTxParameter,
    body: { schema: wire.AutoTxUpdate, example: { targetGasPriceGwei: 3 } },
    success: 'The auto-tx as it is now',
    response: wire.AutoTxDetails,
    refusals: {
      ...REFUSALS,
      409: 'Its status does not allow that, or another one has the same nonce or the same signed bytes',
    },
    handle: ({ owner, body, signal, params: { id } }) =>
      autoTxs.update(owner, id, valid(checkAutoTxUpdate(body, autoTxs.now())), signal),
  }),
  route('post', PATHS.autoTxCancel, {
    summary: 'Cancel an auto-tx',
    description:
      'It is never broadcast. Once it is submitted only a same-nonce replacement from the wallet can stop it. A cancelled one stays so.',
    params: queries.AutoTxParameter,
    success: 'The auto-tx as it is now',
    response: wire.AutoTxDetails,
    refusals: { 404: REFUSALS[404], 409: 'It was submitted, or is final' },
    handle: ({ owner, params: { id } }) => autoTxs.cancel(owner, id),
  }),
  route('delete', PATHS.autoTx, {
    summary: 'Delete an auto-tx',
    description: 'A draft, or a final one, is deleted with its history.',
    params: queries.AutoTxParameter,
    success: 'It is gone',
    refusals: { 404: REFUSALS[404], 409: 'It may still be broadcast; cancel it first' },
    handle: ({ owner, params: { id } }) => autoTxs.remove(owner, id),
  }),
];
