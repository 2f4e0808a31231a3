import { type RouteGroup, V1_ROUTES, type V1Route } from '../contract/routes.ts';
import { cleanText } from '../core/text.ts';
import { formatDuration, formatPercent } from '../core/units.ts';
import { type GasClient, pathOf } from './client.ts';
import type { ConnectionFinding } from './connection.ts';
import {
  judgeResponse,
  type Known,
  NOTHING_KNOWN,
  READ_ROUTES,
  type ReadRoute,
  type ResponseReading,
} from './doctor-reading.ts';
import { ClientError, type ClientErrorCode, type LimitKind } from './errors.ts';
import { type Http, type HttpResponse, isSuccess, withoutKey } from './http.ts';
import { describedRoute } from './openapi.ts';
import type { Query } from './routes.ts';

/** What became of the request to one read route. */
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
  /** Nothing was known to make the request with; the note says what. */
  | 'skipped'
  /** An earlier response ended the probe; the note says why. */
  | 'not-asked';

export interface RouteFinding {
  readonly path: V1Route['path'];
  readonly group: RouteGroup;
  readonly outcome: RouteOutcome;
  /** Why, where it was not understood. */
  readonly code: ClientErrorCode | null;
  /** The path and query of the request. */
  readonly asked: string | null;
  readonly status: number | null;
  /** From the request to the last byte of the response. */
  readonly latencyMs: number | null;
  /** Of the body, unpacked, in UTF-8. */
  readonly bytes: number | null;
  /** One clean line: why it was skipped, refused, or could not be read. */
  readonly note: string | null;
  readonly reading: ResponseReading | null;
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
  /** `honoured`: a second request with `If-None-Match` got 304. `unknown`: the response had changed meanwhile. */
  readonly etag: 'honoured' | 'ignored' | 'none' | 'unknown';
  /** `content-encoding` by how many responses had it. */
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
  const { connection, clock, snapshot, headAgeSec, quota, routes } = finding;
  const warnings: string[] = [];
  const leftMs = connection?.tls?.ok === true ? (connection.tls.validUntil ?? 0) - now : 0;
  if (leftMs > 0 && leftMs < CERTIFICATE_WARNING_MS) {
    warnings.push(`the certificate ends in ${formatDuration(leftMs / 1_000)}`);
  }
  if (clock !== null && Math.abs(clock.skewSec) > SKEW_WARNING_SEC + clock.uncertaintySec) {
    const skew = `${formatDuration(Math.abs(clock.skewSec))} ${clock.skewSec > 0 ? 'ahead of' : 'behind'}`;
    warnings.push(`its clock is ${skew} ours, so ages are wrong by that much; check both`);
  }
  if (snapshot?.stale === true) {
    warnings.push(`it calls its prices stale: ${snapshot.problem ?? 'it does not say why'}`);
  }
  const oldSec = Math.max(OLD_BLOCKS * (snapshot?.updateFrequencySec ?? 0), OLD_SEC);
  if (snapshot !== null && headAgeSec !== null && headAgeSec > oldSec) {
    warnings.push(`its newest block is ${formatDuration(headAgeSec)} old`);
  }
  if (snapshot?.inOrder === false) warnings.push('its slow, average and fast prices are not in that order');
  for (const [place, { path, outcome, note, reading }] of routes.entries()) {
    if (outcome === 'unreadable' || outcome === 'failed' || outcome === 'unreachable') {
      if (place > 0) warnings.push(`${path}: ${note ?? 'it failed'}`);
    } else if (reading?.prices === 'mixed') {
      warnings.push(
        `${path}: some prices look like wei and some like gwei; those below 100,000 were read as gwei`,
      );
    }
  }
  const { dailyLimit = null, remainingToday = null } = quota ?? {};
  const left = dailyLimit === null || remainingToday === null ? 1 : remainingToday / dailyLimit;
  if (left < LITTLE_QUOTA_RATIO) {
    warnings.push(`${remainingToday} requests are left of today's quota (${formatPercent(left, 1)})`);
  }
  return warnings;
}

/** One request without a response may be bad luck; two say that the service is gone. */
const MOST_UNANSWERED = 2;
const USED_UP = 'the quota is used up';
const ENCODING = /^(gzip|deflate|br|zstd|compress)$/;
const UNCHANGED = 304;

export interface ProbeOptions {
  readonly http: Http;
  /** Of the same service, for its own description. */
  readonly client: Pick<GasClient, 'description'>;
  readonly connection: ConnectionFinding | null;
  /** Wall clock, ms. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Told of each path before it is requested. */
  readonly onRequest?: (path: string) => void;
}

