import type * as z from 'zod';
import { cleanText } from '../core/clean-text.ts';
import { ownValue } from '../core/own-value.ts';
import type { ReadingTrace } from './doctor-reading.ts';
import { ClientError, errorWords, LONGEST_RAW } from './errors.ts';
import { Fields } from './fields.ts';
import { isRecord, isWebPage, type JsonRecord, parseJson } from './json.ts';

/** What services put around what they mean. */
const ENVELOPES = ['data', 'result', 'items', 'content'] as const;
const DEEPEST = 5;
/** What services call a success where others have an error code. */
const SUCCESS_CODE = /^(ok|success|succeeded|0|2\d\d)$/i;
/** Said once, to who made the alert, and never shown in passing. */
const SIGNING_SECRET = /whsec_[\w+/=-]+/g;

/** An answer that came and is JSON, before anybody knows what it says. */
export class Answer {
  readonly endpoint: string;
  /** Host of the service, for what it does not say about itself. */
  readonly host: string;
  readonly body: unknown;
  /** Our own service speaks: every fee counts wei, however small. */
  readonly exact: boolean;
  /** Notes what is looked for, where somebody wants to know. */
  readonly trace: ReadingTrace | null;
  readonly #text: string;

  constructor(
    text: string,
    context: {
      endpoint: string;
      host: string;
      /**
       * An answer that follows this schema is taken for one of our own service; `null`: it comes from this very
       * program.
       */
      schema: z.ZodType | null;
      trace?: ReadingTrace;
    },
  ) {
    this.endpoint = context.endpoint;
    this.host = context.host;
    this.trace = context.trace ?? null;
    this.#text = text;
    const body = parseJson(text);
    if (body === undefined) throw this.#error(notJson(text, context), null);
    this.body = body;
    this.exact = context.schema === null || followsContract(context.schema, body);
  }

  /** The error for a field that is required and not there, or there and senseless. */
  unreadable(field: string, found?: unknown): ClientError {
    const what =
      found === undefined || found === null ? `has no ${field}` : `has a ${field} that makes no sense`;
    return this.#error(`the answer of ${this.host} to ${this.endpoint} ${what}`, field);
  }

  /**
   * The record that holds one of `names`, taken out of the envelopes around it.
   *
   * @param field Named in the error if there is none.
   */
  record(names: readonly string[], field: string): JsonRecord {
    let value: unknown = this.body;
    const unwrapped: string[] = [];
    for (let depth = 0; depth < DEEPEST; depth++) {
      if (Array.isArray(value) && value.length === 1) value = value[0];
      if (!isRecord(value)) break;
      const keys = keyIndex(value);
      if (names.some((name) => keys.has(normalKey(name)))) {
        for (const key of unwrapped) this.trace?.envelope(key);
        return value;
      }
      const inside = lookUp(value, ENVELOPES);
      unwrapped.push(inside?.key ?? '');
      value = inside?.value;
    }
    throw this.#refusedInside() ?? this.unreadable(field);
  }

  /** The rows of a list, which stand under one of `names`, in envelopes, or alone; `null`: there is no list. */
  rows(names: readonly string[], from: unknown = this.body): readonly unknown[] | null {
    let value: unknown = from;
    for (let depth = 0; depth < DEEPEST; depth++) {
      if (Array.isArray(value)) return value;
      if (!isRecord(value)) return null;
      const named = lookUp(value, names);
      const inside = named ?? lookUp(value, ENVELOPES);
      if (named !== null) this.trace?.field(names[0] ?? '', named.key, true);
      else if (inside !== null) this.trace?.envelope(inside.key);
      value = inside?.value;
    }
    return null;
  }

  /** Where nothing has to be in the answer but it may be a refusal all the same. */
  throwIfRefused(): void {
    const refused = this.#refusedInside();
    if (refused !== null) throw refused;
  }

  /** For a list that is not there at all. */
  noRows(field: string): ClientError {
    return this.#refusedInside() ?? this.unreadable(field);
  }

  /** Some services send their errors with status 200. */
  #refusedInside(): ClientError | null {
    if (!isRecord(this.body)) return null;
    const { errorCode, message } = errorWords(this.body);
    const { error, success } = this.body;
    const isDone = success === true || SUCCESS_CODE.test(errorCode);
    const isRefused = errorCode !== '' || (error ?? false) !== false || success === false;
    if (message === '' || isDone || !isRefused) return null;
    return new ClientError('server', `the service answered with an error: ${message}`, {
      endpoint: this.endpoint,
    });
  }

  #error(message: string, field: string | null): ClientError {
    return new ClientError('unreadable', message, {
      endpoint: this.endpoint,
      field,
      raw: cleanText(this.#text, LONGEST_RAW).replace(SIGNING_SECRET, '(secret)'),
    });
  }
}

