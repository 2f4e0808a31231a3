import { encodeBlock, encodeHeader } from '../../chain/block-file-json.ts';
import type { ChainSource } from '../../chain/chain-source.ts';
import type { Block } from '../../core/block.ts';
import { formatCount } from '../../core/units.ts';
import { BlockRecorder, isSameFile } from '../block-recorder.ts';
import { checked } from '../checked.ts';
import { cleanLine } from '../clean-line.ts';
import { usageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { parseDuration } from '../duration.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { openChain, reachedChainId } from '../open-chain.ts';
import { pastBlocks } from '../past-blocks.ts';
import { READY_WITHIN_MS } from '../ready-snapshot.ts';
import { parseCount, parsePath } from '../setting-values.ts';
import { withSpinner } from '../spinner.ts';

export interface RecordFlags {
  readonly out: string;
  readonly force?: boolean;
  readonly past?: string;
  readonly blocks?: string;
  readonly window?: string;
}

interface Limits {
  readonly pastSec: number | null;
  readonly blocks: number;
  readonly windowSec: number;
}

/** How many of the last blocks a subscription is told of, so that it neither repeats nor misses any. */
const KNOWN = 128;

/** `gastop record` */
export async function record({ io, loadSettings }: CommandContext, flags: RecordFlags): Promise<ExitCode> {
  const limits = limitsOf(flags);
  const out = checked('--out', () => parsePath(flags.out));
  // Other programs write to stdout then; here a reorg takes blocks back, which only a file can do.
  if (out === '-') throw usageError('--out: a recording needs a file; for one called - write ./-');
  const { settings } = await loadSettings();
  const choice = settings.source.value;
  if (choice.kind === 'hosted') {
    throw usageError('record needs a chain, not a service; name one with --rpc URL, --replay FILE or --demo');
  }
  if (choice.kind === 'replay' && (await isSameFile(choice.file, out))) {
    throw usageError('--out is the very file that --replay reads; choose another name');
  }
  const signal = io.interruption();
  const chain = await openChain(choice, 'fastest');
  try {
    const isPublicDefault = choice.kind === 'rpc' && choice.isPublicDefault;
    const chainId = await withSpinner(
      io,
      () => `asking ${cleanLine(chain.source.name)}`,
      () => reachedChainId(chain.source, { withinMs: READY_WITHIN_MS, signal, isPublicDefault }),
    );
    const recorder = await BlockRecorder.create(out, { encodeHeader, encodeBlock }, flags.force === true);
    try {
      await recorder.begin(chainId);
      await withSpinner(
        io,
        () =>
          `recording: ${formatCount(recorder.count)} blocks${recorder.last ? `, up to #${formatCount(recorder.last.number)}` : ''}`,
        () => follow(io, chain.source, recorder, limits, signal),
      );
    } finally {
      const { count, first, last } = recorder;
      await recorder.close();
      const range = first && last ? ` (#${formatCount(first.number)} to #${formatCount(last.number)})` : '';
      io.stderr.write(`gastop: recorded ${formatCount(count)} ${count === 1 ? 'block' : 'blocks'}${range}\n`);
    }
    return EXIT.ok;
  } finally {
    chain.close();
  }
}

async function follow(
  io: Io,
  source: ChainSource,
  recorder: BlockRecorder,
  limits: Limits,
  interruption: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, interruption]);
  const recent: Block[] = [];
  /** Answers whether there is room for more. */
  const add = async (block: Block): Promise<boolean> => {
    await recorder.add(block);
    recent.push(block);
    if (recent.length > 2 * KNOWN) recent.splice(0, KNOWN);
    return !isFull(recorder, limits);
  };
  try {
    if (limits.pastSec !== null) {
      for await (const block of pastBlocks(source, limits.pastSec, signal)) if (!(await add(block))) return;
    }
    if (signal.aborted) return;
    if (limits.pastSec !== null && source.kind !== 'replay') {
      io.stderr.write(`gastop: ${pastWritten(recorder.count, limits)}\n`);
    }
    const known = recent.slice(-KNOWN).map(({ number, hash }) => ({ number, hash }));
    for await (const event of source.subscribe({ known, signal })) {
      if (event.type === 'block' && !(await add(event.block))) return;
      if (event.type === 'reorg') await recorder.rewindTo(event.commonAncestor);
      if (event.type === 'gap') {
        for (const block of await source.blocks(event.from, event.to, { signal })) {
          if (!(await add(block))) return;
        }
      }
      if (event.type === 'down') io.stderr.write(`gastop: ${cleanLine(event.reason)}; trying again\n`);
      if (event.type === 'ended') return;
    }
  } catch (error) {
    if (!interruption.aborted) throw error;
  } finally {
    stop.abort();
  }
}

/** Off a terminal nothing else tells that it goes on; a recording ends by itself. */
function pastWritten(count: number, { blocks, windowSec }: Limits): string {
  const written = `${formatCount(count)} ${count === 1 ? 'block' : 'blocks'} of the past written`;
  return Math.min(blocks, windowSec) === Number.POSITIVE_INFINITY
    ? `${written}; recording until Ctrl-C (--blocks or --window would end it)`
    : `${written}; recording on until the limit, or Ctrl-C`;
}

function isFull({ count, first, last }: BlockRecorder, limits: Limits): boolean {
  const sec = first && last ? last.timestamp - first.timestamp : 0;
  return count >= limits.blocks || sec >= limits.windowSec;
}

function limitsOf(flags: RecordFlags): Limits {
  const range = { min: '1m', max: '30d' };
  const { past, blocks, window } = flags;
  return {
    pastSec: past === undefined ? null : checked('--past', () => parseDuration(past, range)),
    blocks: blocks === undefined ? Number.POSITIVE_INFINITY : checked('--blocks', () => parseCount(blocks)),
    windowSec:
      window === undefined
        ? Number.POSITIVE_INFINITY
        : checked('--window', () => parseDuration(window, range)),
  };
}
