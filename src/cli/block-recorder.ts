import { type FileHandle, open, stat, unlink } from 'node:fs/promises';
import type { Block } from '../core/block.ts';
import { CliError, usageError } from './cli-error.ts';
import { EXIT } from './exit-code.ts';
import { fileFailureReason } from './file-failure.ts';

/** Deeper reorgs than this do not happen; the places of older lines are forgotten. */
const REMEMBERED = 4_096;

interface Line {
  readonly number: number;
  readonly timestamp: number;
  /** Where the line begins in the file. */
  readonly at: number;
}

export interface LineEncoder {
  encodeHeader(chainId: number): string;
  encodeBlock(block: Block): string;
}

/** A recording being written: whole lines only, and no block that the chain has taken back. */
export class BlockRecorder {
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #encode: LineEncoder;
  #end = 0;
  #headerEnd = 0;
  #lines: Line[] = [];
  #count = 0;
  #first: Line | null = null;

  private constructor(file: FileHandle, path: string, encode: LineEncoder) {
    this.#file = file;
    this.#path = path;
    this.#encode = encode;
  }

  /** @throws CliError (usage) where the file exists and `force` is not set, or cannot be made. */
  static async create(path: string, encode: LineEncoder, force: boolean): Promise<BlockRecorder> {
    try {
      return new BlockRecorder(await open(path, force ? 'w' : 'wx'), path, encode);
    } catch (error) {
      throw usageError(`--out: ${path} ${fileFailureReason(error)}`);
    }
  }

  get count(): number {
    return this.#count;
  }

  get first(): Line | null {
    return this.#first;
  }

  get last(): Line | null {
    return this.#lines.at(-1) ?? null;
  }

  async begin(chainId: number): Promise<void> {
    await this.#write(this.#encode.encodeHeader(chainId));
    this.#headerEnd = this.#end;
  }

  async add(block: Block): Promise<void> {
    const line = { number: block.number, timestamp: block.timestamp, at: this.#end };
    await this.#write(this.#encode.encodeBlock(block));
    this.#lines.push(line);
    if (this.#lines.length > 2 * REMEMBERED) this.#lines = this.#lines.slice(-REMEMBERED);
    this.#first ??= line;
    this.#count += 1;
  }

  /** Takes back every block above `number`. */
  async rewindTo(number: number): Promise<void> {
    const index = this.#lines.findIndex((line) => line.number > number);
    if (index < 0) return;
    const at =
      index === 0 && this.#lines[0] === this.#first ? this.#headerEnd : (this.#lines[index]?.at ?? this.#end);
    await this.#file.truncate(at);
    this.#count -= this.#lines.length - index;
    this.#lines.length = index;
    this.#end = at;
    if (this.#count === 0) this.#first = null;
  }

  /** Everything is on disk; a recording without a block is removed. */
  async close(): Promise<void> {
    try {
      await this.#file.sync();
    } finally {
      await this.#file.close();
      if (this.#count === 0) await unlink(this.#path);
    }
  }

  async #write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#end + done);
        done += bytesWritten;
      }
    } catch (error) {
      // Half a line would be taken for a broken file.
      await this.#file.truncate(this.#end).catch(() => {});
      const message = `${this.#path} ${fileFailureReason(error)}; ${this.#count} blocks are in it`;
      throw new CliError(EXIT.failed, message, [], { cause: error });
    }
    this.#end += bytes.length;
  }
}

/** Whether two paths are one file, whatever they are called. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => null)));
  return a !== null && b !== null && a?.ino === b?.ino && a?.dev === b?.dev;
}
