import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { retireOwners } from '../../../src/service/alerts/retire-owners.ts';
import { createPlans, issueKey } from '../../../src/service/keys/api-keys.ts';
import { openKeyGate } from '../../../src/service/keys/key-gate.ts';
import { AlertStore } from '../../../src/store/alerts.ts';
import { KeyStore } from '../../../src/store/api-keys.ts';
import { AutoTxStore } from '../../../src/store/auto-txs.ts';
import { openKeyDatabase } from '../../../src/store/database.ts';
import { OutboxStore } from '../../../src/store/outbox.ts';
import { makeBlocks } from '../../helpers/chain-blocks.ts';
import { FIRED_AT, fire, storedAlert } from '../../helpers/fired-alert.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { ScriptedSource } from '../../helpers/scripted-source.ts';
import { runService, temporaryFolder } from '../../helpers/service.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { bytesOf, stepped, storedAutoTx } from '../../store/auto-txs/stored-auto-txs.ts';

async function prepare() {
  const folder = await temporaryFolder();
  const path = join(folder, 'chain.db');
  const file = join(folder, 'keys.db');
  const database = await openDatabase(path);
  const keys = new KeyStore(await openKeyDatabase(file));
  const gate = await openKeyGate({ file, plans: createPlans() });
  onTestFinished(() => gate.close());
  onTestFinished(() => keys.close());
  onTestFinished(() => database.close());
  const store = new AlertStore(database);
  const make = async () => (await issueKey(keys, { name: '', plan: 'free', now: FIRED_AT })).id;
  const [kept, ended] = [await make(), await make()];
  for (const owner of [kept, ended, 'gone', '']) {
    await store.create(storedAlert(`of-${owner}`, { owner }), 10);
  }
  const reasons = async () =>
    Object.fromEntries(
      (await store.list('', { offset: 0, limit: 9 })).alerts.map(({ owner, phase, disabledReason }) => [
        owner,
        phase.kind === 'disabled' ? disabledReason : phase.kind,
      ]),
    );
  return { path, database, keys, gate, store, kept, ended, reasons };
}

test('a service disables the alerts of keys that are gone when it starts, and leaves the others', async () => {
  const { path, gate, reasons, kept, ended, keys } = await prepare();
  await keys.revoke(ended, 1);
  const service = await runService({ source: new ScriptedSource(makeBlocks(0, 9)), database: path, gate });
  await waitFor(async () => (await reasons()).gone === 'its key was revoked');
  await waitFor(async () => (await reasons())[ended] === 'its key was revoked');
  expect(await reasons()).toMatchObject({
    [kept]: expect.stringMatching(/armed|cooling/),
    '': expect.stringMatching(/armed|cooling/),
  });
  await service.stop();
  expect(service.errors).toEqual([]);
});

test('a key that is revoked later has its alerts disabled, and nothing more is sent for them', async () => {
  const { database, gate, keys, store, reasons, kept, ended } = await prepare();
  const waiting = await fire(database, `of-${ended}`);
  const others = await fire(database, `of-${kept}`);
  const abort = new AbortController();
  const errors: unknown[] = [];
  const tell = (error: unknown) => errors.push(error);
  const done = retireOwners([store], gate, () => FIRED_AT, tell, abort.signal, 10);
  await waitFor(async () => (await reasons()).gone === 'its key was revoked');
  expect((await reasons())[ended]).toBe('armed');
  await keys.revoke(ended, 1);
  await waitFor(async () => (await reasons())[ended] === 'its key was revoked');
  const outbox = new OutboxStore(database);
  expect((await outbox.delivery(`of-${ended}`, waiting))?.status).toBe('CANCELLED');
  expect((await outbox.delivery(`of-${kept}`, others))?.status).toBe('PENDING');
  abort.abort();
  await done;
  expect(errors).toEqual([]);
});

test('what a key that is gone has waiting is not sent any more and says why; what is sent is followed on', async () => {
  const { path, database, gate, kept } = await prepare();
  const store = new AutoTxStore(database);
  for (const [nonce, owner] of [kept, 'gone', ''].entries()) {
    await store.create(storedAutoTx(`of-${owner}`, { owner, signed: { nonce } }), bytesOf(owner), 10);
  }
  const sent = { owner: 'gone', id: 'sent' };
  await store.create(storedAutoTx('sent', { owner: 'gone', signed: { nonce: 9 } }), bytesOf('sent'), 10);
  await store.change(sent, (autoTx) => stepped(autoTx, { type: 'submit' }), 'leader');
  const service = await runService({ source: new ScriptedSource(makeBlocks(0, 9)), database: path, gate });
  await waitFor(async () => (await store.totals('gone')).byStatus.DISABLED === 1);
  expect((await store.timeline('of-gone'))[0]).toMatchObject({
    kind: 'DISABLED',
    message: 'its key was revoked: not broadcast while it is disabled',
  });
  expect(await store.signedBytes('of-gone')).toEqual(bytesOf('gone'));
  expect((await store.find('gone', 'sent'))?.state.status).toBe('SUBMITTED');
  expect((await store.totals(kept)).byStatus).toEqual({ PENDING: 1 });
  expect((await store.find('', 'of-'))?.state.status).toBe('PENDING');
  await service.stop();
  expect(service.errors).toEqual([]);
});
