/** Run by crash.test.ts: writes blocks as fast as it can and says each block that is safely there. */
import { BlockStore } from '../../src/store/block-store.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';

const store = new BlockStore(await openDatabase(process.argv[2] ?? ''));
let next = ((await store.head())?.number ?? -1) + 1;
for (let turn = 1; ; turn += 1) {
  const batch = turn % 3 === 0 ? 1 : 37;
  await store.saveBlocks(makeBlocks(next, next + batch - 1));
  next += batch;
  process.stdout.write(`${next - 1}\n`);
}
