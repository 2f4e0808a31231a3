import { afterEach, describe, expect, test } from 'vitest';
import { ChainError } from '../../../src/chain/chain-source.ts';
import { createRpcSource, type RpcSource } from '../../../src/chain/rpc-source.ts';
import type { Hex } from '../../../src/core/block.ts';
import { type JsonRpcServer, type Reply, startJsonRpcServer } from '../../helpers/json-rpc-server.ts';
import { createScriptedChain, type ScriptedChain } from '../../helpers/scripted-chain.ts';
import { manualClock } from '../manual-clock.ts';

const hex = (value: bigint | number): Hex => `0x${value.toString(16)}`;
const servers: JsonRpcServer[] = [];
const sources: RpcSource[] = [];
afterEach(async () => {
  for (const source of sources.splice(0)) source.close();
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

const PER_BLOCK = 20;
const FROM = '0x00000000000000000000000000000000000000aa';
const MINER = '0x00000000000000000000000000000000000000fe';
const transactionHash = (number: number, index: number): Hex =>
  `0x${hex(number).slice(2).padStart(32, '0')}${hex(index).slice(2).padStart(32, '0')}`;

type Answer = (method: string, params: readonly unknown[]) => Reply | undefined;
type Fields = Readonly<Record<string, unknown>>;
const NO_METHOD: Reply = { error: { code: -32601, message: 'the method does not exist/is not available' } };

/** What a node of `chain` says of whole blocks: each of 20 transactions, all of the same kind. */
function answers(chain: ScriptedChain, transaction: Fields = {}, receipt: Fields = {}): Answer {
  const transactionsOf = (number: number) =>
    Array.from({ length: PER_BLOCK }, (_, index) => ({
      hash: transactionHash(number, index),
      type: '0x0',
      from: FROM,
      to: MINER,
      value: '0x1',
      nonce: hex(index),
      gas: '0x5208',
      gasPrice: '0x77359400',
      input: '0x',
      ...transaction,
      blockNumber: hex(number),
      blockHash: chain.at(number)?.hash,
    }));
  const receiptsOf = (number: number) =>
    Array.from({ length: PER_BLOCK }, (_, index) => ({
      transactionHash: transactionHash(number, index),
      transactionIndex: hex(index),
      status: '0x1',
      gasUsed: '0x5208',
      effectiveGasPrice: '0x77359400',
      ...receipt,
      blockNumber: hex(number),
      blockHash: chain.at(number)?.hash,
    }));
  return (method, params) => {
    const number = Number(params[0]);
    const block = chain.at(number);
    if (method === 'eth_getBlockByNumber' && params[0] !== 'latest') {
      const all = transactionsOf(number);
      const transactions = params[1] ? all : all.map(({ hash }) => hash);
      const { baseFeePerGas = 0n, timestamp = 0, gasUsed = 0n, gasLimit = 0n } = block ?? {};
      const header = { hash: block?.hash, parentHash: block?.parentHash, number: hex(number), miner: MINER };
      const fees = { baseFeePerGas: hex(baseFeePerGas), gasUsed: hex(gasUsed), gasLimit: hex(gasLimit) };
      return { result: block ? { ...header, ...fees, timestamp: hex(timestamp), transactions } : null };
    }
    if (method === 'eth_getBlockReceipts') return { result: block ? receiptsOf(number) : null };
    if (method === 'eth_getTransactionReceipt') {
      const at = Number(String(params[0]).slice(0, 34));
      const of = receiptsOf(at).find(({ transactionHash: each }) => each === params[0]);
      return { result: chain.at(at) ? of : null };
    }
    return undefined;
  };
}

async function serve(chain: ScriptedChain, answer: Answer): Promise<JsonRpcServer> {
  const server = await startJsonRpcServer(chain, { answer });
  servers.push(server);
  return server;
}

function sourceOver(...nodes: readonly JsonRpcServer[]): RpcSource {
  const source = createRpcSource({
    urls: nodes.map(({ url }) => url),
    clock: manualClock(1_800_000_000_000),
  });
  sources.push(source);
  return source;
}

const asked = (server: JsonRpcServer, method: string): number =>
  server.requests.filter((request) => request.method === method).length;

async function blockOf(source: RpcSource, number: number) {
  const block = await source.block(number);
  if (!block) throw new Error(`the node has no block ${number}`);
  return block;
}

async function errorOf(promise: Promise<unknown>): Promise<ChainError> {
  const error: unknown = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ChainError)) throw new Error(`not a ChainError: ${String(error)}`);
  return error;
}

