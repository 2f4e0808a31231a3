import fc from 'fast-check';
import { fromRlp, hexToBytes } from 'viem';
import { describe, expect, it } from 'vitest';
import { decodeTransaction } from '../../../src/core/transactions/decode-transaction.ts';
import { TransactionError } from '../../../src/core/transactions/signed-text.ts';
import { anyCharacter } from '../../helpers/any-character.ts';
import { isSlowRun, rounds } from '../../helpers/rounds.ts';
import { refusalOf, signedSamples } from './support/signed-samples.ts';

type Tree = Uint8Array | readonly Tree[];

/** Ways in which an encoding can be another than the canonical one and still be read by a careless reader. */
const DEFORMITIES = ['long header', 'length with zeros', 'boxed byte', 'leading zero'] as const;
type Deformity = (typeof DEFORMITIES)[number];

/** Encodes a tree with the item numbered `at` (from the root) deformed; `null` where it cannot be, or is not there. */
function encodeLoosely(tree: Tree, at: number, how: Deformity): Uint8Array | null {
  let next = 0;
  let isDeformed = false;
  const encode = (item: Tree): Uint8Array => {
    const isChosen = next++ === at;
    const isList = Array.isArray(item);
    const payload = item instanceof Uint8Array ? item : joined(item.map(encode));
    const deformed = isChosen ? deform(payload, isList, how) : null;
    isDeformed ||= deformed !== null;
    return deformed ?? encodeString(payload, isList);
  };
  const encoded = encode(tree);
  return isDeformed ? encoded : null;
}

const encodeRlp = (tree: Tree): Uint8Array =>
  tree instanceof Uint8Array ? encodeString(tree, false) : encodeString(joined(tree.map(encodeRlp)), true);

function encodeString(payload: Uint8Array, isList: boolean): Uint8Array {
  const [first] = payload;
  if (!isList && payload.length === 1 && first !== undefined && first < 0x80) return payload;
  const base = isList ? 0xc0 : 0x80;
  if (payload.length <= 55) return joined([Uint8Array.of(base + payload.length), payload]);
  const length = lengthBytes(payload.length);
  return joined([Uint8Array.of(base + 55 + length.length), length, payload]);
}

function deform(payload: Uint8Array, isList: boolean, how: Deformity): Uint8Array | null {
  const base = isList ? 0xc0 : 0x80;
  const [first = 0x80] = payload;
  if (how === 'long header' && payload.length <= 55) {
    return joined([Uint8Array.of(base + 56, payload.length), payload]);
  }
  if (how === 'length with zeros' && payload.length > 55) {
    const length = lengthBytes(payload.length);
    return joined([Uint8Array.of(base + 56 + length.length, 0), length, payload]);
  }
  if (how === 'boxed byte' && !isList && payload.length === 1 && first < 0x80) {
    return joined([Uint8Array.of(0x81), payload]);
  }
  if (how === 'leading zero' && !isList) return encodeString(joined([Uint8Array.of(0), payload]), false);
  return null;
}

function lengthBytes(length: number): Uint8Array {
  const hex = length.toString(16);
  return Uint8Array.from(Buffer.from(hex.length % 2 === 1 ? `0${hex}` : hex, 'hex'));
}

const joined = (parts: readonly Uint8Array[]) => Uint8Array.from(Buffer.concat(parts));

const signed = await signedSamples();
const samples = Object.entries(signed).map(([name, raw]) => ({
  name,
  bytes: hexToBytes(raw),
  said: decodeTransaction(raw),
}));
const small = samples.filter(({ name }) => !name.startsWith('blobs'));
const anySample = fc.constantFrom(...small);
const RUNS = { numRuns: rounds(400) };

const REPEATED = 16;

/** What came of it: taken, or refused in one clear line that repeats nothing of what was given. */
function outcome(raw: string | Uint8Array) {
  try {
    return decodeTransaction(raw);
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    expect(error.message).toMatch(/^[^\p{Cc}]{10,200}$/u);
    expect(error.cause).toBeUndefined();
    if (typeof raw === 'string') expectNothingOf(raw, error.message);
    else {
      // Digits alone: all that bytes in hex can be repeated as.
      for (const [digits] of error.message.matchAll(/[0-9a-f]{16,}/gi))
        expectNothingOf(Buffer.from(raw).toString('hex'), digits);
      if (raw.length < 10_000) expectNothingOf(Buffer.from(raw).toString('latin1'), error.message, 8);
    }
    return null;
  }
}

function expectNothingOf(given: string, message: string, length = REPEATED): void {
  const [text, said] = [given.toLowerCase(), message.toLowerCase()];
  for (let at = 0; at + length <= said.length; at++) {
    if (text.includes(said.slice(at, at + length))) throw new Error(`it repeats what was given: ${message}`);
  }
}

function partsOf(bytes: Uint8Array): [type: Uint8Array, list: Tree] {
  const type = (bytes[0] ?? 0) < 5 ? bytes.subarray(0, 1) : new Uint8Array();
  return [type, fromRlp(bytes.subarray(type.length), 'bytes')];
}

