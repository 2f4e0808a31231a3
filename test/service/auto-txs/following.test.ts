import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, startAnvil } from '../../helpers/anvil.ts';
import { type AutoTxRig, fund, GWEI, mineAt, sign, startRig } from '../../helpers/auto-tx-rig.ts';
import { isSlowRun } from '../../helpers/rounds.ts';
import { waitFor } from '../../helpers/wait-for.ts';

let anvil: Anvil;
/** Final at once, and after four blocks. */
let quick: AutoTxRig;
let patient: AutoTxRig;

beforeAll(async () => {
  anvil = await startAnvil({ noMining: true, baseFee: 100n * GWEI });
  await anvil.mine();
  quick = await startRig({ urls: [anvil.wsUrl] });
  patient = await startRig({ urls: [anvil.wsUrl], confirmations: 4 });
});

afterAll(async () => {
  await Promise.all([quick?.stop(), patient?.stop()]);
  await anvil?.stop();
  expect([...quick.errors, ...patient.errors]).toEqual([]);
});

const headNumber = async () => Number(await anvil.rpc('eth_blockNumber'));

/** Blocks one by one, so that each is a head of its own. */
async function mineEach(rig: AutoTxRig, count: number, gwei: number): Promise<void> {
  for (let mined = 0; mined < count; mined++) {
    await mineAt(anvil, gwei);
    await rig.seen(await headNumber());
  }
}

/** The node forgets what it reorganises away: it goes out again first. */
function mineUntil(rig: AutoTxRig, id: string, status: 'EXECUTED' | 'FAILED') {
  return waitFor(
    async () => {
      const kept = await rig.kept(id);
      if (kept.state.status === status) return kept;
      await mineEach(rig, 1, 10);
      throw new Error(`it is ${kept.state.status}`);
    },
    { what: status },
  );
}

/** What comes next of the same sender goes its way. */
async function expectNotJammed(rig: AutoTxRig, account: Awaited<ReturnType<typeof fund>>, nonce: number) {
  const next = await rig.place(await sign(account, { nonce }));
  await mineAt(anvil, 10);
  await rig.sent(next);
  await mineEach(rig, 5, 10);
  await rig.until(next, 'EXECUTED');
}

describe('replaced from the wallet', () => {
  test('before it was decided to send it, while the other waits in the pool: held, then FAILED with the nonce', async () => {
    await mineAt(anvil, 90);
    const account = await fund(anvil);
    const other = await sign(account, { maxFeePerGas: 400n * GWEI, maxPriorityFeePerGas: 1n });
    await anvil.rpc('eth_sendRawTransaction', [other]);
    await anvil.rpc('anvil_setBlockGasLimit', ['0x4e20']);
    const id = await quick.place(await sign(account, { value: 2n }));
    await mineAt(anvil, 10);
    const hold = await waitFor(async () => (await quick.kept(id)).state.hold, { what: 'held' });
    expect(hold).toMatchObject({ code: 'nonce_pending' });
    await anvil.rpc('anvil_setBlockGasLimit', ['0x1c9c380']);
    quick.pass(600_000);
    await mineAt(anvil, 10);
    const { state } = await quick.until(id, 'FAILED');
    expect(state).toMatchObject({ attempts: 0, failure: { code: 'nonce_used' } });
    await expectNotJammed(quick, account, 1);
  });

  test('after it was sent: FAILED once that is final, and it says why', async () => {
    await mineAt(anvil, 90);
    const account = await fund(anvil);
    const id = await patient.place(await sign(account));
    await mineAt(anvil, 10);
    await patient.sent(id);
    await anvil.rpc('eth_sendRawTransaction', [
      await sign(account, { maxFeePerGas: 800n * GWEI, maxPriorityFeePerGas: 5n * GWEI }),
    ]);
    await mineEach(patient, 1, 10);
    await waitFor(async () => (await patient.kinds(id)).includes('NONCE_TAKEN'), { what: 'taken' });
    expect((await patient.kept(id)).state.status).toBe('SUBMITTED');
    await mineEach(patient, 4, 90);
    const { state } = await patient.until(id, 'FAILED');
    expect(state.failure).toEqual({
      code: 'nonce_used',
      message:
        "nonce 0 is used, and no node has this transaction: most likely another one replaced it; look at the sender's account before you sign it again",
    });
    await expectNotJammed(patient, account, 1);
  });
});

