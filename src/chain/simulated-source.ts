import { setImmediate } from 'node:timers/promises';
import type { Block } from '../core/block.ts';
import { chainProfile, SIMULATED_CHAIN_ID } from '../core/chains.ts';
import { numberAt, SLOT_SEC } from '../core/simulation.ts';
import type { ChainEvent, ChainSource, KnownBlock } from './chain-source.ts';
import { withoutNode } from './no-node.ts';
import { findResumePoint } from './resume-point.ts';
import { type Clock, systemClock } from './rpc/clock.ts';
import { createSimulatedBlocks } from './simulated-blocks.ts';

/** Blocks that may be made up at a stretch before everything else gets its turn. */
const BURST = 256;

export interface SimulatedOptions {
  /** 0 to 2^32 − 1: each names a chain of its own. */
  readonly seed: number;
  readonly clock?: Clock;
}

/**
 * A chain that nobody runs: EIP-1559 and EIP-4844 exact, 12-second slots of which a few are missed, demand with
 * daily and weekly cycles, regimes and bursts at the sub-gwei prices of mainnet in 2026, tips to match.
 *
 * The same seed always has the same blocks at the same times, whenever it was started: block 0 stands at
 * 2016-01-01T00:00Z and every UTC day is computed by itself when asked for (see `simulateDay`). So years of
 * past are there at once and the future has no end; what lies after `clock.now()` is never shown. Its chain id is
 * 0, which is no real chain's.
 */
export function createSimulatedSource({ seed, clock = systemClock }: SimulatedOptions): ChainSource {
  const blockAt = createSimulatedBlocks(seed);
  const headNumber = () => numberAt(seed, Math.floor(clock.now() / 1_000));
  const blocks = async (from: number, to: number, signal?: AbortSignal): Promise<Block[]> => {
    const found: Block[] = [];
    const last = Math.min(to, headNumber());
    for (let number = Math.max(from, 0); number <= last && !signal?.aborted; number++) {
      found.push(await blockAt(number));
      if (found.length % BURST === 0) await setImmediate();
    }
    return found;
  };

  async function* subscribe(known: readonly KnownBlock[], signal: AbortSignal): AsyncGenerator<ChainEvent> {
    let seen = known;
    while (!signal.aborted) {
      const head = await blockAt(headNumber());
      const { events, from } = await findResumePoint(seen, head, blocks);
      yield* events;
      for (let number = from; number <= head.number; number++) {
        const block = await blockAt(number);
        if (number % BURST === 0) await setImmediate();
        if (signal.aborted) return;
        yield { type: 'block', block };
      }
      seen = [head];
      if (signal.aborted) return;
      await clock.sleep(untilNextSlotMs(clock.now()), signal);
    }
  }

  return {
    ...withoutNode('the simulation'),
    kind: 'simulated',
    name: `seed ${seed}`,
    now: () => clock.now(),
    chain: async () => chainProfile(SIMULATED_CHAIN_ID),
    head: () => blockAt(headNumber()),
    blocks: (from, to, { signal } = {}) => blocks(from, to, signal),
    subscribe: (options) => subscribe(options.known, options.signal),
    health: () => [
      { name: `seed ${seed}`, state: 'ok', head: headNumber(), latencyMs: null, message: 'makes up a chain' },
    ],
  };
}

function untilNextSlotMs(nowMs: number): number {
  const slotMs = SLOT_SEC * 1_000;
  return slotMs - (nowMs % slotMs);
}
