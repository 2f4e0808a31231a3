import { sleep } from '../chain/async.ts';
import type { ChainSource, NodeHealth } from '../chain/chain-source.ts';
import type { GasEstimate } from '../contract/estimate.ts';
import type { Chance, Recommendation } from '../core/advice.ts';
import { gasFactsAt } from '../core/auto-txs/gas-check.ts';
import type { ChainRules } from '../core/chain-rules.ts';
import { describeOutdated, isOutdated } from '../core/chain-status.ts';
import type { ChainProfile } from '../core/chains.ts';
import type { BlockStore } from '../store/blocks.ts';
import type { Database } from '../store/database.ts';
import type { HistoryStore } from '../store/history.ts';
import type { StoredLease } from '../store/lease.ts';
import { bounded, type ChainReader } from './chain-reader.ts';
import { dataFeesOf } from './data-fees-in-time.ts';
import { unsavedWords } from './follow/block-writer.ts';
import type { Follower } from './follow/follower.ts';
import type { ForkWatch } from './follow/fork-watch.ts';
import { type ApiFailure, unavailable } from './http/errors.ts';
import type { Lease } from './lease.ts';
import { DOWN_RETRY_SEC, problemOf } from './published-chain.ts';
import type { StatedPrices } from './responses/charts.ts';
import { gasEstimate } from './responses/estimate.ts';
import type { LookupContext } from './responses/explorer.ts';
import { pendingResponse } from './responses/pending.ts';

const FORKS_WITHIN_MS = 2_000;
const NO_LEADER = 'no process leads on this database: no block is written and no alert fires';

interface ServiceParts {
  readonly source: ChainSource;
  readonly database: Database;
  readonly lease: Lease;
  readonly follower: Follower;
  readonly history: HistoryStore;
  readonly blocks: BlockStore;
  readonly reader: ChainReader;
  readonly forks: Pick<ForkWatch, 'asked'>;
  readonly wallNow: () => number;
}

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

export type ServiceState = ReturnType<typeof createServiceState>;

export function createServiceState(parts: ServiceParts) {
  const { source, database, lease, follower, history, blocks, reader, forks, wallNow } = parts;
  const { chain, publisher } = follower;

  const reach = (price: bigint, withinSec: number): Chance =>
    chain.engine?.reachProbability(price, withinSec) ?? {
      probability: null,
      reason: 'no block is known yet',
    };

  const pending: LookupContext['pending'] = (transaction, lane) =>
    pendingResponse(transaction, lane, { source, readPublished: () => publisher.read(), reach, wallNow });

  /** What responses about history, blocks and transactions need, as published. @throws {ApiFailure} while there is none. */
  async function context(): Promise<LookupContext> {
    await follower.writer.flush();
    const published = publisher.require();
    const { profile, head, advice, rules, nativeUsd, status } = published;
    // A chain's clock may run ahead of ours.
    const now = Math.max(Math.floor(source.now() / 1_000), head.timestamp);
    return {
      store: history,
      profile,
      // While the source is down, "the last hour" is the last known one.
      end: isOutdated(status) ? head.timestamp : now,
      now,
      head,
      nextBaseFee: advice.nextBaseFee,
      rules,
      nextTime: gasFactsAt(published, profile, wallNow()).nextTime,
      nativeUsd,
      problem: problemOf(published)?.message ?? null,
      blocks,
      reader,
      pending,
    };
  }

  return {
    publisher,
    context,

    get chainId(): number | null {
      return chain.profile?.id ?? null;
    },

    /** The gas rules that hold, once a node was asked for its forks, or has not answered in time. */
    async rules(signal: AbortSignal): Promise<ChainRules> {
      await Promise.race([forks.asked, sleep(FORKS_WITHIN_MS, signal)]);
      return publisher.require().rules;
    },

    /** The advice for this patience, of the published block; `undefined` before the first block. */
    recommendation: (patienceSec: number): Recommendation | undefined =>
      chain.engine?.recommendation(patienceSec) ?? undefined,

    /** Probability of a price at or below `price` (wei per gas) within `withinSec`. */
    reachProbability: reach,
    pending,

    meanPrices: ((first, last) => chain.engine?.meanPrices(first, last) ?? null) satisfies StatedPrices,

    dataFees: () => dataFeesOf(source, chain.profile),

    /** @throws {ApiFailure} `validation_failed` where the call would fail */
    estimate(call: Parameters<typeof gasEstimate>[0], ended: AbortSignal): Promise<GasEstimate> {
      const published = publisher.require();
      const work = async () => gasEstimate(call, source, published, await dataFeesOf(source, chain.profile));
      return bounded(work, ended);
    },

    /** A response about single blocks and transactions, within the time limit of a request. @throws {ApiFailure} */
    explore: <T>(
      read: (context: LookupContext, signal: AbortSignal) => Promise<T>,
      ended: AbortSignal,
    ): Promise<T> => bounded(async (signal) => read(await context(), signal), ended),

    condition(): Condition {
      const published = publisher.read();
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
    },
  };
}

function lagBlocks(number: number, nodes: readonly NodeHealth[], leading: number | null): number {
  // Nodes on another chain or branch are excluded.
  const heads = nodes.map(({ state, head }) => (state === 'ok' || state === 'lagging' ? head : null));
  return Math.max(...[...heads, leading].map((head) => (head ?? number) - number), 0);
}
