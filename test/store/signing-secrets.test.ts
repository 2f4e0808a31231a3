import { describe, expect, onTestFinished, test } from 'vitest';
import { SigningSecretStore } from '../../src/store/signing-secrets.ts';
import { ENGINES, emptyDatabase } from '../helpers/databases.ts';
import { FIRED_AT } from '../helpers/fired-alert.ts';
import { openDatabase } from '../helpers/open-database.ts';

describe.each(ENGINES)('on %s', (engine) => {
  async function open(place?: string): Promise<{ store: SigningSecretStore }> {
    const database = await openDatabase(place ?? (await emptyDatabase(engine)));
    onTestFinished(() => database.close().catch(() => {}));
    return { store: new SigningSecretStore(database) };
  }

  async function rotate(store: SigningSecretStore, owner: string, now: number) {
    const rotated = await store.rotate(owner, now);
    if (rotated === 'too-many') throw new Error('it was rotated too often');
    return rotated;
  }

  test('an owner has one signing secret of 256 bits, also after concurrent first requests', async () => {
    const path = await emptyDatabase(engine, 'shared');
    const { store } = await open(path);
    const { store: elsewhere } = await open(path);
    const secrets = (owner: string, from = store) => from.of(owner, FIRED_AT);
    const [one, two] = await Promise.all([secrets('key1'), secrets('key1', elsewhere)]);
    expect(one).toEqual([expect.stringMatching(/^whsec_[\w-]{43}$/)]);
    expect(two).toEqual(one);
    expect(await secrets('key1')).toEqual(one);
    expect(await secrets('')).not.toEqual(one);
  });

  test('a signing secret that is rotated signs beside the new one for a day', async () => {
    const { store } = await open();
    const [old] = await store.of('key1', FIRED_AT);
    const { secret, previousUntil } = await rotate(store, 'key1', FIRED_AT);
    const day = 86_400_000;
    expect([secret, previousUntil]).toEqual([expect.stringMatching(/^whsec_[\w-]{43}$/), FIRED_AT + day]);
    expect(secret).not.toBe(old);
    expect(await store.of('key1', FIRED_AT + day - 1)).toEqual([secret, old]);
    expect(await store.of('key1', FIRED_AT + day)).toEqual([secret]);
    const first = await rotate(store, 'key2', FIRED_AT);
    expect(first.previousUntil).toBeNull();
    expect(await store.of('key2', FIRED_AT)).toEqual([first.secret]);
  });

  test.each([2, 5, 20])(
    'of %i rotations each replaced secret signs for a day, and no longer',
    async (times) => {
      const { store } = await open();
      const day = 86_400_000;
      const secrets = [...(await store.of('key1', FIRED_AT))];
      for (let turn = 1; turn <= times; turn += 1) {
        secrets.unshift((await rotate(store, 'key1', FIRED_AT + turn * 60_000)).secret);
      }
      expect(new Set(secrets).size).toBe(times + 1);
      const at = (ms: number) => store.of('key1', FIRED_AT + ms);
      expect(await at(times * 60_000)).toEqual(secrets);
      expect(await at(day + 60_000)).toEqual(secrets.slice(0, -1));
      expect(await at(day + times * 60_000)).toEqual(secrets.slice(0, 1));
      if (times < 20) return;
      expect(await store.rotate('key1', FIRED_AT + 2 * 3_600_000)).toBe('too-many');
      expect(await at(2 * 3_600_000)).toEqual(secrets);
    },
  );

  test.each([2, 3, 8])('%i rotations at once are one, as is one that is repeated', async (count) => {
    const path = await emptyDatabase(engine, 'shared');
    const stores = await Promise.all(Array.from({ length: count }, async () => (await open(path)).store));
    const [store] = stores;
    if (store === undefined) throw new Error('there is none');
    const [old] = await store.of('key1', FIRED_AT);
    const made = await Promise.all(stores.map((each, place) => rotate(each, 'key1', FIRED_AT - place)));
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(1);
    expect(await rotate(store, 'key1', FIRED_AT + 9_000)).toEqual(made[0]);
    expect(await store.of('key1', FIRED_AT + 9_000)).toEqual([made[0]?.secret, old]);
    expect((await rotate(store, 'key1', FIRED_AT + 20_000)).secret).not.toBe(made[0]?.secret);
  });

  test.each([20_000, 86_400_000, 10 * 86_400_000])(
    'a clock that is set back by %i ms revives no secret',
    async (ms) => {
      const { store } = await open();
      await store.of('key1', FIRED_AT);
      const { secret, previousUntil } = await rotate(store, 'key1', FIRED_AT);
      await store.forgetExpired(Number(previousUntil));
      expect(await store.of('key1', Number(previousUntil) - ms)).toEqual([secret]);
      const again = await rotate(store, 'key1', FIRED_AT - ms);
      expect(await store.of('key1', FIRED_AT - ms)).toEqual([again.secret, secret]);
    },
  );
});
