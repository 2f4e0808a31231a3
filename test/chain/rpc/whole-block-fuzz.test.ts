import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { ChainError } from '../../../src/chain/chain-source.ts';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import type { Hex } from '../../../src/core/block.ts';
import { type Reply, startJsonRpcServer } from '../../helpers/json-rpc-server.ts';
import { rounds } from '../../helpers/rounds.ts';
import { createScriptedChain } from '../../helpers/scripted-chain.ts';
import { manualClock } from '../manual-clock.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const recorded = (name: string): Json => {
  const path = new URL(`../../fixtures/rpc/execution-apis/${name}.io`, import.meta.url);
  const lines = readFileSync(path, 'utf8').split('\n');
  return JSON.parse(lines.find((line) => line.startsWith('<<'))?.slice(3) ?? '').result;
};
const BLOCK = recorded('block-latest') as { hash: Hex; transactions: { hash: Hex }[] };
const RECEIPTS = recorded('block-receipts-latest') as Json[];

let answers: { readonly block: Json; readonly receipts: Json };
const answer = (method: string): Reply | undefined => {
  if (method === 'eth_getBlockByNumber') return { result: answers.block };
  if (method === 'eth_getBlockReceipts') return { result: answers.receipts };
  if (method === 'eth_getTransactionReceipt') return { result: null };
  return undefined;
};
const server = await startJsonRpcServer(createScriptedChain(), { answer });
afterAll(() => server.stop());

function changed(value: Json, path: readonly number[], by: Json): Json {
  const [first, ...rest] = path;
  if (first === undefined || typeof value !== 'object' || value === null) return by;
  const keys = Object.keys(value);
  const key = keys[first % keys.length];
  if (key === undefined) return by;
  if (Array.isArray(value)) {
    return value.map((each, index) => (String(index) === key ? changed(each, rest, by) : each));
  }
  return { ...value, [key]: changed(value[key] ?? null, rest, by) };
}

const path = fc.array(fc.nat(40), { maxLength: 3 });
const oddity = fc.oneof(
  fc.jsonValue().map((value) => value as Json),
  fc.constantFrom<Json>(null, '0x', '0x0', '0xzz', `0x${'f'.repeat(64)}`, `0x${'0'.repeat(64)}`, [], {}),
  fc.bigInt({ min: 0n, max: 2n ** 256n }).map((value) => `0x${value.toString(16)}`),
);

test('whatever a node answers, what comes out is that very block in order, null, or an error of one clean line', async () => {
  const outcomes = { read: 0, gone: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.boolean(), path, oddity, async (ofReceipts, where, by) => {
      answers = {
        block: ofReceipts ? (BLOCK as unknown as Json) : changed(BLOCK as unknown as Json, where, by),
        receipts: ofReceipts ? changed(RECEIPTS, where, by) : RECEIPTS,
      };
      const source = createRpcSource({ urls: [server.url], clock: manualClock() });
      try {
        const included = await source.transactionsOf({ number: 54, hash: BLOCK.hash });
        if (included === null) {
          outcomes.gone++;
          return;
        }
        outcomes.read++;
        const hashes = (answers.block as unknown as typeof BLOCK).transactions.map(({ hash }) => hash);
        expect(included.map(({ transaction }) => transaction.hash)).toEqual(hashes);
        for (const { transaction, receipt } of included) {
          expect(receipt.hash).toBe(transaction.hash);
          expect([receipt.blockHash, transaction.blockHash]).toEqual([BLOCK.hash, BLOCK.hash]);
        }
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        outcomes.refused++;
        expect(error.message).toMatch(/^[^\p{Cc}]{10,300}$/u);
      }
    }),
    { seed: 3, numRuns: rounds(600) },
  );
  for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(0);
});
