import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { keccak256, parseTransaction } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import type { Hex } from '../../../src/core/block.ts';
import { decodeTransaction } from '../../../src/core/transactions/decode-transaction.ts';
import { gasNeeded, RULES } from '../../../src/core/transactions/gas-rules.ts';
import type { SignedTransaction } from '../../../src/core/transactions/signed-transaction.ts';
import { rounds } from '../../helpers/rounds.ts';
import { refusalOf } from './support/signed-samples.ts';

const fixtures = new URL('../../fixtures/', import.meta.url);
const unzipped = (path: string) => gunzipSync(readFileSync(new URL(path, fixtures))).toString('utf8');

const leastGas = ({ parts }: SignedTransaction) => BigInt(parts ? gasNeeded(parts, RULES.osaka).min : -1);

describe('the 200 transactions of ethers', () => {
  type Form = 'signedLegacy' | 'signedEip155' | 'signedBerlin' | 'signedLondon' | 'signedCancun';
  const vectors: (Record<Form, Hex> & {
    name: string;
    privateKey: Hex;
    transaction: Record<string, unknown>;
  })[] = JSON.parse(unzipped('vectors/ethers_transactions_200.json.gz'));
  const NO_CHAIN = 'it is signed for chain 0, which no chain is: sign it for a chain';
  const NOT_GIVEN = 'there is nothing: give the signed transaction, hex that begins with 0x';

  it('are 200', () => expect(vectors).toHaveLength(200));

  it.each(['signedLegacy', 'signedEip155', 'signedBerlin', 'signedLondon'] as const)(
    '%s: each (a tenth in npm test) has the published sender, hash and fields, or the reason why not',
    (form) => {
      for (const vector of vectors.slice(0, rounds(200))) {
        const refusal = expectedRefusal(form, vector[form], vector.transaction);
        if (refusal !== null) {
          expect(refusalOf(vector[form]), vector.name).toBe(refusal);
          continue;
        }
        const decoded = decodeTransaction(vector[form]);
        expect(decoded.from, vector.name).toBe(privateKeyToAddress(vector.privateKey));
        expect(decoded.hash, vector.name).toBe(keccak256(vector[form]));
        expectFields(decoded, vector[form]);
      }
    },
  );

  it('signedCancun: have no sidecar, and that is said', () => {
    for (const { name, signedCancun } of vectors) {
      expect(refusalOf(signedCancun), name).toBe(
        signedCancun.length <= 2
          ? NOT_GIVEN
          : 'it is a blob transaction without its blobs, which nodes refuse: give the form with the sidecar (blobs, commitments, proofs)',
      );
    }
  });

  function expectedRefusal(form: Form, raw: Hex, of: Record<string, unknown>): string | null {
    if (raw.length <= 2) return NOT_GIVEN;
    if (form !== 'signedLegacy' && Number(of.chainId ?? 0) === 0) return NO_CHAIN;
    if (form === 'signedLondon' && BigInt(String(of.maxFeePerGas ?? 0)) > BigInt(Number.MAX_SAFE_INTEGER)) {
      return 'a number of it is larger than it may be (2^53 − 1, or 2^256 − 1 wei of value): sign it again with less';
    }
    return null;
  }
});

function expectFields(decoded: SignedTransaction, raw: Hex): void {
  const known = parseTransaction(raw);
  expect(decoded).toMatchObject({
    chainId: known.chainId ?? null,
    nonce: known.nonce ?? 0,
    gasLimit: known.gas ?? 0n,
    value: known.value ?? 0n,
    data: known.data ?? '0x',
    gasPrice: 'gasPrice' in known ? (known.gasPrice ?? 0n) : known.type === 'eip1559' ? null : 0n,
  });
  expect(decoded.to?.toLowerCase()).toBe(known.to?.toLowerCase());
}

