import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { SIMULATED_CHAIN_ID } from '../../src/core/chains.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import type { Database } from '../../src/store/database.ts';
import { HistoryStore } from '../../src/store/history.ts';
import { BARE_BLOCK, BLOCK_ZERO_TIME, makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { ENGINES, emptyDatabase, openOn, testOn } from '../helpers/databases.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { rounds } from '../helpers/rounds.ts';

describe.each(ENGINES)('on %s', (engine) => {
  let database: Database;
  let store: BlockStore;
  let history: HistoryStore;

  beforeEach(async () => {
    database = await openOn(engine);
    store = new BlockStore(database, undefined, () => (BLOCK_ZERO_TIME + 31 * 86_400) * 1_000);
    history = new HistoryStore(database);
  });

  async function openOnce(path: string): Promise<Database> {
    const opened = await openDatabase(path);
    onTestFinished(() => opened.close());
    return opened;
  }

  const rollups = ({ queries }: Database) =>
    queries.selectFrom('rollups').selectAll().orderBy('bucket_sec').orderBy('start').execute();

  async function rollupsFromScratch() {
    const fresh = await openDatabase(await emptyDatabase(engine));
    await new BlockStore(fresh).saveBlocks(await store.page(0, 1_000_000));
    return rollups(fresh).finally(() => fresh.close());
  }

  describe('blocks', () => {
    test('returns a block unchanged, with and without optional fields', async () => {
      const full = makeBlock(7);
      const bare = makeBlock(8, BARE_BLOCK);
      await store.saveBlocks([bare, full]);
      expect(await store.newest(5)).toEqual([full, bare]);
    });

    test('a price beyond 2^53−1 wei is kept at that limit instead of failing', async () => {
      await store.saveBlocks([makeBlock(1, { baseFeePerGas: 2n ** 80n })]);
      expect((await store.head())?.baseFeePerGas).toBe(BigInt(Number.MAX_SAFE_INTEGER));
    });

    test('within one batch the last word on a block number counts', async () => {
      await store.saveBlocks([makeBlock(1), makeBlock(1, { baseFeePerGas: 5n })]);
      expect((await store.newest(2)).map((block) => block.baseFeePerGas)).toEqual([5n]);
    });

    test('pages go upwards over gaps', async () => {
      await store.saveBlocks([...makeBlocks(10, 12), ...makeBlocks(20, 22)]);
      expect((await store.page(11, 3)).map((block) => block.number)).toEqual([11, 12, 20]);
      expect((await store.latestAt(makeBlock(15).timestamp))?.number).toBe(12);
      expect(await store.latestAt(makeBlock(9).timestamp)).toBeNull();
      expect((await store.oldest())?.number).toBe(10);
    });

    test('missing ranges come newest first, edges included', async () => {
      await store.saveBlocks([...makeBlocks(10, 12), ...makeBlocks(20, 22), ...makeBlocks(24, 25)]);
      expect(await store.missingRanges({ from: 5, to: 30 })).toEqual([
        { from: 26, to: 30 },
        { from: 23, to: 23 },
        { from: 13, to: 19 },
        { from: 5, to: 9 },
      ]);
      expect(await store.missingRanges({ from: 10, to: 12 })).toEqual([]);
      expect(await store.missingRanges({ from: 40, to: 41 })).toEqual([{ from: 40, to: 41 }]);
    });

    test('a history belongs to one chain', async () => {
      expect(await store.chainId()).toBeNull();
      await store.claimChain({ id: 1 });
      await store.claimChain({ id: 1 });
      expect(await store.chainId()).toBe(1);
      await expect(store.claimChain({ id: 10 })).rejects.toMatchObject({
        code: 'wrong-chain',
        message: `${database.name} holds chain 1, not chain 10; name another path with --db`,
      });
      await expect(store.refuseOther({ id: SIMULATED_CHAIN_ID })).rejects.toMatchObject({
        code: 'wrong-chain',
        message: `${database.name} holds chain 1, not the simulated chain; name another path with --db`,
      });
      await store.refuseOther({ id: 1 });
    });

    const genesisHash = `0x${'ab'.repeat(32)}` as const;

    test.each([
      [{ id: 1 }, { id: 10, genesisHash }],
      [{ id: 10, genesisHash }, { id: 1 }],
      [{ id: 1 }, { id: 31_337, genesisHash }],
      [{ id: 1 }, { id: 1, genesisHash }],
    ])(
      'a history that two processes bind at once has the chain and genesis of one: %o, %o',
      async (...chains) => {
        const path = await emptyDatabase(engine, 'shared');
        const stores = await Promise.all(chains.map(async () => new BlockStore(await openOnce(path))));
        const claims = await Promise.allSettled(chains.map((chain, at) => stores[at]?.claimChain(chain)));
        const [first = store] = stores;
        const stored = { id: await first.chainId(), genesisHash: (await first.genesisHash()) ?? undefined };
        const winners = chains.filter((_, at) => claims[at]?.status === 'fulfilled');
        expect(winners).toContainEqual(stored);
        expect(winners.every(({ id }) => id === stored.id)).toBe(true);
      },
    );
  });

  describe('rollups', () => {
    test('however the blocks came (in any order, repeated, replaced, rewound), rollups are those of the blocks', async () => {
      const step = fc.oneof(
        fc.record({ from: fc.nat(600), count: fc.integer({ min: 1, max: 80 }), fork: fc.nat(3) }),
        fc.record({ rewindTo: fc.nat(600) }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          await store.beginAnew(undefined);
          for (const change of steps) {
            if ('rewindTo' in change) await store.rewindTo(change.rewindTo);
            else {
              const blocks = makeBlocks(change.from, change.from + change.count - 1);
              await store.saveBlocks(
                blocks.map((block) => ({
                  ...block,
                  baseFeePerGas: block.baseFeePerGas + BigInt(change.fork),
                  timestamp: block.timestamp + change.fork * 40,
                  tips: change.fork === 2 ? null : block.tips,
                })),
              );
            }
          }
          expect(await rollups(database)).toEqual(await rollupsFromScratch());
        }),
        { numRuns: rounds(engine === 'SQLite' ? 40 : 20) },
      );
    });

    test('a bucket holds open, lowest, mean, highest and close of its blocks, and mean tips over those that had some', async () => {
      await store.saveBlocks([
        makeBlock(0, { baseFeePerGas: 10n, gasUsedRatio: 0.5, tips: [1n, 2n, 3n, 4n, 5n, 6n, 7n] }),
        makeBlock(1, { baseFeePerGas: 40n, gasUsedRatio: 1, tips: null }),
        makeBlock(2, { baseFeePerGas: 5n, gasUsedRatio: 0, tips: [3n, 4n, 5n, 6n, 7n, 8n, 9n] }),
      ]);
      const window = { from: BLOCK_ZERO_TIME, to: BLOCK_ZERO_TIME + 100 };
      for (const bucketSec of [60, 300, 3_600, 7_200, 86_400]) {
        expect(await history.buckets(bucketSec, window)).toMatchObject([
          {
            start: BLOCK_ZERO_TIME,
            blocks: 3,
            first_block: 0,
            last_block: 2,
            base_open: 10,
            base_min: 5,
            base_mean: 55 / 3,
            base_max: 40,
            base_close: 5,
            tipped_blocks: 2,
            tip_p10: 2,
            tip_p99: 8,
            ratio_mean: 0.5,
            ratio_max: 1,
          },
        ]);
      }
    });

    testOn(engine)('pages of buckets, stored and folded, join to the whole and have its count', async () => {
      await store.saveBlocks(makeBlocks(0, 3_000));
      const window = { from: BLOCK_ZERO_TIME + 1_000, to: BLOCK_ZERO_TIME + 30_000 };
      for (const bucketSec of [60, 300, 1_800, 3_600]) {
        const all = await history.buckets(bucketSec, window);
        expect(await history.countBuckets(bucketSec, window)).toBe(all.length);
        const pages = [];
        for (let offset = 0; offset < all.length; offset += 7) {
          pages.push(...(await history.buckets(bucketSec, window, { offset, limit: 7 })));
        }
        expect(pages).toEqual(all);
      }
    });
  });

  describe('folding blocks older than 30 days', () => {
    const DAY_BLOCKS = 1_440;
    const minutely = (from: number, to: number) =>
      makeBlocks(from, to).map((block) => ({ ...block, timestamp: BLOCK_ZERO_TIME + block.number * 60 }));

    testOn(engine)('drops old blocks and fine rows, keeps hourly ones, and takes none in again', async () => {
      await store.saveBlocks(minutely(0, 2 * DAY_BLOCKS));
      const hoursBefore = await history.buckets(3_600, { from: 0, to: BLOCK_ZERO_TIME + 10 * 86_400 });
      await store.prune(BLOCK_ZERO_TIME + 31 * 86_400);
      expect((await store.oldest())?.timestamp).toBe(BLOCK_ZERO_TIME + 86_400);
      expect(await history.reachesBackTo(null)).toBe(BLOCK_ZERO_TIME + 86_400);
      expect(await history.reachesBackTo(300)).toBe(BLOCK_ZERO_TIME + 86_400);
      expect(await history.reachesBackTo(3_600)).toBe(BLOCK_ZERO_TIME);
      await store.saveBlocks(minutely(DAY_BLOCKS - 10, DAY_BLOCKS + 10));
      await store.prune(BLOCK_ZERO_TIME + 31 * 86_400);
      expect(await history.buckets(3_600, { from: 0, to: BLOCK_ZERO_TIME + 10 * 86_400 })).toEqual(
        hoursBefore,
      );
      expect((await store.oldest())?.timestamp).toBe(BLOCK_ZERO_TIME + 86_400);
    });

    test('cuts at whole hours, so that no hour is folded from half its blocks', async () => {
      await store.saveBlocks(minutely(0, DAY_BLOCKS));
      const before = await history.buckets(3_600, { from: 0, to: BLOCK_ZERO_TIME + 10 * 86_400 });
      await store.prune(BLOCK_ZERO_TIME + 30 * 86_400 + 5_000);
      expect((await store.oldest())?.timestamp).toBe(BLOCK_ZERO_TIME + 3_600);
      await store.saveBlocks(minutely(60, 70));
      expect(await history.buckets(3_600, { from: 0, to: BLOCK_ZERO_TIME + 10 * 86_400 })).toEqual(before);
    });
  });
});
