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
  /** 1 for CSV, which has none. */
  readonly chainId: number;
}

/** A position in a block file from which reading can continue. */
interface BlockFileMark {
  /** The first block from there. */
  readonly number: number;
  readonly timestamp: number;
  readonly position: LinePosition;
}

/** Some consecutive blocks; `mark` is the position of the first row read for them. */
interface BlockBatch {
  readonly mark: BlockFileMark | null;
  readonly blocks: readonly Block[];
}

interface ReadBlockFileOptions {
  readonly signal?: AbortSignal | undefined;
  /** Starts with the mark's block. A compressed file is still read from its start. */
  readonly from?: BlockFileMark | undefined;
}

/** The header of a recording. @throws ChainError `bad-file` */
export async function readBlockFileHeader(
  path: string,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<BlockFileHeader> {
  const { decoder } = await readHeading(path, options.signal);
  return { format: decoder.format, chainId: decoder.chainId };
}

/**
 * The blocks of a recording in order, read on demand in constant memory: JSON Lines as `gastop record` writes them,
 * or CSV (see `createCsvDecoder` for its columns), each plain or gzip. Block numbers must increase and timestamps not
 * decrease; missing numbers are a gap. Ignores an incomplete last JSON line. Ends (does not throw) when `signal`
 * aborts.
 * @throws ChainError `bad-file` with the file's name, the line, the problem and advice.
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

/** Summary of a recording, after every line of it was read and validated. */
interface BlockFileSummary extends BlockFileHeader {
  readonly first: Block;
  readonly last: Block;
  /** Number of gaps between blocks. */
  readonly gaps: number;
  /** Ascending, the first at the first block. */
  readonly marks: readonly BlockFileMark[];
}

/** Reads a recording through once. @throws ChainError `bad-file`, also for a file without blocks. */
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
  /** Not delivered yet: it may need the next one. */
  let held: BlockRecord | null = null;

  for await (const batch of readLineBatches(path, { signal, from: from?.position })) {
    const blocks: Block[] = [];
    let mark: BlockFileMark | null = null;
    // When reading starts in the middle, the heading is read separately.
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

/** Whether this is the incomplete line of a killed `gastop record`. */
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
