import { sleep } from '../chain/async.ts';
import type { ChainSource } from '../chain/chain-source.ts';
import type { GasEstimate } from '../contract/estimate.ts';
import { gasFactsAt } from '../core/auto-txs/gas-check.ts';
import type { ChainRules } from '../core/chain-rules.ts';
import { isOutdated } from '../core/chain-status.ts';
import type { BlockStore } from '../store/blocks.ts';
import type { HistoryStore } from '../store/history.ts';
import { bounded, type ChainReader } from './chain-reader.ts';
import { dataFeesOf } from './data-fees-in-time.ts';
import type { Follower } from './follow/follower.ts';
import type { ForkWatch } from './follow/fork-watch.ts';
import { problemOf } from './published-chain.ts';
import type { StatedPrices } from './responses/charts.ts';
import { gasEstimate } from './responses/estimate.ts';
import type { LookupContext } from './responses/explorer.ts';
import { pendingResponse } from './responses/pending.ts';

const FORKS_WITHIN_MS = 2_000;

interface LookupParts {
  readonly source: ChainSource;
  readonly follower: Follower;
  readonly history: HistoryStore;
  readonly blocks: BlockStore;
  readonly reader: ChainReader;
  readonly forks: Pick<ForkWatch, 'asked'>;
  readonly wallNow: () => number;
}

export type Lookups = ReturnType<typeof createLookups>;

/** What routes look up beside the published chain: in the history, at the node, and in both within a time limit. */
export function createLookups(parts: LookupParts) {
  const { source, follower, history, blocks, reader, forks, wallNow } = parts;
  const { chain, publisher } = follower;

  const pending: LookupContext['pending'] = (transaction, lane) =>
    pendingResponse(transaction, lane, {
      source,
      readPublished: () => publisher.publish(),
      reach: (price, withinSec) => chain.reachProbability(price, withinSec),
      wallNow,
    });

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
    context,

    /** The gas rules that hold, once a node was asked for its forks, or has not answered in time. */
    async rules(signal: AbortSignal): Promise<ChainRules> {
      await Promise.race([forks.asked, sleep(FORKS_WITHIN_MS, signal)]);
      return publisher.require().rules;
    },

    pending,

    meanPrices: ((first, last) => chain.meanPrices(first, last)) satisfies StatedPrices,

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
  };
}
