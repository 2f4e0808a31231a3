/** Blocks of mainnet as real nodes gave them, told through the route by a service that follows such a node. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import { BlockMetrics, TxsMetrics } from '../../src/contract/metrics.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { type Reply, startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';
import { runService } from '../helpers/service.ts';

interface RawBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly baseFeePerGas: string;
  readonly gasUsed: string;
  readonly gasLimit: string;
  readonly excessBlobGas?: string;
  readonly transactions: readonly Readonly<Record<string, string>>[];
}

/** Of the time after Cancun in which hardly anybody had blobs. */
const FIRST_BLOBS = { blobBaseFee: 1, nextBlobBaseFee: 1, blobGasUsed: 0, excessBlobGas: 0 };
const NO_TIPS = { p10: 0, p25: 0, p50: 0, p75: 0, p90: 0, p95: 0, p99: 0 };

const recorded = (number: number): RawBlock => {
  const file = new URL(`../fixtures/rpc/mainnet-blocks/${number}.json.gz`, import.meta.url);
  return JSON.parse(gunzipSync(readFileSync(file)).toString('utf8'));
};

async function serviceOver(block: RawBlock) {
  const receipts = block.transactions.map(({ hash, blockHash, blockNumber, transactionIndex, gasPrice }) => {
    return {
      effectiveGasPrice: gasPrice,
      transactionHash: hash,
      blockHash,
      blockNumber,
      transactionIndex,
      gasUsed: '0x5208',
      status: '0x1',
    };
  });
  const answer = (method: string, [which, detail]: readonly unknown[]): Reply | undefined => {
    switch (method) {
      case 'eth_chainId':
        return { result: '0x1' };
      case 'eth_blockNumber':
        return { result: block.number };
      case 'eth_getBlockByNumber':
        if (which !== 'latest' && which !== block.number) return { result: null };
        return {
          result: detail ? block : { ...block, transactions: receipts.map((r) => r.transactionHash) },
        };
      case 'eth_getBlockReceipts':
        return { result: receipts };
      case 'eth_feeHistory':
        if (detail !== 'latest' && detail !== block.number) return { error: { code: -32000, message: 'no' } };
        return {
          result: {
            oldestBlock: block.number,
            baseFeePerGas: [block.baseFeePerGas],
            gasUsedRatio: [Number(block.gasUsed) / Number(block.gasLimit)],
            reward: [Array(7).fill('0x0')],
            // All of these are of a time of one wei.
            ...(block.excessBlobGas !== undefined && { baseFeePerBlobGas: ['0x1', '0x1'] }),
          },
        };
      default:
        return undefined;
    }
  };
  const node = await startJsonRpcServer(createScriptedChain(), { answer });
  onTestFinished(() => node.stop());
  const source = createRpcSource({ urls: [node.url] });
  onTestFinished(() => source.close());
  const service = await runService({ source });
  await service.ready;
  return service;
}

const BLOCKS = [
  {
    blockNumber: 17_034_870,
    timestamp: '2023-04-12T22:27:59.000Z',
    baseFeePerGas: 17_980_647_125,
    nextBaseFeePerGas: 20_228_089_264,
    gasUsed: 29_999_074,
    gasUsedRatio: 29_999_074 / 30_000_000,
    transactionCount: 184,
    types: [36, 0, 148],
    burntWei: '539402763670762250',
    blobBaseFee: null,
    nextBlobBaseFee: null,
    blobGasUsed: null,
    excessBlobGas: null,
    feeRecipient: '0x388c818ca8b9251b393131c08a736a67ccb19297',
  },
  {
    blockNumber: 19_426_587,
    timestamp: '2024-03-13T13:55:35.000Z',
    baseFeePerGas: 61_952_457_264,
    nextBaseFeePerGas: 55_568_221_953,
    gasUsed: 2_633_933,
    gasUsedRatio: 2_633_933 / 30_000_000,
    transactionCount: 37,
    types: [10, 0, 27],
    burntWei: '163178621618739312',
    ...FIRST_BLOBS,
    feeRecipient: '0xdae56d85ff707b3d19427f23d8b03b7b76da1006',
  },
  {
    blockNumber: 19_910_734,
    timestamp: '2024-05-20T11:07:23.000Z',
    baseFeePerGas: 8_456_503_050,
    // Empty: down by an eighth.
    nextBaseFeePerGas: 7_399_440_169,
    gasUsed: 0,
    gasUsedRatio: 0,
    transactionCount: 0,
    types: [0, 0, 0],
    tips: NO_TIPS,
    burntWei: '0',
    ...FIRST_BLOBS,
  },
  {
    blockNumber: 19_932_148,
    timestamp: '2024-05-23T11:00:47.000Z',
    baseFeePerGas: 10_082_381_842,
    nextBaseFeePerGas: 10_030_189_385,
    gasUsed: 14_378_808,
    gasUsedRatio: 14_378_808 / 30_000_000,
    transactionCount: 227,
    types: [24, 0, 203],
    burntWei: '144972632688804336',
    ...FIRST_BLOBS,
    feeRecipient: '0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5',
  },
];

test.each(isSlowRun ? BLOCKS : BLOCKS.slice(2))(
  'block $blockNumber has its published numbers',
  async ({ types, ...published }) => {
    const raw = recorded(published.blockNumber);
    const service = await serviceOver(raw);
    for (const number of ['latest', String(published.blockNumber)]) {
      const told = BlockMetrics.parse(await service.read(PATHS.block.replace('{number}', number)));
      expect(told).toMatchObject({
        ...published,
        chainId: 1,
        hash: raw.hash,
        parentHash: raw.parentHash,
        gasLimit: 30_000_000,
        confirmations: 1,
      });
    }
    const txs = TxsMetrics.parse(
      await service.read(
        `${PATHS.txs}?from=${new Date(Date.parse(published.timestamp) - 12_000).toISOString()}&to=${published.timestamp}&size=500`,
      ),
    );
    expect(txs.total).toBe(published.transactionCount);
    expect([0, 1, 2].map((type) => txs.data.filter((row) => row.type === type).length)).toEqual(types);
    expect(txs.data.map(({ hash }) => hash)).toEqual(raw.transactions.map(({ hash }) => hash).toReversed());
    const paid = raw.transactions.map(({ gasPrice }) => Number(gasPrice)).toReversed();
    expect(txs.data.map(({ effectiveGasPrice }) => effectiveGasPrice)).toEqual(paid);
  },
);