describe('the transaction tests of ethereum/tests', () => {
  const ENCODING = /^it is not encoded in the one way/;
  const TOO_LARGE = /^a number of it is larger/;
  const REASONS: Readonly<Record<string, RegExp>> = {
    ADDRESS_TOO_LONG: /^an address in it/,
    ADDRESS_TOO_SHORT: /^an address in it/,
    GASLIMIT_PRICE_PRODUCT_OVERFLOW: TOO_LARGE,
    PRIORITY_OVERFLOW: /max priority fee is above its max fee/,
    GASPRICE_OVERFLOW: TOO_LARGE,
    NONCE_OVERFLOW: TOO_LARGE,
    RLP_LEADING_ZEROS_PRIORITY_FEE: /max priority fee is above its max fee|^it is not encoded/,
    RLP_LEADING_ZEROS_GASLIMIT: ENCODING,
    RLP_LEADING_ZEROS_NONCE: ENCODING,
    RLP_LEADING_ZEROS_V: ENCODING,
    RLP_LEADING_ZEROS_DATA_SIZE: ENCODING,
    RLP_LEADING_ZEROS_NONCE_SIZE: ENCODING,
    RLP_ERROR_SIZE: /^it is not encoded|bytes after the end|^it ends in the middle/,
    RLP_INVALID_HEADER: /^no signed transaction begins like this/,
    RLP_INVALID_SIGNATURE_R: ENCODING,
    RLP_INVALID_TO: ENCODING,
    INVALID_SIGNATURE_VRS:
      /^its signature (is none that a key can make|has the higher of two s values)|is not signed yet|^v of its signature/,
    EC_RECOVERY_FAIL: /^its signature is none that a key can make/,
    INVALID_CHAINID:
      /chain 0|^a number of it|^v of its signature is neither|higher of two s values|is not signed yet/,
  };
  const folder = new URL('vectors/ethereum-tests-transactions/', fixtures);
  const cases = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => {
      const { txbytes, result } = Object.values(
        JSON.parse(readFileSync(new URL(name, folder), 'utf8')),
      )[0] as {
        txbytes: Hex;
        result: Record<string, { exception?: string; sender?: string; hash?: string; intrinsicGas: string }>;
      };
      const newest = result.Prague ?? result.Cancun ?? result.Shanghai;
      if (newest === undefined) throw new Error(`${name} says nothing of a fork that counts`);
      return {
        name,
        raw: txbytes,
        ...newest,
        exception: newest.exception?.replace('TransactionException.', ''),
      };
    });

  it('are all there', () => expect(cases.length).toBeGreaterThanOrEqual(60));

  it.each(cases.filter(({ exception }) => exception === undefined))('$name is taken', (vector) => {
    if (vector.name === 'ttGasLimit__TransactionWithHighGasLimit63Plus1.json') {
      expect(refusalOf(vector.raw)).toMatch(TOO_LARGE);
      return;
    }
    const decoded = decodeTransaction(vector.raw);
    expect(decoded.from.toLowerCase()).toBe(vector.sender);
    expect(decoded.hash).toBe(vector.hash);
    // Theirs end before EIP-7623, whose floor can only be more.
    expect(leastGas(decoded)).toBeGreaterThanOrEqual(BigInt(vector.intrinsicGas));
  });

  it.each(cases.filter(({ exception }) => exception !== undefined))('$name: $exception', (vector) => {
    const exception = vector.exception ?? '';
    // What depends on the chain it is for is decoded, and the pre-flight refuses it.
    if (exception === 'INTRINSIC_GAS_TOO_LOW') {
      const decoded = decodeTransaction(vector.raw);
      expect(decoded.gasLimit).toBeLessThan(leastGas(decoded));
    } else if (
      ['Vitalik_16', 'wrongvalue_121', 'wrongvalue_124', 'VEqual41'].some((of) => vector.name.includes(of))
    ) {
      expect(decodeTransaction(vector.raw).chainId).not.toBe(1);
    } else {
      // Of the length of a key or a signature, that is what it is taken for.
      const lookalike = /^this (looks like a private key|is only a signature)/;
      const isLookalike = [32, 65].includes((vector.raw.length - 2) / 2);
      expect(refusalOf(vector.raw)).toMatch(
        isLookalike ? lookalike : (REASONS[exception] ?? /no such reason/),
      );
    }
  });
});

it.each([
  ['access-list-transaction', 1],
  ['dynamic-fee-transaction', 2],
  ['dynamic-fee-access-list-transaction', 2],
  ['legacy-transaction', 0],
  ['blob-tx', 3],
] as const)('%s of the JSON-RPC conformance suite has the hash that it answered', (name, type) => {
  const lines = unzipped(`rpc/execution-apis/send-${name}.io.gz`).split('\n');
  const said = (mark: string) => JSON.parse(lines.find((line) => line.startsWith(mark))?.slice(3) ?? '');
  const decoded = decodeTransaction(said('>>').params[0]);
  expect(decoded.hash).toBe(said('<<').result);
  expect(decoded.type).toBe(type);
  // The chain id and the account that the suite's chain gives its funds to.
  expect(decoded.chainId).toBe(0xc72dd9d5e883e);
  expect(decoded.blobCount).toBe(type === 3 ? 1 : 0);
});
