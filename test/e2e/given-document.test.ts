/** The built monitor and commands on a service that knows part 1 of the v1 contract alone, and on one that fails by half. */

import { serve } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { afterAll, describe, expect, it } from 'vitest';
import { runMain } from '../cli/captured-io.ts';
import { gastop } from '../helpers/gastop.ts';
import { isSlowRun, slowIt } from '../helpers/rounds.ts';
import type { Terminal } from '../helpers/terminal.ts';

/** What a route answers in place of what it has: 404, 500, or 200 without anything of use; by `/metrics/block`, `/alerts/:id`. */
type Refusals = Readonly<Record<string, 200 | 404 | 500>>;
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
  hash: hashOf(number),
  blockNumber: number,
  timestamp: timeOf(number),
  status: 'success',
  from: `0x${'1'.repeat(40)}`,
  to: `0x${'2'.repeat(40)}`,
  value: '1000000000000000000',
  effectiveGasPrice: baseFeeAt(number) + TIP,
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
    return { content: times.map((t) => ({ timestamp: t, base: baseFeeAt(numberAt(t)) })) };
  },
  '/dashboard/stats/market': () => ({
    base: { now: 0.04, min: 0.029, median: 0.0405, mean: 0.0409, max: 0.09 },
    heatmap: Array.from({ length: 7 }, (_, day) =>
      Array.from({ length: 24 }, (__, hour) => 0.03 + (day + hour) / 1_000),
    ),
    actions: [{ name: 'Bridge', gas: 150_000, average: { wei: '7605000000000' } }],
  }),
  '/dashboard/rate-limits': () => ({
    plan: 'Explorer plan',
    dailyLimit: 10_000,
    usedToday: 12,
    remainingToday: 9_988,
  }),
  '/dashboard/summary': () => ({
    alerts: { total: 1, pending: 1 },
    health: { source: { name: 'our nodes' } },
  }),
};

const METRICS: Readonly<Record<string, (number: number) => object>> = {
  'base-fee': (number) => ({ mean: baseFeeAt(number) }),
  'priority-fee': () => ({ value: TIP }),
  'gas-used-ratio': () => ({ mean: 0.42 }),
  txs: txOf,
};

function metrics(c: Context, row: (number: number) => object) {
  const now = Date.now();
  const from = Math.max(Date.parse(c.req.query('from') ?? '') || 0, now - HISTORY_MS);
  const to = Math.min(Date.parse(c.req.query('to') ?? '') || now, now);
  const first = numberAt(from + HEAD_MS - 1);
  const numbers = Array.from({ length: Math.max(numberAt(to) - first + 1, 0) }, (_, i) => first + i);
  const data = numbers.map((number) => ({ timestamp: timeOf(number), blockNumber: number, ...row(number) }));
  return c.json({ chainId: 1, from: new Date(from).toISOString(), to: new Date(to).toISOString(), data });
}

async function startForeignService() {
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
    const gas = {
      gasUsed: 12_600_000,
      gasLimit: 30_000_000,
      transactionCount: 1,
      feeRecipient: `0x${'5'.repeat(40)}`,
    };
    const [hash, timestamp, baseFeePerGas] = [hashOf(number), timeOf(number), baseFeeAt(number)];
    return c.json({ data: { blockNumber: number, hash, timestamp, baseFeePerGas, ...gas } });
  });
  app.get('/metrics/tx/:hash', (c) =>
    c.json({ data: txOf(Number(BigInt(`0x${c.req.param('hash').replace(/^0xa*/, '')}`) / 10n)) }),
  );
  addItems(app, '/alerts', () => ({ status: 'PENDING' }));
  app.get('/alerts/:id/savings', (c) => c.json({ data: { savedWei: '4200000000000', events: 2 } }));
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

const KEY = 'gs_live_must_never_be_seen_anywhere';

const service = await startForeignService();
afterAll(() => service.close());

const PRICES = /│ Average +│ +0\.0507/;

async function start(refusals: Refusals): Promise<Terminal> {
  service.refusals = refusals;
  const env = { GASTOP_API_KEY: KEY };
  return gastop(['--url', `${service.origin}/be/api/v1`], { cols: 110, rows: 44, env });
}

