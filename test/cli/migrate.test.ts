import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EXIT } from '../../src/cli/errors.ts';
import { placeOf } from '../../src/service/lease.ts';
import { AutoTxStore } from '../../src/store/auto-txs.ts';
import { openHistoryToMove, openKeyDatabase } from '../../src/store/database.ts';
import { databaseName } from '../../src/store/database-url.ts';
import { EncryptionKey } from '../../src/store/encryption-key.ts';
import { LeaseStore } from '../../src/store/lease.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { ENGINES, emptyDatabase } from '../helpers/databases.ts';
import { migrated, openDatabase } from '../helpers/open-database.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { bytesOf, storedAutoTx } from '../store/auto-txs/stored-auto-txs.ts';
import { runMain } from './captured-io.ts';
import { type ServeProgram, startServe } from './served-program.ts';

const NO_CAP = Number.POSITIVE_INFINITY;

test.each(ENGINES)(
  'on %s --new-key goes on with the key that is here, once that was confirmed',
  async (engine) => {
    const target = await emptyDatabase(engine, 'shared');
    const isFile = engine === 'SQLite';
    const [former, next] = [randomBytes(32), randomBytes(32)];
    const before = await openDatabase(target, isFile ? null : former);
    await new AutoTxStore(before).create(storedAutoTx('old'), bytesOf('old'), NO_CAP);
    await before.close();
    const env: Record<string, string> = isFile ? {} : { GASTOP_ENCRYPTION_KEY: next.toString('base64') };
    const run = (args: readonly string[], answer?: string) =>
      runMain(['migrate', '--new-key', isFile ? '--db' : '--database', target, ...args], {
        env,
        ...(answer !== undefined && { terminal: true, answer }),
      });
    if (isFile) {
      expect(await run([])).toMatchObject({
        exitCode: EXIT.ok,
        stderr: expect.stringContaining('nothing changes'),
      });
      await rename(`${target}.key`, `${target}.lost`);
    }
    expect(await run([])).toMatchObject({ exitCode: EXIT.usage, stderr: expect.stringContaining('--yes') });
    expect(await run([], 'n')).toMatchObject({
      exitCode: EXIT.ok,
      stderr: expect.stringContaining('nothing was changed'),
    });
    if (isFile) expect(existsSync(`${target}.key`)).toBe(false);
    expect(await run([], 'y')).toMatchObject({
      exitCode: EXIT.ok,
      stderr: expect.stringContaining('never broadcast unless that comes back'),
    });
    const after = await openDatabase(target, isFile ? null : next);
    onTestFinished(() => after.close());
    expect(await new EncryptionKey(after).problem()).toBeNull();
    const store = new AutoTxStore(after);
    expect(await store.signedBytes('old')).toBe('sealed');
    await store.create(storedAutoTx('new', { signed: { nonce: 1 } }), bytesOf('new'), NO_CAP);
    expect(await store.signedBytes('new')).toEqual(bytesOf('new'));
  },
);

