import { type Block, lowestPaidTip } from './block.ts';

/** Advice of the fee engine about the next blocks (docs/ADVICE.md). Wei per gas as `bigint`; shares 0 to 1. */

export const LANES = ['slow', 'average', 'fast'] as const;
export type LaneName = (typeof LANES)[number];

export const eachLane = <T>(of: (lane: LaneName) => T): Readonly<Record<LaneName, T>> => ({
  slow: of('slow'),
  average: of('average'),
  fast: of('fast'),
});

export const LANE_TITLES: Readonly<Record<LaneName, string>> = {
  slow: 'Slow',
  average: 'Average',
  fast: 'Fast',
};

/** Prices that an alert or a command waits for: those of the lanes, and the blob base fee of a chain with blobs. */
export const PRICED_LANES = [...LANES, 'blob'] as const;
export type PricedLane = (typeof PRICED_LANES)[number];

export const PRICE_TITLES: Readonly<Record<PricedLane, string>> = { ...LANE_TITLES, blob: 'Blob' };

/** Why there is no price of the blob lane. */
export const NO_BLOBS = 'this chain has no blobs, and no price of them';

/** Mean lane prices over several blocks; wei per gas, not whole. */
export type MeanPrices = Readonly<Record<LaneName, number>>;

/** Expected price of each lane, wei per gas: its {@link Lane.price}. */
export type LanePrices = Readonly<Record<LaneName, bigint>>;

export type LanePromise = Readonly<Record<'withinBlocks' | 'target', number>>;

/** With the target share of inclusions; `Lane.probability` is the measured share. */
export const LANE_PROMISES: Readonly<Record<LaneName, LanePromise>> = {
  slow: { withinBlocks: 25, target: 0.9 },
  average: { withinBlocks: 3, target: 0.95 },
  fast: { withinBlocks: 2, target: 0.99 },
};

export interface Lane {
  /** Expected effective gas price; never above `maxFeePerGas`. */
  readonly price: bigint;
  readonly maxFeePerGas: bigint;
  /** `null` when the tips of recent blocks are unknown. */
  readonly maxPriorityFeePerGas: bigint | null;
  readonly withinBlocks: number;
  readonly waitSec: { readonly p50: number; readonly p95: number };
  /** Share of this rule's past advice that was included in time; `null` until enough advice has been judged. */
  readonly probability: number | null;
  readonly reason: string | null;
}

export type PriceSpread = Readonly<Record<'now' | 'min' | 'p25' | 'median' | 'p75' | 'max', bigint>>;

export interface FanStep extends Readonly<Record<'min' | 'expected' | 'max', bigint>> {
  readonly blocksAhead: number;
}

export type Direction = 'RISING' | 'FALLING' | 'STABLE';

export interface Trend {
  readonly direction: Direction;
  /** Change of the base fee against the mean of the previous hour, as a share (may be negative). */
  readonly changeRatio: number;
  readonly base: PriceSpread;
  readonly priority: PriceSpread;
  /** Share of the last 24 h of blocks whose base fee was below the next one, 0 to 1. */
  readonly percentileRank24h: number;
  /** Mean gas-used ratio of the last blocks, 0 to 1. */
  readonly congestion: number;
  readonly baseFeeFan: readonly FanStep[];
}

export type Action = 'SEND_NOW' | 'WAIT' | 'SET_ALERT';

/** The waits that advice weighs, in seconds. */
export const HORIZONS_SEC = [300, 900, 3_600, 21_600, 86_400] as const;

/** How long a user can wait with a transaction, in seconds, where nothing else is said. */
export const DEFAULT_PATIENCE_SEC = 3_600;

/** What one horizon states. A longer one never has a higher price, a lower mean saving, or a lower probability of one price. */
export interface Horizon {
  readonly horizonSec: number;
  /** Price per gas reached within the horizon; `null`, like all but the horizon, until there are measurements. */
  readonly price: bigint | null;
  readonly probability: number | null;
  readonly reason: string | null;
  /** Mean saving of waiting against sending in the next block, misses included; negative when waiting costs. */
  readonly savingRatio: number | null;
  /** Mean price at the end of the horizon where the price did not come, over sending now, less 1; `null`: it always came. */
  readonly missRatio: number | null;
  /** Past windows like the present one, one after another, and those of them in which the price came. */
  readonly windows: number | null;
  readonly windowsKept: number | null;
  /** Whether so few windows support no higher probability. */
  readonly isCeiling: boolean | null;
}

