import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect, type PeerCertificate } from 'node:tls';
import * as z from 'zod';
import { StatsCurrent } from '../contract/dashboard.ts';
import { valueAt } from '../contract/field-problems.ts';
import { groupOf, V1_ROUTES, type V1Route } from '../contract/routes.ts';
import { describeOutdated, isOutdated } from '../core/chain-status.ts';
import { httpDate } from '../core/retry-after.ts';
import { cleanText } from '../core/text.ts';
import { HOUR_SEC } from '../core/time.ts';
import { formatCount, formatDuration, formatPercent } from '../core/units.ts';
import { ClientError, type ClientErrorCode } from './errors.ts';
import type { GasClient } from './gas-client.ts';
import type { Http } from './http.ts';
import { certificateFault, networkFailure } from './http-errors.ts';
import { lenient, sayingAny } from './lenient.ts';
import { describedRoute } from './openapi.ts';
import { pathOf } from './requests.ts';
import { parseResponse, pathText, viewOf, type WireResponse } from './responses.ts';
import { type ClientRoute, type Query, type ResponseSchemas, ROUTES } from './routes.ts';
import { isRecord } from './values.ts';
import { chainStatus, headAtOf } from './views/chain-status.ts';
import type { SnapshotView } from './views/gas.ts';
import { chainNameOf } from './views/gas-texts.ts';
import { Renaming, unwrapped } from './wire-form.ts';

type ConnectionFinding = Awaited<ReturnType<typeof inspectConnection>>;

/** Inspects the TLS of a service, even with an untrusted certificate; throws only the signal's reason. */
export async function inspectConnection(
  url: URL,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
) {
  if (url.protocol !== 'https:') return { encrypted: false, tls: null };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const began = performance.now();
  const late = AbortSignal.timeout(timeoutMs);
  const socket = connect({
    host,
    port: Number(url.port || 443),
    // The certificate is judged here; the requests themselves use a connection that rejects it.
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) === 0 ? { servername: host } : {}),
  });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.any([signal, late]) });
    const ms = performance.now() - began;
    const { subject, issuer, valid_from, valid_to, subjectaltname } = socket.getPeerCertificate();
    // Node's value is a string, unlike its type.
    const error = String(socket.authorizationError);
    const tls = {
      ...{ ok: true as const, ms, protocol: cleanText(socket.getProtocol() ?? 'unknown', 20) },
      subject: nameOf(subject) ?? (cleanText(subjectaltname ?? '', 100) || 'unnamed'),
      issuer: nameOf(issuer) ?? 'unnamed',
      validFrom: Date.parse(valid_from) || null,
      validUntil: Date.parse(valid_to) || null,
      trusted: socket.authorized,
      reason: socket.authorized ? null : `it ${certificateFault(error) ?? cleanText(error, 100)}`,
    };
    return { encrypted: true, tls };
  } catch (error) {
    signal.throwIfAborted();
    const message = late.aborted
      ? `no answer within ${Number((timeoutMs / 1_000).toPrecision(2))} s`
      : networkFailure(error, '/', url.host).message;
    return { encrypted: true, tls: { ok: false as const, message } };
  } finally {
    // Later errors are irrelevant: the finding is complete.
    socket.on('error', () => {}).destroy();
  }
}

function nameOf(name: PeerCertificate['subject'] | undefined): string | null {
  const texts = [name?.CN, name?.O].flat().filter((text) => typeof text === 'string' && text !== '');
  return texts.length === 0 ? null : cleanText([...new Set(texts)].join(', '), 100);
}

/** `not-offered`: 404, 405, 501; `refused`: 401, 403, 429; `skipped`: a parameter was unknown; `not-asked`: the probe had ended. */
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

export interface ServiceVerdict {
  /** `usable`: its snapshot can be read, so the monitor and the commands work with it. */
  readonly result: 'usable' | 'not-usable' | 'unreachable' | 'key' | 'quota';
  readonly message: string;
  readonly warnings: readonly string[];
}

