import * as z from 'zod';
import { AlertDetails, AlertList, AlertSavings } from '../contract/alerts.ts';
import { AutoTxDetails, AutoTxList } from '../contract/auto-txs.ts';
import { RateLimits, StatsChart, StatsCurrent, StatsMarket, Summary } from '../contract/dashboard.ts';
import { BlockMetrics, TxMetrics, TxsMetrics } from '../contract/explorer.ts';
import { GasCurrent, GasRecommendation, GasTrend } from '../contract/gas.ts';
import { BaseFeeMetrics, GasUsedRatioMetrics, PriorityFeeMetrics } from '../contract/metrics.ts';
import { PATHS, V1_ROUTES, type V1Route } from '../contract/routes.ts';
import { cleanText } from '../core/clean-text.ts';
import { ownValue } from '../core/own-value.ts';
import { Answer, keyIndex, normalKey } from './answer.ts';
import { ClientError } from './errors.ts';
import { type FeeUnit, Fields, readFee } from './fields.ts';
import { isRecord, type JsonRecord } from './json.ts';
import { readAlertDetails, readAlertPage, readAlertSavings } from './views/alerts.ts';
import { readAutoTxDetails, readAutoTxPage } from './views/auto-txs.ts';
import {
  type RateLimitsView,
  readChart,
  readMarket,
  readRateLimits,
  readSummary,
} from './views/dashboard.ts';
import { readBlock, readTx, readTxRow } from './views/explorer.ts';
import { readRecommendation, readSnapshot, readTrend, type SnapshotView } from './views/gas.ts';
import { readBaseFeeRow, readGasUsedRatioRow, readMetrics, readPriorityFeeRow } from './views/metrics.ts';

const MOST_DIFFERENCES = 10;

/**
 * `contract`: wei, because the answer follows the contract. `named`: the names or values say what they count.
 * `wei`, `gwei`, `mixed`: guessed by size.
 */
export type PriceUnits = 'contract' | 'named' | 'wei' | 'gwei' | 'mixed';

/** How one answer was understood. Paths are the contract's, such as `lanes.slow.price` or `data[].timestamp`. */
export interface AnswerReading extends FieldComparison {
  /** `letter`: as our contract says; `extended`: and more than that; `tolerant`: read by its likeness. */
  readonly match: 'letter' | 'extended' | 'tolerant';
  /** Where it departs from the contract, the first few. */
  readonly differences: readonly string[];
  /** What it was wrapped in, outermost first. */
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
  readonly reading: AnswerReading | null;
  readonly problem: string | null;
}

/**
 * Reads an answer exactly as the client does and tells what was understood of it, measured by the contract.
 * `schema` is the contract's. Pure; nothing is thrown.
 */
export function judgeAnswer<View>(
  text: string,
  context: { readonly endpoint: string; readonly host: string; readonly schema: z.ZodType },
  read: (answer: Answer) => View,
): Judged<View> {
  const trace = new ReadingTrace();
  let answer: Answer;
  try {
    answer = new Answer(text, { ...context, trace });
  } catch (error) {
    return { view: null, reading: null, problem: wordsOf(error) };
  }
  let view: View | null = null;
  let problem: string | null = null;
  try {
    view = read(answer);
  } catch (error) {
    problem = wordsOf(error);
  }
  const parsed = context.schema.safeParse(answer.body);
  const issues = parsed.success ? [] : parsed.error.issues;
  const guessed = answer.exact ? { wei: [], gwei: [] } : trace.guessed;
  const reading: AnswerReading = {
    match: parsed.success ? 'letter' : answer.exact ? 'extended' : 'tolerant',
    differences: issues.slice(0, MOST_DIFFERENCES).map(differenceWords),
    envelopes: trace.envelopes.filter((key) => key !== '').map((key) => cleanText(key, 60)),
    prices: unitsOf(answer.exact, guessed),
    guessed,
    problem,
    ...compareFields(context.schema, isRecord(answer.body) ? answer.body : {}, trace),
  };
  return { view, reading, problem };
}

function unitsOf(
  exact: boolean,
  { wei, gwei }: { readonly wei: readonly string[]; readonly gwei: readonly string[] },
): PriceUnits {
  if (exact) return 'contract';
  if (wei.length > 0 && gwei.length > 0) return 'mixed';
  if (wei.length > 0) return 'wei';
  return gwei.length > 0 ? 'gwei' : 'named';
}

function differenceWords(issue: z.core.$ZodIssue): string {
  const path = issue.path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  const message = issue.message.replace(/^Invalid input: /, '');
  return cleanText(`${path.replace(/^\./, '') || 'answer'}: ${message}`, 200);
}

/** Only the client's own words are known to be clean. */
function wordsOf(error: unknown): string {
  return error instanceof ClientError ? error.message : 'it could not be read';
}