describe('a node', () => {
  test('without eth_getBlockReceipts is named, with the way out', async () => {
    const chain = createScriptedChain({ length: 10 });
    const usual = answers(chain);
    const old = await serve(chain, (method, params) =>
      method === 'eth_getBlockReceipts' ? NO_METHOD : usual(method, params),
    );
    const source = sourceOver(old);
    const error = await errorOf(source.transactionsOf(await blockOf(source, 5)));
    expect(error).toMatchObject({
      code: 'unsupported',
      message: `127.0.0.1:${old.port} does not answer eth_getBlockReceipts: use another node (the method does not exist/is not available)`,
    });
    expect(source.health()[0]?.state).toBe('ok');
  });

  test('that has had too many requests is waited for', async () => {
    const chain = createScriptedChain({ length: 10 });
    const usual = answers(chain);
    let refusals = 3;
    const node = await serve(chain, (method, params) =>
      method === 'eth_getBlockReceipts' && refusals-- > 0
        ? { error: { code: -32005, message: 'rate limit reached' } }
        : usual(method, params),
    );
    const source = sourceOver(node);
    const before = source.now();
    expect(await source.transactionsOf(await blockOf(source, 5))).toHaveLength(PER_BLOCK);
    expect(source.now() - before).toBe(7_000);
  });
});

describe('a block that leaves the chain while it is read', () => {
  test('between its transactions and its receipts is null, never a mix', async () => {
    const chain = createScriptedChain({ length: 10 });
    const usual = answers(chain);
    const node = await serve(chain, (method, params) => {
      if (method === 'eth_getBlockReceipts') chain.reorg(2);
      return usual(method, params);
    });
    const source = sourceOver(node);
    const block = await blockOf(source, 9);
    expect(await source.transactionsOf(block)).toBeNull();
    expect(chain.at(9)?.hash).not.toBe(block.hash);
  });

  test('after it was read is null from then on', async () => {
    const chain = createScriptedChain({ length: 10 });
    const source = sourceOver(await serve(chain, answers(chain)));
    const block = await blockOf(source, 9);
    expect(await source.transactionsOf(block)).toHaveLength(PER_BLOCK);
    chain.reorg(2);
    expect(await source.transactionsOf(block)).toBeNull();
  });
});

