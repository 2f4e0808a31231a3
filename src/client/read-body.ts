export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

export class BodyNotText extends Error {
  override readonly name = 'BodyNotText';
}

/**
 * Reads an answer's body as UTF-8, piece by piece, and stops as soon as it is larger than `maxBytes`: neither an
 * endless answer nor a small one that unpacks to a huge one is held in memory.
 *
 * @throws BodyTooLarge, BodyNotText, or what the connection throws.
 */
export async function readBody(response: Response, maxBytes: number): Promise<string> {
  // Unpacked it is at least as large as announced, so the announcement alone may settle it.
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await response.body?.cancel();
    throw new BodyTooLarge();
  }
  if (response.body === null) return '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = response.body.getReader();
  let bytes = 0;
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      bytes += value.byteLength;
      if (bytes > maxBytes) throw new BodyTooLarge();
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    // The connection is of no more use; what cancelling it may throw is of no interest.
    reader.cancel().catch(() => {});
    throw isDecodingError(error) ? new BodyNotText() : error;
  }
}

function isDecodingError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}