const MOST_UNKNOWN = 50;
const MOST_ROWS = 100;

/** An answer's fields against the contract's; lists count as one row that has all that any row has. */
export interface FieldComparison {
  readonly found: readonly string[];
  readonly missing: readonly string[];
  /** There, but their values could not be read. */
  readonly senseless: readonly string[];
  /** Found under another name than the contract's. */
  readonly renamed: readonly { readonly field: string; readonly name: string }[];
  /** The first of those that the contract does not have and nobody looked for. */
  readonly unknown: readonly string[];
  readonly unknownCount: number;
}

/** @param body Where nothing was read of the answer: the answer itself. */
export function compareFields(schema: z.ZodType, body: JsonRecord, trace: ReadingTrace): FieldComparison {
  const found: string[] = [];
  const missing: string[] = [];
  const senseless: string[] = [];
  const renamed: { field: string; name: string }[] = [];
  const unknown: string[] = [];
  let unknownCount = 0;

  const visit = (shape: z.ZodObject, records: readonly JsonRecord[], path: string) => {
    const used = new Set(trace.keysReadAt(path));
    for (const [key, field] of Object.entries(shape.shape)) {
      const place = path === '' ? key : `${path}.${key}`;
      const name = trace.fieldAt(place)?.key ?? spelling(records, key);
      if (name !== null) used.add(name);
      const values = name === null ? [] : records.map((record) => ownValue(record, name));
      visitField(field, key, name, values, place);
    }
    for (const key of new Set(records.flatMap((record) => Object.keys(record)))) {
      if (used.has(key)) continue;
      unknownCount += 1;
      if (unknownCount <= MOST_UNKNOWN) unknown.push(cleanText(path === '' ? key : `${path}.${key}`, 100));
    }
  };

  const visitField = (
    field: unknown,
    key: string,
    name: string | null,
    values: readonly unknown[],
    place: string,
  ) => {
    const { inner, nullable, optional } = unwrapped(field);
    const said = values.filter((value) => value !== undefined && value !== null);
    const rows = trace.recordsAt(`${place}[]`);
    if (said.length === 0 && rows.length === 0) {
      const saidNone = nullable && values.some((value) => value === null);
      if (saidNone) found.push(place);
      else if (!optional) missing.push(place);
      return;
    }
    if (name !== null && normalKey(name) !== normalKey(key))
      renamed.push({ field: place, name: cleanText(name, 60) });
    if (inner instanceof z.ZodObject) {
      const traced = trace.recordsAt(place);
      const children = traced.length > 0 ? traced : said.filter(isRecord);
      if (children.length === 0) senseless.push(place);
      else visit(inner, children, place);
      return;
    }
    const element = inner instanceof z.ZodArray ? unwrapped(inner.element).inner : null;
    if (element instanceof z.ZodObject) {
      const lists = said.filter((value) => Array.isArray(value));
      const children = rows.length > 0 ? rows : lists.flat().slice(0, MOST_ROWS).filter(isRecord);
      if (children.length > 0) visit(element, children, `${place}[]`);
      else (lists.some((list) => list.length === 0) ? found : senseless).push(place);
      return;
    }
    const reading = trace.fieldAt(place);
    (reading?.key != null && !reading.sound ? senseless : found).push(place);
  };

  const { inner } = unwrapped(schema);
  if (inner instanceof z.ZodObject) visit(inner, [trace.recordsAt('').at(-1) ?? body], '');
  return {
    found,
    missing,
    senseless,
    renamed,
    unknown,
    unknownCount,
  };
}

/** The name that `key` has in the first of the records that has it. */
function spelling(records: readonly JsonRecord[], key: string): string | null {
  for (const record of records) {
    const name = keyIndex(record).get(normalKey(key));
    if (name !== undefined) return name;
  }
  return null;
}

function unwrapped(field: unknown): {
  readonly inner: unknown;
  readonly nullable: boolean;
  readonly optional: boolean;
} {
  let inner = field;
  let nullable = false;
  let optional = false;
  while (inner instanceof z.ZodNullable || inner instanceof z.ZodOptional) {
    if (inner instanceof z.ZodNullable) nullable = true;
    else optional = true;
    inner = inner.unwrap();
  }
  return { inner, nullable, optional };
}

/** Of a list of any length; what the first rows lack the others will. */
const MOST_TRACED_ROWS = 500;

export interface FieldReading {
  /** The name it stood under; `null`: under none of those looked for. */
  readonly key: string | null;
  /** Its value could be read. */
  readonly sound: boolean;
}

/**
 * What was looked for in one answer and what came of it, for who judges the answer itself. Paths are the
 * contract's, with a list's rows folded into one: `lanes.slow.price`, `data[].timestamp`.
 */
