/** A service written from the given v1 document alone, with whole arrays for pages and the names of a hosted service. */
import { serve } from '@hono/node-server';
import { type Context, Hono } from 'hono';

/** What a route answers in place of what it has: 404, 500, or 200 without anything of use; by `/metrics/block`, `/alerts/:id`. */
export type Refusals = Readonly<Record<string, 200 | 404 | 500>>;
type Item = Readonly<Record<string, unknown>>;

const BASE = '/be/api/v1';
const HEAD_MS = 4_000;
const HISTORY_MS = 2_400_000;
const TIP = 0.0109;
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  '/dashboard/stats/market': ['timeFrame'],
  '/metrics/base-fee': ['from', 'to'],
  '/metrics/priority-fee': ['from', 'to', 'percentile'],
  '/metrics/gas-used-ratio': ['from', 'to'],
  '/metrics/txs': ['from', 'to'],
};
const PAYLOAD = [
  ...['thresholdGwei', 'gasSpeed', 'condition', 'cooldownMs', 'disableOnce'],
  ...['method', 'channels', 'to', 'note'],
];

const numberAt = (ms: number) => Math.floor(ms / HEAD_MS) - 430_000_000;
const timeOf = (number: number) => (number + 430_000_000) * HEAD_MS;
const head = () => numberAt(Date.now());
const hashOf = (number: number) => `0x${(BigInt(number) * 10n).toString(16).padStart(64, 'a')}`;
const baseFeeAt = (number: number) => 0.04 + 0.01 * Math.sin(number / 40);
const txOf = (number: number) => ({
  txHash: hashOf(number),
  block: number,
  time: timeOf(number),
  status: 'success',
  sender: `0x${'1'.repeat(40)}`,
  to: `0x${'2'.repeat(40)}`,
  value: '1000000000000000000',
  gasPrice: baseFeeAt(number) + TIP,
});

const notFound = (c: Context) => c.json({ errorCode: 'not_found', message: 'No such thing' }, 404);
const badRequest = (c: Context, message: string) => c.json({ errorCode: 'bad_request', message }, 400);

const ANSWERS: Readonly<Record<string, () => object>> = {
  '/gas/current': () => ({
    data: {
      lowPrice: 0.0412,
      averagePrice: '0.0507',
      highPrice: 0.0621,
      basePrice: baseFeeAt(head()),
      priorityPrice: TIP,
      updatedAt: new Date(timeOf(head())).toISOString(),
    },
  }),
  '/gas/trend': () => ({ result: { direction: 'sideways-ish', base: { now: 0.04, min: 0.03, max: 0.4 } } }),
  '/gas/recommendation': () => ({
    action: 'WAIT',
    targetPrice: 0.0388,
    expectedWaitSec: 600,
    probability: 0.9,
  }),
  '/dashboard/stats/current': () => ({ snapshot: { averagePrice: 0.0507 }, trend: { direction: 'flat' } }),
  '/dashboard/stats/chart': () => {
    const times = Array.from({ length: 60 }, (_, i) => timeOf(head()) - (59 - i) * 60_000);
    return { content: times.map((t) => ({ t, base: baseFeeAt(numberAt(t)) })) };
  },
  '/dashboard/stats/market': () => ({
    base: { now: 0.04, min: 0.029, median: 0.0405, mean: 0.0409, max: 0.09 },
    heatmap: Array.from({ length: 7 }, (_, day) =>
      Array.from({ length: 24 }, (__, hour) => 0.03 + (day + hour) / 1_000),
    ),
    actions: [{ name: 'Bridge', gas: 150_000, average: { wei: '7605000000000' } }],
  }),
  '/dashboard/rate-limits': () => ({ planName: 'Explorer plan', limit: 10_000, used: 12, remaining: 9_988 }),
  '/dashboard/summary': () => ({
    alerts: { total: 1, active: 1 },
    health: { source: { name: 'our nodes' } },
  }),
};

const METRICS: Readonly<Record<string, (number: number) => object>> = {
  'base-fee': (number) => ({ baseFee: baseFeeAt(number) }),
  'priority-fee': () => ({ value: TIP }),
  'gas-used-ratio': () => ({ ratio: 0.42 }),
  txs: txOf,
};

