import { bytesToHex, bytesToUtf8 } from '@noble/hashes/utils';
import { cleanText } from '../clean-text.ts';
import type { AbiValue } from './abi-value.ts';
import { checksummedAddress } from './checksummed-address.ts';

const BYTES_LONGEST = 32;
const TEXT_LONGEST = 100;
const LIST_LONGEST = 16;
/** Below, a largest value is an ordinary one, such as a fee or a flag. */
const UNLIMITED_BITS = 96;

/** An argument as text: addresses and numbers whole, long bytes and lists by their beginning and length. */
export function abiText(value: AbiValue): string {
  switch (value.kind) {
    case 'integer':
      return isUnlimited(value) ? `unlimited (2^${value.bits} − 1)` : value.value.toString();
    case 'bool':
      return String(value.value);
    case 'address':
      return checksummedAddress(value.bytes);
    case 'bytes':
      return bytesText(value.bytes);
    case 'string':
      return `“${cleanText(bytesToUtf8(value.bytes.subarray(0, 4 * TEXT_LONGEST)), TEXT_LONGEST)}”`;
    case 'list':
      return listText(value.items);
    case 'tuple':
      return `(${value.fields.map((field) => `${field.name} ${abiText(field.value)}`).join(', ')})`;
  }
}

/** The same within a sentence: addresses by both ends, digits in groups. */
export function abiWords(value: AbiValue): string {
  if (value.kind === 'address') return shortAddress(checksummedAddress(value.bytes));
  if (value.kind !== 'integer') return abiText(value);
  if (isUnlimited(value)) return 'unlimited';
  return value.value.toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `0xd8dA6B…6045`: enough to recognise, never to check by. */
export const shortAddress = (address: string) => `${address.slice(0, 8)}…${address.slice(-4)}`;

/** The largest number that its type has: people mean “any amount” by it. */
export function isUnlimited(value: AbiValue): boolean {
  return (
    value.kind === 'integer' && value.bits >= UNLIMITED_BITS && value.value === 2n ** BigInt(value.bits) - 1n
  );
}

function bytesText(bytes: Uint8Array): string {
  if (bytes.length <= BYTES_LONGEST) return `0x${bytesToHex(bytes)}`;
  return `0x${bytesToHex(bytes.subarray(0, 4))}… (${bytes.length} bytes)`;
}

function listText(items: readonly AbiValue[]): string {
  const shown = items.slice(0, LIST_LONGEST).map(abiText);
  const more = items.length - shown.length;
  return `[${[...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')}]`;
}
