import type { Block } from '../core/block.ts';

/** One line of a block file as read by itself: what only the next line tells is still open. */
export interface BlockRecord extends Omit<Block, 'gasUsedRatio'> {
  readonly gasUsedRatio: number | null;
}

/** The one of the two formats that a file turned out to have. */
export interface BlockFileDecoder {
  readonly format: 'jsonl' | 'csv';
  readonly chainId: number;
  /** @throws ChainError `bad-file` */
  decode(text: string, line: number): BlockRecord;
  /** @param next the record that follows, `null` after the last. */
  complete(record: BlockRecord, next: BlockRecord | null): Block;
}

/** Prices and gas stay within what the v1 wire can carry as JSON integers. */
export const LARGEST = Number.MAX_SAFE_INTEGER;
/** The year 2100: a larger timestamp is in milliseconds. */
export const LATEST_TIMESTAMP = 4_102_444_800;
