import * as z from 'zod';
import { StatsCurrent } from '../contract/dashboard.ts';
import { V1_ROUTES, type V1Route } from '../contract/routes.ts';
import { httpDate } from '../core/retry-after.ts';
import { cleanText } from '../core/text.ts';
import { formatCount, formatDuration, formatPercent } from '../core/units.ts';
import { Renaming, unwrapped } from './aliases.ts';
import { type GasClient, pathOf } from './client.ts';
import type { ConnectionFinding } from './connection.ts';
import { ClientError, type ClientErrorCode } from './errors.ts';
import type { Http, HttpResponse } from './http.ts';
import { lenient, sayingAny } from './lenient.ts';
import { describedRoute } from './openapi.ts';
import {
  parseResponse,
  pathText,
  type ResponseSchemas,
  valueAt,
  viewOf,
  type WireResponse,
} from './response.ts';
import { type ClientRoute, type Query, ROUTES } from './routes.ts';
import { isRecord } from './values.ts';
import { headAgeSec, oldAfterSec, type SnapshotView } from './views/gas.ts';

/**
 * Outcome of the request to one read route: `unreadable`: the response cannot be used; `not-offered`: 404, 405, 501;
 * `refused`: 401, 403 or 429; `failed`: any other unsuccessful status; `skipped`: a parameter was unknown;
 * `not-asked`: an earlier response ended the probe.
 */
type RouteOutcome =
  | ('understood' | 'unreadable' | 'not-offered' | 'refused' | 'failed' | 'unreachable')
  | ('skipped' | 'not-asked');

export interface RouteFinding extends Pick<V1Route, 'path' | 'group'> {
  readonly outcome: RouteOutcome;
  readonly code: ClientErrorCode | null;
  readonly asked: string | null;
  readonly status: number | null;
  readonly latencyMs: number | null;
  /** Length of the decompressed body in UTF-8. */
  readonly bytes: number | null;
  /** One clean line: why it was skipped, refused, or unreadable. */
  readonly note: string | null;
  readonly reading: ResponseReading | null;
}

export type ServiceFinding = Awaited<ReturnType<typeof probeService>>;

export interface Verdict {
  /** `usable`: its snapshot can be read, so the monitor and the commands work with it. */
  readonly result: 'usable' | 'not-usable' | 'unreachable' | 'key' | 'quota';
  readonly message: string;
  readonly warnings: readonly string[];
}

const SKEW_WARNING_SEC = 5;
const CERTIFICATE_WARNING_MS = 14 * 86_400_000;
const LITTLE_QUOTA_RATIO = 0.1;

