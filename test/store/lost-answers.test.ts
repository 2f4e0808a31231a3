import { describe, expect, it, onTestFinished } from 'vitest';
import { issueKey, readKey, reissueKey, retireKey } from '../../src/service/keys/api-keys.ts';
import { KeyStore } from '../../src/store/api-keys.ts';
import { openKeyDatabase } from '../../src/store/database.ts';
import { OutboxStore } from '../../src/store/outbox.ts';
import { ENGINES, emptyDatabase, TEST_KEY } from '../helpers/databases.ts';
import { FIRED_AT, fire } from '../helpers/fired-alert.ts';
import { lossyProxy } from '../helpers/lossy-proxy.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { NOON, openTestGate } from '../service/keys/key-service.ts';

const DAY = Math.floor(NOON / 86_400_000);

async function openKeys(url: string): Promise<KeyStore> {
  const store = new KeyStore(await openKeyDatabase(url));
  onTestFinished(() => store.close());
  return store;
}

/** Losses of an answer, or of a request, one to three in a row. */
const LOSSES = (['answer', 'request'] as const).flatMap((lost) =>
  [1, 2, 3].map((times) => ({ lost, times })),
);

// A file has no answers to lose.
describe.runIf(ENGINES.includes('PostgreSQL')).each(LOSSES)(
  'when PostgreSQL commits or not, and a connection loses $times × the $lost',
  ({ lost, times }) => {
    it('requests are counted once at most, and those that are refused may be sent again', async () => {
      const proxy = await lossyProxy(await emptyDatabase('PostgreSQL'));
      const { ask, key, store } = await openTestGate(proxy.url, {
        test: { dailyLimit: 100, perSecond: null },
      });
      const text = await key('test');
      proxy.lose(lost, /insert into usage/, times);
      for (let sent = 0; sent < times; sent += 1) {
        expect(await ask(text, 20)).toEqual(Array(20).fill('upstream_unavailable'));
      }
      expect(proxy.left()).toBe(0);
      const used = async () => store.usedOn(DAY, text.split('_')[1] ?? '');
      expect(await used()).toBe(lost === 'answer' ? 20 * times : 0);
      expect(await ask(text, 5)).toEqual(Array(5).fill('ok'));
      expect(await used()).toBe(lost === 'answer' ? 20 * times + 5 : 5);
    });

    it('a key that is made is one key, and the one that is shown', async () => {
      const proxy = await lossyProxy(await emptyDatabase('PostgreSQL'));
      const store = await openKeys(proxy.url);
      proxy.lose(lost, /insert into "keys"/, times);
      const made = await issueKey(store, { name: 'mine', plan: 'free', now: NOON });
      expect(proxy.left()).toBe(0);
      expect((await store.list()).map(({ id }) => id)).toEqual([made.id]);
      const { gate } = await openTestGate(proxy.url, { free: { dailyLimit: null, perSecond: null } });
      await expect(gate.admit({ key: made.text, group: 'gas' })).resolves.toEqual({ keyId: made.id });
    });

    it('a rotated key is the one that is shown, and the one before it is known as rotated', async () => {
      const proxy = await lossyProxy(await emptyDatabase('PostgreSQL'));
      const store = await openKeys(proxy.url);
      const before = await issueKey(store, { name: '', plan: 'free', now: NOON });
      proxy.lose(lost, /update keys set previous_hash/, times);
      const rotated = await reissueKey(store, before.id, NOON);
      expect(proxy.left()).toBe(0);
      const { gate } = await openTestGate(proxy.url, { free: { dailyLimit: null, perSecond: null } });
      const admitted = gate.admit({ key: rotated?.key.text ?? null, group: 'gas' });
      await expect(admitted).resolves.toEqual({ keyId: before.id });
      await expect(gate.admit({ key: before.text, group: 'gas' })).rejects.toThrow('was rotated');
    });

    it('an attempt of a delivery is stored once, and the next one is due once', async () => {
      const proxy = await lossyProxy(await emptyDatabase('PostgreSQL'));
      const database = await openDatabase(proxy.url, TEST_KEY);
      onTestFinished(() => database.close());
      const outbox = new OutboxStore(database);
      const id = await fire(database, 'a');
      const sent = await outbox.take(id, FIRED_AT + 60_000);
      if (sent === null) throw new Error('nothing is due');
      proxy.lose(lost, /\bcommit\b/i, times);
      const attempt = { at: FIRED_AT + 7, latencyMs: 1, ok: false, answer: '500' };
      await outbox.record(sent, attempt, { kind: 'again', at: FIRED_AT + 90_000 });
      expect(proxy.left()).toBe(0);
      const stored = await outbox.delivery('a', id);
      expect(stored?.attempts).toHaveLength(1);
      expect(stored?.nextAttemptAt).toBe(FIRED_AT + 90_000);
    });
  },
);

