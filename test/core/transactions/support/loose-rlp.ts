export type Tree = Uint8Array | readonly Tree[];

/** Ways in which an encoding can be another than the canonical one and still be read by a careless reader. */
export const DEFORMITIES = ['long header', 'length with zeros', 'boxed byte', 'leading zero'] as const;
export type Deformity = (typeof DEFORMITIES)[number];

/** Encodes a tree with the item numbered `at` (from the root) deformed; `null` where it cannot be, or is not there. */
export function encodeLoosely(tree: Tree, at: number, how: Deformity): Uint8Array | null {
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

export const encodeRlp = (tree: Tree): Uint8Array =>
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
