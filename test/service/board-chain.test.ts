import { afterAll, describe, expect, it } from 'vitest';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { createBoardChain } from '../../src/service/board-chain.ts';
import { startForkingNode } from '../helpers/forking-node.ts';
import { type JsonRpcServer, startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';

const servers: JsonRpcServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.stop();
});

const SPACING_SEC = 12;

async function openBoardChain(length: number) {
  // Its head is new: of an old one the node is asked whether it is syncing.
  const startedAt = Math.floor(Date.now() / 1_000) - length * SPACING_SEC;
  const chain = createScriptedChain({ length, spacingSec: SPACING_SEC, startedAt });
  const server = await startJsonRpcServer(chain);
  servers.push(server);
  const source = createRpcSource({ urls: [server.url], recheckMs: 60_000 });
  const readChain = createBoardChain(source, {
    now: () => chain.head().timestamp * 1_000,
    patienceSec: 3_600,
  });
  const { signal } = new AbortController();
  return {
    chain,
    server,
    read: async () => (await readChain(signal)).current.snapshot,
    requests: () => server.requests.splice(0).map(({ method }) => method),
    whole: async () => {
      const { feeRule } = await source.chain();
      const engine = new FeeEngine({ feeRule });
      const head = chain.head().number;
      const blocks = await source.blocks(Math.max(head - 4_095, 0), head);
      for (const block of blocks) engine.push(block);
      return engine.advice();
    },
  };
}

describe('a chain that is watched beside others', () => {
  it('says what an engine over whole blocks says, and follows with two requests, one while nothing is new', async () => {
    const { chain, read, requests, whole } = await openBoardChain(300);
    await read();
    requests();
    await read();
    expect(requests().filter((method) => method !== 'eth_getTransactionByBlockNumberAndIndex')).toEqual([
      'eth_getBlockByNumber',
    ]);
    chain.mine(1, { gasUsedRatio: 0.9, tip: 3_000_000_000n });
    chain.mine(2, { gasUsedRatio: 0.2 });
    const followed = await read();
    expect(requests()).toEqual(['eth_getBlockByNumber', 'eth_feeHistory']);
    const advice = await whole();
    expect(followed).toMatchObject({
      blockNumber: chain.head().number,
      lowPrice: Number(advice?.lanes.slow.price),
      averagePrice: Number(advice?.lanes.average.price),
      highPrice: Number(advice?.lanes.fast.price),
      nextBasePrice: Number(advice?.nextBaseFee),
    });
  });

  it('reads the newest blocks anew after a reorg', async () => {
    const { chain, read, whole } = await openBoardChain(200);
    await read();
    chain.mine(3, { gasUsedRatio: 0.9 });
    await read();
    chain.rollBack(3);
    chain.mine(5, { gasUsedRatio: 0.1 });
    const { blockNumber, averagePrice } = await read();
    const advice = await whole();
    expect({ blockNumber, averagePrice }).toEqual({
      blockNumber: chain.head().number,
      averagePrice: Number(advice?.lanes.average.price),
    });
  });

  it('asks a node that has had too many requests once, and says how long it wants to be left alone', async () => {
    const { server, read, requests } = await openBoardChain(100);
    await read();
    requests();
    const reply = { raw: '{}', status: 429, headers: { 'retry-after': '42' } };
    server.options = { answer: () => reply };
    await expect(read()).rejects.toMatchObject({ code: 'rate-limited', retryAfterMs: 42_000 });
    expect(requests()).toHaveLength(1);
  });

  it('counts its usual work by the rules of its newest header, before and after Amsterdam', async () => {
    const { url, mine, stop, chain } = await startForkingNode({ forkAt: 61, length: 61 });
    const source = createRpcSource({ urls: [url], recheckMs: 60_000 });
    const readChain = createBoardChain(source, {
      now: () => chain.head().timestamp * 1_000,
      patienceSec: 3_600,
    });
    const gasOf = async (name: string) => {
      const { actions } = await readChain(new AbortController().signal);
      const { gas, newHolder = null } = actions.find((action) => action.name === name) ?? expect.fail(name);
      return [gas, newHolder?.gas ?? null];
    };
    try {
      expect(await gasOf('Swap')).toEqual([101_095, 118_183]);
      expect(await gasOf('ETH transfer')).toEqual([21_000, null]);
      mine();
      expect(await gasOf('Swap')).toEqual([139_695, 237_603]);
      expect(await gasOf('ETH transfer')).toEqual([21_000, 204_600]);
      expect(await gasOf('ERC-20 transfer')).toEqual([42_867, 140_787]);
    } finally {
      source.close();
      await stop();
    }
  });
});
