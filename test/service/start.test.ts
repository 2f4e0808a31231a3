import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import { GasRecommendation } from '../../src/contract/advice.ts';
import { BaseFeeMetrics } from '../../src/contract/metrics.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { blockHash, makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { listen } from '../helpers/listen.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { readyService, runService, temporaryFile } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

async function startNode() {
  const chain = createScriptedChain({ length: 320, startedAt: Math.floor(Date.now() / 1_000) - 320 * 12 });
  const node = await startJsonRpcServer(chain);
  onTestFinished(() => node.stop());
  return node;
}

/** Passes requests on to `url` in these rounds: each is answered once all of its methods have arrived, what follows never. */
async function startRounds(url: string, rounds: readonly (readonly string[])[]): Promise<string> {
  const left = rounds.map((methods) => [...methods].sort());
  let arrived: { readonly method: string; readonly body: string; readonly response: ServerResponse }[] = [];
  const proxy = createServer(async (request, response) => {
    const body = await text(request);
    const { method } = JSON.parse(body) as { method: string };
    // The dollar price and the forks are not prices of gas.
    if (method === 'eth_call' || method === 'eth_config') return;
    arrived.push({ method, body, response });
    if (!isDeepStrictEqual(arrived.map((each) => each.method).sort(), left[0])) return;
    const round = arrived;
    arrived = [];
    left.shift();
    for (const each of round) {
      const answer = await fetch(url, { method: 'POST', body: each.body });
      each.response.setHeader('content-type', 'application/json').end(await answer.text());
    }
  });
  const { origin, stop } = await listen(proxy);
  onTestFinished(stop);
  return origin;
}

describe('the first prices of a new database', () => {
  test('take three sequential round trips to a node', async () => {
    const node = await startNode();
    const url = await startRounds(node.url, [
      ['eth_chainId', 'eth_getBlockByNumber'],
      ['eth_getBlockByNumber', 'eth_feeHistory'],
      ['eth_getBlockByNumber'],
    ]);
    const source = createRpcSource({ urls: [url] });
    const service = await runService({ source });
    onTestFinished(() => source.close());
    await service.ready;
    expect(await service.current()).toMatchObject({ blockNumber: 319, stale: false });
    expect(GasRecommendation.parse(await service.read(PATHS.gasRecommendation)).reasons).not.toEqual([]);
  });

  test('are followed by the history of the same blocks, with their hashes and times', async () => {
    const node = await startNode();
    const database = await temporaryFile('history.db');
    const source = createRpcSource({ urls: [node.url] });
    onTestFinished(() => source.close());
    const service = await readyService({ source, database });
    const { lanes } = await service.current();
    await waitFor(async () => {
      const from = new Date((node.chain.at(0)?.timestamp ?? 0) * 1_000).toISOString();
      const response = await service.get(`${PATHS.baseFee}?bucket=block&size=1&from=${from}`);
      return response.ok && BaseFeeMetrics.parse(await response.json()).total === 320;
    });
    expect((await service.current()).lanes).toEqual(lanes);
    await service.stop();
    const stored = await openDatabase(database);
    onTestFinished(() => stored.close());
    const newest = await new BlockStore(stored).newest(64);
    expect(newest.map(({ hash, timestamp }) => [hash, timestamp])).toEqual(
      node.chain.blocks.slice(-64).map(({ hash, timestamp }) => [hash, timestamp]),
    );
    expect(service.errors).toEqual([]);
  });
});

const CHAIN = ['eth_chainId', 'eth_getBlockByNumber'];
const BLOCK = ['eth_getBlockByNumber'];
const FEES = ['eth_feeHistory'];

