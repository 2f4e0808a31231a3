import { expect, test } from 'vitest';
import { BlockWriter } from '../../src/service/block-writer.ts';
import { BlockStore } from '../../src/store/block-store.ts';
import { openDatabase } from '../../src/store/open-database.ts';
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
