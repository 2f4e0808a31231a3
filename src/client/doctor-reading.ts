import * as z from 'zod';
import { StatsCurrent } from '../contract/dashboard.ts';
import { PATHS, V1_ROUTES, type V1Route } from '../contract/routes.ts';
import { cleanText } from '../core/text.ts';
import { Renaming, unwrapped } from './aliases.ts';
import { ClientError } from './errors.ts';
import { lenient, sayingAny } from './lenient.ts';
import { parseResponse, pathText, type ResponseSchemas, valueAt, viewOf } from './response.ts';
import { ROUTES } from './routes.ts';
import { isRecord } from './values.ts';
import type { RateLimitsView } from './views/dashboard.ts';
import type { SnapshotView } from './views/gas.ts';

const MOST_DIFFERENCES = 10;
const MOST_UNKNOWN = 50;

/**
 * `contract`: wei, because the response follows the contract. `named`: the names or values say what they count.
 * `wei`, `gwei`, `mixed`: guessed by size.
 */
export type PriceUnits = 'contract' | 'named' | 'wei' | 'gwei' | 'mixed';

/** How one response was understood. Paths are the contract's, such as `lanes.slow.price` or `data[].timestamp`. */
export interface ResponseReading {
  /** `letter`: as our contract says; `extended`: and more than that; `tolerant`: read by its likeness. */
  readonly match: 'letter' | 'extended' | 'tolerant';
  readonly found: readonly string[];
  readonly missing: readonly string[];
  /** There, but not what was expected. */
  readonly senseless: readonly string[];
  /** Found under another name than the contract's. */
  readonly renamed: readonly { readonly field: string; readonly name: string }[];
  /** The first of those that the contract does not have. */
  readonly unknown: readonly string[];
  readonly unknownCount: number;
  /** What was expected and what came, the first few. */
  readonly differences: readonly string[];
  /** What it was wrapped in. */
  readonly envelopes: readonly string[];
  readonly prices: PriceUnits;
  /** Fees whose unit was guessed, where the guesses differ. */
  readonly guessed: { readonly wei: readonly string[]; readonly gwei: readonly string[] };
  /** What makes it unusable; `null`: all that must be there was found. */
  readonly problem: string | null;
}

export interface Judged<View> {
  /** `null`: it could not be read. */
  readonly view: View | null;
  /** `null`: it was no JSON, so there is nothing to be said of its fields. */
  readonly reading: ResponseReading | null;
  readonly problem: string | null;
}

/** Reads a response exactly as the client does and tells what was understood of it, measured by the contract. Pure. */
export function judgeResponse<View>(
  text: string,
  context: { readonly endpoint: string; readonly host: string },
  { schema, view }: ResponseSchemas<View>,
): Judged<View> {
  const renaming = new Renaming();
  try {
    const answer = parseResponse(text, schema, { ...context, renaming });
    const outcome = outcomeOf(() => viewOf(answer, view, text, context));
    const { issues = [] } = schema.safeParse(answer.wire).error ?? {};
    const strict = schema.safeParse(answer.body);
    const guessed = { wei: [...renaming.guessed.wei], gwei: [...renaming.guessed.gwei] };
    const reading: ResponseReading = {
      match: strict.success ? 'letter' : answer.isExact ? 'extended' : 'tolerant',
      ...fieldsOf(schema, answer.wire, issues),
      renamed: [...renaming.names].map(([field, name]) => ({ field, name: cleanText(name, 60) })),
      differences: (strict.error?.issues ?? [])
        .slice(0, MOST_DIFFERENCES)
        .map((issue) => differenceOf(issue, answer.body)),
      envelopes: [...renaming.envelopes].map((key) => cleanText(key, 60)),
      prices: unitsOf(answer.isExact, guessed),
      guessed,
      problem: outcome.problem,
    };
    return { ...outcome, reading };
  } catch (error) {
    return { view: null, reading: null, problem: wordsOf(error) };
  }
}

function outcomeOf<View>(read: () => View): Pick<Judged<View>, 'view' | 'problem'> {
  try {
    return { view: read(), problem: null };
  } catch (error) {
    return { view: null, problem: wordsOf(error) };
  }
}