test.each([
  [0, [CHAIN, BLOCK]],
  [1, [CHAIN, BLOCK, FEES]],
])(
  'a block number %i after that of the last run takes as few round trips to a node as can be',
  async (more, rounds) => {
    const node = await startNode();
    const database = await temporaryFile('history.db');
    const first = createRpcSource({ urls: [node.url] });
    onTestFinished(() => first.close());
    const before = await readyService({ source: first, database });
    await before.filled();
    await before.stop();
    node.chain.mine(more);
    const source = createRpcSource({ urls: [await startRounds(node.url, rounds)] });
    onTestFinished(() => source.close());
    const service = await runService({ source, database });
    await waitFor(async () => {
      const { blockNumber, stale } = await service.current();
      return blockNumber === 319 + more && !stale;
    });
  },
);

test.each([0, 1, 2])(
  'a block number %i after the only stored one is live with the prices that its history has, from the first',
  async (more) => {
    const node = await startNode();
    const database = await temporaryFile('history.db');
    const open = async (options: Partial<Parameters<typeof readyService>[0]>) => {
      const source = createRpcSource({ urls: [node.url] });
      onTestFinished(() => source.close());
      return readyService({ source, database, ...options });
    };
    const once = await open({ role: 'one-shot', glance: 'prices' });
    await waitFor(async () => !(await once.current()).stale);
    await once.stop();
    node.chain.mine(more);
    const service = await open({});
    let first = await service.current();
    for (; first.stale; first = await service.current()) await service.changed();
    await service.filled();
    const { blockNumber, lanes } = await service.current();
    expect([first.blockNumber, blockNumber]).toEqual([319 + more, 319 + more]);
    expect(first.lanes).toEqual(lanes);
    expect(lanes.average.probability).not.toBeNull();
  },
);

function pagedSource(blocks = makeBlocks(400, 499)) {
  const source = new ScriptedSource(blocks);
  return Object.assign(source, {
    newest: async (count: number) => {
      const { number } = await source.head();
      const page = await source.blocks(number - count + 1, number);
      const blocks = page.map((block) =>
        block.number === number ? block : { ...block, hash: null, parentHash: null },
      );
      return { blocks, follows: false };
    },
  });
}

test.each([1, 20])('a reorg of %i blocks at the start leaves nothing of the first page', async (depth) => {
  const source = pagedSource();
  const service = await readyService({ source });
  const first = 500 - depth;
  const replaced = Array.from({ length: depth + 1 }, (_, index) => {
    const number = first + index;
    const parentHash = blockHash(number - 1, number === first ? 0 : 1);
    return makeBlock(number, { hash: blockHash(number, 1), parentHash, baseFeePerGas: 2_500_000_000n });
  });
  source.reorg(first - 1, replaced);
  await waitFor(async () => (await service.current()).blockNumber === 500);
  const fresh = await readyService({
    source: new ScriptedSource([...makeBlocks(400, first - 1), ...replaced]),
  });
  await waitFor(async () =>
    isDeepStrictEqual((await service.current()).lanes, (await fresh.current()).lanes),
  );
});

test('the prices of the last run are stale without a problem until the source has said its newest block', async () => {
  const database = await temporaryFile('history.db');
  const before = await readyService({ source: new ScriptedSource(makeBlocks(400, 499)), database });
  await before.read(`${PATHS.statsChart}?timeFrame=1h`);
  await before.stop();

  const source = new ScriptedSource(makeBlocks(400, 520));
  const asked = Promise.withResolvers<void>();
  const chain = source.chain.bind(source);
  const service = await readyService({
    source: Object.assign(source, { chain: () => asked.promise.then(chain) }),
    database,
  });
  const shown = await service.current();
  expect([shown.blockNumber, shown.stale, shown.source.problem]).toEqual([499, true, null]);
  asked.resolve();
  await waitFor(async () => !(await service.current()).stale);
  expect((await service.current()).blockNumber).toBe(520);
  await service.stop();

  const away = new ScriptedSource(makeBlocks(400, 540));
  away.isReachable = false;
  const again = await runService({ source: away, database });
  await waitFor(async () => (await again.current()).source.problem !== null);
  const told = await again.current();
  expect([told.stale, told.source.problem?.message]).toEqual([true, '127.0.0.1:8545 does not answer']);
});
