import type { Answered } from './answered.ts';

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

export class BodyNotText extends Error {
  override readonly name = 'BodyNotText';
}

/**
 * Reads an answer's body as UTF-8, piece by piece, and stops as soon as it is larger than `maxBytes`: neither an
 * endless answer nor a small one that unpacks to a huge one is held in memory. Bytes that are no UTF-8 are replaced
 * where that is `lenient`.
 *
 * @throws BodyTooLarge, BodyNotText, or what the connection throws.
 */
export async function readBody(
  { headers, body, cancel }: Answered,
  maxBytes: number,
  { lenient = false } = {},
): Promise<string> {
  // Unpacked it is at least as large as announced, so the announcement alone may settle it.
  if (Number(headers.get('content-length') ?? 0) > maxBytes) {
    await cancel();
    throw new BodyTooLarge();
  }
  if (body === null) return '';
  const decoder = new TextDecoder('utf-8', { fatal: !lenient });
  let bytes = 0;
  let text = '';
  try {
    // Leaving it in the middle ends the answer: the connection is of no more use.
    for await (const piece of body) {
      bytes += piece.byteLength;
      if (bytes > maxBytes) throw new BodyTooLarge();
      text += decoder.decode(piece, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    throw isDecodingError(error) ? new BodyNotText() : error;
  }
}

function isDecodingError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}
