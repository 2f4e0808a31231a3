import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
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
const suite = <T>(name: string): T => {
  const lines = readFileSync(new URL(`execution-apis/${name}.io`, folder), 'utf8').split('\n');
  return JSON.parse(lines.find((line) => line.startsWith('<<'))?.slice(3) ?? '').result;
};

let server: JsonRpcServer | undefined;
afterEach(() => server?.stop());

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
      ...{ blockAccessListHash: null, slotNumber: null },
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
});