describe('several nodes', () => {
  test('a machine that is a moment behind the one before it is asked once more', async () => {
    const chain = createScriptedChain({ length: 10 });
    const usual = answers(chain);
    let behind = 1;
    const node = await serve(chain, (method, params) => {
      if (method.endsWith('Receipts') && behind-- > 0) return { result: null };
      return usual(method, params);
    });
    const source = sourceOver(node);
    expect(await source.transactionsOf(await blockOf(source, 9))).toHaveLength(PER_BLOCK);
  });

  test.each<[string, (...args: [...Parameters<Answer>, usual: Answer]) => Reply | undefined]>([
    ['knows nothing of the block', (method) => (method.startsWith('eth_get') ? { result: null } : undefined)],
    [
      'says so with an error',
      (method) =>
        method.startsWith('eth_get') ? { error: { code: -32001, message: 'Block 9 not found' } } : undefined,
    ],
    [
      'has no receipts',
      (method) => (method.includes('Receipt') ? { result: method.endsWith('s') ? [] : null } : undefined),
    ],
    [
      'gives receipts of another branch',
      (method, params) =>
        method.includes('Receipt') ? answers(createScriptedChain({ length: 10 }))(method, params) : undefined,
    ],
    [
      'gives transactions of another block',
      (method, params, usual) => {
        const reply = usual(method, params);
        if (params[1] !== true || !reply || !('result' in reply)) return undefined;
        const { transactions, ...header } = reply.result as { transactions: Fields[] };
        const strays = transactions.map((each) => ({ ...each, blockHash: transactionHash(9, 9) }));
        return { result: { ...header, transactions: strays } };
      },
    ],
    ['fails', (method) => (method === 'eth_chainId' ? undefined : { raw: 'no', status: 500 })],
  ])('the next is asked where one %s', async (_, first) => {
    const chain = createScriptedChain({ length: 10 });
    const usual = answers(chain);
    const nodes = [
      await serve(chain, (method, params) => first(method, params, usual) ?? usual(method, params)),
      await serve(chain, usual),
    ];
    const source = sourceOver(...nodes);
    const block = await blockOf(source, 9);
    expect(block.hash).toBe(chain.at(9)?.hash);
    const included = await source.transactionsOf(block);
    expect(included?.map(({ receipt }) => receipt.blockHash)).toEqual(Array(PER_BLOCK).fill(block.hash));
  });

  test('what none of them has is null', async () => {
    const chain = createScriptedChain({ length: 10 });
    const source = sourceOver(await serve(chain, answers(chain)), await serve(chain, answers(chain)));
    expect(await source.block(10)).toBeNull();
    expect(await source.transactionsOf({ number: 10, hash: transactionHash(1, 1) })).toBeNull();
    expect(await source.receipt(transactionHash(99, 1))).toBeNull();
    expect(asked(servers[1] as JsonRpcServer, 'eth_getTransactionReceipt')).toBe(1);
  });

  test('one that hangs does not hold up the word of another that it knows nothing', async () => {
    const chain = createScriptedChain({ length: 10 });
    const usual = answers(chain);
    const ignorant = await serve(chain, (method, params) =>
      method === 'eth_getTransactionByHash' ? { result: null } : usual(method, params),
    );
    const hanging = await serve(chain, (method, params) =>
      method === 'eth_getTransactionByHash' ? { hang: true } : usual(method, params),
    );
    const urls = [ignorant.url, hanging.url];
    const source = createRpcSource({ urls, requestTimeoutMs: 600_000 });
    expect(await source.transaction(transactionHash(99, 1))).toBeNull();
    expect(asked(hanging, 'eth_getTransactionByHash')).toBe(1);
  });

  test('a single node is asked once for what it does not know', async () => {
    const chain = createScriptedChain({ length: 10 });
    const usual = answers(chain);
    const node = await serve(chain, (method, params) =>
      method === 'eth_getTransactionByHash' ? { result: null } : usual(method, params),
    );
    const source = sourceOver(node);
    expect(await source.transaction(transactionHash(99, 1))).toBeNull();
    expect(await source.block(10)).toBeNull();
    expect(node.requests.map(({ method }) => method)).toEqual([
      'eth_chainId',
      'eth_getBlockByNumber',
      'eth_getTransactionByHash',
      'eth_getBlockByNumber',
    ]);
  });

  test.each([
    [4444, 'Pruned history unavailable', 'pruned'],
    [-32000, 'old data not available due to pruning', 'pruned'],
    [-32603, 'database is busy', 'rejected'],
  ])('error %d, “%s”, is told as %s', async (code, message, told) => {
    const chain = createScriptedChain({ length: 10 });
    const node = await serve(chain, (method) =>
      method === 'eth_getBlockByNumber' ? { error: { code, message } } : undefined,
    );
    const source = sourceOver(node);
    const error = await errorOf(source.block(5));
    expect(error).toMatchObject({
      code: told,
      message: `127.0.0.1:${node.port} refuses eth_getBlockByNumber: ${message}`,
    });
    expect(source.health()[0]?.state).toBe('ok');
  });

  test('a block is only told as pruned where no node that is well says otherwise', async () => {
    const chain = createScriptedChain({ length: 10 });
    const refusing = (code: number, message: string) =>
      serve(chain, (method) =>
        method === 'eth_getBlockByNumber' ? { error: { code, message } } : undefined,
      );
    const pruned = await refusing(4444, 'Pruned history unavailable');
    const busy = await refusing(-32603, 'database is busy');
    for (const nodes of [
      [pruned, busy],
      [busy, pruned],
    ]) {
      expect((await errorOf(sourceOver(...nodes).block(5))).code).toBe('rejected');
    }
    expect((await errorOf(sourceOver(pruned, pruned).block(5))).code).toBe('pruned');
  });

  test('receipts that a node no longer keeps are an error that names it, and the node stays well', async () => {
    const chain = createScriptedChain({ length: 10 });
    const usual = answers(chain);
    const node = await serve(chain, (method, params) =>
      method.includes('Receipt') ? { result: null } : usual(method, params),
    );
    const source = sourceOver(node);
    const error = await errorOf(source.transactionsOf(await blockOf(source, 9)));
    expect(error.code).toBe('rejected');
    expect(error.message).toBe(
      `127.0.0.1:${node.port} has no receipts for block 9: use a node that keeps them`,
    );
    expect(source.health()[0]?.state).toBe('ok');
  });
});

