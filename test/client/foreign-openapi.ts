import { V1_ROUTES } from '../../src/contract/routes.ts';

/** Documents as services that we did not write publish them: the same facts in two dialects. */

const ref = (path: string) => ({ $ref: `#/components/${path}` });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const query = (name: string, schema: object) => ({ name, in: 'query', schema });

export const FOREIGN_30 = {
  openapi: '3.0.3',
  info: { title: 'Gas Station', version: '4.2' },
  servers: [{ url: '/be/api/v1' }],
  paths: {
    '/gas/current': { get: { summary: 'Prices now', responses: { 200: json(ref('schemas/Snapshot')) } } },
    '/dashboard/stats/chart': {
      get: { parameters: [query('timeFrame', { type: 'string', enum: ['1h', '6h', 'epoch', '7d'] })] },
    },
    '/metrics/priority-fee': { parameters: [ref('parameters/Percentile')], get: { responses: {} } },
    '/alerts': { get: {}, post: { requestBody: json(ref('schemas/NewAlert')) } },
    '/alerts/{alertId}': { get: {}, delete: {} },
    '/something/else': { get: {} },
  },
  components: {
    parameters: { Percentile: query('percentile', ref('schemas/Percentile')) },
    schemas: {
      NewAlert: {
        allOf: [
          { properties: { thresholdGwei: { type: 'number' }, gasSpeed: { enum: ['SLOW', 'TURBO'] } } },
          {
            properties: {
              condition: { type: 'string' },
              channels: { type: 'array', items: ref('schemas/Channel') },
            },
          },
        ],
      },
      Channel: { enum: ['EMAIL', 'WEB_PUSH', 'a\u001b[2J'] },
      Percentile: { enum: ['p50', 'p95', 'max'] },
      Snapshot: { properties: { low_price: { type: 'number' } } },
    },
  },
};

export const FOREIGN_WORDS = {
  openapi: '3.1.0',
  info: { title: 'Gas', version: '1' },
  paths: {
    '/be/api/v1/dashboard/stats/chart': {
      get: { parameters: [query('timeFrame', { enum: ['today', 'week'] })] },
    },
    '/be/api/v1/alerts/{id}/status': {
      put: { requestBody: json({ properties: { status: { enum: ['ON', 'OFF'] } } }) },
    },
  },
};

const EXTRAS = ['page', 'size', 'bucket', 'timeFrame', 'gasAmount', 'targetGwei', 'deadlineSec'];

export const LISTS_ALL = {
  openapi: '3.1.0',
  paths: Object.fromEntries(
    [...Map.groupBy(V1_ROUTES, ({ path }) => path)].map(([path, routes]) => [
      path,
      Object.fromEntries(
        routes.map(({ method }) => [method, { parameters: EXTRAS.map((name) => ({ name, in: 'query' })) }]),
      ),
    ]),
  ),
};
