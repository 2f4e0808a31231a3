import * as z from 'zod';
import * as wire from '../../contract/dashboard.ts';
import { drawn, lenient, said, sayingAny } from '../lenient.ts';
import { RecommendationView, TrendView } from './advice.ts';
import { Snapshot } from './gas.ts';

/** `GET /dashboard/stats/current`. Required: the prices. */
export const Current = lenient(
  wire.StatsCurrent.extend({ snapshot: Snapshot, trend: TrendView, recommendation: RecommendationView }),
  'snapshot',
);
export type CurrentView = z.infer<typeof Current>;

export const RateLimitsView = sayingAny(lenient(wire.RateLimits), 'usedToday');
export type RateLimitsView = z.infer<typeof RateLimitsView>;
const { alerts, autoTxs, savings, health } = wire.Summary.shape;

const Node = lenient(health.shape.nodes.element, 'name').transform((wire) => ({
  ...wire,
  message: said(wire.message),
  notes: wire.notes?.flatMap((note) => said(note) ?? []) ?? null,
}));
/** `state` is `ok`, `lagging`, `disagrees`, `down`, `wrong-chain`, or another value of the service. */
export type NodeView = z.infer<typeof Node>;
const Alerts = lenient(alerts);
const AutoTxs = lenient(autoTxs);
const Saved = lenient(savings.shape.alerts, 'savedWei');
const Savings = lenient(savings.extend({ alerts: Saved, autoTxs: Saved }));
const Health = lenient(health.extend({ nodes: z.array(Node) }));

/** `GET /dashboard/summary`: the service's condition. */
export const Dashboard = sayingAny(
  drawn(wire.Summary.extend({ alerts: Alerts, autoTxs: AutoTxs, savings: Savings, health: Health })),
  'alerts',
).transform((wire) => {
  const { source, ...rest } = wire.health ?? Health.parse({});
  return {
    alerts: wire.alerts ?? Alerts.parse({}),
    autoTxs: { total: wire.autoTxs?.total ?? null, byStatus: wire.autoTxs?.byStatus ?? {} },
    savings: wire.savings ?? Savings.parse({}),
    /** No nodes: the service does not report them. `engine` is `null` when there is none, or it is not reported. */
    health: { ...rest, sourceName: said(source?.name) },
  };
});
export type DashboardView = z.infer<typeof Dashboard>;
export type EngineView = NonNullable<DashboardView['health']['engine']>;
const Point = drawn(wire.ChartPoint, 'timestamp', 'base');
export type ChartPointView = z.infer<typeof Point>;

const Outlier = drawn(wire.Anomaly, 'timestamp', 'value').transform(({ kind, ...wire }) => ({
  ...wire,
  kind: kind ?? 'ANOMALY',
}));

const ChartEvent = lenient(wire.StatsChart.shape.events.element, 'timestamp').transform(
  ({ kind, id, ...wire }) => ({ ...wire, kind: kind ?? 'EVENT', id: id ?? '' }),
);

/** `GET /dashboard/stats/chart`. Required: the points with time and base fee. `timeFrame`: `null` when unknown. */
export const Chart = lenient(
  wire.StatsChart.extend({
    points: z.array(Point),
    anomalies: z.array(Outlier),
    events: z.array(ChartEvent),
  }),
  'points',
).transform((wire) => ({
  ...wire,
  points: wire.points.toSorted((a, b) => a.timestamp - b.timestamp),
}));
export type ChartView = Omit<z.infer<typeof Chart>, 'timeFrame' | 'points'> & {
  readonly timeFrame: string;
  readonly points: readonly ChartPointView[];
};

const Spread = drawn(wire.Stats, 'now', 'min', 'max');
export type StatsView = z.infer<typeof Spread>;

/** The figures with a newer base fee for `now` (wei per gas), which may have left their range: the window's start is unchanged. */
export function statsAt(stats: StatsView, now: number): StatsView {
  const { changeRatio: ratio } = stats;
  return {
    ...stats,
    now,
    min: Math.min(stats.min, now),
    max: Math.max(stats.max, now),
    changeRatio: ratio === null || stats.now === 0 ? ratio : ((1 + ratio) * now) / stats.now - 1,
  };
}

const { actions } = wire.StatsMarket.shape;
const Cost = lenient(actions.element.shape.slow, 'wei');
export type CostView = z.infer<typeof Cost>;

const NewHolder = lenient(actions.element.shape.newHolder.unwrap(), 'name', 'gas');

export const ActionView = lenient(
  actions.element.extend({ slow: Cost, average: Cost, fast: Cost, dataFee: Cost, newHolder: NewHolder }),
  'name',
  'gas',
);
export type ActionView = z.infer<typeof ActionView>;

const DAYS = 7;
const HOURS = 24;

/** `GET /dashboard/stats/market`. `from` is later than the time frame while the history is young. */
export const Market = sayingAny(
  drawn(wire.StatsMarket.extend({ base: Spread, average: Spread, actions: z.array(ActionView) })),
  'base',
).transform(({ heatmap, ...wire }) => ({
  ...wire,
  /** Monday first; empty for a grid of another shape. */
  heatmap: heatmap.length === DAYS && heatmap.every((row) => row.length === HOURS) ? heatmap : [],
}));
export type MarketView = Omit<z.infer<typeof Market>, 'timeFrame'> & { readonly timeFrame: string };