/** A request and what came of it: a response, and an error unless that was a success. */
interface Exchange {
  readonly response: HttpResponse | null;
  readonly error: ClientError | null;
  /** Our clock when the request left, ms. */
  readonly sentAt: number;
}

/**
 * Requests every read route of a service once, one after the other, and one of them a second time for its `ETag`. It
 * stops when the key is refused, the quota is used up, or the service does not respond. Only the signal's reason is
 * thrown.
 */
export async function probeService(options: ProbeOptions): Promise<ServiceFinding> {
  const { http, now, signal, client, connection } = options;
  const routes: RouteFinding[] = [];
  const encodings: Record<string, number> = {};
  let known: Known = NOTHING_KNOWN;
  let stop: string | null = null;
  let unanswered = 0;
  let bestRoundTripMs = Number.POSITIVE_INFINITY;
  let clock: ClockFinding | null = null;
  let etag: ServiceFinding['etag'] = 'none';
  let rateLimitHeaders: Readonly<Record<string, string>> = {};

  const send = async (path: string, query: Query = {}, headers: Query = {}): Promise<Exchange> => {
    const sentAt = now();
    try {
      const response = await http.send({ path, query, signal, headers });
      const isFine = isSuccess(response.status) || response.status === UNCHANGED;
      return { response, error: isFine ? null : http.refusalOf({ path }, response), sentAt };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ClientError) return { response: null, error, sentAt };
      throw error;
    }
  };

  const note = ({ response, sentAt }: Exchange) => {
    if (response === null) return;
    const encoding = response.headers.get('content-encoding') ?? '';
    if (ENCODING.test(encoding)) encodings[encoding] = (encodings[encoding] ?? 0) + 1;
    const limits = rateLimitHeadersOf(response.headers, http.apiKey);
    if (Object.keys(limits).length > 0) rateLimitHeaders = limits;
    const seen = clockOf(response.headers, sentAt, response.headMs);
    if (seen === null || response.headMs >= bestRoundTripMs) return;
    bestRoundTripMs = response.headMs;
    clock = seen;
  };

  for (const route of READ_ROUTES) {
    signal.throwIfAborted();
    const request =
      stop ?? route.request(known, known.snapshot?.blockTimestamp ?? known.snapshot?.updatedAt ?? now());
    if (typeof request === 'string') {
      routes.push({ ...blank(route), outcome: stop === null ? 'skipped' : 'not-asked', note: request });
      continue;
    }
    const isFirst = routes.length === 0;
    const path = pathOf(route.path, request.path ?? {});
    options.onRequest?.(path);
    const exchange = await send(path, request.query);
    note(exchange);
    const { finding, learned } = judged(route, exchange, path, request.query, http.host);
    routes.push(finding);
    const { outcome, reading } = finding;
    known = { ...known, ...learned };
    if (isFirst) known = { ...known, byContract: outcome === 'understood' && reading?.match !== 'tolerant' };
    unanswered = outcome === 'unreachable' ? unanswered + 1 : 0;
    if (unanswered >= (isFirst ? 1 : MOST_UNANSWERED)) stop = 'the service does not answer';
    stop = refusedAs(finding, exchange.error?.limit ?? null, http.apiKey) ?? stop;
    const tag = exchange.response?.headers.get('etag') ?? null;
    if (isFirst && outcome === 'understood' && tag !== null) {
      etag = etagOf(tag, (await send(path, {}, { 'if-none-match': tag })).response);
    }
  }
  return {
    connection,
    clock,
    ...snapshotFindings(known, http.host, now()),
    etag,
    encodings,
    rateLimitHeaders,
    quota: quotaOf(known, stop === USED_UP),
    description: stop === null ? await describe(client, signal) : null,
    routes,
  };
}

const blank = ({ path, group }: ReadRoute): RouteFinding => ({
  path,
  group,
  outcome: 'failed',
  code: null,
  asked: null,
  status: null,
  latencyMs: null,
  bytes: null,
  note: null,
  reading: null,
});

