/**
 * A weak entity tag (RFC 9110 §8.8.3) of `text`: another one where the text is another. 64 bits of two FNV-1a hashes with
 * multipliers of their own: whoever could find two texts with one tag would only keep an old answer to himself, and
 * `node:crypto` takes longer to load than anything else that the first prices need.
 */
export function contentTag(text: string): string {
  let one = 0x811c_9dc5;
  let other = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x0100_0193);
    other = Math.imul(other ^ code, 0x9e37_79b1);
    other = (other << 13) | (other >>> 19);
  }
  return `W/"${hex(one)}${hex(other)}"`;
}

const hex = (word: number) => (word >>> 0).toString(16).padStart(8, '0');
