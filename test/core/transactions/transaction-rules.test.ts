import { fromRlp, type Hex, toHex, toRlp } from 'viem';
import { describe, expect, it } from 'vitest';
import { decodeTransaction } from '../../../src/core/transactions/decode-transaction.ts';
import { FRIEND, refusalOf, signedSamples, withoutSidecar } from './support/signed-samples.ts';

const samples = await signedSamples();

type Tree = Hex | readonly Tree[];

const FIELD = {
  chainId: 0,
  nonce: 1,
  tip: 2,
  maxFee: 3,
  gas: 4,
  to: 5,
  value: 6,
  data: 7,
  accessList: 8,
} as const;
const UNSIGNED = 'this transaction is not signed yet: sign it in the wallet and give the result';

/** A transaction with one field as somebody else would have it. The signature no longer fits, which is seen last. */
function changed(raw: Hex, field: number, value: Tree): Hex {
  const type = raw.slice(0, 4) as Hex;
  const tree = fromRlp(`0x${raw.slice(4)}`, 'hex') as readonly Tree[];
  return `${type}${toRlp(tree.with(field, value) as Hex[]).slice(2)}` as Hex;
}

function changedLegacy(field: number, value: Tree): Hex {
  return toRlp((fromRlp(samples.legacy, 'hex') as readonly Tree[]).with(field, value) as Hex[]);
}

const ENCODING = /^it is not encoded in the one way/;
const LARGE = /^a number of it is larger than it may be/;
const ADDRESS = /^an address in it is missing or has not 20 bytes/;
const COUNT = /^it has not as many fields as a signed transaction/;
const NO_KEY = /^its signature is none that a key can make/;
const PARITY = /^the y parity of its signature is neither 0 nor 1/;
const HIGHER = /^its signature has the higher of two s values/;
const V = /^v of its signature is neither 27, 28 nor of a chain/;

it.each<[string, keyof typeof FIELD, Tree, RegExp]>([
  ['chain 0', 'chainId', '0x', /^it is signed for chain 0/],
  ['a chain id beyond 2^53 − 1', 'chainId', toHex(2n ** 53n), LARGE],
  ['a nonce beyond 2^53 − 1', 'nonce', toHex(2n ** 53n), LARGE],
  ['the nonce that EIP-2681 forbids', 'nonce', toHex(2n ** 64n - 1n), LARGE],
  ['a nonce with leading zeros', 'nonce', '0x0001', ENCODING],
  ['a nonce of one zero byte', 'nonce', '0x00', ENCODING],
  ['a nonce that is a list', 'nonce', [], ENCODING],
  ['a tip above the max fee', 'tip', toHex(40_000_000_000n), /^its max priority fee is above its max fee/],
  ['a tip without a max fee', 'maxFee', '0x', /^its max priority fee is above its max fee/],
  ['a max fee beyond 2^53 − 1', 'maxFee', toHex(2n ** 53n), LARGE],
  ['a gas limit beyond 2^53 − 1', 'gas', toHex(2n ** 53n), LARGE],
  ['19 bytes of an address', 'to', FRIEND.slice(0, 40) as Hex, ADDRESS],
  ['21 bytes of an address', 'to', `${FRIEND}00`, ADDRESS],
  ['an address that is a list', 'to', [FRIEND], ENCODING],
  ['a value beyond 256 bits', 'value', toHex(2n ** 256n), LARGE],
  ['data that is a list', 'data', [], ENCODING],
  ['an access list that is none', 'accessList', '0x', ENCODING],
  ['an entry that is none', 'accessList', ['0x'], ADDRESS],
  ['an entry without keys', 'accessList', [[FRIEND]], ENCODING],
  ['an entry without address', 'accessList', [['0x', []]], ADDRESS],
  ['a key of 31 bytes', 'accessList', [[FRIEND, [`0x${'ab'.repeat(31)}`]]], ENCODING],
  ['a key that is a list', 'accessList', [[FRIEND, [[]]]], ENCODING],
  ['keys that are no list', 'accessList', [[FRIEND, '0x']], ENCODING],
  ['lists in lists in lists', 'accessList', [[FRIEND, [[[]]]]], ENCODING],
])('a field of type 2 is refused: %s', (_, field, value, reason) => {
  expect(refusalOf(changed(samples['dynamic fee'], FIELD[field], value))).toMatch(reason);
});

