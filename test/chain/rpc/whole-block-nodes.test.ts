import { afterEach, describe, expect, test } from 'vitest';
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

type Change = (...args: [...Parameters<Answer>, usual: Answer]) => Reply | undefined;

async function serve(
  chain: ScriptedChain,
  change: Change = () => undefined,
  usual = answers(chain),
): Promise<JsonRpcServer> {
  const answer: Answer = (method, params) => change(method, params, usual) ?? usual(method, params);
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

async function overNode(change?: Change) {
  const chain = createScriptedChain({ length: 10 });
  const node = await serve(chain, change);
  const source = sourceOver(node);
  const wholeOf = async (number: number) => source.transactionsOf(await blockOf(source, number));
  return { chain, node, source, wholeOf };
}

const asked = (server: JsonRpcServer, method: string): number =>
  server.requests.filter((request) => request.method === method).length;

async function blockOf(source: RpcSource, number: number) {
  const block = await source.block(number);
  if (!block) throw new Error(`the node has no block ${number}`);
  return block;
}

describe('a block that leaves the chain while it is read', () => {
  test('between its transactions and its receipts is null, never a mix', async () => {
    const { chain, source, wholeOf } = await overNode((method) => {
      if (method === 'eth_getBlockReceipts') chain.reorg(2);
      return undefined;
    });
    const { hash } = await blockOf(source, 9);
    expect(await wholeOf(9)).toBeNull();
    expect(chain.at(9)?.hash).not.toBe(hash);
  });

  test('after it was read is null from then on', async () => {
    const { chain, source } = await overNode();
    const block = await blockOf(source, 9);
    expect(await source.transactionsOf(block)).toHaveLength(PER_BLOCK);
    chain.reorg(2);
    expect(await source.transactionsOf(block)).toBeNull();
  });
});

describe('several nodes', () => {
  test.each<[string, Change]>([
    ['knows nothing of the block', (method) => (method.startsWith('eth_get') ? { result: null } : undefined)],
    [
      'says so with an error',
      (method) =>
        method.startsWith('eth_get') ? { error: { code: -32001, message: 'Block 9 not found' } } : undefined,
    ],
    ['has no receipts', (method) => (method.includes('Receipts') ? { result: [] } : undefined)],
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
    const source = sourceOver(await serve(chain, first), await serve(chain));
    const block = await blockOf(source, 9);
    expect(block.hash).toBe(chain.at(9)?.hash);
    const included = await source.transactionsOf(block);
    expect(included?.map(({ receipt }) => receipt.blockHash)).toEqual(Array(PER_BLOCK).fill(block.hash));
  });

  test('what none of them has is null', async () => {
    const chain = createScriptedChain({ length: 10 });
    const source = sourceOver(await serve(chain), await serve(chain));
    expect(await source.block(10)).toBeNull();
    expect(await source.transactionsOf({ number: 10, hash: transactionHash(1, 1) })).toBeNull();
    expect(await source.receipt(transactionHash(99, 1))).toBeNull();
    expect(asked(servers[1] as JsonRpcServer, 'eth_getTransactionReceipt')).toBe(1);
  });

  test('one that hangs does not hold up the word of another that it knows nothing', async () => {
    const chain = createScriptedChain({ length: 10 });
    const [ignorant, hanging] = await Promise.all(
      [{ result: null }, { hang: true as const }].map((reply) =>
        serve(chain, (method) => (method === 'eth_getTransactionByHash' ? reply : undefined)),
      ),
    );
    if (!ignorant || !hanging) throw new Error('two nodes were started');
    const source = createRpcSource({ urls: [ignorant.url, hanging.url], requestTimeoutMs: 600_000 });
    expect(await source.transaction(transactionHash(99, 1))).toBeNull();
    expect(asked(hanging, 'eth_getTransactionByHash')).toBe(1);
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
      await expect(sourceOver(...nodes).block(5)).rejects.toMatchObject({ code: 'rejected' });
    }
    await expect(sourceOver(pruned, pruned).block(5)).rejects.toMatchObject({ code: 'pruned' });
  });
});

