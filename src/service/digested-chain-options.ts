import type { ChainSource } from '../chain/chain-source.ts';
import type { Block } from '../core/block.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { BlockStore } from '../store/block-store.ts';
import type { AdviceJudge } from './follow/advice-judge.ts';
import type { Lease } from './leader.ts';
import type { Engine } from './live-engine.ts';

/** What digested blocks go into, and where they come from. */
export interface DigestedChainOptions {
  readonly source: Pick<ChainSource, 'kind'>;
  readonly store: BlockStore;
  readonly track: AdviceJudge;
  /** Whether this process writes, or another one on the same database. */
  readonly lease: Lease;
  readonly createEngine: (profile: ChainProfile) => Engine;
  readonly wallNow: () => number;
  /** Ms of a clock that nobody sets. */
  readonly steadyNow?: () => number;
  /** Dollars for one native coin now; `null`: unknown. */
  readonly nativeUsd?: () => number | null;
  /** Called when alerts have fired and what they send is in the outbox. */
  readonly onFired?: () => void;
  /** Called with new blocks in the store, whoever wrote them. */
  readonly onStored?: () => void;
  readonly signal: AbortSignal;
}

/** What is asked and told while blocks are digested. */
export interface DigestedChainEvents {
  /** Called with the first write that works after one that did not. */
  readonly onRecovered: () => void;
  /** Whether blocks that should be there after `block` stay away. */
  readonly isLate: (block: Block) => boolean;
  /** Whether `block` came too late to tell anybody of it as of now. */
  readonly isPast: (block: Block) => boolean;
  /**
   * Called when writing becomes this process's turn. What was digested up to `head` was another one's to write: what
   * of it is missing is written only now, or not at all.
   */
  readonly onTurn: (head: Block) => void;
  /** Called when writing is this process's turn, but the blocks it knows do not go on from those that are stored. */
  readonly onForeign: () => void;
}
