import * as z from 'zod';
import type { GasClient } from '../client/gas-client.ts';
import { readAlertPage } from '../client/reading/alerts.ts';
import { Answer } from '../client/reading/answer.ts';
import { AlertList } from '../contract/alerts.ts';
import { PAGE_SIZE_MAX } from '../contract/queries.ts';
import { PATHS } from '../contract/routes.ts';
import { jsonAnswer } from './json-answer.ts';

const MOST_PAGES = 100;

/** A page of v1, its alerts as the service gave them. */
const Page = z.looseObject({
  items: z.array(z.looseObject({ id: z.string() })),
  page: z.int(),
  size: z.int(),
  total: z.int(),
});

export interface AllAlertsJson {
  /** One line. */
  readonly json: string;
  /** How many alerts of how many it holds, where it is known to hold fewer than there are. */
  readonly part: { readonly shown: number; readonly total: number } | null;
}

/**
 * `GET /alerts` as JSON: the answer as it is where that is all, else one v1 list of all pages, each alert once. Of a
 * service whose list is none of v1's it is the first page.
 *
 * @throws ClientError
 */
export async function allAlertsJson(
  client: Pick<GasClient, 'raw'>,
  signal: AbortSignal,
): Promise<AllAlertsJson> {
  const ask = (page: number) =>
    client.raw(PATHS.alerts, { page: String(page), size: String(PAGE_SIZE_MAX) }, { signal });
  const text = await ask(0);
  const json = jsonAnswer(text, PATHS.alerts);
  const first = Page.safeParse(JSON.parse(text)).data;
  if (first === undefined) return { json, part: partOf(text) };
  if (first.items.length >= first.total) return { json, part: null };
  const alerts = new Map(first.items.map((alert) => [alert.id, alert]));
  let { total } = first;
  for (let page = 1; page < MOST_PAGES && alerts.size < total; page++) {
    const next = Page.safeParse(JSON.parse(jsonAnswer(await ask(page), PATHS.alerts))).data;
    if (next === undefined || next.items.length === 0) break;
    total = next.total;
    for (const alert of next.items) alerts.set(alert.id, alert);
  }
  const shown = alerts.size;
  const list = { ...first, items: [...alerts.values()], page: 0, size: shown, total };
  return { json: `${JSON.stringify(list)}\n`, part: shown < total ? { shown, total } : null };
}

function partOf(text: string): AllAlertsJson['part'] {
  try {
    const page = readAlertPage(new Answer(text, { endpoint: PATHS.alerts, host: '', schema: AlertList }));
    return page.total !== null && page.total > page.rows ? { shown: page.rows, total: page.total } : null;
  } catch {
    // An answer that is no list at all is shown as it is.
    return null;
  }
}
