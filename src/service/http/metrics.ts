import type { AlertFigures } from '../../store/alerts.ts';
import type { Condition } from '../service-state.ts';

/** Upper bounds of the histogram in seconds: from a cached response to the timeout. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
/** Other methods come from clients, and each would be a new series. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']);

export interface AnsweredRequest {
  readonly method: string;
  /** The route's template; `null` when no route matched. */
  readonly route: string | null;
  readonly status: number;
  readonly durationMs: number;
}

interface Durations {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Counts responses, in memory, for Prometheus (text format 0.0.4). Labels never come from clients. */
export class RequestMetrics {
  readonly #requests = new Map<string, number>();
  readonly #durations = new Map<string, Durations>();
  readonly #startedSec: number;
  #quotaRefusals = 0;
  #underWay = 0;

  constructor(startedMs: number) {
    this.#startedSec = startedMs / 1_000;
  }

  begin(): void {
    this.#underWay += 1;
  }

  end({ method, route, status, durationMs }: AnsweredRequest): void {
    this.#underWay -= 1;
    const series = `method="${METHODS.has(method) ? method : 'other'}",route="${route ?? 'none'}",status="${status}"`;
    this.#requests.set(series, (this.#requests.get(series) ?? 0) + 1);
    if (status === 429) this.#quotaRefusals += 1;
    const durations = this.#durationsOf(route ?? 'none');
    const sec = durationMs / 1_000;
    const bucket = BUCKETS.findIndex((bound) => sec <= bound);
    const at = bucket === -1 ? BUCKETS.length : bucket;
    durations.counts[at] = (durations.counts[at] ?? 0) + 1;
    durations.sum += sec;
    durations.count += 1;
  }

  #durationsOf(route: string): Durations {
    const known = this.#durations.get(route);
    if (known !== undefined) return known;
    const durations: Durations = { counts: new Array<number>(BUCKETS.length + 1).fill(0), sum: 0, count: 0 };
    this.#durations.set(route, durations);
    return durations;
  }

  page(
    { head, headAgeSec, lagBlocks, failure, engine, streams = 0 }: Condition,
    connections: number,
    alerts: AlertFigures | null,
  ): string {
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const cpuSec = (user + system) / 1_000_000;
    return [
      ...family('gastop_http_requests_total', 'counter', 'Requests answered, by route template.'),
      ...[...this.#requests].map(([series, count]) => `gastop_http_requests_total{${series}} ${count}`),
      ...family('gastop_http_request_duration_seconds', 'histogram', 'Time until a response was sent.'),
      ...[...this.#durations].flatMap(([route, durations]) => histogram(route, durations)),
      ...single('gastop_http_requests_in_progress', 'gauge', 'Requests being answered.', this.#underWay),
      ...single('gastop_http_connections', 'gauge', 'Open connections.', connections),
      ...single('gastop_gas_streams', 'gauge', 'Open streams of prices.', streams),
      ...single('gastop_quota_refusals_total', 'counter', 'Requests refused with 429.', this.#quotaRefusals),
      ...single(
        'gastop_ready',
        'gauge',
        '1 while prices can be answered, are not stale, and are written.',
        failure ? 0 : 1,
      ),
      ...single('gastop_head_block', 'gauge', 'Number of the last block.', head),
      ...single('gastop_head_age_seconds', 'gauge', 'Age of the last block.', headAgeSec),
      ...single('gastop_lag_blocks', 'gauge', 'Blocks that the node or the leader is ahead.', lagBlocks),
      ...single(
        'gastop_lease_held',
        'gauge',
        '1 while this process leads: writes blocks and has alerts fire.',
        engine === undefined ? null : Number(engine?.isHere ?? false),
      ),
      ...(alerts === null ? [] : alertFamilies(alerts)),
      ...single('process_resident_memory_bytes', 'gauge', 'Resident memory.', rss),
      ...single('nodejs_heap_size_used_bytes', 'gauge', 'Used heap.', heapUsed),
      ...single('process_cpu_seconds_total', 'counter', 'Processor time.', cpuSec),
      ...single('process_start_time_seconds', 'gauge', 'Start, Unix time.', this.#startedSec),
      '',
    ].join('\n');
  }
}

function alertFamilies({ armed, cooling, disabled, firings, pending, failed }: AlertFigures): string[] {
  return [
    ...family('gastop_alerts', 'gauge', 'Alerts in the database by state.'),
    `gastop_alerts{state="armed"} ${armed}`,
    `gastop_alerts{state="cooling_down"} ${cooling}`,
    `gastop_alerts{state="disabled"} ${disabled}`,
    ...single('gastop_alert_firings_total', 'counter', 'How often the alerts there are have fired.', firings),
    ...single('gastop_outbox_pending', 'gauge', 'Deliveries that wait for their first or next try.', pending),
    ...single('gastop_outbox_failed', 'gauge', 'Deliveries that were given up, of the last 90 days.', failed),
  ];
}

function histogram(route: string, { counts, sum, count }: Durations): string[] {
  const name = 'gastop_http_request_duration_seconds';
  let below = 0;
  const buckets = BUCKETS.map((bound, at) => {
    below += counts[at] ?? 0;
    return `${name}_bucket{route="${route}",le="${bound}"} ${below}`;
  });
  return [
    ...buckets,
    `${name}_bucket{route="${route}",le="+Inf"} ${count}`,
    `${name}_sum{route="${route}"} ${sum}`,
    `${name}_count{route="${route}"} ${count}`,
  ];
}

const family = (name: string, type: string, help: string) => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
];

/** A family of one value; none while it is not known. */
const single = (name: string, type: string, help: string, value: number | null | undefined) =>
  value == null ? [] : [...family(name, type, help), `${name} ${value}`];
