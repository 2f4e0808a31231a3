import type { LanePrices } from '../core/advice.ts';
import type { Block } from '../core/block.ts';

/** What the next block is expected to cost, as the head says it. Wei per gas. */
export interface Present {
  readonly head: Block;
  readonly nextBaseFee: bigint;
  /** `null`: the chain has no blobs. */
  readonly nextBlobBaseFee: bigint | null;
  readonly prices: LanePrices;
}
