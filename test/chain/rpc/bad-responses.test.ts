import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ChainError, type ChainSource } from '../../../src/chain/chain-source.ts';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import type { Reply } from '../../helpers/json-rpc-server.ts';
import { type ReceiverOptions, startReceiver } from '../../helpers/receiver.ts';
import { slowIt } from '../../helpers/rounds.ts';
import { createScriptedChain } from '../../helpers/scripted-chain.ts';
import { servedNodes } from './served-nodes.ts';

const { serve: serveNode } = servedNodes();

type Answer = (method: string, params: readonly unknown[]) => Reply | undefined;

async function serve(reply: Reply | Answer) {
  const answer = typeof reply === 'function' ? reply : () => reply;
  const server = await serveNode(createScriptedChain({ length: 10 }), { answer });
  return {
    server,
    source: createRpcSource({ urls: [`${server.url}/v3/SECRET?k=SECRET`], requestTimeoutMs: 400 }),
  };
}

async function errorOf(promise: Promise<unknown>): Promise<ChainError> {
  const error: unknown = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ChainError)) throw new Error(`not a ChainError: ${String(error)}`);
  expect(error.message).not.toMatch(/SECRET|[\n\r\u001b\u202e]|viem/i);
  expect(error.message.length).toBeLessThan(300);
  expect(error.cause).toBeUndefined();
  return error;
}

const html = { 'content-type': 'text/html; charset=utf-8' };
const header = {
  number: '0x9',
  hash: `0x${'1'.repeat(64)}`,
  parentHash: `0x${'2'.repeat(64)}`,
  timestamp: '0x1',
  gasUsed: '0x0',
  gasLimit: '0x1c9c380',
  baseFeePerGas: '0x7',
};

test.each(['http', 'ws'] as const)('an error over %s that repeats the path hides its key', async (scheme) => {
  const message = 'Cannot POST /v3/0123abcdKEY9 for user';
  const { server } = await serve({ error: { code: -32000, message } });
  const root = scheme === 'ws' ? server.wsUrl : server.url;
  const source = createRpcSource({ urls: [`${root}/v3/0123abcdKEY9`] });
  const error = await errorOf(source.chain());
  expect(error.message).toContain('Cannot POST /v3/(key) for user');
  source.close();
});

