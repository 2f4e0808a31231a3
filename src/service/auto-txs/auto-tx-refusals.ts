import type { AutoTxStatus } from '../../contract/choices.ts';
import type { KeptAutoTx } from '../../core/auto-txs/kept-auto-tx.ts';
import { ApiFailure } from '../http/errors.ts';

/** How many auto-txs one key may have that have not ended, drafts included; who runs the service has no such limit. */
export const AUTO_TXS_PER_KEY = 1_000;

export const changedMeanwhile = () =>
  new ApiFailure('conflict', 'it was changed by another request meanwhile; look at it and ask again');

export const tooMany = () =>
  new ApiFailure(
    'conflict',
    `this key has ${AUTO_TXS_PER_KEY.toLocaleString('en')} auto-txs already that have not ended, the most there may be; cancel what is not needed, or delete drafts`,
  );

export const sameNonce = (id: string) =>
  new ApiFailure(
    'conflict',
    `${id} waits with the same nonce of the same sender, and only one of them can be mined; cancel it first, or sign with another nonce`,
  );

export const noAutoTx = () =>
  new ApiFailure(
    'not_found',
    'there is no such auto-tx, or it belongs to another key; GET /auto-txs lists yours',
  );

export const notFinal = () =>
  new ApiFailure(
    'conflict',
    'it may still be sent: cancel it first; one that was submitted can be deleted once it is final',
  );

export function notCancelled({ state, signed }: KeptAutoTx): ApiFailure {
  return new ApiFailure(
    'conflict',
    state.status === 'SUBMITTED'
      ? `it was submitted: only a same-nonce replacement from the wallet can stop it (nonce ${signed?.nonce ?? 0}, with a higher fee), as nothing calls back what nodes have`
      : `${overWords(state.status)}: there is nothing to cancel`,
  );
}

/** `it has failed`, of one that is over. */
export function overWords(status: AutoTxStatus): string {
  return `it ${status === 'FAILED' || status === 'EXPIRED' ? 'has' : 'is'} ${status.toLowerCase()}`;
}
