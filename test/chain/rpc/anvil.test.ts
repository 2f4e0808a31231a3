import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import type { Block } from '../../../src/core/block.ts';
import { TIP_PERCENTILES } from '../../../src/core/block.ts';
import { type Anvil, startAnvil } from '../../helpers/anvil.ts';
import { freePort } from '../../helpers/listen.ts';
import { type Followed, follow } from './followed.ts';

interface FeeHistory {
  oldestBlock: string;
  baseFeePerGas: string[];
  baseFeePerBlobGas: string[];
  gasUsedRatio: number[];
  reward: string[][];
}

const subscriptions: Followed[] = [];
afterEach(() => Promise.all(subscriptions.splice(0).map((each) => each.stop())));

function following(url: string, known: Parameters<typeof follow>[1] = []): Followed {
  const followed = follow(createRpcSource({ urls: [url], requestTimeoutMs: 60_000 }), known);
  subscriptions.push(followed);
  return followed;
}

const blocksOf = (followed: Followed): Block[] =>
  followed.events.flatMap((event) => (event.type === 'block' ? [event.block] : []));

async function mineDemand(anvil: Anvil, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await anvil.sendTransfers(
      Array.from({ length: (i * 8) % 21 }, (_, j) => BigInt((j + 1) * (i + 1)) * 10_000_000n),
    );
    await anvil.mine();
  }
}

/** What a page of `eth_feeHistory` says, without the header. */
function feesOf({ number, baseFeePerGas, gasUsedRatio, tips, ...block }: Block) {
  const { blobBaseFee, nextBaseFee, nextBlobBaseFee } = block;
  return { number, baseFeePerGas, gasUsedRatio, tips, blobBaseFee, nextBaseFee, nextBlobBaseFee };
}

async function compareWithFeeHistory(anvil: Anvil, blocks: readonly Block[]): Promise<void> {
  const history = (await anvil.rpc('eth_feeHistory', ['0x400', 'latest', TIP_PERCENTILES])) as FeeHistory;
  const oldest = Number(history.oldestBlock);
  for (const block of blocks) {
    const row = block.number - oldest;
    const header = (await anvil.rpc('eth_getBlockByNumber', [
      `0x${block.number.toString(16)}`,
      false,
    ])) as Record<string, string>;
    expect(block).toEqual({
      number: Number(header.number),
      hash: header.hash,
      parentHash: header.parentHash,
      timestamp: Number(header.timestamp),
      baseFeePerGas: BigInt(history.baseFeePerGas[row] ?? -1),
      gasUsed: BigInt(header.gasUsed ?? -1),
      gasLimit: BigInt(header.gasLimit ?? -1),
      gasUsedRatio: history.gasUsedRatio[row],
      blobBaseFee: BigInt(history.baseFeePerBlobGas[row] ?? -1),
      nextBaseFee: BigInt(history.baseFeePerGas[row + 1] ?? -1),
      nextBlobBaseFee: BigInt(history.baseFeePerBlobGas[row + 1] ?? -1),
      tips: history.reward[row]?.map(BigInt),
      ...{ blockAccessListHash: null, slotNumber: null },
    });
  }
}

