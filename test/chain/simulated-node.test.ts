import { privateKeyToAccount } from 'viem/accounts';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSimulatedSource, type SimulatedSource } from '../../src/chain/simulated-source.ts';
import type { Hex } from '../../src/core/block.ts';
import { SIMULATED_CHAIN_ID } from '../../src/core/chains.ts';
import { GAS_PER_BLOB } from '../../src/core/eip4844.ts';
import { manualClock } from './manual-clock.ts';

const ALICE = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const BOB = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');
const ETHER = 10n ** 18n;
const GWEI = 10n ** 9n;

const NOW = Date.UTC(2026, 1, 13, 18, 15, 7);
let clock = manualClock(NOW);
let chain: SimulatedSource = createSimulatedSource({ seed: 1, clock });
beforeEach(() => {
  clock = manualClock(NOW);
  chain = createSimulatedSource({ seed: 1, clock });
});

const sign = (nonce: number, more: object = {}, from = ALICE): Promise<Hex> =>
  from.signTransaction({
    chainId: SIMULATED_CHAIN_ID,
    type: 'eip1559',
    nonce,
    to: BOB.address,
    value: ETHER,
    gas: 21_000n,
    maxFeePerGas: 50n * GWEI,
    maxPriorityFeePerGas: GWEI,
    ...more,
  });

async function blocks(count: number): Promise<void> {
  const { number } = await chain.head();
  while ((await chain.head()).number < number + count) clock.advance(1_000);
}

describe('a block of the simulated chain', () => {
  it('is full of transactions that tell its gas, its blobs and its tips', async () => {
    const { number } = await chain.head();
    for (const fees of await chain.blocks(number - 20, number)) {
      const whole = await chain.block(fees.number);
      const included = await chain.transactionsOf({ number: fees.number, hash: fees.hash ?? '0x' });
      expect(whole).toMatchObject({ hash: fees.hash, parentHash: fees.parentHash, gasUsed: fees.gasUsed });
      if (included === null || whole === null) throw new Error('the block is not there');
      expect(included.map(({ transaction }) => transaction.hash)).toEqual(whole.transactionHashes);
      expect(new Set(whole.transactionHashes).size).toBe(included.length);
      expect(included.reduce((sum, { receipt }) => sum + receipt.gasUsed, 0n)).toBe(fees.gasUsed);
      const blobs = included.reduce((sum, { transaction }) => sum + (transaction.blobCount ?? 0), 0);
      expect(BigInt(blobs) * GAS_PER_BLOB).toBe(whole.blobGasUsed);
      if (included.length < 100) continue;
      const tips = included.map(({ receipt }) => (receipt.effectiveGasPrice ?? 0n) - whole.baseFeePerGas);
      const [lowest = 0n, , , , , , highest = 0n] = (fees.tips ?? []).map((tip) => tip ?? 0n);
      expect(tips.filter((tip) => tip >= lowest && tip <= highest).length / tips.length).toBeGreaterThan(0.7);
      expect(tips).toEqual(tips.toSorted((one, other) => Number(other - one)));
    }
  });

  it('has transactions that can be found by their hashes, the same at every start', async () => {
    const { number } = await chain.head();
    const { transactionHashes = [] } = (await chain.block(number - 7_000)) ?? {};
    const other = createSimulatedSource({ seed: 1, clock });
    for (const [index, hash] of [...transactionHashes.entries()].slice(0, 5)) {
      expect(await other.transaction(hash)).toMatchObject({ hash, blockNumber: number - 7_000 });
      expect(await other.receipt(hash)).toMatchObject({ hash, transactionIndex: index });
    }
    expect(transactionHashes.length).toBeGreaterThan(20);
    expect(await chain.transaction(`0x${'ab'.repeat(32)}`)).toBeNull();
    expect(await chain.receipt(`0x${'00'.repeat(32)}`)).toBeNull();
  });

  it('is not there before its time', async () => {
    const { number } = await chain.head();
    expect(await chain.block(number + 1)).toBeNull();
    const { hash } = await chain.foresee(number + 1);
    expect(await chain.transactionsOf({ number: number + 1, hash: hash ?? '0x' })).toBeNull();
    expect(await chain.transactionsOf({ number, hash: `0x${'ab'.repeat(32)}` })).toBeNull();
  });
});

