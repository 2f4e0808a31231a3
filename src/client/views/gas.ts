import type { LaneName } from '../../core/advice.ts';
import { chainProfile } from '../../core/chains.ts';

/**
 * What the screens and commands read: one shape, whichever service answered. Wei is `bigint`; times are ms
 * since epoch; what a service did not say is `null`. Statistics that are only drawn are plain numbers, in wei.
 */

export interface LaneView {
  readonly price: bigint;
  readonly maxFeePerGas: bigint | null;
  readonly maxPriorityFeePerGas: bigint | null;
  readonly withinBlocks: number | null;
  readonly waitSec: { readonly p50: number; readonly p95: number } | null;
  readonly probability: number | null;
}

export interface SnapshotView {
  readonly chainId: number | null;
  readonly blockNumber: number | null;
  readonly blockTimestamp: number | null;
  readonly lanes: Readonly<Record<LaneName, LaneView>>;
  readonly baseFee: bigint;
  readonly nextBaseFee: bigint | null;
  readonly priorityFee: bigint | null;
  readonly blobBaseFee: bigint | null;
  readonly gasUsedRatio: number | null;
  /** Dollars for one native coin. */
  readonly nativeUsd: number | null;
  readonly updatedAt: number | null;
  readonly updateFrequencySec: number | null;
  readonly stale: boolean;
  readonly source: {
    /** `service`: a service that does not say what stands behind it. */
    readonly kind: 'rpc' | 'replay' | 'simulated' | 'service';
    readonly name: string;
    readonly problem: { readonly message: string; readonly retryAt: number | null } | null;
    /** A recording that has been played to its end. */
    readonly ended: boolean;
    readonly chainName: string | null;
    /** When the chain began anew, so that what was known of it before is dropped. */
    readonly restartedAt: number | null;
  };
}

/** The chain's name as its service says it, else by its id; `null` where the service does not say which chain it is. */
export function chainNameOf({ chainId, source }: Pick<SnapshotView, 'chainId' | 'source'>): string | null {
  return source.chainName ?? (chainId === null ? null : chainProfile(chainId).name);
}

export interface SummaryView {
  readonly now: bigint;
  readonly min: bigint;
  readonly p25: bigint | null;
  readonly median: bigint | null;
  readonly p75: bigint | null;
  readonly max: bigint;
}

export interface TrendView {
  /** `RISING`, `FALLING`, `STABLE`, or the service's own word. */
  readonly direction: string;
  readonly changeRatio: number | null;
  readonly base: SummaryView | null;
  readonly priority: SummaryView | null;
  readonly percentileRank24h: number | null;
  readonly congestion: number | null;
  readonly baseFeeFan: readonly {
    readonly blocksAhead: number;
    readonly min: bigint;
    readonly expected: bigint;
    readonly max: bigint;
  }[];
  readonly updatedAt: number | null;
}

export interface HorizonView {
  readonly horizonSec: number;
  readonly price: bigint;
  readonly probability: number | null;
  readonly savingRatio: number | null;
}

/** How likely a price is reached within a time. */
export interface ReachView {
  readonly targetPrice: bigint | null;
  readonly deadlineSec: number | null;
  readonly probability: number | null;
  /** Why there is no probability. */
  readonly reason: string | null;
}

/** How advice of one kind has held. */
export interface WaitTrackView {
  readonly evaluated: number;
  readonly hitRatio: number | null;
  readonly statedProbability: number | null;
  /** When the oldest of them was given. */
  readonly since: number | null;
  readonly versions: readonly number[];
}

export interface RecommendationView {
  /** `SEND_NOW`, `WAIT`, `SET_ALERT`, or the service's own word. */
  readonly action: string;
  readonly lane: string | null;
  readonly targetPrice: bigint | null;
  readonly expectedWaitSec: number | null;
  readonly deadlineSec: number | null;
  readonly probability: number | null;
  readonly expectedSavingRatio: number | null;
  readonly confidence: number | null;
  readonly reasons: readonly string[];
  readonly alternatives: readonly HorizonView[];
  readonly track: {
    readonly evaluated: number;
    readonly hitRatio: number | null;
    readonly statedProbability: number | null;
    /** `said`: given by the service; `walked`: what its method would have said; or the service's own word. */
    readonly from: string | null;
    /** When the oldest of them was given. */
    readonly since: number | null;
    /** Versions of the method among them; empty where the service has no such thing. */
    readonly versions: readonly number[];
    readonly unjudged: number | null;
    /** Of advice to wait or to set an alert alone; `null` where the service does not count it apart. */
    readonly waits: WaitTrackView | null;
  } | null;
  /** Of the price that was asked about. */
  readonly reach: ReachView | null;
  readonly validUntil: number | null;
  readonly updatedAt: number | null;
}

/** Whether its source could not be reached since, so that nobody knows what the prices are now. A chain that makes no block stands still instead. */
export function isPast({ stale, source: { problem } }: Pick<SnapshotView, 'stale' | 'source'>): boolean {
  return stale && problem !== null && problem.retryAt !== null;
}
