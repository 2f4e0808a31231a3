import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NEW_PENDING } from '../../../src/core/auto-txs/state-machine.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { type Anvil, startAnvil } from '../../helpers/anvil.ts';
import { type AutoTxRig, fund, GWEI, keptOf, mineAt, sign, startRig } from '../../helpers/auto-tx-rig.ts';
import { waitFor } from '../../helpers/wait-for.ts';

let anvil: Anvil;
let rig: AutoTxRig;
let folder: string;
let database: string;

beforeAll(async () => {
  anvil = await startAnvil({ noMining: true, baseFee: 100n * GWEI });
  await anvil.mine();
  folder = await mkdtemp(join(tmpdir(), 'gastop-test-'));
  database = join(folder, 'auto-txs.db');
  rig = await startRig({ urls: [anvil.wsUrl], database });
});

afterAll(async () => {
  await rig?.stop();
  await anvil?.stop();
  await rm(folder, { recursive: true, force: true });
  expect(rig.errors).toEqual([]);
});

const isKnown = async (hash: string | undefined) =>
  (await anvil.rpc('eth_getTransactionByHash', [hash])) !== null;

test('nothing goes out after one that was decided to be sent and that no node has', async () => {
  await mineAt(anvil, 90);
  const account = await fund(anvil);
  const signed = await sign(account);
  const crashed = keptOf(signed, { target: 5n * GWEI });
  const state = { ...NEW_PENDING, status: 'SUBMITTED', attempts: 1, mayBeOut: true } as const;
  const bytes = Buffer.from(signed.slice(2), 'hex');
  await rig.store.create({ ...crashed, state: { ...state, submittedAt: Date.now() } }, bytes, 9);
  const second = await rig.place(await sign(account, { nonce: 1 }), { target: 30n * GWEI });
  await mineAt(anvil, 10);
  await waitFor(async () => {
    const { hold, status } = (await rig.kept(second)).state;
    return hold !== null || status !== 'PENDING';
  });
  const { state: held, signed: what } = await rig.kept(second);
  expect(held).toMatchObject({ status: 'PENDING', hold: { code: 'nonce_order' } });
  expect(held.hold?.message).toContain(crashed.id);
  expect(await isKnown(what?.hash)).toBe(false);
  // Both targets are reached: the one before is given out, and the other follows it.
  await mineAt(anvil, 2);
  await waitFor(async () => (await rig.kept(second)).state.sentAt !== null);
  await mineAt(anvil, 2);
  await rig.until(crashed.id, 'EXECUTED');
  await rig.until(second, 'EXECUTED');
});

test('one whose bytes are gone has failed, and is not decided about again and again', async () => {
  await mineAt(anvil, 90);
  const id = await rig.place(await sign(await fund(anvil)));
  const other = await openDatabase(database);
  await other.queries.deleteFrom('signed_transactions').where('auto_tx_id', '=', id).execute();
  await other.close();
  await mineAt(anvil, 10);
  const { state } = await rig.until(id, 'FAILED');
  expect(state).toMatchObject({ attempts: 1, failure: { code: 'bytes_gone' } });
});
