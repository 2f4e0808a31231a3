import { TimeSlice } from '../chain/async.ts';
import { ChainError, type ChainSource } from '../chain/chain-source.ts';
import { createPriceFeed, type PriceFeed } from '../chain/price-feed.ts';
import { chainRules } from '../core/chain-rules.ts';
import { judgeStatus } from '../core/chain-status.ts';
import { type ChainProfile, updateFrequencySec } from '../core/chains.ts';
import { FeeEngine, NEAR_BLOCKS } from '../core/engine/fee-engine.ts';
import { dataFeesOf } from './data-fees-in-time.ts';
import type { PublishedChain } from './published-chain.ts';
import { statsCurrent } from './responses/gas.ts';
import { usualWork } from './responses/market.ts';

/**
 * Blocks of one chain in memory: ten hours of Ethereum's. With the depth of a rewind they fill a ring of 4,096; a block more
 * would take twice the memory.
 */
const CAPACITY = 3_072;

/** One of many chains of the board: prices and advice from the newest 3,072 blocks, without a database. */
export function createBoardChain(
  source: ChainSource,
  { now: wallNow, patienceSec }: { readonly now: () => number; readonly patienceSec: number },
) {
  let known: FeeEngine | null = null;
  let feed: PriceFeed | null = null;

  async function followed({ feeRule }: ChainProfile, signal: AbortSignal): Promise<FeeEngine> {
    const recent = await source.newest?.(CAPACITY, { known: known?.head ?? null, signal });
    if (recent === undefined) throw new ChainError('unsupported', 'only a node can be watched beside others');
    const { blocks, follows } = recent;
    const engine =
      follows && known !== null ? known : new FeeEngine({ feeRule, capacity: CAPACITY, patienceSec });
    const slice = new TimeSlice();
    for (const [place, block] of blocks.entries()) {
      if (slice.isOver()) await slice.next();
      engine.push(block, blocks.length - place > NEAR_BLOCKS);
    }
    known = engine;
    return engine;
  }

  return async (signal: AbortSignal) => {
    const profile = await source.chain();
    const engine = await followed(profile, signal);
    const { head } = engine;
    const advice = engine.advice();
    if (head === null || advice === null)
      throw new ChainError('bad-response', `${source.name} gives no blocks`);
    feed ??= createPriceFeed(source, profile, wallNow);
    const [usd, dataFees] = await Promise.all([feed.nativeUsd(), dataFeesOf(source, profile)]);
    const now = wallNow();
    const published: PublishedChain = {
      profile,
      head,
      advice,
      score: null,
      updatedAt: now,
      status: judgeStatus(
        {
          isEnded: false,
          isCatchingUp: false,
          problem: null,
          headAt: head.timestamp * 1_000,
          updateSec: updateFrequencySec(profile, advice.blockSec),
        },
        now,
      ),
      unsaved: null,
      isLoading: false,
      restartedAt: null,
      source: { kind: source.kind, name: source.name },
      nativeUsd: usd === null || now > usd.validUntil ? null : usd.usd,
      rules: chainRules(head, profile, null),
    };
    return { current: statsCurrent(published), actions: usualWork(published, dataFees) };
  };
}
