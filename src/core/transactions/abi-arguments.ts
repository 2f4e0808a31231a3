import { bytesToBigInt, bytesToHex, getAddress, isAddress } from 'viem/utils';
import type { Hex } from '../block.ts';
import { cleanText } from '../text.ts';

export interface AbiParameter {
  readonly name?: string;
  readonly type: string;
  /** The fields of a tuple, or of each tuple in a list. */
  readonly components?: readonly AbiParameter[];
}

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

interface ReadArguments {
  readonly args: readonly AbiArgument[];
  readonly rest: number;
}

const WORD = 32;

/**
 * Reads the arguments of a call, without its selector; never throws. `null` when an argument lies outside the data or
 * is no value of its type, where contracts revert or misread it. Bytes after the arguments are allowed, as in
 * contracts, and counted.
 *  viem's `decodeFunctionData` is not used: it copies each of a thousand items that share the same large bytes, drops
 * the upper bytes of an address, and does not report trailing bytes.
 */
export function readArguments(bytes: Uint8Array, inputs: readonly AbiParameter[]): ReadArguments | null {
  try {
    const data = new AbiBytes(bytes);
    return { args: readFields(data, inputs, 0), rest: data.rest };
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/** Bytes, and how far they have been read. */
class AbiBytes {
  readonly #bytes: Uint8Array;
  #end = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** An incomplete last word counts as padding of the last argument. */
  get rest(): number {
    return Math.max(this.#bytes.length - Math.ceil(this.#end / WORD) * WORD, 0);
  }

  checkHas(end: number): void {
    if (end > this.#bytes.length) throw new Unreadable();
  }

  read(from: number, length: number): Uint8Array {
    this.checkHas(from + length);
    this.#end = Math.max(this.#end, from + length);
    return this.#bytes.subarray(from, from + length);
  }

  /** An offset or length, at most the number of bytes. */
  size(at: number): number {
    const size = bytesToBigInt(this.read(at, WORD));
    if (size > BigInt(this.#bytes.length)) throw new Unreadable();
    return Number(size);
  }
}

class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** Number of words that a value takes in place; `null` for a dynamic value, which has only an offset in place. */
function wordsOf({ type, components }: AbiParameter): number | null {
  if (type.endsWith(']') || type === 'bytes' || type === 'string') return null;
  const words = components?.map(wordsOf) ?? [1];
  return words.includes(null) ? null : words.reduce<number>((sum, own) => sum + (own ?? 0), 0);
}

function typeName({ type, components }: AbiParameter): string {
  return components ? `(${components.map(typeName).join(',')})${type.slice('tuple'.length)}` : type;
}

function readFields(data: AbiBytes, parameters: readonly AbiParameter[], start: number): AbiArgument[] {
  let at = start;
  return parameters.map((parameter) => {
    const value = readPlaced(data, parameter, start, at);
    at += (wordsOf(parameter) ?? 1) * WORD;
    return { name: parameter.name ?? '', type: typeName(parameter), value };
  });
}

/** A value in a tuple or list that begins at `base`: in place, or at an offset. */
function readPlaced(data: AbiBytes, parameter: AbiParameter, base: number, at: number): AbiValue {
  return readValue(data, parameter, wordsOf(parameter) === null ? base + data.size(at) : at);
}

function readValue(data: AbiBytes, { type, components = [] }: AbiParameter, at: number): AbiValue {
  if (type.endsWith('[]')) return readItems(data, { type: type.slice(0, -2), components }, at);
  if (type === 'tuple') return { kind: 'tuple', fields: readFields(data, components, at) };
  if (type === 'bytes' || type === 'string') {
    return { kind: type, bytes: data.read(at + WORD, data.size(at)) };
  }
  const word = data.read(at, WORD);
  if (type === 'bytes32') return { kind: 'bytes', bytes: word };
  const value = bytesToBigInt(word);
  const bits = type === 'address' ? 160 : type === 'bool' ? 1 : Number(/\d+$/.exec(type)?.[0]);
  if (value >> BigInt(bits) !== 0n) throw new Unreadable();
  if (type === 'address') return { kind: 'address', bytes: word.subarray(-20) };
  return type === 'bool' ? { kind: 'bool', value: value === 1n } : { kind: 'integer', bits, value };
}

function readItems(data: AbiBytes, { type, components = [] }: AbiParameter, at: number): AbiValue {
  const item = type === 'tuple' ? { type, components } : { type };
  const length = data.size(at);
  const from = at + WORD;
  const step = (wordsOf(item) ?? 1) * WORD;
  // Checked before allocation: the length is untrusted.
  data.checkHas(from + length * step);
  const items = Array.from({ length }, (_, index) => readPlaced(data, item, from, from + index * step));
  return { kind: 'list', items };
}

const MAX_BYTES_SHOWN = 32;
const MAX_TEXT_SHOWN = 100;
const MAX_ITEMS_SHOWN = 16;
/** With fewer bits the maximum is an ordinary value, such as a fee or a flag. */
const UNLIMITED_BITS = 96;

/** An argument as text: addresses and numbers whole; the beginning and length of long bytes and lists. */
export function abiText(value: AbiValue): string {
  switch (value.kind) {
    case 'integer':
      return isUnlimited(value) ? `unlimited (2^${value.bits} − 1)` : value.value.toString();
    case 'bool':
      return String(value.value);
    case 'address':
      return addressText(value.bytes);
    case 'bytes':
      return bytesText(value.bytes);
    case 'string': {
      const text = new TextDecoder().decode(value.bytes.subarray(0, 4 * MAX_TEXT_SHOWN));
      return `“${cleanText(text, MAX_TEXT_SHOWN)}”`;
    }
    case 'list':
      return listText(value.items);
    case 'tuple':
      return `(${value.fields.map((field) => `${field.name} ${abiText(field.value)}`).join(', ')})`;
  }
}

/** The same for a sentence: addresses shortened, digits grouped. */
export function abiWords(value: AbiValue): string {
  if (value.kind === 'address') return shortAddress(addressText(value.bytes));
  if (value.kind !== 'integer') return abiText(value);
  if (isUnlimited(value)) return 'unlimited';
  return value.value.toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Checksummed (EIP-55). */
export const addressText = (bytes: Uint8Array): Hex => getAddress(bytesToHex(bytes));

/** `0xd8dA6B…6045`: enough to recognise an address, not to verify it. */
export const shortAddress = (address: string) => `${address.slice(0, 8)}…${address.slice(-4)}`;

/** Whether it is the largest number of its type, by which people mean “any amount”. */
export function isUnlimited(value: AbiValue): boolean {
  return (
    value.kind === 'integer' && value.bits >= UNLIMITED_BITS && value.value === 2n ** BigInt(value.bits) - 1n
  );
}

function bytesText(bytes: Uint8Array): string {
  if (bytes.length <= MAX_BYTES_SHOWN) return bytesToHex(bytes);
  return `${bytesToHex(bytes.subarray(0, 4))}… (${bytes.length} bytes)`;
}

function listText(items: readonly AbiValue[]): string {
  const shown = items.slice(0, MAX_ITEMS_SHOWN).map(abiText);
  const more = items.length - shown.length;
  return `[${[...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')}]`;
}

/** An address with its checksum (EIP-55), to compare with a wallet; other text unchanged. */
export const checksummed = <Text extends string>(text: Text | null): Text | Hex | null =>
  text !== null && isAddress(text, { strict: false }) ? getAddress(text) : text;
