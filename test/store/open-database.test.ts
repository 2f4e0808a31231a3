import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { StoredAlert } from '../../src/core/alerts/alert-rule.ts';
import { TrackStore } from '../../src/store/advice-track.ts';
import { toAlertRow } from '../../src/store/alert-rows.ts';
import { KeyStore } from '../../src/store/api-keys.ts';
import { BlockStore, toBlockRow } from '../../src/store/blocks.ts';
import { openDatabase, openKeyDatabase } from '../../src/store/database.ts';
import { parseDatabaseUrl } from '../../src/store/database-url.ts';
import { LeaseStore } from '../../src/store/lease.ts';
import { SigningSecretStore } from '../../src/store/signing-secrets.ts';
import type { Tables } from '../../src/store/tables.ts';
import { makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { asked, ENGINES, emptyDatabase } from '../helpers/databases.ts';
import { migrated } from '../helpers/open-database.ts';
import { slowIt } from '../helpers/rounds.ts';
import { temporaryFile, temporaryFolder } from '../helpers/service.ts';
import { priced, savePriced } from './alerts/priced-blocks.ts';
import { readAlert, readEvents, storedAlert } from './alerts/stored-alerts.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test.each(['new', 'readable for others before'])('a folder and file that is %s is private', async (kind) => {
  const path = join(await temporaryFolder(), 'new', 'deep', 'chain-1.db');
  if (kind !== 'new') {
    await (await openDatabase(path)).close();
    chmodSync(path, 0o644);
  }
  const database = await openDatabase(path);
  await new BlockStore(database).saveBlocks(makeBlocks(0, 9));
  expect(modeOf(join(path, '..'))).toBe('700');
  expect([path, `${path}-wal`, `${path}-shm`].map(modeOf)).toEqual(['600', '600', '600']);
  await database.close();
});

test('commits survive a power cut: each is synced to disk', async () => {
  const folder = await temporaryFolder();
  for (const open of [openDatabase, openKeyDatabase]) {
    const database = await open(join(folder, `${open.name}.db`));
    const { rows } = await database.run((db) => sql`pragma synchronous`.execute(db));
    expect(rows).toEqual([{ synchronous: 2 }]);
    await database.close();
  }
});

slowIt('processes that open a fresh file at the same moment all get it', async () => {
  const path = await temporaryFile('chain-1.db');
  const said = await Promise.all([openElsewhere(path), openElsewhere(path)]);
  expect(said).toEqual(['opened', 'opened']);
});

test('a file that is no database is refused in one line', async () => {
  const path = await temporaryFile('notes.txt');
  const text = 'not a database, but long enough to have a header of a hundred bytes'.repeat(20);
  writeFileSync(path, text, { mode: 0o644 });
  await expect(openDatabase(path)).rejects.toMatchObject({
    name: 'StoreError',
    code: 'not-a-database',
    message: 'notes.txt is not a database; move it away or choose another file',
  });
  expect(readFileSync(path, 'utf8')).toBe(text);
  expect(modeOf(path)).toBe('644');
});

test("another program's database is refused and left as it was", async () => {
  const path = await temporaryFile('music.db');
  const other = new DatabaseSync(path);
  other.exec('create table songs (name text)');
  other.close();
  chmodSync(path, 0o640);
  const before = readFileSync(path);
  await expect(openDatabase(path)).rejects.toMatchObject({
    code: 'foreign-database',
    message: 'music.db belongs to another program; choose another database file',
  });
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(modeOf(path)).toBe('640');
  const again = new DatabaseSync(path);
  expect(again.prepare("select name from sqlite_master where type = 'table'").all()).toEqual([
    { name: 'songs' },
  ]);
  again.close();
});

test('a database written by a newer version is refused', async () => {
  const path = await temporaryFile('chain-1.db');
  await (await openDatabase(path)).close();
  const raw = new DatabaseSync(path);
  raw.exec("insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')");
  raw.close();
  await expect(openDatabase(path)).rejects.toMatchObject({
    code: 'newer-schema',
    message: 'chain-1.db was written by a newer gastop; update gastop or choose another database file',
  });
});

test('a history written before advice was kept goes on, with its blocks', async () => {
  const path = await temporaryFile('chain-1.db');
  const older = await migrated<Tables>(path, 1);
  const { suggested_tip: _, ...row } = toBlockRow(makeBlock(7));
  await older
    .insertInto('blocks')
    .values(row as ReturnType<typeof toBlockRow>)
    .execute();
  await older.destroy();
  const database = await openDatabase(path);
  expect((await new BlockStore(database).head())?.number).toBe(7);
  expect(await new TrackStore(database).score(100)).toMatchObject({ evaluated: 0 });
  await database.close();
});

