import type { NodeHealth } from '../../chain/chain-source.ts';
import type { AlertFigures } from '../../store/alerts.ts';
import type { Condition } from '../condition.ts';

/** Upper bounds of the histogram in seconds: from a cached response to the timeout. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
/** Other methods come from clients, and each would be a new series. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']);

const NODE_STATES: readonly NodeHealth['state'][] = ['ok', 'lagging', 'disagrees', 'down', 'wrong-chain'];

export interface AnsweredRequest {
  readonly method: string;
  /** The route's template; `null` when no route matched. */
  readonly route: string | null;
  readonly status: number;
  readonly durationMs: number;
}

/** Responses of one route. */
interface RouteFigures {
  /** By method and status. */
  readonly answers: Map<string, Map<number, number>>;
  /** How many took no longer than each bound, how many there were in all, and the sum of seconds. */
  readonly within: number[];
  count: number;
  sum: number;
}

/** Counts responses, in memory, for Prometheus (text format 0.0.4). Labels never come from clients. */
export function createRequestMetrics(startedMs: number) {
  const routes = new Map<string, RouteFigures>();
  let quotaRefusals = 0;
  let underWay = 0;

  return {
    begin(): void {
      underWay += 1;
    },

    end({ method, route, status, durationMs }: AnsweredRequest): void {
      underWay -= 1;
      if (status === 429) quotaRefusals += 1;
      const sec = durationMs / 1_000;
      const name = route ?? 'none';
      const own = routes.get(name) ?? { answers: new Map(), within: BUCKETS.map(() => 0), count: 0, sum: 0 };
      if (own.count === 0) routes.set(name, own);
      own.count += 1;
      own.sum += sec;
      const asked = METHODS.has(method) ? method : 'other';
      const answers = own.answers.get(asked) ?? new Map<number, number>();
      if (answers.size === 0) own.answers.set(asked, answers);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      const first = BUCKETS.findIndex((bound) => sec <= bound);
      if (first !== -1) own.within[first] = (own.within[first] ?? 0) + 1;
    },

    /** `prices`: the families of {@link gasMetrics}. */
    page(condition: Condition, connections: number, alerts: AlertFigures | null, prices = ''): string {
      const { head, headAgeSec, lagBlocks, failure, leader, nodes = [], streams = 0 } = condition;
      const { rss, heapUsed } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      const times = [...routes].flatMap(([route, { within, count, sum }]): Series => {
        let ended = 0;
        const buckets = BUCKETS.map((bound, at): Series[number] => {
          ended += within[at] ?? 0;
          return [`_bucket{route="${route}",le="${bound}"}`, ended];
        });
        const all: Series = [
          [`_bucket{route="${route}",le="+Inf"}`, count],
          [`_sum{route="${route}"}`, sum],
          [`_count{route="${route}"}`, count],
        ];
        return [...buckets, ...all];
      });
      const requests = [...routes].flatMap(([route, { answers }]) =>
        [...answers].flatMap(([method, counts]) =>
          [...counts].map(([status, count]): Series[number] => [
            `{method="${method}",route="${route}",status="${status}"}`,
            count,
          ]),
        ),
      );
      const states: Series | null = alerts && [
        ['{state="armed"}', alerts.armed],
        ['{state="cooling_down"}', alerts.cooling],
        ['{state="disabled"}', alerts.disabled],
      ];
      const nodeStates = Map.groupBy(nodes, ({ state }) => state);
      const nodesBy: Series = NODE_STATES.map((state) => [
        `{state="${state}"}`,
        nodeStates.get(state)?.length ?? 0,
      ]);
      const leads = leader === undefined ? null : Number(leader?.isHere ?? false);
      const isReady = failure ? 0 : 1;
      return [
        counter('gastop_http_requests_total', 'Requests answered, by route template.', requests),
        histogram('gastop_http_request_duration_seconds', 'Time until a response was sent.', times),
        gauge('gastop_http_requests_in_progress', 'Requests being answered.', underWay),
        gauge('gastop_http_connections', 'Open connections.', connections),
        gauge('gastop_gas_streams', 'Open streams of prices.', streams),
        counter('gastop_quota_refusals_total', 'Requests refused with 429.', quotaRefusals),
        gauge('gastop_ready', '1 while prices can be answered, are not stale, and are written.', isReady),
        gauge('gastop_head_block', 'Number of the last block.', head),
        gauge('gastop_head_age_seconds', 'Age of the last block.', headAgeSec),
        gauge('gastop_lag_blocks', 'Blocks that the node or the leader is ahead.', lagBlocks),
        gauge('gastop_nodes', 'Nodes of the source by state.', nodes.length > 0 ? nodesBy : null),
        gauge('gastop_lease_held', '1 while this process leads: writes blocks and has alerts fire.', leads),
        gauge('gastop_alerts', 'Alerts in the database by state.', states),
        counter('gastop_alert_firings_total', 'How often the alerts there are have fired.', alerts?.firings),
        gauge('gastop_outbox_pending', 'Deliveries that wait for their first or next try.', alerts?.pending),
        gauge('gastop_outbox_failed', 'Deliveries that were given up, of the last 90 days.', alerts?.failed),
        prices,
        gauge('process_resident_memory_bytes', 'Resident memory.', rss),
        gauge('nodejs_heap_size_used_bytes', 'Used heap.', heapUsed),
        counter('process_cpu_seconds_total', 'Processor time.', (user + system) / 1_000_000),
        gauge('process_start_time_seconds', 'Start, Unix time.', startedMs / 1_000),
      ].join('');
    },
  };
}

/** The rest of a name, with labels, and its value. */
export type Series = (readonly [string, number])[];

/** A family of one value, or of one for each series; left out while it is unknown, or has no series. */
const family = (type: string) => (name: string, help: string, values: number | Series | null | undefined) => {
  if (values == null) return '';
  const series: Series = typeof values === 'number' ? [['', values]] : values;
  if (series.length === 0) return '';
  const lines = series.map(([rest, value]) => `${name}${rest} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
};
const counter = family('counter');
export const gauge = family('gauge');
const histogram = family('histogram');
