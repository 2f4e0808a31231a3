import type { NodeHealth } from '../../chain/chain-source.ts';
import type { Summary } from '../../contract/dashboard.ts';
import { usdOf } from '../../core/units.ts';
import { gasCurrent, gasRecommendation, type Present } from './gas-answers.ts';

/** What the service counts of its work for people. */
export interface Tallies {
  alerts(): Promise<Summary['alerts']>;
  autoTxs(): Promise<Summary['autoTxs']>;
  /** Wei that alerts saved, and how many of them fired. */
  savings(): Promise<{ readonly savedWei: bigint; readonly events: number }>;
}

/** Of a service that keeps neither alerts nor transactions. */
export const NOTHING_YET: Tallies = {
  alerts: async () => ({ total: 0, pending: 0, disabled: 0, fired24h: 0 }),
  autoTxs: async () => ({ total: 0, byStatus: {} }),
  savings: async () => ({ savedWei: 0n, events: 0 }),
};

export interface ServiceHealth {
  readonly nodes: readonly NodeHealth[];
  readonly headAgeSec: number;
  /** Blocks that the best node is ahead of what has been digested. */
  readonly lagBlocks: number;
}

/** `GET /dashboard/summary` */
export async function summaryOf(present: Present, tallies: Tallies, health: ServiceHealth): Promise<Summary> {
  const { lowPrice, averagePrice, highPrice, basePrice, source, stale } = gasCurrent(present);
  const { action, targetPrice, probability } = gasRecommendation(present);
  const { savedWei, events } = await tallies.savings();
  return {
    alerts: await tallies.alerts(),
    autoTxs: await tallies.autoTxs(),
    savings: {
      savedWei: savedWei.toString(),
      savedUsd: present.nativeUsd === null ? null : usdOf(savedWei, present.nativeUsd),
      events,
    },
    gas: { low: lowPrice, average: averagePrice, high: highPrice, base: basePrice },
    recommendation: { action, targetPrice, probability },
    health: {
      source,
      stale,
      // Finer than a second it would change with every question, and no ETag would ever hold.
      headAgeSec: Math.floor(health.headAgeSec),
      lagBlocks: health.lagBlocks,
      nodes: health.nodes.map(({ name, state, head, latencyMs, message }) => ({
        name,
        state,
        head,
        latencyMs: latencyMs === null ? null : Math.round(latencyMs),
        message,
      })),
    },
  };
}
