import { setImmediate as othersTurn } from 'node:timers/promises';
import { PAGE_SIZE_MAX } from '../contract/queries.ts';
import type { CallOptions } from './gas-client.ts';
import type { AlertPage } from './reading/alert-page.ts';
import type { AlertListView, AlertView } from './views/alerts.ts';

/** More than anybody reads, and than a service should be asked for at a time. */
const MOST_ALERTS = 10_000;
const MOST_PAGES = 100;

type AskPage = (query: Readonly<Record<string, string>>, call: CallOptions) => Promise<AlertPage>;

/**
 * All alerts of a service, page after page, newest first where it says when each was made. Services differ: some know
 * no pages and give everything at once, or the first page again and again; some count pages from 1, or give fewer
 * rows than they are asked for. What was learned of one is remembered, so that it is not asked in vain again.
 */
export function alertLoader(ask: AskPage): (call: CallOptions) => Promise<AlertListView> {
  let ignoresPages = false;
  let firstPage = 0;

  return async (call) => {
    const items = new Map<string, AlertView>();
    const from = firstPage;
    let unreadable = 0;
    let total: number | null = null;
    let isSecondRepeated = false;
    for (let page = from; page < from + MOST_PAGES && items.size < MOST_ALERTS; page++) {
      // A service in this process answers without a pause, so between two pages keys and screens get their turn.
      await othersTurn();
      const answer = await ask({ page: String(page), size: String(PAGE_SIZE_MAX) }, call);
      const before = items.size;
      for (const alert of answer.items) if (!items.has(alert.id)) items.set(alert.id, alert);
      if (items.size === 0 && answer.failure !== null) throw answer.failure;
      total = answer.total ?? total;
      const isRepeated = page > from && answer.rows > 0 && items.size === before;
      if (!isRepeated) unreadable += answer.unreadable;
      if (isSecondRepeated && page === 2) {
        ignoresPages = isRepeated;
        firstPage = isRepeated ? 0 : 1;
      }
      // Where pages count from 1, page 1 is the first again and page 2 the next.
      isSecondRepeated = isRepeated && page === 1;
      if (isRepeated && !(isSecondRepeated && answer.isLast !== true)) break;
      if (ignoresPages || isEnd(answer, items.size + unreadable, total)) break;
    }
    const kept = [...items.values()].slice(0, MOST_ALERTS);
    return { items: newestFirst(kept), total, unreadable };
  };
}

function isEnd({ rows, isLast }: AlertPage, seen: number, total: number | null): boolean {
  if (rows === 0) return true;
  if (isLast !== null) return isLast;
  if (total !== null) return seen >= total;
  // A list that ends just where lists are often cut off may go on.
  return rows < PAGE_SIZE_MAX && rows % 10 !== 0 && rows !== 25;
}

function newestFirst(alerts: readonly AlertView[]): readonly AlertView[] {
  if (alerts.some(({ createdAt }) => createdAt === null)) return alerts;
  return alerts.toSorted((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
}
