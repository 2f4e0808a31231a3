import type { LanePrices } from '../core/advice.ts';
import type { AlertMessage } from '../core/alerts/kept-alert.ts';
import type { Block } from '../core/block.ts';

/** A block and what the lanes cost after it. */
export interface PricedBlock {
  readonly block: Block;
  readonly prices: LanePrices;
  /** Nobody could be told of it in time: what would have fired is counted as missed, and nothing is sent. */
  readonly isPast: boolean;
}

/** Blocks that alerts are evaluated at, and what is told of those that fire. */
export interface AlertRun {
  /** Ascending. A block that was evaluated before is passed over. */
  readonly blocks: readonly PricedBlock[];
  readonly chain: Pick<AlertMessage, 'chainId' | 'chainName' | 'sourceKind'>;
  /** Dollars for one native coin now; `null`: unknown. */
  readonly nativeUsd: number | null;
  /** Ms since epoch, wall clock: from then on it is tried to deliver. */
  readonly now: number;
}