async function lookAround(
  terminal: Terminal,
  tabs: readonly (readonly [key: string, ...shows: (string | RegExp)[]])[],
): Promise<void> {
  for (const [key, ...shows] of tabs) {
    await terminal.press(key);
    for (const each of shows) await terminal.waitFor(each);
  }
}

const run = (...argv: readonly string[]) =>
  runMain([...argv, '--url', service.origin], { env: { GASTOP_API_KEY: KEY } });

const WAYS: readonly (readonly [name: string, refusals: Refusals])[] = [
  ['with a chart', {}],
  ['without one', { '/dashboard/stats/chart': 404 }],
];

describe('a service that knows the given document alone', () => {
  it.each(WAYS.slice(0, isSlowRun ? 2 : 1))(
    '%s answers every command, and is asked for nothing else',
    async (_, refusals) => {
      service.refusals = refusals;
      service.refused.length = 0;
      const made = await run('alerts', 'create', '--below', '0.04', '--email', 'a@gas.example', '--json');
      const { id } = JSON.parse(made.stdout).data;
      const draft = await run(
        'auto-txs',
        'create',
        '--target',
        '0.03',
        '--to',
        `0x${'2'.repeat(40)}`,
        '--json',
      );
      const { id: autoTx } = JSON.parse(draft.stdout).data;
      const { hash } = JSON.parse((await run('block', '--json')).stdout).data;
      for (const [argv, shows] of [
        [['now'], /Average +0\.0507[\s\S]*WAIT ~10m for 0\.0388 gwei/],
        [['now', '--json'], /"averagePrice":"0.0507"/],
        [['wait', '--below', '1000', '--timeout', '90s'], /^$/],
        [['history', '--window', '30m'], /0\.0109 +42 % +█/],
        [['history', '--window', '30m', '--csv'], /10900000,0\.42$/m],
        [['history', '--window', '30m', '--chart'], /┤|┼/],
        [['history', '--window', '30m', '--json'], /"mean":0\.0/],
        [['block'], /base fee +0\.0/],
        [['tx', hash], /to +0x2222/],
        [['alerts', 'list'], /Average < 0\.04 gwei/],
        [['alerts', 'show', id], /email +a@gas\.example/],
        [['alerts', 'savings', id], /0\.00000420/],
        [['alerts', 'preview', '--below', '0.05', '--email', 'a@gas.example'], /would (not )?have fired/],
        [['alerts', 'disable', id, '--json'], /success/],
        [['alerts', 'delete', id, '--yes', '--json'], /success/],
        [['auto-txs', 'list'], /≤ 0\.03 gwei/],
        [['auto-txs', 'show', autoTx], /draft/],
        [['auto-txs', 'update', autoTx, '--note', 'later', '--json'], /success/],
        [['auto-txs', 'cancel', autoTx, '--json'], /success/],
        [['auto-txs', 'delete', autoTx, '--yes', '--json'], /success/],
        [['doctor'], /so are 1[5-9] of 19 read routes/],
      ] as const) {
        const { exitCode, stdout, stderr } = await run(...argv);
        expect([exitCode, stdout], `${argv.join(' ')}: ${stderr}`).toEqual([0, expect.stringMatching(shows)]);
      }
      expect(service.refused).toEqual([]);
    },
  );

  slowIt.each(WAYS)('%s fills every tab of the monitor, and is asked nothing else', async (_, refusals) => {
    await using terminal = await start(refusals);
    service.refused.length = 0;
    await run('alerts', 'create', '--below', '0.04', '--email', 'a@gas.example');
    await run('auto-txs', 'create', '--target', '0.03', '--to', `0x${'2'.repeat(40)}`);
    await terminal.waitFor(PRICES);
    await lookAround(terminal, [
      ['1', /WAIT ~10m for 0\.0388/, 'Bridge', /24 ?h +0\.0290/, /in gwei +── base/],
      ['2', /^ 1h .*gwei/m, /base 0\.0\d+ .*min/, 'tip p50 0.0109'],
      ['t', /^ 24h .*gwei/m, /base 0\.0\d+ .*min/],
      ['h', 'cheap hours', 'of 24h'],
      ['3', 'Average < 0.04 gwei'],
      ['enter', 'a@gas.example', '0.00000420', 'no log'],
      ['4', /draft +call on 0x2222…2222 .*0\.03/],
      ['enter', /^ target /m],
      ['5', /▸ [\d,]+ .*42 % +0\.0109/],
      ['enter', /^ Block [\d,]+/m, /0x1111…1111 → 0x2222…2222/],
      ['6', 'Explorer plan', 'Summary  1 alert, 1 on', /24 ?h +0\.0/, 'Bridge'],
    ]);
    await terminal.press('3');
    await terminal.press('esc');
    await terminal.press('n');
    await terminal.waitFor(/notify +\[x\] email/);
    await terminal.press('0.05', 'tab', 'tab', 'a@gas.example');
    await terminal.waitFor(/would (not )?have fired/);
    expect(service.refused).toEqual([]);
  });
});

