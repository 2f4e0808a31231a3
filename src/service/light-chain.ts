import { ChainError, type ChainSource } from '../chain/chain-source.ts';
import { createPriceFeed, type PriceFeed } from '../chain/price-feed.ts';
import type { StatsCurrent, StatsMarket } from '../contract/dashboard.ts';
import { type ChainProfile, staleAfterMs, updateFrequencySec } from '../core/chains.ts';
import { FeeEngine, NEAR_BLOCKS } from '../core/engine/fee-engine.ts';
import { TimeSlice } from './async.ts';
import { dataFeesOf } from './data-fees.ts';
import { statsCurrent } from './responses/gas.ts';
import { usualWork } from './responses/market.ts';

/** Blocks of one chain in memory: an hour of 1-second blocks, half a day of Ethereum's. */
const CAPACITY = 4_096;

interface LightReading {
  readonly current: StatsCurrent;
  readonly actions: StatsMarket['actions'];
}

/** One of many chains of the board: prices and advice from the newest 4,096 blocks, without a database. */
export class LightChain {
  readonly #source: ChainSource;
  readonly #wallNow: () => number;
  #engine: FeeEngine | null = null;
  #feed: PriceFeed | null = null;

  constructor(source: ChainSource, wallNow: () => number) {
    this.#source = source;
    this.#wallNow = wallNow;
  }

  async read(signal: AbortSignal): Promise<LightReading> {
    const source = this.#source;
    const profile = await source.chain();
    const engine = await this.#followed(profile, signal);
    const { head } = engine;
    const advice = engine.advice();
    if (head === null || advice === null)
      throw new ChainError('bad-response', `${source.name} gives no blocks`);
    this.#feed ??= createPriceFeed(source, profile, this.#wallNow);
    const [usd, dataFees] = await Promise.all([this.#feed.nativeUsd(), dataFeesOf(source, profile)]);
    const now = this.#wallNow();
    const present = {
      profile,
      head,
      advice,
      said: null,
      updatedAt: now,
      ended: false,
      restartedAt: null,
      problem: null,
      stale: now - head.timestamp * 1_000 > staleAfterMs(updateFrequencySec(profile, advice.blockSec)),
      source: { kind: source.kind, name: source.name },
      nativeUsd: usd === null || now > usd.validUntil ? null : usd.usd,
    };
    return { current: statsCurrent(present), actions: usualWork(present, dataFees) };
  }

  async #followed({ feeRule }: ChainProfile, signal: AbortSignal): Promise<FeeEngine> {
    const known = this.#engine?.head ?? null;
    const recent = await this.#source.newest?.(CAPACITY, { known, signal });
    if (recent === undefined) throw new ChainError('unsupported', 'only a node can be watched beside others');
    const { blocks, follows } = recent;
    const engine =
      follows && this.#engine !== null ? this.#engine : new FeeEngine({ feeRule, capacity: CAPACITY });
    const slice = new TimeSlice();
    for (const [place, block] of blocks.entries()) {
      if (slice.isOver()) await slice.next();
      engine.push(block, blocks.length - place > NEAR_BLOCKS);
    }
    this.#engine = engine;
    return engine;
  }
}
