import type { AbiTuple, AbiType } from './abi-function.ts';

/** What was read, with the type it was read as. */
export type AbiValue =
  | { readonly kind: 'integer'; readonly bits: number; readonly value: bigint }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'address' | 'bytes' | 'string'; readonly bytes: Uint8Array }
  | { readonly kind: 'list'; readonly items: readonly AbiValue[] }
  | { readonly kind: 'tuple'; readonly fields: readonly AbiArgument[] };

export interface AbiArgument {
  readonly name: string;
  readonly type: string;
  readonly value: AbiValue;
}

const WORD = 32;

/**
 * Reads the arguments of a call, without its selector; never throws, whatever the bytes are. `null` where one lies
 * outside or is no value of its type: contracts revert then, or make of it what they like. Bytes after the arguments are
 * allowed, as contracts allow them, and counted.
 */
export function readAbi(bytes: Uint8Array, inputs: AbiTuple): ReadArguments | null {
  try {
    const data = new AbiBytes(bytes);
    return { args: readFields(data, inputs, 0), rest: data.rest };
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

export interface ReadArguments {
  readonly args: readonly AbiArgument[];
  /** How many bytes come after the last argument. */
  readonly rest: number;
}

/** Bytes, and how far they were read. */
class AbiBytes {
  readonly #bytes: Uint8Array;
  #end = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** What is no whole word is filled up to one. */
  get rest(): number {
    return Math.max(this.length - Math.ceil(this.#end / WORD) * WORD, 0);
  }

  subarray(from: number, to: number): Uint8Array {
    this.#end = Math.max(this.#end, to);
    return this.#bytes.subarray(from, to);
  }
}

class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

function readFrom(data: AbiBytes, type: Exclude<AbiType, { kind: 'value' }>, start: number): AbiValue {
  if (type.kind === 'tuple') return { kind: 'tuple', fields: readFields(data, type, start) };
  const length = sizeAt(data, start);
  const from = start + WORD;
  if (type.kind === 'list') return readItems(data, type.of, from, length);
  if (from + length > data.length) throw new Unreadable();
  return { kind: type.kind, bytes: data.subarray(from, from + length) };
}

function readFields(data: AbiBytes, type: AbiTuple, start: number): AbiArgument[] {
  let at = start;
  return type.fields.map((field) => {
    const value = readPlaced(data, field.type, start, at);
    at += (field.type.words ?? 1) * WORD;
    return { name: field.name, type: field.type.name, value };
  });
}

function readItems(data: AbiBytes, of: AbiType, from: number, length: number): AbiValue {
  const step = (of.words ?? 1) * WORD;
  // Before anything is made of so many: a length is only a claim.
  if (from + length * step > data.length) throw new Unreadable();
  const items = Array.from({ length }, (_, index) => readPlaced(data, of, from, from + index * step));
  return { kind: 'list', items };
}

/** A value within a tuple or list that begins at `base`: there itself, or an offset to it. */
function readPlaced(data: AbiBytes, type: AbiType, base: number, at: number): AbiValue {
  if (type.kind === 'value') return readValue(wordAt(data, at), type.name);
  return readFrom(data, type, type.words === null ? base + sizeAt(data, at) : at);
}

function readValue(word: Uint8Array, name: string): AbiValue {
  if (name === 'bytes32') return { kind: 'bytes', bytes: word };
  const value = toInteger(word);
  if (name === 'address') {
    if (value >> 160n !== 0n) throw new Unreadable();
    return { kind: 'address', bytes: word.subarray(12) };
  }
  if (name === 'bool') {
    if (value > 1n) throw new Unreadable();
    return { kind: 'bool', value: value === 1n };
  }
  const bits = Number(/\d+$/.exec(name)?.[0]);
  const isSigned = name.startsWith('int');
  const kept = isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
  if (BigInt.asUintN(256, kept) !== value) throw new Unreadable();
  return { kind: 'integer', bits, value: kept };
}

/** An offset or length: no more than there are bytes. */
function sizeAt(data: AbiBytes, at: number): number {
  const size = toInteger(wordAt(data, at));
  if (size > BigInt(data.length)) throw new Unreadable();
  return Number(size);
}

function wordAt(data: AbiBytes, at: number): Uint8Array {
  if (at + WORD > data.length) throw new Unreadable();
  return data.subarray(at, at + WORD);
}

function toInteger(word: Uint8Array): bigint {
  let value = 0n;
  for (let at = 0; at < word.length; at += 4) {
    const four =
      ((word[at] ?? 0) << 24) |
      ((word[at + 1] ?? 0) << 16) |
      ((word[at + 2] ?? 0) << 8) |
      (word[at + 3] ?? 0);
    value = (value << 32n) | BigInt(four >>> 0);
  }
  return value;
}
