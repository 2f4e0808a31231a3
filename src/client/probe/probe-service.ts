import type { GasClient } from '../client.ts';
import { pathOf } from '../client.ts';
import type { ClockFinding, DescriptionFinding, RouteFinding, ServiceFinding } from '../doctor.ts';
import type { LimitKind } from '../errors.ts';
import { ClientError } from '../errors.ts';
import { type Http, isSuccess } from '../http.ts';
import { type Asked, askOnce, outcomeOf } from './ask-once.ts';
import type { ConnectionFinding } from './connection.ts';
import { clockOf, rateLimitHeadersOf } from './headers.ts';
import { judgeAnswer } from './judge-answer.ts';
import { type Known, NOTHING_KNOWN, READ_ROUTES, type ReadRoute } from './read-routes.ts';

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
    const path = pathOf(readRoute.route.path, question.path ?? {});
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
    snapshot: snapshotOf(known),
    etag,
    encodings,
    rateLimitHeaders: limits,
    quota: quotaOf(known, stop === USED_UP),
    description: stop === null ? await describe(options) : null,
    routes,
  };
}

function judged(
  { route, schema, read }: ReadRoute,
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
  const { view, reading, problem } = judgeAnswer(exchange.text, { endpoint: path, host, schema }, read);
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

function unasked({ route }: ReadRoute, outcome: 'skipped' | 'not-asked', note: string): RouteFinding {
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

function snapshotOf({ snapshot }: Known): ServiceFinding['snapshot'] {
  if (snapshot === null) return null;
  const { slow, average, fast } = snapshot.lanes;
  return {
    chainId: snapshot.chainId,
    blockNumber: snapshot.blockNumber,
    source: snapshot.source.name,
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
