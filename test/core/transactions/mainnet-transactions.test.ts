import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type Hex, hexToBigInt, serializeTransaction, type TransactionSerializable } from 'viem';
import { expect, it } from 'vitest';
import { decodeTransaction } from '../../../src/core/transactions/decode-transaction.ts';
import { describeCall } from '../../../src/core/transactions/describe-call.ts';
import { isSlowRun } from '../../helpers/rounds.ts';
import { refusalOf } from './support/signed-samples.ts';

interface Mined {
  readonly hash: Hex;
  readonly type: Hex;
  readonly from: Hex;
  readonly to: Hex | null;
  readonly input: Hex;
  readonly gas: Hex;
  readonly r: Hex;
  readonly s: Hex;
  readonly v: Hex;
  readonly [field: string]: unknown;
}

const folder = new URL('../../fixtures/rpc/mainnet-blocks/', import.meta.url);

function minedIn(block: number): readonly Mined[] {
  const text = gunzipSync(readFileSync(new URL(`${block}.json.gz`, folder))).toString('utf8');
  return JSON.parse(text).transactions;
}

function sent(mined: Mined): Hex {
  const number = (name: string) =>
    typeof mined[name] === 'string' ? hexToBigInt(mined[name] as Hex) : undefined;
  const v = hexToBigInt(mined.v);
  const transaction = {
    type: ['legacy', 'eip2930', 'eip1559', 'eip4844'][Number(mined.type)],
    chainId: Number(number('chainId') ?? 0n) || undefined,
    nonce: Number(number('nonce')),
    gas: number('gas'),
    to: mined.to,
    value: number('value'),
    data: mined.input,
    accessList: mined.accessList,
    gasPrice: mined.maxFeePerGas === undefined ? number('gasPrice') : undefined,
    maxFeePerGas: number('maxFeePerGas'),
    maxPriorityFeePerGas: number('maxPriorityFeePerGas'),
    maxFeePerBlobGas: number('maxFeePerBlobGas'),
    blobVersionedHashes: mined.blobVersionedHashes,
  } as TransactionSerializable;
  return serializeTransaction(transaction, { r: mined.r, s: mined.s, v, yParity: Number(v) % 2 });
}

it.each([17034870, 19426587, 19932148])(
  'each transaction of block %i is described in one line, and (an eighth in npm test) has hash and sender of the chain',
  (block) => {
    const mined = minedIn(block);
    expect(mined.length).toBeGreaterThan(30);
    for (const [at, one] of mined.entries()) {
      const call = describeCall(one.input, one.to);
      expect(call?.words, one.hash).toMatch(/^[^\p{Cc}]{10,600}$/u);
      if (call?.signature != null) expect(call.words, one.hash).not.toMatch(/cannot be read|\?|undefined/);
      if (!isSlowRun && at % 8 !== 0) continue;
      if (one.type === '0x3') {
        expect(refusalOf(sent(one))).toMatch(/^it is a blob transaction without its blobs/);
        continue;
      }
      const decoded = decodeTransaction(sent(one));
      expect(decoded).toMatchObject({ hash: one.hash, data: one.input });
      expect(decoded.from.toLowerCase()).toBe(one.from);
    }
  },
);
