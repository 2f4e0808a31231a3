import type { ServiceDescription } from '../../../client/openapi.ts';
import type { DashboardView, MarketView, RateLimitsView } from '../../../client/views/dashboard.ts';
import type { RecommendationView, SnapshotView } from '../../../client/views/gas.ts';
import {
  type Dated,
  type Polled,
  useMarket,
  useMonitor,
  usePolledQuery,
  useRecommendation,
} from '../../data/queries.ts';
import type { Theme } from '../../ui/theme.ts';
import type { OffsetAt } from '../../ui/time.ts';

/** One answer of the service, as far as there is one. */
export interface Part<T> {
  /** The last good answer. */
  readonly value: T | null;
  /** When it came, ms. */
  readonly at: number | null;
  /** Why there is none, or none newer: one clean line; `null` while all is well. */
  readonly problem: string | null;
  /** When it is asked for again by itself, ms; `null`: it is not. */
  readonly retryAt: number | null;
}

/** All that the Service pane draws. */
export interface ServiceView {
  readonly snapshot: SnapshotView;
  /** The service is the one in this process. */
  readonly isOwn: boolean;
  readonly symbol: string;
  readonly summary: Part<DashboardView>;
  readonly limits: Part<RateLimitsView>;
  readonly day: Part<MarketView>;
  readonly month: Part<MarketView>;
  readonly recommendation: Part<RecommendationView>;
  readonly description: Part<ServiceDescription>;
}

export interface ServiceContext {
  /** Of the column that is drawn. */
  readonly width: number;
  /** Ms since epoch. */
  readonly now: number;
  readonly offsetAt: OffsetAt;
  readonly theme: Theme;
}

/** What changes slowly, or counts against a quota, is asked for less often. */
const LEAST_SUMMARY_MS = 2_000;
const LIMITS_MS = 15_000;
const DAY_MS = 30_000;
const MONTH_MS = 300_000;

interface ServiceData {
  readonly summary: Polled<Dated<DashboardView>>;
  readonly limits: Polled<Dated<RateLimitsView>>;
  readonly day: Polled<Dated<MarketView>>;
  readonly month: Polled<Dated<MarketView>>;
  readonly recommendation: Polled<Dated<RecommendationView>>;
  /** `null`: the service says nothing about itself. */
  readonly description: Polled<Dated<ServiceDescription | null>>;
}

/** What the Service pane shows beside the snapshot; each part fails on its own. */
export function useService(snapshot: SnapshotView): ServiceData {
  const { client, intervalMs, frozen, now, isOwnService = false } = useMonitor();
  const dated = async <T>(answer: Promise<T>): Promise<Dated<T>> => ({ value: await answer, at: now() });
  const summary = usePolledQuery({
    key: ['service', 'summary'],
    ask: (signal) => dated(client.summary({ signal })),
    everyMs: Math.max(intervalMs, LEAST_SUMMARY_MS),
    // Elsewhere every request counts.
    ...(isOwnService ? { head: snapshot } : {}),
    frozen,
  });
  const limits = usePolledQuery({
    key: ['service', 'limits'],
    enabled: !isOwnService,
    ask: (signal) => dated(client.rateLimits({ signal })),
    everyMs: Math.max(intervalMs, LIMITS_MS),
    frozen,
  });
  const day = useMarket('24h', { head: snapshot, leastMs: DAY_MS });
  // Our own fills its month within the first minute.
  const month = useMarket('30d', { head: snapshot, leastMs: isOwnService ? DAY_MS : MONTH_MS });
  const recommendation = useRecommendation(snapshot);
  const description = usePolledQuery({
    key: ['service', 'description'],
    // A long document: not before the figures.
    enabled:
      !isOwnService &&
      [summary, limits, day, month, recommendation].every(
        ({ data, error }) => data !== undefined || error !== null,
      ),
    ask: (signal) => dated(client.description({ signal })),
    frozen,
  });
  return { summary, limits, day, month, recommendation, description };
}
