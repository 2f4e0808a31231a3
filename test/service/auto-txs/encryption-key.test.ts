import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, rm, writeFile } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PATHS } from '../../../src/contract/routes.ts';
import type { News } from '../../../src/service/follow/source-news.ts';
import type { Database } from '../../../src/store/database.ts';
import { EncryptionKey } from '../../../src/store/encryption-key.ts';
import { LeaseStore } from '../../../src/store/lease.ts';
import { makeBlocks } from '../../helpers/chain-blocks.ts';
import { ENGINES, type Engine, emptyDatabase } from '../../helpers/databases.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { ScriptedSource } from '../../helpers/scripted-source.ts';
import { runService } from '../../helpers/service.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { bytesOf, sender, storedAutoTx } from '../../store/auto-txs/stored-auto-txs.ts';
import { startSchedule } from './schedule-rig.ts';

const NO_CAP = Number.POSITIVE_INFINITY;
const KEY_WAITS = expect.objectContaining({ name: 'key', result: 'wait', code: 'key_gone' });

/** How a process comes to a database whose key it does not have. A file has its own key beside it. */
const WITHOUT_KEY: readonly {
  readonly what: string;
  readonly on: readonly Engine[];
  readonly open: (target: string) => Promise<Database>;
  readonly says: string;
}[] = [
  {
    what: 'another key in the settings',
    on: ['SQLite', 'PostgreSQL'],
    open: (target) => openDatabase(target, randomBytes(32)),
    says: 'the encryption key here is not that of',
  },
  {
    what: 'no key',
    on: ['PostgreSQL'],
    open: (target) => openDatabase(target),
    says: 'is missing: set GASTOP_ENCRYPTION_KEY',
  },
  {
    what: 'no .key beside the file',
    on: ['SQLite'],
    open: async (target) => {
      await rm(`${target}.key`);
      return openDatabase(target);
    },
    says: 'the encryption key of chain-1.db is missing: put chain-1.db.key back',
  },
  {
    what: 'another .key beside the file',
    on: ['SQLite'],
    open: async (target) => {
      await writeFile(`${target}.key`, randomBytes(32).toString('base64'), { mode: 0o600 });
      return openDatabase(target);
    },
    says: 'the encryption key here is not that of chain-1.db',
  },
  {
    what: 'a .key cut off',
    on: ['SQLite'],
    open: async (target) => {
      await writeFile(`${target}.key`, '');
      return openDatabase(target);
    },
    says: 'chain-1.db.key holds no key of 32 bytes',
  },
];

describe.each(ENGINES)('on %s', (engine) => {
  async function keyed() {
    const target = await emptyDatabase(engine, 'shared');
    const key = randomBytes(32);
    const open = async () => {
      if (engine === 'SQLite') await writeFile(`${target}.key`, key.toString('base64'), { mode: 0o600 });
      return openDatabase(target, engine === 'SQLite' ? null : key);
    };
    return { target, open };
  }

  const cases = WITHOUT_KEY.filter(({ on }) => on.includes(engine));

  test.each(cases)(
    'a process with $what holds what is due, disables nothing, and takes nothing new',
    async ({ open }) => {
      const { target, open: withKey } = await keyed();
      const before = await startSchedule({ database: await withKey() });
      await before.place(storedAutoTx('due'));
      await before.place(storedAutoTx('far', { order: { target: 1n }, signed: { from: sender(2) } }));

      const rig = await startSchedule({ database: await open(target) });
      for (let round = 0; round < 3; round += 1) await rig.block(5);
      const due = await rig.kept('due');
      expect(due.state).toMatchObject({ status: 'PENDING', attempts: 0, hold: { code: 'key_gone' } });
      expect(due.checks).toContainEqual(KEY_WAITS);
      expect((await rig.kept('far')).state).toMatchObject({ status: 'PENDING', hold: null });
      const another = storedAutoTx('new', { signed: { from: sender(3) } });
      await expect(rig.store.create(another, bytesOf('new'), NO_CAP)).rejects.toMatchObject({
        code: 'no-key',
      });
      expect([rig.errors, rig.node.sent]).toEqual([[], []]);

      const back = await startSchedule({ database: await withKey() });
      await back.block(5);
      expect((await back.kept('due')).state.status).toBe('SUBMITTED');
      expect(back.node.sent.map(textOf)).toEqual(['due']);
      expect(await back.kinds('due')).toEqual(['CREATED', 'HELD', 'SUBMITTED', 'SENT']);
    },
  );

  test.each(cases)(
    'a service with $what never leads, is not ready, says so in one line, and shows what waits',
    async ({ open, says }) => {
      const { target, open: withKey } = await keyed();
      const database = await withKey();
      onTestFinished(() => database.close());
      const right = await startNamed('right', await withKey());
      await waitFor(async () => (await leaderOf(database)) === 'right');
      await right.service.stop();
      const filled = await startSchedule({ database: await withKey() });
      await filled.place(storedAutoTx('waits'));

      const wrong = await startNamed('wrong', await open(target));
      await wrong.service.ready;
      const problem = await waitFor(() => {
        const { message = '' } = wrong.service.condition().failure ?? {};
        return message.includes(says) && message;
      });
      expect(wrong.news.filter(({ isWell }) => !isWell).map(({ message }) => message)).toEqual([problem]);
      expect(await wrong.service.read(`${PATHS.autoTxs}/waits`)).toMatchObject({
        status: 'PENDING',
        hold: { code: 'key_gone' },
        checks: [KEY_WAITS],
      });

      // The wrong one has had the lease to itself since it was ready; the right one takes it at once.
      expect(await leaderOf(database)).toBeUndefined();
      const again = await startNamed('right again', await withKey());
      await waitFor(async () => (await leaderOf(database)) === 'right again');
      await again.service.ready;
      await waitFor(() => again.service.condition().failure === null);
      // A file's key is put back for the wrong process, too; else another one leads, and the auto-tx is in good hands.
      if (wrong.service.condition().failure !== null) {
        await waitFor(async () => {
          const { hold } = (await wrong.service.read(`${PATHS.autoTxs}/waits`)) as { hold: unknown };
          return hold === null;
        });
      }
      expect(again.service.errors).toEqual([]);
    },
  );

  test('the first key that comes is that of the database: a leader without one gives way', async () => {
    const target = await emptyDatabase(engine, 'shared');
    const key = randomBytes(32);
    const keyless = await startNamed('keyless', await openDatabase(target));
    await keyless.service.ready;
    const database = await openDatabase(target, key);
    onTestFinished(() => database.close());
    await waitFor(async () => (await leaderOf(database)) === 'keyless');
    await startNamed('keyed', await openDatabase(target, key));
    await waitFor(async () => (await leaderOf(database)) === 'keyed', { what: 'the one with the key' });
    expect(keyless.service.condition().failure?.message).toContain('is missing');
    const late = await openDatabase(target, randomBytes(32));
    onTestFinished(() => late.close());
    expect(await new EncryptionKey(late).problem()).toContain('is not that of');
  });

  test('the key of a database of an older version is the one that its auto-txs are encrypted with', async () => {
    const { target, open: withKey } = await keyed();
    const rig = await startSchedule({ database: await withKey() });
    await rig.place(storedAutoTx('old'));
    const database = await withKey();
    onTestFinished(() => database.close());
    await database.queries.deleteFrom('meta').where('key', '=', 'encryption_key').execute();
    const wrong = await openDatabase(target, randomBytes(32));
    onTestFinished(() => wrong.close());
    expect(await new EncryptionKey(wrong).problem()).toContain('is not that of');
    expect(await new EncryptionKey(database).problem()).toBeNull();
  });
});

