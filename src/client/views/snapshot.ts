/**
 * What the screens and commands read: one shape, whichever service answered. Wei is `bigint`; times are ms
 * since epoch; what a service did not say is `null`. Statistics that are only drawn are plain numbers, in wei.
 */
import type { LaneName } from '../../core/advice.ts';

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
  };
}
