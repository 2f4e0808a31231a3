import { TrackStore } from '../../src/store/advice-track.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { openDatabase } from '../../src/store/database.ts';
import { makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { given, sendWithin } from './given.ts';

/** Run by crash.test.ts: writes blocks, with advice after the last of each batch, as fast as it can, judges, and says each block that is safely there. */

const database = await openDatabase(process.argv[2] ?? '');
const store = new BlockStore(database);
const track = new TrackStore(database);
let next = ((await store.head())?.number ?? -1) + 1;
for (let turn = 1; ; turn += 1) {
  const batch = turn % 3 === 0 ? 1 : 37;
  const head = makeBlock(next + batch - 1);
  await store.saveBlocks(
    makeBlocks(next, head.number),
    given(head, sendWithin(head, 3, 10n ** 12n, 10n ** 9n)),
  );
  await track.settle(await track.due(100_000, 16));
  next += batch;
  process.stdout.write(`${next - 1}\n`);
}
