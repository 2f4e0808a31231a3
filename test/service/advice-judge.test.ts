import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type GivenAdvice, getsInto } from '../../src/core/advice.ts';
import type { Block } from '../../src/core/block.ts';
import { createAdviceJudge } from '../../src/service/follow/advice-judge.ts';
import { TrackStore } from '../../src/store/advice-track.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { blockHash, makeBlock } from '../helpers/chain-blocks.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { rounds } from '../helpers/rounds.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { given, sendWithin, waitFor } from '../store/given.ts';

const price = fc.integer({ min: 1, max: 12 });
const blockEvent = fc.record({
  type: fc.constant('block' as const),
  price,
  tip: fc.integer({ min: 0, max: 3 }),
  laterSec: fc.integer({ min: 1, max: 40 }),
  said: fc.option(
    fc.record({
      within: fc.integer({ min: 1, max: 5 }),
      price,
      stated: fc.option(fc.constantFrom(0.8, 0.9, 0.95)),
    }),
  ),
  waits: fc.boolean(),
});
/** Blocks are mined while no process follows. */
const outage = fc.record({
  type: fc.constant('outage' as const),
  prices: fc.array(price, { minLength: 1, maxLength: 6 }),
});
const reorg = fc.record({ type: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 6 }) });
const other = fc.constantFrom('settle', 'look back', 'restart', 'other process settles');
const event = fc.oneof(
  { weight: 8, arbitrary: blockEvent },
  { weight: 1, arbitrary: outage },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('fill' as const) }) },
  { weight: 1, arbitrary: reorg },
  { weight: 3, arbitrary: fc.record({ type: other }) },
);
type BlockEvent = typeof blockEvent extends fc.Arbitrary<infer Value> ? Value : never;

/** The chain as it is, what of it has been seen, and what was said: judged in the plainest way. */
class Model {
  chain: Block[] = [];
  seen = new Set<number>();
  said = new Map<number, GivenAdvice>();
  branch = 0;

  next(priced: number, tip: number, laterSec: number): Block {
    const number = this.chain.length;
    const tips = BigInt(tip);
    const block = makeBlock(number, {
      hash: blockHash(number, this.branch),
      timestamp: (this.chain.at(-1)?.timestamp ?? 1_767_225_600) + laterSec,
      baseFeePerGas: BigInt(priced),
      tips: tip === 0 ? null : [tips, tips, tips, tips, tips, tips, tips],
    });
    this.chain.push(block);
    return block;
  }

  get head(): number {
    return Math.max(-1, ...this.seen);
  }

  verdict({ block, promise, targetPrice }: GivenAdvice): { verdict: string; ended: number } | null {
    const end =
      promise.kind === 'inclusion'
        ? promise.lastBlock + 1
        : this.chain.findIndex(({ number, timestamp }) => this.seen.has(number) && timestamp > promise.until);
    const last = promise.kind === 'inclusion' ? promise.lastBlock : end;
    if (end < 0 || last > this.head) return null;
    const window = this.chain.slice(block.number + 1, end);
    if (window.some(({ number }) => !this.seen.has(number))) return null;
    if (window.length === 0) return { verdict: 'unknown', ended: last };
    const isKept = window.some((each) =>
      promise.kind === 'inclusion'
        ? getsInto(each, promise)
        : each.baseFeePerGas + (each.tips?.[0] ?? 0n) <= targetPrice,
    );
    return { verdict: isKept ? 'kept' : 'missed', ended: last };
  }
}

function sayAfter(block: Block, { said, waits }: BlockEvent): GivenAdvice | null {
  if (said === null) return null;
  const { within, stated } = said;
  return waits
    ? given(block, waitFor(block, within * 20), { targetPrice: BigInt(said.price), probability: stated })
    : given(block, sendWithin(block, within, BigInt(said.price), 1n), { probability: stated });
}

async function startProcess(path: string, errors: unknown[]) {
  const database = await openDatabase(path);
  const keeper = createAdviceJudge(new TrackStore(database), (error) => errors.push(error));
  await keeper.settle();
  const stop = async () => {
    await keeper.end();
    await database.close();
  };
  return { database, blocks: new BlockStore(database), keeper, stop };
}

test('whatever happens in whatever order, what is judged is what a plain look at the chain gives', async () => {
  const folder = await temporaryFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 10, maxLength: 80 }), async (events) => {
      run += 1;
      const path = join(folder, `chain-${run}.db`);
      const errors: unknown[] = [];
      const model = new Model();
      let own = await startProcess(path, errors);
      const other = await startProcess(path, errors);
      for (const each of events) {
        switch (each.type) {
          case 'block': {
            const block = model.next(each.price, each.tip, each.laterSec);
            const advice = sayAfter(block, each);
            await own.blocks.saveBlocks([block], advice);
            model.seen.add(block.number);
            if (advice !== null) model.said.set(block.number, advice);
            await own.keeper.settle();
            break;
          }
          case 'outage':
            for (const priced of each.prices) model.next(priced, 0, 12);
            break;
          case 'fill':
            await own.blocks.saveBlocks(model.chain.filter(({ number }) => number < model.head));
            for (const { number } of model.chain) if (number < model.head) model.seen.add(number);
            break;
          case 'reorg': {
            const ancestor = Math.max(model.chain.length - 1 - each.depth, 0);
            await own.blocks.rewindTo(ancestor);
            model.chain.length = Math.min(model.chain.length, ancestor + 1);
            model.branch += 1;
            for (const number of [...model.seen, ...model.said.keys()]) {
              if (number <= ancestor) continue;
              model.seen.delete(number);
              model.said.delete(number);
            }
            break;
          }
          case 'settle':
            await own.keeper.settle();
            break;
          case 'look back':
            await own.keeper.lookBack();
            break;
          case 'other process settles':
            await other.keeper.settle();
            break;
          case 'restart':
            await own.stop();
            own = await startProcess(path, errors);
        }
      }
      await own.keeper.lookBack();

      const rows = await own.database.queries
        .selectFrom('advice')
        .select(['block_number', 'verdict'])
        .orderBy('block_number')
        .execute();
      const expected = [...model.said.values()].map((advice) => ({
        block_number: advice.block.number,
        verdict: model.verdict(advice)?.verdict ?? null,
      }));
      expect(rows).toEqual(expected.sort((a, b) => a.block_number - b.block_number));

      await own.keeper.settle();
      const counted = [...model.said.values()]
        .map((advice) => ({ advice, ...(model.verdict(advice) ?? { verdict: null, ended: -1 }) }))
        .filter(({ advice, verdict }) => advice.probability !== null && /kept|missed/.test(verdict ?? ''));
      expect(own.keeper.score).toMatchObject({
        evaluated: counted.length,
        kept: counted.filter(({ verdict }) => verdict === 'kept').length,
      });
      expect(errors).toEqual([]);
      await Promise.all([own.stop(), other.stop()]);
    }),
    { numRuns: rounds(80) },
  );
});
