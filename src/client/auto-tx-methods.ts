import { ClientError } from './client-error.ts';
import type { GasClient } from './gas-client.ts';

export type AutoTxMethods = Pick<
  GasClient,
  'autoTxs' | 'autoTx' | 'createAutoTx' | 'updateAutoTx' | 'cancelAutoTx' | 'deleteAutoTx' | 'autoTxAccount'
>;

/** The client's methods for auto-txs. */
export function autoTxMethods(): AutoTxMethods {
  const absent = () =>
    Promise.reject(new ClientError('not-found', 'the service keeps no auto-txs', { endpoint: '/auto-txs' }));
  return {
    autoTxs: absent,
    autoTx: absent,
    createAutoTx: absent,
    updateAutoTx: absent,
    cancelAutoTx: absent,
    deleteAutoTx: absent,
    autoTxAccount: absent,
  };
}
