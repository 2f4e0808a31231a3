import * as z from 'zod';
import type { GasClient } from '../client/client.ts';
import { readAlertPage } from '../client/reading/alerts.ts';
import { Answer } from '../client/reading/answer.ts';
import { readAutoTxPage } from '../client/reading/auto-txs.ts';
import type { ListPage } from '../client/reading/list-page.ts';
import { AlertList } from '../contract/alerts.ts';
import { AutoTxList } from '../contract/auto-txs.ts';
import { PAGE_SIZE_MAX } from '../contract/choices.ts';
import { PATHS } from '../contract/routes.ts';
import { jsonAnswer } from './json-answer.ts';

const MOST_PAGES = 100;

/** A list of v1, and how a service's own idea of it is read. */
interface ListRoute {
  readonly path: string;
  readonly schema: z.ZodType;
  readonly read: (answer: Answer) => ListPage<unknown>;
}

export const ALERTS: ListRoute = { path: PATHS.alerts, schema: AlertList, read: readAlertPage };
export const AUTO_TXS: ListRoute = { path: PATHS.autoTxs, schema: AutoTxList, read: readAutoTxPage };

/** A page of v1, its rows as the service gave them. */
const Page = z.looseObject({
  items: z.array(z.looseObject({ id: z.string() })),
  page: z.int(),
  size: z.int(),
  total: z.int(),
});

export interface WholeListJson {
  /** One line. */
  readonly json: string;
  /** How many of how many it holds, where it is known to hold fewer than there are. */
  readonly part: { readonly shown: number; readonly total: number } | null;
}

/**
 * A list as JSON: the answer as it is where that is all, else one v1 list of all pages, each row once. Of a
 * service whose list is none of v1's it is the first page.
 *
 * @param isKept Leaves rows out of a list of v1.
 * @throws ClientError
 */
export async function wholeListJson(
  client: Pick<GasClient, 'raw'>,
  route: ListRoute,
  signal: AbortSignal,
  isKept: (row: Readonly<Record<string, unknown>>) => boolean = () => true,
): Promise<WholeListJson> {
  const { path } = route;
  const ask = (page: number) =>
    client.raw(path, { page: String(page), size: String(PAGE_SIZE_MAX) }, { signal });
  const text = await ask(0);
  const json = jsonAnswer(text, path);
  const first = Page.safeParse(JSON.parse(text)).data;
  if (first === undefined) return { json, part: partOf(text, route) };
  if (first.items.length >= first.total && first.items.every(isKept)) return { json, part: null };
  const rows = new Map(first.items.map((row) => [row.id, row]));
  let { total } = first;
  for (let page = 1; page < MOST_PAGES && rows.size < total; page++) {
    const next = Page.safeParse(JSON.parse(jsonAnswer(await ask(page), path))).data;
    if (next === undefined || next.items.length === 0) break;
    total = next.total;
    for (const row of next.items) rows.set(row.id, row);
  }
  const shown = rows.size;
  const items = [...rows.values()].filter(isKept);
  const isAll = items.length === shown;
  // A list of size 0 is none of v1's.
  const list = {
    ...first,
    items,
    page: 0,
    size: Math.max(items.length, 1),
    total: isAll ? total : items.length,
  };
  return { json: `${JSON.stringify(list)}\n`, part: shown < total ? { shown, total } : null };
}

function partOf(text: string, { path, schema, read }: ListRoute): WholeListJson['part'] {
  try {
    const page = read(new Answer(text, { endpoint: path, host: '', schema }));
    return page.total !== null && page.total > page.rows ? { shown: page.rows, total: page.total } : null;
  } catch {
    // An answer that is no list at all is shown as it is.
    return null;
  }
}
