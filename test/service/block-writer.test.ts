import { describe, expect, onTestFinished, test } from 'vitest';
import type { Block } from '../../src/core/block.ts';
import { BlockWriter } from '../../src/service/follow/block-writer.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { openDatabase } from '../../src/store/database.ts';
import { makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';

test('a reorg drops the blocks it orphans that only waited to be written', async () => {
  const database = await openDatabase(':memory:');
  const store = new BlockStore(database);
  const writer = new BlockWriter(store, { onRecovered: () => {} });
  for (const block of makeBlocks(0, 9)) writer.add(block);
  writer.rewindTo(6);
  await writer.flush();
  expect((await store.newest(100)).map((block) => block.number)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  await database.close();
});

test('the blocks of the new branch are written after the orphans are gone', async () => {
  const database = await openDatabase(':memory:');
  const store = new BlockStore(database);
  const writer = new BlockWriter(store, { onRecovered: () => {} });
  for (const block of makeBlocks(0, 9)) writer.add(block);
  await writer.flush();
  writer.rewindTo(7);
  writer.add(makeBlock(8, { baseFeePerGas: 77n }));
  await writer.flush();
  expect((await store.newest(2)).map((block) => [block.number, block.baseFeePerGas])).toEqual([
    [7, makeBlock(7).baseFeePerGas],
    [8, 77n],
  ]);
  await database.close();
});

describe('while another process writes', () => {
  async function closed() {
    const database = await openDatabase(':memory:');
    onTestFinished(() => database.close());
    const store = new BlockStore(database);
    const clock = { now: 0 };
    const neglected: number[] = [];
    const writer = new BlockWriter(store, {
      onRecovered: () => {},
      onNeglected: () => neglected.push(clock.now),
      steadyNow: () => clock.now,
    });
    await store.saveBlocks(makeBlocks(0, 9));
    writer.close();
    const add = async (...blocks: readonly Block[]) => {
      for (const block of blocks) writer.add(block);
      await writer.flush();
    };
    const numbers = async () => (await store.newest(100)).map((block) => block.number);
    return { store, writer, clock, neglected, add, numbers };
  }

  test('nothing is written here; what it has not written is, once it is this process’s turn', async () => {
    const { store, writer, add, numbers } = await closed();
    await add(...makeBlocks(8, 14));
    writer.rewindTo(13);
    expect(await numbers()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await store.saveBlocks(makeBlocks(10, 11));
    expect(await writer.open(() => true)).toBe(true);
    await add(makeBlock(14));
    expect((await numbers()).at(-1)).toBe(14);
    expect(await store.missingRanges({ from: 0, to: 14 })).toEqual([]);
  });

  test('a turn that does not fit what is stored is not taken', async () => {
    const { writer, add, numbers } = await closed();
    await add(makeBlock(10));
    expect(await writer.open((stored) => stored.at(-1)?.number === 10)).toBe(false);
    expect((await numbers()).at(-1)).toBe(9);
  });

  test('that it does not write what is here for a minute is told; that it is a little behind is not', async () => {
    const { store, clock, neglected, add } = await closed();
    for (let number = 10; number < 40; number += 1) {
      clock.now += 12_000;
      await add(makeBlock(number));
      // One block behind, all the time.
      await store.saveBlocks([makeBlock(number - 1)]);
    }
    expect(neglected).toEqual([]);
    const stuckAt = clock.now;
    for (let number = 40; number < 47; number += 1) {
      clock.now += 12_000;
      await add(makeBlock(number));
    }
    expect(neglected).toEqual([stuckAt + 84_000]);
  });
});
