/**
 * A service that was written from the given v1 document alone: those routes and parameters and no others, whole arrays
 * in place of pages, fields as the public documentation of a hosted service names them, and the moods it can have.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Mood = 'well' | 'key' | 'revoked' | 'day' | 'second' | 'broken' | 'page' | 'shapeless';

/** What a route answers in place of what it has: 403, 404, 500, or 200 without anything of use. */
type Refusals = Readonly<Record<string, 200 | 403 | 404 | 500>>;

export interface ForeignService {
  readonly origin: string;
  mood: Mood;
  /** By the path of the contract, `/metrics/block/{number}`. */
  refusals: Refusals;
  /** Whether it publishes a description, which lists time frames of its own. */
  isDescribed: boolean;
  /** The paths of the requests so far, without the v1 base path, and the key that came with each. */
  readonly asked: { readonly path: string; readonly key: string | undefined }[];
  /** Each request with a parameter that the document does not give, and with which. */
  readonly refused: string[];
  /** The moments of the prices it has told. */
  readonly heads: Set<number>;
  close(): void;
}

const BASE = '/be/api/v1';
/** How often its prices change. */
const HEAD_MS = 4_000;
const HISTORY_MS = 2_400_000;
const TIME_FRAMES = ['6h', 'epoch'];

const DESCRIPTION = {
  openapi: '3.0.1',
  info: { title: 'Gas Price Service', version: '2.3' },
  paths: {
    '/be/api/v1/gas/current': { get: {} },
    '/be/api/v1/gas/trend': { get: {} },
    '/be/api/v1/dashboard/stats/chart': {
      get: { parameters: [{ name: 'timeFrame', in: 'query', schema: { enum: TIME_FRAMES } }] },
    },
    '/be/api/v1/metrics/priority-fee': {
      get: { parameters: [{ name: 'percentile', in: 'query', schema: { enum: ['p50', 'whale'] } }] },
    },
    '/be/api/v1/metrics/base-fee': { get: {} },
    '/be/api/v1/dashboard/stats/market': { get: {} },
  },
};

/** The query parameters of the document; every other one is refused. */
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

