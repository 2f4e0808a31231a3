/** A service as the public documentation of a hosted one describes it, with the moods that such a service can have. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Mood = 'well' | 'key' | 'revoked' | 'day' | 'second' | 'broken' | 'page' | 'shapeless';

export interface ForeignService {
  readonly origin: string;
  mood: Mood;
  /** The paths of the questions so far, without the v1 base path, and the key that came with each. */
  readonly asked: { readonly path: string; readonly key: string | undefined }[];
  /** The moments of the prices it has told. */
  readonly heads: Set<number>;
  close(): void;
}

/** How often its prices change. */
const HEAD_MS = 4_000;

const DOCUMENT = {
  openapi: '3.0.1',
  info: { title: 'Gas Price Service', version: '2.3' },
  paths: {
    '/be/api/v1/gas/current': {
      get: {
        responses: {
          200: {
            content: {
              'application/json': {
                schema: {
                  properties: {
                    data: {
                      properties: {
                        lowPrice: {},
                        mood: { title: 'Market mood', description: 'How the desk feels about today' },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
    '/be/api/v1/gas/trend': { get: {} },
    '/be/api/v1/dashboard/stats/chart': {
      get: { parameters: [{ name: 'timeFrame', in: 'query', schema: { enum: ['6h', 'epoch'] } }] },
    },
    '/be/api/v1/metrics/priority-fee': {
      get: { parameters: [{ name: 'percentile', in: 'query', schema: { enum: ['p50', 'whale'] } }] },
    },
    '/be/api/v1/metrics/base-fee': { get: {} },
    '/be/api/v1/dashboard/stats/market': { get: {} },
  },
};

export async function startForeignService(): Promise<ForeignService> {
  const asked: ForeignService['asked'] = [];
  const server = createServer((request, response) => answer(service, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: ForeignService = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mood: 'well',
    asked,
    heads: new Set(),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return service;
}

function answer(service: ForeignService, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', service.origin);
  const path = url.pathname.replace('/be/api/v1', '');
  service.asked.push({ path, key: request.headers['x-api-key']?.toString() });
  const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const refuse = (status: number, errorCode: string, message: string, headers = {}) =>
    json({ errorCode, message }, status, headers);
  switch (service.mood) {
    case 'key':
      return void refuse(401, 'api_key_invalid', 'This key is not known here');
    case 'revoked':
      return void refuse(401, 'api_key_revoked', 'This key has been revoked');
    case 'day':
      return void refuse(429, 'rate_limit_exceeded', 'Daily limit of your plan reached', {
        'retry-after': '7200',
      });
    case 'second':
      return void refuse(429, 'rate_limit_exceeded', 'Too many requests', { 'retry-after': '2' });
    case 'broken':
      return void refuse(500, 'internal', 'The cache is on fire');
    case 'page':
      response.writeHead(200, { 'content-type': 'text/html' });
      return void response.end('<!doctype html><title>Sign in</title><p>Please sign in</p>');
    case 'shapeless':
      return void json({ data: { low_price: 12.5, basePrice: 11 } });
    case 'well':
      return void json(...well(service, path, url.searchParams));
  }
}

/** What the service says when it is well: status and body. */
function well(service: ForeignService, path: string, query: URLSearchParams): [unknown, number] {
  const now = Date.now();
  const head = now - (now % HEAD_MS);
  const rows = Array.from({ length: 60 }, (_, i) => now - (59 - i) * 60_000);
  switch (path) {
    case '/api-playground':
      return [DOCUMENT, 200];
    case '/gas/current':
      service.heads.add(head);
      return [
        {
          data: {
            lowPrice: 0.0412,
            averagePrice: '0.0507',
            highPrice: 0.0621,
            basePrice: 0.0398,
            priorityPrice: 0.0109,
            updatedAt: new Date(head).toISOString(),
            mood: 'sunny',
          },
        },
        200,
      ];
    case '/gas/trend':
      return [{ result: { direction: 'sideways-ish', base: { now: 0.04, min: 0.03, max: 0.4 } } }, 200];
    case '/dashboard/stats/chart':
      if (!['6h', 'epoch'].includes(query.get('timeFrame') ?? ''))
        return [{ errorCode: 'bad_request', message: 'timeFrame must be 6h or epoch' }, 400];
      return [{ content: rows.map((t, i) => ({ t, base: 0.04 + i / 10_000 })) }, 200];
    case '/metrics/priority-fee':
    case '/metrics/base-fee':
      return [
        {
          chainId: 1,
          from: query.get('from'),
          to: query.get('to'),
          data: rows.map((time) => ({ time, value: 0.01, baseFee: 0.04 })),
        },
        200,
      ];
    case '/dashboard/stats/market':
      return [{ errorCode: 'plan_forbidden', message: 'Market figures need the Pro plan' }, 403];
    default:
      return [{ errorCode: 'not_found', message: 'No such route' }, 404];
  }
}
