import type { RouteGroup, V1Route } from '../contract/routes.ts';
import { formatDuration, formatPercent } from '../core/units.ts';
import type { ClientErrorCode } from './errors.ts';
import type { ConnectionFinding } from './probe/connection.ts';
import type { AnswerReading } from './probe/judge-answer.ts';

/** What became of the question to one read route. */
export type RouteOutcome =
  /** Understood; how well stands in the reading. */
  | 'understood'
  /** Something came that cannot be used: not JSON, or without a field that must be there. */
  | 'unreadable'
  /** 404, 405, 501: the service has no such route. */
  | 'not-offered'
  /** 401, 403 or 429. */
  | 'refused'
  /** Any other status that is no success. */
  | 'failed'
  | 'unreachable'
  /** There was nothing to ask with; the note says what. */
  | 'skipped'
  /** An earlier answer ended the asking; the note says why. */
  | 'not-asked';

export interface RouteFinding {
  readonly path: V1Route['path'];
  readonly group: RouteGroup;
  readonly outcome: RouteOutcome;
  /** Why, where it was not understood. */
  readonly code: ClientErrorCode | null;
  /** The path and query that were asked. */
  readonly asked: string | null;
  readonly status: number | null;
  /** From the question to the last byte. */
  readonly latencyMs: number | null;
  /** Of the body, unpacked, in UTF-8. */
  readonly bytes: number | null;
  /** One clean line: why it was skipped, refused, or could not be read. */
  readonly note: string | null;
  readonly reading: AnswerReading | null;
}

/** Difference of the service's clock to ours, from a `Date` header. */
export interface ClockFinding {
  /** Positive: the service's clock is ahead. */
  readonly skewSec: number;
  /** The header counts whole seconds, and nobody knows when in the round trip it was written. */
  readonly uncertaintySec: number;
}

export interface DescriptionFinding {
  readonly title: string | null;
  readonly version: string | null;
  readonly routes: number;
}

/** All that was found out about one service. Texts in it are clean single lines; the key is in none. */
export interface ServiceFinding {
  /** `null`: the service runs in this process. */
  readonly connection: ConnectionFinding | null;
  readonly clock: ClockFinding | null;
  /** Age of the newest block by our clock; `null` where blocks have none: a recording, or a service that says none. */
  readonly headAgeSec: number | null;
  readonly snapshot: {
    readonly chainId: number | null;
    readonly blockNumber: number | null;
    readonly source: string;
    readonly sourceKind: 'rpc' | 'replay' | 'simulated' | 'service';
    readonly stale: boolean;
    readonly problem: string | null;
    /** slow ≤ average ≤ fast */
    readonly inOrder: boolean;
    readonly updateFrequencySec: number | null;
  } | null;
  /** `honoured`: a second question with `If-None-Match` got 304. `unknown`: the answer had changed meanwhile. */
  readonly etag: 'honoured' | 'ignored' | 'none' | 'unknown';
  /** `content-encoding` by how many answers had it. */
  readonly encodings: Readonly<Record<string, number>>;
  readonly rateLimitHeaders: Readonly<Record<string, string>>;
  readonly quota: { readonly dailyLimit: number | null; readonly remainingToday: number | null } | null;
  /** The service's OpenAPI document; `null`: none was found, or it was not looked for. */
  readonly description: DescriptionFinding | null;
  readonly routes: readonly RouteFinding[];
}

export interface Verdict {
  /** `usable`: its snapshot can be read, so the monitor and the commands work with it. */
  readonly result: 'usable' | 'not-usable' | 'unreachable' | 'key' | 'quota';
  /** One line that says why. */
  readonly message: string;
  /** What is worth knowing and changes nothing. */
  readonly warnings: readonly string[];
}

const SKEW_WARNING_SEC = 5;
const OLD_SEC = 300;
const OLD_BLOCKS = 5;
const CERTIFICATE_WARNING_MS = 14 * 86_400_000;
const LITTLE_QUOTA_RATIO = 0.1;

/** What codes of the first route, the snapshot, mean for the service as a whole. */
const BY_CODE: Readonly<Record<ClientErrorCode, Verdict['result']>> = {
  unreachable: 'unreachable',
  unavailable: 'unreachable',
  server: 'unreachable',
  key: 'key',
  plan: 'key',
  quota: 'quota',
  'not-found': 'not-usable',
  invalid: 'not-usable',
  conflict: 'not-usable',
  unreadable: 'not-usable',
};

