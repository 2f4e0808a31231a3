import { expect, test } from 'vitest';
import {
  type AutoTxEvent,
  type AutoTxState,
  NEW_PENDING,
  stepAutoTx,
} from '../../../src/core/auto-txs/state-machine.ts';

const FACTS = { nonce: 5, confirmations: 3, now: 1_000_000 };
const look = (head: number, nextNonce: number): AutoTxEvent => ({
  type: 'observe',
  observation: { head, inclusion: null, isKnown: false, nextNonce },
});

/** What events make of one that was never sent, and the kinds of what was noted. */
function live(events: readonly AutoTxEvent[], from: AutoTxState = NEW_PENDING) {
  let state = from;
  const kinds: string[] = [];
  for (const event of events) {
    const next = stepAutoTx(state, event, FACTS);
    if (next === null) throw new Error(`${event.type} may not happen`);
    state = next.state;
    kinds.push(...next.notes.map(({ kind }) => kind));
  }
  return { state, kinds };
}

test.each(['PENDING', 'DISABLED'] as const)(
  'one that is %s has failed once its nonce is used elsewhere for good',
  (status) => {
    const waiting = { ...NEW_PENDING, status };
    const seen = live([look(100, 6), look(101, 6)], waiting);
    expect(seen.state).toMatchObject({ status, takenSince: 100, mayBeOut: false, failure: null });
    const { state, kinds } = live([look(102, 6)], seen.state);
    expect(state).toMatchObject({ status: 'FAILED', failure: { code: 'nonce_used' }, mayBeOut: false });
    expect(state.failure?.message).toContain("nonce 5 is used: the sender's next is 6");
    expect([...seen.kinds, ...kinds]).toEqual(['NONCE_TAKEN', 'FAILED']);
  },
);

test('a reorg that frees its nonce has it wait on, as one that was never sent', () => {
  const { state } = live([look(100, 6), { type: 'rewind', to: 99 }]);
  expect(state).toMatchObject({ status: 'PENDING', takenSince: null, mayBeOut: false });
  expect(live([look(100, 6), look(101, 5)]).state.takenSince).toBeNull();
});

test.each([{ type: 'cancel' }, { type: 'expire' }, { type: 'change', message: 'signed anew' }] as const)(
  'after $type nobody waits for that nonce any more',
  (event) => {
    const { state } = live([look(100, 6), event]);
    expect(state).toMatchObject({ takenSince: null, mayBeOut: false });
    expect(stepAutoTx(state, { type: 'rewind', to: 99 }, FACTS)).toBeNull();
  },
);