/** What the first route's error means for the whole service; any other: it is not usable. */
const RESULTS: Readonly<Partial<Record<ClientErrorCode, ServiceVerdict['result']>>> = {
  ...{ unreachable: 'unreachable', unavailable: 'unreachable', server: 'unreachable' },
  ...{ key: 'key', plan: 'key', quota: 'quota' },
};

export function verdictOf(finding: ServiceFinding, now: number): ServiceVerdict {
  const { routes, snapshot } = finding;
  const warnings = warningsOf(finding, now);
  const [first] = routes;
  if (snapshot === null) {
    const result = (first?.code && RESULTS[first.code]) ?? 'not-usable';
    return { result, message: first?.note ?? 'its snapshot cannot be had', warnings };
  }
  const stopped = routes.find(({ code }) => code === 'key' || code === 'quota');
  if (stopped?.code === 'key' || stopped?.code === 'quota')
    return { result: stopped.code, message: `${stopped.path}: ${stopped.note ?? 'refused'}`, warnings };
  const count = (...outcomes: RouteOutcome[]) =>
    routes.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const others = [
    [count('not-offered'), 'not offered'],
    [count('refused'), 'not in the plan of this key'],
    [count('unreadable'), 'not understood'],
    [count('failed', 'unreachable'), 'not answered'],
    [count('skipped'), 'skipped'],
  ] as const;
  const message = [
    `its prices are understood, and so are ${count('understood')} of ${routes.length} read routes`,
    ...others.flatMap(([number, what]) =>
      number === 0 ? [] : `${number} ${number === 1 ? 'is' : 'are'} ${what}`,
    ),
  ].join('; ');
  return { result: 'usable', message, warnings };
}

const SKEW_WARNING_SEC = 5;
const CERTIFICATE_WARNING_SEC = 14 * 86_400;
const LITTLE_QUOTA_RATIO = 0.1;

