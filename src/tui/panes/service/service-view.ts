import type { ServiceDescription } from '../../../client/openapi.ts';
import type { DashboardView, MarketView, RateLimitsView } from '../../../client/views/dashboard.ts';
import type { RecommendationView, SnapshotView } from '../../../client/views/gas.ts';
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
