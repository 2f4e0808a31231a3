import type { NodeHealth } from '../../chain/chain-source.ts';
import type { Summary } from '../../contract/dashboard.ts';
import { gasCurrent, gasRecommendation, type Present } from './gas.ts';

/** What the service counts of its work for one owner: the id of a key, empty for who runs the service. */
export interface Tallies {
  alerts(owner: string): Promise<Summary['alerts']>;
  autoTxs(owner: string): Promise<Summary['autoTxs']>;
  /** What firing alerts and executed auto-txs saved. */
  savings(owner: string): Promise<Summary['savings']>;
}

/** Of a service that keeps neither alerts nor transactions. */
export const NOTHING_YET: Tallies = {
  alerts: async () => ({ total: 0, pending: 0, disabled: 0, fired24h: 0 }),
  autoTxs: async () => ({ total: 0, byStatus: {} }),
  savings: async () => ({ savedWei: '0', savedUsd: 0, events: 0 }),
};

export interface ServiceHealth {
  readonly nodes: readonly NodeHealth[];
  readonly headAgeSec: number;
  /** Blocks that the best node is ahead of what has been digested. */
  readonly lagBlocks: number;
  /** Who has alerts fire on the database; `null`: nobody. */
  readonly engine: EngineHealth | null;
}

/** The process that holds the lease. Times in ms since epoch. */
export interface EngineHealth {
  readonly process: string;
  readonly isHere: boolean;
  readonly since: number;
  readonly heartbeatAt: number;
}

/** `GET /dashboard/summary` */
export async function summaryOf(
  present: Present,
  tallies: Tallies,
  owner: string,
  health: ServiceHealth,
): Promise<Summary> {
  const { lowPrice, averagePrice, highPrice, basePrice, source, stale } = gasCurrent(present);
  const { action, targetPrice, probability } = gasRecommendation(present);
  return {
    alerts: await tallies.alerts(owner),
    autoTxs: await tallies.autoTxs(owner),
    savings: await tallies.savings(owner),
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
      engine: engineAnswer(health.engine),
    },
  };
}

function engineAnswer(engine: EngineHealth | null): Summary['health']['engine'] {
  if (engine === null) return null;
  const { process, isHere, since, heartbeatAt } = engine;
  return { process, isHere, since: iso(since), heartbeatAt: iso(heartbeatAt) };
}

const iso = (ms: number) => new Date(ms).toISOString();