export async function startForeignService(): Promise<ForeignService> {
  const store = new Store();
  const server = createServer((request, response) => void respond(service, store, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: ForeignService = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mood: 'well',
    refusals: {},
    isDescribed: false,
    asked: [],
    refused: [],
    heads: new Set(),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return service;
}

/** Status and body. */
type Answer = readonly [body: unknown, status?: number];

async function respond(
  service: ForeignService,
  store: Store,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', service.origin);
  const path = url.pathname.replace(BASE, '');
  service.asked.push({ path, key: request.headers['x-api-key']?.toString() });
  const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const refuse = (status: number, errorCode: string, message: string, headers = {}) =>
    void json({ errorCode, message }, status, headers);
  let text = '';
  for await (const piece of request) text += piece;
  switch (service.mood) {
    case 'key':
      return refuse(401, 'api_key_invalid', 'This key is not known here');
    case 'revoked':
      return refuse(401, 'api_key_revoked', 'This key has been revoked');
    case 'day':
      return refuse(429, 'rate_limit_exceeded', 'Daily limit of your plan reached', {
        'retry-after': '7200',
      });
    case 'second':
      return refuse(429, 'rate_limit_exceeded', 'Too many requests', { 'retry-after': '2' });
    case 'broken':
      return refuse(500, 'internal', 'The cache is on fire');
    case 'page':
      response.writeHead(200, { 'content-type': 'text/html' });
      return void response.end('<!doctype html><title>Sign in</title><p>Please sign in</p>');
    case 'shapeless':
      return void json({ data: { low_price: 12.5, basePrice: 11 } });
    case 'well': {
      const isV1 = url.pathname.startsWith(BASE);
      if (!isV1 && path === '/api-playground' && service.isDescribed) return void json(DESCRIPTION);
      if (!isV1) return refuse(404, 'not_found', 'No such page');
      const body = text === '' ? {} : JSON.parse(text);
      const [answer, status] = well(service, store, { method: request.method ?? 'GET', path, url, body });
      return void json(answer, status);
    }
  }
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly url: URL;
  readonly body: Readonly<Record<string, unknown>>;
}

const notFound = (message: string): Answer => [{ errorCode: 'not_found', message }, 404];
const badRequest = (message: string): Answer => [{ errorCode: 'bad_request', message }, 400];

function well(service: ForeignService, store: Store, asked: Asked): Answer {
  const route = routeOf(asked.path);
  switch (service.refusals[route]) {
    case 200:
      return [{ data: { hello: 'world' } }];
    case 403:
      return [{ errorCode: 'plan_forbidden', message: 'Market figures need the Pro plan' }, 403];
    case 404:
      return notFound('No such route');
    case 500:
      return [{ errorCode: 'internal', message: 'The cache is on fire' }, 500];
    default:
  }
  const isChart = route === '/dashboard/stats/chart' && service.isDescribed;
  for (const [name, value] of asked.url.searchParams) {
    if (isChart && name === 'timeFrame') {
      if (TIME_FRAMES.includes(value)) continue;
      return badRequest('timeFrame must be 6h or epoch');
    }
    const isKnown = PARAMETERS[route]?.includes(name) && (name !== 'timeFrame' || value === '24h');
    if (isKnown) continue;
    service.refused.push(`${asked.path}?${name}=${value}`);
    return badRequest(`unknown parameter ${name}`);
  }
  if (route.startsWith('/alerts')) return store.alerts(route, asked);
  if (route.startsWith('/auto-txs')) return store.autoTxs(route, asked);
  return prices(service, route, asked);
}

/** `/metrics/block/12` is `/metrics/block/{number}`. */
function routeOf(path: string): string {
  return path
    .replace(/^\/metrics\/block\/[^/]+$/, '/metrics/block/{number}')
    .replace(/^\/metrics\/tx\/[^/]+$/, '/metrics/tx/{hash}')
    .replace(/^\/(alerts|auto-txs)\/[^/]+/, '/$1/{id}');
}

const numberAt = (ms: number) => Math.floor(ms / HEAD_MS) - 430_000_000;
const timeOf = (number: number) => (number + 430_000_000) * HEAD_MS;
const hashOf = (number: number, index: number) =>
  `0x${(BigInt(number) * 10n + BigInt(index)).toString(16).padStart(64, 'a')}`;

/** Gwei. */
const baseFeeAt = (number: number) => 0.04 + 0.01 * Math.sin(number / 40);
const TIP = 0.0109;

function prices(service: ForeignService, route: string, { path, url }: Asked): Answer {
  const head = numberAt(Date.now());
  switch (route) {
    case '/gas/current':
      service.heads.add(timeOf(head));
      return [
        {
          data: {
            lowPrice: 0.0412,
            averagePrice: '0.0507',
            highPrice: 0.0621,
            basePrice: baseFeeAt(head),
            priorityPrice: TIP,
            updatedAt: new Date(timeOf(head)).toISOString(),
            mood: 'sunny',
          },
        },
      ];
    case '/gas/trend':
      return [{ result: { direction: 'sideways-ish', base: { now: 0.04, min: 0.03, max: 0.4 } } }];
    case '/gas/recommendation':
      return [
        { action: 'WAIT', targetPrice: 0.0388, expectedWaitSec: 600, probability: 0.9, reasons: ['Sunday'] },
      ];
    case '/dashboard/stats/current':
      return [{ snapshot: { averagePrice: 0.0507 }, trend: { direction: 'sideways-ish' } }];
    case '/dashboard/stats/chart': {
      const rows = Array.from({ length: 60 }, (_, i) => timeOf(head) - (59 - i) * 60_000);
      return [{ content: rows.map((t) => ({ t, base: baseFeeAt(numberAt(t)) })) }];
    }
    case '/dashboard/stats/market':
      return [
        {
          base: { now: 0.04, min: 0.029, median: 0.0405, mean: 0.0409, max: 0.09 },
          heatmap: Array.from({ length: 7 }, (_, day) =>
            Array.from({ length: 24 }, (__, hour) => 0.03 + (day + hour) / 1_000),
          ),
          actions: [{ name: 'Bridge', gas: 150_000, average: { wei: '7605000000000' } }],
        },
      ];
    case '/dashboard/rate-limits':
      return [{ planName: 'Explorer plan', limit: 10_000, used: 12, remaining: 9_988 }];
    case '/dashboard/summary':
      return [{ alerts: { total: 1, active: 1 }, health: { source: { name: 'our own nodes' } } }];
    case '/metrics/base-fee':
      return metrics(url, (number) => ({ baseFee: baseFeeAt(number) }));
    case '/metrics/priority-fee':
      return metrics(url, () => ({ value: TIP }));
    case '/metrics/gas-used-ratio':
      return metrics(url, () => ({ ratio: 0.42 }));
    case '/metrics/txs':
      return metrics(url, (number) => txOf(number, 0));
    case '/metrics/block/{number}': {
      const number = Number(path.split('/').at(-1));
      if (!Number.isInteger(number) || number > head) return notFound('No such block');
      return [
        {
          data: {
            number,
            hash: hashOf(number, 0),
            timestamp: timeOf(number),
            baseFee: baseFeeAt(number),
            gasUsed: 12_600_000,
            gasLimit: 30_000_000,
            txCount: 1,
            miner: `0x${'5'.repeat(40)}`,
          },
        },
      ];
    }
    case '/metrics/tx/{hash}': {
      const hash = path.split('/').at(-1) ?? '';
      const number = Number(BigInt(`0x${hash.replace(/^0xa*/, '')}`) / 10n);
      return [{ data: txOf(number, 0) }];
    }
    default:
      return notFound('No such route');
  }
}

const txOf = (number: number, index: number) => ({
  txHash: hashOf(number, index),
  block: number,
  time: timeOf(number),
  status: 'success',
  sender: `0x${'1'.repeat(40)}`,
  to: `0x${'2'.repeat(40)}`,
  value: '1000000000000000000',
  gasPrice: baseFeeAt(number) + TIP,
});

/** All rows of a window at once, of the history that there is. */
function metrics(url: URL, row: (number: number) => object): Answer {
  const now = Date.now();
  const time = (name: string, otherwise: number) => {
    const text = url.searchParams.get(name);
    return text === null ? otherwise : Date.parse(text);
  };
  const to = Math.min(time('to', now), now);
  const from = Math.max(time('from', now - HISTORY_MS), now - HISTORY_MS);
  const first = numberAt(from + HEAD_MS - 1);
  const count = Math.max(numberAt(to) - first + 1, 0);
  const data = Array.from({ length: count }, (_, i) => ({
    time: timeOf(first + i),
    block: first + i,
    ...row(first + i),
  }));
  return [{ chainId: 1, from: new Date(from).toISOString(), to: new Date(to).toISOString(), data }];
}

type Item = Readonly<Record<string, unknown>> & { readonly id: string };

/** What its users made. */
class Store {
  readonly #alerts = new Map<string, Item>();
  readonly #autoTxs = new Map<string, Item>();
  #made = 0;

  alerts(route: string, { method, path, body }: Asked): Answer {
    const id = path.split('/')[2] ?? '';
    const alert = this.#alerts.get(id);
    if (route === '/alerts' && method === 'GET') return [[...this.#alerts.values()]];
    if (route === '/alerts' && method === 'POST') {
      const unknown = Object.keys(body).find((name) => !PAYLOAD.includes(name));
      if (unknown !== undefined) return badRequest(`unknown field ${unknown}`);
      return this.#make(this.#alerts, { ...body, status: 'PENDING' });
    }
    if (alert === undefined) return notFound('No such alert');
    switch (`${method} ${route}`) {
      case 'GET /alerts/{id}':
        return [{ data: alert }];
      case 'GET /alerts/{id}/savings':
        return [{ data: { totalSaved: '4200000000000', events: 2 } }];
      case 'PUT /alerts/{id}/status':
        this.#alerts.set(id, { ...alert, ...body });
        return [{ success: true }];
      case 'DELETE /alerts/{id}':
        this.#alerts.delete(id);
        return [{ success: true }];
      default:
        return notFound('No such route');
    }
  }

  autoTxs(route: string, { method, path, body }: Asked): Answer {
    const id = path.split('/')[2] ?? '';
    const autoTx = this.#autoTxs.get(id);
    const { signedTransaction, ...said } = body;
    if (route === '/auto-txs' && method === 'GET') return [[...this.#autoTxs.values()]];
    if (route === '/auto-txs' && method === 'POST') {
      return this.#make(this.#autoTxs, {
        ...said,
        status: signedTransaction === undefined ? 'draft' : 'pending',
      });
    }
    if (autoTx === undefined) return notFound('No such auto-tx');
    switch (`${method} ${route}`) {
      case 'GET /auto-txs/{id}':
        return [{ data: autoTx }];
      case 'PUT /auto-txs/{id}':
        this.#autoTxs.set(id, { ...autoTx, ...said });
        return [{ success: true }];
      case 'POST /auto-txs/{id}/cancel':
        this.#autoTxs.set(id, { ...autoTx, status: 'cancelled' });
        return [{ success: true }];
      case 'DELETE /auto-txs/{id}':
        this.#autoTxs.delete(id);
        return [{ success: true }];
      default:
        return notFound('No such route');
    }
  }

  #make(items: Map<string, Item>, said: Readonly<Record<string, unknown>>): Answer {
    this.#made += 1;
    const item = { ...said, id: `item-${this.#made}`, createdAt: new Date().toISOString() };
    items.set(item.id, item);
    return [{ data: item }, 201];
  }
}
