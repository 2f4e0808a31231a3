import type { AutoTxState } from './auto-tx-state.ts';
import type { KeptAutoTx } from './kept-auto-tx.ts';
import type { WaitingBelow } from './preflight-facts.ts';

/** Of what a sender has that is live, what goes before one with `nonce`; `id`: of that one, which is not in its own way. */
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

/** It was decided to send it, and no node is known to have it: what comes after it would lie in a pool without it. */
const isUnsent = ({ status, sentAt, unseen, inclusion }: AutoTxState): boolean =>
  status === 'SUBMITTED' && inclusion === null && (sentAt === null || unseen > 0);