export class ReadingTrace {
  readonly #fields = new Map<string, FieldReading>();
  readonly #records = new Map<string, Set<JsonRecord>>();
  readonly #envelopes = new Set<string>();
  readonly #guessed = { wei: new Set<string>(), gwei: new Set<string>() };

  /** In a list a field counts as read if it was in any row. */
  field(path: string, key: string | null, sound: boolean): void {
    const place = folded(path);
    const before = this.#fields.get(place);
    if (before === undefined || (!before.sound && key !== null)) this.#fields.set(place, { key, sound });
  }

  /** A fee whose name does not say what it counts: its size decided. */
  fee(path: string, value: unknown, unit: FeeUnit, fee: bigint | null): void {
    if (unit !== 'guess' || fee === null) return;
    const asWei = readFee(value, 'wei');
    // Nothing was guessed where the text names its unit, is hex, or is zero.
    if (asWei === readFee(value, 'gwei')) return;
    this.#guessed[fee === asWei ? 'wei' : 'gwei'].add(folded(path));
  }

  record(path: string, record: JsonRecord): void {
    const place = folded(path);
    const same = this.#records.get(place);
    if (same === undefined) this.#records.set(place, new Set([record]));
    else if (same.size < MOST_TRACED_ROWS) same.add(record);
  }

  envelope(key: string): void {
    this.#envelopes.add(key);
  }

  fieldAt(path: string): FieldReading | undefined {
    return this.#fields.get(path);
  }

  /** The names that were read in the record at `path`. */
  keysReadAt(path: string): readonly string[] {
    const within = path === '' ? '' : `${path}.`;
    return [...this.#fields].flatMap(([place, { key }]) =>
      key !== null && place.startsWith(within) && !place.slice(within.length).includes('.') ? [key] : [],
    );
  }

