import type { ChainSource, NodeHealth } from '../chain/chain-source.ts';
import { describeOutdated } from '../core/chain-status.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { Database } from '../store/database.ts';
import type { StoredLease } from '../store/lease.ts';
import { unsavedWords } from './follow/block-writer.ts';
import type { Follower } from './follow/follower.ts';
import { type ApiFailure, unavailable } from './http/errors.ts';
import type { Lease } from './lease.ts';
import { DOWN_RETRY_SEC } from './published-chain.ts';

const NO_LEADER = 'no process leads on this database: no block is written and no alert fires';

/** How the service is, for probes, metrics and the summary. */
export interface Condition {
  readonly chain: ChainProfile | null;
  readonly head: number | null;
  readonly headAgeSec: number | null;
  /** Blocks that the best node, or the leader of a standby, is ahead of the ingested ones. */
  readonly lagBlocks?: number | null;
  readonly nodes?: readonly NodeHealth[];
  /** Why there are no fresh prices, or why nothing can be written; `null` while all is well. */
  readonly failure: ApiFailure | null;
  /** The process that has the lease; whether it is this one. */
  readonly leader?: (Pick<StoredLease, 'process' | 'since' | 'heartbeatAt'> & { isHere: boolean }) | null;
  readonly streams?: number;
}

interface Examined {
  readonly source: ChainSource;
  readonly database: Database;
  readonly lease: Lease;
  readonly follower: Follower;
}

export function conditionOf({ source, database, lease, follower }: Examined): Condition {
  const { chain, publisher } = follower;
  const published = publisher.publish();
  const nodes = source.health();
  const { current } = lease;
  const outdated = published && describeOutdated(published.status);
  const { unfit } = follower;
  const why =
    lease.cannotLead ??
    (unfit !== null && (unfit.isOther || current === null) ? unfit.message : null) ??
    (outdated !== null
      ? `prices are stale: ${outdated}`
      : (database.damage?.message ??
        follower.writer.problem ??
        (lease.problem && unsavedWords(lease.problem)) ??
        (current === null && !lease.isOneShot ? NO_LEADER : null)));
  const unwell = why === null ? null : unavailable(why, DOWN_RETRY_SEC);
  return {
    chain: chain.profile,
    head: published?.head.number ?? null,
    headAgeSec: published && Math.max(0, source.now() / 1_000 - published.head.timestamp),
    lagBlocks: published && lagBlocks(published.head.number, nodes, current?.report?.block ?? null),
    nodes,
    leader: current && { ...current, isHere: lease.state === 'leads' },
    failure: published === null ? publisher.whyNone() : unwell,
  };
}

function lagBlocks(number: number, nodes: readonly NodeHealth[], leading: number | null): number {
  // Nodes on another chain or branch are excluded.
  const heads = nodes.map(({ state, head }) => (state === 'ok' || state === 'lagging' ? head : null));
  return Math.max(...[...heads, leading].map((head) => (head ?? number) - number), 0);
}
