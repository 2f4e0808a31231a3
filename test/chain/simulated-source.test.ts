import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { ChainEvent, ChainSource, KnownBlock } from '../../src/chain/chain-source.ts';
import { createSimulatedSource } from '../../src/chain/simulated-source.ts';
import type { Block } from '../../src/core/block.ts';
import { ETHEREUM_FEE_RULE, nextBaseFee } from '../../src/core/eip1559.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { OPENING } from '../../src/core/simulation.ts';
import { isSlowRun, slowIt } from '../helpers/rounds.ts';
import { manualClock } from './manual-clock.ts';

const NOW = Date.UTC(2026, 1, 13, 18, 15, 7);
const source = (seed = 1, startMs = NOW) => createSimulatedSource({ seed, clock: manualClock(startMs) });

async function take(from: ChainSource, count: number, known: readonly KnownBlock[] = []) {
  const stop = new AbortController();
  const events: ChainEvent[] = [];
  for await (const event of from.subscribe({ known, signal: stop.signal })) {
    events.push(event);
    if (events.length === count) stop.abort();
  }
  return events;
}

const blocksOf = (events: readonly ChainEvent[]) =>
  events.flatMap((event) => (event.type === 'block' ? [event.block] : []));
const numbers = (events: readonly ChainEvent[]) => blocksOf(events).map(({ number }) => number);
const known = (...blocks: Block[]) => blocks.map(({ number, hash }) => ({ number, hash }));

it('is a chain of its own that says so', async () => {
  expect(source(7)).toMatchObject({ kind: 'simulated', name: 'seed 7' });
  expect(await source().chain()).toMatchObject({
    id: 15_591_559,
    name: 'Simulated',
    feeRule: ETHEREUM_FEE_RULE,
  });
  expect(source().health()).toMatchObject([{ state: 'ok', head: (await source().head()).number }]);
});

it('has its head in the present', async () => {
  const head = await source().head();
  expect(NOW / 1_000 - head.timestamp).toBeGreaterThanOrEqual(0);
  expect(NOW / 1_000 - head.timestamp).toBeLessThan(24);
  expect(source().now()).toBe(NOW);
});

it('has days of past at once, linked, in order, following EIP-1559, with what the next block asks for', async () => {
  const chain = source();
  const head = await chain.head();
  const days = isSlowRun ? 30 : 3;
  const blocks = await chain.blocks(head.number - days * 7_200, head.number);
  expect(blocks).toHaveLength(days * 7_200 + 1);
  expect(blocks.at(-1)).toEqual(head);
  expect(head.timestamp - (blocks[0]?.timestamp ?? 0)).toBeGreaterThan(days * 86_400 - 60);
  const wrong = blocks.slice(0, -1).findIndex((block, i) => {
    const next = blocks[i + 1];
    const { gasUsed, gasLimit, baseFeePerGas } = block;
    if (next === undefined || gasUsed === null || gasLimit === null) return true;
    return (
      next.number !== block.number + 1 ||
      next.parentHash !== block.hash ||
      next.timestamp <= block.timestamp ||
      next.baseFeePerGas !== block.nextBaseFee ||
      next.baseFeePerGas !== nextBaseFee({ baseFeePerGas, gasUsed, gasLimit }, ETHEREUM_FEE_RULE) ||
      next.blobBaseFee !== block.nextBlobBaseFee
    );
  });
  expect(wrong).toBe(-1);
  expect(new Set(blocks.map(({ hash }) => hash)).size).toBe(blocks.length);
});

it.each([NOW, NOW + 11_000, NOW + 999_999_999])(
  'opens at a block that is the head at its start, at %i',
  async (startMs) => {
    const clock = manualClock(startMs);
    const own = await source().head();
    const chain = createSimulatedSource({ seed: 1, opensAt: own.number - 70_000, forkAfter: 3, clock });
    const head = await chain.head();
    expect(head.number).toBe(own.number - 70_000);
    expect(startMs / 1_000 - head.timestamp).toBeLessThan(12);
    const { timestamp: _, ...same } = (await source().blocks(head.number, head.number))[0] ?? {};
    expect(head).toMatchObject(same);
    const [parent] = await chain.blocks(head.number - 1, head.number - 1);
    expect(parent).toMatchObject({ hash: head.parentHash, timestamp: head.timestamp - 12 });
    clock.advance(60_000);
    expect((await chain.head()).number).toBe(head.number + 5);
    expect(await chain.ethConfig?.()).toMatchObject({
      current: { activationTime: head.timestamp + 36 },
      next: null,
    });
  },
);

