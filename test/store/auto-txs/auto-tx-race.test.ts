import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AutoTxStore } from '../../../src/store/auto-txs.ts';
import { OPERATOR } from '../../../src/store/tables.ts';
import { ENGINES, emptyDatabase, TEST_KEY } from '../../helpers/databases.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { isSlowRun, rounds } from '../../helpers/rounds.ts';
import { bytesOf, draftAutoTx, stepped, storedAutoTx } from './stored-auto-txs.ts';

describe.each(ENGINES)('on %s', (engine) => {
  // Each round on a server is a dozen ways to it and back.
  const ROUNDS = engine === 'SQLite' || isSlowRun ? rounds(300) : 6;
  const NO_CAP = Number.POSITIVE_INFINITY;

  async function openTwice(): Promise<readonly [AutoTxStore, AutoTxStore]> {
    const path = await emptyDatabase(engine, 'shared');
    const one = await openDatabase(path, TEST_KEY);
    const other = await openDatabase(path, TEST_KEY);
    onTestFinished(async () => {
      await Promise.all([one.close(), other.close()]);
    });
    return [new AutoTxStore(one), new AutoTxStore(other)];
  }

  /** So many turns of the event loop later: the two meet at another point of their transactions. */
  async function later<Result>(turns: number, work: () => Promise<Result>): Promise<Result> {
    for (let turn = 0; turn < turns; turn += 1) await setImmediate();
    return work();
  }

  test('of a cancellation and a decision to send at the same time exactly one wins, and the other is told', async () => {
    const [owners, engine] = await openTwice();
    const wins = { cancel: 0, submit: 0 };
    // It goes on until each came first now and then, or nothing was raced.
    for (let round = 0; round < ROUNDS || Math.min(wins.cancel, wins.submit) === 0; round += 1) {
      const id = `atx_${round}`;
      await owners.create(storedAutoTx(id, { signed: { nonce: round } }), bytesOf(id), NO_CAP);
      const ask = (store: AutoTxStore, type: 'cancel' | 'submit') =>
        store.change(
          { owner: '', id },
          (kept) => stepped(kept, { type }),
          type === 'submit' ? 'leader' : 'owner',
        );
      const [cancelled, submitted] = await Promise.all([
        later(round % 5, () => ask(owners, 'cancel')),
        later((round >> 1) % 7, () => ask(engine, 'submit')),
      ]);
      expect([cancelled, submitted].filter((won) => won !== null)).toHaveLength(1);
      wins[cancelled === null ? 'submit' : 'cancel'] += 1;
      const status = cancelled === null ? 'SUBMITTED' : 'CANCELLED';
      for (const store of [owners, engine]) {
        expect((await store.find('', id))?.state.status).toBe(status);
        expect((await store.signedBytes(id)) === null).toBe(cancelled !== null);
        expect((await store.timeline(id)).map(({ kind }) => kind)).toEqual([status, 'CREATED']);
      }
    }
  });

  test('of two that take the same nonce at the same time one is refused', async () => {
    const [one, other] = await openTwice();
    for (let round = 0; round < ROUNDS / 3; round += 1) {
      const make = (store: AutoTxStore, id: string) =>
        store.create(storedAutoTx(id, { signed: { nonce: round } }), bytesOf(id), NO_CAP);
      const made = await Promise.all([
        later(round % 3, () => make(one, `a${round}`)),
        later((round >> 1) % 3, () => make(other, `b${round}`)),
      ]);
      expect(made.map(({ kind }) => kind).sort()).toEqual(['created', 'same-nonce']);
      expect(await one.liveOf(OPERATOR, storedAutoTx('x').signed?.from ?? '')).toHaveLength(round + 1);
    }
  });

  test('of two that take the last place one is refused', async () => {
    const [one, other] = await openTwice();
    for (let round = 0; round < ROUNDS / 3; round += 1) {
      const made = await Promise.all([
        later(round % 3, () => one.create(draftAutoTx(`a${round}`), null, round + 1)),
        later((round >> 1) % 3, () => other.create(draftAutoTx(`b${round}`), null, round + 1)),
      ]);
      expect(made.map(({ kind }) => kind).sort()).toEqual(['created', 'too-many']);
    }
  });
});
