import { describe, expect, test } from 'vitest';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import { headerOf, type JsonRpcServerOptions } from '../../helpers/json-rpc-server.ts';
import { createScriptedChain, type ScriptedChain } from '../../helpers/scripted-chain.ts';
import { servedNodes } from './served-nodes.ts';

const { serve: serveNode } = servedNodes();

async function serve(chain: ScriptedChain, options: JsonRpcServerOptions = {}) {
  const server = await serveNode(chain, options);
  const counts = () =>
    server.requests.flatMap(({ method, params }) => (method === 'eth_feeHistory' ? [Number(params[0])] : []));
  return { server, counts, source: createRpcSource({ urls: [server.url], requestTimeoutMs: 10_000 }) };
}

describe('history', () => {
  const chain = createScriptedChain({ length: 3_000, baseFee: 20_000_000_000n });
  for (let i = 0; i < 40; i++) chain.mine(10, { gasUsedRatio: (i % 10) / 9, tip: BigInt(i) });

  test('is every block once, ascending, as the chain has it', async () => {
    const { source, counts } = await serve(chain);
    const blocks = await source.blocks(100, 3_500);
    expect(blocks.map((block) => block.number)).toEqual(Array.from({ length: 3_300 }, (_, i) => 100 + i));
    for (const block of blocks.filter((_, at) => at % 16 === 0 || at > 3_280)) {
      const real = chain.at(block.number);
      const next = chain.at(block.number + 1);
      expect(block).toMatchObject({
        timestamp: real?.timestamp,
        baseFeePerGas: real?.baseFeePerGas,
        gasUsedRatio: Number(real?.gasUsed) / Number(real?.gasLimit),
        blobBaseFee: real?.blobBaseFee,
        nextBaseFee: next?.baseFeePerGas ?? chain.nextBaseFee(),
        tips: Array.from({ length: 7 }, () => real?.tip),
      });
    }
    expect(Math.max(...counts())).toBeLessThanOrEqual(1_024);
  });

  test('has real headers for the newest 64 blocks and none where no reorg reaches', async () => {
    const { source } = await serve(chain);
    const blocks = await source.blocks(2_000, 3_399);
    for (const block of blocks.slice(-64)) {
      const real = chain.at(block.number);
      expect(block).toMatchObject({
        hash: real?.hash,
        parentHash: real?.parentHash,
        gasUsed: real?.gasUsed,
        gasLimit: real?.gasLimit,
      });
    }
    expect(blocks.slice(0, -64).filter((block) => block.hash !== null).length).toBeLessThan(5);
  });

  test('ends at the head and begins at block 0, whatever is asked for', async () => {
    const short = createScriptedChain({ length: 5 });
    const { source } = await serve(short);
    expect((await source.blocks(-10, 99)).map((block) => block.number)).toEqual([0, 1, 2, 3, 4]);
    expect(await source.blocks(7, 99)).toEqual([]);
    expect(await source.blocks(3, 2)).toEqual([]);
  });

  test('comes in smaller pages where the node allows less, and the limit is remembered', async () => {
    const { source, counts } = await serve(chain, { feeHistoryLimit: 300 });
    expect(await source.blocks(1_000, 2_999)).toHaveLength(2_000);
    expect(counts().slice(0, 3)).toEqual([1_024, 512, 256]);
    expect(Math.max(...counts().slice(2))).toBe(256);
    const before = counts().length;
    expect(await source.blocks(1_000, 1_999)).toHaveLength(1_000);
    expect(Math.max(...counts().slice(before))).toBe(256);
  });

  test('is complete where the node silently answers shorter pages', async () => {
    const { source } = await serve(chain, { feeHistoryLimit: 100, feeHistoryOverLimit: 'shorter' });
    expect(await source.blocks(1_000, 1_999)).toHaveLength(1_000);
  });

  test('is shorter where the past of the node begins later, which limits no page above that', async () => {
    const { source, counts } = await serve(chain, {
      answer: (method, params) => {
        const oldest = Number(params[1]) - Number(params[0]) + 1;
        const pruned = method === 'eth_feeHistory' && params[1] !== 'latest' && oldest < 2_500;
        return pruned ? { error: { code: -32000, message: 'historical state is pruned' } } : undefined;
      },
    });
    const blocks = await source.blocks(1_000, 3_000);
    expect([blocks[0]?.number, blocks.at(-1)?.number]).toEqual([2_500, 3_000]);
    const before = counts().length;
    expect(await source.blocks(2_600, 3_000)).toHaveLength(401);
    expect(counts().slice(before)).toEqual([256, 146]);
  });

  test('has no tips from a node that gives none', async () => {
    const { source } = await serve(chain, { rewards: false });
    const blocks = await source.blocks(3_300, 3_399);
    expect(new Set(blocks.map((block) => block.tips))).toEqual(new Set([null]));
    expect(blocks.at(-1)?.nextBaseFee).toBe(chain.nextBaseFee());
  });

  test('has no blob fee from a node that gives none, or says 0 as before Cancun', async () => {
    const none = await serve(chain, { blobs: false });
    expect(await none.source.head()).toMatchObject({ blobBaseFee: null, nextBlobBaseFee: null });
    const zero = createScriptedChain({ length: 3 });
    for (const block of zero.blocks) Object.assign(block, { blobBaseFee: 0n });
    const before = await serve(zero);
    const [first] = await before.source.blocks(0, 0);
    expect(first).toMatchObject({ blobBaseFee: null, nextBlobBaseFee: null });
  });

  test('needs eth_feeHistory: a node without it is named, with the way out', async () => {
    const { source, server } = await serve(chain, {
      answer: (method) =>
        method === 'eth_feeHistory' ? { error: { code: -32601, message: 'Method not found' } } : undefined,
    });
    await expect(source.head()).rejects.toMatchObject({
      code: 'unsupported',
      message: `127.0.0.1:${server.port} does not answer eth_feeHistory: use another node (Method not found)`,
    });
  });

  test('is asked for again after "too many requests"', async () => {
    let refused = 0;
    const { source } = await serve(chain, {
      answer: (method) =>
        method === 'eth_feeHistory' && refused++ < 1
          ? { raw: 'slow down', status: 429, headers: { 'content-type': 'text/plain' } }
          : undefined,
    });
    expect(await source.blocks(3_390, 3_399)).toHaveLength(10);
  });

  test('does not mix branches: a fee page of another branch is read again', async () => {
    const other = chain.fork();
    other.reorg(30);
    let calls = 0;
    const { source, server } = await serve(other, {
      answer: (method) => {
        if (method === 'eth_feeHistory') server.chain = calls++ === 0 ? other : chain;
        if (method === 'eth_getBlockByNumber') server.chain = chain;
        return undefined;
      },
    });
    const blocks = await source.blocks(3_380, 3_399);
    expect(blocks.map((block) => block.tips?.[0])).toEqual(
      blocks.map((block) => chain.at(block.number)?.tip),
    );
    expect(calls).toBe(2);
  });

  test('stops when the caller gives up', async () => {
    const { source } = await serve(chain, {
      answer: (method) => (method === 'eth_feeHistory' ? { hang: true } : undefined),
    });
    const controller = new AbortController();
    const blocks = source.blocks(0, 3_000, { signal: controller.signal });
    controller.abort();
    await expect(blocks).rejects.toThrow();
  });
});

