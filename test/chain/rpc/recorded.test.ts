import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { feeHistoryResponse } from '../../../src/chain/rpc/decode.ts';
import { readFeePage } from '../../../src/chain/rpc/read.ts';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import { startJsonRpcServer } from '../../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../../helpers/scripted-chain.ts';

const folder = new URL('../../fixtures/rpc/', import.meta.url);

function read(path: string): string {
  const bytes = readFileSync(new URL(path, folder));
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}

/** Request parameters and result of a recorded pair: Erigon's JSON, or the conformance suite's `>>` and `<<` lines. */
function recorded(path: string): { params: unknown[]; result: unknown } {
  const text = read(path);
  if (path.includes('erigon/')) {
    const [test] = JSON.parse(text);
    return { params: test.request.params, result: test.response.result };
  }
  const line = (mark: string) =>
    JSON.parse(
      text
        .split('\n')
        .find((each) => each.startsWith(mark))
        ?.slice(3) ?? '',
    );
  return { params: line('>>').params, result: line('<<').result };
}

describe('recorded eth_feeHistory', () => {
  test.each(['05', '08', '12', '13'])('of mainnet by Erigon (%s) becomes rows that chain up', (number) => {
    const { params, result } = recorded(`erigon/fee-history-${number}.json`);
    const raw = result as { baseFeePerGas: string[]; gasUsedRatio: number[]; reward: string[][] };
    const answer = feeHistoryResponse.parse(result);
    const rows = readFeePage({ ...answer, reward: null }, { notes: new Map() });
    const count = Number(params[0]);
    expect(rows).toHaveLength(count);
    expect(rows.at(-1)?.number).toBe(Number(params[1]));
    expect(rows.map((row) => row.baseFeePerGas)).toEqual(raw.baseFeePerGas.slice(0, count).map(BigInt));
    expect(rows.map((row) => row.nextBaseFee)).toEqual(raw.baseFeePerGas.slice(1).map(BigInt));
    expect(rows.map((row) => row.gasUsedRatio)).toEqual(raw.gasUsedRatio);
    expect(answer.reward?.map((each) => each?.map(String))).toEqual(
      raw.reward?.map((each) => each.map((tip) => String(BigInt(tip)))),
    );
  });

  test('says no blob fee before Cancun and 1 wei after', () => {
    const before = readFeePage(
      { ...feeHistoryResponse.parse(recorded('erigon/fee-history-05.json').result), reward: null },
      { notes: new Map() },
    );
    const after = readFeePage(
      { ...feeHistoryResponse.parse(recorded('erigon/fee-history-12.json').result), reward: null },
      { notes: new Map() },
    );
    expect(before.map((row) => [row.blobBaseFee, row.nextBlobBaseFee])).toEqual([
      [null, null],
      [null, null],
    ]);
    expect(new Set(after.flatMap((row) => [row.blobBaseFee, row.nextBlobBaseFee]))).toEqual(new Set([1n]));
  });
});

describe('recorded transactions and receipts, through the source', () => {
  const files = readdirSync(new URL('execution-apis/', folder));
  const answering = async (result: unknown) => {
    const server = await startJsonRpcServer(createScriptedChain(), {
      answer: (method) => (method.startsWith('eth_getTransaction') ? { result } : undefined),
    });
    return { server, source: createRpcSource({ urls: [server.url] }) };
  };

  test.each(files.filter((name) => name.startsWith('transaction-')))('%s', async (name) => {
    const { result } = recorded(`execution-apis/${name}`);
    const { server, source } = await answering(result);
    try {
      const transaction = await source.transaction(`0x${'0'.repeat(64)}`);
      if (result === null) return expect(transaction).toBeNull();
      const raw = result as Record<string, string | null>;
      const feeMarket = raw.maxFeePerGas !== undefined;
      return expect(transaction).toEqual({
        hash: raw.hash,
        type: Number(raw.type),
        from: raw.from,
        to: raw.to ?? null,
        value: BigInt(raw.value ?? 0),
        nonce: Number(raw.nonce),
        gasLimit: BigInt(raw.gas ?? 0),
        maxFeePerGas: feeMarket ? BigInt(raw.maxFeePerGas ?? 0) : null,
        maxPriorityFeePerGas: feeMarket ? BigInt(raw.maxPriorityFeePerGas ?? 0) : null,
        gasPrice: feeMarket ? null : BigInt(raw.gasPrice ?? 0),
        data: raw.input,
        feeCurrency: null,
        maxFeePerBlobGas: raw.maxFeePerBlobGas === undefined ? null : BigInt(raw.maxFeePerBlobGas ?? 0),
        blobCount: name.includes('blob') ? 1 : null,
        blockNumber: Number(raw.blockNumber),
        blockHash: raw.blockHash,
      });
    } finally {
      await server.stop();
    }
  });

  test.each(files.filter((name) => name.startsWith('receipt-')))('%s', async (name) => {
    const { result } = recorded(`execution-apis/${name}`);
    const { server, source } = await answering(result);
    try {
      const receipt = await source.receipt(`0x${'0'.repeat(64)}`);
      if (result === null) return expect(receipt).toBeNull();
      const raw = result as Record<string, string>;
      return expect(receipt).toEqual({
        hash: raw.transactionHash,
        // Receipts from before Byzantium hold a state root instead of a status.
        status: raw.status === '0x0' ? 'reverted' : 'success',
        blockNumber: Number(raw.blockNumber),
        blockHash: raw.blockHash,
        gasUsed: BigInt(raw.gasUsed ?? 0),
        effectiveGasPrice: BigInt(raw.effectiveGasPrice ?? 0),
        transactionIndex: Number(raw.transactionIndex),
        blobFee: name.includes('blob') ? 131_072n : 0n,
        dataFee: 0n,
      });
    } finally {
      await server.stop();
    }
  });
});
