import { readBlockFile, readBlockFileHeader } from '../../chain/block-file.ts';
import type { Block } from '../../core/block.ts';
import { formatCount } from '../../core/units.ts';
import { usageError } from '../cli-error.ts';
import { nameAsGiven } from '../name-as-given.ts';

/** All blocks are held in memory at once: four months of mainnet. */
const MOST_BLOCKS = 1_000_000;
/** The longest horizon; what lies further behind the last judged block tells nothing about it. */
const OUTLOOK_SEC = 86_400;

export interface ReadStretch {
  readonly chainId: number;
  readonly blocks: readonly Block[];
}

export interface ReadStretchOptions {
  /** The last block whose advice is judged; reading ends where nothing more can be known about it. */
  readonly to: number;
  readonly signal: AbortSignal;
  readonly onBlock: (count: number) => Promise<void>;
}

/**
 * The blocks of a recording, into memory.
 * @throws ChainError `bad-file`; CliError for more blocks than can be held; the signal's reason when it aborts.
 */
export async function readStretch(path: string, options: ReadStretchOptions): Promise<ReadStretch> {
  const { to, signal, onBlock } = options;
  const { chainId } = await readBlockFileHeader(path, { signal }).catch((error) => {
    throw nameAsGiven(error, path);
  });
  const blocks: Block[] = [];
  let enough = Number.POSITIVE_INFINITY;
  for await (const block of readBlockFile(path, { signal })) {
    blocks.push(block);
    if (block.number === to) enough = block.timestamp + OUTLOOK_SEC;
    if (block.timestamp > enough) break;
    if (blocks.length > MOST_BLOCKS) {
      throw usageError(
        `the file holds more than ${formatCount(MOST_BLOCKS)} blocks; judge a part of it with --to N`,
      );
    }
    await onBlock(blocks.length);
  }
  signal.throwIfAborted();
  return { chainId, blocks };
}
