import { describe, expect, it } from 'vitest';
import { wholeListJson } from '../../src/cli/commands/resource.ts';
import { createGasClient } from '../../src/client/client.ts';
import { ROUTES } from '../../src/client/routes.ts';
import { AlertList } from '../../src/contract/alerts.ts';
import { OPENAPI_PATH } from '../../src/contract/routes.ts';
import { HOST } from '../client/answering.ts';
import { LISTS_ALL } from '../client/foreign-openapi.ts';
import { OWN_ALERT } from '../client/own-answers.ts';

const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ ...OWN_ALERT, id: `alr_${id}` }));

/** The JSON of a service that has `all` alerts and answers each question for a page with `answer`. */
async function jsonOf(all: number, answer: (page: number, items: readonly object[]) => object) {
  let questions = 0;
  const fetch = ({ url }: Request) => {
    if (url.endsWith(OPENAPI_PATH)) return Response.json(LISTS_ALL);
    questions += 1;
    const page = Number(new URL(url).searchParams.get('page'));
    const body = answer(page, rows(all).slice(page * 500, (page + 1) * 500));
    return new Response(JSON.stringify(body));
  };
  const client = createGasClient({ url: `https://${HOST}`, fetch });
  return {
    ...(await wholeListJson(client, ROUTES.alerts, new AbortController().signal)),
    questions: () => questions,
  };
}

describe('the JSON of all alerts', () => {
  it('is one v1 list of several pages, each alert once', async () => {
    const { json, part, questions } = await jsonOf(1_250, (page, items) => ({
      items: page === 0 ? items : [rows(1)[0], ...items],
      ...{ page, size: 500, total: 1_250 },
    }));
    const list = AlertList.parse(JSON.parse(json));
    expect(list.items.map(({ id }) => id)).toEqual(rows(1_250).map(({ id }) => id));
    expect(list).toMatchObject({ page: 0, size: 1_250, total: 1_250 });
    expect({ part, questions: questions() }).toEqual({ part: null, questions: 4 });
  });

  it('of a service with a list of its own is its first page, and how many that is of', async () => {
    const { json, part } = await jsonOf(750, (_, items) => ({ data: items, meta: { totalCount: 750 } }));
    expect(JSON.parse(json).data).toHaveLength(500);
    expect(part).toEqual({ shown: 500, total: 750 });
    expect((await jsonOf(2, () => ({ hello: 1 }))).part).toBeNull();
  });
});
