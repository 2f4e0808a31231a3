import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { GivenAdvice } from '../../src/core/advice.ts';
import type { Block } from '../../src/core/block.ts';
import { TrackStore } from '../../src/store/advice-track.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import type { Database } from '../../src/store/database.ts';
import { blockHash, makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { ENGINES, openOn } from '../helpers/databases.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { given, sendWithin, waitFor } from './given.ts';

describe.each(ENGINES)('on %s', (engine) => {
  let database: Database;
  let blocks: BlockStore;
  let track: TrackStore;

  beforeEach(async () => {
    database = await openOn(engine);
    blocks = new BlockStore(database);
    track = new TrackStore(database);
  });

  const asks = (number: number, price: bigint, tip = 0n): Block =>
    makeBlock(number, { baseFeePerGas: price - tip, tips: [tip, tip, tip, tip, tip, tip, tip] });

  const settleAll = async () => track.settle(await track.due(1_000_000, 1_000_000));

  const settleFilled = async () =>
    track.settle(await track.due(1_000_000, 1_000_000), (await blocks.head())?.timestamp ?? null);

  async function verdicts(): Promise<Record<number, string | null>> {
    const rows = await database.queries.selectFrom('advice').select(['block_number', 'verdict']).execute();
    return Object.fromEntries(rows.map((row) => [row.block_number, row.verdict]));
  }

  async function say(advice: (block: Block) => GivenAdvice, ...prices: bigint[]) {
    const block = asks(10, 100n);
    await blocks.saveBlocks([block], advice(block));
    await blocks.saveBlocks(prices.map((price, index) => asks(11 + index, price)));
  }

  test('advice to wait counts a block of unknown tips by its base fee, and prices at the storage limit', async () => {
    const block = asks(10, 100n);
    await blocks.saveBlocks([block], given(block, waitFor(block, 12), { targetPrice: 90n }));
    await blocks.saveBlocks([
      makeBlock(11, { baseFeePerGas: 90n, tips: null }),
      asks(12, 2n ** 80n, 2n ** 70n),
    ]);
    await settleAll();
    expect(await verdicts()).toEqual({ 10: 'kept' });
    const dear = await track.due(1_000_000, 10);
    expect(dear).toEqual([]);
  });

  describe('a hole in the history', () => {
    test('of any length is waited for until it has been asked for', async () => {
      const block = asks(10, 100n);
      await blocks.saveBlocks([block], given(block, waitFor(block, 3_600), { targetPrice: 90n }));
      const back = makeBlock(900);
      await blocks.saveBlocks([back]);
      expect(await settleAll()).toBe(0);
      // Filled before the downtime, which tells nothing of it.
      expect(await track.settle([10], block.timestamp)).toBe(0);
      await blocks.saveBlocks(Array.from({ length: 889 }, (_, index) => asks(11 + index, 90n)));
      expect(await track.settle([10], back.timestamp)).toBe(1);
      expect(await verdicts()).toEqual({ 10: 'kept' });
    });

    test('that is there a day later, though it was asked for, is given up on: not kept, not missed, and counted as that', async () => {
      const [first, second] = [asks(9, 100n), asks(10, 100n)];
      await blocks.saveBlocks([first], given(first, sendWithin(first, 1, 100n)));
      await blocks.saveBlocks([second], given(second, waitFor(second, 36), { targetPrice: 90n }));
      await blocks.saveBlocks([asks(11, 1n), asks(13, 1n), asks(20, 1n), asks(10 + 7_203, 1n)]);
      await settleFilled();
      expect(await verdicts()).toEqual({ 9: 'kept', 10: null });
      await blocks.saveBlocks([asks(10 + 7_204, 1n)]);
      await settleAll();
      expect(await verdicts()).toEqual({ 9: 'kept', 10: null });
      await settleFilled();
      expect(await verdicts()).toEqual({ 9: 'kept', 10: 'unknown' });
      expect(await track.score(100)).toMatchObject({ evaluated: 1, kept: 1, unjudged: 1 });
    });
  });

  describe('a reorg', () => {
    test('during downtime is found by the hash', async () => {
      const block = asks(10, 100n);
      await blocks.saveBlocks([block], given(block, sendWithin(block, 1, 90n)));
      await blocks.saveBlocks([{ ...block, hash: blockHash(10, 1) }, asks(11, 90n)]);
      await settleAll();
      expect(await verdicts()).toEqual({});
    });

    test('a chain that starts over begins a new record', async () => {
      await say((block) => given(block, sendWithin(block, 1, 90n)), 90n);
      await settleAll();
      await blocks.beginAnew(undefined);
      expect(await track.score(100)).toMatchObject({ evaluated: 0, since: null });
    });
  });

  describe('saying something again', () => {
    test('changes nothing: the first advice for a block stays, judged or not', async () => {
      const block = asks(10, 100n);
      const first = given(block, sendWithin(block, 1, 90n), { probability: 0.95 });
      await blocks.saveBlocks([block], first);
      await blocks.saveBlocks([block], given(block, waitFor(block, 36), { probability: 0.5 }));
      await blocks.saveBlocks([asks(11, 90n)]);
      await settleAll();
      await blocks.saveBlocks([block], given(block, waitFor(block, 36), { probability: 0.5 }));
      expect(await verdicts()).toEqual({ 10: 'kept' });
      expect(await track.score(100)).toMatchObject({ evaluated: 1, statedProbability: 0.95 });
    });

    test('of another block at the same height replaces it', async () => {
      const block = asks(10, 100n);
      const other = { ...block, hash: blockHash(10, 1) };
      await blocks.saveBlocks([block], given(block, sendWithin(block, 1, 90n)));
      await blocks.saveBlocks([other], given(other, sendWithin(other, 1, 80n)));
      await blocks.saveBlocks([asks(11, 90n)]);
      await settleAll();
      expect(await verdicts()).toEqual({ 10: 'missed' });
    });
  });

  test('the count is of the last that ended and stated a probability, waits apart and as far back as they lie', async () => {
    for (const block of makeBlocks(1, 30)) {
      const isWait = block.number % 10 === 5;
      const promise = isWait ? waitFor(block, 24) : sendWithin(block, 1, 10n ** 12n, 10n ** 9n);
      const more = {
        probability: block.number % 7 === 0 ? null : isWait ? 0.85 : 0.99,
        version: block.number < 20 ? 1 : 2,
        // The second of the three waits for what never comes.
        targetPrice: block.number === 15 ? 0n : 10n ** 15n,
      };
      await blocks.saveBlocks([block], given(block, promise, more));
    }
    await settleAll();
    // 24 to 29 have ended, but for 28, which stated nothing.
    const score = await track.score(5);
    expect(score).toMatchObject({ evaluated: 5, kept: 5, since: makeBlock(24).timestamp, versions: [2] });
    expect(score.waits).toMatchObject({
      evaluated: 3,
      kept: 2,
      statedProbability: expect.closeTo(0.85),
      since: makeBlock(5).timestamp,
      versions: [1, 2],
    });
    expect(score.sends).toMatchObject({ evaluated: 5, kept: 5, versions: [2] });
    expect(await track.score(2)).toMatchObject({ waits: { evaluated: 2, kept: 1 }, sends: { evaluated: 2 } });
  });

  test.each([
    [
      'a wait whose price came',
      (block: Block) => given(block, waitFor(block, 36), { targetPrice: 75n }),
      0.25,
    ],
    ['a wait that missed', (block: Block) => given(block, waitFor(block, 36), { targetPrice: 60n }), -0.5],
    ['sending within three blocks', (block: Block) => given(block, sendWithin(block, 3, 80n)), 0.3],
    ['sending that missed', (block: Block) => given(block, sendWithin(block, 3, 60n)), -0.5],
  ])('what was saved against the next block is counted: %s', async (_, advice, savedRatio) => {
    await say(advice, 100n, 70n, 150n, 10n);
    await settleAll();
    const { waits, sends } = await track.score(100);
    const [own, other] = waits.evaluated > 0 ? [waits, sends] : [sends, waits];
    expect(own).toMatchObject({ evaluated: 1, savingRatio: expect.closeTo(savedRatio) });
    expect(other).toMatchObject({ evaluated: 0, savingRatio: null });
  });

  test('advice that was judged before savings were counted counts as what it was, without a saving', async () => {
    await say((block) => given(block, waitFor(block, 12), { targetPrice: 100n }), 100n, 90n);
    await settleAll();
    await database.queries.updateTable('advice').set({ saved_ratio: null }).execute();
    expect((await track.score(100)).waits).toMatchObject({ evaluated: 1, kept: 1, savingRatio: null });
  });

  describe('pruning', () => {
    test('deletes advice older than 400 days, and keeps advice younger than its blocks', async () => {
      const day = 86_400;
      const first = asks(10, 100n);
      await blocks.saveBlocks([first], given(first, sendWithin(first, 1, 90n)));
      await blocks.saveBlocks([asks(11, 90n)]);
      await settleAll();
      await blocks.prune(first.timestamp + 399 * day);
      expect(await blocks.head()).toBeNull();
      expect(await verdicts()).toEqual({ 10: 'kept' });
      await blocks.prune(first.timestamp + 401 * day);
      expect(await verdicts()).toEqual({});
    });

    test.runIf(engine === 'SQLite' && isSlowRun)('keeps the last 100,000', async () => {
      const block = asks(100_005, 100n);
      await sql`insert into advice (block_number, timestamp, version, action, target_price)
        select value, ${block.timestamp}, 1, 'WAIT', 1 from json_each(${JSON.stringify([...Array(100_005).keys()])})`.execute(
        database.queries,
      );
      await blocks.prune(block.timestamp + 86_400);
      const kept = Object.keys(await verdicts());
      expect([kept.length, kept[0]]).toEqual([100_000, '5']);
    });
  });
});