/** Only the client's own words are known to be clean. */
function wordsOf(error: unknown): string {
  return error instanceof ClientError ? error.message : 'it could not be read';
}

function unitsOf(isExact: boolean, { wei, gwei }: ResponseReading['guessed']): PriceUnits {
  if (isExact) return 'contract';
  if (wei.length > 0 && gwei.length > 0) return 'mixed';
  if (wei.length > 0) return 'wei';
  return gwei.length > 0 ? 'gwei' : 'named';
}

/** `lanes.slow.price: expected number, received string` */
function differenceOf(issue: z.core.$ZodIssue, body: unknown): string {
  const words = issue.message.replace(/^Invalid input: /, '');
  const isMissing = valueAt(body, issue.path) == null;
  return cleanText(`${pathText(issue.path) || 'response'}: ${words}${isMissing ? ', missing' : ''}`, 200);
}

type FieldFindings = Pick<ResponseReading, 'found' | 'missing' | 'senseless' | 'unknown' | 'unknownCount'>;

/**
 * The contract's fields by what its schema says of each in this response. The rows of a list count as one: a field is
 * found if any row has it. A service's own word is found too.
 */
function fieldsOf(schema: z.ZodObject, wire: unknown, issues: readonly z.core.$ZodIssue[]): FieldFindings {
  const faulty = new Set<string>();
  const missing = new Set<string>();
  const senseless = new Set<string>();
  const unknown = new Set<string>();
  for (const { path, ...issue } of issues) {
    const place = placeOf(path);
    const value = valueAt(wire, path);
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) unknown.add(cleanText(place === '' ? key : `${place}.${key}`, 100));
    } else if (place !== '' && !(issue.code === 'invalid_value' && typeof value === 'string')) {
      (value == null ? missing : senseless).add(place);
      faulty.add(pathText(path));
    }
  }
  const found = new Set<string>();
  const collect = (field: z.core.$ZodType, value: unknown, path: readonly PropertyKey[]): void => {
    const { inner } = unwrapped(field);
    if (value === undefined || faulty.has(pathText(path))) return;
    if (inner instanceof z.ZodObject && isRecord(value)) {
      for (const [name, one] of Object.entries(inner.shape)) collect(one, value[name], [...path, name]);
    } else if (inner instanceof z.ZodArray && Array.isArray(value) && value.some(isRecord)) {
      for (const [at, row] of value.slice(0, MOST_ROWS).entries()) collect(inner.element, row, [...path, at]);
    } else if (typeof path.at(-1) === 'string') found.add(placeOf(path));
  };
  collect(schema, wire, []);
  const notFound = (places: ReadonlySet<string>) => [...places].filter((place) => !found.has(place));
  return {
    found: [...found],
    missing: notFound(missing),
    senseless: notFound(senseless).filter((place) => !missing.has(place)),
    unknown: [...unknown].slice(0, MOST_UNKNOWN),
    unknownCount: unknown.size,
  };
}

const placeOf = (path: readonly PropertyKey[]) =>
  pathText(path.map((part) => (typeof part === 'number' ? '[]' : part))).replaceAll('.[]', '[]');

/** A list of any length: what the first rows lack the others will. */
const MOST_ROWS = 100;

/** What earlier responses taught, for the next requests. */
export interface Known {
  /** Its snapshot follows our contract, so that what the contract leaves to be left out may be. */
  readonly byContract: boolean;
  readonly snapshot: SnapshotView | null;
  readonly quota: RateLimitsView | null;
  /** As the prices name it, and as the base fees do. */
  readonly blockNumber: number | null;
  readonly newestRow: number | null;
  readonly txHash: string | null;
  readonly alertId: string | null;
  readonly autoTxId: string | null;
}

export const NOTHING_KNOWN: Known = {
  byContract: false,
  snapshot: null,
  quota: null,
  blockNumber: null,
  newestRow: null,
  txHash: null,
  alertId: null,
  autoTxId: null,
};

/** How a read route is requested and what its response teaches. */
export interface ReadRoute extends ResponseSchemas<Partial<Known>> {
  readonly path: V1Route['path'];
  readonly group: V1Route['group'];
  /** Parameters of the path and the query, or why there is no request to make. `presentMs`: the service's present. */
  readonly request: RequestOf;
}

