import type { Summary } from '../../contract/dashboard.ts';
import type { Condition } from '../condition.ts';
import type { PublishedChain } from '../published-chain.ts';
import { gasCurrent, gasRecommendation } from './gas.ts';
import { explained, isoFromMs } from './wire.ts';

/** An owner's alerts, or auto-txs, and what they saved. */
export interface Totals<Counts> {
  readonly counts: Counts;
  /** Firings, or executed auto-txs. */
  readonly events: number;
  readonly saved: Summary['savings']['alerts'];
}

export function summaryOf(
  published: PublishedChain,
  alerts: Totals<Summary['alerts']>,
  autoTxs: Totals<Summary['autoTxs']>,
  { headAgeSec, lagBlocks, nodes = [], leader = null }: Condition,
): Summary {
  const { lowPrice, averagePrice, highPrice, basePrice, source, stale } = gasCurrent(published);
  const { action, targetPrice, probability } = gasRecommendation(published);
  return {
    alerts: alerts.counts,
    autoTxs: autoTxs.counts,
    savings: {
      ...sumOf(alerts.saved, autoTxs.saved),
      events: alerts.events + autoTxs.events,
      alerts: alerts.saved,
      autoTxs: autoTxs.saved,
    },
    gas: explained({ low: lowPrice, average: averagePrice, high: highPrice, base: basePrice }),
    recommendation: { action, targetPrice, probability },
    health: {
      source,
      stale,
      // Whole seconds: otherwise every response would differ, and ETags would be useless.
      headAgeSec: Math.floor(headAgeSec ?? 0),
      lagBlocks: lagBlocks ?? 0,
      nodes: nodes.map(({ latencyMs, notes = [], isSyncing: _, ...node }) => ({
        ...node,
        notes: [...notes],
        latencyMs: latencyMs === null ? null : Math.round(latencyMs),
      })),
      engine: leader && {
        process: leader.process,
        isHere: leader.isHere,
        since: isoFromMs(leader.since),
        heartbeatAt: isoFromMs(leader.heartbeatAt),
      },
    },
  };
}

type Saved = Totals<unknown>['saved'];

function sumOf(one: Saved, other: Saved): Saved {
  const wei = BigInt(one.savedWei) + BigInt(other.savedWei);
  const usd = one.savedUsd === null || other.savedUsd === null ? null : one.savedUsd + other.savedUsd;
  return {
    savedWei: (wei < 0n ? 0n : wei).toString(),
    savedUsd: usd === null ? null : Math.max(usd, 0),
  };
}
