import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { badFile, fileFailure } from './block-file-error.ts';

/** A block with every field takes under 1,000 characters. */
const LONGEST_LINE = 65_536;
const NEWLINE = 10;

/** Where a line begins: reading can be taken up again there. */
export interface LinePosition {
  /** Bytes from the beginning of the file. */
  readonly offset: number;
  /** Counted from 1. */
  readonly line: number;
}

const FILE_START: LinePosition = { offset: 0, line: 1 };

/** Consecutive lines without their ends. */
export interface LineBatch {
  readonly lines: readonly string[];
  /** Position of the first of them. */
  readonly at: LinePosition;
  /** Whether the last line lacks its newline: the file ends there. */
  readonly isCut: boolean;
}

export interface ReadLinesOptions {
  readonly signal?: AbortSignal | undefined;
  /** Where to begin; a compressed file knows no places and always begins at its start. */
  readonly from?: LinePosition | undefined;
}

/** Whether the file is compressed with gzip, whatever its name says. @throws ChainError `bad-file` */
async function isGzip(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'r');
    try {
      const stats = await file.stat();
      if (stats.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
      if (!stats.isFile()) throw badFile(path, null, 'is not a plain file; save the blocks to one first');
      const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
      return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
    } finally {
      await file.close();
    }
  } catch (error) {
    throw fileFailure(path, error);
  }
}

/**
 * The lines of a UTF-8 text file, plain or gzip, a chunk at a time, in constant memory. A byte order mark and CR
 * before LF are dropped. Ends (does not throw) when `signal` aborts.
 * @throws ChainError `bad-file` for a file that cannot be read, is no UTF-8 text or has a line too long for a block.
 */
export async function* readLineBatches(
  path: string,
  options: ReadLinesOptions = {},
): AsyncGenerator<LineBatch> {
  const { signal } = options;
  const gzip = await isGzip(path);
  const start = gzip ? FILE_START : (options.from ?? FILE_START);
  const file = createReadStream(path, { start: start.offset });
  const stream = gzip ? unzip(file) : file;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let { offset, line } = start;
  let rest: Buffer = Buffer.alloc(0);

  const batch = (bytes: Buffer, isCut: boolean): LineBatch => {
    const text = decode(path, decoder, bytes, line);
    const lines = text.split('\n').map((each) => (each.endsWith('\r') ? each.slice(0, -1) : each));
    if (!isCut) lines.pop();
    const at = { offset, line };
    const long = lines.findIndex((each) => each.length > LONGEST_LINE);
    if (long >= 0) throw tooLong(path, line + long);
    offset += bytes.length;
    line += lines.length;
    return { lines, at, isCut };
  };

  try {
    for await (const chunk of stream) {
      if (signal?.aborted) return;
      const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      rest = bytes.subarray(end);
      if (end > 0) yield batch(bytes.subarray(0, end), false);
      if (rest.length > LONGEST_LINE) throw tooLong(path, line);
    }
    if (rest.length > 0 && !signal?.aborted) yield batch(rest, true);
  } catch (error) {
    throw fileFailure(path, error);
  } finally {
    file.destroy();
    stream.destroy();
  }
}

function unzip(file: Readable): Readable {
  const gunzip = createGunzip();
  file.on('error', (error) => gunzip.destroy(error));
  return file.pipe(gunzip);
}

function decode(
  path: string,
  decoder: InstanceType<typeof TextDecoder>,
  bytes: Buffer,
  line: number,
): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    const what = 'is not UTF-8 text from here on; give JSON Lines or CSV, plain or gzip';
    throw badFile(path, line, what, error);
  }
}

function tooLong(path: string, line: number) {
  return badFile(path, line, `is longer than ${LONGEST_LINE} characters; write one block per line`);
}