  recordsAt(path: string): readonly JsonRecord[] {
    return [...(this.#records.get(path) ?? [])];
  }

  /** What the answer was wrapped in, outermost first. */
  get envelopes(): readonly string[] {
    return [...this.#envelopes];
  }

  /** Which fees were taken for wei and which for gwei, by their size alone. */
  get guessed(): { readonly wei: readonly string[]; readonly gwei: readonly string[] } {
    return { wei: [...this.#guessed.wei], gwei: [...this.#guessed.gwei] };
  }
}

function folded(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '[]');
}

/** What earlier answers taught, to ask the next with. */
export interface Known {
  /** Its snapshot follows our contract, so that what the contract leaves to be left out may be. */
  readonly byContract: boolean;
  readonly snapshot: SnapshotView | null;
  readonly quota: RateLimitsView | null;
  readonly blockNumber: number | null;
  readonly txHash: string | null;
  readonly alertId: string | null;
  readonly autoTxId: string | null;
}

export const NOTHING_KNOWN: Known = {
  byContract: false,
  snapshot: null,
  quota: null,
  blockNumber: null,
  txHash: null,
  alertId: null,
  autoTxId: null,
};

export interface Question {
  /** Parameters of the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

export interface ReadRoute {
  readonly route: V1Route;
  readonly schema: z.ZodType;
  /** Why it cannot be asked, or how. `presentMs`: the service's present. */
  ask(known: Known, presentMs: number): Question | string;
  read(answer: Answer): Partial<Known>;
}

type Reading = Omit<ReadRoute, 'route'>;

const HOUR_SEC = 3_600;
/** A window of transactions may span 100 blocks at most; some chains make four a second. */
const TXS_WINDOW_SEC = 20;
const ROWS = '5';

const plain =
  (query?: Readonly<Record<string, string>>): Reading['ask'] =>
  () =>
    query === undefined ? {} : { query };

/** By the contract a window left out is the last hour, or as much as there is: a fixed one may reach too far back. */
const windowed =
  (sec: number, more: Readonly<Record<string, string>> = {}): Reading['ask'] =>
  ({ byContract }, presentMs) => {
    const window = { from: iso(presentMs - sec * 1_000), to: iso(presentMs + 1_000) };
    return { query: { ...(byContract ? {} : window), size: ROWS, ...more } };
  };

/** One thing by what an earlier answer called it. */
const named =
  (parameter: string, value: (known: Known) => string | number | null, without: string): Reading['ask'] =>
  (known) => {
    const found = value(known);
    return found === null ? without : { path: { [parameter]: String(found) } };
  };

/** Reads for its own sake: whether it can be read is all there is to know. */
const only =
  (read: (answer: Answer) => unknown): Reading['read'] =>
  (answer) => {
    read(answer);
    return {};
  };

const READINGS: Readonly<Partial<Record<V1Route['path'], Reading>>> = {
  [PATHS.gasCurrent]: {
    schema: GasCurrent,
    ask: plain(),
    read: (answer) => {
      const snapshot = readSnapshot(answer);
      return { snapshot, blockNumber: snapshot.blockNumber };
    },
  },
  [PATHS.gasTrend]: { schema: GasTrend, ask: plain(), read: only(readTrend) },
  [PATHS.gasRecommendation]: { schema: GasRecommendation, ask: plain(), read: only(readRecommendation) },
  [PATHS.statsCurrent]: { schema: StatsCurrent, ask: plain(), read: only(readStatsCurrent) },
  [PATHS.statsChart]: {
    schema: StatsChart,
    ask: plain({ timeFrame: '24h' }),
    read: only((answer) => readChart(answer, '24h')),
  },
  [PATHS.statsMarket]: {
    schema: StatsMarket,
    ask: plain({ timeFrame: '24h' }),
    read: only((answer) => readMarket(answer, '24h')),
  },
  [PATHS.rateLimits]: {
    schema: RateLimits,
    ask: plain(),
    read: (answer) => ({ quota: readRateLimits(answer) }),
  },
  [PATHS.summary]: { schema: Summary, ask: plain(), read: only(readSummary) },
  [PATHS.baseFee]: {
    schema: BaseFeeMetrics,
    ask: windowed(HOUR_SEC),
    read: only((answer) => readMetrics(answer, readBaseFeeRow)),
  },
  [PATHS.priorityFee]: {
    schema: PriorityFeeMetrics,
    ask: windowed(HOUR_SEC, { percentile: 'p95' }),
    read: only((answer) => readMetrics(answer, readPriorityFeeRow)),
  },
  [PATHS.gasUsedRatio]: {
    schema: GasUsedRatioMetrics,
    ask: windowed(HOUR_SEC),
    read: only((answer) => readMetrics(answer, readGasUsedRatioRow)),
  },
  [PATHS.block]: {
    schema: BlockMetrics,
    ask: (known) => ({ path: { number: String(known.blockNumber ?? 'latest') } }),
    read: only(readBlock),
  },
  [PATHS.txs]: {
    schema: TxsMetrics,
    ask: windowed(TXS_WINDOW_SEC),
    read: (answer) => ({ txHash: readMetrics(answer, readTxRow).rows[0]?.hash ?? null }),
  },
  [PATHS.tx]: {
    schema: TxMetrics,
    ask: named('hash', ({ txHash }) => txHash, 'no transaction to ask for: /metrics/txs gave none'),
    read: only(readTx),
  },
  [PATHS.alerts]: { schema: AlertList, ask: plain({ size: ROWS }), read: readFirstAlert },
  [PATHS.alert]: {
    schema: AlertDetails,
    ask: named('id', ({ alertId }) => alertId, 'no alert to ask for: /alerts gave none'),
    read: only(readAlertDetails),
  },
  [PATHS.alertSavings]: {
    schema: AlertSavings,
    ask: named('id', ({ alertId }) => alertId, 'no alert to ask for: /alerts gave none'),
    read: only(readAlertSavings),
  },
  [PATHS.autoTxs]: {
    schema: AutoTxList,
    ask: plain({ size: ROWS }),
    read: readFirstAutoTx,
  },
  [PATHS.autoTx]: {
    schema: AutoTxDetails,
    ask: named('id', ({ autoTxId }) => autoTxId, 'no auto-tx to ask for: /auto-txs gave none'),
    read: only(readAutoTxDetails),
  },
};

/** The windows of transactions come before the one transaction that is taken out of them. */
const LATER: readonly string[] = [PATHS.tx];
/** What matters most comes first, should the quota end under way. */
const GROUPS = ['gas', 'dashboard', 'metrics', 'alerts', 'auto-txs'];

/** Every read route of v1, in the order of asking. */
export const READ_ROUTES: readonly ReadRoute[] = V1_ROUTES.filter(({ method }) => method === 'get')
  .flatMap((route) => {
    const reading = READINGS[route.path];
    return reading === undefined ? [] : [{ route, ...reading }];
  })
  .sort((a, b) => GROUPS.indexOf(a.route.group) - GROUPS.indexOf(b.route.group) || late(a) - late(b));

function late({ route }: ReadRoute): number {
  return LATER.includes(route.path) ? 1 : 0;
}

function readStatsCurrent(answer: Answer): void {
  const fields = new Fields(
    answer,
    answer.record(['snapshot', 'trend', 'recommendation', 'lowPrice', 'low'], 'snapshot'),
  );
  for (const part of ['snapshot', 'trend', 'recommendation']) fields.child(part);
}

function readFirstAlert(answer: Answer): Partial<Known> {
  const { items, failure } = readAlertPage(answer);
  if (items.length === 0 && failure !== null) throw failure;
  return { alertId: items[0]?.id ?? null };
}

function readFirstAutoTx(answer: Answer): Partial<Known> {
  const { items, failure } = readAutoTxPage(answer);
  if (items.length === 0 && failure !== null) throw failure;
  return { autoTxId: items[0]?.id ?? null };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