function judged(
  route: ReadRoute,
  { response, error }: Exchange,
  path: string,
  query: Query | undefined,
  host: string,
): { readonly finding: RouteFinding; readonly learned: Partial<Known> } {
  const parameters = new URLSearchParams(query).toString();
  const measured = {
    ...blank(route),
    asked: parameters === '' ? path : `${path}?${parameters}`,
    status: response?.status ?? error?.status ?? null,
    latencyMs: response?.ms ?? null,
    bytes: response === null ? null : Buffer.byteLength(response.text),
  };
  if (error !== null || response === null) {
    const outcome = error === null ? 'failed' : (OUTCOMES[error.code] ?? 'failed');
    return {
      finding: { ...measured, outcome, code: error?.code ?? null, note: error?.message ?? null },
      learned: {},
    };
  }
  const { view, reading, problem } = judgeResponse(response.text, { endpoint: path, host }, route);
  const [outcome, code] =
    problem === null ? (['understood', null] as const) : (['unreadable', 'unreadable'] as const);
  return { finding: { ...measured, outcome, code, note: problem, reading }, learned: view ?? {} };
}

const OUTCOMES: Readonly<Partial<Record<ClientErrorCode, RouteOutcome>>> = {
  'not-found': 'not-offered',
  key: 'refused',
  plan: 'refused',
  quota: 'refused',
  unreachable: 'unreachable',
  unreadable: 'unreadable',
};

/** The refusal after which no other request would fare better; `null`: none. */
function refusedAs({ code }: RouteFinding, limit: LimitKind | null, apiKey: string | null): string | null {
  if (code === 'key') return apiKey === null ? 'the service asks for a key' : 'the service refused the key';
  if (code !== 'quota') return null;
  return limit === 'rate' ? 'they came too fast for this key; ask again in a moment' : USED_UP;
}

/** Whether the service spares what has not changed, by its response to the same request with the `ETag`. */
function etagOf(tag: string, again: HttpResponse | null): ServiceFinding['etag'] {
  if (again?.status === UNCHANGED) return 'honoured';
  if (again === null || !isSuccess(again.status)) return 'unknown';
  return again.headers.get('etag') === tag ? 'ignored' : 'unknown';
}

async function describe(
  client: ProbeOptions['client'],
  signal: AbortSignal,
): Promise<DescriptionFinding | null> {
  try {
    const description = await client.description({ signal });
    if (description === null) return null;
    const { title, version } = description;
    const routes = V1_ROUTES.filter(({ method, path }) => describedRoute(description, path, method) !== null);
    return { title, version, routes: routes.length };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ClientError) return null;
    throw error;
  }
}

/** What was left when the service was asked may have gone with the requests that followed. */
function quotaOf({ quota }: Known, isUsedUp: boolean): ServiceFinding['quota'] {
  if (quota === null) return null;
  const { dailyLimit, remainingToday } = quota;
  return { dailyLimit, remainingToday: isUsedUp && dailyLimit !== null ? 0 : remainingToday };
}

function snapshotFindings(
  { snapshot }: Known,
  host: string,
  now: number,
): Pick<ServiceFinding, 'snapshot' | 'headAgeSec'> {
  if (snapshot === null) return { snapshot: null, headAgeSec: null };
  const { chainId, blockNumber, blockTimestamp, source, stale, updateFrequencySec, lanes } = snapshot;
  const isLive = source.kind === 'rpc' || source.kind === 'service';
  return {
    headAgeSec: isLive && blockTimestamp !== null ? (now - blockTimestamp) / 1_000 : null,
    snapshot: {
      chainId,
      blockNumber,
      source: source.name || host,
      sourceKind: source.kind,
      stale: stale === true,
      problem: source.problem?.message ?? null,
      inOrder: lanes.slow.price <= lanes.average.price && lanes.average.price <= lanes.fast.price,
      updateFrequencySec,
    },
  };
}

const MOST_HEADERS = 12;

/**
 * How far the service's clock is from ours, by a response's `Date`; `null`: it says no time.
 *
 * @param sentAt Our clock when the request left, ms since epoch.
 * @param roundTripMs From the request to the response's head; the header was written in between, at best half-way.
 */
function clockOf(headers: Headers, sentAt: number, roundTripMs: number): ClockFinding | null {
  const text = headers.get('date')?.trim() ?? '';
  const ms = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) return null;
  // The header is cut to whole seconds: on average half a second is lost.
  const skewMs = ms + 500 - (sentAt + roundTripMs / 2);
  return { skewSec: skewMs / 1_000, uncertaintySec: (500 + roundTripMs / 2) / 1_000 };
}

/** What a response's headers say of limits and quotas, clean and without the key. */
function rateLimitHeadersOf(headers: Headers, apiKey: string | null): Readonly<Record<string, string>> {
  const named = [...headers].filter(([name]) => /rate-?limit|quota|retry-after/.test(name));
  return Object.fromEntries(
    named
      .slice(0, MOST_HEADERS)
      .map(([name, value]) => [cleanText(name, 60), cleanText(withoutKey(value, apiKey), 100)]),
  );
}
