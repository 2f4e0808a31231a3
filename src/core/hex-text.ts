/** A hash or address in at most `width` columns: whole, or both its ends around `ellipsis`. */
export function hexText(hex: string, width: number, ellipsis: string): string {
  if (hex.length <= width) return hex;
  const ends = Math.max(width - ellipsis.length, 8);
  const tail = Math.min(Math.floor((ends - 2) / 2), 8);
  return `${hex.slice(0, ends - tail)}${ellipsis}${hex.slice(-tail)}`;
}

/** `0x1234…abcd`, as people compare addresses. */
export function shortHex(hex: string, ellipsis: string): string {
  return hexText(hex, 11, ellipsis);
}

/** A sentence with the hashes in it shortened, for where it must fit in a line. */
export function withShortHashes(text: string, ellipsis: string): string {
  return text.replace(/0x[0-9a-f]{64}(?![0-9a-f])/gi, (hash) => shortHex(hash, ellipsis));
}