type RequestOf = (known: Known, presentMs: number) => RouteRequest | string;

export interface RouteRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

const HOUR_SEC = 3_600;
/** A window of transactions may span 100 blocks at most; some chains make four a second. */
const TXS_WINDOW_SEC = 20;

const requested =
  (query?: Readonly<Record<string, string>>): RequestOf =>
  () =>
    query === undefined ? {} : { query };

/** By the contract a window left out is the last hour, or as much as there is: a fixed one may reach too far back. */
const windowed =
  (sec: number, more: Readonly<Record<string, string>> = {}): RequestOf =>
  ({ byContract }, presentMs) => {
    const iso = (ms: number) => new Date(ms).toISOString();
    const window = { from: iso(presentMs - sec * 1_000), to: iso(presentMs + 1_000) };
    return { query: { ...(byContract ? {} : window), ...more } };
  };

/** One thing by what an earlier response called it. */
const named =
  (parameter: string, value: (known: Known) => string | number | null, without: string): RequestOf =>
  (known) => {
    const found = value(known);
    return found === null ? without : { path: { [parameter]: String(found) } };
  };

const FIRST_ALERT = named('id', ({ alertId }) => alertId, 'no alert to ask for: /alerts gave none');

const current = {
  path: PATHS.statsCurrent,
  schema: StatsCurrent,
  view: sayingAny(lenient(StatsCurrent), 'snapshot'),
};

const read = <View>(
  route: ResponseSchemas<View> & Pick<V1Route, 'path'>,
  request: RequestOf = requested(),
  learn: (view: View) => Partial<Known> = () => ({}),
): ReadRoute => ({
  path: route.path,
  group: V1_ROUTES.find(({ path }) => path === route.path)?.group ?? 'gas',
  schema: route.schema,
  view: route.view.transform(learn),
  request,
});

/** Not every snapshot names its block, but rows of history may. */
function newestBlockOf(rows: readonly { readonly blockNumber: number | null }[]): Partial<Known> {
  const newest = Math.max(...rows.map(({ blockNumber }) => blockNumber ?? 0), 0);
  return newest === 0 ? {} : { newestRow: newest };
}

/** Every read route of v1. What matters most comes first, should the quota end under way. */
export const READ_ROUTES: readonly ReadRoute[] = [
  read(ROUTES.gasCurrent, requested(), (snapshot) => ({ snapshot, blockNumber: snapshot.blockNumber })),
  read(ROUTES.gasTrend),
  read(ROUTES.gasRecommendation),
  read(current),
  read(ROUTES.statsChart),
  read(ROUTES.statsMarket, requested({ timeFrame: '24h' })),
  read(ROUTES.rateLimits, requested(), (quota) => ({ quota })),
  read(ROUTES.summary),
  read(ROUTES.baseFee, windowed(HOUR_SEC), ({ rows }) => newestBlockOf(rows)),
  read(ROUTES.priorityFee, windowed(HOUR_SEC, { percentile: 'p95' })),
  read(ROUTES.gasUsedRatio, windowed(HOUR_SEC)),
  read(
    ROUTES.block,
    named(
      'number',
      ({ blockNumber, newestRow }) => blockNumber ?? newestRow,
      'no block to ask for: neither prices nor history name one',
    ),
  ),
  read(ROUTES.txs, windowed(TXS_WINDOW_SEC), ({ rows: [first] }) => ({ txHash: first?.hash ?? null })),
  read(
    ROUTES.tx,
    named('hash', ({ txHash }) => txHash, 'no transaction to ask for: /metrics/txs gave none'),
  ),
  read(ROUTES.alerts, requested(), ({ items: [first] }) => ({ alertId: first?.id ?? null })),
  read(ROUTES.alert, FIRST_ALERT),
  read(ROUTES.alertSavings, FIRST_ALERT),
  read(ROUTES.autoTxs, requested(), ({ items: [first] }) => ({ autoTxId: first?.id ?? null })),
  read(
    ROUTES.autoTx,
    named('id', ({ autoTxId }) => autoTxId, 'no auto-tx to ask for: /auto-txs gave none'),
  ),
];
