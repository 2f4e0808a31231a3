/** Blocks and transactions through the routes, against what the node itself says over raw JSON-RPC. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRpcSource, type RpcSource } from '../../src/chain/rpc-source.ts';
import { BlockMetrics, TxMetrics } from '../../src/contract/explorer.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { type Anvil, startAnvil } from '../helpers/anvil.ts';
import { fixedPrice } from '../helpers/fixed-price.ts';
import { type RunningService, startTestService } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

type Raw<Name extends string> = Readonly<Record<Name, string>>;
type RawTx = Readonly<Record<string, string>>;
type RawBlock = { readonly transactions: readonly RawTx[] } & Raw<
  'number' | 'hash' | 'parentHash' | 'timestamp' | 'baseFeePerGas' | 'gasUsed' | 'gasLimit' | 'miner'
> &
  Raw<'blobGasUsed' | 'excessBlobGas'>;
interface FeeHistory {
  readonly baseFeePerGas: readonly string[];
  readonly baseFeePerBlobGas: readonly string[];
  readonly reward: readonly (readonly string[])[];
}

const BLOCKS = 6;
const SPACING_SEC = 12;
const PERCENTILES = [10, 25, 50, 75, 90, 95, 99];
const GWEI = 1_000_000_000n;
const hex = (value: bigint | number) => `0x${value.toString(16)}`;
const iso = (timestamp: string | undefined) => new Date(Number(timestamp) * 1_000).toISOString();

let anvil: Anvil;
let source: RpcSource;
let service: RunningService;

async function get(path: string): Promise<{ status: number; body: unknown }> {
  const response = await service.get(path);
  return { status: response.status, body: await response.json() };
}
const readBlock = async (number: number | string) =>
  BlockMetrics.parse((await get(PATHS.block.replace('{number}', String(number)))).body);
const readTx = async (hash: string) => TxMetrics.parse((await get(PATHS.tx.replace('{hash}', hash))).body);
const rawBlock = async (number: number) =>
  (await anvil.rpc('eth_getBlockByNumber', [hex(number), true])) as RawBlock;
const rawReceipt = async (hash: string | undefined) =>
  (await anvil.rpc('eth_getTransactionReceipt', [hash])) as RawTx;

/** Transfers of several tips, one of the old kind, and one that fails, block after block. */
beforeAll(async () => {
  // So that its present is ours when all its blocks are there.
  const start = Math.floor(Date.now() / 1_000) - BLOCKS * SPACING_SEC;
  anvil = await startAnvil({ noMining: true, gasLimit: 400_000, args: ['--timestamp', String(start)] });
  const [from, to] = await anvil.accounts();
  for (let block = 1; block <= BLOCKS; block += 1) {
    await anvil.sendTransfers([3n, 1n, 2n, 2n].map((tip) => tip * GWEI * BigInt(block)));
    await anvil.rpc('eth_sendTransaction', [
      { from: to, to: from, value: hex(10n ** 18n), gas: hex(21_000), gasPrice: hex(50n * GWEI) },
    ]);
    // Init code that reverts: PUSH1 0 PUSH1 0 REVERT.
    await anvil.rpc('eth_sendTransaction', [
      {
        from,
        data: '0x60006000fd',
        gas: hex(100_000),
        maxFeePerGas: hex(80n * GWEI),
        maxPriorityFeePerGas: hex(GWEI),
      },
    ]);
    await anvil.rpc('evm_setNextBlockTimestamp', [start + block * SPACING_SEC]);
    await anvil.mine();
  }
  source = createRpcSource({ urls: [anvil.url] });
  service = await startTestService({ source, priceFeed: fixedPrice(2_500) });
  await service.ready;
  await waitFor(async () => (await service.current()).nativeUsd !== null);
});

afterAll(async () => {
  await service.stop();
  source.close();
  await anvil.stop();
});

