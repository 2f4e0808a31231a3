import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ErrorBody } from '../../src/contract/api-error.ts';
import { createReadiness } from '../../src/service/readiness.ts';
import { openDatabase } from '../../src/store/database.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { ENGINES, emptyDatabase, TEST_KEY } from '../helpers/databases.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { serveService } from '../helpers/served-service.ts';
import { temporaryFile } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** Keeps others from writing the table, or the whole file, until it is released. */
async function lock(target: string, table: string): Promise<() => Promise<unknown>> {
  if (target.startsWith('postgres')) {
    const client = new pg.Client({ connectionString: target });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(`begin; lock table ${table} in access exclusive mode`);
    return () => client.query('rollback');
  }
  const other = new DatabaseSync(target);
  onTestFinished(() => other.close());
  other.exec('begin immediate');
  return async () => other.exec('rollback');
}

describe.each(ENGINES)('readiness on %s', (engine) => {
  it('is lost while a part is locked, says so on /readyz and /metrics alike, and comes back by itself', async () => {
    const target = await emptyDatabase(engine, 'shared');
    const keysAt = engine === 'SQLite' ? await temporaryFile('keys.db') : target;
    const database = await openDatabase(target, TEST_KEY);
    const source = new ScriptedSource(makeBlocks(391, 400), { kind: 'simulated' });
    const { origin } = await serveService({ source, database, keysAt });
    const probe = () => fetch(`${origin}/readyz`);
    const gauge = async () =>
      /^gastop_ready (\d)$/m.exec(await (await fetch(`${origin}/metrics`)).text())?.[1];
    const isReady = () => waitFor(async () => (await probe()).ok);
    await isReady();
    for (const [place, table] of [
      [keysAt, 'usage'],
      [target, 'alerts'],
    ] as const) {
      const release = await lock(place, table);
      const refused = await waitFor(async () => {
        const response = await probe();
        if (response.ok) throw new Error(`it is ready with a lock of ${table}`);
        return response;
      });
      expect(ErrorBody.parse(await refused.json())).toMatchObject({ errorCode: 'upstream_unavailable' });
      expect(refused.headers.get('retry-after')).toBe('5');
      expect([table, await gauge()]).toEqual([table, '0']);
      await release();
      await isReady();
      expect([table, await gauge()]).toEqual([table, '1']);
    }
  });
});

describe('readiness', () => {
  it('names a part that does not answer in time, and asks it once for all who ask meanwhile', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const check = vi.fn(() => new Promise(() => {}));
    const readiness = createReadiness([{ name: 'the keys', check }], () => Date.now());
    const asked = [readiness(), readiness()];
    await vi.advanceTimersByTimeAsync(5_000);
    for (const failure of await Promise.all(asked)) expect(failure?.message).toContain('the keys');
    expect(check).toHaveBeenCalledTimes(1);
  });
});
