import type { NodeHealth } from '../../chain/chain-source.ts';
import type { Summary } from '../../contract/dashboard.ts';
import { gasCurrent, gasRecommendation, type Present } from './gas.ts';
import { isoFromMs } from './wire.ts';

/** An owner's alerts, or auto-txs, and what they saved. */
export interface Totals<Counts> {
  readonly counts: Counts;
  /** Firings, or executed auto-txs. */
  readonly events: number;
  readonly saved: Summary['savings']['alerts'];
}

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

export function summaryOf(
  present: Present,
  alerts: Totals<Summary['alerts']>,
  autoTxs: Totals<Summary['autoTxs']>,
  health: ServiceHealth,
): Summary {
  const { lowPrice, averagePrice, highPrice, basePrice, source, stale } = gasCurrent(present);
  const { action, targetPrice, probability } = gasRecommendation(present);
  const { engine } = health;
  return {
    alerts: alerts.counts,
    autoTxs: autoTxs.counts,
    savings: {
      ...sumOf(alerts.saved, autoTxs.saved),
      events: alerts.events + autoTxs.events,
      alerts: alerts.saved,
      autoTxs: autoTxs.saved,
    },
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
      engine: engine && {
        process: engine.process,
        isHere: engine.isHere,
        since: isoFromMs(engine.since),
        heartbeatAt: isoFromMs(engine.heartbeatAt),
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
