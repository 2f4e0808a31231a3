import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Block } from '../core/block.ts';
import { chainProfile } from '../core/chains.ts';
import { formatCount } from '../core/units.ts';
import { type Clock, systemClock } from './async.ts';
import { readBlockFile, scanBlockFile } from './block-file.ts';
import { badFile, fileLabel } from './block-formats.ts';
import { AFTER_GAP, WIDEST_GAP } from './block-sequencer.ts';
import { ChainError, type ChainEvent, type ChainSource, type KnownBlock } from './chain-source.ts';

interface ResumePoint {
  readonly events: readonly ChainEvent[];
  /** The first block to deliver. */
  readonly from: number;
}

/**
 * Where a subscription continues that has `known` (ascending) of a chain with head `head`. Without known blocks it
 * starts with the head. `read` returns the chain's own blocks, as `ChainSource.blocks`.
 */
export async function findResumePoint(
  known: readonly KnownBlock[],
  head: Block,
  read: (from: number, to: number) => Promise<readonly Block[]>,
): Promise<ResumePoint> {
  const lowest = known[0];
  const highest = known.at(-1);
  if (lowest === undefined || highest === undefined) return { events: [], from: head.number };

  const blocks = lowest.number <= head.number ? await read(lowest.number, head.number) : [];
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]));
  const isShared = ({ number, hash }: KnownBlock) => {
    const mine = hashes.get(number);
    return mine !== undefined && (mine === null || hash === null || mine === hash);
  };
  const shared = known.findLast(isShared)?.number ?? Math.min(lowest.number, head.number) - 1;

  const events: ChainEvent[] = [];
  if (shared < highest.number) events.push({ type: 'reorg', commonAncestor: shared });
  if (head.number - shared <= WIDEST_GAP) return { events, from: shared + 1 };
  const from = head.number - AFTER_GAP + 1;
  events.push({ type: 'gap', from: shared + 1, to: from - 1 });
  return { events, from };
}

/** Length of the recording that is available from the start, as history. */
const HISTORY_SEC = 3_600;
const HISTORY_SHARE = 0.1;
const FASTEST = 100_000;
/** Timers have 31 bits; a slow replay of a quiet chain may wait longer. */
const LONGEST_SLEEP_MS = 86_400_000;
/** Maximum number of consecutive blocks before yielding. */
const BURST = 64;

const refuse = (thing: string) => (): Promise<never> =>
  Promise.reject(new ChainError('unsupported', `a recording has ${thing}; use --rpc URL to ask a node`));
const noTransactions = refuse('no transactions, only the fees of blocks');
const noAccounts = refuse('no accounts');

const WITHOUT_NODE = {
  call: refuse('no contracts to call'),
  sendRawTransaction: refuse('no pool to send transactions to'),
  transaction: noTransactions,
  receipt: noTransactions,
  block: refuse('no whole blocks, only their fees'),
  transactionsOf: noTransactions,
  nonce: noAccounts,
  balance: noAccounts,
};

interface ReplayOptions {
  readonly file: string;
  /** Recorded seconds per second, above 0 and at most 100,000. */
  readonly speed: number;
  readonly clock?: Clock;
}

/**
 * Plays a recording as a chain. The file is validated once here, then read block by block as time passes: memory does
 * not grow with the recording.
 *  Virtual time stays at the first block plus one hour (at most a tenth of the recording) until the first
 * subscription, then runs at `speed`; blocks up to it are history, later ones are invisible. It never passes a block
 * that no subscriber has taken, and stops at the last block's time.
 * @throws ChainError `bad-file`; `unsupported` for a speed out of range.
 */
