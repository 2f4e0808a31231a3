import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { EXIT } from '../../src/cli/errors.ts';
import { AutoTxStore } from '../../src/store/auto-txs.ts';
import { EncryptionKey } from '../../src/store/encryption-key.ts';
import { ENGINES, emptyDatabase } from '../helpers/databases.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { bytesOf, keptAutoTx } from '../store/auto-txs/kept-auto-txs.ts';
import { runMain } from './captured-io.ts';

const NO_CAP = Number.POSITIVE_INFINITY;

test.each(ENGINES)(
  'on %s --new-key goes on with the key that is here, once that was confirmed',
  async (engine) => {
    const target = await emptyDatabase(engine, 'shared');
    const isFile = engine === 'SQLite';
    const [former, next] = [randomBytes(32), randomBytes(32)];
    const before = await openDatabase(target, isFile ? null : former);
    await new AutoTxStore(before).create(keptAutoTx('old'), bytesOf('old'), NO_CAP);
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
    await store.create(keptAutoTx('new', { signed: { nonce: 1 } }), bytesOf('new'), NO_CAP);
    expect(await store.signedBytes('new')).toEqual(bytesOf('new'));
  },
);

test.each([
  [[], 'give one of --from FILE, --new-key and --begin-anew'],
  [['--new-key', '--begin-anew'], 'give one of'],
  [['--new-key'], 'name the database with --db FILE or --database URL'],
  [['--begin-anew', '--db', '/nowhere/chain-1.db'], 'chain-1.db does not exist'],
] as const)('refuses %j', async (args, why) => {
  const { exitCode, stderr } = await runMain(['migrate', ...args]);
  expect([exitCode, stderr]).toEqual([EXIT.usage, expect.stringContaining(why)]);
});
