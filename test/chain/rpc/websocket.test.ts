import { afterEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/chain/rpc/clock.ts';
import { systemClock } from '../../../src/chain/rpc/clock.ts';
import { createWsLink } from '../../../src/chain/rpc/ws-link.ts';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import {
  type JsonRpcServer,
  type JsonRpcServerOptions,
  startJsonRpcServer,
} from '../../helpers/json-rpc-server.ts';
import { createScriptedChain, type ScriptedChain } from '../../helpers/scripted-chain.ts';
import { type Followed, follow } from './followed.ts';

const servers: JsonRpcServer[] = [];
const subscriptions: Followed[] = [];
afterEach(async () => {
  await Promise.all(subscriptions.splice(0).map((each) => each.stop()));
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function serve(chain: ScriptedChain, options: JsonRpcServerOptions = {}): Promise<JsonRpcServer> {
  const server = await startJsonRpcServer(chain, options);
  servers.push(server);
  return server;
}

const hurried: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 10, signal) };

function following(server: JsonRpcServer, clock = systemClock): Followed {
  const followed = follow(createRpcSource({ urls: [server.wsUrl], requestTimeoutMs: 1_000, clock }));
  subscriptions.push(followed);
  return followed;
}

async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const polls = (server: JsonRpcServer) =>
  server.requests.filter(({ method, params }) => method === 'eth_getBlockByNumber' && params[0] === 'latest')
    .length;

describe('a node over WebSocket', () => {
  test('is followed by its newHeads, without polling', async () => {
    const chain = createScriptedChain({ length: 10 });
    const server = await serve(chain);
    const followed = following(server);
    await followed.until((words) => words.includes('block 9'));
    for (let i = 0; i < 5; i++) {
      server.announce(chain.mine());
      await followed.until((words) => words.includes(`block ${chain.head().number}`));
    }
    expect(followed.words()).toEqual(Array.from({ length: 6 }, (_, i) => `block ${9 + i}`));
    expect(polls(server)).toBe(1);
  });

  test('repeated and late heads change nothing, missed ones are filled in, a reorg is seen', async () => {
    const chain = createScriptedChain({ length: 10 });
    const server = await serve(chain);
    const followed = following(server);
    await followed.until((words) => words.includes('block 9'));
    const eleven = chain.mine(2);
    server.announce(eleven);
    server.announce(eleven);
    await followed.until((words) => words.includes('block 11'));
    const ten = chain.at(10);
    if (ten) server.announce(ten);
    chain.reorg(1);
    server.announce(chain.head());
    await followed.until((words) => words.filter((word) => word === 'block 11').length === 2);
    expect(followed.words()).toEqual(['block 9', 'block 10', 'block 11', 'reorg 10', 'block 11']);
  });

  test('a broken connection is made again, with a new subscription and what was missed', async () => {
    const chain = createScriptedChain({ length: 10 });
    const server = await serve(chain);
    const followed = following(server);
    await followed.until((words) => words.includes('block 9'));
    server.dropSockets();
    chain.mine(2);
    await followed.until((words) => words.includes('block 11'));
    await eventually(() => server.subscribers() === 1);
    server.announce(chain.mine());
    await followed.until((words) => words.includes('block 12'));
    expect(followed.words()).toEqual(['block 9', 'block 10', 'block 11', 'block 12']);
    const chainIds = server.requests.filter(({ method }) => method === 'eth_chainId').length;
    expect(chainIds).toBe(2);
  });

  test('a node that is gone is down, and up again when it comes back', async () => {
    const chain = createScriptedChain({ length: 10 });
    const server = await serve(chain);
    const followed = following(server, hurried);
    await followed.until((words) => words.includes('block 9'));
    await server.stop();
    await followed.until((words) => words.includes('down'));
    const down = followed.events.find((event) => event.type === 'down');
    expect(down).toMatchObject({ reason: expect.stringContaining(`127.0.0.1:${server.port} `) });
    chain.mine();
    await serve(chain, { port: server.port });
    await followed.until((words) => words.includes('block 10'));
    expect(followed.words().filter((word) => word !== 'down')).toEqual(['block 9', 'up', 'block 10']);
  });

  test('a subscription that has gone silent is noticed', async () => {
    const chain = createScriptedChain({ length: 10 });
    const server = await serve(chain);
    const followed = following(server, {
      ...systemClock,
      sleep: (ms, signal) => systemClock.sleep(ms / 200, signal),
    });
    await followed.until((words) => words.includes('block 9'));
    chain.mine();
    await followed.until((words) => words.includes('block 10'));
  });

  test('without eth_subscribe it is polled', async () => {
    const chain = createScriptedChain({ length: 10 });
    const server = await serve(chain, {
      answer: (method) =>
        method === 'eth_subscribe' ? { error: { code: -32601, message: 'Method not found' } } : undefined,
    });
    const followed = following(server, hurried);
    await followed.until((words) => words.includes('block 9'));
    chain.mine();
    await followed.until((words) => words.includes('block 10'));
  });

  test('the socket is closed with the subscription', async () => {
    const server = await serve(createScriptedChain({ length: 10 }));
    const followed = following(server);
    await followed.until((words) => words.includes('block 9'));
    expect(server.connections()).toBe(1);
    await followed.stop();
    await eventually(() => server.connections() === 0);
  });

  test('the socket of plain questions is closed by close()', async () => {
    const server = await serve(createScriptedChain({ length: 10 }));
    const source = createRpcSource({ urls: [server.wsUrl] });
    expect((await source.head()).number).toBe(9);
    expect(server.connections()).toBe(1);
    source.close();
    await eventually(() => server.connections() === 0);
    expect((await source.head()).number).toBe(9);
    source.close();
  });
});

describe('one clean line over WebSocket too', () => {
  const chain = createScriptedChain({ length: 10 });
  const failing = async (options: JsonRpcServerOptions) => {
    const server = await serve(chain, options);
    const source = createRpcSource({ urls: [`${server.wsUrl}/v3/SECRET`], requestTimeoutMs: 300 });
    const error: unknown = await source.chain().catch((thrown: unknown) => thrown);
    source.close();
    return error;
  };
  const line = (text: RegExp) => ({ name: 'ChainError', message: expect.stringMatching(text) });

  test('for garbage', async () => {
    expect(await failing({ answer: () => ({ raw: '<html>SECRET' }) })).toMatchObject(
      line(/^127\.0\.0\.1:\d+ answers something that is not JSON/),
    );
  });
  test('for no answer', async () => {
    expect(await failing({ answer: () => ({ hang: true }) })).toMatchObject(
      line(/did not answer within 1 s$/),
    );
  });
  test('for an error', async () => {
    const answer = () => ({ error: { code: -32000, message: '\u001b[31mno' } });
    expect(await failing({ answer })).toMatchObject(line(/refuses eth_chainId: \[31mno$/));
  });
  test('for an answer that is too large', async () => {
    const server = await serve(chain, { answer: () => ({ result: `0x${'0'.repeat(5_000)}` }) });
    const link = createWsLink(new URL(server.wsUrl), {
      name: 'node',
      timeoutMs: 2_000,
      maxAnswerBytes: 1_000,
    });
    await expect(link.request('eth_chainId', [])).rejects.toMatchObject({ code: 'bad-answer' });
    link.close();
  });
  test('for a handshake that never ends', async () => {
    const { createServer } = await import('node:net');
    const deaf = createServer();
    await new Promise<void>((resolve) => {
      deaf.listen(0, '127.0.0.1', resolve);
    });
    const address = deaf.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const source = createRpcSource({ urls: [`ws://127.0.0.1:${port}`], requestTimeoutMs: 200 });
    await expect(source.head()).rejects.toMatchObject({ code: 'timeout' });
    source.close();
    deaf.close();
  });
});
