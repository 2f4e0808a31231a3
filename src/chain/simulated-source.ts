import { setImmediate } from 'node:timers/promises';
import type { Block, Hex } from '../core/block.ts';
import type { EthConfig, ForkConfig } from '../core/chain-rules.ts';
import { chainProfile, SIMULATED_CHAIN_ID } from '../core/chains.ts';
import { BPO2_BLOBS } from '../core/eip4844.ts';
import {
  BLOCKS_PER_DAY,
  blobBaseFeeOf,
  blobsBetween,
  cachingLast,
  createNativeUsd,
  createTips,
  NOISE,
  numberAt,
  randomHex,
  SIMULATED_GAS_LIMIT,
  type SimulatedDay,
  SLOT_SEC,
  simulateDay,
  timestampOf,
} from '../core/simulation.ts';
import { systemClock, type TestableClock } from './async.ts';
import { createBlockSequencer } from './block-sequencer.ts';
import type { ChainEvent, ChainSource, KnownBlock } from './chain-source.ts';
import { createSimulatedNode, type SimulatedBlock, type SimulatedNode } from './simulated-node.ts';

/** A day takes 130 kB. */
const DAYS_KEPT = 4;
const SLOT_MS = SLOT_SEC * 1_000;

/** Any block of the simulated chain for `seed`, past or future, `laterSec` seconds after its own time. */
export function createSimulatedBlocks(
  seed: number,
  laterSec = 0,
): (number: number) => Promise<SimulatedBlock> {
  /** Least recently used first. */
  const days = new Map<number, SimulatedDay>();
  const tipsOf = createTips(seed);
  /** By the excess in whole blobs: a few thousand values at most. */
  const blobFees = new Map<number, bigint>();
  const hashAt = cachingLast((number) => hashOf(seed, number));

  const dayOf = (day: number): SimulatedDay => {
    const found = days.get(day) ?? simulateDay(seed, day);
    days.delete(day);
    days.set(day, found);
    const [oldest] = days.keys();
    if (days.size > DAYS_KEPT && oldest !== undefined) days.delete(oldest);
    return found;
  };
  const blobFeeOf = (excess: number): bigint => {
    const fee = blobFees.get(excess) ?? blobBaseFeeOf(excess);
    blobFees.set(excess, fee);
    return fee;
  };

  return async (number) => {
    const { baseFee, gasUsed, demand, excessBlobs } = dayOf(Math.floor(number / BLOCKS_PER_DAY));
    const index = number % BLOCKS_PER_DAY;
    // The parent's hash first: for ascending blocks it is the previous one.
    const parentHash = hashAt(number - 1);
    const timestamp = timestampOf(number);
    const gas = gasUsed[index] ?? 0;
    const [excess = 0, nextExcess = 0] = excessBlobs.subarray(index, index + 2);
    return {
      number,
      hash: hashAt(number),
      parentHash,
      timestamp: timestamp + laterSec,
      baseFeePerGas: BigInt(baseFee[index] ?? 0),
      gasUsed: BigInt(gas),
      gasLimit: BigInt(SIMULATED_GAS_LIMIT),
      gasUsedRatio: gas / SIMULATED_GAS_LIMIT,
      blobBaseFee: blobFeeOf(excess),
      nextBaseFee: BigInt(baseFee[index + 1] ?? 0),
      nextBlobBaseFee: blobFeeOf(nextExcess),
      tips: tipsOf(number, timestamp, gas, demand[index] ?? 0),
      blockAccessListHash: null,
      slotNumber: null,
      blobs: blobsBetween(excess, nextExcess),
      excessBlobs: excess,
    };
  };
}

/** One chain per seed, so a hash needs only seed and number. */
const hashOf = (seed: number, number: number): Hex =>
  `0x${randomHex(seed, NOISE.hash, number, { lane: 0, words: 8 })}`;

/** A block since Amsterdam has a block access list (EIP-7928) and its slot (EIP-7843). */
const acrossFork = (block: SimulatedBlock, forkBlock: number): SimulatedBlock =>
  block.number < forkBlock
    ? block
    : { ...block, blockAccessListHash: block.parentHash, slotNumber: block.number };

