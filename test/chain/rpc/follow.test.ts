import { describe, expect, test } from 'vitest';
import { systemClock, type TestableClock } from '../../../src/chain/async.ts';
import type { ChainEvent } from '../../../src/chain/chain-source.ts';
import { createRpcSource, type RpcSource, type RpcSourceOptions } from '../../../src/chain/rpc-source.ts';
import { headerOf, type JsonRpcServer, type JsonRpcServerOptions } from '../../helpers/json-rpc-server.ts';
import { createScriptedChain, type ScriptedChain } from '../../helpers/scripted-chain.ts';
import { manualClock } from '../manual-clock.ts';
import { eventually, hurried, servedNodes } from './served-nodes.ts';

const { serve, following, followNode } = servedNodes();

function sourceOf(
  nodes: readonly Pick<JsonRpcServer, 'url'>[],
  options: Partial<RpcSourceOptions> = {},
): RpcSource {
  return createRpcSource({
    urls: nodes.map((node) => node.url),
    requestTimeoutMs: 10_000,
    clock: hurried,
    ...options,
  });
}

const oneNode = (options: Partial<RpcSourceOptions> = {}, nodeOptions: JsonRpcServerOptions = {}) =>
  followNode((node) => sourceOf([node], options), nodeOptions);

const chainOf = (events: readonly ChainEvent[]) =>
  events.flatMap((event) => (event.type === 'block' ? [event.block.hash] : []));