describe('one clean line that says what to do', () => {
  const [NO_RPC, INVALID] = [/something that is not JSON-RPC: is that/, /an invalid response to eth_chainId/];
  const cases: readonly (readonly [string, Reply, string, RegExp])[] = [
    ['a web page', { raw: '<html>SECRET</html>', headers: html }, 'bad-response', NO_RPC],
    ['truncated JSON', { raw: '{"jsonrpc":"2.0","id":1,"resu' }, 'bad-response', NO_RPC],
    ['invalid UTF-8', { raw: Buffer.from([0x22, 0xff, 0xfe, 0x22]) }, 'bad-response', NO_RPC],
    ['JSON of another kind', { raw: '[1,2,3]' }, 'bad-response', NO_RPC],
    ['no result', { raw: '{"jsonrpc":"2.0","id":1}' }, 'bad-response', NO_RPC],
    [
      'invalid UTF-8 in a value',
      { raw: Buffer.from('{"result":"\xc3("}', 'latin1') },
      'bad-response',
      INVALID,
    ],
    ['a number that is none', { result: '0xzz' }, 'bad-response', INVALID],
    ['a number without end', { result: `0x${'f'.repeat(64)}` }, 'bad-response', INVALID],
    ['HTTP 401', { raw: 'SECRET', status: 401 }, 'unreachable', /refuses access \(HTTP 401\): check the key/],
    ['HTTP 404', { raw: 'nothing', status: 404 }, 'bad-response', /HTTP 404: is that the address/],
    ['HTTP 429', { raw: 'slow', status: 429 }, 'rate-limited', /too many requests \(HTTP 429\)/],
    [
      'a status that is none',
      { raw: '', status: 999 },
      'unreachable',
      /cannot be reached|fails \(HTTP 999\)/,
    ],
    ...(['gzip', 'GZIP', 'x-gzip'] as const).flatMap(
      (encoding): (readonly [string, Reply, string, RegExp])[] => [
        [
          `what is no gzip, said to be ${encoding}`,
          { raw: 'SECRET', headers: { 'content-encoding': encoding } },
          'unreachable',
          /sends a response that is no valid gzip/,
        ],
        [
          `a cut ${encoding}`,
          {
            raw: gzipSync('{"jsonrpc":"2.0","id":1,"result":"0x1"}').subarray(0, 30),
            headers: { 'content-encoding': encoding },
          },
          'unreachable',
          /sends a gzip response that is cut off/,
        ],
      ],
    ),
    ['a 502 page', { raw: '<html>', status: 502, headers: html }, 'unreachable', /fails \(HTTP 502\)/],
    [
      'a redirect',
      { raw: '', status: 307, headers: { location: 'http://127.0.0.1:1/SECRET' } },
      'bad-response',
      /sends elsewhere \(HTTP 307\)/,
    ],
    [
      'an error with escape sequences and an address',
      { error: { code: -32000, message: '\u001b[2J\nbad key at https://h/SECRET' } },
      'rejected',
      /refuses eth_chainId: bad key at \(address\)/,
    ],
    ['no answer', { hang: true }, 'timeout', /did not answer within 1 s/],
    [
      'a body that never ends',
      {
        write: (response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.write('{"jsonrpc":');
        },
      },
      'timeout',
      /did not answer within 1 s/,
    ],
    [
      'a connection that breaks in the middle',
      {
        write: (response) => {
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
          response.write('{"jsonrpc":', () => response.destroy());
        },
      },
      'unreachable',
      /broke the connection off/,
    ],
  ];
  test.each(cases)('for %s', async (_, reply, code, line) => {
    const { source, server } = await serve(reply);
    const error = await errorOf(source.chain());
    expect(error.code).toBe(code);
    expect(error.message).toMatch(line);
    expect(error.message).toContain(`127.0.0.1:${server.port}`);
  });

  test('for a port where nobody listens', async () => {
    const { server, source } = await serve({ hang: true });
    await server.stop();
    const error = await errorOf(source.head());
    expect(error).toMatchObject({ code: 'unreachable' });
    expect(error.message).toBe(`127.0.0.1:${server.port} refuses the connection: is the node running?`);
  });

  test('for a host name that does not exist', async () => {
    const source = createRpcSource({ urls: ['http://no-such-host.invalid/SECRET'], requestTimeoutMs: 5_000 });
    const error = await errorOf(source.head());
    expect(error.code).toBe('unreachable');
    expect(error.message).toMatch(/^no-such-host\.invalid has no address in DNS/);
  });

  const certificates = ['good', 'self-signed', 'expired', 'other-host'] as const;
  test.each(
    ['https', 'wss'].flatMap((scheme) => [
      ...certificates.map((tls) => [scheme, tls, /has a TLS certificate that is not trusted \([A-Z_]+\)$/]),
      [scheme, undefined, /does not speak TLS: write http:\/\/ or ws:\/\/ in its address$/],
    ]) as [string, ReceiverOptions['tls'], RegExp][],
  )('for TLS that is broken, by %s over %s, before anything is sent', async (scheme, tls, line) => {
    const { port, received } = await startReceiver(undefined, tls && { tls });
    const source = createRpcSource({ urls: [`${scheme}://localhost:${port}`], requestTimeoutMs: 5_000 });
    const error = await errorOf(source.head());
    expect(error).toMatchObject({ code: 'unreachable', isUnsent: true });
    expect(error.message).toMatch(line);
    expect(received).toEqual([]);
  });
});

describe('answers that do not fit', () => {
  test.each([
    ['a header without a hash', 'eth_getBlockByNumber', { ...header, hash: undefined }, /\(hash\)/],
    [
      'a base fee beyond all measure',
      'eth_getBlockByNumber',
      { ...header, baseFeePerGas: `0x${'f'.repeat(60)}` },
      /\(baseFeePerGas\)/,
    ],
  ])('%s', async (_, method, result, line) => {
    const { source } = await serve((asked) => (asked === method ? { result } : undefined));
    const error = await errorOf(source.head());
    expect(error.code).toBe('bad-response');
    expect(error.message).toMatch(line);
  });
});