describe('signatures', () => {
  const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

  it.each<[string, number, Tree, RegExp]>([
    ['a y parity of 2', 9, '0x02', PARITY],
    ['a y parity of 27', 9, '0x1b', PARITY],
    ['no r', 10, '0x', NO_KEY],
    ['no s', 11, '0x', NO_KEY],
    ['an r that is the order', 10, toHex(ORDER), NO_KEY],
    ['an s that is the order', 11, toHex(ORDER), NO_KEY],
    ['an s above half of the order', 11, toHex(ORDER / 2n + 1n), HIGHER],
  ])('of type 2 are refused with %s', (_, field, value, reason) => {
    expect(refusalOf(changed(samples['dynamic fee'], field, value))).toMatch(reason);
  });

  it('of which a second one fits are refused (EIP-2)', () => {
    const tree = fromRlp(`0x${samples['dynamic fee'].slice(4)}`, 'hex') as Hex[];
    const [parity, , s] = tree.slice(9);
    const flipped = changed(samples['dynamic fee'], 9, parity === '0x' ? '0x01' : '0x');
    expect(refusalOf(changed(flipped, 11, toHex(ORDER - BigInt(s ?? 0))))).toMatch(HIGHER);
  });

  it.each<[string, Tree, RegExp]>([
    ['0', '0x', V],
    ['26', '0x1a', V],
    ['29', '0x1d', V],
    ['of chain 0', '0x23', V],
    ['of a chain beyond 2^53 − 1', toHex(2n ** 60n), LARGE],
    ['of a chain beyond all numbers', `0x${'ff'.repeat(200)}`, LARGE],
  ])('of type 0 are refused with v %s', (_, v, reason) => {
    expect(refusalOf(changedLegacy(6, v))).toMatch(reason);
  });

  it('that are not there yet are asked for', () => {
    for (const raw of [samples['access list'], samples['dynamic fee'], samples['set code']]) {
      const fields = fromRlp(`0x${raw.slice(4)}`, 'hex') as Hex[];
      expect(refusalOf(`${raw.slice(0, 4)}${toRlp(fields.slice(0, -3)).slice(2)}`)).toBe(UNSIGNED);
      expect(
        refusalOf(`${raw.slice(0, 4)}${toRlp([...fields.slice(0, -3), '0x', '0x', '0x']).slice(2)}`),
      ).toBe(UNSIGNED);
    }
    const blobs = fromRlp(`0x${withoutSidecar(samples.blobs).slice(4)}`, 'hex') as Hex[];
    expect(refusalOf(`0x03${toRlp(blobs.slice(0, -3)).slice(2)}`)).toBe(UNSIGNED);
    const legacy = fromRlp(samples.legacy, 'hex') as Hex[];
    expect(refusalOf(toRlp(legacy.slice(0, 6)))).toBe(UNSIGNED);
    expect(refusalOf(toRlp([...legacy.slice(0, 6), '0x01', '0x', '0x']))).toBe(UNSIGNED);
    expect(refusalOf(toRlp(legacy.slice(0, 8)))).toMatch(COUNT);
  });
});

