/**
 * Reads a stream to its end as text.
 * @throws RangeError when it is not UTF-8 or longer than `mostBytes`.
 */
export async function readAll(
  stream: AsyncIterable<Uint8Array | string>,
  mostBytes: number,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const piece = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    bytes += piece.length;
    if (bytes > mostBytes) throw new RangeError(`is longer than ${Math.floor(mostBytes / 1_024)} kB`);
    chunks.push(piece);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new RangeError('is not UTF-8 text');
  }
}