function warningsOf(finding: ServiceFinding, now: number): readonly string[] {
  const { connection, clock, snapshot, quota, routes, oddities } = finding;
  const leftSec = connection?.tls?.ok === true ? ((connection.tls.validUntil ?? 0) - now) / 1_000 : 0;
  const skewSec = clock === null ? 0 : Math.abs(clock.skewSec);
  const side = (clock?.skewSec ?? 0) > 0 ? 'ahead of' : 'behind';
  const { dailyLimit = null, remainingToday = null } = quota ?? {};
  const left = dailyLimit === null || remainingToday === null ? 1 : remainingToday / dailyLimit;
  return [
    leftSec > 0 && leftSec < CERTIFICATE_WARNING_SEC && `the certificate ends in ${formatDuration(leftSec)}`,
    skewSec > SKEW_WARNING_SEC + (clock?.uncertaintySec ?? 0) &&
      `its clock is ${formatDuration(skewSec)} ${side} ours, so ages are wrong by that much; check both`,
    snapshot?.stale === true && `its prices are stale: ${snapshot.problem}`,
    ...oddities,
    snapshot?.inOrder === false && 'its slow, average and fast prices are not in that order',
    ...routes.map(({ path, outcome, note, reading }, place) =>
      ['unreadable', 'failed', 'unreachable'].includes(outcome)
        ? place > 0 && `${path}: ${note ?? 'it failed'}`
        : reading?.prices === 'mixed' &&
          `${path}: some prices look like wei and some like gwei; those below 100,000 were read as gwei`,
    ),
    left < LITTLE_QUOTA_RATIO &&
      `${formatCount(remainingToday ?? 0)} requests are left of today's quota (${formatPercent(left, 1)})`,
  ].filter((warning) => warning !== false);
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

interface RouteRequest {
  readonly path?: Query;
  readonly query?: Query;
}

/** Requests every read route once. Throws only the signal's reason; texts are clean lines without the key. */
export async function probeService(options: ProbeOptions) {
  const { http, client, connection, now, signal, onRequest = () => {} } = options;
  const routes: RouteFinding[] = [];
  let stop: string | null = null;
  let unanswered = 0;
  const clocks: ReturnType<typeof clockOf>[] = [];

  /** @param request Parameters of the path and the query, or why they are unknown. */
  const ask = async <View>(
    route: Pick<ClientRoute<View>, 'path' | 'schemas'>,
    request: RouteRequest | string = {},
  ): Promise<View | null> => {
    signal.throwIfAborted();
    const blank = { ...BLANK, path: route.path, group: groupOf(route.path) };
    if (stop !== null || typeof request === 'string') {
      routes.push({ ...blank, outcome: stop === null ? 'skipped' : 'not-asked', note: stop ?? `${request}` });
      return null;
    }
    const path = pathOf(route.path, request.path ?? {});
    const parameters = new URLSearchParams(request.query).toString();
    const asked = parameters === '' ? path : `${path}?${parameters}`;
    onRequest(path);
    const sentAt = now();
    const began = performance.now();
    try {
      const { status, text, headers } = await http.send({ path, query: request.query ?? {}, signal });
      const latencyMs = performance.now() - began;
      const { view, reading, problem } = judgeResponse(
        text,
        { endpoint: path, host: http.host },
        await route.schemas(),
      );
      const judged =
        problem === null
          ? ({ outcome: 'understood' } as const)
          : ({ outcome: 'unreadable', code: 'unreadable', note: problem } as const);
      routes.push({ ...blank, asked, status, latencyMs, ...judged, reading, bytes: Buffer.byteLength(text) });
      unanswered = 0;
      clocks.push(clockOf(headers, sentAt, latencyMs));
      return view;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ClientError)) throw error;
      const { code, status, message: note } = error;
      const outcome = OUTCOMES[code] ?? 'failed';
      routes.push({ ...blank, asked, status, latencyMs: performance.now() - began, outcome, code, note });
      unanswered = outcome === 'unreachable' ? unanswered + 1 : 0;
      if (unanswered >= (routes.length === 1 ? 1 : MOST_UNANSWERED)) stop = 'the service does not answer';
      stop = refusedAs(error, http.apiKey) ?? stop;
      return null;
    }
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
  await ask({ ...ROUTES.statsCurrent, schemas: pricesOfStats });
  await ask(ROUTES.statsChart);
  await ask(ROUTES.statsMarket, { query: { timeFrame: '24h' } });
  const quota = await ask(ROUTES.rateLimits);
  const summary = await ask(ROUTES.summary);
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
  const description = stop === null ? await client.description({ signal }).catch(() => null) : null;
  signal.throwIfAborted();
  const isDescribed = ({ method, path }: V1Route) => describedRoute(description, path, method) !== null;
  return {
    connection,
    clock: clocks.find((clock) => clock !== null) ?? null,
    /** Age of the newest block by our clock; `null` for a recording, or when unknown. */
    headAgeSec: snapshot && headAgeSec(snapshot, now()),
    snapshot: snapshot && snapshotFinding(snapshot, http.host, now()),
    // The later requests may have used up the reported rest of the quota.
    quota: quota !== null && stop === USED_UP ? { ...quota, remainingToday: 0 } : quota,
    /** What is odd about the responses of the service's nodes. */
    oddities: (summary?.health.nodes ?? []).flatMap(({ name, notes }) =>
      (notes ?? []).map((note) => `${name}: ${note}`),
    ),
    description: description && { ...description, routes: V1_ROUTES.filter(isDescribed).length },
    routes,
  };
}

/** Its prices alone: the trend and the advice in it have routes of their own. */
const pricesOfStats = async () => ({
  schema: StatsCurrent,
  view: sayingAny(lenient(StatsCurrent), 'snapshot'),
});

const named = (parameter: string, value: string | number | null | undefined, without: string) =>
  value == null ? without : { path: { [parameter]: String(value) } };