/** Without the columns of rules in dollars and against history. */
function olderRow(alert: StoredAlert) {
  const { threshold_rule, effective_since, threshold_reason, price_group, price_factor, ...row } =
    toAlertRow(alert);
  return row;
}

test('alerts of an older database fire by the thresholds that they were given', async () => {
  const path = await temporaryFile('chain-1.db');
  const older = await migrated<Record<'alerts', Record<string, unknown>>>(path, 19);
  const cooling = { kind: 'cooling', cooldownUntil: 0, mustLeave: false } as const;
  for (const alert of [
    storedAlert('armed'),
    storedAlert('cooling', {}, { phase: cooling }),
    storedAlert('other', { threshold: 50n }),
  ])
    await older.insertInto('alerts').values(olderRow(alert)).execute();
  await older.destroy();
  const database = await openDatabase(path);
  expect(await savePriced(new BlockStore(database), priced(1, 99))).toBe(2);
  expect(await readEvents(database)).toEqual(['armed.1', 'cooling.1']);
  expect((await readAlert(database, 'other'))?.rule.relative).toBeUndefined();
  await database.close();
});

test('an older database keeps its signing secret, and its alerts wait for no more than their cooldown where they need not', async () => {
  const path = await temporaryFile('chain-1.db');
  const older = await migrated<Record<'alerts' | 'signing_secrets', Record<string, unknown>>>(path, 6);
  const waiting = { phase: 'resting', cooldown_until: 60_000, wake_at_least: 100 };
  const rows = [
    { id: 'armed', wake_at_most: 99 },
    { id: 'cooldown', ...waiting },
    { id: 'hysteresis', ...waiting, hysteresis: 5, wake_at_least: 105 },
    { id: 'none', ...waiting, cooldown_ms: 0 },
    { id: 'left', ...waiting, hysteresis: 5, has_left: 1, wake_at_least: null, wake_ms: 60_000 },
  ];
  for (const row of rows) {
    const { must_leave: hasLeft, ...usual } = olderRow(storedAlert('', { cooldownMs: 60_000 }));
    await older
      .insertInto('alerts')
      .values({ ...usual, wake_at_most: null, has_left: hasLeft, ...row })
      .execute();
  }
  await older.insertInto('signing_secrets').values({ owner: '', secret: 'whsec_kept' }).execute();
  await older.destroy();
  const database = await openDatabase(path);
  expect(await new SigningSecretStore(database).of('', 0)).toEqual(['whsec_kept']);
  const found = await database.queries
    .selectFrom('alerts')
    .select(['id', 'phase', 'must_leave', 'wake_at_most', 'wake_at_least', 'wake_ms'])
    .orderBy('id')
    .execute();
  await database.close();
  expect(found.map((row) => Object.values(row))).toEqual([
    ['armed', 'armed', 0, 99, null, null],
    ['cooldown', 'cooling', 0, null, null, 60_000],
    ['hysteresis', 'cooling', 1, null, 105, null],
    ['left', 'cooling', 0, null, null, 60_000],
    ['none', 'cooling', 1, null, 100, null],
  ]);
});

test('a path below a file, and a path that is a folder, are refused in one line', async () => {
  const folder = await temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  mkdirSync(join(folder, 'folder.db'));
  for (const [path, message] of [
    [join(folder, 'file', 'chain-1.db'), /^chain-1\.db cannot be made there; its folder is not a folder/],
    [join(folder, 'folder.db'), /^folder\.db is a folder; name a file$/],
  ] as const) {
    const error = { name: 'StoreError', code: 'not-permitted', message: expect.stringMatching(message) };
    await expect(openDatabase(path)).rejects.toMatchObject(error);
  }
});

test.skipIf(process.platform !== 'linux')('a folder that takes no children is refused at once', async () => {
  await expect(openDatabase('/proc/nobody/gastop/chain-1.db')).rejects.toMatchObject({ name: 'StoreError' });
});

