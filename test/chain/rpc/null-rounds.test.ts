import { describe, expect, test } from 'vitest';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import { BaseFeeMetrics } from '../../../src/contract/metrics.ts';
import { type JsonRpcServer, type Reply, startJsonRpcServer } from '../../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../../helpers/scripted-chain.ts';
import { readyService } from '../../helpers/service.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { eventually, hurried, servedNodes } from './served-nodes.ts';

/**
 * Heights without a block, as nodes of Filecoin answer for them (filecoin-project/lotus#10414, #10909): an error, or `null`;
 * `eth_feeHistory` leaves them out, and still gives as many rows as were asked for.
 */
const { following } = servedNodes();

const hex = (value: bigint | number) => `0x${value.toString(16)}`;
const STARTED_AT = Math.floor(Date.now() / 1_000) - 3_000 * 30;
const WITHOUT_BLOCK: Readonly<Record<string, Reply>> = {
  error: { error: { code: 1, message: 'requested epoch was a null round (17)' } },
  null: { result: null },
};

/** @param isNull of a height below the first head */
async function startWithNullRounds(answer: 'error' | 'null', isNull: (number: number) => boolean) {
  const chain = createScriptedChain({ chainId: 314, length: 2_000, startedAt: STARTED_AT, spacingSec: 30 });
  const real = (number: number) => chain.at(number) !== undefined && !isNull(number);
  const head = () => {
    let number = chain.head().number;
    while (!real(number)) number--;
    return number;
  };
  const below = (number: number) => {
    let at = number - 1;
    while (at >= 0 && !real(at)) at--;
    return chain.at(at);
  };
  const server: JsonRpcServer = await startJsonRpcServer(chain, {
    answer: (method, [first, tag, percentiles]) => {
      const at = (value: unknown) => (value === 'latest' ? head() : Number(value));
      if (method === 'eth_blockNumber') return { result: hex(head()) };
      if (method === 'eth_getBlockByNumber') {
        const block = chain.at(at(first));
        if (block === undefined) return { result: null };
        if (!real(block.number)) return WITHOUT_BLOCK[answer];
        return {
          result: {
            ...{
              number: hex(block.number),
              hash: block.hash,
              miner: `0x${'1'.repeat(40)}`,
              transactions: [],
            },
            ...{ parentHash: below(block.number)?.hash, timestamp: hex(block.timestamp) },
            ...{ gasUsed: hex(block.gasUsed), gasLimit: hex(block.gasLimit) },
            baseFeePerGas: hex(block.baseFeePerGas),
          },
        };
      }
      if (method !== 'eth_feeHistory') return undefined;
      const rows: (typeof chain.blocks)[number][] = [];
      for (let number = at(tag); number >= 0 && rows.length < Number(first); number--) {
        const block = chain.at(number);
        if (block && real(number)) rows.unshift(block);
      }
      const count = Array.isArray(percentiles) ? percentiles.length : 0;
      return {
        result: {
          oldestBlock: hex(rows[0]?.number ?? 0),
          baseFeePerGas: [...rows, rows.at(-1)].map((block) => hex(block?.baseFeePerGas ?? 0n)),
          gasUsedRatio: rows.map(() => 0.5),
          reward: rows.map(({ tip }) => Array.from({ length: count }, () => hex(tip))),
        },
      };
    },
  });
  return { chain, server, real, head };
}

