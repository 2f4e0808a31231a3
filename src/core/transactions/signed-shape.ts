/**
 * What a signed transaction looks like from outside, for who must not show one, or must not be handed anything else. No
 * more than that: whether it is one is for `decodeTransaction` to say.
 */

/** Two words of signature and next to nothing else. */
const SHORTEST_BYTES = 70;

/** The hex digits of a signed transaction as people hand it in: `0x`, quotes and blanks, also those that are not seen, may stand around them. */
export function bareHex(text: string): string {
  return text
    .replaceAll(/[\s\p{Cf}"'`“”‘’]/gu, '')
    .replace(/^0x/i, '')
    .toLowerCase();
}

/** Whether a text is hex, and as long as a signed transaction at least. */
export function isLongHex(text: string): boolean {
  const hex = bareHex(text);
  return hex.length >= 2 * SHORTEST_BYTES && !/[^0-9a-f]/.test(hex);
}

/** Whether bare hex is one RLP list (of a type, or legacy) that is exactly as long as it says: EIP-2718. */
export function isSignedShape(hex: string): boolean {
  if (hex.length % 2 !== 0 || hex.length < 2 * SHORTEST_BYTES) return false;
  const list = /^0[1-4]/.test(hex) ? hex.slice(2) : hex;
  const header = Number.parseInt(list.slice(0, 2), 16);
  if (header < 0xf8) return false;
  const sizeBytes = header - 0xf7;
  const size = Number.parseInt(list.slice(2, 2 + 2 * sizeBytes), 16);
  return list.length === 2 * (1 + sizeBytes + size);
}
