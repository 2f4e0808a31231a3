import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BlockReader, createBlockSequencer, type Head } from '../../src/chain/block-sequencer.ts';
import type { ChainEvent, KnownBlock } from '../../src/chain/chain-source.ts';
import type { Block, Hex } from '../../src/core/block.ts';
import { BARE_BLOCK } from '../helpers/chain-blocks.ts';
import { rounds } from '../helpers/rounds.ts';
import { createScriptedChain, type ScriptedBlock, type ScriptedChain } from '../helpers/scripted-chain.ts';
import { wordOf } from './rpc/followed.ts';

const hex = (text: string): Hex => `0x${text.slice(2)}`;
const headOf = (block: ScriptedBlock): Head => ({
  number: block.number,
  hash: hex(block.hash),
  parentHash: hex(block.parentHash),
});
const knownOf = (chain: ScriptedChain): KnownBlock[] => chain.blocks.map(headOf);

function blockOf(block: ScriptedBlock): Block {
  return {
    ...BARE_BLOCK,
    ...headOf(block),
    timestamp: block.timestamp,
    baseFeePerGas: block.baseFeePerGas,
    gasUsed: block.gasUsed,
    gasLimit: block.gasLimit,
    gasUsedRatio: 0,
  };
}

function readerOf(chain: ScriptedChain, past = 0): BlockReader & { asked: number } {
  return {
    node: chain,
    asked: 0,
    async header(number) {
      this.asked++;
      const block = chain.at(number);
      return block ? headOf(block) : null;
    },
    async blocks(from, to) {
      return chain.blocks.slice(Math.max(from, past), to + 1).map(blockOf);
    },
  };
}

async function words(events: AsyncIterable<ChainEvent>): Promise<string[]> {
  const result: string[] = [];
  for await (const event of events) result.push(wordOf(event));
  return result;
}

describe('heads become blocks in order', () => {
  test('a gap of 1,024 blocks is filled, one more is jumped over to the newest 300', async () => {
    const chain = createScriptedChain({ length: 10 });
    const narrow = createBlockSequencer(knownOf(chain));
    const wide = createBlockSequencer(knownOf(chain));
    chain.mine(1_024);
    expect(await words(narrow.accept(headOf(chain.head()), readerOf(chain)))).toHaveLength(1_024);
    chain.mine();
    const result = await words(wide.accept(headOf(chain.head()), readerOf(chain)));
    expect(result.slice(0, 2)).toEqual(['gap 10-734', 'block 735']);
    expect(result).toHaveLength(301);
    expect(result.at(-1)).toBe('block 1034');
  });

  test('what lies before the past of a node is named as a gap, once', async () => {
    const chain = createScriptedChain({ length: 10 });
    const sequencer = createBlockSequencer(knownOf(chain));
    chain.mine(10);
    expect(await words(sequencer.accept(headOf(chain.head()), readerOf(chain, 17)))).toEqual([
      'gap 10-16',
      'block 17',
      'block 18',
      'block 19',
    ]);
    expect(await words(sequencer.accept(headOf(chain.mine()), readerOf(chain, 17)))).toEqual(['block 20']);
  });
});

describe('reorgs', () => {
  for (const depth of [1, 3, 64]) {
    test(`of ${depth}: back to the common ancestor, then the new branch`, async () => {
      const chain = createScriptedChain({ length: 100 });
      const sequencer = createBlockSequencer(knownOf(chain));
      chain.reorg(depth);
      const reader = readerOf(chain);
      const result = await words(sequencer.accept(headOf(chain.head()), reader));
      const first = 100 - depth;
      expect(result[0]).toBe(`reorg ${first - 1}`);
      expect(result.slice(1)).toEqual(Array.from({ length: depth }, (_, i) => `block ${first + i}`));
      expect(reader.asked).toBeLessThanOrEqual(14);
    });
  }

  test('blocks known without their hash are too deep to have changed', async () => {
    const chain = createScriptedChain({ length: 100 });
    const known = knownOf(chain).map((block) => ({ ...block, hash: block.number < 50 ? null : block.hash }));
    const sequencer = createBlockSequencer(known);
    chain.reorg(60);
    const result = await words(sequencer.accept(headOf(chain.head()), readerOf(chain)));
    expect(result[0]).toBe('reorg 49');
  });

  test('another chain altogether is begun with its newest 300 blocks', async () => {
    const sequencer = createBlockSequencer(knownOf(createScriptedChain({ length: 500 })).slice(-200));
    const other = createScriptedChain({ length: 1_000, startedAt: 5 });
    const result = await words(sequencer.accept(headOf(other.head()), readerOf(other)));
    expect(result[0]).toBe('reorg 299');
    expect(result.at(-1)).toBe('block 999');
  });
});