describe.runIf(ENGINES.includes('PostgreSQL'))(
  'an answer that never comes on a connection that stays',
  () => {
    const ANSWER_MS = 300;
    const EVER = Number.POSITIVE_INFINITY;
    const free = { name: '', plan: 'free', now: NOON };

    async function silent() {
      const proxy = await lossyProxy(await emptyDatabase('PostgreSQL'));
      const store = new KeyStore(await openKeyDatabase(proxy.url, ANSWER_MS));
      const { id } = await issueKey(store, free);
      return { proxy, store, id };
    }

    it.each([
      ['of a key that is made', /insert into "keys"/, (store: KeyStore) => issueKey(store, free)],
      [
        'of one that is rotated',
        /update keys set previous/,
        (store: KeyStore, id: string) => reissueKey(store, id, NOON),
      ],
      [
        'of one that is revoked',
        /update keys set revoked/,
        (store: KeyStore, id: string) => retireKey(store, id, NOON),
      ],
    ])('is given up, and asked for anew on another: %s', async (_, statement, change) => {
      const { proxy, store, id } = await silent();
      onTestFinished(() => store.close());
      proxy.lose('silence', statement, 2);
      // The first change has been done: revoked twice it is found revoked.
      expect(await change(store, id)).toEqual(
        statement.source.includes('revoked') ? null : expect.anything(),
      );
      expect(proxy.left()).toBe(0);
    });

    it('ends what makes, rotates or revokes a key in words that say what may be, and what to do', async () => {
      const ended = async (
        statement: RegExp,
        change: (store: KeyStore, id: string) => Promise<unknown>,
        words: (id: string) => string,
      ) => {
        const { proxy, store, id } = await silent();
        proxy.lose('silence', statement, EVER);
        await expect(change(store, id)).rejects.toMatchObject({
          code: 'unreachable',
          message: expect.stringMatching(words(id)),
        });
        await store.close();
      };
      await Promise.all([
        ended(
          /insert into "keys"/,
          (store) => issueKey(store, free),
          () => 'key \\w{10} may have been made, .*gastop keys revoke \\w{10}$',
        ),
        ended(
          /update keys set previous/,
          (store, id) => reissueKey(store, id, NOON),
          (id) => `old secret of key ${id} may be void; rotate it again, or revoke it`,
        ),
        ended(
          /update keys set revoked/,
          (store, id) => retireKey(store, id, NOON),
          (id) => `key ${id} may be revoked; where gastop keys list`,
        ),
      ]);
    });
  },
);

describe('a key whose current secret is its previous one as well', () => {
  it.each(ENGINES)('is let in, on %s', async (engine) => {
    const target = await emptyDatabase(engine, 'shared');
    const { gate, store } = await openTestGate(target, { free: { dailyLimit: null, perSecond: null } });
    const made = await issueKey(store, { name: '', plan: 'free', now: NOON });
    const twice = await reissueKey(store, made.id, NOON);
    const hash = twice?.row.hash ?? '';
    const keys = await openKeyDatabase(target);
    onTestFinished(() => keys.close());
    await keys.run((db) => db.updateTable('keys').set({ previous_hash: hash }).execute());
    expect(readKey(twice?.key.text ?? '')?.id).toBe(made.id);
    const admitted = gate.admit({ key: twice?.key.text ?? null, group: 'gas' });
    await expect(admitted).resolves.toEqual({ keyId: made.id });
  });
});