describe('a real node, mining by hand', () => {
  let anvil: Anvil;
  beforeAll(async () => {
    anvil = await startAnvil({ noMining: true, gasLimit: 420_000, baseFee: 1_000_000_000 });
    await mineDemand(anvil, 20);
  });
  afterAll(() => anvil.stop());

  test('every field of its past is the node’s own word', async () => {
    const source = createRpcSource({ urls: [anvil.url], requestTimeoutMs: 60_000 });
    const blocks = await source.blocks(0, 1_000);
    expect(blocks.length).toBeGreaterThan(20);
    await compareWithFeeHistory(anvil, blocks);
    expect(new Set(blocks.map((block) => block.gasUsedRatio)).size).toBeGreaterThan(5);
    expect(blocks.some((block) => block.tips !== null && block.tips[0] !== block.tips[6])).toBe(true);
    await compareWithFeeHistory(anvil, [await source.head()]);
    await compareWithFeeHistory(anvil, await source.blocks(5, 8));
  });

  test('every field of a followed block is too', async () => {
    const followed = following(anvil.url);
    await followed.until((words) => words.length > 0);
    await mineDemand(anvil, 3);
    const head = Number(await anvil.rpc('eth_blockNumber'));
    await followed.until((words) => words.includes(`block ${head}`));
    await compareWithFeeHistory(anvil, blocksOf(followed));
  });

  test('a base fee that the node sets against the formula is its word for the next block', async () => {
    await anvil.mine();
    await anvil.setNextBaseFee(123_456_789);
    const source = createRpcSource({ urls: [anvil.url], requestTimeoutMs: 60_000 });
    expect((await source.head()).nextBaseFee).toBe(123_456_789n);
    await anvil.mine();
    expect((await source.head()).baseFeePerGas).toBe(123_456_789n);
  });

  for (const transport of ['http', 'ws'] as const) {
    for (const depth of [1, 3]) {
      test(`a reorg of ${depth} is followed over ${transport}`, async () => {
        await anvil.mine(5);
        const followed = following(transport === 'ws' ? anvil.wsUrl : anvil.url);
        await followed.until((words) => words.length > 0);
        const before = blocksOf(followed)[0]?.number ?? 0;
        await anvil.mine(4);
        await followed.until((words) => words.includes(`block ${before + 4}`));
        await anvil.reorg(depth);
        // A subscriber hears of the new branch with its next block.
        await anvil.mine();
        await followed.until((words) => words.includes(`block ${before + 5}`));
        const held: Block[] = [];
        for (const event of followed.events) {
          if (event.type === 'reorg')
            held.splice(held.findIndex((block) => block.number > event.commonAncestor));
          if (event.type === 'block') held.push(event.block);
        }
        expect(followed.words()).toContain(`reorg ${before + 4 - depth}`);
        expect(held.map((block) => block.number)).toEqual([0, 1, 2, 3, 4, 5].map((i) => before + i));
        await compareWithFeeHistory(anvil, held.slice(-2));
      });
    }
  }

  test('a transaction, its receipt, nonce and balance are read as the node has them', async () => {
    const [hash] = await anvil.sendTransfers([5_000_000]);
    const source = createRpcSource({ urls: [anvil.url], requestTimeoutMs: 60_000 });
    const id = `0x${String(hash).slice(2)}` as const;
    const waiting = await source.transaction(id);
    expect(waiting).toMatchObject({
      blockNumber: null,
      type: 2,
      maxPriorityFeePerGas: 5_000_000n,
      gasLimit: 21_000n,
      value: 1n,
    });
    expect(await source.receipt(id)).toBeNull();
    const from = waiting?.from ?? '0x';
    const nonce = await source.nonce(from, 'latest');
    expect(await source.nonce(from, 'pending')).toBe(nonce + 1);
    await anvil.mine();
    const receipt = await source.receipt(id);
    const block = await source.head();
    expect(receipt).toMatchObject({
      hash: id,
      status: 'success',
      gasUsed: 21_000n,
      effectiveGasPrice: block.baseFeePerGas + 5_000_000n,
      blockHash: block.hash,
    });
    expect(await source.nonce(from, 'latest')).toBe(nonce + 1);
    expect(await source.balance(from)).toBe(
      BigInt(String(await anvil.rpc('eth_getBalance', [from, 'latest']))),
    );
    expect(await source.call({ to: `0x${'0'.repeat(39)}4`, data: '0xabcd' })).toBe('0xabcd');
  });

  test('a raw transaction is sent, and sent again without harm', async () => {
    const { privateKeyToAccount } = await import('viem/accounts');
    const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
    const source = createRpcSource({ urls: [anvil.url, anvil.wsUrl], requestTimeoutMs: 60_000 });
    const signed = await account.signTransaction({
      chainId: 31_337,
      type: 'eip1559',
      to: account.address,
      nonce: await source.nonce(account.address, 'pending'),
      gas: 21_000n,
      maxFeePerGas: 10_000_000_000_000n,
      maxPriorityFeePerGas: 1n,
    });
    const hash = await source.sendRawTransaction(signed);
    expect(await source.sendRawTransaction(signed)).toBe(hash);
    await anvil.mine();
    expect((await source.receipt(hash))?.status).toBe('success');
    expect(await source.sendRawTransaction(signed)).toBe(hash);
    source.close();
  });
});

test('a node that mines each second is followed each second; one that began anew on its port once that is accepted', async () => {
  const first = await startAnvil({ blockTime: 1, chainId: 4_242, port: await freePort() });
  const source = createRpcSource({ urls: [first.url], requestTimeoutMs: 60_000 });
  const followed = follow(source);
  await followed.until((words) => words.includes('block 3'));
  expect(followed.words().slice(-3)).toEqual(['block 1', 'block 2', 'block 3']);
  await first.stop();
  await followed.until((words) => words.includes('down'));
  const second = await startAnvil({ blockTime: 1, chainId: 4_242, port: first.port });
  try {
    await expect(followed.until(() => false)).rejects.toMatchObject({ code: 'restarted' });
    source.acceptRestart?.();
    const again = follow(source);
    subscriptions.push(again);
    await again.until((words) => words.at(-1)?.startsWith('block') === true);
  } finally {
    await second.stop();
  }
});

test('the newest blocks are had in two rounds of questions, with the fees that each of them says', async () => {
  const anvil = await startAnvil({ noMining: true });
  try {
    await mineDemand(anvil, 20);
    const source = createRpcSource({ urls: [anvil.url], requestTimeoutMs: 60_000 });
    const { signal } = new AbortController();
    const newestOf = async (most: number) =>
      (await source.newest?.(most, { known: null, signal }))?.blocks ?? [];
    const newest = await newestOf(8);
    const whole = await source.blocks(13, 20);
    expect(newest.at(-1)).toEqual(whole.at(-1));
    expect(newest.map(feesOf)).toEqual(whole.map(feesOf));
    expect(newest[0]?.timestamp).toBe(whole[0]?.timestamp);
    expect((await newestOf(64)).map(({ number }) => number)).toEqual(
      Array.from({ length: 21 }, (_, number) => number),
    );
    source.close();
  } finally {
    await anvil.stop();
  }
});