describe('one node', () => {
  test('its head comes first, then each block once and in order, with its fees', async () => {
    const { chain, followed } = await oneNode();
    chain.mine(1);
    await followed.until((words) => words.includes('block 10'));
    chain.mine(3, { gasUsedRatio: 0.75, tip: 77n });
    await followed.until((words) => words.includes('block 13'));
    expect(followed.words()).toEqual(['block 9', 'block 10', 'block 11', 'block 12', 'block 13']);
    const last = followed.events.at(-1);
    expect(last?.type === 'block' && last.block).toMatchObject({
      hash: chain.head().hash,
      timestamp: chain.head().timestamp,
      gasUsedRatio: 0.75,
      tips: [77n, 77n, 77n, 77n, 77n, 77n, 77n],
      nextBaseFee: chain.nextBaseFee(),
      blobBaseFee: chain.head().blobBaseFee,
      nextBlobBaseFee: chain.head().blobBaseFee + 1n,
    });
  });

  test('a restart repeats nothing, misses nothing and sees a reorg of what it knew', async () => {
    const chain = createScriptedChain({ length: 30 });
    const node = await serve(chain);
    const first = following(sourceOf([node]));
    await first.until((words) => words.includes('block 29'));
    await first.stop();
    const known = chain.blocks.map(({ number, hash }) => ({ number, hash: `0x${hash.slice(2)}` as const }));
    chain.reorg(2);
    chain.mine(5);
    const second = following(sourceOf([node]), known);
    await second.until((words) => words.includes('block 34'));
    expect(second.words()).toEqual(['reorg 27', ...Array.from({ length: 7 }, (_, i) => `block ${28 + i}`)]);
  });

  test('a failure is said once with reason and time of the next try, and is over by itself', async () => {
    const { chain, node, source, followed } = await oneNode();
    await node.stop();
    await followed.until((words) => words.includes('down'));
    const down = followed.events.find((event) => event.type === 'down');
    expect(down).toMatchObject({
      reason: expect.stringMatching(
        /^127\.0\.0\.1:\d+ (?:refuses the connection: is|broke the connection off)/,
      ),
    });
    expect(down?.type === 'down' && Math.abs(down.retryAt - Date.now())).toBeLessThan(31_000);
    expect(source.health()[0]).toMatchObject({ state: 'down', head: 9 });
    chain.mine(2);
    await serve(chain, { port: node.port });
    await followed.until((words) => words.includes('block 11'));
    expect(followed.words().filter((word) => word !== 'down')).toEqual([
      'block 9',
      'up',
      'block 10',
      'block 11',
    ]);
    expect(source.health()[0]).toMatchObject({ state: 'ok', head: 11 });
  });

  test.each([
    ['at most three seconds', { raw: '<html>' }, [1, 1, 2, 3, 3, 3, 3, 3]],
    [
      'at most three seconds where a proxy says "an hour" for it',
      { raw: '', status: 503, headers: { 'retry-after': '3600' } },
      [1, 1, 2, 3, 3, 3, 3, 3],
    ],
    [
      'at most half a minute where it has had too many requests',
      { error: { code: 429, message: 'too many requests' } },
      [1, 1, 2, 4, 8, 16, 30, 30],
    ],
  ] as const)('tries of a node that is not well are ever further apart, %s', async (_, reply, apart) => {
    const node = await serve(createScriptedChain(), { answer: () => reply });
    const pauses: number[] = [];
    let now = 1_000_000;
    const clock: TestableClock = {
      now: () => now,
      elapsed: () => now,
      sleep: async (ms) => {
        pauses.push(ms);
        now += ms;
      },
    };
    const followed = following(sourceOf([node], { clock }));
    await followed.until((words) => words.length === 9);
    expect(pauses.slice(0, 8)).toEqual(apart.map((sec) => sec * 1_000));
  });

  test('a node that served another chain is asked again, and followed, within five seconds', async () => {
    const clock = manualClock();
    const { chain, node, source, followed } = await oneNode({ clock });
    node.chain = createScriptedChain({ length: 5, chainId: 5 });
    await eventually(() => source.health()[0]?.state === 'wrong-chain');
    chain.mine();
    node.chain = chain;
    const mendedAt = clock.elapsed();
    let askedAt = Number.POSITIVE_INFINITY;
    node.options = {
      answer: () => {
        askedAt = Math.min(askedAt, clock.elapsed());
        return undefined;
      },
    };
    await followed.until((words) => words.includes('block 10'));
    expect(askedAt - mendedAt).toBeLessThanOrEqual(5_000);
  });

  test('a wall clock that is set back an hour holds nothing up', async () => {
    let setBack = 0;
    const pauses: number[] = [];
    const clock: TestableClock = {
      now: () => systemClock.now() - setBack,
      elapsed: systemClock.elapsed,
      sleep: (ms, signal) => {
        pauses.push(ms);
        return systemClock.sleep(Math.min(ms, 100), signal);
      },
    };
    const { chain, node, followed } = await oneNode({ clock });
    const mineOne = async () => {
      chain.mine();
      await followed.until((words) => words.includes(`block ${chain.head().number}`));
    };
    for (let i = 0; i < 3; i++) await mineOne();
    setBack = 3_600_000;
    const asked = node.requests.length;
    await eventually(() => node.requests.length > asked + 1);
    await mineOne();
    await node.stop();
    await followed.until((words) => words.includes('down'));
    chain.mine();
    await serve(chain, { port: node.port });
    await followed.until((words) => words.includes(`block ${chain.head().number}`));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(30_000);
  });

  test.each([
    ['garbage in place of a head', { raw: '<html>' }, /not JSON-RPC/],
    ['a request that hangs', { hang: true as const }, /did not answer within/],
  ])('%s counts as down, not as an end', async (_, reply, reason) => {
    const node = await serve(createScriptedChain({ length: 10 }), {
      answer: (method) => (method === 'eth_getBlockByNumber' ? reply : undefined),
    });
    const followed = following(sourceOf([node], { requestTimeoutMs: 200 }));
    await followed.until((words) => words.includes('down'));
    expect(followed.events[0]).toMatchObject({ reason: expect.stringMatching(reason) });
    node.options = {};
    await followed.until((words) => words.includes('block 9'));
    expect(followed.words().filter((word) => word !== 'down')).toEqual(['up', 'block 9']);
  });

  test('a block that has no fee row yet is asked for again', async () => {
    let early = 0;
    const row = { oldestBlock: '0x9', baseFeePerGas: ['0x1'], gasUsedRatio: [], reward: [] };
    const answer = (method: string) =>
      method === 'eth_feeHistory' && early++ < 2 ? { result: row } : undefined;
    const { followed } = await oneNode({}, { answer });
    const [event] = followed.events;
    expect(event?.type === 'block' && event.block.tips).not.toBeNull();
  });

  test.each([
    ['milliseconds, even on a development chain', 31_337, 1_767_225_600_000],
    ['a month and a day ahead of us', 1, Math.floor(Date.now() / 1_000) + 31 * 86_400],
  ])('a head whose time is %s is a bad answer, not a block', async (_, chainId, timestamp) => {
    const chain = createScriptedChain({ length: 10, chainId });
    const made = chain.head();
    const node = await serve(chain, {
      answer: (method) =>
        method === 'eth_getBlockByNumber' ? { result: headerOf({ ...made, timestamp }) } : undefined,
    });
    const source = sourceOf([node]);
    await expect(source.head()).rejects.toMatchObject({ code: 'bad-response' });
    const followed = following(source);
    await followed.until((words) => words.includes('down'));
    expect(followed.words()).not.toContain('block 9');
  });

  test('after the abort nothing is asked any more, of the node that is followed or of the others', async () => {
    const chain = createScriptedChain({ length: 10 });
    const nodes = [await serve(chain), await serve(chain)] as const;
    const waits: (() => void)[] = [];
    const clock: TestableClock = {
      ...systemClock,
      sleep: (_, signal) =>
        new Promise((resolve) => {
          waits.push(resolve);
          signal?.addEventListener('abort', () => resolve(), { once: true });
        }),
    };
    const source = sourceOf(nodes, { clock });
    const followed = following(source);
    await followed.until((words) => words.includes('block 9'));
    await eventually(() => waits.length === 3);
    await followed.stop();
    const asked = nodes.map((node) => node.requests.length);
    for (const wake of waits) wake();
    await Promise.all(
      nodes.map((node) => fetch(node.url, { method: 'POST', body: '{"method":"eth_chainId"}' })),
    );
    expect(nodes.map((node) => node.requests.length)).toEqual(asked.map((count) => count + 1));
  });
});