export async function openReplaySource(options: ReplayOptions): Promise<ChainSource> {
  const { file, speed, clock = systemClock } = options;
  if (!(speed > 0 && speed <= FASTEST)) {
    throw new ChainError('unsupported', `a replay's speed is above 0 and at most ${FASTEST}, such as 60`);
  }
  const { chainId, first, last, gaps, marks } = await scanBlockFile(file);
  const spanSec = last.timestamp - first.timestamp;
  const startSec = first.timestamp + Math.min(HISTORY_SEC, spanSec * HISTORY_SHARE);
  /** The newest visible block, and the one after it. */
  let head = first;
  let next: Block | null = null;
  const from = marks.findLast(({ timestamp }) => timestamp <= startSec);
  for await (const block of readBlockFile(file, { from })) {
    if (block.timestamp > startSec) {
      next = block;
      break;
    }
    head = block;
  }
  let startedAt: number | null = null;
  let hasEnded = false;

  /** Virtual time if every block were taken at once. */
  const playedMs = () => startSec * 1_000 + (startedAt === null ? 0 : clock.elapsed() - startedAt) * speed;
  /** Starts at or before block `number`. */
  const readFrom = (number: number, signal?: AbortSignal) =>
    readBlockFile(file, { signal, from: marks.findLast((mark) => mark.number <= number) });

  async function readRange(from: number, to: number, signal?: AbortSignal): Promise<Block[]> {
    const end = Math.min(to, head.number);
    const found: Block[] = [];
    if (end < Math.max(from, first.number)) return found;
    for await (const block of readFrom(from, signal)) {
      if (block.number > end) break;
      if (block.number >= from) found.push(block);
    }
    return found;
  }

  /** Returns whether it waited. */
  async function untilDue(block: Block, signal: AbortSignal): Promise<boolean> {
    const leftMs = () => (block.timestamp * 1_000 - playedMs()) / speed;
    if (block.number <= head.number || leftMs() <= 0) return false;
    // Read once: time passes between two reads of the clock.
    for (let left = leftMs(); left > 0 && !signal.aborted; left = leftMs()) {
      await clock.sleep(Math.min(Math.ceil(left), LONGEST_SLEEP_MS), signal);
    }
    return true;
  }

  async function* play(known: readonly KnownBlock[], signal: AbortSignal): AsyncGenerator<ChainEvent> {
    const start = await findResumePoint(known, head, readRange);
    startedAt ??= clock.elapsed();
    yield* start.events;

    let expected = start.from;
    let inBurst = 0;
    for await (const [block, following] of paired(readFrom(start.from, signal))) {
      if (block.number < start.from) continue;
      if (following === null && block.number !== last.number && !signal.aborted) {
        throw badFile(file, null, 'has changed while it was played; start the replay again');
      }
      inBurst = (await untilDue(block, signal)) ? 0 : inBurst + 1;
      if (inBurst % BURST === BURST - 1) await setImmediate();
      if (signal.aborted) return;
      if (block.number > head.number) [head, next] = [block, following];
      if (block.number > expected) yield { type: 'gap', from: expected, to: block.number - 1 };
      expected = block.number + 1;
      yield { type: 'block', block };
    }
    if (signal.aborted) return;
    hasEnded = true;
    yield { type: 'ended' };
    if (!signal.aborted) await once(signal, 'abort');
  }

  const name = fileLabel(file);
  return {
    ...WITHOUT_NODE,
    kind: 'replay',
    name,
    now: () => Math.min(playedMs(), (next ?? last).timestamp * 1_000),
    chain: async () => chainProfile(chainId),
    head: async () => head,
    blocks: (from, to, { signal } = {}) => readRange(from, to, signal),
    subscribe: ({ known, signal }) => play(known, signal),
    health() {
      const state = hasEnded ? 'played to its end' : `plays at ${speed}×`;
      const message =
        gaps === 0
          ? state
          : `${state}; the recording has ${formatCount(gaps)} ${gaps === 1 ? 'gap' : 'gaps'}`;
      return [{ name, state: 'ok', head: head.number, latencyMs: null, message }];
    },
  };
}

/** Each item with the one after it; `null` after the last. */
async function* paired<T>(items: AsyncIterable<T>): AsyncGenerator<readonly [T, T | null]> {
  let held: { readonly item: T } | null = null;
  for await (const item of items) {
    if (held !== null) yield [held.item, item];
    held = { item };
  }
  if (held !== null) yield [held.item, null];
}
