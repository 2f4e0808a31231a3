import type { AutoTxState } from './auto-tx-state.ts';
import type { KeptAutoTx } from './kept-auto-tx.ts';
import type { WaitingBelow } from './preflight-facts.ts';

/**
 * Those of a sender's live auto-txs that go before one with `nonce`. `id`: of that one where it is kept already, so
 * that it does not stand in its own way.
 */
export function waitingBelow(
  live: readonly KeptAutoTx[],
  { id, nonce }: { readonly id: string | null; readonly nonce: number },
): readonly WaitingBelow[] {
  return live.flatMap(({ id: other, signed, state }) =>
    other === id || signed === null || signed.nonce >= nonce
      ? []
      : [{ id: other, nonce: signed.nonce, status: isUnsent(state) ? 'PENDING' : state.status }],
  );
}

/** Decided to be sent, but with no node as far as is known: what comes after it would lie in a pool without it. */
const isUnsent = ({ status, sentAt, unseen, inclusion }: AutoTxState): boolean =>
  status === 'SUBMITTED' && inclusion === null && (sentAt === null || unseen > 0);
