import { ClientError } from '../errors.ts';
import type { Answer } from './answer.ts';
import { Fields } from './fields.ts';
import { isRecord, type JsonRecord } from './json.ts';
import { readSoundRows } from './read-rows.ts';

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
