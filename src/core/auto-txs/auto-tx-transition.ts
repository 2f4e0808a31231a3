import type { Note, NoteKind, RuleFacts, Transition } from './auto-tx-rule.ts';
import type { AutoTxState, Obstacle } from './auto-tx-state.ts';

/** It is signed and was not decided about, or is not thought to be out any more. */
export const isWaiting = ({ status }: AutoTxState) => status === 'PENDING' || status === 'DISABLED';

export const note = (kind: NoteKind, message: string, blockNumber: number | null = null): Note => ({
  kind,
  blockNumber,
  message,
});

export const to = (state: AutoTxState, ...notes: readonly Note[]): Transition => ({ state, notes });

/** It ends, and is not watched any more. */
export const fail = (state: AutoTxState, failure: Obstacle, blockNumber: number | null = null): Transition =>
  to(
    { ...state, status: 'FAILED', failure, hold: null, mayBeOut: false },
    note('FAILED', failure.message, blockNumber),
  );

/** A node has it: this one, where there are several. */
export function sent(state: AutoTxState, { now }: RuleFacts, node: string | null = null): Transition {
  if (state.sentAt !== null) return to(state);
  return to({ ...state, sentAt: now, unseen: 0 }, note('SENT', `${node ?? 'a node'} has it`));
}

export const goneWords = (blockNumber: number) =>
  `block ${blockNumber} is no longer part of the chain; it waits to be mined again`;
