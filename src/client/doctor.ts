import type { RouteGroup, V1Route } from '../contract/routes.ts';
import { cleanText } from '../core/text.ts';
import { formatDuration, formatPercent } from '../core/units.ts';
import { type GasClient, pathOf } from './client.ts';
import type { ConnectionFinding } from './connection.ts';
import {
  type AnswerReading,
  judgeAnswer,
  type Known,
  NOTHING_KNOWN,
  READ_ROUTES,
  type ReadRoute,
} from './doctor-reading.ts';
import { ClientError, type ClientErrorCode, type LimitKind } from './errors.ts';
import { type Http, type HttpResponse, isSuccess, withoutKey } from './http.ts';

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

/** One question that gets no answer may be bad luck; two say that there is nobody. */
const MOST_UNANSWERED = 2;
const USED_UP = 'the quota is used up';
const ENCODING = /^(gzip|deflate|br|zstd|compress)$/;

export interface ProbeOptions {
  readonly http: Http;
  /** Of the same service, for its own description. */
  readonly client: Pick<GasClient, 'description'>;
  readonly connection: ConnectionFinding | null;
  /** Wall clock, ms. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Told of each path before it is asked. */
  readonly onQuestion?: (path: string) => void;
}

/**
 * Asks every read route of a service once, one after the other, and one of them a second time for its `ETag`. It
 * stops where the key is refused, the quota is used up, or nobody answers any more. Only the signal's reason is thrown.
 */
export async function probeService(options: ProbeOptions): Promise<ServiceFinding> {
  const { http, now, signal } = options;
  const routes: RouteFinding[] = [];
  const encodings: Record<string, number> = {};
  let known: Known = NOTHING_KNOWN;
  let stop: string | null = null;
  let unanswered = 0;
  let bestRoundTripMs = Number.POSITIVE_INFINITY;
  let clock: ClockFinding | null = null;
  let etag: ServiceFinding['etag'] = 'none';
  let limits: Readonly<Record<string, string>> = {};

  const note = ({ exchange, askedAt }: Asked) => {
    if (exchange === null) return;
    const encoding = exchange.headers.get('content-encoding') ?? '';
    if (ENCODING.test(encoding)) encodings[encoding] = (encodings[encoding] ?? 0) + 1;
    const said = rateLimitHeadersOf(exchange.headers, http.apiKey);
    if (Object.keys(said).length > 0) limits = said;
    const seen = clockOf(exchange.headers, askedAt, exchange.headMs);
    if (seen === null || exchange.headMs >= bestRoundTripMs) return;
    bestRoundTripMs = exchange.headMs;
    clock = seen;
  };

  for (const readRoute of READ_ROUTES) {
    signal.throwIfAborted();
    if (stop !== null) {
      routes.push(unasked(readRoute, 'not-asked', stop));
      continue;
    }
    const question = readRoute.ask(known, presentOf(known, now));
    if (typeof question === 'string') {
      routes.push(unasked(readRoute, 'skipped', question));
      continue;
    }
    const path = pathOf(readRoute.path, question.path ?? {});
    const query = question.query ?? {};
    options.onQuestion?.(path);
    const asked = await askOnce(http, path, query, { now, signal });
    note(asked);
    const { finding, lesson } = judged(readRoute, asked, path, http);
    routes.push({ ...finding, asked: shownQuestion(path, query) });
    known = { ...known, ...lesson };
    if (routes.length === 1) known = { ...known, byContract: isByContract(finding) };

    unanswered = finding.outcome === 'unreachable' ? unanswered + 1 : 0;
    stop = reasonToStop(finding, asked.error?.limit ?? null, http, routes.length === 1, unanswered);
    if (routes.length === 1 && finding.outcome === 'understood') {
      etag = await askForUnchanged(http, path, asked, { now, signal });
    }
  }
  return {
    connection: options.connection,
    clock,
    headAgeSec: headAge(known, now()),
    snapshot: snapshotOf(known, http.host),
    etag,
    encodings,
    rateLimitHeaders: limits,
    quota: quotaOf(known, stop === USED_UP),
    description: stop === null ? await describe(options) : null,
    routes,
  };
}

function judged(
  route: ReadRoute,
  asked: Asked,
  path: string,
  { host }: Http,
): { readonly finding: RouteFinding; readonly lesson: Partial<Known> } {
  const base = { path: route.path, group: route.group, asked: path, reading: null };
  const { exchange, error } = asked;
  const measured = {
    status: exchange?.status ?? error?.status ?? null,
    latencyMs: exchange?.ms ?? null,
    bytes: exchange === null ? null : Buffer.byteLength(exchange.text),
  };
  if (error !== null || exchange === null) {
    const outcome = error === null ? 'failed' : outcomeOf(error);
    const failure = { outcome, code: error?.code ?? null, note: error?.message ?? null };
    return { finding: { ...base, ...measured, ...failure }, lesson: {} };
  }
  const { view, reading, problem } = judgeAnswer(exchange.text, { endpoint: path, host }, route);
  return {
    finding: {
      ...base,
      ...measured,
      outcome: problem === null ? 'understood' : 'unreadable',
      code: problem === null ? null : 'unreadable',
      note: problem,
      reading,
    },
    lesson: view ?? {},
  };
}

function unasked(route: ReadRoute, outcome: 'skipped' | 'not-asked', note: string): RouteFinding {
  return {
    path: route.path,
    group: route.group,
    outcome,
    code: null,
    asked: null,
    status: null,
    latencyMs: null,
    bytes: null,
    note,
    reading: null,
  };
}