function metrics(c: Context, row: (number: number) => object) {
  const now = Date.now();
  const from = Math.max(Date.parse(c.req.query('from') ?? '') || 0, now - HISTORY_MS);
  const to = Math.min(Date.parse(c.req.query('to') ?? '') || now, now);
  const first = numberAt(from + HEAD_MS - 1);
  const numbers = Array.from({ length: Math.max(numberAt(to) - first + 1, 0) }, (_, i) => first + i);
  const data = numbers.map((number) => ({ time: timeOf(number), block: number, ...row(number) }));
  return c.json({ chainId: 1, from: new Date(from).toISOString(), to: new Date(to).toISOString(), data });
}

export async function startForeignService() {
  const service = {
    refusals: {} as Refusals,
    /** Each parameter that the document does not give. */ refused: [] as string[],
  };
  const app = new Hono().basePath(BASE);
  app.use(async (c, next) => {
    const route = c.req.path
      .replace(BASE, '')
      .replace(/^(\/metrics\/(?:block|tx))\/.+/, '$1')
      .replace(/^\/(alerts|auto-txs)\/[^/]+/, '/$1/:id');
    const refusal = service.refusals[route];
    if (refusal === 200) return c.json({ data: { hello: 'world' } });
    if (refusal === 404) return notFound(c);
    if (refusal === 500) return c.json({ errorCode: 'internal', message: 'The cache is on fire' }, 500);
    for (const [name, value] of Object.entries(c.req.query())) {
      if (PARAMETERS[route]?.includes(name) && (name !== 'timeFrame' || value === '24h')) continue;
      service.refused.push(`${c.req.path}?${name}=${value}`);
      return badRequest(c, `unknown parameter ${name}`);
    }
    return next();
  });
  for (const [path, answer] of Object.entries(ANSWERS)) app.get(path, (c) => c.json(answer()));
  for (const [name, row] of Object.entries(METRICS)) app.get(`/metrics/${name}`, (c) => metrics(c, row));
  app.get('/metrics/block/:number', (c) => {
    const number = Number(c.req.param('number'));
    if (!Number.isInteger(number) || number > head()) return notFound(c);
    const gas = { gasUsed: 12_600_000, gasLimit: 30_000_000, txCount: 1, miner: `0x${'5'.repeat(40)}` };
    const [hash, timestamp, baseFee] = [hashOf(number), timeOf(number), baseFeeAt(number)];
    return c.json({ data: { number, hash, timestamp, baseFee, ...gas } });
  });
  app.get('/metrics/tx/:hash', (c) =>
    c.json({ data: txOf(Number(BigInt(`0x${c.req.param('hash').replace(/^0xa*/, '')}`) / 10n)) }),
  );
  addItems(app, '/alerts', () => ({ status: 'PENDING' }));
  app.get('/alerts/:id/savings', (c) => c.json({ data: { totalSaved: '4200000000000', events: 2 } }));
  addItems(app, '/auto-txs', ({ signedTransaction }) => ({
    status: signedTransaction ? 'pending' : 'draft',
  }));
  app.notFound(notFound);
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  const port = await new Promise<number>((resolve) => {
    server.once('listening', () => resolve((server.address() as { port: number }).port));
  });
  return Object.assign(service, { origin: `http://127.0.0.1:${port}`, close: () => server.close() });
}

function addItems(app: Hono, path: string, made: (said: Item) => Item): void {
  const items = new Map<string, Item>();
  let count = 0;
  const change = (c: Context, said: Item) => {
    const item = items.get(c.req.param('id') ?? '');
    if (item === undefined) return notFound(c);
    items.set(String(item.id), { ...item, ...said });
    return c.json({ success: true });
  };
  app.get(path, (c) => c.json([...items.values()]));
  app.post(path, async (c) => {
    const said: Item = await c.req.json();
    const unknown = Object.keys(said).find((name) => path === '/alerts' && !PAYLOAD.includes(name));
    if (unknown !== undefined) return badRequest(c, `unknown field ${unknown}`);
    count += 1;
    const item = { ...said, ...made(said), id: `item-${count}`, createdAt: new Date().toISOString() };
    items.set(item.id, item);
    return c.json({ data: item }, 201);
  });
  app.get(`${path}/:id`, (c) => {
    const item = items.get(c.req.param('id') ?? '');
    return item === undefined ? notFound(c) : c.json({ data: item });
  });
  app.put(`${path}/:id/status`, async (c) => change(c, await c.req.json()));
  app.put(`${path}/:id`, async (c) => change(c, await c.req.json()));
  app.post(`${path}/:id/cancel`, (c) => change(c, { status: 'cancelled' }));
  app.delete(`${path}/:id`, (c) => c.json({ success: items.delete(c.req.param('id') ?? '') }));
}