describe('any input', () => {
  const tree = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.uint8Array({ maxLength: 40 }),
      fc.array(tie('tree'), { maxLength: 6 }),
    ),
  })).tree;
  const listOfType = fc
    .tuple(fc.integer({ min: 0, max: 5 }), fc.array(tree, { minLength: 4, maxLength: 14 }))
    .map(([type, fields]) => Uint8Array.of(...(type === 0 ? [] : [type]), ...encodeRlp(fields)));
  const nearlyHex = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF \n"\''), maxLength: 200 });
  const anyText = fc.string({ unit: anyCharacter, maxLength: 200 });

  it.each<[string, fc.Arbitrary<string | Uint8Array>]>([
    ['bytes', fc.uint8Array({ maxLength: 300 })],
    ['bytes behind a type and a list of the right length', listOfType],
    [
      'text',
      fc.oneof(
        anyText,
        nearlyHex,
        nearlyHex.map((digits) => `0x${digits}`),
      ),
    ],
  ])('of %s is taken or refused, and nothing else', (_, input) => {
    fc.assert(
      fc.property(input, (given) => {
        outcome(given);
      }),
      RUNS,
    );
  });

  it.each(samples)('$name, cut off anywhere, is refused', ({ bytes }) => {
    const cut = fc.integer({ min: 0, max: bytes.length - 1 });
    fc.assert(
      fc.property(cut, (length) => {
        expect(outcome(bytes.subarray(0, length))).toBeNull();
      }),
      { numRuns: rounds(bytes.length > 10_000 ? 50 : 400) },
    );
  });

  it('a valid one with bytes changed, put in or taken out is refused, or another one in its only encoding', () => {
    const header = fc.constantFrom(
      ...[0x80, 0x81, 0xb7, 0xb8, 0xb9, 0xc0, 0xc1, 0xc2, 0xf7, 0xf8, 0xf9, 0, 1, 0x7f],
    );
    const byte = fc.oneof(header, fc.nat(255));
    const change = (most: number) =>
      fc.record({ at: fc.nat(), taken: fc.nat(most), put: fc.array(byte, { maxLength: most }) });
    const changes = fc.oneof(
      { weight: 2, arbitrary: fc.tuple(change(2)) },
      fc.array(change(2), { minLength: 2, maxLength: 4 }),
      fc.tuple(change(60)),
    );
    let taken = 0;
    fc.assert(
      fc.property(anySample, changes, ({ bytes, said }, each) => {
        let other = bytes;
        for (const { at, taken: gone, put } of each) {
          const from = at % (other.length + 1);
          other = Uint8Array.of(...other.subarray(0, from), ...put, ...other.subarray(from + gone));
        }
        fc.pre(Buffer.compare(other, bytes) !== 0);
        const after = outcome(other);
        // Whoever changes what was signed, or the signature, does not sign in its name.
        expect(after?.hash).not.toBe(said.hash);
        expect(after?.from).not.toBe(said.from);
        if (after === null) return;
        taken++;
        const [type, tree] = partsOf(other);
        expect(Uint8Array.of(...type, ...encodeRlp(tree))).toEqual(other);
      }),
      { numRuns: isSlowRun ? 20_000 : 200 },
    );
    expect(taken).toBeGreaterThan(isSlowRun ? 20 : 2);
  });
});

describe('one encoding', () => {
  it.each(samples)('$name: no item of it may be written in any other way', ({ bytes, said }) => {
    const [type, tree] = partsOf(bytes);
    expect(Buffer.compare(Buffer.concat([type, encodeRlp(tree)]), bytes)).toBe(0);
    // A large one takes a hundred times as long as a small one.
    const step = bytes.length > 10_000 && !isSlowRun ? 15 : 1;
    let tried = 0;
    for (const how of DEFORMITIES) {
      for (let at = 0; at < 60; at += step) {
        const deformed = encodeLoosely(tree, at, how);
        if (deformed === null) continue;
        // A zero before bytes that are data is other data.
        const other = outcome(Uint8Array.from(Buffer.concat([type, deformed])));
        expect(other?.from, `${how} of item ${at}`).not.toBe(said.from);
        if (how !== 'leading zero') expect(other, `${how} of item ${at}`).toBeNull();
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(20 / step);
  });

  it('lengths beyond all memory are refused', () => {
    for (const header of [0xbf, 0xff]) {
      const bytes = Uint8Array.of(header, ...Array.from({ length: 8 }, () => 0xff), 1, 2, 3);
      expect(outcome(bytes)).toBeNull();
      expect(outcome(Uint8Array.of(2, ...bytes))).toBeNull();
    }
    expect(outcome(new Uint8Array(100_000).fill(0xf7))).toBeNull();
    // A megabyte of the smallest items: each would take a hundred times what it takes here.
    const smallest = Uint8Array.from([3, 0xfa, 0x0f, 0x00, 0x00, ...new Uint8Array(0x0f0000)]);
    expect(refusalOf(smallest)).toMatch('no transaction has so many fields');
    expect(outcome(new Uint8Array(40_000).fill(0xc1))).toBeNull();
  });
});
