import type { TipLadder } from './block.ts';
import { NOISE, normal, smoothNoise, uniform } from './simulation-noise.ts';

/** Median tip in wei while blocks are at their target. */
const TYPICAL_WEI = 12_000_000;
const NO_TIPS: TipLadder = [0n, 0n, 0n, 0n, 0n, 0n, 0n];

export interface TipSituation {
  readonly number: number;
  readonly timestamp: number;
  readonly gasUsed: number;
  /** Gas asked for over gas limit; above 1 where the block could not hold it. */
  readonly demand: number;
}

/**
 * Effective tips of simulated blocks, wei per gas: they rise with what is asked for, and where a block cannot hold
 * it the cheap ones are pushed out, so that the lower rungs come closer. An empty block has zeros. The answers are
 * a function of seed and situation alone.
 */
export function createTips(seed: number): (situation: TipSituation) => TipLadder {
  const mood = smoothNoise(seed, NOISE.tipLevel);
  return ({ number, timestamp, gasUsed, demand }) => {
    if (gasUsed === 0) return NO_TIPS;
    const own = 0.15 * normal(seed, NOISE.tipLevel, number) + 0.35 * mood(timestamp / 5_400);
    const p50 = Math.log(TYPICAL_WEI) + own + 0.7 * Math.log(Math.max(demand, 0.15) * 2);
    const squeeze = 1 / (1 + 0.6 * Math.max(demand - 0.8, 0));
    const rung = (lane: number, least: number, more: number) =>
      least + more * uniform(seed, NOISE.tipLadder, number, lane);

    const p25 = p50 - rung(1, 0.7, 0.5) * squeeze;
    const p10 = p25 - rung(2, 0.8, 0.9) * squeeze;
    const p75 = p50 + rung(3, 0.4, 0.6);
    const p90 = p75 + rung(4, 0.5, 0.6);
    const p95 = p90 + rung(5, 0.3, 0.5);
    const p99 = p95 + rung(6, 0.6, 1.2);
    return [wei(p10), wei(p25), wei(p50), wei(p75), wei(p90), wei(p95), wei(p99)];
  };
}

const wei = (log: number) => BigInt(Math.round(Math.exp(log)));