test('reports a full disk as such, and keeps its data', async () => {
  const path = await temporaryFile('chain-1.db');
  const database = await openDatabase(path);
  const store = new BlockStore(database);
  await store.saveBlocks(makeBlocks(0, 9));
  // SQLite's own limit gives SQLite's own "disk full".
  await sql`pragma max_page_count = 40`.execute(database.queries);
  await expect(store.saveBlocks(makeBlocks(10, 5_000))).rejects.toMatchObject({
    code: 'full',
    message: 'the disk is full, chain-1.db cannot grow; free some space',
  });
  expect((await store.head())?.number).toBe(9);
  await database.close();
});

test('reports the cause of a rollback by SQLite itself, such as a full disk', async () => {
  const database = await openDatabase(await temporaryFile('chain-1.db'));
  // Ends the transaction as SQLITE_FULL does, whatever fills the disk.
  await sql`create trigger full before insert on blocks begin select raise(rollback, 'no room'); end`.execute(
    database.queries,
  );
  const store = new BlockStore(database);
  await expect(store.saveBlocks(makeBlocks(0, 9))).rejects.toMatchObject({
    message: expect.stringContaining('no room'),
  });
  await sql`drop trigger full`.execute(database.queries);
  await store.saveBlocks(makeBlocks(0, 9));
  expect((await store.head())?.number).toBe(9);
  await database.close();
});

/** The port of a server that answers so whatever it is asked first. */
async function portOf(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  return String(typeof address === 'object' && address?.port);
}

const OPEN = `
  const [, module, path, id] = process.argv;
  const { openDatabase } = await import(module);
  if (id) { process.setgid(Number(id)); process.setuid(Number(id)); }
  try { await openDatabase(path); console.log('opened'); }
  catch (error) { console.log(error.name, error.code, error.message); }
`;

async function openElsewhere(path: string, id = ''): Promise<string> {
  const module = new URL('../../src/store/database.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', OPEN, module, path, id], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return (await text(child.stdout)).trim();
}

/** Root may write everything, so the test becomes the user nobody, once its program is loaded from wherever it lies. */
const NOBODY = process.getuid?.() === 0 ? '65534' : '';

test.skipIf(process.platform === 'win32')('a folder without permission is said as such', async () => {
  const folder = await temporaryFolder();
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'closed'), { mode: 0o500 });
  expect(await openElsewhere(join(folder, 'closed', 'chain-1.db'), NOBODY)).toBe(
    'StoreError not-permitted no permission for chain-1.db; check the rights on it and its folder',
  );
  chmodSync(join(folder, 'closed'), 0o700);
});

test('an older program stops writing after a migration, and says what to do', async () => {
  const path = await temporaryFile('chain-1.db');
  const older = await migrated<Tables>(path, 8);
  const old = { name: 'follower', holder: 'x', process: 'older', since: 1, heartbeat_at: 1 };
  await sql`insert into leases (name, holder, process, since, heartbeat_at)
    values (${old.name}, ${old.holder}, ${old.process}, 1, 1)`.execute(older);
  const database = await openDatabase(path);
  // How each of its writing transactions begins, and how it takes and keeps the lease.
  const writes = [
    older
      .updateTable('leases')
      .set((e) => ({ heartbeat_at: e.ref('heartbeat_at') }))
      .where('name', '=', old.name),
    older
      .updateTable('leases')
      .set({ heartbeat_at: 2 })
      .where('name', '=', old.name)
      .where('holder', '=', 'newer'),
  ];
  for (const write of writes)
    await expect(write.execute()).rejects.toThrow(
      'a newer gastop has updated it; restart this program with that version',
    );
  await new LeaseStore(database).take({ holder: 'y', process: 'newer', since: 2, heartbeatAt: 2 }, null);
  await new BlockStore(database, () => ({ kind: 'holder', holder: 'y' })).saveBlocks(makeBlocks(5, 7));
  await older.destroy();
  await database.close();
});

test('refuses a damaged file with one line of advice, and reports damage found later', async () => {
  const path = await temporaryFile('chain-1.db');
  const first = await openDatabase(path);
  await new BlockStore(first).saveBlocks(makeBlocks(0, 2_000));
  await first.close();
  const bytes = readFileSync(path);
  const whole = Buffer.from(bytes);
  // The schema, on the first page, is left as it is.
  bytes.fill(0x5a, Math.floor(bytes.length / 2));
  writeFileSync(path, bytes);
  await expect(openDatabase(path)).rejects.toMatchObject({
    code: 'damaged',
    message: 'chain-1.db is damaged; put a backup in its place, or move it away',
  });
  writeFileSync(path, whole);
  const database = await openDatabase(path);
  expect(database.damage).toBeNull();
  writeFileSync(path, bytes);
  await sql`pragma shrink_memory`.execute(database.queries);
  await expect(new BlockStore(database).page(0, 5_000)).rejects.toMatchObject({ code: 'damaged' });
  expect(database.damage?.message).toMatch(/^chain-1.db is damaged/);
  await database.close();
});