/** Judged advice of one kind. Shares 0 to 1; `null` when none was judged. */
export interface AdviceRecord {
  readonly evaluated: number;
  /** Share that came true: the price came in time, or the transaction was included in time. */
  readonly hitRatio: number | null;
  readonly statedProbability: number | null;
  /** Mean saving against the price of the next block; a miss pays what the last block of its time asked for. */
  readonly savingRatio: number | null;
}

/** The best advice for one patience, in seconds. */
export interface Recommendation {
  readonly patienceSec: number;
  /** `null` until a wait has been measured, so that there is no advice; the figures are then those of sending now. */
  readonly action: Action | null;
  readonly lane: LaneName;
  readonly targetPrice: bigint;
  readonly expectedWaitSec: number;
  readonly deadlineSec: number;
  readonly probability: number | null;
  readonly expectedSavingRatio: number;
  /** 0 to 100: how much history supports this advice. */
  readonly confidence: number;
  readonly reasons: readonly string[];
  readonly alternatives: readonly Horizon[];
  /** Own past recommendations for this patience, judged: the last ones, and the last of either kind. */
  readonly track: AdviceRecord & { readonly waits: AdviceRecord; readonly sends: AdviceRecord };
}

export interface Advice {
  /** Seconds between two blocks: measured, or the chain's nominal time until then. */
  readonly blockSec: number;
  readonly nextBaseFee: bigint;
  /** `null` on chains without blobs. */
  readonly nextBlobBaseFee: bigint | null;
  /** What the base fee never falls below; left out: no floor is known. */
  readonly floor?: bigint;
  readonly lanes: Readonly<Record<LaneName, Lane>>;
  readonly trend: Trend;
  /** For the engine's own patience; its `recommendation` has it for any. */
  readonly recommendation: Recommendation;
}

/** A probability, 0 to 1, or the reason why there is none: exactly one of the two is `null`. */
export interface Chance {
  readonly probability: number | null;
  readonly reason: string | null;
}

/** A time between two of these uses the past prices of the longer one. */
export const REACH_TIMES_SEC = [60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400] as const;
/** Times overlap: a share needs at least this many of them in sequence to be meaningful. */
export const REACH_LEAST_TIMES = 6;

/** Seconds of history needed to state what happens within `withinSec`; `null` when no history is enough. */
export function pastForReach(withinSec: number): number | null {
  const timeSec = REACH_TIMES_SEC.find((each) => each >= withinSec);
  return timeSec === undefined ? null : (REACH_LEAST_TIMES + 1) * timeSec;
}

/** Version of the advice rules. Raise it with every change of the advice, so that stored records can be told apart. */
export const ADVICE_VERSION = 9;

/** A recommendation made after one block, with its probability. Wei per gas, Unix seconds. */
export interface GivenAdvice {
  readonly block: Pick<Block, 'number' | 'hash' | 'timestamp'>;
  readonly version: number;
  readonly action: Action;
  readonly targetPrice: bigint;
  readonly promise: InclusionClaim | PriceClaim;
  readonly probability: number | null;
}

/** Predicts that a transaction sent at once with this cap and tip is included by the last block. */
export interface InclusionClaim {
  readonly kind: 'inclusion';
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly lastBlock: number;
}

/** Predicts that some block up to this time has a price at or below the target. */
export interface PriceClaim {
  readonly kind: 'reached';
  readonly until: number;
}

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

/** Whether `block` includes a transaction with this cap and tip: what the cap leaves must reach its lowest paid tip. */
export function getsInto(
  block: Block,
  { maxFeePerGas, maxPriorityFeePerGas }: Pick<InclusionClaim, 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
): boolean {
  const left = maxFeePerGas - block.baseFeePerGas;
  return (left < maxPriorityFeePerGas ? left : maxPriorityFeePerGas) >= (lowestPaidTip(block) ?? 0n);
}