describe('the pool of the simulated chain', () => {
  it('has a transfer mined in the next block, and moves what it is worth', async () => {
    const hash = await chain.sendRawTransaction(await sign(0));
    expect(await chain.transaction(hash)).toMatchObject({ hash, from: ALICE.address, blockNumber: null });
    expect(await chain.receipt(hash)).toBeNull();
    expect([await chain.nonce(ALICE.address, 'latest'), await chain.nonce(ALICE.address, 'pending')]).toEqual(
      [0, 1],
    );
    await blocks(1);
    const { number, hash: blockHash, baseFeePerGas, gasUsed } = await chain.head();
    const receipt = await chain.receipt(hash);
    expect(receipt).toMatchObject({ status: 'success', blockNumber: number, blockHash, gasUsed: 21_000n });
    expect(receipt?.effectiveGasPrice).toBe(baseFeePerGas + GWEI);
    const whole = await chain.block(number);
    expect(whole?.transactionHashes[receipt?.transactionIndex ?? -1]).toBe(hash);
    const included = await chain.transactionsOf({ number, hash: blockHash ?? '0x' });
    expect(included?.reduce((sum, each) => sum + each.receipt.gasUsed, 0n)).toBe(gasUsed);
    expect(await chain.nonce(ALICE.address, 'latest')).toBe(1);
    const paid = 21_000n * (baseFeePerGas + GWEI);
    expect(await chain.balance(ALICE.address)).toBe(9_999n * ETHER - paid);
    expect(await chain.balance(BOB.address)).toBe(10_001n * ETHER);
    expect(await chain.sendRawTransaction(await sign(0))).toBe(hash);
  });

  it('lets one wait whose cap no block asks for, and those of its sender behind it', async () => {
    const low = await chain.sendRawTransaction(await sign(0, { maxFeePerGas: 7n, maxPriorityFeePerGas: 7n }));
    const next = await chain.sendRawTransaction(await sign(1));
    await blocks(3);
    expect(await chain.receipt(low)).toBeNull();
    expect(await chain.receipt(next)).toBeNull();
  });

  it.each([
    ['another chain', sign(0, { chainId: 1 }), 'never', 'wrong_chain'],
    ['a nonce that is used', sign(0), 'nonce-used', 'nonce_used'],
    ['what the balance does not cover', sign(1, { value: 10_000n * ETHER }), 'later', 'insufficient_balance'],
    ['too little gas', sign(1, { gas: 20_000n }), 'never', 'intrinsic_gas'],
    ['too much gas', sign(1, { gas: 70_000_000n }), 'never', 'gas_limit'],
    ['bytes that are none', Promise.resolve<Hex>('0x02abcd'), 'never', 'invalid'],
  ])('refuses %s', async (_title, signed, outcome, reason) => {
    await chain.sendRawTransaction(await sign(0, { value: 0n }));
    await blocks(1);
    await expect(chain.sendRawTransaction(await signed)).rejects.toMatchObject({ outcome, reason });
  });

  it('takes no second one with the same nonce', async () => {
    await chain.sendRawTransaction(await sign(0));
    await expect(chain.sendRawTransaction(await sign(0, { value: 2n }))).rejects.toMatchObject({
      outcome: 'later',
      reason: 'replacement_underpriced',
    });
  });

  it('keeps what is not wanted any more to itself', async () => {
    const sent = chain.sendRawTransaction(await sign(0), { isStillWanted: () => false });
    await expect(sent).rejects.toMatchObject({ reason: 'too_late' });
    expect(await chain.nonce(ALICE.address, 'pending')).toBe(0);
  });

  it('adds a transaction to its past', async () => {
    const { number } = await chain.head();
    const { receipt } = await chain.backdate(await sign(0), number - 100);
    expect(receipt).toMatchObject({ blockNumber: number - 100, status: 'success' });
    expect((await chain.block(number - 100))?.transactionHashes).toContain(receipt.hash);
    expect(await chain.nonce(ALICE.address, 'latest')).toBe(1);
  });
});

describe('the simulated chain that crosses Amsterdam', () => {
  const NEW: Hex = '0x00000000000000000000000000000000000000bb';
  const batch = { value: 0n, data: `0x${'ab'.repeat(1_000)}`, gas: 61_000n };
  const receiptOf = async (signed: Hex) => chain.receipt(await chain.sendRawTransaction(signed));
  async function minedWith(signed: Hex) {
    await receiptOf(signed);
    await blocks(1);
    return receiptOf(signed);
  }
  beforeEach(() => {
    chain = createSimulatedSource({ seed: 1, clock, forkAfter: 3 });
  });

  it('takes what the next block can include', async () => {
    const call = await sign(0, { value: 0n, gas: 15_000n });
    await expect(receiptOf(call)).rejects.toMatchObject({ outcome: 'never', reason: 'intrinsic_gas' });
    expect(await minedWith(await sign(0, batch))).toMatchObject({ status: 'success' });
    await blocks(1);
    expect(await minedWith(await sign(1, { value: 0n, gas: 15_000n }))).toMatchObject({
      ...{ status: 'success', gasUsed: 15_000n, blockNumber: (await chain.head()).number },
    });
    expect((await chain.head()).blockAccessListHash).not.toBeNull();
    await expect(receiptOf(await sign(2, batch))).rejects.toMatchObject({ reason: 'intrinsic_gas' });
    await expect(receiptOf(await sign(2, { gas: 16_777_217n }))).resolves.toBeNull();
  });

  it('charges for an account that comes to be, and takes all where the gas is too little', async () => {
    expect(await minedWith(await sign(0, { to: NEW, value: 0n }))).toMatchObject({ gasUsed: 21_000n });
    await blocks(2);
    const short = await minedWith(await sign(1, { to: NEW }));
    expect(short).toMatchObject({ status: 'reverted', gasUsed: 21_000n });
    expect(await chain.balance(NEW)).toBe(0n);
    const before = await chain.balance(ALICE.address);
    const enough = await minedWith(await sign(2, { to: NEW, gas: 300_000n }));
    expect(enough).toMatchObject({ status: 'success', gasUsed: 204_600n });
    expect(await chain.balance(NEW)).toBe(ETHER);
    const paid = 204_600n * (enough?.effectiveGasPrice ?? 0n);
    expect(await chain.balance(ALICE.address)).toBe(before - ETHER - paid);
    expect(await minedWith(await sign(3, { to: NEW }))).toMatchObject({
      status: 'success',
      gasUsed: 21_000n,
    });
  });

  it('drops what waits in its pool and no block can include since then', async () => {
    const low = { ...batch, maxFeePerGas: 7n, maxPriorityFeePerGas: 7n };
    const hash = await chain.sendRawTransaction(await sign(0, low));
    await blocks(2);
    expect(await chain.transaction(hash)).not.toBeNull();
    await blocks(1);
    expect(await chain.transaction(hash)).toBeNull();
  });
});