/** The meaning of the first route's error codes for the whole service. */
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
  const count = (...outcomes: RouteOutcome[]) =>
    routes.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const others = [
    [count('not-offered'), 'not offered'],
    [count('refused'), 'not in the plan of this key'],
    [count('unreadable'), 'not understood'],
    [count('failed', 'unreachable'), 'not answered'],
    [count('skipped'), 'skipped'],
  ] as const;
  return [
    `its prices are understood, and so are ${count('understood')} of ${routes.length} read routes`,
    ...others.flatMap(([number, what]) =>
      number === 0 ? [] : `${number} ${number === 1 ? 'is' : 'are'} ${what}`,
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
  if (snapshot !== null && headAgeSec !== null && headAgeSec > oldAfterSec(snapshot.updateFrequencySec)) {
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
    const rest = formatCount(remainingToday ?? 0);
    warnings.push(`${rest} requests are left of today's quota (${formatPercent(left, 1)})`);
  }
  return warnings;
}

/** One missing response may be chance; two mean that the service is gone. */
const MOST_UNANSWERED = 2;
const USED_UP = 'the quota is used up';

interface ProbeOptions {
  readonly http: Http;
  readonly client: Pick<GasClient, 'description'>;
  /** `null`: the service runs in this process. */
  readonly connection: ConnectionFinding | null;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly onRequest?: (path: string) => void;
}

/** Requests every read route once. Throws only the signal's reason; texts are clean lines without the key. */
export async function probeService(options: ProbeOptions) {
  const { http, client, connection, now, signal, onRequest = () => {} } = options;
  const routes: RouteFinding[] = [];
  const progress: { stop: string | null; unanswered: number; clock: ReturnType<typeof clockOf> } = {
    stop: null,
    unanswered: 0,
    clock: null,
  };

  /** @param request Parameters of the path and the query, or why they are unknown. */
  const ask = async <View>(
    route: Pick<ClientRoute<View>, 'path' | 'schema' | 'view'>,
    request: RouteRequest | string = {},
  ): Promise<View | null> => {
    signal.throwIfAborted();
    const group = V1_ROUTES.find(({ path }) => path === route.path)?.group ?? 'gas';
    const blank: RouteFinding = { ...BLANK, path: route.path, group };
    if (progress.stop !== null || typeof request === 'string') {
      const outcome = progress.stop === null ? 'skipped' : 'not-asked';
      routes.push({ ...blank, outcome, note: progress.stop ?? String(request) });
      return null;
    }
    const { query } = request;
    const path = pathOf(route.path, request.path ?? {});
    const parameters = new URLSearchParams(query).toString();
    const asked = parameters === '' ? path : `${path}?${parameters}`;
    onRequest(path);
    const sentAt = now();
    const began = performance.now();
    const response: HttpResponse | ClientError = await http.send({ path, query, signal }).catch((error) => {
      signal.throwIfAborted();
      if (error instanceof ClientError) return error;
      throw error;
    });
    const latencyMs = performance.now() - began;
    const finding = { ...blank, asked, status: response.status, latencyMs };
    if (response instanceof ClientError) {
      const { code, message: note } = response;
      const outcome = OUTCOMES[code] ?? 'failed';
      routes.push({ ...finding, outcome, code, note });
      progress.unanswered = outcome === 'unreachable' ? progress.unanswered + 1 : 0;
      if (progress.unanswered >= (routes.length === 1 ? 1 : MOST_UNANSWERED))
        progress.stop = 'the service does not answer';
      progress.stop = refusedAs(response, http.apiKey) ?? progress.stop;
      return null;
    }
    const { text, headers } = response;
    // Parsed exactly as the client does.
    const { view, reading, problem } = judgeResponse(text, { endpoint: path, host: http.host }, route);
    const judged =
      problem === null
        ? ({ outcome: 'understood' } as const)
        : ({ outcome: 'unreadable', code: 'unreadable', note: problem } as const);
    routes.push({ ...finding, ...judged, reading, bytes: Buffer.byteLength(text) });
    progress.unanswered = 0;
    progress.clock ??= clockOf(headers, sentAt, latencyMs);
    return view;
  };

  // The most important first, in case the quota ends on the way.
  const snapshot = await ask(ROUTES.gasCurrent);
  const windowed = (sec: number, more: Query = {}): RouteRequest => {
    const presentMs = snapshot?.blockTimestamp ?? snapshot?.updatedAt ?? now();
    const iso = (ms: number) => new Date(ms).toISOString();
    return { query: { from: iso(presentMs - sec * 1_000), to: iso(presentMs + 1_000), ...more } };
  };
  await ask(ROUTES.gasTrend);
  await ask(ROUTES.gasRecommendation);
  await ask({ ...ROUTES.statsCurrent, view: sayingAny(lenient(StatsCurrent), 'snapshot') });
  await ask(ROUTES.statsChart);
  await ask(ROUTES.statsMarket, { query: { timeFrame: '24h' } });
  const quota = await ask(ROUTES.rateLimits);
  await ask(ROUTES.summary);
  const baseFees = await ask(ROUTES.baseFee, windowed(HOUR_SEC));
  await ask(ROUTES.priorityFee, windowed(HOUR_SEC, { percentile: 'p95' }));
  await ask(ROUTES.gasUsedRatio, windowed(HOUR_SEC));
  // A snapshot may lack its block number, but rows of history may have it.
  const newest = Math.max(...(baseFees?.rows ?? []).map((row) => row.blockNumber ?? 0), 0) || null;
  const noBlock = 'no block to ask for: neither prices nor history name one';
  await ask(ROUTES.block, named('number', snapshot?.blockNumber ?? newest, noBlock));
  const txs = await ask(ROUTES.txs, windowed(TXS_WINDOW_SEC));
  const noTx = 'no transaction to ask for: /metrics/txs gave none';
  await ask(ROUTES.tx, named('hash', txs?.rows[0]?.hash, noTx));
  const alerts = await ask(ROUTES.alerts);
  const firstAlert = named('id', alerts?.items[0]?.id, 'no alert to ask for: /alerts gave none');
  await ask(ROUTES.alert, firstAlert);
  await ask(ROUTES.alertSavings, firstAlert);
  const autoTxs = await ask(ROUTES.autoTxs);
  await ask(ROUTES.autoTx, named('id', autoTxs?.items[0]?.id, 'no auto-tx to ask for: /auto-txs gave none'));
  return {
    connection,
    clock: progress.clock,
    /** Age of the newest block by our clock; `null` for a recording, or when unknown. */
    headAgeSec: snapshot && headAgeSec(snapshot, now()),
    snapshot: snapshot && snapshotFinding(snapshot, http.host),
    // The later requests may have used up the reported rest of the quota.
    quota: quota !== null && progress.stop === USED_UP ? { ...quota, remainingToday: 0 } : quota,
    description: progress.stop === null ? await describe(client, signal) : null,
    routes,
  };
}

interface RouteRequest {
  readonly path?: Query;
  readonly query?: Query;
}

const named = (parameter: string, value: string | number | null | undefined, without: string) =>
  value == null ? without : { path: { [parameter]: String(value) } };

const HOUR_SEC = 3_600;
/** A window of transactions may span 100 blocks at most; fast chains make four a second. */
const TXS_WINDOW_SEC = 20;

const BLANK: Omit<RouteFinding, 'path' | 'group'> = {
  outcome: 'failed',
  code: null,
  asked: null,
  status: null,
  latencyMs: null,
  bytes: null,
  note: null,
  reading: null,
};

const OUTCOMES: Readonly<Partial<Record<ClientErrorCode, RouteOutcome>>> = {
  'not-found': 'not-offered',
  key: 'refused',
  plan: 'refused',
  quota: 'refused',
  unreachable: 'unreachable',
  unreadable: 'unreadable',
};

function refusedAs({ code, limit }: ClientError, apiKey: string | null): string | null {
  if (code === 'key') return apiKey === null ? 'the service asks for a key' : 'the service refused the key';
  if (code !== 'quota') return null;
  return limit === 'rate' ? 'they came too fast for this key; ask again in a moment' : USED_UP;
}

async function describe(client: ProbeOptions['client'], signal: AbortSignal) {
  const description = await client.description({ signal }).catch(() => null);
  signal.throwIfAborted();
  if (description === null) return null;
  const { title, version } = description;
  const routes = V1_ROUTES.filter(({ method, path }) => describedRoute(description, path, method) !== null);
  return { title, version, routes: routes.length };
}

function snapshotFinding(snapshot: SnapshotView, host: string) {
  const { chainId, blockNumber, source, stale, updateFrequencySec, lanes } = snapshot;
  return {
    chainId,
    blockNumber,
    source: source.name || host,
    sourceKind: source.kind,
    stale: stale === true,
    problem: source.problem?.message ?? null,
    inOrder: lanes.slow.price <= lanes.average.price && lanes.average.price <= lanes.fast.price,
    updateFrequencySec,
  };
}

/** How far the service's clock is ahead by a response's `Date`, written half-way between request and response. */
function clockOf(headers: Headers, sentAt: number, roundTripMs: number) {
  const ms = httpDate(headers.get('date')?.trim() ?? '');
  if (Number.isNaN(ms)) return null;
  // The header is truncated to seconds: half a second on average.
  const skewMs = ms + 500 - (sentAt + roundTripMs / 2);
  return { skewSec: skewMs / 1_000, uncertaintySec: (500 + roundTripMs / 2) / 1_000 };
}

const MOST_UNKNOWN = 50;

/** How one response was understood. Paths are the contract's, such as `lanes.slow.price` or `data[].timestamp`. */
export type ResponseReading = ReturnType<typeof readingOf> & {
  /** Why it is unusable; `null` when all required fields were found. */
  readonly problem: string | null;
};

/** `view` is `null` when it is unreadable, `reading` when it is not JSON. */
export function judgeResponse<View>(
  text: string,
  context: { readonly endpoint: string; readonly host: string },
  { schema, view }: ResponseSchemas<View>,
) {
  const renaming = new Renaming();
  let reading: ResponseReading | null = null;
  try {
    const parsed = parseResponse(text, schema, { ...context, renaming });
    reading = { ...readingOf(schema, parsed, renaming), problem: null };
    return { view: viewOf(parsed, view, text, context), reading, problem: null };
  } catch (error) {
    // Only the client's own messages are known to be clean.
    const problem = error instanceof ClientError ? error.message : 'it could not be read';
    return { view: null, reading: reading === null ? null : { ...reading, problem }, problem };
  }
}

function readingOf(schema: z.ZodObject, { wire, isExact }: WireResponse, renaming: Renaming) {
  const { issues = [] } = schema.safeParse(wire).error ?? {};
  /** Prices whose unit was guessed from their size. */
  const guessed = { wei: [...renaming.guessed.wei], gwei: [...renaming.guessed.gwei] };
  const [some, other] = guessed.wei.length > 0 ? (['wei', 'gwei'] as const) : (['gwei', 'wei'] as const);
  const told = guessed[other].length > 0 ? 'mixed' : guessed[some].length > 0 ? some : 'named';
  /** `letter`: exactly the contract; `extended`: with further fields; `tolerant`: read by similarity. */
  const match: 'letter' | 'extended' | 'tolerant' = !isExact
    ? 'tolerant'
    : issues.length === 0
      ? 'letter'
      : 'extended';
  /** `contract`: wei, as the contract says; `named`: names or values state the unit. */
  const prices: 'contract' | 'named' | 'wei' | 'gwei' | 'mixed' = isExact ? 'contract' : told;
  return {
    match,
    ...fieldsOf(schema, wire, issues),
    renamed: [...renaming.names].map(([field, name]) => ({ field, name: cleanText(name, 60) })),
    envelopes: [...renaming.envelopes].map((key) => cleanText(key, 60)),
    prices,
    guessed,
  };
}

/** The contract's fields in this response; a list's rows count as one. `senseless`: present, but invalid. */
function fieldsOf(schema: z.ZodObject, wire: unknown, issues: readonly z.core.$ZodIssue[]) {
  const unknown = new Set<string>();
  const faults: { readonly at: string; readonly place: string; readonly isMissing: boolean }[] = [];
  for (const { path, ...issue } of issues) {
    const value = valueAt(wire, path);
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) unknown.add(cleanText(placeOf([...path, key]), 100));
    } else if (path.length > 0 && !(issue.code === 'invalid_value' && typeof value === 'string')) {
      faults.push({ at: pathText(path), place: placeOf(path), isMissing: value == null });
    }
  }
  const faulty = new Set(faults.map(({ at }) => at));
  const sound = [...leavesOf(schema, wire)].filter((path) => !faulty.has(pathText(path)));
  const found = new Set(sound.map(placeOf));
  const lost = faults.filter(({ place }) => !found.has(place));
  const missing = new Set(lost.flatMap(({ place, isMissing }) => (isMissing ? [place] : [])));
  const senseless = new Set(lost.flatMap(({ place }) => (missing.has(place) ? [] : [place])));
  return {
    found: [...found],
    missing: [...missing],
    senseless: [...senseless],
    unknown: [...unknown].slice(0, MOST_UNKNOWN),
    unknownCount: unknown.size,
  };
}

function* leavesOf(
  field: z.core.$ZodType,
  value: unknown,
  path: readonly PropertyKey[] = [],
): Generator<readonly PropertyKey[]> {
  const { inner } = unwrapped(field);
  if (value === undefined) return;
  if (inner instanceof z.ZodObject && isRecord(value)) {
    for (const [name, one] of Object.entries(inner.shape)) yield* leavesOf(one, value[name], [...path, name]);
  } else if (inner instanceof z.ZodArray && Array.isArray(value) && value.some(isRecord)) {
    for (const [at, row] of value.slice(0, MOST_ROWS).entries())
      yield* leavesOf(inner.element, row, [...path, at]);
  } else if (typeof path.at(-1) === 'string') yield path;
}

const placeOf = (path: readonly PropertyKey[]) =>
  pathText(path.map((part) => (typeof part === 'number' ? '[]' : part))).replaceAll('.[]', '[]');

/** Enough rows of a long list: later ones have the same fields. */
const MOST_ROWS = 100;