const FEE_MARKET = { type: '0x2', maxFeePerGas: '0x3', maxPriorityFeePerGas: '0x1' };

describe('what is unlike mainnet is read all the same', () => {
  test.each<[string, Fields, Fields, object, object]>([
    [
      'an OP-stack deposit',
      { type: '0x7e', gasPrice: '0x0', mint: '0x0', isSystemTx: false },
      { type: '0x7e', effectiveGasPrice: '0x0', depositNonce: '0x3', l1Fee: '0x0' },
      { type: 0x7e, gasPrice: 0n },
      { effectiveGasPrice: 0n, dataFee: 0n },
    ],
    [
      'an OP-stack transfer that pays for its data',
      FEE_MARKET,
      { l1Fee: '0x2540be400' },
      { type: 2, gasPrice: null },
      { dataFee: 10_000_000_000n },
    ],
    [
      'an OP Mainnet transaction as a provider prints it (2026), whose data footprint is no blob gas',
      FEE_MARKET,
      {
        ...{ gasUsed: '0xbdbfe', effectiveGasPrice: '0x15f', blobGasUsed: '0x9c40', blobGasPrice: '0x1' },
        ...{ l1Fee: '0xae8f1995', daFootprintGasScalar: '0x190' },
      },
      { type: 2 },
      { blobFee: 0n, dataFee: 2_928_613_781n, l1Part: 2_928_613_781n },
    ],
    [
      'an operator fee of Isthmus, of a recorded receipt',
      FEE_MARKET,
      { gasUsed: '0x12448', l1Fee: '0x2353d65', operatorFeeScalar: '0x12c', operatorFeeConstant: '0x190' },
      { type: 2 },
      { dataFee: 37_043_557n + 22n + 400n },
    ],
    [
      'an operator fee of Jovian, by the specification',
      FEE_MARKET,
      {
        ...{ gasUsed: '0x5208', l1Fee: '0x64', operatorFeeScalar: '0x3', operatorFeeConstant: '0x7' },
        ...{ daFootprintGasScalar: '0x190' },
      },
      { type: 2 },
      { dataFee: 100n + 21_000n * 300n + 7n },
    ],
    [
      'an Arbitrum transaction, whose L1 part is in its gas (recorded)',
      { type: '0x0' },
      { gasUsed: '0x3ad89', effectiveGasPrice: '0x989680', gasUsedForL1: '0x2c906' },
      { type: 0 },
      { dataFee: 0n, l1Part: 182_534n * 10_000_000n },
    ],
    [
      'an Arbitrum deposit',
      { type: '0x64', gas: '0x0', gasPrice: '0x0', requestId: '0x1' },
      { effectiveGasPrice: '0x0', gasUsed: '0x0', gasUsedForL1: '0x0' },
      { type: 0x64, gasLimit: 0n },
      { gasUsed: 0n },
    ],
    [
      'a transaction of a kind nobody knows yet',
      { type: '0xff', value: undefined },
      {},
      { type: 255, value: 0n },
      {},
    ],
    [
      'a receipt from before Byzantium, with a root instead of a status',
      {},
      { status: undefined, root: '0x' },
      {},
      { status: 'success' },
    ],
  ])('%s', async (_, transaction, receipt, readTransaction, readReceipt) => {
    const chain = createScriptedChain({ length: 1 });
    const source = sourceOver(await serve(chain, answers(chain, transaction, receipt)));
    const included = await source.transactionsOf(await blockOf(source, 0));
    expect(included).toHaveLength(PER_BLOCK);
    expect(included?.[0]).toMatchObject({ transaction: readTransaction, receipt: readReceipt });
  });

  test('a transaction without gas may have no receipt (Polygon’s state syncs); any other must', async () => {
    const chain = createScriptedChain({ length: 3 });
    let gas = '0x0';
    const node = await serve(chain, (method, params) => {
      const reply = answers(chain)(method, params);
      if (!reply || !('result' in reply)) return reply;
      if (method === 'eth_getBlockReceipts') return { result: (reply.result as Fields[]).slice(1) };
      const { transactions, ...header } = reply.result as { transactions: Fields[] };
      if (params[1] !== true) return reply;
      return {
        result: {
          ...header,
          transactions: transactions.map((each, at) => (at === 0 ? { ...each, gas } : each)),
        },
      };
    });
    const source = sourceOver(node);
    const block = await blockOf(source, 1);
    const included = await source.transactionsOf(block);
    expect(included?.map(({ receipt }) => receipt.transactionIndex)).toEqual(
      Array.from({ length: PER_BLOCK - 1 }, (_, index) => index + 1),
    );
    gas = '0x1';
    expect((await errorOf(source.transactionsOf(block))).code).toBe('rejected');
  });

  test('a block without blob fields', async () => {
    const chain = createScriptedChain({ length: 3 });
    const source = sourceOver(await serve(chain, answers(chain)));
    expect(await source.block(1)).toMatchObject({
      feeRecipient: MINER,
      blobGasUsed: null,
      excessBlobGas: null,
    });
  });
});