/** A window of transactions may span 100 blocks at most; fast chains make four a second. */
const TXS_WINDOW_SEC = 20;

const BLANK = {
  ...{ code: null, asked: null, status: null, latencyMs: null },
  ...{ bytes: null, note: null, reading: null },
};

const OUTCOMES: Readonly<Partial<Record<ClientErrorCode, RouteOutcome>>> = {
  ...{ 'not-found': 'not-offered', key: 'refused', plan: 'refused', quota: 'refused' },
  ...{ unreachable: 'unreachable', unreadable: 'unreadable' },
};

function refusedAs({ code, limit }: ClientError, apiKey: string | null): string | null {
  if (code === 'key') return apiKey === null ? 'the service asks for a key' : 'the service refused the key';
  if (code !== 'quota') return null;
  return limit === 'rate' ? 'they came too fast for this key; ask again in a moment' : USED_UP;
}

function headAgeSec(snapshot: SnapshotView, now: number): number | null {
  const { blockTimestamp } = snapshot;
  return blockTimestamp === null || headAtOf(snapshot) === null ? null : (now - blockTimestamp) / 1_000;
}

function snapshotFinding(snapshot: SnapshotView, host: string, now: number) {
  const { chainId, blockNumber, source, updateFrequencySec, lanes } = snapshot;
  const status = chainStatus(snapshot, now);
  return {
    ...{ chainId, blockNumber, updateFrequencySec, stale: isOutdated(status) },
    source: source.name || host,
    chainName: chainNameOf(snapshot),
    sourceKind: source.kind,
    problem: describeOutdated(status) ?? source.problem?.message ?? null,
    inOrder: lanes.slow.price <= lanes.average.price && lanes.average.price <= lanes.fast.price,
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
    return { view: null, reading: reading && { ...reading, problem }, problem };
  }
}

function readingOf(schema: z.ZodObject, { wire, isExact }: WireResponse, renaming: Renaming) {
  const { issues = [] } = schema.safeParse(wire).error ?? {};
  /** Prices whose unit was guessed from their size. */
  const guessed = { wei: [...renaming.guessed.wei], gwei: [...renaming.guessed.gwei] };
  const [isWei, isGwei] = [guessed.wei.length > 0, guessed.gwei.length > 0];
  /** `letter`: exactly the contract; `extended`: with further fields; `tolerant`: read by similarity. */
  const match: 'letter' | 'extended' | 'tolerant' =
    (!isExact && 'tolerant') || (issues.length === 0 ? 'letter' : 'extended');
  /** `contract`: wei, as the contract says; `named`: names or values state the unit. */
  const prices: 'contract' | 'named' | 'wei' | 'gwei' | 'mixed' =
    (isExact && 'contract') ||
    (isWei && isGwei && 'mixed') ||
    (isWei && 'wei') ||
    (isGwei ? 'gwei' : 'named');
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
  const faults = new Map<string, readonly PropertyKey[]>();
  for (const { path, ...issue } of issues) {
    // A word of the service's own is no fault.
    const isWord = issue.code === 'invalid_value' && typeof valueAt(wire, path) === 'string';
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) unknown.add(cleanText(placeOf([...path, key]), 100));
    } else if (path.length > 0 && !isWord) faults.set(pathText(path), path);
  }
  const sound = [...leavesOf(schema, wire)].filter((path) => !faults.has(pathText(path)));
  const found = new Set(sound.map(placeOf));
  const lost = [...faults.values()].filter((path) => !found.has(placeOf(path)));
  const missing = new Set(lost.filter((path) => valueAt(wire, path) == null).map(placeOf));
  const senseless = new Set(lost.map(placeOf).filter((place) => !missing.has(place)));
  return {
    found: [...found],
    missing: [...missing],
    senseless: [...senseless],
    unknown: [...unknown].slice(0, MOST_UNKNOWN),
    unknownCount: unknown.size,
  };
}

/** Enough rows of a long list: later ones have the same fields. */
const MOST_ROWS = 100;

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
