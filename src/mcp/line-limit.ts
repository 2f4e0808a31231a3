import { Transform, type TransformCallback } from 'node:stream';

const NEWLINE = 0x0a;
/** No JSON ends with it, so that what came of a long line before is no message. */
const CUT = Buffer.from('~\n');

/** Passes lines on, but of one that is longer than `most` bytes nothing that could be read, and tells of it once. */
export class LineLimit extends Transform {
  readonly #most: number;
  readonly #onLong: () => void;
  /** Bytes of the current line so far. */
  #length = 0;

  constructor(most: number, onLong: () => void) {
    super();
    this.#most = most;
    this.#onLong = onLong;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    for (let at = 0; at < chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, at);
      const end = newline === -1 ? chunk.length : newline + 1;
      this.#passOn(chunk.subarray(at, end));
      if (newline !== -1) this.#length = 0;
      at = end;
    }
    done();
  }

  #passOn(part: Buffer): void {
    const wasLong = this.#length > this.#most;
    this.#length += part.length;
    if (this.#length <= this.#most) this.push(part);
    else if (!wasLong) {
      this.push(CUT);
      this.#onLong();
    }
  }
}