/** Judges a whole service. `now`: wall clock, ms. Pure. */
export function verdictOf(finding: ServiceFinding, now: number): Verdict {
  const [first] = finding.routes;
  const warnings = warningsOf(finding, now);
  if (first?.code != null) {
    const { code, note } = first;
    return { result: BY_CODE[code], message: note ?? 'its snapshot cannot be had', warnings };
  }
  if (finding.snapshot === null) {
    return { result: 'not-usable', message: 'its snapshot cannot be had', warnings };
  }
  const stopped = finding.routes.find(({ code }) => code === 'key' || code === 'quota');
  if (stopped?.code === 'key' || stopped?.code === 'quota') {
    return { result: stopped.code, message: `${stopped.path}: ${stopped.note ?? 'refused'}`, warnings };
  }
  return { result: 'usable', message: usableMessage(finding.routes), warnings };
}

function usableMessage(routes: readonly RouteFinding[]): string {
  const count = (outcome: RouteOutcome) => routes.filter((route) => route.outcome === outcome).length;
  const others = [
    [count('not-offered'), 'not offered'],
    [count('refused'), 'not in the plan of this key'],
    [count('unreadable'), 'not understood'],
    [count('failed') + count('unreachable'), 'not answered'],
    [count('skipped'), 'skipped'],
  ] as const;
  return [
    `its prices are understood, and so are ${count('understood')} of ${routes.length} read routes`,
    ...others.flatMap(([number, what]) =>
      number === 0 ? [] : [`${number} ${number === 1 ? 'is' : 'are'} ${what}`],
    ),
  ].join('; ');
}

function warningsOf(finding: ServiceFinding, now: number): readonly string[] {
  return [
    ...connectionWarnings(finding, now),
    ...clockWarnings(finding),
    ...snapshotWarnings(finding),
    ...routeWarnings(finding.routes),
    ...quotaWarnings(finding),
  ];
}

function connectionWarnings({ connection }: ServiceFinding, now: number): readonly string[] {
  const tls = connection?.tls;
  if (!tls?.ok || tls.validUntil === null) return [];
  const leftMs = tls.validUntil - now;
  return leftMs > 0 && leftMs < CERTIFICATE_WARNING_MS
    ? [`the certificate ends in ${formatDuration(leftMs / 1_000)}`]
    : [];
}

function clockWarnings({ clock }: ServiceFinding): readonly string[] {
  if (clock === null || Math.abs(clock.skewSec) <= SKEW_WARNING_SEC + clock.uncertaintySec) return [];
  const distance = formatDuration(Math.abs(clock.skewSec));
  const side = clock.skewSec > 0 ? 'ahead of' : 'behind';
  return [`its clock is ${distance} ${side} ours, so ages are wrong by that much; check both`];
}

function snapshotWarnings({ snapshot, headAgeSec }: ServiceFinding): readonly string[] {
  if (snapshot === null) return [];
  const patience = Math.max(OLD_BLOCKS * (snapshot.updateFrequencySec ?? 0), OLD_SEC);
  const old = headAgeSec !== null && headAgeSec > patience;
  return [
    ...(snapshot.stale ? [`it calls its prices stale: ${snapshot.problem ?? 'it does not say why'}`] : []),
    ...(old ? [`its newest block is ${formatDuration(headAgeSec)} old`] : []),
    ...(snapshot.inOrder ? [] : ['its slow, average and fast prices are not in that order']),
  ];
}

function routeWarnings(routes: readonly RouteFinding[]): readonly string[] {
  return routes.flatMap(({ path, outcome, note, reading }) => {
    if (outcome === 'unreadable' || outcome === 'failed' || outcome === 'unreachable') {
      return path === routes[0]?.path ? [] : [`${path}: ${note ?? 'it failed'}`];
    }
    return reading?.prices === 'mixed'
      ? [`${path}: some prices look like wei and some like gwei; those below 100,000 were read as gwei`]
      : [];
  });
}

function quotaWarnings({ quota }: ServiceFinding): readonly string[] {
  const { dailyLimit = null, remainingToday = null } = quota ?? {};
  if (dailyLimit === null || remainingToday === null || dailyLimit === 0) return [];
  const left = remainingToday / dailyLimit;
  return left < LITTLE_QUOTA_RATIO
    ? [`${remainingToday} questions are left of today's quota (${formatPercent(left, 1)})`]
    : [];
}