describe('chain id', () => {
  test('a node of another chain than expected is not followed, and the reason names both', async () => {
    const node = await serve(createScriptedChain({ chainId: 5 }));
    const source = sourceOf([node], { expectedChainId: 1 });
    const followed = following(source);
    await followed.until((words) => words.includes('down'));
    expect(followed.events[0]).toMatchObject({
      reason: `127.0.0.1:${node.port} is on chain 5, not on Ethereum (chain 1): give a node of the right chain`,
    });
    expect(source.health()[0]?.state).toBe('wrong-chain');
    await expect(source.head()).rejects.toMatchObject({ code: 'wrong-chain' });
  });

  test('a node that lies among others is left out', async () => {
    const chain = createScriptedChain({ length: 10 });
    const good = await serve(chain);
    const wrong = await serve(createScriptedChain({ chainId: 5, length: 50 }));
    const source = sourceOf([good, wrong, good]);
    const followed = following(source);
    await eventually(() => source.health()[1]?.state === 'wrong-chain' && source.health()[2]?.head === 9);
    await followed.until((words) => words.includes('block 9'));
    expect(source.name).toBe('2 of 3 nodes, 1 on another chain');
    expect(followed.words()).toEqual(['block 9']);
  });

  test('it is asked again after a reconnect: a node that comes back as another chain is not followed', async () => {
    const { node, source, followed } = await oneNode();
    await node.stop();
    await followed.until((words) => words.includes('down'));
    await serve(createScriptedChain({ chainId: 5, length: 20 }), { port: node.port });
    await eventually(() => source.health()[0]?.state === 'wrong-chain');
    expect(followed.words().filter((word) => word !== 'down')).toEqual(['block 9']);
  });
});

describe('genesis', () => {
  const impostor = (length: number) =>
    createScriptedChain({ chainId: 31_337, length, startedAt: 1_600_000_000 });

  test('a node that turns into a development chain with the same id is refused like one of a wrong chain', async () => {
    const node = await serve(createScriptedChain({ chainId: 1, length: 10 }));
    const source = sourceOf([node]);
    const followed = following(source);
    await followed.until((words) => words.includes('block 9'));
    node.chain = Object.assign(impostor(5), { chainId: 1 });
    await eventually(() => source.health()[0]?.state === 'wrong-chain');
    expect(source.health()[0]?.message).toContain(
      'is on development chain with id 1, not on Ethereum (chain 1)',
    );
    source.acceptRestart?.();
    await expect(source.head()).rejects.toMatchObject({ code: 'wrong-chain' });
    expect(followed.words()).not.toContain('block 4');
  });

  test('a chain whose genesis nobody knows began anew when all of its nodes say so', async () => {
    const [first, second] = [await serve(impostor(10)), await serve(impostor(1))];
    second.chain = first.chain;
    const source = sourceOf([first, second]);
    await source.confirmChain?.();
    const { genesisHash } = await source.chain();
    const again = impostor(6);
    first.chain = again;
    await expect(source.confirmChain?.()).rejects.toMatchObject({ code: 'wrong-chain' });
    expect((await source.head()).number).toBe(9);
    second.chain = again;
    await expect(source.confirmChain?.()).rejects.toMatchObject({ code: 'restarted' });
    await expect(source.head()).rejects.toMatchObject({ code: 'restarted' });
    source.acceptRestart?.();
    expect((await source.chain()).genesisHash).toBe(again.at(0)?.hash);
    expect(again.at(0)?.hash).not.toBe(genesisHash);
    expect((await source.head()).number).toBe(5);
  });
});

function otherFees(chain: ScriptedChain, count: number): ScriptedChain {
  const fork = chain.fork();
  fork.mine(count, { gasUsedRatio: 1 });
  chain.mine(count);
  return fork;
}