describe('a limit of calls', () => {
  const page = 'eth_feeHistory';
  const newest = async ({ newest: read }: ChainSource) =>
    read?.(1_024, { known: null, signal: AbortSignal.timeout(5_000) });
  /** Providers' own words: alloy's rate-limit policy, eRPC's error normalizer, drpcorg/nodecore#327, fluencelabs/dev-rewards#20, documents of Infura, BlockVision and QuickNode. */
  const LIMITS: readonly (readonly [who: string, reply: Reply])[] = [
    ['QuickNode', { error: { code: -32012, message: 'credits limited to 6000/sec' } }],
    [
      'QuickNode',
      { error: { code: -32007, message: '50/second request limit reached - reduce calls per second' } },
    ],
    ['Infura', { error: { code: -32005, message: 'daily request count exceeded, request rate limited' } }],
    ['Infura', { error: { code: 402, message: 'Payment Required' } }],
    [
      'Alchemy',
      { error: { code: 429, message: 'Your app has exceeded its compute units per second capacity.' } },
    ],
    ['Base', { error: { code: -32016, message: 'over rate limit' } }],
    ['BlockVision', { error: { code: -32607, message: 'Call Limit' } }],
    [
      'dRPC',
      { error: { code: 15, message: 'You reached Public endpoint rate limit, please upgrade to paid plan' } },
    ],
    ['Tenderly', { error: { code: -32005, message: 'rate limit exceeded' } }],
    ['Chainstack', { raw: '{"error":"429 Client Error: Too Many Requests"}', status: 429 }],
    ['Conduit', { error: { code: -32000, message: 'Monthly capacity limit exceeded. Visit /billing' } }],
    ['Chainnodes', { error: { code: -32000, message: 'maximum number of concurrent requests' } }],
    ['Kong', { raw: '{"message":"API rate limit exceeded"}' }],
    ['a gateway', { raw: '{"code":-32005,"message":"limit exceeded"}' }],
    ['a gateway', { raw: 'Too Many Requests' }],
    ['a gateway', { raw: '{"error":"rate limited, slow down"}', status: 403 }],
    ['Cloudflare', { raw: 'error code: 1015', status: 503 }],
    ['a gateway', { raw: '', status: 402 }],
  ];
  test.each(LIMITS)('in the words of %s (%o) is one, and asks for no smaller page', async (_, reply) => {
    const { source, server } = await serve((method) => (method === page ? reply : undefined));
    const { code, message } = await errorOf(newest(source));
    expect(code).toBe('rate-limited');
    expect(message).toMatch(/has had too many requests|has no requests left/);
    const sizes = server.requests.filter(({ method }) => method === page).map(({ params }) => params[0]);
    expect(new Set(sizes)).toEqual(new Set(['0x400']));
  });

  test.each([
    ['block count must not exceed 100', -32602],
    ['query exceeds max block range 100, upgrade your plan', -32005],
    ['Request timeout on the free tier, please upgrade your tier', 30],
    ['response size exceeded: upgrade to a paid plan', -32008],
  ])('is not "%s" (%i): a smaller page is asked for', async (message, code) => {
    const { source } = await serve((method, params) =>
      method === page && Number(params[0]) > 100 ? { error: { code, message } } : undefined,
    );
    const read = await newest(source);
    expect(read?.blocks.at(-1)?.number).toBe(9);
  });

  test.each([
    ['data', { code: -32005, message: 'limit', data: { rate: { backoff_seconds: 30 } } }, 30_000],
    ['its words', { code: -32005, message: 'rate limited, try again in 250ms' }, 250],
    ['its words', { code: 429, message: 'too many requests, retry after 3s' }, 3_000],
  ])('names its pause in %s', async (_, error, pauseMs) => {
    const { source } = await serve({ error });
    expect((await errorOf(source.chain())).retryAfterMs).toBe(pauseMs);
  });

  test.each([
    ['Alchemy', { error: { code: -32001, message: 'Unable to complete request at this time.' } }],
    ['a node', { error: { code: -32603, message: 'server is under too much load' } }],
    ['a gateway', { error: { code: -32000, message: 'no backend is available' } }],
  ])('is not overload, in the words of %s: that is one failure, not smaller pages', async (_, reply) => {
    const { source, server } = await serve((method) => (method === page ? reply : undefined));
    const error = await errorOf(newest(source));
    expect(error).toMatchObject({ code: 'unreachable', isUnsent: false });
    expect(error.message).toContain('is overloaded');
    expect(server.requests.filter(({ method }) => method === page)).toHaveLength(1);
  });
});

