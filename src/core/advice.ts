import { type Block, tipAt } from './block.ts';

/**
 * What the fee engine says about the next blocks. Wei per gas as `bigint`; shares 0 to 1. How lanes and horizons come
 * to their prices and promises is in docs/ADVICE.md.
 */

export const LANES = ['slow', 'average', 'fast'] as const;
export type LaneName = (typeof LANES)[number];

/** Means of what the lanes cost at several blocks, wei per gas, not whole. */
export type MeanPrices = Readonly<Record<LaneName, number>>;

/** What each lane expects to pay, wei per gas: its {@link Lane.price}. */
export type LanePrices = Readonly<Record<LaneName, bigint>>;

export interface LanePromise {
  readonly withinBlocks: number;
  /** What the lane aims for; what it is measured to keep is `Lane.probability`. */
  readonly target: number;
}

export const LANE_PROMISES: Readonly<Record<LaneName, LanePromise>> = {
  slow: { withinBlocks: 25, target: 0.9 },
  average: { withinBlocks: 3, target: 0.95 },
  fast: { withinBlocks: 2, target: 0.99 },
};

export interface Lane {
  /** What is expected to be paid per gas; never above `maxFeePerGas`. */
  readonly price: bigint;
  /** The cap to sign. */
  readonly maxFeePerGas: bigint;
  /** `null` where the tips of recent blocks are not known. */
  readonly maxPriorityFeePerGas: bigint | null;
  readonly withinBlocks: number;
  readonly waitSec: { readonly p50: number; readonly p95: number };
  /** Share of this rule's past advice that was included in time; `null` until enough has been judged. */
  readonly probability: number | null;
  /** Why there is no probability; `null` where there is one. */
  readonly reason: string | null;
}

export interface Summary {
  readonly now: bigint;
  readonly min: bigint;
  readonly p25: bigint;
  readonly median: bigint;
  readonly p75: bigint;
  readonly max: bigint;
}

export interface FanStep {
  readonly blocksAhead: number;
  readonly min: bigint;
  readonly expected: bigint;
  readonly max: bigint;
}

export type Direction = 'RISING' | 'FALLING' | 'STABLE';

export interface Trend {
  readonly direction: Direction;
  /** Base fee now against the mean of the hour before, as a share (may be negative). */
  readonly changeRatio: number;
  readonly base: Summary;
  readonly priority: Summary;
  /** Share of the last 24 h of blocks whose base fee was below the next one, 0 to 1. */
  readonly percentileRank24h: number;
  /** Mean gas-used ratio of the last blocks, 0 to 1. */
  readonly congestion: number;
  readonly baseFeeFan: readonly FanStep[];
}

export type Action = 'SEND_NOW' | 'WAIT' | 'SET_ALERT';

export interface Horizon {
  readonly horizonSec: number;
  /** Price per gas that is reached within the horizon; `null` with `probability`, while nothing is measured. */
  readonly price: bigint | null;
  readonly probability: number | null;
  /** Why there is no probability; `null` where there is one. */
  readonly reason: string | null;
  /** What waiting for it saves on average against sending in the next block, misses counted; below 0 it costs. */
  readonly savingRatio: number | null;
}

export interface Recommendation {
  /** `null` while no wait is measured, so that nothing can be advised; the figures are then those of sending now. */
  readonly action: Action | null;
  readonly lane: LaneName;
  readonly targetPrice: bigint;
  readonly expectedWaitSec: number;
  readonly deadlineSec: number;
  readonly probability: number | null;
  readonly expectedSavingRatio: number;
  /** 0 to 100: how much history stands behind this. */
  readonly confidence: number;
  readonly reasons: readonly string[];
  readonly alternatives: readonly Horizon[];
  /** Own past recommendations, judged: how many, share kept, mean stated probability. */
  readonly track: {
    readonly evaluated: number;
    readonly hitRatio: number | null;
    readonly statedProbability: number | null;
  };
}

export interface Advice {
  /** Seconds between two blocks: as measured, or as planned while that is not known. */
  readonly blockSec: number;
  readonly nextBaseFee: bigint;
  /** `null` where the chain has no blobs. */
  readonly nextBlobBaseFee: bigint | null;
  readonly lanes: Readonly<Record<LaneName, Lane>>;
  readonly trend: Trend;
  readonly recommendation: Recommendation;
}

/** For a time between two of these, past prices are chosen as for the longer one. */
export const REACH_TIMES_SEC = [60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400] as const;
/** Times overlap: so many of them one after another before a share means anything. */
export const REACH_LEAST_TIMES = 6;

/** How much past it takes to say what happens within `withinSec`, in seconds; `null`: no past is enough. */
export function pastForReach(withinSec: number): number | null {
  const timeSec = REACH_TIMES_SEC.find((each) => each >= withinSec);
  return timeSec === undefined ? null : (REACH_LEAST_TIMES + 1) * timeSec;
}

/** Which way of advising this is. Raise it with every change of what is advised, so that the records are told apart. */
export const ADVICE_VERSION = 7;

/** What was recommended after one block, with what it promised. Wei per gas, Unix seconds. */
export interface GivenAdvice {
  readonly block: Pick<Block, 'number' | 'hash' | 'timestamp'>;
  /** {@link ADVICE_VERSION} of the program that said it. */
  readonly version: number;
  readonly action: Action;
  readonly targetPrice: bigint;
  readonly promise: Inclusion | Reached;
  readonly probability: number | null;
}

/** To send at once with this cap and tip gets in, up to the last block. */
export interface Inclusion {
  readonly kind: 'inclusion';
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly lastBlock: number;
}

/** The target price is asked for by some block, up to this moment. */
export interface Reached {
  readonly kind: 'reached';
  readonly until: number;
}

/** The recommendation that `advice` gives after the block `head`. */
export function givenAdvice(head: Block, { lanes, recommendation }: Advice): GivenAdvice {
  const { lane, targetPrice, deadlineSec, probability } = recommendation;
  const action = recommendation.action ?? 'SEND_NOW';
  const { maxFeePerGas, maxPriorityFeePerGas, withinBlocks } = lanes[lane];
  return {
    block: head,
    version: ADVICE_VERSION,
    action,
    targetPrice,
    promise:
      action === 'SEND_NOW'
        ? {
            kind: 'inclusion',
            maxFeePerGas,
            maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n,
            lastBlock: head.number + withinBlocks,
          }
        : { kind: 'reached', until: head.timestamp + deadlineSec },
    probability,
  };
}

/** Whether a transaction with this cap and tip gets into `block`: what is left of the cap is what its lowest tip was. */
export function getsInto(
  block: Block,
  { maxFeePerGas, maxPriorityFeePerGas }: Pick<Inclusion, 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
): boolean {
  const left = maxFeePerGas - block.baseFeePerGas;
  return (left < maxPriorityFeePerGas ? left : maxPriorityFeePerGas) >= (tipAt(block, 10) ?? 0n);
}