describe('blocks', () => {
  test('are the node’s own, field by field', async () => {
    for (let number = 1; number <= BLOCKS; number += 1) {
      const raw = await rawBlock(number);
      const history = (await anvil.rpc('eth_feeHistory', ['0x1', hex(number), PERCENTILES])) as FeeHistory;
      const [p10, p25, p50, p75, p90, p95, p99] = history.reward[0]?.map(Number) ?? [];
      // For blocks below the head this node's fee history repeats the head's.
      const next = number < BLOCKS ? (await rawBlock(number + 1)).baseFeePerGas : history.baseFeePerGas[1];
      const burnt =
        BigInt(raw.baseFeePerGas) * BigInt(raw.gasUsed) +
        BigInt(raw.blobGasUsed) * BigInt(history.baseFeePerBlobGas[0] ?? 0);
      expect(await readBlock(number)).toEqual({
        chainId: 31_337,
        blockNumber: number,
        hash: raw.hash,
        parentHash: raw.parentHash,
        timestamp: iso(raw.timestamp),
        confirmations: BLOCKS - number + 1,
        baseFeePerGas: Number(raw.baseFeePerGas),
        nextBaseFeePerGas: Number(next),
        gasUsed: Number(raw.gasUsed),
        gasLimit: Number(raw.gasLimit),
        gasUsedRatio: Number(raw.gasUsed) / Number(raw.gasLimit),
        transactionCount: 6,
        tips: { p10, p25, p50, p75, p90, p95, p99 },
        blobBaseFee: Number(history.baseFeePerBlobGas[0]),
        nextBlobBaseFee: Number(history.baseFeePerBlobGas[1]),
        blobGasUsed: Number(raw.blobGasUsed),
        excessBlobGas: Number(raw.excessBlobGas),
        burntWei: burnt.toString(),
        feeRecipient: raw.miner,
      });
    }
    expect(await readBlock('latest')).toEqual(await readBlock(BLOCKS));
  });
});

describe('transactions', () => {
  test('are the node’s own, with what each paid', async () => {
    const block = await rawBlock(3);
    for (const raw of block.transactions) {
      const receipt = await rawReceipt(raw.hash);
      const price = BigInt(receipt.effectiveGasPrice ?? 0);
      const cost = price * BigInt(receipt.gasUsed ?? 0);
      const isNew = raw.type === '0x2';
      expect(await readTx(raw.hash ?? '')).toMatchObject({
        chainId: 31_337,
        hash: raw.hash,
        status: receipt.status === '0x1' ? 'SUCCESS' : 'REVERTED',
        type: Number(raw.type),
        from: raw.from,
        to: raw.to,
        value: BigInt(raw.value ?? 0).toString(),
        nonce: Number(raw.nonce),
        selector: raw.input === '0x' ? null : raw.input?.slice(0, 10),
        gasLimit: Number(raw.gas),
        gasUsed: Number(receipt.gasUsed),
        maxFeePerGas: isNew ? Number(raw.maxFeePerGas) : null,
        maxPriorityFeePerGas: isNew ? Number(raw.maxPriorityFeePerGas) : null,
        gasPrice: isNew ? null : Number(raw.gasPrice),
        effectiveGasPrice: Number(price),
        priorityFeePerGas: Number(price - BigInt(block.baseFeePerGas)),
        costWei: cost.toString(),
        costUsd: (Number(cost) / 1e18) * 2_500,
        blockNumber: 3,
        blockHash: block.hash,
        timestamp: iso(block.timestamp),
        transactionIndex: Number(receipt.transactionIndex),
        confirmations: BLOCKS - 2,
        blockTransactionCount: 6,
      });
    }
    const types = block.transactions.map(({ type }) => type);
    expect(new Set(types)).toEqual(new Set(['0x0', '0x2']));
  });

  test('wait in the pool, are included, and are gone with the block that a reorg takes away', async () => {
    const [hash = ''] = await anvil.sendTransfers([9n * GWEI]);
    const pending = await readTx(hash);
    expect(pending).toMatchObject({ status: 'PENDING', blockNumber: null, confirmations: 0, costWei: null });
    await anvil.mine();
    expect(await readTx(hash)).toMatchObject({
      status: 'SUCCESS',
      blockNumber: BLOCKS + 1,
      confirmations: 1,
      tipRank: null,
    });
    await anvil.reorg(1);
    // The node drops what was in the block that is gone.
    const { status, body } = await get(PATHS.tx.replace('{hash}', hash));
    expect(status).toBe(404);
    expect(body).toMatchObject({ errorCode: 'not_found' });
    const now = await rawBlock(BLOCKS + 1);
    await waitFor(async () => (await readBlock(BLOCKS + 1)).hash === now.hash);
  });
});
