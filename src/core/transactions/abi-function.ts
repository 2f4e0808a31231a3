import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import type { Hex } from '../block.ts';

/** A type of the contract ABI. `words` is how many 32-byte words it takes where it stands; `null`: it stands elsewhere. */
export type AbiType =
  | { readonly kind: 'value'; readonly name: string; readonly words: 1 }
  | { readonly kind: 'bytes' | 'string'; readonly name: string; readonly words: null }
  | { readonly kind: 'list'; readonly name: string; readonly of: AbiType; readonly words: null }
  | AbiTuple;

export interface AbiTuple {
  readonly kind: 'tuple';
  readonly name: string;
  readonly fields: readonly AbiField[];
  readonly words: number | null;
}

export interface AbiField {
  readonly name: string;
  readonly type: AbiType;
}

export interface AbiFunction {
  readonly name: string;
  /** Without names: what the selector is the hash of. */
  readonly signature: string;
  /** First four bytes of the call. */
  readonly selector: Hex;
  readonly inputs: AbiTuple;
}

/**
 * Reads a function as people write it: `transfer(address to, uint256 amount)`; tuples in brackets, lists with `[]`.
 *
 * @throws Error for what is none: the texts are ours.
 */
export function abiFunction(text: string): AbiFunction {
  const open = text.indexOf('(');
  const name = text.slice(0, open);
  const inputs = readTuple(text.slice(open + 1, -1));
  const signature = `${name}${inputs.name}`;
  const hash = bytesToHex(keccak_256(utf8ToBytes(signature)));
  return { name, signature, selector: `0x${hash.slice(0, 8)}`, inputs };
}

function readTuple(text: string): AbiTuple {
  const fields = text === '' ? [] : splitFields(text).map(readField);
  const words = fields.map(({ type }) => type.words);
  return {
    kind: 'tuple',
    name: `(${fields.map(({ type }) => type.name).join(',')})`,
    fields,
    words: words.reduce<number | null>((sum, own) => (sum === null || own === null ? null : sum + own), 0),
  };
}

/** At the commas that are in no tuple. */
function splitFields(text: string): string[] {
  const fields: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')') depth--;
    if (text[at] === ',' && depth === 0) {
      fields.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...fields, text.slice(from)].map((field) => field.trim());
}

function readField(text: string): AbiField {
  const space = text.lastIndexOf(' ');
  return { name: text.slice(space + 1), type: readType(text.slice(0, space)) };
}

function readType(text: string): AbiType {
  if (text.endsWith('[]')) {
    const of = readType(text.slice(0, -2));
    return { kind: 'list', name: `${of.name}[]`, of, words: null };
  }
  if (text.startsWith('(')) return readTuple(text.slice(1, -1));
  if (text === 'bytes' || text === 'string') return { kind: text, name: text, words: null };
  if (/^(address|bool|bytes32|u?int\d+)$/.test(text)) return { kind: 'value', name: text, words: 1 };
  throw new Error(`${text} is no type that is read here`);
}