describe.each(['error', 'null'] as const)('heights without a block, answered with %s', (answer) => {
  test.each<[string, (number: number) => boolean]>([
    ['each seventeenth', (number) => number % 17 === 5],
    ['two of nine', (number) => number % 9 === 2 || number % 9 === 3],
    ['the one below the head', (number) => number === 1_998],
  ])('%s: the newest blocks have their own fees, each follows the one before', async (_, isNull) => {
    const { chain, server, real, head } = await startWithNullRounds(answer, isNull);
    const source = createRpcSource({ urls: [server.url] });
    const { signal } = new AbortController();
    const newest = (await source.newest?.(500, { known: null, signal }))?.blocks ?? [];
    expect(newest.at(-1)).toMatchObject({ number: head(), hash: chain.at(head())?.hash });
    expect(newest.length).toBeGreaterThan(450);
    const blocks = await source.blocks(head() - 200, head());
    expect(blocks.at(-1)?.number).toBe(head());
    expect(blocks.map(({ number }) => number)).toEqual(
      blocks.map((_, at) => head() - blocks.length + 1 + at),
    );
    for (const block of blocks.slice(-60)) {
      const { number, hash, baseFeePerGas, gasLimit } = block;
      if (!real(number)) expect([number, gasLimit]).toEqual([number, 0n]);
      else
        expect({ hash, baseFeePerGas }).toMatchObject({
          hash: chain.at(number)?.hash,
          baseFeePerGas: chain.at(number)?.baseFeePerGas,
        });
    }
    for (const [at, { parentHash }] of blocks.slice(-59).entries())
      expect(parentHash).toBe(blocks.slice(-60)[at]?.hash);
    expect(source.health()).toMatchObject([{ state: 'ok' }]);
    await server.stop();
  });

  test('are followed, and `block` says that there is none', async () => {
    const { chain, server } = await startWithNullRounds(answer, (number) => number % 5 === 2);
    const source = createRpcSource({ urls: [server.url], clock: hurried });
    const followed = following(source);
    await followed.until((words) => words.includes('block 1999'));
    for (let count = 0; count < 6; count++) chain.mine();
    await followed.until((words) => words.includes('block 2005'));
    expect(followed.words().filter((word) => word === 'down' || word.startsWith('reorg'))).toEqual([]);
    expect(await source.block(2_002)).toBeNull();
    expect((await source.block(2_003))?.number).toBe(2_003);
    await followed.stop();
    await server.stop();
    await eventually(() => server.connections() === 0);
  });

  test.each<[string, (number: number) => boolean]>([
    ['each fifth', (number) => number % 5 === 2],
    ['two of seven', (number) => number % 7 === 2 || number % 7 === 3],
    ['every other one', (number) => number > 2_000 && number % 2 === 1],
  ])('are followed head by head where %s has none, and none is left out', async (_, isNull) => {
    const { chain, server, real } = await startWithNullRounds(answer, isNull);
    const source = createRpcSource({ urls: [server.url], clock: hurried });
    const followed = following(source);
    await followed.until((words) => words.includes('block 1999'));
    for (let number = 2_000; number < 2_024; number++) {
      chain.mine();
      if (real(number)) await followed.until((words) => words.includes(`block ${number}`));
    }
    const words = followed.words();
    expect(words.filter((word) => !word.startsWith('block'))).toEqual([]);
    const last = Math.max(...words.map((word) => Number(word.split(' ')[1])));
    expect(words.slice(words.indexOf('block 1999'))).toEqual(
      Array.from({ length: last - 1_998 }, (_none, index) => `block ${1_999 + index}`),
    );
    await followed.stop();
    await server.stop();
  });

  test('are no blocks of the service', async () => {
    const { server } = await startWithNullRounds(answer, (number) => number % 17 === 5);
    const service = await readyService({
      source: createRpcSource({ urls: [server.url] }),
      historySec: 3_600,
    });
    const height = 1_993;
    expect(height % 17).toBe(4);
    const none = await service.get(`/metrics/block/${height + 1}`);
    expect(none.status).toBe(404);
    expect(await none.text()).toContain(`there is no block ${height + 1}`);
    const one = await service.get(`/metrics/block/${height}`);
    expect(one.status).toBe(200);
    const listed = async () => {
      const { data } = BaseFeeMetrics.parse(await service.read('/metrics/base-fee?bucket=block'));
      return data.map(({ blockNumber }) => blockNumber);
    };
    await waitFor(async () => (await listed()).length > 100);
    expect((await listed()).filter((number) => number > 1_940 && number % 17 === 5)).toEqual([]);
    await server.stop();
  });
});
