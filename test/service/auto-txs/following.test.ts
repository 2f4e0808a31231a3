import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { paidInAll } from '../../../src/core/auto-txs/stored-auto-tx.ts';
import { startAnvil } from '../../helpers/anvil.ts';
import { type AutoTxRig, fund, GWEI, mineAt, sign, startRig } from '../../helpers/auto-tx-rig.ts';
import { listen } from '../../helpers/listen.ts';
import { isSlowRun } from '../../helpers/rounds.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** Final at once, and after four blocks. */

const anvil = await startAnvil({ noMining: true, baseFee: 100n * GWEI });
await anvil.mine();
const quick = await startRig({ urls: [anvil.wsUrl] });
const patient = await startRig({ urls: [anvil.wsUrl], confirmations: 4 });

afterAll(async () => {
  await Promise.all([quick?.stop(), patient?.stop()]);
  await anvil?.stop();
  expect([...quick.errors, ...patient.errors]).toEqual([]);
});

const headNumber = async () => Number(await anvil.rpc('eth_blockNumber'));

async function mineEach(rig: AutoTxRig, count: number, gwei: number): Promise<void> {
  for (let mined = 0; mined < count; mined++) {
    await mineAt(anvil, gwei);
    await rig.seen(await headNumber());
  }
}

/** A funded account, once a price is seen that reaches no target. */
async function whenDear() {
  await mineAt(anvil, 90);
  await quick.seen(await headNumber());
  return fund(anvil);
}

async function heldOf(id: string) {
  const held = await waitFor(async () => (await quick.kept(id)).state.hold, { what: 'what holds it' });
  if (held === null) throw new Error('nothing holds it');
  return held;
}

/** A block that reaches its target, and what is sent at it. */
async function sentOnce(rig: AutoTxRig, id: string): Promise<void> {
  await mineAt(anvil, 10);
  await rig.sent(id);
}