describe('a head that goes backwards', () => {
  test('is not believed from a node that was never ahead', async () => {
    const chain = createScriptedChain({ length: 100 });
    const lagging = chain.fork();
    const sequencer = createBlockSequencer(knownOf(chain));
    await words(sequencer.accept(headOf(chain.mine()), readerOf(chain)));
    for (let i = 0; i < 10; i++) {
      expect(await words(sequencer.accept(headOf(lagging.head()), readerOf(lagging)))).toEqual([]);
    }
  });

  test('is believed when the node that had been ahead insists', async () => {
    const chain = createScriptedChain({ length: 100 });
    const sequencer = createBlockSequencer(knownOf(chain));
    chain.mine(3);
    await words(sequencer.accept(headOf(chain.head()), readerOf(chain)));
    chain.rollBack(3);
    const result: string[] = [];
    for (let i = 0; i < 5; i++)
      result.push(...(await words(sequencer.accept(headOf(chain.head()), readerOf(chain)))));
    expect(result).toEqual(['reorg 99']);
    expect(await words(sequencer.accept(headOf(chain.mine()), readerOf(chain)))).toEqual(['block 100']);
  });
});

test('a node that contradicts itself yields nothing wrong, and the next head settles it', async () => {
  const chain = createScriptedChain({ length: 10 });
  const sequencer = createBlockSequencer(knownOf(chain));
  const stale = chain.fork();
  chain.reorg(2);
  chain.mine();
  const torn: BlockReader = { ...readerOf(chain), blocks: readerOf(stale).blocks };
  expect(await words(sequencer.accept(headOf(chain.head()), torn))).toEqual([
    'reorg 7',
    'block 8',
    'block 9',
  ]);
  expect((await words(sequencer.accept(headOf(chain.head()), readerOf(chain)))).at(-1)).toBe('block 10');
});

test('whatever heads come, what is handed on is always one unbroken chain', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('mine' as const), count: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ do: fc.constant('reorg' as const), count: fc.integer({ min: 1, max: 8 }) }),
    fc.record({ do: fc.constant('late' as const), count: fc.integer({ min: 0, max: 9 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const chain = createScriptedChain({ length: 20 });
      const sequencer = createBlockSequencer(knownOf(chain));
      const held = chain.blocks.map(blockOf);
      for (const each of steps) {
        if (each.do === 'mine') chain.mine(each.count);
        if (each.do === 'reorg') chain.reorg(each.count);
        const head = each.do === 'late' ? chain.at(chain.head().number - each.count) : chain.head();
        if (!head) continue;
        for await (const event of sequencer.accept(headOf(head), readerOf(chain))) {
          if (event.type === 'reorg') held.splice(event.commonAncestor + 1);
          if (event.type !== 'block') continue;
          expect(event.block.number).toBe(held.length);
          expect(event.block.parentHash).toBe(held.at(-1)?.hash);
          held.push(event.block);
        }
      }
      for await (const event of sequencer.accept(headOf(chain.head()), readerOf(chain))) {
        if (event.type === 'reorg') held.splice(event.commonAncestor + 1);
        if (event.type === 'block') held.push(event.block);
      }
      expect(held.map((block) => block.hash)).toEqual(chain.blocks.map((block) => block.hash));
    }),
    { numRuns: rounds(100) },
  );
});
