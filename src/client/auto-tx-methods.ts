import { PATHS } from '../contract/routes.ts';
import { bareHex, isLongHex } from '../core/transactions/signed-shape.ts';
import type { AskedAnswers } from './asked-answers.ts';
import type { GasClient, WriteOptions } from './client.ts';
import { ClientError } from './errors.ts';
import { itemPath } from './item-path.ts';
import { madeItem } from './made-item.ts';
import { listLoader } from './paging.ts';
import { Answer } from './reading/answer.ts';
import {
  readAutoTxAccount,
  readAutoTxDetails,
  readAutoTxPage,
  readChangedAutoTx,
  readCreatedAutoTx,
} from './reading/auto-txs.ts';
import type { TransportOptions, Write } from './transport.ts';
import type { AutoTxView, NewAutoTx } from './views/auto-txs.ts';
import { writeV1 } from './write-v1.ts';

const schemas = () => import('../contract/auto-txs.ts');

export type AutoTxMethods = Pick<
  GasClient,
  'autoTxs' | 'autoTx' | 'createAutoTx' | 'updateAutoTx' | 'cancelAutoTx' | 'deleteAutoTx' | 'autoTxAccount'
>;

interface Parts {
  readonly transport: TransportOptions;
  readonly answers: AskedAnswers;
}

/**
 * The client's methods for auto-txs. What changes something is asked once; see `mayBeDone` of what then fails. What is
 * signed goes into the body of a question and nowhere else: the transport takes it out of every answer.
 */
export function autoTxMethods({ transport, answers }: Parts): AutoTxMethods {
  const { host } = transport;
  const page = answers(async () => (await schemas()).AutoTxList, readAutoTxPage);
  const loadAll = listLoader((query, call) => page(PATHS.autoTxs, query, call));
  const details = answers(async () => (await schemas()).AutoTxDetails, readAutoTxDetails);
  const account = answers(async () => (await schemas()).AutoTxAccount, readAutoTxAccount);

  const write = (path: string, what: Write, call: WriteOptions) => writeV1(transport, path, what, call);

  const change = async (path: string, what: Write, call: WriteOptions): Promise<AutoTxView | null> => {
    const answer = await answerIn(await write(path, what, call), path, host);
    return answer === null ? null : readChangedAutoTx(answer);
  };

  return {
    autoTxs: (call = {}) => loadAll(call),
    autoTx: async (id, call = {}) => details(autoTxPath(PATHS.autoTx, id), {}, call),
    createAutoTx: async (autoTx, call = {}) => {
      const body = withSigned(autoTx, PATHS.autoTxs);
      return readCreated(await write(PATHS.autoTxs, { method: 'post', body }, call), autoTx, host);
    },
    updateAutoTx: async (id, changes, call = {}) => {
      const path = autoTxPath(PATHS.autoTx, id);
      return change(path, { method: 'put', body: withSigned(changes, path) }, call);
    },
    cancelAutoTx: async (id, call = {}) =>
      change(autoTxPath(PATHS.autoTxCancel, id), { method: 'post' }, call),
    deleteAutoTx: async (id, call = {}) => {
      const path = autoTxPath(PATHS.autoTx, id);
      (await answerIn(await write(path, { method: 'delete' }, call), path, host))?.throwIfRefused();
    },
    autoTxAccount: async (address, call = {}) => {
      const path = autoTxPath(PATHS.autoTxAccount, address, '{address}');
      try {
        return await account(path, {}, call);
      } catch (error) {
        if (error instanceof ClientError && error.code === 'not-found') return null;
        throw error;
      }
    },
  };
}

const autoTxPath = (path: string, id: string, parameter?: string) =>
  itemPath(path, id, 'an auto-tx', parameter);

/**
 * The body with the signed transaction as nodes take it. Whatever is too short to be one, such as a private key that was
 * pasted instead, is not sent to anybody.
 */
function withSigned<Body extends { readonly signedTransaction?: string | undefined }>(
  body: Body,
  endpoint: string,
): Body {
  const { signedTransaction } = body;
  if (signedTransaction === undefined) return body;
  if (!isLongHex(signedTransaction)) {
    const message = 'this is no signed transaction: it is too short, or no hex';
    throw new ClientError('invalid', message, {
      endpoint,
      details: [{ path: 'signedTransaction', message }],
    });
  }
  return { ...body, signedTransaction: `0x${bareHex(signedTransaction)}` };
}

/**
 * An answer to a write need not be there, and then says no more than that it was done; `null`: nothing to read.
 *
 * @throws ClientError for one that is no JSON, such as a proxy's page: nobody knows what became of the question then.
 */
async function answerIn(text: string, endpoint: string, host: string): Promise<Answer | null> {
  if (text.trim() === '') return null;
  const { AutoTx } = await schemas();
  try {
    return new Answer(text, { endpoint, host, schema: AutoTx });
  } catch (error) {
    throw error instanceof ClientError ? error.unsettled() : error;
  }
}

async function readCreated(text: string, asked: NewAutoTx, host: string): Promise<AutoTxView> {
  const { AutoTx } = await schemas();
  const { signedTransaction: _, ...wanted } = asked;
  const read = (answer: string) =>
    readCreatedAutoTx(new Answer(answer, { endpoint: PATHS.autoTxs, host, schema: AutoTx }));
  return madeItem({
    what: 'the auto-tx',
    read: () => read(text),
    isWhole: ({ target }) => target !== null,
    asked: (id) => read(JSON.stringify({ ...wanted, id })),
  });
}
