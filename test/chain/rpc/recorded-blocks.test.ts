/** Whole blocks as real nodes gave them, read through a source over a node that gives them again. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import { ETHEREUM_FEE_RULE, nextBaseFee } from '../../../src/core/eip1559.ts';
import { type JsonRpcServer, type Reply, startJsonRpcServer } from '../../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../../helpers/scripted-chain.ts';

type Raw = Record<string, string>;
interface RawBlock {
  number: string;
  hash: string;
  baseFeePerGas?: string;
  transactions: Raw[];
}

interface HashedBlock {
  number: string;
  hash: string;
  parentHash: string;
  timestamp: string;
  baseFeePerGas?: string;
  gasUsed: string;
  gasLimit: string;
  miner: string;
  blobGasUsed?: string;
  excessBlobGas?: string;
  transactions: string[];
}

const folder = new URL('../../fixtures/rpc/', import.meta.url);
const mainnet = (number: number): RawBlock =>
  JSON.parse(gunzipSync(readFileSync(new URL(`mainnet-blocks/${number}.json.gz`, folder))).toString('utf8'));
const suite = <T>(name: string): T => {
  const lines = readFileSync(new URL(`execution-apis/${name}.io`, folder), 'utf8').split('\n');
  return JSON.parse(lines.find((line) => line.startsWith('<<'))?.slice(3) ?? '').result;
};

let server: JsonRpcServer | undefined;
afterEach(() => server?.stop());

/** A node that knows one block, its receipts (where they were recorded) and nothing else. */
async function sourceOf(block: RawBlock, receipts: readonly unknown[]) {
  const answer = (method: string, params: readonly unknown[]): Reply | undefined => {
    if (method === 'eth_chainId') return undefined;
    if (Number(params[0]) !== Number(block.number)) return { result: null };
    if (method === 'eth_getBlockReceipts') return { result: receipts };
    const hashes = block.transactions.map(({ hash }) => hash);
    return { result: params[1] ? block : { ...block, transactions: hashes } };
  };
  server = await startJsonRpcServer(createScriptedChain(), { answer });
  return createRpcSource({ urls: [server.url] });
}

/** A receipt that says as little as those of nodes from before London; what was used is not in the recording. */
const bareReceipt = ({ hash, blockHash, blockNumber, transactionIndex }: Raw) => ({
  transactionHash: hash,
  blockHash,
  blockNumber,
  transactionIndex,
  gasUsed: '0x5208',
  status: '0x1',
});

describe('blocks of mainnet', () => {
  test.each([
    {
      number: 17_034_870,
      hash: '0xe22c56f211f03baadcc91e4eb9a24344e6848c5df4473988f893b58223f5216c',
      timestamp: 1_681_338_479,
      baseFeePerGas: 17_980_647_125n,
      gasUsed: 29_999_074n,
      // 17,980,647,125 + 17,980,647,125 × (29,999,074 − 15,000,000) / 15,000,000 / 8
      next: 20_228_089_264n,
      feeRecipient: '0x388c818ca8b9251b393131c08a736a67ccb19297',
      blobs: null,
      types: [36, 0, 148],
    },
    {
      // The first block of Cancun: the blob fields begin here.
      number: 19_426_587,
      hash: '0xf8e2f40d98fe5862bc947c8c83d34799c50fb344d7445d020a8a946d891b62ee',
      timestamp: 1_710_338_135,
      baseFeePerGas: 61_952_457_264n,
      gasUsed: 2_633_933n,
      next: 55_568_221_953n,
      feeRecipient: '0xdae56d85ff707b3d19427f23d8b03b7b76da1006',
      blobs: 0n,
      types: [10, 0, 27],
    },
    {
      number: 19_910_734,
      hash: '0x8e067195d9e4a2fa8a37631b2adc4789cfd1b7d788d9216a91bc16214272f781',
      timestamp: 1_716_203_243,
      baseFeePerGas: 8_456_503_050n,
      gasUsed: 0n,
      // Empty: down by an eighth.
      next: 7_399_440_169n,
      feeRecipient: '0x0000000000000000000000000000000000000000',
      blobs: 0n,
      types: [0, 0, 0],
    },
    {
      number: 19_932_148,
      hash: '0x050f7654f5fa615234f7ca6fc3e90c64d64ef057f8facae04637dd38af719ec9',
      timestamp: 1_716_462_047,
      baseFeePerGas: 10_082_381_842n,
      gasUsed: 14_378_808n,
      next: 10_030_189_385n,
      feeRecipient: '0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5',
      blobs: 0n,
      types: [24, 0, 203],
    },
  ])('$number', async ({ next, blobs, types, ...published }) => {
    const raw = mainnet(published.number);
    const source = await sourceOf(raw, raw.transactions.map(bareReceipt));
    const block = await source.block(published.number);
    if (!block) throw new Error('no block');
    expect(block).toMatchObject({
      ...published,
      gasLimit: 30_000_000n,
      blobGasUsed: blobs,
      excessBlobGas: blobs,
    });
    expect(block.transactionHashes).toEqual(raw.transactions.map(({ hash }) => hash));
    expect(nextBaseFee(block, ETHEREUM_FEE_RULE)).toBe(next);

    const included = (await source.transactionsOf(block)) ?? [];
    const counted = [0, 1, 2].map((type) => included.filter((each) => each.transaction.type === type).length);
    expect(counted).toEqual(types);
    // What these nodes wrote down as a transaction's gas price is what EIP-1559 makes it pay.
    for (const { transaction, receipt } of included) {
      const { maxFeePerGas, maxPriorityFeePerGas, gasPrice } = transaction;
      const asked = block.baseFeePerGas + (maxPriorityFeePerGas ?? 0n);
      const due = maxFeePerGas === null ? gasPrice : asked < maxFeePerGas ? asked : maxFeePerGas;
      expect(receipt.effectiveGasPrice).toBe(due);
    }
  });
});

