import { expect, test } from 'vitest';
import { backfill } from '../../src/service/follow/history-filler.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';

test('a page that was read before a reorg and comes after it brings back nothing of the branch that is gone', async () => {
  const database = await openDatabase(':memory:');
  const store = new BlockStore(database);
  const source = new ScriptedSource(makeBlocks(0, 999), { kind: 'simulated' });
  const chain = { lowestRewind: Number.POSITIVE_INFINITY };
  const read = source.blocks.bind(source);
  source.blocks = async (from, to) => {
    const page = await read(from, to);
    chain.lowestRewind = 79;
    return page;
  };
  const { signal } = new AbortController();
  await backfill({ source, store, range: { from: 0, to: 999 }, until: 0, chain, signal });
  expect((await store.newest(2_000)).map((block) => block.number)).toEqual(
    Array.from({ length: 80 }, (_, i) => i),
  );
  await database.close();
});