test('dropped from the pool: it waits for its target again, and goes out again with the same hash', async () => {
  await mineAt(anvil, 90);
  const account = await fund(anvil);
  const id = await quick.place(await sign(account, { maxFeePerGas: 12n * GWEI, maxPriorityFeePerGas: 0n }));
  await mineAt(anvil, 11);
  await quick.sent(id);
  const { signed } = await quick.kept(id);
  await anvil.rpc('anvil_dropTransaction', [signed?.hash]);
  await mineEach(quick, 2, 90);
  const { state } = await quick.until(id, 'PENDING');
  expect(state).toMatchObject({ attempts: 1, failure: null, mayBeOut: true });
  expect((await quick.timeline(id)).at(-1)).toMatchObject({ kind: 'DROPPED' });
  await mineAt(anvil, 10);
  await quick.sent(id);
  await mineAt(anvil, 10);
  const executed = await quick.until(id, 'EXECUTED');
  expect(executed.signed?.hash).toBe(signed?.hash);
  expect(executed.state.attempts).toBe(2);
});

describe.each(isSlowRun ? [1, 3] : [3])('a reorg of %i blocks', (depth) => {
  test('before it is final: it waits to be mined again, goes out again and is EXECUTED once', async () => {
    await mineAt(anvil, 90);
    const account = await fund(anvil);
    const id = await patient.place(await sign(account));
    await mineAt(anvil, 10);
    await patient.sent(id);
    await mineEach(patient, depth, 10);
    await patient.mined(id);
    const gone = (await patient.kept(id)).state.inclusion;
    await anvil.reorg(depth);
    await mineAt(anvil, 10);
    await waitFor(
      async () =>
        (await patient.kinds(id)).includes('REORGED') &&
        (await patient.kept(id)).state.inclusion?.blockHash !== gone?.blockHash,
      { what: 'the reorg' },
    );
    const { state } = await mineUntil(patient, id, 'EXECUTED');
    expect(state.inclusion?.blockHash).not.toBe(gone?.blockHash);
    expect((await patient.kinds(id)).filter((kind) => kind === 'EXECUTED')).toHaveLength(1);
    await expectNotJammed(patient, account, 1);
  });

  test('after it was final: it stays so', async () => {
    await mineAt(anvil, 90);
    const account = await fund(anvil);
    const id = await quick.place(await sign(account));
    await mineAt(anvil, 10);
    await quick.sent(id);
    await mineEach(quick, depth, 10);
    const gone = (await quick.until(id, 'EXECUTED')).state.inclusion;
    await anvil.reorg(depth);
    await mineAt(anvil, 10);
    await mineEach(quick, 2, 10);
    const { state } = await quick.kept(id);
    expect(state).toMatchObject({ status: 'EXECUTED', inclusion: gone });
    expect(await quick.kinds(id)).not.toContain('REORGED');
  });
});

test('a reorg whose new block has another transaction with its nonce: FAILED, and it says so', async () => {
  await mineAt(anvil, 90);
  const account = await fund(anvil);
  await anvil.mine();
  const id = await patient.place(await sign(account));
  await mineAt(anvil, 10);
  await patient.sent(id);
  await mineEach(patient, 1, 10);
  await patient.mined(id);
  await mineEach(patient, 2, 10);
  const other = await sign(account, { value: 2n });
  await anvil.rpc('anvil_reorg', [3, [[other, 0]]]);
  // For a while after it was sent nobody is sure that the node has forgotten it.
  patient.pass(30_000);
  const { state } = await mineUntil(patient, id, 'FAILED');
  expect(state.failure).toMatchObject({ code: 'nonce_used' });
  await expectNotJammed(patient, account, 1);
});