describe('a node that still reads the chain', () => {
  const underWay = { startingBlock: '0x0', currentBlock: '0x4', highestBlock: '0x1406f40' };
  test.each<[what: string, length: number, chainId: number, reply: Reply, message: string]>([
    [
      'at block 0, of which it says how far it is',
      1,
      1,
      { result: underWay },
      'still syncing: at block 0 of 21000000',
    ],
    ['at block 0, of which it says nothing', 1, 1, { result: false }, 'still syncing: at block 0'],
    [
      'at block 0 without eth_syncing',
      1,
      1,
      { error: { code: -32601, message: 'no' } },
      'still syncing: at block 0',
    ],
    ['later on', 5, 1, { result: { ...underWay, stages: [] } }, 'still syncing: at block 4 of 21000000'],
    [
      'later on, with a progress of its own kind',
      5,
      1,
      { result: { msgCount: '0x1' } },
      'still syncing: at block 4',
    ],
    ['not where it is in step and its chain stands still', 5, 1, { result: false }, 'at block 4'],
    ['not a development chain without blocks', 1, 31_337, { result: false }, 'at block 0'],
  ])('is called so %s', async (_, length, chainId, reply, message) => {
    const server = await serveNode(createScriptedChain({ length, chainId }), {
      answer: (method) => (method === 'eth_syncing' ? reply : undefined),
    });
    const source = createRpcSource({ urls: [server.url] });
    for (let times = 0; times < 3; times++) await source.head();
    const isSyncing = message.startsWith('still');
    expect(source.health()).toMatchObject([{ state: isSyncing ? 'lagging' : 'ok', message }]);
    expect(server.requests.filter(({ method }) => method === 'eth_syncing')).toHaveLength(1);
  });

  test('is not asked about it while its head is new', async () => {
    const startedAt = Math.floor(Date.now() / 1_000) - 60;
    const server = await serveNode(createScriptedChain({ length: 5, chainId: 1, startedAt }));
    await createRpcSource({ urls: [server.url] }).head();
    expect(server.requests.filter(({ method }) => method === 'eth_syncing')).toEqual([]);
  });
});

test('an answer of 100 MB is broken off after 32, whether it says its length or not', async () => {
  const sizes: number[] = [];
  const chunk = Buffer.alloc(2 ** 20, 0x20);
  const { server } = await serve({
    write: (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.on('error', () => {});
      const place = sizes.push(0) - 1;
      const more = () => {
        for (let sent = sizes[place] ?? 0; !response.destroyed && sent < 100 * 2 ** 20; ) {
          sent += chunk.length;
          sizes[place] = sent;
          if (!response.write(chunk)) return response.once('drain', more);
        }
        return response.end();
      };
      more();
    },
  });
  const patient = createRpcSource({ urls: [server.url], requestTimeoutMs: 20_000 });
  const error = await errorOf(patient.chain());
  expect(error.code).toBe('bad-response');
  expect(error.message).toContain('answers more than 32 MB');
  expect(Math.max(...sizes)).toBeLessThan(60 * 2 ** 20);

  server.options = {
    answer: () => ({
      write: (response) => {
        response.writeHead(200, {
          'content-type': 'application/json',
          'content-length': String(100 * 2 ** 20),
        });
        response.flushHeaders();
      },
    }),
  };
  expect((await errorOf(patient.chain())).message).toContain('answers more than 32 MB');
});

slowIt('a zipped answer is read, and broken off where it unpacks to more than 32 MB', async () => {
  const zipped = (text: string): Reply => ({
    raw: gzipSync(text),
    headers: { 'content-encoding': 'gzip' },
  });
  const { source, server } = await serve((method) =>
    method === 'eth_chainId' ? zipped('{"jsonrpc":"2.0","id":1,"result":"0x1"}') : undefined,
  );
  expect((await source.chain()).id).toBe(1);
  const large = zipped(' '.repeat(40 * 2 ** 20));
  server.options = { answer: () => large };
  const patient = createRpcSource({ urls: [server.url], requestTimeoutMs: 60_000 });
  expect((await errorOf(patient.chain())).message).toContain('answers more than 32 MB');
});

test('a failed request leaves no connection behind', async () => {
  const { source, server } = await serve({
    write: (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
    },
  });
  await errorOf(source.chain());
  while (server.connections() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
});

test('a node that refuses even to say its chain counts as down, in its own words', async () => {
  const { source } = await serve({ error: { code: -1, message: 'this key is not accepted' } });
  await errorOf(source.chain());
  expect(source.health()).toMatchObject([
    { state: 'down', message: expect.stringContaining('this key is not accepted') },
  ]);
});