describe('an answer that is too large', () => {
  const endless: Reply = {
    write: (response) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': String(100 * 2 ** 20),
      });
      response.flushHeaders();
    },
  };

  test.each([
    ['its transactions', (_method: string, params: readonly unknown[]) => params[1] === true],
    ['its receipts', (method: string) => method === 'eth_getBlockReceipts'],
  ])('for a whole block, by %s, is said of the block, and the node stays well', async (_, isTooLarge) => {
    const chain = createScriptedChain({ length: 3 });
    const usual = answers(chain);
    const node = await serve(chain, (method, params) =>
      isTooLarge(method, params) ? endless : usual(method, params),
    );
    const source = sourceOver(node);
    const error = await errorOf(source.transactionsOf(await blockOf(source, 1)));
    expect(error.code).toBe('rejected');
    expect(error.message).toBe(
      `block 1 is too large to be read whole: 127.0.0.1:${node.port} answers more than 32 MB: try another node`,
    );
    expect(source.health()[0]?.state).toBe('ok');
  });
});

describe('whole blocks', () => {
  test('are given up when whoever asked leaves, also while they wait for their turn', async () => {
    const chain = createScriptedChain({ length: 10 });
    const usual = answers(chain);
    let isStuck = true;
    let closed = 0;
    const stuck: Reply = { write: (response) => void response.on('close', () => closed++) };
    const node = await serve(chain, (method, params) =>
      method === 'eth_getBlockReceipts' && isStuck ? stuck : usual(method, params),
    );
    const source = sourceOver(node);
    const blocks = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => blockOf(source, number)));
    const leaving = new AbortController();
    const left = blocks.map((block) => source.transactionsOf(block, { signal: leaving.signal }));
    await expect.poll(() => asked(node, 'eth_getBlockReceipts')).toBe(4);
    leaving.abort(new Error('gone'));
    for (const each of left) await expect(each).rejects.toThrow('gone');
    await expect.poll(() => closed).toBe(4);
    isStuck = false;
    for (const block of blocks) expect(await source.transactionsOf(block)).toHaveLength(PER_BLOCK);
  });

  test('are never more than four on their way at once', async () => {
    const chain = createScriptedChain({ length: 40 });
    const usual = answers(chain);
    let open = 0;
    let mostOpen = 0;
    const node = await serve(chain, (method, params) => {
      if (params[1] !== true) return usual(method, params);
      mostOpen = Math.max(mostOpen, ++open);
      return {
        write: (response) => {
          setImmediate(() => {
            open--;
            response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...usual(method, params) }));
          });
        },
      };
    });
    const source = sourceOver(node);
    const blocks = await Promise.all(Array.from({ length: 30 }, (_, number) => blockOf(source, number)));
    const all = await Promise.all(blocks.map((block) => source.transactionsOf(block)));
    expect(all.map((each) => each?.length)).toEqual(Array(30).fill(PER_BLOCK));
    expect(mostOpen).toBeGreaterThan(1);
    expect(mostOpen).toBeLessThanOrEqual(4);
  });
});
