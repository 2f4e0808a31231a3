import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { PATHS } from '../../../src/contract/routes.ts';
import { makeBlocks } from '../../helpers/chain-blocks.ts';
import { ENGINES, emptyDatabase } from '../../helpers/databases.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { ScriptedSource } from '../../helpers/scripted-source.ts';
import { readyService } from '../../helpers/service.ts';
import { keptAutoTx, sender } from '../../store/auto-txs/kept-auto-txs.ts';
import { startEngine } from './engine-rig.ts';

const REASON = 'its signed bytes are encrypted with a key that is not here: put it back and enable it';

describe.each(ENGINES)('on %s', (engine) => {
  test('what another key encrypted is disabled when it is due and says so; all else goes on, and it goes out once its key is back', async () => {
    const target = await emptyDatabase(engine, 'shared');
    const key = randomBytes(32);
    // A file has its own key beside it.
    const withKey = async () => {
      if (engine === 'SQLite') await writeFile(`${target}.key`, key.toString('base64'));
      return openDatabase(target, engine === 'SQLite' ? null : key);
    };
    const withoutKey = async () => {
      if (engine === 'SQLite') await rm(`${target}.key`);
      return openDatabase(target, engine === 'SQLite' ? null : randomBytes(32));
    };
    const before = await startEngine({ database: await withKey() });
    await before.place(keptAutoTx('due'));
    await before.place(keptAutoTx('far', { order: { target: 1n }, signed: { from: sender(2) } }));

    const rig = await startEngine({ database: await withoutKey() });
    await rig.place(keptAutoTx('new', { signed: { from: sender(3) } }));
    await rig.block(5);
    expect((await rig.kept('due')).state).toMatchObject({ status: 'DISABLED', hold: { code: 'key_gone' } });
    expect((await rig.kept('far')).state).toMatchObject({ status: 'PENDING', hold: null });
    expect((await rig.kept('new')).state.status).toBe('SUBMITTED');
    expect(rig.node.sent.map(textOf)).toEqual(['new']);
    expect(rig.errors).toEqual([]);

    const served = await readyService({
      source: new ScriptedSource(makeBlocks(0, 3)),
      database: await withKey(),
    });
    expect(await served.read(`${PATHS.autoTxs}/due`)).toMatchObject({
      status: 'DISABLED',
      hold: { code: 'key_gone', message: expect.stringContaining(REASON) },
      timeline: [{ kind: 'DISABLED' }, { kind: 'SUBMITTED' }, { kind: 'CREATED' }],
    });
    expect(served.errors).toEqual([]);
    const enabled = { method: 'PUT', body: JSON.stringify({ status: 'PENDING' }) };
    const headers = { 'Content-Type': 'application/json' };
    expect((await served.get(`${PATHS.autoTxs}/due`, { ...enabled, headers })).status).toBe(200);
    await served.stop();

    const back = await startEngine({ database: await withKey() });
    await back.block(5);
    expect((await back.kept('due')).state.status).toBe('SUBMITTED');
    expect(back.node.sent.map(textOf)).toEqual(['due']);
  });

  test.runIf(engine === 'PostgreSQL')('without any key what is due is disabled in the same way', async () => {
    const target = await emptyDatabase(engine);
    const before = await startEngine({ database: await openDatabase(target, randomBytes(32)) });
    await before.place(keptAutoTx('due'));
    const rig = await startEngine({ database: await openDatabase(target) });
    await rig.block(5);
    expect((await rig.kept('due')).state).toMatchObject({ status: 'DISABLED', hold: { code: 'key_gone' } });
    expect([rig.errors, rig.node.sent]).toEqual([[], []]);
  });
});

const textOf = (signed: string) => Buffer.from(signed.slice(2), 'hex').toString();