test('a .key is made with the first auto-tx, by one of several processes, and never by a read', async () => {
  const target = await emptyDatabase('SQLite', 'shared');
  const databases = await Promise.all([1, 2, 3].map(() => openDatabase(target)));
  onTestFinished(() => Promise.all(databases.map((each) => each.close())).then(() => {}));
  const service = await runService({ source: new ScriptedSource(makeBlocks(0, 3)), database: target });
  await service.ready;
  await service.read(PATHS.autoTxs);
  expect(existsSync(`${target}.key`)).toBe(false);
  const rigs = await Promise.all(databases.map((database) => startSchedule({ database })));
  await Promise.all(
    rigs.map((rig, place) =>
      rig.place(storedAutoTx(`atx_${place}`, { signed: { from: sender(place + 1) } })),
    ),
  );
  for (const rig of rigs) {
    for (let place = 0; place < 3; place += 1)
      expect(await rig.store.signedBytes(`atx_${place}`)).toEqual(
        new Uint8Array(Buffer.from(`atx_${place}`)),
      );
  }
  await rm(`${target}.key`);
  const reader = await startSchedule({ database: await openDatabase(target) });
  expect(await reader.store.signedBytes('atx_0')).toBe('sealed');
  await reader.block(5);
  await service.read(`${PATHS.autoTxs}/atx_0`);
  expect(existsSync(`${target}.key`)).toBe(false);
});

test('a .key that others can read is named at the start', async () => {
  const target = await emptyDatabase('SQLite', 'shared');
  const rig = await startSchedule({ database: await openDatabase(target) });
  await rig.place(storedAutoTx('one'));
  for (const [mode, isOpen] of [
    [0o600, false],
    [0o604, true],
    [0o640, true],
    [0o666, true],
  ] as const) {
    await chmod(`${target}.key`, mode);
    const { news, service } = await startNamed('one', await openDatabase(target));
    await service.ready;
    const named = news.filter(({ message }) => message.includes('can read chain-1.db.key'));
    expect(named.map(({ isWell }) => isWell)).toEqual(isOpen ? [false] : []);
    await service.stop();
  }
});

test.runIf(process.geteuid?.() === 0)(
  'a .key or a database that another user owns is named, and the key not taken',
  async () => {
    const target = await emptyDatabase('SQLite', 'shared');
    const rig = await startSchedule({ database: await openDatabase(target) });
    await rig.place(storedAutoTx('one'));
    const messages = async () => {
      const { news, service } = await startNamed('one', await openDatabase(target));
      await service.ready;
      await waitFor(() => service.condition().head !== null);
      await service.stop();
      return news.map(({ message }) => message).join('\n');
    };
    const foreign = 'chain-1.db.key belongs to another user';
    for (const [owner, mode] of [
      [65_534, 0o600],
      [65_534, 0o644],
      [1_000, 0o640],
    ] as const) {
      await chmod(`${target}.key`, mode);
      await chown(`${target}.key`, owner, owner);
      expect(await messages()).toContain(foreign);
    }
    await chown(`${target}.key`, 0, 0);
    await chown(target, 65_534, 65_534);
    const said = await messages();
    expect(said).toContain('chain-1.db belongs to another user of this machine');
    expect(said).not.toContain(foreign);
  },
);

async function startNamed(name: string, database: Database) {
  const news: News[] = [];
  const service = await runService({
    source: new ScriptedSource(makeBlocks(0, 3)),
    database,
    process: name,
    onNews: (each) => news.push(each),
  });
  return { service, news };
}

const leaderOf = async (database: Database) => (await new LeaseStore(database).read())?.process;

const textOf = (signed: string) => Buffer.from(signed.slice(2), 'hex').toString();
