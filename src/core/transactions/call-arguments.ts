import { bytesToHex } from '@noble/hashes/utils';
import type { Hex } from '../block.ts';
import { abiWords, shortAddress } from './abi-text.ts';
import type { AbiArgument, AbiValue } from './abi-value.ts';
import { checksummedAddress } from './checksummed-address.ts';

const ADDRESS_LENGTH = 20;
/** An address and a fee (uint24): one step of a Uniswap V3 path. */
const HOP_LENGTH = 23;

/** The arguments of a call, found by their names; those of a tuple as if they stood beside it. */
export class CallArguments {
  readonly list: readonly AbiArgument[];
  readonly #contract: Hex;

  constructor(list: readonly AbiArgument[], contract: Hex) {
    this.list = list.flatMap(({ value, ...rest }) =>
      value.kind === 'tuple' ? value.fields : [{ ...rest, value }],
    );
    this.#contract = contract;
  }

  value(name: string): AbiValue | null {
    return this.list.find((argument) => argument.name === name)?.value ?? null;
  }

  integer(name: string): bigint | null {
    const value = this.value(name);
    return value?.kind === 'integer' ? value.value : null;
  }

  isTrue(name: string): boolean {
    const value = this.value(name);
    return value?.kind === 'bool' && value.value;
  }

  bytes(name: string): Uint8Array | null {
    const value = this.value(name);
    return value !== null && 'bytes' in value ? value.bytes : null;
  }

  address(name: string): Hex | null {
    const value = this.value(name);
    return value?.kind === 'address' ? checksummedAddress(value.bytes) : null;
  }

  items(name: string): readonly AbiValue[] {
    const value = this.value(name);
    return value?.kind === 'list' ? value.items : [];
  }

  /** Puts the arguments into a sentence: `{name}`, `{name.first}`, `{name.last}`, `{contract}`. */
  fill(words: string): string {
    const filled = words.replace(/\{(\w+)(?:\.(first|last))?\}/g, (_, name: string, end?: string) => {
      if (name === 'contract') return shortAddress(this.#contract);
      const value = this.value(name);
      if (value === null) return '?';
      return end === undefined ? abiWords(value) : endOf(value, end === 'first');
    });
    return filled.replace(/(?<![\d,])1 (more |fewer )?base units/g, '1 $1base unit');
  }
}

/** The first or last token of a path: of a list of addresses, or packed with fees between them. */
function endOf(value: AbiValue, isFirst: boolean): string {
  if (value.kind === 'list') {
    const item = isFirst ? value.items[0] : value.items.at(-1);
    return item === undefined ? 'nothing' : abiWords(item);
  }
  if (value.kind !== 'bytes') return abiWords(value);
  const { bytes } = value;
  if (bytes.length < ADDRESS_LENGTH || (bytes.length - ADDRESS_LENGTH) % HOP_LENGTH !== 0) {
    return `a path that cannot be read (0x${bytesToHex(bytes.subarray(0, 4))}…)`;
  }
  const address = isFirst ? bytes.subarray(0, ADDRESS_LENGTH) : bytes.subarray(-ADDRESS_LENGTH);
  return shortAddress(checksummedAddress(address));
}