function notJson(text: string, { endpoint, host }: { endpoint: string; host: string }): string {
  if (text.trim() === '') return `${host} answered ${endpoint} with nothing; check the URL`;
  if (isWebPage(text)) {
    return `${host} answered ${endpoint} with a web page: a login or proxy, or not the address of a v1 service`;
  }
  return /^\s*[[{]/.test(text)
    ? `the answer of ${host} to ${endpoint} is broken off or not JSON`
    : `${host} answered ${endpoint} with something that is not JSON; check the URL`;
}

/** A newer release of our service may say more than this one knows, which is no reason to doubt its units. */
function followsContract(schema: z.ZodType, body: unknown): boolean {
  const parsed = schema.safeParse(body);
  return parsed.success || parsed.error.issues.every((issue) => issue.code === 'unrecognized_keys');
}

/** Names are the same in every answer of a service; one that makes up new ones all the time gets no more room. */
const MOST_NAMES = 1_000;
const normalKeys = new Map<string, string>();

/** `low_price`, `lowPrice` and `LowPrice` are the same name. */
export function normalKey(name: string): string {
  let key = normalKeys.get(name);
  if (key === undefined) {
    key = name.toLowerCase().replaceAll(/[_-]/g, '');
    if (normalKeys.size >= MOST_NAMES) normalKeys.clear();
    normalKeys.set(name, key);
  }
  return key;
}

const keyIndexes = new WeakMap<JsonRecord, ReadonlyMap<string, string>>();

/** The record's own names by their usual spelling. */
export function keyIndex(record: JsonRecord): ReadonlyMap<string, string> {
  const known = keyIndexes.get(record);
  if (known !== undefined) return known;
  const index = new Map(Object.keys(record).map((key) => [normalKey(key), key]));
  keyIndexes.set(record, index);
  return index;
}

/** The first of `names` that the record has with a value, in any of the usual spellings. */
export function lookUp(
  record: JsonRecord,
  names: readonly string[],
): { readonly key: string; readonly value: unknown } | null {
  for (const name of names) {
    // Most are spelled as the contract has them: no index of the others is made for those.
    const key = isSaid(ownValue(record, name)) ? name : keyIndex(record).get(normalKey(name));
    if (key === undefined) continue;
    const value = record[key];
    if (isSaid(value)) return { key, value };
  }
  return null;
}

const isSaid = (value: unknown) => value !== null && value !== undefined;

/**
 * Reads the rows of a list. A row that lacks what it needs is left out, so that one hole does not cost the whole
 * picture; if that leaves nothing of a list that had rows, the first row's failure is the answer's.
 */
export function readRows<Row>(
  answer: Answer,
  rows: readonly unknown[],
  path: string,
  read: (fields: Fields) => Row,
): Row[] {
  const { kept, failure } = readSoundRows(answer, rows, path, read);
  if (kept.length === 0 && failure !== null) throw failure.error;
  return kept;
}

export interface SoundRows<Row> {
  readonly kept: Row[];
  /** How many could not be read. */
  readonly unreadable: number;
  /** Of the first of those. */
  readonly failure: { readonly error: unknown } | null;
}

/** The same for who wants to know what was left out. */
export function readSoundRows<Row>(
  answer: Answer,
  rows: readonly unknown[],
  path: string,
  read: (fields: Fields) => Row,
): SoundRows<Row> {
  const kept: Row[] = [];
  let failure: SoundRows<Row>['failure'] = null;
  for (const [index, row] of rows.entries()) {
    try {
      if (!isRecord(row)) throw answer.unreadable(`${path}[${index}]`, row);
      kept.push(read(new Fields(answer, row, `${path}[${index}]`)));
    } catch (error) {
      failure ??= { error };
    }
  }
  return { kept, unreadable: rows.length - kept.length, failure };
}

const TOTAL_NAMES = ['total', 'totalElements', 'totalCount', 'totalItems', 'count'] as const;

/** One page of a list, or all of it from a service that knows no pages. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** How many rows came, those that could not be read among them. */
  readonly rows: number;
  readonly unreadable: number;
  /** Why the first of those could not be read. */
  readonly failure: ClientError | null;
  /** How many there are in all; `null`: not said. */
  readonly total: number | null;
  /** Whether the service says that this page is the last, or that it is not; `null`: neither. */
  readonly isLast: boolean | null;
}

/**
 * Required: a list. Rows that cannot be read are counted.
 *
 * @param name What services call the list, beside `items`.
 */
export function readListPage<Item>(
  answer: Answer,
  name: string,
  read: (fields: Fields) => Item,
): ListPage<Item> {
  const rows = answer.rows(['items', name]);
  if (rows === null) throw answer.noRows('items');
  if (rows.length === 0) answer.throwIfRefused();
  const { kept, unreadable, failure } = readSoundRows(answer, rows, 'items', read);
  const beside = new Fields(answer, besideRows(answer.body));
  const paging = beside.inside('pagination') ?? beside.inside('paging') ?? beside.inside('meta') ?? beside;
  const hasMore = paging.flag('hasMore', 'hasNext', 'hasNextPage');
  return {
    items: kept,
    rows: rows.length,
    unreadable,
    failure: failure?.error instanceof ClientError ? failure.error : null,
    total: paging.count(...TOTAL_NAMES),
    isLast: paging.flag('last', 'isLast') ?? (hasMore === null ? null : !hasMore),
  };
}

/** The record that holds the list, or the outermost where the list stands deeper than what is said of it. */
function besideRows(body: unknown): JsonRecord {
  if (!isRecord(body)) return {};
  const inside = [body.data, body.result].find(isRecord);
  const saysTotal = TOTAL_NAMES.some((name) => Object.hasOwn(body, name));
  return inside === undefined || saysTotal ? body : { ...body, ...inside };
}