/** Why there is no use in asking on; `null`: there is. */
function reasonToStop(
  { outcome, code }: RouteFinding,
  limit: LimitKind | null,
  { apiKey }: Http,
  first: boolean,
  unanswered: number,
): string | null {
  if (code === 'key') return apiKey === null ? 'the service asks for a key' : 'the service refused the key';
  if (code === 'quota') {
    return limit === 'rate' ? 'they came too fast for this key; ask again in a moment' : USED_UP;
  }
  if (unanswered === 0) return null;
  return (first && outcome === 'unreachable') || unanswered >= MOST_UNANSWERED
    ? 'the service does not answer'
    : null;
}

/** The same question again, with the answer's `ETag`: whether the service spares what has not changed. */
async function askForUnchanged(
  http: Http,
  path: string,
  { exchange }: Asked,
  context: { readonly now: () => number; readonly signal: AbortSignal },
): Promise<ServiceFinding['etag']> {
  const tag = exchange?.headers.get('etag') ?? null;
  if (tag === null) return 'none';
  const again = await askOnce(http, path, {}, { ...context, headers: { 'if-none-match': tag } });
  if (again.exchange?.status === 304) return 'honoured';
  if (again.exchange === null || !isSuccess(again.exchange.status)) return 'unknown';
  return again.exchange.headers.get('etag') === tag ? 'ignored' : 'unknown';
}

async function describe({ client, signal }: ProbeOptions): Promise<DescriptionFinding | null> {
  try {
    const description = await client.description({ signal });
    return (
      description && {
        title: description.title,
        version: description.version,
        routes: description.routes.length,
      }
    );
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ClientError) return null;
    throw error;
  }
}

function isByContract({ outcome, reading }: RouteFinding): boolean {
  return outcome === 'understood' && reading !== null && reading.match !== 'tolerant';
}

/** What was left when the service was asked may have gone with the questions that followed. */
function quotaOf({ quota }: Known, isUsedUp: boolean): ServiceFinding['quota'] {
  if (quota === null) return null;
  const { dailyLimit, remainingToday } = quota;
  return { dailyLimit, remainingToday: isUsedUp && dailyLimit !== null ? 0 : remainingToday };
}

function presentOf({ snapshot }: Known, now: () => number): number {
  return snapshot?.blockTimestamp ?? snapshot?.updatedAt ?? now();
}

function headAge({ snapshot }: Known, now: number): number | null {
  if (snapshot === null || snapshot.blockTimestamp === null) return null;
  const { kind } = snapshot.source;
  return kind === 'rpc' || kind === 'service' ? (now - snapshot.blockTimestamp) / 1_000 : null;
}

function snapshotOf({ snapshot }: Known, host: string): ServiceFinding['snapshot'] {
  if (snapshot === null) return null;
  const { slow, average, fast } = snapshot.lanes;
  return {
    chainId: snapshot.chainId,
    blockNumber: snapshot.blockNumber,
    source: snapshot.source.name || host,
    sourceKind: snapshot.source.kind,
    stale: snapshot.stale,
    problem: snapshot.source.problem?.message ?? null,
    inOrder: slow.price <= average.price && average.price <= fast.price,
    updateFrequencySec: snapshot.updateFrequencySec,
  };
}

function shownQuestion(path: string, query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
}

const UNCHANGED = 304;

/** One question and what came of it: an answer, and an error unless that was a success. */
export interface Asked {
  readonly exchange: HttpResponse | null;
  readonly error: ClientError | null;
  /** Our clock when the question left, ms. */
  readonly askedAt: number;
}

export interface AskContext {
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one request; only the signal's reason is thrown. */
export async function askOnce(
  http: Http,
  path: string,
  query: Readonly<Record<string, string>>,
  { now, signal, headers = {} }: AskContext,
): Promise<Asked> {
  const askedAt = now();
  try {
    const exchange = await http.send({ path, query, signal, headers });
    if (isSuccess(exchange.status) || exchange.status === UNCHANGED)
      return { exchange, error: null, askedAt };
    return { exchange, error: http.refusalOf({ path }, exchange), askedAt };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ClientError) return { exchange: null, error, askedAt };
    throw error;
  }
}

export function outcomeOf({ code }: ClientError): RouteOutcome {
  switch (code) {
    case 'not-found':
      return 'not-offered';
    case 'key':
    case 'plan':
    case 'quota':
      return 'refused';
    case 'unreachable':
      return 'unreachable';
    case 'unreadable':
      return 'unreadable';
    default:
      return 'failed';
  }
}

const MOST_HEADERS = 12;

/**
 * How far the service's clock is from ours, by one answer's `Date`; `null`: it says no time.
 *
 * @param askedAt Our clock when the question left, ms since epoch.
 * @param roundTripMs From the question to the answer's head; the header was written in between, at best half-way.
 */
export function clockOf(headers: Headers, askedAt: number, roundTripMs: number): ClockFinding | null {
  const text = headers.get('date')?.trim() ?? '';
  const ms = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) return null;
  // The header is cut to whole seconds: on average half a second is lost.
  const skewMs = ms + 500 - (askedAt + roundTripMs / 2);
  return { skewSec: skewMs / 1_000, uncertaintySec: (500 + roundTripMs / 2) / 1_000 };
}

/** What an answer's headers say of limits and quotas, clean and without the key. */
export function rateLimitHeadersOf(
  headers: Headers,
  apiKey: string | null,
): Readonly<Record<string, string>> {
  const named = [...headers].filter(([name]) => /rate-?limit|quota|retry-after/.test(name));
  return Object.fromEntries(
    named
      .slice(0, MOST_HEADERS)
      .map(([name, value]) => [cleanText(name, 60), cleanText(withoutKey(value, apiKey), 100)]),
  );
}
