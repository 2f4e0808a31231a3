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

/** Name, type, help, and one value, or one for each series (the rest of its name, with labels); left out while unknown. */
type Family = readonly [
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  help: string,
  values: number | readonly (readonly [string, number])[] | null | undefined,
];

/** Counts responses, in memory, for Prometheus (text format 0.0.4). Labels never come from clients. */
export class RequestMetrics {
  readonly #requests = new Map<string, number>();
  /** Seconds by route: how many responses ended within each bound, how many in all, and their sum. */
  readonly #durations = new Map<string, { within: number[]; count: number; sum: number }>();
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
    const name = route ?? 'none';
    const series = `{method="${METHODS.has(method) ? method : 'other'}",route="${name}",status="${status}"}`;
    this.#requests.set(series, (this.#requests.get(series) ?? 0) + 1);
    if (status === 429) this.#quotaRefusals += 1;
    const sec = durationMs / 1_000;
    const durations = this.#durations.get(name) ?? { within: BUCKETS.map(() => 0), count: 0, sum: 0 };
    this.#durations.set(name, durations);
    durations.count += 1;
    durations.sum += sec;
    const first = BUCKETS.findIndex((bound) => sec <= bound);
    if (first !== -1) durations.within[first] = (durations.within[first] ?? 0) + 1;
  }

  page(condition: Condition, connections: number, alerts: AlertFigures | null): string {
    const { head, headAgeSec, lagBlocks, failure, engine, streams = 0 } = condition;
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const durations = [...this.#durations].flatMap(([route, { within, count, sum }]) => {
      let ended = 0;
      const buckets = BUCKETS.map((bound, at) => {
        ended += within[at] ?? 0;
        return [`_bucket{route="${route}",le="${bound}"}`, ended] as const;
      });
      const all = [`_bucket{route="${route}",le="+Inf"}`, count] as const;
      return [
        ...buckets,
        all,
        [`_sum{route="${route}"}`, sum] as const,
        [`_count{route="${route}"}`, count] as const,
      ];
    });
    const states = alerts && [
      ['{state="armed"}', alerts.armed] as const,
      ['{state="cooling_down"}', alerts.cooling] as const,
      ['{state="disabled"}', alerts.disabled] as const,
    ];
    const holdsLease = engine === undefined ? null : Number(engine?.isHere ?? false);
    const families: readonly Family[] = [
      ['gastop_http_requests_total', 'counter', 'Requests answered, by route template.', [...this.#requests]],
      ['gastop_http_request_duration_seconds', 'histogram', 'Time until a response was sent.', durations],
      ['gastop_http_requests_in_progress', 'gauge', 'Requests being answered.', this.#underWay],
      ['gastop_http_connections', 'gauge', 'Open connections.', connections],
      ['gastop_gas_streams', 'gauge', 'Open streams of prices.', streams],
      ['gastop_quota_refusals_total', 'counter', 'Requests refused with 429.', this.#quotaRefusals],
      [
        'gastop_ready',
        'gauge',
        '1 while prices can be answered, are not stale, and are written.',
        failure ? 0 : 1,
      ],
      ['gastop_head_block', 'gauge', 'Number of the last block.', head],
      ['gastop_head_age_seconds', 'gauge', 'Age of the last block.', headAgeSec],
      ['gastop_lag_blocks', 'gauge', 'Blocks that the node or the leader is ahead.', lagBlocks],
      [
        'gastop_lease_held',
        'gauge',
        '1 while this process leads: writes blocks and has alerts fire.',
        holdsLease,
      ],
      ['gastop_alerts', 'gauge', 'Alerts in the database by state.', states],
      [
        'gastop_alert_firings_total',
        'counter',
        'How often the alerts there are have fired.',
        alerts?.firings,
      ],
      [
        'gastop_outbox_pending',
        'gauge',
        'Deliveries that wait for their first or next try.',
        alerts?.pending,
      ],
      [
        'gastop_outbox_failed',
        'gauge',
        'Deliveries that were given up, of the last 90 days.',
        alerts?.failed,
      ],
      ['process_resident_memory_bytes', 'gauge', 'Resident memory.', rss],
      ['nodejs_heap_size_used_bytes', 'gauge', 'Used heap.', heapUsed],
      ['process_cpu_seconds_total', 'counter', 'Processor time.', (user + system) / 1_000_000],
      ['process_start_time_seconds', 'gauge', 'Start, Unix time.', this.#startedSec],
    ];
    return families.map(familyText).join('');
  }
}

function familyText([name, type, help, values]: Family): string {
  if (values == null) return '';
  const series = typeof values === 'number' ? [['', values] as const] : values;
  const lines = series.map(([rest, value]) => `${name}${rest} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