describe('set code (EIP-7702)', () => {
  const raw = samples['set code'];
  const entry: Tree[] = ['0x01', FRIEND, '0x08', '0x01', '0x01', '0x01'];

  it.each<[string, number, Tree, RegExp]>([
    ['without authorizations', 9, [], /^it has no authorizations/],
    ['with an authorization of five fields', 9, [entry.slice(1)], LARGE],
    ['with an authorization without an address', 9, [entry.with(1, '0x')], ADDRESS],
    ['with a nonce beyond 2^53 − 1', 9, [entry.with(2, toHex(2n ** 53n))], LARGE],
    ['with a parity of 2', 9, [entry.with(3, '0x02')], /^the y parity of/],
    ['without an address', 5, '0x', ADDRESS],
  ])('is refused %s', (_, field, value, reason) => {
    expect(refusalOf(changed(raw, field, value))).toMatch(reason);
  });

  it('is taken where a signature in it is none: the chain skips that one', () => {
    expect(decodeTransaction(changed(raw, 9, [entry, entry])).type).toBe(4);
  });
});

describe('blobs (EIP-4844, EIP-7594)', () => {
  const parts = (raw: Hex) => fromRlp(`0x${raw.slice(4)}`, 'hex') as Tree[];
  const whole = (tree: readonly Tree[]): Hex => `0x03${toRlp(tree as Hex[]).slice(2)}`;
  const [transaction = [], blobs = [], commitments = [], proofs = []] = parts(samples.blobs) as Hex[][];
  const other: Hex = `0x${'ee'.repeat(48)}`;
  const tx = (field: number, value: Tree) => transaction.with(field, value as Hex);

  const APART = /^the blobs, commitments and proofs of its sidecar do not belong together/;
  const FORM = /^its sidecar has a form that is not known/;

  it.each<[string, Tree[], RegExp]>([
    ['one blob is missing', [transaction, blobs.slice(1), commitments, proofs], APART],
    ['one commitment is missing', [transaction, blobs, commitments.slice(1), proofs], APART],
    ['one proof is missing', [transaction, blobs, commitments, proofs.slice(1)], APART],
    ['cells have one proof', [transaction, '0x01', blobs, commitments, proofs], APART],
    ['it holds others', [transaction, blobs, [commitments[0] ?? '0x', other], proofs], /other blobs than/],
    ['it has fewer', [transaction, blobs.slice(1), commitments.slice(1), proofs.slice(1)], /other blobs/],
    ['a commitment is short', [transaction, blobs, ['0xab', other], proofs], APART],
    ['a blob is short', [transaction, ['0xab', '0xab'], commitments, proofs], APART],
    ['a proof is a list', [transaction, blobs, commitments, [[], []]], APART],
    ['its version is 2', [transaction, '0x02', blobs, commitments, proofs], FORM],
    ['its version is written 0', [transaction, '0x', blobs, commitments, proofs], FORM],
    ['its lists are none', [transaction, '0x', '0x', '0x'], APART],
    ['it has six parts', [transaction, '0x01', blobs, commitments, proofs, []], FORM],
    ['it has nothing beside', [transaction], FORM],
    ['it has another within', [parts(samples.blobs), blobs, commitments, proofs], ENCODING],
    ['it has no recipient', [tx(5, '0x'), blobs, commitments, proofs], ADDRESS],
    ['it names no blob', [tx(10, []), [], [], []], /^it is a blob transaction that names no blob/],
    [
      'a hash has another version',
      [tx(10, [`0x02${'ab'.repeat(31)}`]), blobs, commitments, proofs],
      /^a blob hash/,
    ],
    ['a hash is short', [tx(10, ['0x01ab']), blobs, commitments, proofs], ENCODING],
    ['its blob fee is beyond 2^53 − 1', [tx(9, toHex(2n ** 53n)), blobs, commitments, proofs], LARGE],
  ])('are refused where %s', (_, tree, reason) => {
    expect(refusalOf(whole(tree))).toMatch(reason);
  });

  it('are refused without them, which is how a block holds the transaction', () => {
    expect(refusalOf(withoutSidecar(samples.blobs))).toMatch(/^it is a blob transaction without its blobs/);
  });
});
