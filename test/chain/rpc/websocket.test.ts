import { createServer as createHttpServer } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock, type TestableClock } from '../../../src/chain/async.ts';
import { RpcNode } from '../../../src/chain/rpc/client.ts';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import {
  headerOf,
  type JsonRpcServer,
  type JsonRpcServerOptions,
  type Reply,
} from '../../helpers/json-rpc-server.ts';
import { listen } from '../../helpers/listen.ts';
import { createScriptedChain } from '../../helpers/scripted-chain.ts';
import { serveWebSockets } from '../../helpers/web-socket-server.ts';
import { eventually, hurried, servedNodes } from './served-nodes.ts';

const { serve, following: follow, followNode } = servedNodes();

const following = (clock = systemClock, options: JsonRpcServerOptions = {}) =>
  followNode(({ wsUrl }) => createRpcSource({ urls: [wsUrl], requestTimeoutMs: 10_000, clock }), options);

const polls = (server: JsonRpcServer) =>
  server.requests.filter(({ method, params }) => method === 'eth_getBlockByNumber' && params[0] === 'latest')
    .length;

describe('a node over WebSocket', () => {
  test('is followed by its newHeads, without polling', async () => {
    const { chain, node: server, followed } = await following();
    for (let i = 0; i < 5; i++) {
      server.announce(chain.mine());
      await followed.until((words) => words.includes(`block ${chain.head().number}`));
    }
    expect(followed.words()).toEqual(Array.from({ length: 6 }, (_, i) => `block ${9 + i}`));
    expect(polls(server)).toBe(1);
  });

  test('repeated and late heads change nothing, missed ones are filled in, a reorg is seen', async () => {
    const { chain, node: server, followed } = await following();
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
    const { chain, node: server, followed } = await following();
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
    const { chain, node: server, followed } = await following(hurried);
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
    const sleep: TestableClock['sleep'] = (ms, signal) => systemClock.sleep(ms / 200, signal);
    const { chain, followed } = await following({ ...systemClock, sleep });
    chain.mine();
    await followed.until((words) => words.includes('block 10'));
  });

  test.each([
    ['from the beginning', 0],
    ['after some', 3],
  ])('one that falls silent %s is polled at the pace of the chain, and says so', async (_, announced) => {
    const { chain, node: server, source, followed } = await following(hurried);
    for (let i = 0; i < announced; i++) {
      server.announce(chain.mine());
      await followed.until((words) => words.includes(`block ${chain.head().number}`));
    }
    for (let i = 0; i < 2; i++) {
      chain.mine();
      await followed.until((words) => words.includes(`block ${chain.head().number}`));
    }
    const said = () => source.health()[0]?.notes;
    expect(said()).toEqual([expect.stringContaining('leaves blocks out: it is polled')]);
    const before = polls(server);
    for (let i = 0; i < 5; i++) {
      chain.mine();
      await followed.until((words) => words.includes(`block ${chain.head().number}`));
    }
    expect(polls(server) - before).toBeGreaterThanOrEqual(5);
    server.announce(chain.mine());
    await followed.until((words) => words.includes(`block ${chain.head().number}`));
    await eventually(() => said()?.length === 0);
  });

  test('a head without a base fee is only a hint: the node does not disagree with another', async () => {
    const chain = createScriptedChain({ length: 10 });
    const [one, two] = [await serve(chain), await serve(chain)];
    const source = createRpcSource({ urls: [one.wsUrl, two.url], clock: hurried });
    const followed = follow(source);
    await followed.until((words) => words.includes('block 9'));
    for (let i = 0; i < 3; i++) {
      const { baseFeePerGas: _, ...partial } = headerOf(chain.mine());
      one.announceAs(partial);
      await followed.until((words) => words.includes(`block ${chain.head().number}`));
    }
    expect(source.health()).toMatchObject([{ state: 'ok', notes: [] }, { state: 'ok' }]);
  });

  test.each([7, '7', '0x9ce59a13059e417087c02d3236a0b1cd'])(
    'is followed where its subscription id is %j',
    async (id) => {
      const { chain, node: server, followed } = await following(systemClock, { subscriptionId: id });
      server.announce(chain.mine());
      await followed.until((words) => words.includes('block 10'));
      expect(polls(server)).toBe(1);
    },
  );

  test('without eth_subscribe it is polled', async () => {
    const missing = { error: { code: -32601, message: 'Method not found' } };
    const answer = (method: string) => (method === 'eth_subscribe' ? missing : undefined);
    const { chain, followed } = await following(hurried, { answer });
    chain.mine();
    await followed.until((words) => words.includes('block 10'));
  });

  test('the socket is closed with the subscription', async () => {
    const { node: server, followed } = await following();
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
  test.each<[string, Reply, RegExp]>([
    ['garbage', { raw: '<html>SECRET' }, /^127\.0\.0\.1:\d+ answers something that is not JSON/],
    ['no answer', { hang: true }, /did not answer within 1 s$/],
    ['an error', { error: { code: -32000, message: '\u001b[31mno' } }, /refuses eth_chainId: no$/],
  ])('for %s', async (_, reply, line) => {
    const server = await serve(createScriptedChain({ length: 10 }), { answer: () => reply });
    const source = createRpcSource({ urls: [`${server.wsUrl}/v3/SECRET`], requestTimeoutMs: 300 });
    const message = expect.stringMatching(line);
    await expect(source.chain()).rejects.toMatchObject({ name: 'ChainError', message });
    source.close();
  });
  test.each<[status: number, headers: Record<string, string>, body: string, code: string, line: RegExp]>([
    [401, {}, 'invalid project id', 'unreachable', /refuses access \(HTTP 401\): check the key/],
    [403, {}, '', 'unreachable', /refuses access \(HTTP 403\): check the key/],
    [429, { 'retry-after': '30' }, 'Too Many Requests', 'rate-limited', /too many requests \(HTTP 429\)/],
    [402, {}, '', 'rate-limited', /no requests left \(HTTP 402\)/],
    [404, {}, 'no', 'bad-response', /HTTP 404: is that the address of a JSON-RPC node/],
    [503, {}, '', 'unreachable', /fails \(HTTP 503\)/],
    [302, { location: 'http://127.0.0.1:1/SECRET' }, '', 'bad-response', /sends elsewhere \(HTTP 302\)/],
    [
      ...([
        403,
        {},
        '{"jsonrpc":"2.0","error":{"code":-32005,"message":"SECRETKEY exceeded its quota"}}',
      ] as const),
      ...(['rate-limited', /has had too many requests: \(key\) exceeded its quota/] as const),
    ],
  ])('for a handshake refused with %i, as over HTTP', async (status, headers, body, code, line) => {
    const http = createHttpServer();
    http.on('upgrade', (_, socket) => {
      const all = { ...headers, 'content-length': String(body.length) };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${status} X\r\n${lines.join('')}\r\n${body}`);
    });
    const { port, stop } = await listen(http);
    onTestFinished(stop);
    const source = createRpcSource({ urls: [`ws://127.0.0.1:${port}/v3/SECRETKEY`] });
    const retryAfterMs = headers['retry-after'] ? 30_000 : null;
    await expect(source.chain()).rejects.toMatchObject({
      ...{ code, retryAfterMs, isUnsent: status !== 404 && status !== 503 },
      message: expect.stringMatching(line),
    });
    source.close();
  });

  test.each<[id: string, reason: string, code: string]>([
    ['null', 'daily request count exceeded, request rate limited', 'rate-limited'],
    ['none', 'too many connections', 'rate-limited'],
    ['null', 'SECRETKEY is not allowed', 'rejected'],
  ])('for an error whose id is %s: %s', async (id, reason, code) => {
    const error = { code: -32000, message: reason };
    const raw = JSON.stringify({ jsonrpc: '2.0', ...(id === 'null' && { id: null }), error });
    const server = await serve(createScriptedChain({ length: 10 }), { answer: () => ({ raw }) });
    const source = createRpcSource({ urls: [`${server.wsUrl}/v3/SECRETKEY`] });
    await expect(source.chain()).rejects.toMatchObject({
      ...{ code, isUnsent: false },
      message: expect.stringContaining(reason.replace('SECRETKEY', '(key)')),
    });
    source.close();
  });

  test.each<[closeCode: number, reason: string, code: string, words: string]>([
    [
      1008,
      'WebSocket connection limit exceeded',
      'rate-limited',
      'broke the connection off: WebSocket connection limit exceeded, code 1008',
    ],
    [1008, 'threshold exceeded', 'rate-limited', 'threshold exceeded, code 1008'],
    [4001, 'SECRETKEY is revoked', 'unreachable', '(key) is revoked, code 4001'],
    [1013, '', 'unreachable', 'broke the connection off: code 1013'],
  ])('for a close with %i "%s"', async (closeCode, reason, code, words) => {
    const http = createHttpServer();
    serveWebSockets(http, (_, peer) => peer.close(closeCode, reason));
    const { port, stop } = await listen(http);
    onTestFinished(stop);
    const source = createRpcSource({ urls: [`ws://127.0.0.1:${port}/v3/SECRETKEY`] });
    await expect(source.chain()).rejects.toMatchObject({
      ...{ code, isUnsent: false },
      message: expect.stringContaining(words),
    });
    source.close();
  });

  test('for an answer of a hundred megabytes, before any of it has come', async () => {
    const http = createHttpServer();
    serveWebSockets(http, (_, peer) => peer.begin(100 * 2 ** 20));
    const { port, stop } = await listen(http);
    onTestFinished(stop);
    const { link } = new RpcNode(new URL(`ws://127.0.0.1:${port}`), 60_000);
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

test('a handshake that hangs is ended by close(), and who waits for it is told', async () => {
  const deaf = await startDeaf();
  const { link } = new RpcNode(new URL(deaf.url), 60_000);
  const asked = link.request('eth_chainId', []);
  asked.catch(() => {});
  await eventually(() => deaf.open() === 1);
  link.close();
  await expect(asked).rejects.toMatchObject({ code: 'unreachable' });
  await eventually(() => deaf.open() === 0);
});

test('an old socket that ends late leaves the newer one alone', async () => {
  const server = await serve(createScriptedChain({ length: 10 }));
  const { link } = new RpcNode(new URL(server.wsUrl), 20_000);
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
  const { link } = new RpcNode(new URL(server.wsUrl), 20_000);
  const unsubscribe = await link.subscribeHeads?.({ onHead: () => {}, onEnd: () => {} });
  unsubscribe?.();
  expect(await link.request('eth_blockNumber', [])).toBe('0x9');
  link.close();
  await eventually(() => server.connections() === 0);
});

async function startDeaf(): Promise<{ readonly url: string; open(): number }> {
  const sockets = new Set<Socket>();
  const deaf = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.resume();
  });
  const { port, stop } = await listen(deaf);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    return stop();
  });
  return { url: `ws://127.0.0.1:${port}`, open: () => sockets.size };
}