describe('several nodes', () => {
  test('the next one takes over on failure without a gap, and the first is returned to when it is well', async () => {
    const chain = createScriptedChain({ length: 10 });
    const first = await serve(chain);
    const second = await serve(chain);
    const source = sourceOf([first, second]);
    const followed = following(source);
    await followed.until((words) => words.includes('block 9'));
    await first.stop();
    chain.mine(2);
    await followed.until((words) => words.includes('block 11'));
    expect(source.health().map(({ state }) => state)).toEqual(['down', 'ok']);
    expect(source.name).toBe('1 of 2 nodes answers');
    const back = await serve(chain, { port: first.port });
    await eventually(() => source.health()[0]?.state === 'ok');
    const followsFirst = () => back.requests.filter(({ method }) => method === 'eth_feeHistory').length > 0;
    while (!followsFirst()) {
      chain.mine();
      await followed.until((words) => words.includes(`block ${chain.head().number}`));
    }
    expect(followed.words()).toEqual(
      Array.from({ length: chain.head().number - 8 }, (_, i) => `block ${9 + i}`),
    );
    expect(source.name).toBe('2 nodes agree');
  });

  test('plain questions fall over too, and a refusal is tried elsewhere before it is believed', async () => {
    const chain = createScriptedChain({ length: 10 });
    // A port that no test is given: that of a stopped server may belong to another one by now.
    const dead = { url: 'http://127.0.0.1:9' };
    const behind = await serve(chain, {
      answer: (method) =>
        method === 'eth_call' ? { error: { code: -32000, message: 'header not found' } } : undefined,
    });
    const good = await serve(chain, {
      answer: (method) => (method === 'eth_call' ? { result: '0xabcd' } : undefined),
    });
    const source = sourceOf([dead, behind, good]);
    expect(await source.call({ to: `0x${'1'.repeat(40)}`, data: '0x' })).toBe('0xabcd');
    expect(source.health().map(({ state }) => state)).toEqual(['down', 'ok', 'ok']);
    expect((await source.head()).number).toBe(9);
  });

  test('when all have failed the reason names each', async () => {
    const nodes = [await serve(createScriptedChain()), await serve(createScriptedChain())];
    const source = sourceOf(nodes);
    await Promise.all(nodes.map((node) => node.stop()));
    const followed = following(source);
    await followed.until((words) => words.includes('down'));
    const down = followed.events.at(-1);
    for (const node of nodes) {
      expect(down).toMatchObject({
        reason: expect.stringContaining(`127.0.0.1:${node.port} refuses the connection`),
      });
    }
    expect(source.name).toBe('none of 2 nodes answers');
    await expect(source.head()).rejects.toMatchObject({ code: 'unreachable' });
  });

  test('one whose base fee differs at the same height is reported', async () => {
    const chain = createScriptedChain({ length: 2 });
    const nodes = [await serve(chain), await serve(chain), await serve(otherFees(chain, 8))];
    const source = sourceOf(nodes);
    following(source);
    await eventually(() => source.health()[2]?.state === 'disagrees');
    expect(source.health()[2]?.message).toMatch(/^base fee of block 9 is \d+ wei here, \d+ wei elsewhere$/);
    await eventually(() => source.name === '2 of 3 nodes agree');
  });

  test('when the first stands alone with its base fee, the majority is followed', async () => {
    const chain = createScriptedChain({ length: 2 });
    const liar = await serve(otherFees(chain, 8));
    const source = sourceOf([liar, await serve(chain), await serve(chain)]);
    const followed = following(source);
    await eventually(() => source.health()[0]?.state === 'disagrees');
    // On a busy machine blocks that come too fast would never be caught up with.
    for (let pauseMs = 50; chainOf(followed.events).at(-1) !== chain.head().hash; pauseMs *= 1.5) {
      chain.mine();
      liar.chain.mine();
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  });

  test('one that lags is reported, and catches up', async () => {
    const chain = createScriptedChain({ length: 50 });
    const late = chain.fork();
    late.rollBack(20);
    const nodes = [await serve(chain), await serve(late)];
    const source = sourceOf(nodes);
    following(source);
    await eventually(() => source.health()[1]?.state === 'lagging');
    expect(source.health()[1]?.message).toBe('20 blocks behind');
    expect(source.name).toBe('1 of 2 nodes is up to date');
    const [, second] = nodes;
    if (second) second.chain = chain;
    await eventually(() => source.name === '2 nodes agree');
  });

  test('a first node that is stuck is left for one that goes on', async () => {
    const chain = createScriptedChain({ length: 10 });
    const stuck = await serve(chain.fork());
    const source = sourceOf([stuck, await serve(chain)]);
    const followed = following(source);
    await followed.until((words) => words.includes('block 9'));
    chain.mine(20);
    await followed.until((words) => words.includes('block 29'));
    expect(followed.words()).toEqual(Array.from({ length: 21 }, (_, i) => `block ${9 + i}`));
  });
});