test('where a block comes between head and fees, the newest blocks are those before it, and the node stays well', async () => {
  const chain = createScriptedChain({ length: 100 });
  const before = chain.fork();
  chain.mine(1);
  const { source, server } = await serve(chain, {
    answer: (method) => {
      server.chain = method === 'eth_feeHistory' ? before : chain;
      return undefined;
    },
  });
  const { signal } = new AbortController();
  const { blocks = [] } = (await source.newest?.(64, { known: null, signal })) ?? {};
  expect(blocks.map(({ number, baseFeePerGas }) => [number, baseFeePerGas])).toEqual(
    chain.blocks.slice(36, 100).map(({ number, baseFeePerGas }) => [number, baseFeePerGas]),
  );
  expect(blocks.at(-1)?.hash).toBe(chain.at(99)?.hash);
  expect(source.health()).toMatchObject([{ state: 'ok' }]);
});

describe('the times of blocks', () => {
  /** A chain whose block 0 has a time of its own, and which made no block for a while above `haltAt`. */
  async function servedTimes(
    chain: ScriptedChain,
    genesisTime: number | null,
    halt: { readonly at: number; readonly sec: number } | null = null,
  ) {
    const timeOf = (number: number) => {
      if (number === 0 && genesisTime !== null) return genesisTime;
      const made = chain.at(number)?.timestamp ?? Number.NaN;
      return halt === null || number > halt.at ? made : made - halt.sec;
    };
    const { source, server } = await serve(chain, {
      answer: (method, [tag]) => {
        const block = chain.at(tag === 'latest' ? chain.head().number : Number(tag));
        if (method !== 'eth_getBlockByNumber' || !block) return undefined;
        return { result: { ...headerOf(block), timestamp: `0x${timeOf(block.number).toString(16)}` } };
      },
    });
    const read = {
      newest: async () => {
        const { signal } = new AbortController();
        return (await source.newest?.(1_024, { known: null, signal }))?.blocks ?? [];
      },
      blocks: () => source.blocks(0, chain.head().number),
    };
    return { read, timeOf, server };
  }

  const startedAt = 1_700_000_000;
  test.each([
    ['zero', 140, 12, 0],
    ['zero', 3, 5, 0],
    ['zero', 1_500, 2, 0],
    ['an hour and a half early', 140, 12, startedAt - 5_400],
    ['after the first block', 90, 1, startedAt + 86_400],
  ])(
    'are right where that of block 0 is %s, of a chain of %i blocks each %i s',
    async (_, length, spacingSec, genesisTime) => {
      const chain = createScriptedChain({ length, spacingSec, startedAt });
      const { read, timeOf } = await servedTimes(chain, genesisTime);
      for (const each of ['newest', 'blocks'] as const) {
        const blocks = await read[each]();
        expect(blocks.map(({ number, timestamp }) => [number, timestamp])).toEqual(
          chain.blocks.slice(-blocks.length).map(({ number }) => [number, timeOf(number)]),
        );
        expect(blocks).toHaveLength(Math.min(length - 1, each === 'newest' ? 1_024 : length));
      }
    },
  );

  test.each([
    [700, 3_000_000],
    [1_990, 604_800],
    [1_200, 90_000],
  ])('are right on both sides of a halt above block %i of %i s', async (at, sec) => {
    const chain = createScriptedChain({ length: 2_000, spacingSec: 2, startedAt });
    const { read, timeOf, server } = await servedTimes(chain, null, { at, sec });
    for (const each of ['newest', 'blocks'] as const) {
      for (const { number, timestamp } of await read[each]())
        expect([number, timestamp]).toEqual([number, timeOf(number)]);
    }
    expect(server.requests.length).toBeLessThan(150);
  });

  test('leave block 0 alone where its time is like the others', async () => {
    const chain = createScriptedChain({ length: 5 });
    const { read } = await servedTimes(chain, null);
    expect((await read.blocks()).map(({ number }) => number)).toEqual([0, 1, 2, 3, 4]);
    expect((await read.newest()).map(({ number }) => number)).toEqual([0, 1, 2, 3, 4]);
  });
});
