import { expect, test } from 'vitest';
import { identifiedChain } from '../../src/core/chains.ts';
import { type Reconciliation, reconcile } from '../../src/service/follow/reconcile.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { blockHash, makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { runService, temporaryFile } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const other = (from: number, to: number) =>
  makeBlocks(from, to).map((block) => ({
    ...block,
    hash: blockHash(block.number, 9),
    parentHash: blockHash(block.number - 1, 9),
    baseFeePerGas: block.baseFeePerGas + 1n,
  }));

async function found(
  stored: Parameters<BlockStore['saveBlocks']>[0],
  node: ScriptedSource,
  isNoted = false,
): Promise<Reconciliation> {
  const database = await openDatabase(':memory:');
  const store = new BlockStore(database);
  await store.claimChain(isNoted ? node.profile : { id: node.profile.id });
  await store.saveBlocks(stored);
  return reconcile(node, store, node.profile);
}

const node = (blocks: Parameters<BlockStore['saveBlocks']>[0], chainId = 1) =>
  new ScriptedSource(blocks, { chainId });
const waiting = (at: number, history: number) => ({
  type: 'keep',
  behind: `scripted is at block ${at}, the history at ${history}: waiting for it to catch up`,
});

test.each([0, 400, 799])('a node that syncs, at block %i, wipes nothing of a public chain', async (at) => {
  expect(await found(makeBlocks(800, 1_000), node(makeBlocks(0, at)))).toEqual(waiting(at, 1_000));
});

test('neither does one that has got into the history, nor one that stands in a hole of it', async () => {
  expect(await found(makeBlocks(800, 1_000), node(makeBlocks(0, 900)))).toEqual(waiting(900, 1_000));
  const holed = [...makeBlocks(800, 890), ...makeBlocks(950, 1_000)];
  expect(await found(holed, node(makeBlocks(0, 900)))).toEqual(waiting(900, 1_000));
});

test('a node that is a few blocks late is no trouble', async () => {
  expect(await found(makeBlocks(0, 500), node(makeBlocks(0, 495)))).toEqual({ type: 'keep', behind: null });
});

test('what differs at the top and not below is rewound', async () => {
  const forked = [...makeBlocks(0, 490), ...other(491, 500)];
  expect(await found(forked, node(makeBlocks(0, 500)))).toEqual({ type: 'rewind', to: 490 });
});

test('what differs at every depth is dropped only of a chain that is not known by its genesis', async () => {
  expect(await found(other(0, 500), node(makeBlocks(0, 500), 999))).toEqual({ type: 'begin-anew' });
  const known = node(makeBlocks(0, 500), 1);
  await expect(found(other(0, 500), known, true)).rejects.toThrow('other blocks than the history');
  await expect(found(other(0, 500), known)).rejects.toThrow('holds another chain 1');
});

test.each([1, 5, 127])('a history of %i blocks may be orphaned whole: it is rewound', async (count) => {
  const orphaned = other(500 - count, 499);
  const whole = { type: 'rewind', to: 499 - count };
  expect(await found(orphaned, node(makeBlocks(0, 500)), true)).toEqual(whole);
  const development = node(makeBlocks(0, 500), 31_337);
  // It may have started over, unless it has the same genesis.
  expect(await found(orphaned, development)).toEqual({ type: 'begin-anew' });
  development.profile = identifiedChain(31_337, blockHash(0));
  expect(await found(orphaned, development, true)).toEqual(whole);
  await expect(found(orphaned, node(makeBlocks(0, 500)))).rejects.toThrow('holds another chain 1');
});

test.each([
  ['at each of its 129 blocks', other(371, 499), 500],
  ['below it', other(499, 499), 498],
  ['in the first of its many blocks', other(0, 1_000), 100],
])('but a node that has other blocks %s is on a fork', async (_, stored, head) => {
  const outcome = found(stored, node(makeBlocks(0, head)), true).then(({ type }) => type, String);
  expect(await outcome).not.toContain('rewind');
  expect(await outcome).not.toContain('begin-anew');
});

test('the first block of a process that was killed right after it is replaced once it is orphaned', async () => {
  const path = await temporaryFile('chain-1.db');
  const source = node(makeBlocks(0, 1_000));
  const database = await openDatabase(path);
  const store = new BlockStore(database);
  await store.claimChain(source.profile);
  await store.saveBlocks(other(999, 999));
  const service = await runService({ source, database: path });
  await waitFor(async () => (await service.current()).blockNumber === 1_000);
  await waitFor(async () => (await store.missingRanges({ from: 900, to: 1_000 })).length === 0);
  expect((await store.page(999, 1))[0]?.hash).toBe(blockHash(999));
  expect(service.errors).toEqual([]);
  await service.stop();
  await database.close();
});

test('a node that has not the deeper blocks is no witness against them on a public chain', async () => {
  const pruned = node(makeBlocks(0, 500));
  pruned.pastBegins = 490;
  expect(await found(other(0, 500), pruned)).toEqual({ type: 'keep', behind: null });
});

test('a development chain that started over is seen by its blocks, or by a head below all that is stored', async () => {
  expect(await found(makeBlocks(0, 500), node(other(0, 3), 31_337))).toEqual({ type: 'begin-anew' });
  expect(await found(makeBlocks(100, 500), node(other(0, 3), 1_337))).toEqual({ type: 'begin-anew' });
});

test('over a syncing node the service answers from its history, says what it waits for, and goes on by itself', async () => {
  const path = await temporaryFile('chain-1.db');
  const database = await openDatabase(path);
  const store = new BlockStore(database);
  await store.claimChain({ id: 1 });
  await store.saveBlocks(makeBlocks(500, 999));
  await database.close();

  const syncing = new ScriptedSource(makeBlocks(0, 7));
  // What a node's subscription does with a head below all that is known: nothing until it has passed it.
  syncing.isSilent = true;
  const service = await runService({ source: syncing, database: path });
  const current = async () => await service.current();
  await service.ready;
  await waitFor(async () => (await current()).source.problem?.message === waiting(7, 999).behind);
  expect(await current()).toMatchObject({ blockNumber: 999, stale: true });
  syncing.emit({ type: 'block', block: makeBlock(1_000) });
  await waitFor(async () => (await current()).blockNumber === 1_000);
  expect((await current()).source.problem?.message ?? '').not.toContain('catch up');
  await service.stop();

  const after = await openDatabase(path);
  expect(await new BlockStore(after).missingRanges({ from: 500, to: 1_000 })).toEqual([]);
  await after.close();
});