describe('a service of which half of the routes fail', () => {
  const HALVES = [
    {
      '/gas/trend': 500,
      '/gas/recommendation': 200,
      '/dashboard/stats/chart': 500,
      '/dashboard/rate-limits': 500,
      '/metrics/gas-used-ratio': 500,
      '/metrics/priority-fee': 200,
      '/metrics/tx': 500,
      '/alerts/:id': 500,
      '/alerts/:id/savings': 500,
      '/auto-txs/:id': 500,
    },
    {
      '/dashboard/stats/chart': 500,
      '/dashboard/stats/market': 500,
      '/dashboard/summary': 500,
      '/metrics/base-fee': 500,
      '/metrics/txs': 500,
      '/metrics/block': 500,
      '/alerts': 500,
      '/auto-txs': 500,
    },
  ] as const;

  slowIt('shows the rest on every tab, and says what is missing', async () => {
    service.refusals = {};
    await run('alerts', 'create', '--below', '0.04', '--email', 'a@gas.example');
    await using terminal = await start(HALVES[0]);
    await terminal.waitFor(PRICES);
    await lookAround(terminal, [
      ['1', /no advice: .* has no action/, /no trend: the service failed/, 'Bridge', /in gwei +── base/],
      ['2', /base 0\.0\d+ .*min/, 'the service gives no history of them'],
      ['3', 'Average < 0.04 gwei'],
      ['enter', 'a@gas.example', /Deliveries +the service failed/],
      ['5', /no fullness: the service failed/, /no tips: /, /▸ [\d,]+ +\d+s +[\d:]+ +0\.0/],
      ['6', /Quota +not known: the service failed/, 'Summary  1 alert, 1 on', 'Bridge'],
    ]);
    service.refusals = HALVES[1];
    await terminal.press('1');
    await terminal.pressUntil('r', 'WAIT ~10m for 0.0388');
    // The market figures fail from now on: the last ones stay.
    await terminal.waitFor(/24 ?h +0\.0290/);
    await terminal.press('6');
    await terminal.pressUntil('r', 'Explorer plan');
  });

  slowIt('answers the commands that do not need them, and says what is missing', async () => {
    service.refusals = {};
    const { stdout } = await run('alerts', 'create', '--below', '0.04', '--email', 'a@gas.example', '--json');
    const { id } = JSON.parse(stdout).data;
    for (const [half, argv, shows, says] of [
      [0, ['now'], /0\.0507[\s\S]*no advice: .* has no action/, ''],
      [0, ['wait', '--below', '1000'], '', ''],
      [0, ['history', '--window', '30m'], /0\.0\d+ +— +— +█/, 'no fullness: the service failed'],
      [0, ['alerts', 'show', id], /a@gas\.example/, 'the service failed'],
      [0, ['doctor'], /not understood/, ''],
      [1, ['now'], /WAIT ~10m/, ''],
      [1, ['alerts', 'savings', id], /0\.00000420/, ''],
    ] as const) {
      service.refusals = HALVES[half];
      const done = await run(...argv);
      expect([done.exitCode, done.stdout], argv.join(' ')).toEqual([0, expect.stringMatching(shows)]);
      expect(done.stderr, argv.join(' ')).toContain(says);
    }
    const withoutBaseFees = await run('history', '--window', '30m');
    expect(withoutBaseFees).toMatchObject({ exitCode: 3, stdout: '' });
    expect(withoutBaseFees.stderr).toContain('the service failed');
    service.refusals = { '/gas/current': 500 };
    for (const argv of [['block'], ['history'], ['alerts', 'list'], ['auto-txs', 'list']]) {
      expect((await run(...argv)).exitCode, argv.join(' ')).toBe(0);
    }
    expect((await run('history')).stderr).toContain('no current prices: the service failed');
  });
});