describe('--from', () => {
  async function source() {
    const folder = await temporaryFolder();
    const path = join(folder, 'chain-1.db');
    const database = await openDatabase(path);
    await new AutoTxStore(database).create(storedAutoTx('one'), bytesOf('one'), NO_CAP);
    return { folder, path, database };
  }

  const run = (from: string, to: string, keys?: string) =>
    runMain(['migrate', '--from', from, '--to', to, ...(keys === undefined ? [] : ['--keys', keys])], {
      env: { GASTOP_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') },
    });
  /** All but the files that SQLite keeps beside a database while it is open, and removes when it is opened next. */
  const contents = (folder: string) =>
    readdirSync(folder)
      .filter((name) => !/-(?:wal|shm)$/.test(name))
      .map((name) => {
        const bytes = readFileSync(join(folder, name));
        const digest = createHash('sha256').update(bytes).digest('hex');
        return [name, statSync(join(folder, name)).mode, digest];
      });

  const onServer = test.runIf(ENGINES.includes('PostgreSQL'));

  onServer('leaves the files as they are, and says what went where', async () => {
    const { folder, path, database } = await source();
    await database.close();
    const keys = join(folder, 'keys.db');
    await (await openKeyDatabase(keys)).close();
    chmodSync(path, 0o644);
    const before = contents(folder).filter(([name]) => name !== 'chain-1.db');
    const { exitCode, stdout, stderr } = await run(path, await emptyDatabase('PostgreSQL'), keys);
    expect([exitCode, stdout, stderr]).toEqual([
      EXIT.ok,
      expect.stringMatching(/signed_transactions +1\n/),
      expect.stringContaining('start gastop on it from now on'),
    ]);
    expect(contents(folder).filter(([name]) => name !== 'chain-1.db')).toEqual(before);
    expect(statSync(path).mode & 0o777).toBe(0o644);
    const open = await openHistoryToMove(path);
    onTestFinished(() => open.close());
    expect(await new AutoTxStore(open).signedBytes('one')).toEqual(bytesOf('one'));
  });

  onServer('leaves a file that nothing starts on until it was taken back', async () => {
    const { path, database } = await source();
    await database.close();
    const target = await emptyDatabase('PostgreSQL');
    await run(path, target);
    const moved = `chain-1.db was moved to ${databaseName(target)}; start gastop on that`;
    const serve = () => runMain(['alerts', 'list', '--db', path, '--rpc', 'http://127.0.0.1:9']);
    expect(await serve()).toMatchObject({ exitCode: EXIT.usage, stderr: expect.stringContaining(moved) });
    expect((await run(path, target)).stderr).toContain('already; start gastop on that');
    const takeBack = (args: readonly string[], answer?: string) =>
      runMain(['migrate', '--take-back', '--db', path, ...args], {
        ...(answer !== undefined && { terminal: true, answer }),
      });
    expect(await takeBack([])).toMatchObject({
      exitCode: EXIT.usage,
      stderr: expect.stringContaining('--yes'),
    });
    expect(await takeBack([], 'n')).toMatchObject({
      exitCode: EXIT.ok,
      stderr: expect.stringContaining('nothing was changed'),
    });
    expect((await serve()).stderr).toContain(moved);
    expect(await takeBack([], 'y')).toMatchObject({
      exitCode: EXIT.ok,
      stderr: expect.stringContaining('send everything a second time'),
    });
    expect((await takeBack(['--yes'])).stderr).toContain('was not moved; nothing changes');
    const again = await openDatabase(path);
    onTestFinished(() => again.close());
    expect(await new AutoTxStore(again).signedBytes('one')).toEqual(bytesOf('one'));
  });

  onServer('leaves a standby that was suspended meanwhile with nothing to lead', async () => {
    const anvil = await startAnvil();
    onTestFinished(() => anvil.stop());
    const home = await temporaryFolder();
    const path = join(home, 'chain-1.db');
    const options = { home, env: { GASTOP_RPC: anvil.url, GASTOP_DB: path } };
    const leader = await startServe([], options);
    const ready = async (program: ServeProgram) => {
      const response = await fetch(`${program.origin}/readyz`);
      return `${response.status} ${await response.text()}`;
    };
    await waitFor(async () => (await ready(leader)).startsWith('200'), { what: 'the leader' });
    const standby = await startServe([], options);
    await waitFor(async () => (await ready(standby)).includes('"alerts":"elsewhere"'), { what: 'a standby' });
    standby.child.kill('SIGSTOP');
    leader.child.kill('SIGKILL');
    await leader.ended;
    const target = await emptyDatabase('PostgreSQL');
    // The heartbeat of a killed leader is fresh for a while.
    await waitFor(async () => (await run(path, target)).exitCode === EXIT.ok, { what: 'the move' });
    standby.child.kill('SIGCONT');
    await waitFor(() => standby.stderr().includes('chain-1.db was moved to'), {
      what: 'a line that says so',
    });
    expect(await ready(standby)).toMatch(/^503 .*was moved/);
    const file = await openHistoryToMove(path);
    onTestFinished(() => file.close());
    expect((await new LeaseStore(file).read())?.process).toContain(String(leader.child.pid));
  });

  onServer.each([
    ['nothing in it', (path: string) => writeFileSync(path, ''), 'has nothing in it'],
    ['text in it', (path: string) => writeFileSync(path, 'text '.repeat(200)), 'is not a database'],
    [
      'the schema of an older version',
      async (path: string) => (await migrated(path, 8)).destroy(),
      'of an older gastop',
    ],
  ] as const)('refuses a file with %s, and leaves it as it is', async (_, make, says) => {
    const folder = await temporaryFolder();
    const path = join(folder, 'chain-1.db');
    await make(path);
    const before = contents(folder);
    const target = await emptyDatabase('PostgreSQL');
    const { exitCode, stderr } = await run(path, target);
    expect([exitCode, stderr]).toEqual([EXIT.usage, expect.stringContaining(says)]);
    expect(contents(folder)).toEqual(before);
    if (says === 'has nothing in it') {
      const { path: good, database } = await source();
      await database.close();
      expect((await run(good, target, path)).stderr).toContain(says);
    }
  });

  onServer(
    'refuses a file whose program runs, or is suspended, and takes it once that has ended',
    async () => {
      const { path, database } = await source();
      onTestFinished(() => database.close());
      const program = spawn('sleep', ['600']);
      onTestFinished(() => void program.kill('SIGKILL'));
      const lease = { holder: 'x', process: 'gastop serve, process 5', place: placeOf(program.pid ?? 0) };
      const now = Date.now();
      const leases = new LeaseStore(database);
      await leases.take({ ...lease, since: now, heartbeatAt: now }, null);
      const target = await emptyDatabase('PostgreSQL');
      const refused = async (says: string) => {
        const { exitCode, stderr } = await run(path, target);
        expect([exitCode, stderr]).toEqual([EXIT.failed, expect.stringContaining(says)]);
      };
      await refused('process 5 writes to chain-1.db; end it first');
      await leases.beat('x', now - 3_600_000);
      program.kill('SIGSTOP');
      await refused('process 5 still has chain-1.db, though suspended');
      program.kill('SIGKILL');
      await once(program, 'exit');
      expect((await run(path, target)).exitCode).toBe(EXIT.ok);
    },
  );
});

test.each([
  [[], 'give one of --from FILE, --take-back, --new-key and --begin-anew'],
  [['--new-key', '--begin-anew'], 'give one of'],
  [['--new-key'], 'name the database with --db FILE or --database URL'],
  [['--begin-anew', '--db', '/nowhere/chain-1.db'], 'chain-1.db does not exist'],
] as const)('refuses %j', async (args, why) => {
  const { exitCode, stderr } = await runMain(['migrate', ...args]);
  expect([exitCode, stderr]).toEqual([EXIT.usage, expect.stringContaining(why)]);
});
