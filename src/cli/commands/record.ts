import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { encodeBlock, encodeHeader } from '../../chain/block-file.ts';
import type { ChainSource } from '../../chain/chain-source.ts';
import { counted } from '../../client/views/fact.ts';
import type { Block } from '../../core/block.ts';
import { formatCount } from '../../core/units.ts';
import { publish, temporaryPath } from '../../store/whole-file.ts';
import type { CliCommand, CommandContext, Flags } from '../command.ts';
import { failure, fileFailureReason, usageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { READY_WITHIN_MS } from '../open-source.ts';
import { cleanLine, note, withSpinner } from '../output.ts';
import { checked, parseCount, parseDuration, parsePath } from '../parse.ts';
import { chosenChain } from '../settings.ts';

export function addRecord(program: CliCommand): void {
  const parse = (text: string) => parseDuration(text, { min: '1m', max: '30d' });
  program
    .command('record')
    .summary('write blocks to a file for --replay')
    .description('Follows the chain and writes one line of JSON per block, until Ctrl-C or a limit.')
    .requiredOption('--out <FILE>', 'where to write')
    .option('--force', 'replace FILE if it exists')
    .parsed('--past <TIME>', 'start this far back: 1h, 24h; then continue with new blocks', parse)
    .parsed('--blocks <N>', 'stop after N blocks', parseCount)
    .parsed('--window <TIME>', 'stop after this much chain time: 10m, 24h', parse)
    .examples('gastop record --out blocks.jsonl --past 24h --blocks 7200')
    .does(record);
}

type Limits = { past: number; blocks: number; window: number };
type RecordFlags = Flags<never, 'force', Limits> & { readonly out: string };

async function record({ io, loadSettings }: CommandContext, flags: RecordFlags): Promise<void> {
  const out = checked('--out', () => parsePath(flags.out));
  // Other programs read stdout while it is written, but a reorg removes blocks, which only a file allows.
  if (out === '-') throw usageError('--out: a recording needs a file; for one called - write ./-');
  const { settings } = await loadSettings();
  const choice = chosenChain(settings, 'record');
  if (choice.kind === 'replay' && (await isSameFile(choice.file, out))) {
    throw usageError('--out is the file that --replay reads; choose another name');
  }
  const signal = io.interruption();
  const { openChain, reachedChain } = await import('../open-service.ts');
  const chain = await openChain(choice, 'fastest', true);
  try {
    const { id } = await withSpinner(
      io,
      `asking ${cleanLine(chain.source.name)}`,
      reachedChain(chain.source, choice, { withinMs: READY_WITHIN_MS, signal }),
    );
    const file: Recording = await createLineFile('--out', out, 'blocks', flags.force);
    const lastWords = (before: string) => {
      const [last] = file.newest(1);
      return last === undefined ? '' : `${before} #${formatCount(last.number)}`;
    };
    const doing = () => `recording: ${formatCount(file.written.count)} blocks${lastWords(', up to')}`;
    try {
      await file.write(encodeHeader(id));
      await withSpinner(io, doing, () => follow(io, chain.source, file, flags));
    } finally {
      await file.close();
      const { count, first } = file.written;
      const range = first && count > 0 ? ` (#${formatCount(first.number)}${lastWords(' to')})` : '';
      note(io, `recorded ${counted(count, 'block')}${range}`);
    }
  } finally {
    chain.close();
  }
}

type Recording = Awaited<ReturnType<typeof createLineFile<Pick<Block, 'number' | 'hash' | 'timestamp'>>>>;

async function follow(
  io: Io,
  source: ChainSource,
  file: Recording,
  { past, blocks = Number.POSITIVE_INFINITY, window = Number.POSITIVE_INFINITY }: RecordFlags,
): Promise<void> {
  const signal = io.interruption();
  try {
    for await (const block of blocksFrom(io, source, file, past)) {
      const { number, hash, timestamp } = block;
      await file.add(encodeBlock(block), { number, hash, timestamp });
      const { count, first } = file.written;
      if (count >= blocks || timestamp - (first ?? block).timestamp >= window) return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Number of last blocks passed to a subscription, so that it neither repeats nor misses any. */
const KNOWN = 128;

async function* blocksFrom(
  io: Io,
  source: ChainSource,
  file: Recording,
  pastSec: number | undefined,
): AsyncGenerator<Block> {
  const signal = io.interruption();
  if (pastSec !== undefined) {
    yield* pastBlocks(source, pastSec, signal);
    if (signal.aborted) return;
    // Without a terminal nothing else shows progress; a replay ends by itself.
    const { count } = file.written;
    if (source.kind !== 'replay')
      note(io, `${counted(count, 'block')} of the past written; recording on until Ctrl-C or a limit`);
  }
  for await (const event of source.subscribe({ known: file.newest(KNOWN), signal })) {
    if (event.type === 'block') yield event.block;
    if (event.type === 'reorg') await file.cutBack(({ number }) => number <= event.commonAncestor);
    if (event.type === 'gap') yield* await source.blocks(event.from, event.to, { signal });
    if (event.type === 'down') note(io, `${cleanLine(event.reason)}; trying again`);
    if (event.type === 'ended') return;
  }
}

/** Deeper reorgs do not occur; the offsets of older lines are dropped. */
const REMEMBERED = 4_096;

/**
 * A new file of whole lines, each with a mark, that can be cut back; `what` the lines are is said in errors. It takes its
 * place with the first line: until then one that is to be replaced stays as it is.
 */
export async function createLineFile<Mark>(flag: string, path: string, what: string, force = false) {
  const refuse = (error: unknown) => usageError(`${flag}: ${path} ${fileFailureReason(error)}`);
  const target = await realpath(path).catch(() => path);
  const former = await stat(target).catch(() => null);
  // A pipe or a device is written as it is.
  const isFile = former === null || former.isFile();
  if (former !== null && !force && isFile) throw refuse(Object.assign(new Error(), { code: 'EEXIST' }));
  let draft = isFile ? temporaryPath(target) : null;
  const file = await open(draft ?? target, isFile ? 'ax' : 'a', former?.mode).catch((error: unknown) => {
    throw refuse(error);
  });
  const takePlace = async (from: string) => {
    await file.sync();
    if (force) await rename(from, target);
    else {
      publish(from, target);
      await rm(from, { force: true });
    }
    draft = null;
  };
  let end = 0;
  let lines: { readonly at: number; readonly mark: Mark }[] = [];
  const written = { count: 0, first: null as Mark | null };
  /** A heading, which is no line; text that could not be written whole is removed. */
  const write = async (text: string): Promise<void> => {
    try {
      await file.appendFile(text);
    } catch (error) {
      await file.truncate(end).catch(() => {});
      throw failure(`${path} ${fileFailureReason(error)}; ${written.count} ${what} are in it`, error);
    }
    end += Buffer.byteLength(text);
  };
  return {
    /** How many lines there are, and the mark of the first one. */
    written: written as Readonly<typeof written>,
    newest: (count: number): readonly Mark[] => lines.slice(-count).map(({ mark }) => mark),
    write,
    add: async (text: string, mark: Mark): Promise<void> => {
      const at = end;
      await write(text);
      if (draft !== null) {
        await takePlace(draft).catch((error: unknown) => {
          throw refuse(error);
        });
      }
      lines.push({ at, mark });
      if (lines.length > 2 * REMEMBERED) lines = lines.slice(-REMEMBERED);
      if (written.count === 0) written.first = mark;
      written.count += 1;
    },
    /** Removes the first line that is not to stay, and all after it. */
    cutBack: async (isKept: (mark: Mark) => boolean): Promise<void> => {
      const index = lines.findIndex(({ mark }) => !isKept(mark));
      const line = lines[index];
      if (line === undefined) return;
      await file.truncate(line.at);
      end = line.at;
      written.count -= lines.length - index;
      lines.length = index;
    },
    /** Syncs everything to disk; removes a file without lines, but never a device. */
    close: async (): Promise<void> => {
      try {
        if (isFile) await file.sync();
      } finally {
        await file.close();
        if (isFile && written.count === 0) await rm(draft ?? target, { force: true });
      }
    },
  };
}

export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => null)));
  return a !== null && b !== null && a?.ino === b?.ino && a?.dev === b?.dev;
}

const PAGE = 1_024;

async function* pastBlocks(source: ChainSource, pastSec: number, signal: AbortSignal): AsyncGenerator<Block> {
  const [{ feeRule }, head] = await Promise.all([source.chain(), source.head()]);
  const since = head.timestamp - pastSec;
  let from = head.number;
  // A block at or before `since`: by the chain's nominal pace, or further back where it makes blocks faster.
  for (let back = Math.ceil(pastSec / feeRule.blockTimeSec) + 1; ; back *= 2) {
    from = Math.max(head.number - back, 0);
    const [block] = await source.blocks(from, from);
    if (from === 0 || block === undefined || block.timestamp <= since) break;
  }
  for (; from <= head.number && !signal.aborted; from += PAGE) {
    const blocks = await source.blocks(from, Math.min(from + PAGE - 1, head.number), { signal });
    for (const block of blocks) if (block.timestamp >= since) yield block;
  }
}
