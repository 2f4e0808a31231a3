import type { NodeHealth } from '../../chain/chain-source.ts';
import type { Summary } from '../../contract/dashboard.ts';
import { gasCurrent, gasRecommendation, type Present } from './gas.ts';
import { isoFromMs } from './wire.ts';

/** An owner's totals: the id of a key, or empty for the operator. */
export interface Tallies {
  alerts(owner: string): Promise<Summary['alerts']>;
  autoTxs(owner: string): Promise<Summary['autoTxs']>;
  savings(owner: string): Promise<SavingsByOrigin>;
}

type SavingsByOrigin = Pick<Summary['savings'], 'events' | 'alerts' | 'autoTxs'>;
const NOTHING_SAVED = { savedWei: '0', savedUsd: 0 };

/** For a service that stores neither alerts nor transactions. */
export const NOTHING_YET: Tallies = {
  alerts: async () => ({ total: 0, pending: 0, disabled: 0, fired24h: 0 }),
  autoTxs: async () => ({ total: 0, byStatus: {} }),
  savings: async () => ({ events: 0, alerts: NOTHING_SAVED, autoTxs: NOTHING_SAVED }),
};

export interface ServiceHealth {
  readonly nodes: readonly NodeHealth[];
  readonly headAgeSec: number;
  /** Number of blocks that the best node, or a standby's leader, is ahead of the ingested ones. */
  readonly lagBlocks: number;
  readonly engine: EngineHealth | null;
}

/** The process that holds the lease. Times in ms since epoch. */
export interface EngineHealth {
  readonly process: string;
  readonly isHere: boolean;
  readonly since: number;
  readonly heartbeatAt: number;
  /** Newest block of another process; `null`: unknown. */
  readonly head: number | null;
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
    savings: withSums(await tallies.savings(owner)),
    gas: { low: lowPrice, average: averagePrice, high: highPrice, base: basePrice },
    recommendation: { action, targetPrice, probability },
    health: {
      source,
      stale,
      // Whole seconds: otherwise every response would differ, and ETags would be useless.
      headAgeSec: Math.floor(health.headAgeSec),
      lagBlocks: health.lagBlocks,
      nodes: health.nodes.map(({ latencyMs, ...node }) => ({
        ...node,
        latencyMs: latencyMs === null ? null : Math.round(latencyMs),
      })),
      engine: engineAnswer(health.engine),
    },
  };
}

function withSums(savings: SavingsByOrigin): Summary['savings'] {
  const { alerts, autoTxs } = savings;
  const wei = BigInt(alerts.savedWei) + BigInt(autoTxs.savedWei);
  const usd =
    alerts.savedUsd === null || autoTxs.savedUsd === null ? null : alerts.savedUsd + autoTxs.savedUsd;
  return {
    savedWei: (wei < 0n ? 0n : wei).toString(),
    savedUsd: usd === null ? null : Math.max(usd, 0),
    ...savings,
  };
}

function engineAnswer(engine: EngineHealth | null): Summary['health']['engine'] {
  if (engine === null) return null;
  const { process, isHere, since, heartbeatAt } = engine;
  return { process, isHere, since: isoFromMs(since), heartbeatAt: isoFromMs(heartbeatAt) };
}
