import { createServer as createHttpServer } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/chain/async.ts';
import { createRpcNode } from '../../../src/chain/rpc/client.ts';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import { headerOf, type JsonRpcServer, type JsonRpcServerOptions } from '../../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../../helpers/scripted-chain.ts';
import { serveWebSockets } from '../../helpers/web-socket-server.ts';
import type { Followed } from './followed.ts';
import { eventually, hurried, servedNodes } from './served-nodes.ts';

const { serve, following: follow } = servedNodes();

function following(server: JsonRpcServer, clock = systemClock): Followed {
  return follow(createRpcSource({ urls: [server.wsUrl], requestTimeoutMs: 10_000, clock }));
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

  test('is followed on after a block that is too large to be read whole', async () => {
    const chain = createScriptedChain({ length: 10 });
    const server = await serve(chain, {
      answer: (method, params) =>
        method === 'eth_getBlockByNumber' && params[1] === true
          ? { result: { ...headerOf(chain.head()), extraData: '0'.repeat(33 * 2 ** 20) } }
          : undefined,
    });
    const source = createRpcSource({ urls: [server.wsUrl] });
    const followed = follow(source);
    await followed.until((words) => words.includes('block 9'));
    const { number, hash } = await source.head();
    if (hash === null) throw new Error('the head has no hash');
    await expect(source.transactionsOf({ number, hash })).rejects.toMatchObject({
      code: 'rejected',
      message: expect.stringContaining('block 9 is too large to be read whole'),
    });
    chain.mine();
    await followed.until((words) => words.includes('block 10'));
    expect(followed.words()).toEqual(['block 9', 'block 10']);
    await eventually(() => server.connections() === 1);
    expect(source.health()[0]?.state).toBe('ok');
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
    expect(await failing({ answer })).toMatchObject(line(/refuses eth_chainId: no$/));
  });
  test('for an answer of a hundred megabytes, before any of it has come', async () => {
    const http = createHttpServer();
    serveWebSockets(http, (_, peer) => peer.begin(100 * 2 ** 20));
    await new Promise<void>((resolve) => {
      http.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => {
      http.closeAllConnections();
      http.close();
    });
    const address = http.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { link } = createRpcNode(new URL(`ws://127.0.0.1:${port}`), 60_000);
    await expect(link.request('eth_chainId', [])).rejects.toMatchObject({
      message: `127.0.0.1:${port} answers more than 32 MB: try another node`,
    });
    link.close();
  });
  test('for a handshake that never ends', async () => {
    const deaf = await startDeaf();
    const source = createRpcSource({ urls: [deaf.url], requestTimeoutMs: 200 });
    await expect(source.head()).rejects.toMatchObject({ code: 'timeout' });
    await eventually(() => deaf.open() === 0);
  });
});

describe('a handshake that hangs', () => {
  const linkTo = (url: string, timeoutMs = 60_000) => createRpcNode(new URL(url), timeoutMs).link;

  test('is ended by close(), and who waits for it is told', async () => {
    const deaf = await startDeaf();
    const link = linkTo(deaf.url);
    const asked = link.request('eth_chainId', []);
    asked.catch(() => {});
    await eventually(() => deaf.open() === 1);
    link.close();
    await expect(asked).rejects.toMatchObject({ code: 'unreachable' });
    await eventually(() => deaf.open() === 0);
  });
});

test('an old socket that ends late leaves the newer one alone', async () => {
  const server = await serve(createScriptedChain({ length: 10 }));
  const { link } = createRpcNode(new URL(server.wsUrl), 20_000);
  for (let turn = 0; turn < 5; turn++) {
    expect(await link.request('eth_chainId', [])).toBeDefined();
    link.close();
    // Both begin while the one before is still closing.
    await Promise.all([link.request('eth_chainId', []), link.request('eth_blockNumber', [])]);
    await eventually(() => server.connections() === 1);
    await link.request('eth_chainId', []);
    expect(server.connections()).toBe(1);
  }
  link.close();
  await eventually(() => server.connections() === 0);
});

test('a question right after the last subscription has ended gets a socket of its own', async () => {
  const server = await serve(createScriptedChain({ length: 10 }));
  const { link } = createRpcNode(new URL(server.wsUrl), 20_000);
  const unsubscribe = await link.subscribeHeads?.({ onHead: () => {}, onEnd: () => {} });
  unsubscribe?.();
  expect(await link.request('eth_blockNumber', [])).toBe('0x9');
  link.close();
  await eventually(() => server.connections() === 0);
});

/** Takes connections and never says a word. */
async function startDeaf(): Promise<{ readonly url: string; open(): number }> {
  const sockets = new Set<Socket>();
  const deaf = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve) => {
    deaf.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    deaf.close();
  });
  const address = deaf.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `ws://127.0.0.1:${port}`, open: () => sockets.size };
}