describe.runIf(ENGINES.includes('PostgreSQL'))('a server', () => {
  const failure = (target: string) =>
    openDatabase(target).then(
      async (database) => {
        await database.close();
        return 'opened';
      },
      (error: unknown) => error,
    );
  const elsewhere = (target: string, change: (url: URL) => void) => {
    const url = new URL(target);
    change(url);
    return url.href;
  };

  test('keeps history and keys in one database, of one schema', async () => {
    const target = await emptyDatabase('PostgreSQL');
    const [history, keys] = [await openDatabase(target), await openKeyDatabase(target)];
    await new BlockStore(history).saveBlocks(makeBlocks(5, 7));
    expect(await new KeyStore(keys).add({ id: 'a', name: '', plan: 'free' }, { hash: 'ab', at: 1 })).toBe(
      true,
    );
    await Promise.all([history.close(), keys.close()]);
    const again = await openDatabase(target);
    expect(await new BlockStore(again).newest(10)).toEqual(makeBlocks(5, 7));
    await again.close();
  });

  test('that cannot be used is refused in one line, without a password', async () => {
    const target = await emptyDatabase('PostgreSQL');
    await asked(target, 'create schema foreign_songs');
    await asked(target, 'create table if not exists foreign_songs.songs (name text)');
    await asked(
      target,
      'do $$ begin create role reader login; exception when duplicate_object then null; end $$',
    );
    // A server of a version that is out of support answers so.
    await asked(target, 'create schema old_days');
    await asked(
      target,
      "create function old_days.current_setting(text) returns text language sql as $$ select '130011' $$",
    );
    const withoutTls = await portOf((socket) => socket.write('N'));
    const cases = [
      [(url: URL) => Object.assign(url, { port: '1' }), /does not answer: nothing listens there/],
      [
        (url: URL) => Object.assign(url, { hostname: 'nobody.invalid' }),
        /does not answer: its host is not known/,
      ],
      [(url: URL) => Object.assign(url, { pathname: '/nowhere' }), /^nowhere on .* does not exist/],
      [
        (url: URL) => Object.assign(url, { username: 'nobody' }),
        /refuses the connection: role "nobody" does not exist/,
      ],
      [(url: URL) => Object.assign(url, { username: 'reader' }), /does not give its role the right/],
      [
        (url: URL) => url.searchParams.set('options', '-c search_path=foreign_songs'),
        /belongs to another program/,
      ],
      [
        (url: URL) => url.searchParams.set('options', '-c default_transaction_read_only=on'),
        /takes no writing/,
      ],
      [
        (url: URL) => url.searchParams.set('options', '-c search_path=old_days,pg_catalog,public'),
        /is PostgreSQL 13, which is too old; gastop needs 14 or newer$/,
      ],
      [
        (url: URL) => url.searchParams.set('sslmode', 'require'),
        /has a certificate that is not trusted; sslrootcert=FILE/,
      ],
      [
        (url: URL) => Object.assign(url, { port: withoutTls, search: '?sslmode=require' }),
        /does not speak TLS/,
      ],
      [
        (url: URL) => Object.assign(url, { pathname: '/tls_only' }),
        /accepts only connections with TLS; add \?sslmode=require/,
      ],
    ] as const;
    for (const [change, message] of cases) {
      const error = await failure(
        elsewhere(target, (url) => {
          url.password = 'hunter2';
          change(url);
        }),
      );
      expect(error).toMatchObject({
        name: 'StoreError',
        code: 'unreachable',
        message: expect.stringMatching(message),
      });
      expect(String(error)).not.toMatch(/hunter2|\n/);
    }
    for (const schema of ['foreign_songs', 'old_days']) await asked(target, `drop schema ${schema} cascade`);
  });

  test('that takes TLS alone is had by it, where its authority is named', async () => {
    const target = await emptyDatabase('PostgreSQL');
    await asked(target, 'create database tls_only');
    const authority = fileURLToPath(new URL('../fixtures/certificates/ca.pem', import.meta.url));
    const database = await openDatabase(
      elsewhere(target, (url) => {
        url.pathname = '/tls_only';
        url.search = new URLSearchParams({ sslmode: 'require', sslrootcert: authority }).toString();
      }),
    );
    await new BlockStore(database).saveBlocks(makeBlocks(5, 7));
    await database.close();
  });

  test.each([
    ['08P01', 'unsupported startup parameter: statement_timeout'],
    ['08P01', 'no such database: gastop'],
    ['28000', 'no pg_hba.conf entry for host "10.0.0.7", user "gas", database "gas", SSL encryption'],
    ['XX000', 'Tenant or user not found'],
  ])('is refused by a pooler or the server in its own words: %s %s', async (code, words) => {
    const fields = ['SFATAL', `C${code}`, `M${words}`, ''].map((field) => `${field}\0`).join('');
    const port = await portOf((socket) => {
      const head = Buffer.alloc(5);
      head.write('E');
      head.writeInt32BE(fields.length + 4, 1);
      socket.end(Buffer.concat([head, Buffer.from(fields)]));
    });
    const error = await failure(`postgres://me:hunter2@127.0.0.1:${port}/gas`);
    expect(error).toMatchObject({ name: 'StoreError', message: expect.stringContaining(words) });
    expect(String(error)).not.toContain('hunter2');
  });

  test('is had by a socket, with and without a user, and a socket or file that is not there is named', async () => {
    const target = await emptyDatabase('PostgreSQL');
    const { username, password, pathname, port, hostname } = new URL(target);
    const folder = await temporaryFolder();
    const relay = createServer((client) => {
      const server = connect(Number(port), hostname);
      for (const socket of [client, server]) socket.on('error', () => {});
      client.pipe(server).pipe(client);
    }).listen(join(folder, '.s.PGSQL.5432'));
    onTestFinished(() => void relay.close());
    await once(relay, 'listening');
    const user = password === '' ? username : `${username}:${password}`;
    for (const url of [
      `postgres://${user}@${pathname}?host=${folder}`,
      `postgresql://${pathname}?host=${encodeURIComponent(folder)}&user=${username}&password=${password}`,
      `postgres://${user}@${encodeURIComponent(folder)}${pathname}`,
    ]) {
      const database = await openDatabase(parseDatabaseUrl(url));
      await new BlockStore(database).saveBlocks(makeBlocks(5, 7));
      await database.close();
    }
    for (const [url, missing] of [
      [`postgres://${user}@${pathname}?host=${folder}/none`, `${folder}/none/.s.PGSQL.5432`],
      [`${target}?sslmode=verify-full&sslrootcert=/none/ca.pem`, 'sslrootcert in its URL names a file'],
      [`${target}?sslmode=verify-full&sslcert=${folder}/a.crt&sslkey=${folder}/a.key`, `${folder}/a.crt`],
    ] as const) {
      const error = await failure(parseDatabaseUrl(url));
      expect(error).toMatchObject({ code: 'unreachable', message: expect.stringContaining(missing) });
      expect(String(error)).not.toMatch(/its folder is not a folder/);
    }
  });

  test('written by a newer gastop is refused', async () => {
    const target = await emptyDatabase('PostgreSQL');
    await asked(target, "insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')");
    expect(await failure(target)).toMatchObject({
      message: expect.stringContaining('was written by a newer gastop'),
    });
    await asked(target, "delete from kysely_migration where name = '9999-later'");
  });

  test('retries after its connection broke in a transaction', async () => {
    const target = await emptyDatabase('PostgreSQL');
    const database = await openDatabase(target);
    let tries = 0;
    const written = await database.transaction(async (trx) => {
      tries += 1;
      await trx
        .insertInto('meta')
        .values({ key: 'tried', value: String(tries) })
        .execute();
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      if (tries === 1) await asked(target, `select pg_terminate_backend(${rows[0]?.pid})`);
      return (await trx.selectFrom('meta').select('value').where('key', '=', 'tried').execute())[0]?.value;
    });
    expect([written, tries]).toEqual(['2', 2]);
    await database.close();
  });
});

test.runIf(ENGINES.includes('PostgreSQL')).each(['nowhere', 'nowhere,neither', '""'])(
  'a server whose search_path is %s is refused in words that say what to do',
  async (path) => {
    const url = await emptyDatabase('PostgreSQL');
    const opening = openDatabase(`${url}?options=${encodeURIComponent(`-c search_path=${path}`)}`);
    await expect(opening).rejects.toThrow(
      'none of the schemas in the search_path; make it with create schema',
    );
  },
);
