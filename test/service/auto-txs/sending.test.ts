import { afterAll, beforeAll, expect, test } from 'vitest';
import { paidInAll } from '../../../src/core/auto-txs/kept-auto-tx.ts';
import { type Anvil, startAnvil } from '../../helpers/anvil.ts';
import { type AutoTxRig, fund, GWEI, mineAt, sign, startRig } from '../../helpers/auto-tx-rig.ts';
import { waitFor } from '../../helpers/wait-for.ts';

let anvil: Anvil;
let rig: AutoTxRig;

beforeAll(async () => {
  anvil = await startAnvil({ noMining: true, baseFee: 100n * GWEI });
  await anvil.mine();
  rig = await startRig({ urls: [anvil.wsUrl] });
});

afterAll(async () => {
  await rig?.stop();
  await anvil?.stop();
  expect(rig.errors).toEqual([]);
});

const headNumber = async () => Number(await anvil.rpc('eth_blockNumber'));
const inPool = async (hash: string | undefined) =>
  (await anvil.rpc('eth_getTransactionByHash', [hash])) !== null;

/** A funded account, once a price is seen that reaches no target. */
async function whenDear() {
  await mineAt(anvil, 90);
  await rig.seen(await headNumber());
  return fund(anvil);
}

async function heldOf(id: string) {
  const held = await waitFor(async () => (await rig.kept(id)).state.hold, { what: 'what holds it' });
  if (held === null) throw new Error('nothing holds it');
  return held;
}

/** The pool takes what is sent; then a block is mined. */
async function mineWhenSent(id: string, gwei: bigint | number = 10): Promise<void> {
  await rig.sent(id);
  await mineAt(anvil, gwei);
}

test('what waits goes out in the very block in which its target is reached, and what it cost is the node’s own figure', async () => {
  const account = await fund(anvil);
  const id = await rig.place(await sign(account));
  for (const gwei of [100, 90, 60]) await mineAt(anvil, gwei);
  // The node's blocks may all be of one second, and a mean is of those before.
  await anvil.rpc('evm_increaseTime', [2]);
  await rig.seen(await headNumber());
  expect((await rig.kept(id)).state).toMatchObject({ status: 'PENDING', attempts: 0, hold: null });

  await mineAt(anvil, 15);
  const decidedAt = await headNumber();
  await mineWhenSent(id, 12);
  const { state, dayMeanPrice, nativeUsd, checks, signed } = await rig.until(id, 'EXECUTED');
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
  // The chain is a minute old.
  expect(dayMeanPrice).toBeNull();
  expect(nativeUsd).toBe(2_000);
  expect(checks.map(({ name }) => name)).toContain('balance');
  expect(await rig.kinds(id)).toEqual(['CREATED', 'SUBMITTED', 'SENT', 'MINED', 'EXECUTED']);
  expect((await rig.timeline(id))[1]).toMatchObject({
    blockNumber: decidedAt,
    message: expect.stringMatching(
      /^target reached: its own price is 14\.\d+ gwei, target 20; it is broadcast$/,
    ),
  });
});

test('a normal target is held against the price of its lane', async () => {
  const account = await fund(anvil);
  // Its own price would be above the target: the tip makes it 16 gwei.
  const order = { isStrict: false, lane: 'slow', target: 15n * GWEI } as const;
  const id = await rig.place(await sign(account, { maxPriorityFeePerGas: 6n * GWEI }), order);
  await mineAt(anvil, 90);
  await rig.seen(await headNumber());
  expect((await rig.kept(id)).state.status).toBe('PENDING');
  await mineAt(anvil, 10);
  await mineWhenSent(id);
  await rig.until(id, 'EXECUTED');
});

test('one above a gap in the nonces is held, and goes once the gap is filled', async () => {
  const account = await whenDear();
  const id = await rig.place(await sign(account, { nonce: 1 }));
  await mineAt(anvil, 10);
  const held = await heldOf(id);
  expect(held).toMatchObject({ code: 'nonce_gap' });
  expect(held.message).toContain('nonce 0 is missing');
  await anvil.rpc('eth_sendRawTransaction', [await sign(account)]);
  rig.pass(600_000);
  await mineAt(anvil, 10);
  await mineWhenSent(id);
  const { state } = await rig.until(id, 'EXECUTED');
  expect(state.hold).toBeNull();
  expect(await rig.kinds(id)).toEqual(['CREATED', 'HELD', 'SUBMITTED', 'SENT', 'MINED', 'EXECUTED']);
});