/** As a node answers `eth_config` (EIP-7910) with the head at `head`. Addresses are those of EIP-4788, and made-up ones. */
function configAcross(head: number, forkBlock: number, laterSec: number): EthConfig {
  const known = { blobSchedule: BPO2_BLOBS, precompiles: {}, systemContracts: BEFORE_AMSTERDAM };
  // In force from the first block on, which is no date to tell.
  const osaka: ForkConfig = { ...known, activationTime: 0 };
  const amsterdam: ForkConfig = {
    ...{ ...known, activationTime: timestampOf(forkBlock) + laterSec },
    systemContracts: { ...BEFORE_AMSTERDAM, ...ADDED_BY_AMSTERDAM },
  };
  const [current, next] = head < forkBlock ? [osaka, amsterdam] : [amsterdam, null];
  return { chainId: SIMULATED_CHAIN_ID, current, next };
}

const BEFORE_AMSTERDAM = { BEACON_ROOTS_ADDRESS: '0x000f3df6d732807ef1319fb7b8bb8522d0beac02' };
const ADDED_BY_AMSTERDAM = {
  BUILDER_DEPOSIT_CONTRACT_ADDRESS: `0x${'b1'.repeat(20)}`,
  BUILDER_EXIT_CONTRACT_ADDRESS: `0x${'b2'.repeat(20)}`,
};

/** Maximum number of blocks generated before yielding. */
const BURST = 256;

export interface SimulatedSource extends ChainSource, SimulatedNode {
  foresee(number: number): Promise<Block>;
  /** Dollars for one coin at a block. */
  nativeUsdAt(number: number): number;
}

/**
 * Exact by EIP-1559 and EIP-4844, with daily and weekly cycles, regimes and bursts at the sub-gwei prices of mainnet in 2026.
 * A seed has the same blocks at the same times, every 12 seconds since 2016-01-01T00:00Z, each UTC day computed on demand;
 * blocks after `clock.now()` are never returned. With `opensAt` that block is the head at the start, its past behind it.
 */
export function createSimulatedSource({
  seed,
  forkAfter = null,
  opensAt = null,
  clock = systemClock,
}: {
  /** 0 to 2^32 − 1: each is another chain. */
  readonly seed: number;
  /** So many blocks from now the chain crosses the Amsterdam fork; `null`: it does not. */
  readonly forkAfter?: number | null;
  /** Number of the head at the start; `null`: that of the present time. */
  readonly opensAt?: number | null;
  readonly clock?: TestableClock;
}): SimulatedSource {
  const nowSec = () => Math.floor(clock.now() / 1_000);
  const laterSec = opensAt === null ? 0 : (numberAt(nowSec()) - opensAt) * SLOT_SEC;
  const headNumber = () => numberAt(nowSec() - laterSec);
  const forkBlock = forkAfter === null ? null : headNumber() + forkAfter;
  const simulatedAt = createSimulatedBlocks(seed, laterSec);
  const blockAt =
    forkBlock === null
      ? simulatedAt
      : async (number: number) => acrossFork(await simulatedAt(number), forkBlock);
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
    const sequencer = createBlockSequencer(known, 1);
    const reader = {
      node: null,
      header: async (number: number) => (number <= headNumber() ? blockAt(number) : null),
      blocks,
    };
    while (!signal.aborted) {
      for await (const event of sequencer.accept(await blockAt(headNumber()), reader)) {
        if (signal.aborted) return;
        yield event;
      }
      await clock.sleep(SLOT_MS - (clock.now() % SLOT_MS), signal);
    }
  }

  const usdAt = createNativeUsd(seed);
  const nativeUsdAt = (number: number) => usdAt(timestampOf(number));
  return {
    ...createSimulatedNode({ seed, blockAt, headNumber, nativeUsdAt }),
    foresee: blockAt,
    nativeUsdAt,
    kind: 'simulated',
    name: `seed ${seed}`,
    now: () => clock.now(),
    chain: async () => chainProfile(SIMULATED_CHAIN_ID),
    ...(forkBlock !== null && { ethConfig: async () => configAcross(headNumber(), forkBlock, laterSec) }),
    head: () => blockAt(headNumber()),
    blocks: (from, to, { signal } = {}) => blocks(from, to, signal),
    subscribe: (options) => subscribe(options.known, options.signal),
    health: () => [
      { name: `seed ${seed}`, state: 'ok', head: headNumber(), latencyMs: null, message: 'makes up a chain' },
    ],
  };
}
