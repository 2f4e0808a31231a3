import { isDeepStrictEqual } from 'node:util';
import type { ChainSource } from '../chain/chain-source.ts';
import type { Advice } from '../core/advice.ts';
import type { Block } from '../core/block.ts';
import type { ChainRules } from '../core/chain-rules.ts';
import { type ChainStatus, isOutdated, type Problem } from '../core/chain-status.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { AdviceScore } from '../store/advice-track.ts';
import type { LeaderReport } from '../store/lease.ts';
import type { AdviceJudge } from './follow/advice-judge.ts';
import type { BlockWriter } from './follow/block-writer.ts';
import type { HistoryFiller } from './follow/history-filler.ts';
import type { IngestedChain } from './follow/ingested-chain.ts';
import type { SourceState } from './follow/source-state.ts';
import { type ApiFailure, unavailable } from './http/errors.ts';
import type { Lease } from './lease.ts';

/** When to ask again for what a node does not give. */
export const DOWN_RETRY_SEC = 5;

/** What is known of the chain now, all of one block: what every response, stream and probe says is read from it. */
export interface PublishedChain {
  readonly profile: ChainProfile;
  readonly head: Block;
  readonly advice: Advice;
  /** How the advice given so far did; `null`: none was judged. */
  readonly score: AdviceScore | null;
  /** When the last block came or its figures changed, ms since epoch, wall clock. */
  readonly updatedAt: number;
  readonly status: ChainStatus;
  /** Why the history is not being written; `null`: it is. */
  readonly unsaved: string | null;
  /** Whether history is still being read. */
  readonly isLoading: boolean;
  /** When the chain restarted, ms since epoch; `null`: it did not. */
  readonly restartedAt: number | null;
  readonly source: { readonly kind: 'rpc' | 'replay' | 'simulated'; readonly name: string };
  readonly nativeUsd: number | null;
  /** Why it is `null`; absent where it is not. */
  readonly nativeUsdReason?: string | undefined;
  /** Of the head. */
  readonly rules: ChainRules;
}

/** `null` while its prices are outdated by its status; decisions ask more: `freshChain`. */
export const unlessOutdated = (published: PublishedChain | null): PublishedChain | null =>
  published === null || isOutdated(published.status) ? null : published;

/** Dollars for one native coin, or why that is not known. */
export type CoinPrice = Pick<PublishedChain, 'nativeUsd' | 'nativeUsdReason'>;

/** What is wrong, most important first: why the prices are stale, else why nothing is written; `null`: nothing. */
export function problemOf({ status, unsaved }: Pick<PublishedChain, 'status' | 'unsaved'>): Problem | null {
  if (status.kind === 'catching-up') return null;
  if (status.kind === 'stale') return { message: status.reason, retryAt: status.retryAt };
  return unsaved === null ? null : { message: unsaved, retryAt: null };
}

export interface PublisherOptions {
  readonly source: Pick<ChainSource, 'kind' | 'name' | 'health'>;
  readonly track: Pick<AdviceJudge, 'score'>;
  readonly lease: Pick<Lease, 'leaderReport' | 'current' | 'cannotLead'>;
  readonly coinPrice: () => CoinPrice;
  /** Why everything here is lost with the process, for people. */
  readonly unsaved?: string | undefined;
  readonly wallNow: () => number;
}

/** With the parts of a follower that know of the chain. */
interface PublisherParts extends PublisherOptions {
  readonly chain: Pick<IngestedChain, 'profile' | 'head' | 'updatedAt' | 'rules' | 'restartedAt' | 'advice'>;
  readonly state: Pick<SourceState, 'status'>;
  readonly writer: Pick<BlockWriter, 'problem'>;
  readonly filler: Pick<HistoryFiller, 'isFilled'>;
}

/** Publishes the chain whenever it is asked for; `subscribe` calls its listeners at each change. */
export class ChainPublisher {
  readonly #parts: PublisherParts;
  readonly #listeners = new Set<() => void>();
  #known: PublishedChain | null = null;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
  }

  /**
   * What is known now, and where that is news, also tells the listeners. Made anew at each call, and the same object as long as
   * nothing has changed: responses are cached by it.
   */
  publish(): PublishedChain | null {
    const [known, next] = [this.#known, this.#make()];
    if (known === null || next === null ? known === next : isSamePublished(known, next)) return known;
    this.#known = next;
    this.notify();
    return next;
  }

  #make(): PublishedChain | null {
    const { source, track, lease, coinPrice, chain, state, filler } = this.#parts;
    const { profile, head, updatedAt, rules, restartedAt } = chain;
    const advice = chain.advice();
    if (profile === null || head === null || updatedAt === null || advice === null) return null;
    return {
      profile,
      head,
      advice,
      score: track.score,
      updatedAt,
      isLoading: !filler.isFilled(),
      status: state.status,
      unsaved: this.#unsaved,
      restartedAt,
      source: { kind: source.kind, name: lease.leaderReport?.sourceName ?? source.name },
      ...coinPrice(),
      rules,
    };
  }

  /** Why the history is not being written; `null`: it is. */
  get #unsaved(): string | null {
    const { unsaved, lease, writer } = this.#parts;
    return unsaved ?? (lease.current === null ? lease.cannotLead : null) ?? writer.problem;
  }

  get #problem(): Problem | null {
    return problemOf({ status: this.#parts.state.status, unsaved: this.#unsaved });
  }

  /** What a leader says to its standbys. */
  report(nativeUsd: number | null): LeaderReport {
    const { source, chain, filler } = this.#parts;
    const { head, updatedAt, rules } = chain;
    return {
      block: head?.number ?? null,
      updatedAt,
      isFilled: filler.isFilled(),
      nativeUsd,
      sourceName: source.name,
      rules,
      problem: this.#problem,
    };
  }

  /** As {@link publish}. @throws {ApiFailure} `upstream_unavailable`, node by node, while there is no data. */
  require(): PublishedChain {
    const published = this.publish();
    if (published === null) throw this.whyNone();
    return published;
  }

  whyNone(): ApiFailure {
    const { source, wallNow } = this.#parts;
    const nodes = source.health().map(({ name, message }) => ({ path: name, message }));
    const why = this.#problem;
    if (why === null) return unavailable('the first blocks are being read; ask again in a second', 1, nodes);
    const { message, retryAt } = why;
    const waitSec = retryAt === null ? DOWN_RETRY_SEC : Math.ceil((retryAt - wallNow()) / 1_000);
    // Without a retry the message itself has advice.
    const remedy =
      retryAt === null ? '' : '; check the node or name another one, it is asked again by itself';
    return unavailable(`no chain data yet: ${message}${remedy}`, Math.max(1, waitSec), nodes);
  }

  /** Calls `listener` when it may have changed, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Something happened that it may be made from. It is not made at once: a burst brings thousands of blocks. */
  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Notices what changes in time: a status, a price that expires, the state of nodes. */
  look(): void {
    if (this.#listeners.size > 0) this.publish();
  }
}

function isSamePublished(one: PublishedChain, other: PublishedChain): boolean {
  for (const fact in one) {
    const name = fact as keyof PublishedChain;
    if (name !== 'source' && name !== 'status' && one[name] !== other[name]) return false;
  }
  const isSameStatus = one.status === other.status || isDeepStrictEqual(one.status, other.status);
  return isSameStatus && one.source.name === other.source.name;
}
