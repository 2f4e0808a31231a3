import type { Block } from '../core/block.ts';
import {
  type BlockFileDecoder,
  type BlockRecord,
  badFile,
  createCsvDecoder,
  createJsonDecoder,
  type LineBatch,
  type LinePosition,
  readLineBatches,
} from './block-formats.ts';
import type { ChainError } from './chain-source.ts';

interface BlockFileHeader {
  readonly format: 'jsonl' | 'csv';
  /** 1 for CSV, which does not say. */
  readonly chainId: number;
}

/** A place in a block file from which reading can go on without what stands before. */
interface BlockFileMark {
  /** The first block from there. */
  readonly number: number;
  readonly timestamp: number;
  readonly position: LinePosition;
}

/** Some consecutive blocks; `mark` is where the first row that was read for them stands. */
interface BlockBatch {
  readonly mark: BlockFileMark | null;
  readonly blocks: readonly Block[];
}

interface ReadBlockFileOptions {
  readonly signal?: AbortSignal | undefined;
  /** Begins with the mark's block. A compressed file is read from its start all the same. */
  readonly from?: BlockFileMark | undefined;
}

/** What a file of recorded blocks says of itself. @throws ChainError `bad-file` */
export async function readBlockFileHeader(
  path: string,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<BlockFileHeader> {
  const { decoder } = await readHeading(path, options.signal);
  return { format: decoder.format, chainId: decoder.chainId };
}

/**
 * The blocks of a recording in order, read as they are asked for and in constant memory: JSON Lines as
 * `gastop record` writes them, or CSV (see `createCsvDecoder` for its columns), each plain or gzip. Block numbers
 * must go up and timestamps not go down; numbers that are left out are a gap. A last JSON line that was cut off while being written is left
 * out. Ends (does not throw) when `signal` aborts.
 * @throws ChainError `bad-file` with the file's name, the line, what is wrong and what to do.
 */
export async function* readBlockFile(
  path: string,
  options: ReadBlockFileOptions = {},
): AsyncGenerator<Block> {
  const least = options.from?.number ?? 0;
  for await (const { blocks } of readBlockBatches(path, options)) {
    for (const block of blocks) if (block.number >= least) yield block;
  }
}

/** What a file of recorded blocks holds, after every line of it has been read and found good. */
export interface BlockFileSummary extends BlockFileHeader {
  readonly first: Block;
  readonly last: Block;
  /** Times that blocks are missing between two others. */
  readonly gaps: number;
  /** Ascending, the first at the first block. */
  readonly marks: readonly BlockFileMark[];
}

/** Reads a recording through once. @throws ChainError `bad-file`, also for a file without any block. */
export async function scanBlockFile(path: string): Promise<BlockFileSummary> {
  const header = await readBlockFileHeader(path);
  const marks: BlockFileMark[] = [];
  let first: Block | null = null;
  let last: Block | null = null;
  let gaps = 0;
  for await (const { blocks, mark } of readBlockBatches(path, {})) {
    first ??= blocks[0] ?? null;
    for (const block of blocks) {
      if (last !== null && block.number !== last.number + 1) gaps += 1;
      last = block;
    }
    if (mark !== null) marks.push(mark);
  }
  if (first === null || last === null) throw isEmpty(path);
  return { ...header, first, last, gaps, marks };
}

async function* readBlockBatches(path: string, options: ReadBlockFileOptions): AsyncGenerator<BlockBatch> {
  const { signal, from } = options;
  let heading: Heading | null = null;
  /** Not handed out yet: it may have to know the next. */
  let held: BlockRecord | null = null;

  for await (const batch of readLineBatches(path, { signal, from: from?.position })) {
    const blocks: Block[] = [];
    let mark: BlockFileMark | null = null;
    // Taken up in the middle of a file, the heading is elsewhere.
    if (batch.at.offset > 0) heading ??= await readHeading(path, signal);
    for (const { text, line } of rowsOf(batch)) {
      heading ??= createHeading(path, text, line);
      if (line === heading.line) continue;
      const { decoder } = heading;
      if (decoder.format === 'jsonl' && isCutOff(batch, line, text)) continue;
      const record = decoder.decode(text, line);
      if (held !== null) {
        checkOrder(path, line, held, record);
        blocks.push(decoder.complete(held, record.number === held.number + 1 ? record : null));
      }
      mark ??= { number: record.number, timestamp: record.timestamp, position: batch.at };
      held = record;
    }
    yield { blocks, mark };
  }
  if (signal?.aborted) return;
  if (held === null || heading === null) {
    if (from === undefined) throw isEmpty(path);
  } else {
    yield { blocks: [heading.decoder.complete(held, null)], mark: null };
  }
}

interface Heading {
  readonly decoder: BlockFileDecoder;
  readonly line: number;
}

async function readHeading(path: string, signal?: AbortSignal): Promise<Heading> {
  for await (const batch of readLineBatches(path, { signal })) {
    for (const { text, line } of rowsOf(batch)) return createHeading(path, text, line);
  }
  throw isEmpty(path);
}

function createHeading(path: string, text: string, line: number): Heading {
  const create = text.trimStart().startsWith('{') ? createJsonDecoder : createCsvDecoder;
  return { decoder: create(path, text, line), line };
}

function* rowsOf(batch: LineBatch): Generator<{ readonly text: string; readonly line: number }> {
  for (const [index, text] of batch.lines.entries()) {
    if (text.trim() !== '') yield { text, line: batch.at.line + index };
  }
}

/** Whether this is the line that `gastop record` was writing when it was killed. */
function isCutOff(batch: LineBatch, line: number, text: string): boolean {
  if (!batch.isCut || line !== batch.at.line + batch.lines.length - 1) return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

function checkOrder(path: string, line: number, before: BlockRecord, record: BlockRecord): void {
  const fault = orderFault(before, record);
  if (fault !== null) throw badFile(path, line, `${fault}; sort the blocks, without repeats`);
}

function orderFault(before: BlockRecord, { number, parentHash, timestamp }: BlockRecord): string | null {
  if (number === before.number) return `repeats block ${number}`;
  if (number < before.number) return `goes back from block ${before.number} to ${number}`;
  if (timestamp < before.timestamp) return `block ${number} is older than the one before it`;
  const isNext = number === before.number + 1;
  if (isNext && parentHash !== null && before.hash !== null && parentHash !== before.hash) {
    return `block ${number} is no child of the one before it`;
  }
  return null;
}

function isEmpty(path: string): ChainError {
  return badFile(path, null, 'holds no blocks; record some with `gastop record --out FILE`');
}