describe('blocks of the conformance suite', () => {
  test.each([
    ['genesis', 0, 0],
    ['london-fork', 27, 4],
    ['merge-fork', 36, 4],
    ['shanghai-fork', 39, 3],
    ['cancun-fork', 42, 4],
    ['prague-fork', 45, 6],
  ])('%s, field by field', async (name, number, transactions) => {
    const raw = suite<HashedBlock>(`block-${name}`);
    const source = await sourceOf(
      { ...raw, transactions: raw.transactions.map((each) => ({ hash: each })) },
      [],
    );
    const block = await source.block(number);
    expect(block).toEqual({
      number,
      hash: raw.hash,
      parentHash: raw.parentHash,
      timestamp: Number(raw.timestamp),
      baseFeePerGas: BigInt(raw.baseFeePerGas ?? 0),
      gasUsed: BigInt(raw.gasUsed),
      gasLimit: BigInt(raw.gasLimit),
      feeRecipient: raw.miner,
      blobGasUsed: raw.blobGasUsed === undefined ? null : BigInt(raw.blobGasUsed),
      excessBlobGas: raw.excessBlobGas === undefined ? null : BigInt(raw.excessBlobGas),
      transactionHashes: raw.transactions,
    });
    expect(block?.transactionHashes).toHaveLength(transactions);
    if (name === 'cancun-fork') expect(block?.blobGasUsed).toBe(131_072n);
  });

  test('the newest, with its transactions and recorded receipts', async () => {
    const raw = suite<RawBlock>('block-latest');
    const receipts = suite<Raw[]>('block-receipts-latest');
    const source = await sourceOf(raw, receipts);
    const block = await source.block(54);
    const included = block && (await source.transactionsOf(block));
    expect(included?.map(({ transaction }) => transaction.hash)).toEqual(
      raw.transactions.map(({ hash }) => hash),
    );
    expect(included?.map(({ receipt }) => receipt)).toEqual(
      receipts.map((receipt, index) => ({
        hash: receipt.transactionHash,
        status: 'success',
        blockNumber: 54,
        blockHash: raw.hash,
        gasUsed: BigInt(receipt.gasUsed ?? 0),
        effectiveGasPrice: BigInt(receipt.effectiveGasPrice ?? 0),
        transactionIndex: index,
        blobFee: 0n,
        dataFee: 0n,
      })),
    );
    expect(included?.reduce((sum, { receipt }) => sum + receipt.gasUsed, 0n)).toBe(block?.gasUsed);
  });

  test('receipts asked for by number and by hash are the same, of before Byzantium', () => {
    const byNumber = suite<Raw[]>('block-receipts-n');
    expect(suite('block-receipts-by-hash')).toEqual(byNumber);
    expect(byNumber.every(({ status, root }) => status === undefined && root !== undefined)).toBe(true);
  });
});