async function mineWhenSent(id: string, gwei: bigint | number = 10): Promise<void> {
  await quick.sent(id);
  await mineAt(anvil, gwei);
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

async function rigOf(options: Parameters<typeof startRig>[0]): Promise<AutoTxRig> {
  const rig = await startRig(options);
  onTestFinished(() => rig.stop());
  return rig;
}

async function expectNotJammed(rig: AutoTxRig, account: Awaited<ReturnType<typeof fund>>, nonce: number) {
  const next = await rig.place(await sign(account, { nonce }));
  await sentOnce(rig, next);
  await mineEach(rig, 5, 10);
  await rig.until(next, 'EXECUTED');
}

describe('replaced from the wallet', () => {
  test('before it was decided to send it, while the other waits in the pool: held, then FAILED with the nonce', async () => {
    const account = await whenDear();
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
    const account = await whenDear();
    const id = await patient.place(await sign(account));
    await sentOnce(patient, id);
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

test('forgotten by its node: it stays submitted, marked, and is sent again a minute later with the same hash', async () => {
  const account = await whenDear();
  const id = await quick.place(await sign(account, { maxFeePerGas: 12n * GWEI, maxPriorityFeePerGas: 0n }));
  await mineAt(anvil, 11);
  await quick.sent(id);
  const { signed } = await quick.kept(id);
  await anvil.rpc('anvil_dropTransaction', [signed?.hash]);
  await mineEach(quick, 2, 90);
  await waitFor(async () => (await quick.kept(id)).state.unseenSince !== null || Promise.reject(), {
    what: 'unseen',
  });
  expect((await quick.kept(id)).state).toMatchObject({ status: 'SUBMITTED', attempts: 1, failure: null });
  quick.pass(61_000);
  await mineAt(anvil, 10);
  await waitFor(async () => (await quick.kept(id)).state.resends === 1 || Promise.reject(), {
    what: 'resent',
  });
  // A block may come before what was sent again has arrived.
  const executed = await mineUntil(quick, id, 'EXECUTED');
  expect(executed.signed?.hash).toBe(signed?.hash);
  expect(executed.state.attempts).toBe(1);
  expect(await quick.kinds(id)).toEqual(expect.arrayContaining(['UNSEEN', 'RESENT', 'EXECUTED']));
});

describe.each(isSlowRun ? [1, 3] : [3])('a reorg of %i blocks', (depth) => {
  test('before it is final: it waits to be mined again, goes out again and is EXECUTED once', async () => {
    const account = await whenDear();
    const id = await patient.place(await sign(account));
    await sentOnce(patient, id);
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
    const account = await whenDear();
    const id = await quick.place(await sign(account));
    await sentOnce(quick, id);
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

test('sends a pending auto-tx in the block that reaches its target, and reports the node’s own cost', async () => {
  const account = await whenDear();
  const id = await quick.place(await sign(account));
  for (const gwei of [100, 90, 60]) await mineAt(anvil, gwei);
  // The node's blocks may all be of one second, and a mean is of those before.
  await anvil.rpc('evm_increaseTime', [2]);
  await quick.seen(await headNumber());
  expect((await quick.kept(id)).state).toMatchObject({ status: 'PENDING', attempts: 0, hold: null });

  await mineAt(anvil, 15);
  const decidedAt = await headNumber();
  await mineWhenSent(id, 12);
  const { state, dayMeanPrice, nativeUsd, checks, signed } = await quick.until(id, 'EXECUTED');
  const receipt = (await anvil.rpc('eth_getTransactionReceipt', [signed?.hash])) as {
    gasUsed: string;
    effectiveGasPrice: string;
  };
  expect(state.inclusion).toMatchObject({
    blockNumber: decidedAt + 1,
    outcome: 'success',
    gasUsed: BigInt(receipt.gasUsed),
    effectiveGasPrice: BigInt(receipt.effectiveGasPrice),
  });
  if (state.inclusion === null) throw new Error('no block has it');
  expect(paidInAll(state.inclusion)).toBe(21_000n * 13n * GWEI);
  expect(state).toMatchObject({ attempts: 1, failure: null, hold: null, mayBeOut: false });
  expect(dayMeanPrice).toBeNull();
  expect(nativeUsd).toBe(2_000);
  expect(checks.map(({ name }) => name)).toContain('balance');
  expect(await quick.kinds(id)).toEqual(['CREATED', 'SUBMITTED', 'SENT', 'MINED', 'EXECUTED']);
  expect((await quick.timeline(id))[1]).toMatchObject({
    blockNumber: decidedAt,
    message: expect.stringMatching(
      /^target reached: its own price is 14\.\d+ gwei, target 20; it is broadcast$/,
    ),
  });
});

test('one above a gap in the nonces is held, and goes once the gap is filled', async () => {
  const account = await whenDear();
  const id = await quick.place(await sign(account, { nonce: 1 }));
  await mineAt(anvil, 10);
  const held = await heldOf(id);
  expect(held).toMatchObject({ code: 'nonce_gap' });
  expect(held.message).toContain('nonce 0 is missing');
  await anvil.rpc('eth_sendRawTransaction', [await sign(account)]);
  quick.pass(600_000);
  await mineAt(anvil, 10);
  await mineWhenSent(id);
  const { state } = await quick.until(id, 'EXECUTED');
  expect(state.hold).toBeNull();
  expect(await quick.kinds(id)).toEqual(['CREATED', 'HELD', 'SUBMITTED', 'SENT', 'MINED', 'EXECUTED']);
});

test('one whose predecessor still waits for its own target is held until that has gone', async () => {
  const account = await whenDear();
  const first = await quick.place(await sign(account), { target: 5n * GWEI });
  const second = await quick.place(await sign(account, { nonce: 1 }), { target: 30n * GWEI });
  await mineAt(anvil, 10);
  const held = await heldOf(second);
  expect(held).toMatchObject({ code: 'nonce_order' });
  expect(held.message).toContain(first);
  await mineAt(anvil, 2);
  // No pause is waited for: the one before it has gone just now.
  await quick.sent(second);
  await mineAt(anvil, 2);
  await quick.until(first, 'EXECUTED');
  await quick.until(second, 'EXECUTED');
});

test('what the node’s pool has already, because its owner sent it, is followed like one sent from here', async () => {
  const account = await whenDear();
  const signed = await sign(account);
  await anvil.rpc('eth_sendRawTransaction', [signed]);
  await quick.seen(await headNumber());
  // A cap that no block is below yet keeps it there.
  await mineAt(anvil, 501);
  const id = await quick.place(signed, { target: 500n * GWEI });
  await mineWhenSent(id);
  await mineAt(anvil, 10);
  const { state } = await quick.until(id, 'EXECUTED');
  expect(state).toMatchObject({ failure: null, mayBeOut: false });
});

/** A proxy between a rig and the node, which can drop a request or its response. */
async function standBetween() {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    asked.push(body);
    const treatment = between.treat(body);
    if (treatment === 'ask') return;
    const answer = await fetch(anvil.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }).then((each) => each.text());
    if (treatment === 'answer') return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(answer);
  });
  const { origin, stop } = await listen(server);
  onTestFinished(stop);
  const between = {
    url: origin,
    asked,
    /** `ask`: it never gets there; `answer`: it gets there and the answer is lost; `pass`: neither. */
    treat: (_body: string): 'pass' | 'ask' | 'answer' => 'pass',
  };
  return between;
}

const SENDING = 'eth_sendRawTransaction';

test('a sender whose questions hang holds up nobody else', async () => {
  const between = await standBetween();
  const rig = await rigOf({ urls: [between.url], requestTimeoutMs: 60_000, senderMs: 500 });
  await mineAt(anvil, 90);
  const [stuck, free] = [await fund(anvil), await fund(anvil)];
  const isOfStuck = (body: string) => body.toLowerCase().includes(stuck.address.slice(2).toLowerCase());
  between.treat = (body) => (isOfStuck(body) ? 'ask' : 'pass');
  const held = await rig.place(await sign(stuck));
  const goes = await rig.place(await sign(free));
  await mineAt(anvil, 10);
  await waitFor(() => between.asked.some(isOfStuck), { what: 'the question that hangs' });
  await rig.sent(goes);
  await mineUntil(rig, goes, 'EXECUTED');
  const next = await rig.place(await sign(free, { nonce: 1 }));
  await sentOnce(rig, next);
  expect((await rig.kept(held)).state).toMatchObject({ status: 'PENDING', attempts: 0 });
  between.treat = () => 'pass';
  await mineUntil(rig, held, 'EXECUTED');
});

test('a node that has it, whose answer was lost: that is found out, and no other is sent', async () => {
  const between = await standBetween();
  const rig = await rigOf({ urls: [between.url], requestTimeoutMs: 3_000 });
  await mineAt(anvil, 90);
  const id = await rig.place(await sign(await fund(anvil)));
  between.treat = (body) => (body.includes(SENDING) ? 'answer' : 'pass');
  await sentOnce(rig, id);
  const { state } = await mineUntil(rig, id, 'EXECUTED');
  expect(state).toMatchObject({ attempts: 1, failure: null });
  expect(
    new Set(
      between.asked.filter((body) => body.includes(SENDING)).map((body) => body.match(/0x02[0-9a-f]+/)?.[0]),
    ).size,
  ).toBe(1);
});
