import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Block } from '../core/block.ts';
import { chainProfile, learnCoin } from '../core/chains.ts';
import { FASTEST, type Playback } from '../core/playback.ts';
import { formatCount } from '../core/units.ts';
import { systemClock, type TestableClock } from './async.ts';
import { fileLabel, readBlockFile, recordedChainId } from './block-file.ts';
import { createBlockSequencer } from './block-sequencer.ts';
import { ChainError, type ChainEvent, type ChainSource, type KnownBlock } from './chain-source.ts';

/** Length of the recording that is available from the start, as history. */
const HISTORY_SEC = 3_600;
const HISTORY_SHARE = 0.1;
/** Timers have 31 bits; a slow replay of a quiet chain may wait longer. */
const LONGEST_SLEEP_MS = 86_400_000;
const BURST = 64;

const refuse = (): Promise<never> =>
  Promise.reject(
    new ChainError('unsupported', 'a recording has only the fees of blocks; use --rpc URL to ask a node'),
  );
const WITHOUT_NODE = {
  ...{ sendRawTransaction: refuse, transaction: refuse, receipt: refuse, block: refuse },
  ...{ call: refuse, nonce: refuse, balance: refuse, transactionsOf: refuse },
};

interface ReplaySource extends ChainSource {
  readonly playback: Playback;
}

/**
 * Virtual time stays at the first block plus an hour (at most a tenth of the recording) until the first subscription, then runs at
 * `speed`; later blocks are invisible. It never passes a block that no subscriber has taken, and stops at the last block's time.
 * Where it is moved back, the blocks after it are taken back as by a reorg.
 * @throws ChainError `bad-file`; `unsupported` for a speed out of range.
 */
export async function openReplaySource({
  file,
  speed,
  clock = systemClock,
}: {
  readonly file: string;
  /** Recorded seconds per second, above 0 and at most 100,000. */
  readonly speed: number;
  readonly clock?: TestableClock;
}): Promise<ReplaySource> {
  if (!(speed > 0 && speed <= FASTEST))
    throw new ChainError('unsupported', `a replay's speed is above 0 and at most ${FASTEST}, such as 60`);
  const id = await recordedChainId(file);
  await learnCoin(id);
  const chain = chainProfile(id);
  const recorded: Block[] = [];
  for await (const block of readBlockFile(file)) recorded.push(block);
  const [first, last] = [recorded[0], recorded.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('a recording has a block');
  const startSec =
    first.timestamp + Math.min(HISTORY_SEC, (last.timestamp - first.timestamp) * HISTORY_SHARE);
  let head = recorded.findLastIndex(({ timestamp }) => timestamp <= startSec);
  let hasEnded = false;
  /** Virtual time `atMs` was at `since`, by the steady clock; `null`: it has not begun to run. */
  let run = { atMs: startSec * 1_000, since: null as number | null, speed };
  let moved = new AbortController();

  const headBlock = () => recorded[head] ?? first;
  /** Virtual time if every block were taken at once. */
  const playedMs = () => run.atMs + (run.since === null ? 0 : (clock.elapsed() - run.since) * run.speed);
  const nowMs = () => Math.min(playedMs(), (recorded[head + 1] ?? last).timestamp * 1_000);
  const move = (atMs: number, speed: number) => {
    run = { atMs, speed, since: run.since === null ? null : clock.elapsed() };
    moved.abort();
    moved = new AbortController();
  };
  const playback: Playback = {
    get speed() {
      return run.speed;
    },
    play: (speed) => move(nowMs(), speed),
    seek(sec) {
      const toMs = Math.max(nowMs() + sec * 1_000, first.timestamp * 1_000);
      move(Math.min(toMs, last.timestamp * 1_000), run.speed);
    },
  };
  /** The place of the first block from `number` on. */
  const placeOf = (number: number) => {
    const place = recorded.findIndex((block) => block.number >= number);
    return place === -1 ? recorded.length : place;
  };
  const blocks = async (from: number, to: number) =>
    recorded.slice(placeOf(from), Math.min(placeOf(to + 1), head + 1));
  const reader = {
    node: null,
    header: async (number: number) => (await blocks(number, number))[0] ?? null,
    blocks,
  };

  async function* play(known: readonly KnownBlock[], signal: AbortSignal): AsyncGenerator<ChainEvent> {
    run = { ...run, since: run.since ?? clock.elapsed() };
    let sequencer = createBlockSequencer(known, 1);
    const newest = known.at(-1)?.number;
    let inBurst = 0;
    let isTold = false;
    for (let index = newest === undefined ? head : Math.min(placeOf(newest + 1), head); !signal.aborted; ) {
      const waiting = () => AbortSignal.any([signal, moved.signal]);
      const [before, block] = [recorded[index - 1], recorded[index]];
      if (before !== undefined && before.timestamp * 1_000 > playedMs()) {
        // It was moved back.
        head = Math.max(
          recorded.findLastIndex(({ timestamp }) => timestamp * 1_000 <= playedMs()),
          0,
        );
        const { number, hash } = headBlock();
        sequencer = createBlockSequencer([{ number, hash }], 1);
        [index, hasEnded, isTold] = [head + 1, false, false];
        yield { type: 'reorg', commonAncestor: number };
      } else if (block === undefined) {
        hasEnded = true;
        const untilMoved = waiting();
        if (!isTold) yield { type: 'ended' };
        isTold = true;
        if (!untilMoved.aborted) await once(untilMoved, 'abort');
      } else if (index > head && block.timestamp * 1_000 > playedMs()) {
        inBurst = 0;
        const left = (block.timestamp * 1_000 - playedMs()) / run.speed;
        if (run.speed > 0) await clock.sleep(Math.min(Math.ceil(left), LONGEST_SLEEP_MS), waiting());
        else await once(waiting(), 'abort');
      } else {
        inBurst += 1;
        if (inBurst % BURST === BURST - 1) await setImmediate();
        if (signal.aborted) return;
        head = Math.max(head, index);
        index += 1;
        for await (const event of sequencer.accept(block, reader)) {
          if (signal.aborted) return;
          yield event;
        }
      }
    }
  }

  const gaps = recorded.filter(({ number }, i) => i > 0 && number - 1 !== recorded[i - 1]?.number).length;
  const name = fileLabel(file);
  return {
    ...WITHOUT_NODE,
    kind: 'replay',
    name,
    now: nowMs,
    playback,
    chain: async () => chain,
    head: async () => headBlock(),
    blocks,
    subscribe: ({ known, signal }) => play(known, signal),
    health() {
      const state = hasEnded ? 'played to its end' : run.speed === 0 ? 'paused' : `plays at ${run.speed}×`;
      const counted = `; the recording has ${formatCount(gaps)} ${gaps === 1 ? 'gap' : 'gaps'}`;
      const message = gaps === 0 ? state : `${state}${counted}`;
      return [{ name, state: 'ok', head: headBlock().number, latencyMs: null, message }];
    },
  };
}