it.each([0, 1, 2])(
  'the demo opens where waiting pays: advice after %i blocks says so and is kept',
  async (later) => {
    const clock = manualClock(NOW);
    const chain = createSimulatedSource({ seed: OPENING.seed, opensAt: OPENING.block, clock });
    const engine = new FeeEngine({ feeRule: ETHEREUM_FEE_RULE, capacity: 8_192 });
    const first = OPENING.block - 7_200;
    for (const block of await chain.blocks(first, OPENING.block))
      engine.push(block, block.number < first + 4_000);
    clock.advance(later * 12_000);
    for (const block of await chain.blocks(OPENING.block + 1, OPENING.block + later)) engine.push(block);
    const { action, targetPrice, deadlineSec, expectedSavingRatio } = engine.recommendation(3_600) ?? {};
    expect(action).toBe('WAIT');
    expect(expectedSavingRatio).toBeGreaterThan(0.1);
    clock.advance((deadlineSec ?? 0) * 1_000);
    const ahead = await chain.blocks(OPENING.block + later, OPENING.block + 300);
    const cheapest = Math.min(...ahead.map(({ baseFeePerGas }) => Number(baseFeePerGas)));
    expect(cheapest).toBeLessThanOrEqual(Number(targetPrice));
  },
);

it('shows no block before its time', async () => {
  const chain = source();
  const { number } = await chain.head();
  expect((await chain.blocks(number - 1, number + 100)).map((block) => block.number)).toEqual([
    number - 1,
    number,
  ]);
  expect(await chain.blocks(number + 1, number + 5)).toEqual([]);
});

it('has the same blocks whenever it is started, and others for another seed', async () => {
  const early = await source().head();
  const late = source(1, NOW + 40 * 86_400_000 + 3_333);
  expect(await late.blocks(early.number, early.number)).toEqual([early]);
  const other = await source(2).blocks(early.number, early.number);
  expect(other[0]?.hash).not.toBe(early.hash);
  expect(other[0]?.baseFeePerGas).not.toBe(early.baseFeePerGas);
});

it('adds a block with every slot', async () => {
  const clock = manualClock(NOW);
  const chain = createSimulatedSource({ seed: 1, clock });
  const head = await chain.head();
  const stop = new AbortController();
  const seen: Block[] = [];
  for await (const event of chain.subscribe({ known: known(head), signal: stop.signal })) {
    if (event.type !== 'block') throw new Error(`unexpected ${event.type}`);
    seen.push(event.block);
    expect(clock.now()).toBe(event.block.timestamp * 1_000);
    if (seen.length === 400) stop.abort();
  }
  expect(seen.map(({ number }) => number)).toEqual(seen.map((_, i) => head.number + 1 + i));
  const steps = seen.slice(1).map(({ timestamp }, i) => timestamp - (seen[i]?.timestamp ?? 0));
  expect(new Set(steps)).toEqual(new Set([12]));
});

it('begins with the head for a subscriber that knows nothing', async () => {
  const { number } = await source().head();
  expect(numbers(await take(source(), 3))).toEqual([number, number + 1, number + 2]);
});

it('goes on after what a subscriber knows', async () => {
  const chain = source();
  const { number } = await chain.head();
  const past = await chain.blocks(number - 9, number - 5);
  expect(numbers(await take(chain, 4, known(...past)))).toEqual([-4, -3, -2, -1].map((i) => number + i));
});

it('takes back the blocks of another seed', async () => {
  const { number } = await source().head();
  const foreign = await source(2).blocks(number - 3, number);
  const events = await take(source(), 3, known(...foreign));
  expect(events[0]).toEqual({ type: 'reorg', commonAncestor: number - 300 });
  expect(numbers(events)).toEqual([number - 299, number - 298]);
});

slowIt('lets everything else have its turn while 30 days are made up', async () => {
  const chain = source();
  const { number } = await chain.head();
  let turns = 0;
  let isDone = false;
  const other = (async () => {
    while (!isDone) {
      turns++;
      await setImmediate();
    }
  })();
  await chain.blocks(number - 30 * 7_200, number);
  isDone = true;
  await other;
  expect(turns).toBeGreaterThan(500);
});

it('crosses the Amsterdam fork after so many blocks, as header and eth_config say', async () => {
  const clock = manualClock(NOW);
  const chain = createSimulatedSource({ seed: 1, forkAfter: 2, clock });
  const { number } = await chain.head();
  const forkAt = (
    await createSimulatedSource({ seed: 1, clock: manualClock(NOW + 60_000) }).blocks(number + 2, number + 2)
  )[0];
  expect(await chain.head()).toMatchObject({ blockAccessListHash: null, slotNumber: null });
  expect(await chain.ethConfig?.()).toMatchObject({ next: { activationTime: forkAt?.timestamp } });
  clock.advance(24_000);
  expect(await chain.blocks(number, number + 2)).toMatchObject([
    { blockAccessListHash: null },
    { blockAccessListHash: null },
    { blockAccessListHash: expect.stringMatching(/^0x/), slotNumber: number + 2 },
  ]);
  expect(await chain.ethConfig?.()).toMatchObject({
    current: { activationTime: forkAt?.timestamp },
    next: null,
  });
});