describe('a single node', () => {
  test.each([
    ['a moment behind is asked once more', { result: null }, 1, 250],
    [
      'that has had too many requests is waited for',
      { error: { code: -32005, message: 'rate limit' } },
      3,
      7_000,
    ],
  ])('%s', async (_, reply, times, waited) => {
    let left = times;
    const { source, wholeOf } = await overNode((method) =>
      method === 'eth_getBlockReceipts' && left-- > 0 ? reply : undefined,
    );
    const before = source.now();
    expect(await wholeOf(5)).toHaveLength(PER_BLOCK);
    expect(source.now() - before).toBe(waited);
  });

  test.each([
    [4444, 'Pruned history unavailable', 'pruned'],
    [-32000, 'old data not available due to pruning', 'pruned'],
    [-32603, 'database is busy', 'rejected'],
  ])('that answers error %d, “%s”, is told as %s', async (code, message, told) => {
    const { node, source } = await overNode((method) =>
      method === 'eth_getBlockByNumber' ? { error: { code, message } } : undefined,
    );
    await expect(source.block(5)).rejects.toMatchObject({
      code: told,
      message: `127.0.0.1:${node.port} refuses eth_getBlockByNumber: ${message}`,
    });
    expect(source.health()[0]?.state).toBe('ok');
  });

  const endless: Reply = {
    write: (response) => {
      const length = String(100 * 2 ** 20);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
      response.flushHeaders();
    },
  };
  const TOO_LARGE = 'block 5 is too large to be read whole: NODE answers more than 32 MB: try another node';
  const isReceipts = (method: string) => method === 'eth_getBlockReceipts';
  test.each<[string, (...of: Parameters<Answer>) => boolean, Reply, string, string]>([
    [
      'has no eth_getBlockReceipts',
      isReceipts,
      { error: { code: -32601, message: 'the method does not exist' } },
      'unsupported',
      'NODE does not answer eth_getBlockReceipts: use another node (the method does not exist)',
    ],
    [
      'no longer keeps receipts',
      isReceipts,
      { result: null },
      'rejected',
      'NODE has no receipts for block 5: use a node that keeps them',
    ],
    [
      'answers too much for its transactions',
      (_, params) => params[1] === true,
      endless,
      'rejected',
      TOO_LARGE,
    ],
    ['answers too much for its receipts', isReceipts, endless, 'rejected', TOO_LARGE],
  ])('that %s stays well; the error of a whole block says so', async (_, isMeant, reply, code, message) => {
    const { node, source, wholeOf } = await overNode((method, params) =>
      isMeant(method, params) ? reply : undefined,
    );
    const words = message.replace('NODE', `127.0.0.1:${node.port}`);
    await expect(wholeOf(5)).rejects.toMatchObject({ name: 'ChainError', code, message: words });
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
    // The base fee of the scripted chain's first block is 1 gwei.
    ...[null, undefined].flatMap((effectiveGasPrice): [string, Fields, Fields, object, object][] => [
      [
        `a fee-market receipt whose price is ${effectiveGasPrice}: base fee and tip`,
        { type: '0x2', maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x5f5e100' },
        { effectiveGasPrice },
        { type: 2 },
        { effectiveGasPrice: 1_100_000_000n },
      ],
      [
        `the same, whose cap is below both (${effectiveGasPrice})`,
        { type: '0x2', maxFeePerGas: '0x3b9aca01', maxPriorityFeePerGas: '0x5f5e100' },
        { effectiveGasPrice },
        { type: 2 },
        { effectiveGasPrice: 1_000_000_001n },
      ],
      [
        `a legacy receipt whose price is ${effectiveGasPrice}: its gas price`,
        { type: '0x0', gasPrice: '0x12a05f200' },
        { effectiveGasPrice },
        { type: 0 },
        { effectiveGasPrice: 5_000_000_000n },
      ],
    ]),
    ...['feeCurrency', 'feeToken'].map((field): [string, Fields, Fields, object, object] => [
      `a fee paid in another coin, named by ${field}: no price is known in wei`,
      { type: '0x7b', [field]: MINER, maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' },
      { type: '0x7b', effectiveGasPrice: '0x77359400', baseFee: '0x1' },
      { type: 0x7b, feeCurrency: MINER, gasPrice: null, maxFeePerGas: null, maxPriorityFeePerGas: null },
      { effectiveGasPrice: null },
    ]),
    [
      'a transaction that says no input, of which none is known',
      { type: '0x76', input: undefined, gasPrice: undefined },
      { effectiveGasPrice: null },
      { data: '0x', gasPrice: null },
      { effectiveGasPrice: null },
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
    const node = await serve(chain, undefined, answers(chain, transaction, receipt));
    const source = sourceOver(node);
    const included = await source.transactionsOf(await blockOf(source, 0));
    expect(included).toHaveLength(PER_BLOCK);
    expect(included?.[0]).toMatchObject({ transaction: readTransaction, receipt: readReceipt });
  });

  test('a transaction without gas may have no receipt (Polygon’s state syncs); any other must', async () => {
    let gas = '0x0';
    const { wholeOf } = await overNode((method, params, usual) => {
      const reply = usual(method, params);
      if (!reply || !('result' in reply)) return reply;
      if (method === 'eth_getBlockReceipts') return { result: (reply.result as Fields[]).slice(1) };
      if (params[1] !== true) return reply;
      const { transactions, ...header } = reply.result as { transactions: Fields[] };
      return { result: { ...header, transactions: [{ ...transactions[0], gas }, ...transactions.slice(1)] } };
    });
    const included = await wholeOf(1);
    expect(included?.map(({ receipt }) => receipt.transactionIndex)).toEqual(
      Array.from({ length: PER_BLOCK - 1 }, (_, index) => index + 1),
    );
    gas = '0x1';
    await expect(wholeOf(1)).rejects.toMatchObject({ code: 'rejected' });
  });

  test('a block without blob fields', async () => {
    const { source } = await overNode();
    expect(await source.block(1)).toMatchObject({ blobGasUsed: null, excessBlobGas: null });
  });
});

test('reads of whole blocks stop when their request is aborted, also those in the queue', async () => {
  let isStuck = true;
  let closed = 0;
  const stuck: Reply = { write: (response) => void response.on('close', () => closed++) };
  const { node, source } = await overNode((method) =>
    method === 'eth_getBlockReceipts' && isStuck ? stuck : undefined,
  );
  const blocks = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => blockOf(source, number)));
  const leaving = new AbortController();
  const left = blocks.map((block) => source.transactionsOf(block, { signal: leaving.signal }));
  // Never more than four are on their way at once.
  await expect.poll(() => asked(node, 'eth_getBlockReceipts')).toBe(4);
  leaving.abort(new Error('gone'));
  for (const each of left) await expect(each).rejects.toThrow('gone');
  await expect.poll(() => closed).toBe(4);
  isStuck = false;
  for (const block of blocks) expect(await source.transactionsOf(block)).toHaveLength(PER_BLOCK);
});