test('one whose cap is below the base fee waits, whatever its target, and goes when the base fee falls', async () => {
  const account = await whenDear();
  const signed = await sign(account, { maxFeePerGas: 5n * GWEI, maxPriorityFeePerGas: 1n });
  const id = await rig.place(signed, { target: 300n * GWEI });
  await mineAt(anvil, 50);
  await rig.seen(await headNumber());
  expect((await rig.kept(id)).state).toMatchObject({ status: 'PENDING', attempts: 0 });
  await mineAt(anvil, 4);
  await mineWhenSent(id, 4);
  await rig.until(id, 'EXECUTED');
});

test('one signed for another chain is refused for good before it is sent', async () => {
  const account = await whenDear();
  const wrong = await sign(account, { chainId: 1 });
  const id = await rig.place(wrong);
  await mineAt(anvil, 10);
  const { state } = await rig.until(id, 'FAILED');
  expect(state.failure).toMatchObject({ code: 'wrong_chain' });
});

test('one whose time is over while it waits has expired, and is never sent', async () => {
  const account = await whenDear();
  const id = await rig.place(await sign(account), { expiresAt: Date.now() + 86_400_000 });
  expect((await rig.kept(id)).state.status).toBe('PENDING');
  rig.pass(86_400_000);
  const { state, signed } = await rig.until(id, 'EXPIRED');
  expect(state).toMatchObject({ attempts: 0, failure: null });
  await mineAt(anvil, 10);
  await rig.seen(await headNumber());
  expect(await inPool(signed?.hash)).toBe(false);
  expect((await rig.kinds(id)).at(-1)).toBe('EXPIRED');
});

test('several of one sender go out in the order of their nonces, whatever order they came in', async () => {
  const account = await whenDear();
  const ids = [];
  for (const nonce of [2, 0, 1]) ids.push(await rig.place(await sign(account, { nonce })));
  await mineAt(anvil, 10);
  for (const id of ids) await rig.sent(id);
  await mineAt(anvil, 10);
  const blocks = [];
  for (const id of ids) blocks.push((await rig.until(id, 'EXECUTED')).state.inclusion?.blockNumber);
  expect(new Set(blocks).size).toBe(1);
});

test('one whose predecessor still waits for its own target is held until that has gone', async () => {
  const account = await whenDear();
  const first = await rig.place(await sign(account), { target: 5n * GWEI });
  const second = await rig.place(await sign(account, { nonce: 1 }), { target: 30n * GWEI });
  await mineAt(anvil, 10);
  const held = await heldOf(second);
  expect(held).toMatchObject({ code: 'nonce_order' });
  expect(held.message).toContain(first);
  await mineAt(anvil, 2);
  // No pause is waited for: the one before it has gone just now.
  await rig.sent(second);
  await mineAt(anvil, 2);
  await rig.until(first, 'EXECUTED');
  await rig.until(second, 'EXECUTED');
});

test('a call that reverts is FAILED, with what it cost and its nonce used', async () => {
  const account = await whenDear();
  const contract = '0x00000000000000000000000000000000000000fd';
  // PUSH0 PUSH0 REVERT
  await anvil.rpc('anvil_setCode', [contract, '0x5f5ffd']);
  const id = await rig.place(await sign(account, { to: contract, value: 0n, gas: 60_000n }));
  await mineAt(anvil, 10);
  await mineWhenSent(id);
  const { state } = await rig.until(id, 'FAILED');
  expect(state).toMatchObject({ failure: { code: 'reverted' }, inclusion: { outcome: 'reverted' } });
  expect(state.inclusion?.gasUsed).toBeGreaterThan(21_000n);
  const next = await rig.place(await sign(account, { nonce: 1 }));
  await mineAt(anvil, 10);
  await mineWhenSent(next);
  await rig.until(next, 'EXECUTED');
});

test('what the node’s pool has already, because its owner sent it, is followed like one sent from here', async () => {
  const account = await whenDear();
  const signed = await sign(account);
  await anvil.rpc('eth_sendRawTransaction', [signed]);
  await rig.seen(await headNumber());
  // A cap that no block is below yet keeps it there.
  await mineAt(anvil, 501);
  const id = await rig.place(signed, { target: 500n * GWEI });
  await mineWhenSent(id);
  await mineAt(anvil, 10);
  const { state } = await rig.until(id, 'EXECUTED');
  expect(state).toMatchObject({ failure: null, mayBeOut: false });
});
