import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createSimulatedSource } from '../../src/chain/simulated-source.ts';
import { GasRecommendation } from '../../src/contract/advice.ts';
import { AutoTxDetails } from '../../src/contract/auto-txs.ts';
import { StatsChart, StatsMarket, Summary } from '../../src/contract/dashboard.ts';
import { GasCurrent } from '../../src/contract/gas.ts';
import { TxMetrics } from '../../src/contract/metrics.ts';
import { OPENAPI_PATH, PATHS } from '../../src/contract/routes.ts';
import { startService } from '../../src/service/service.ts';
import { ALL_DOCUMENTS, read } from './project-files.ts';

const METHODS = ['get', 'post', 'put', 'delete', 'patch'];

interface Described {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly 'x-gastop-addition'?: boolean }>>>
  >;
}

const abort = new AbortController();
const source = createSimulatedSource({ seed: 1 });
const service = await startService({
  source,
  database: ':memory:',
  signal: abort.signal,
  onError: () => {},
});
const response = await service.fetch(new Request(`http://gastop.test${OPENAPI_PATH}`));
const described = (await response.json()) as Described;
abort.abort();
await service.done;

const operations = () =>
  Object.entries(described.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({ method, path, isAddition: operation['x-gastop-addition'] === true })),
  );

describe('routes', () => {
  it('that documents name are offered by the service, with that method', () => {
    const offered = operations().map(({ method, path }) => `${method.toUpperCase()} ${shape(path)}`);
    const called = [...ALL_DOCUMENTS.matchAll(/`(GET|POST|PUT|DELETE) (\/[a-z][^`?\s]*)/g)].map(
      ([, method = '', path = '']) => `${method} ${shape(path)}`,
    );
    expect(called.length).toBeGreaterThan(10);
    expect([...new Set(called)].filter((call) => !offered.includes(call))).toEqual([]);
  });

  it('that documents name without a method are paths of the service', () => {
    const known = [...Object.keys(described.paths).map(shape)];
    const named = [...ALL_DOCUMENTS.matchAll(/`(\/(?:gas|alerts|auto-txs|dashboard|metrics)\b[^`\s]*)`/g)]
      .map(([, path = '']) => shape(path))
      // Prometheus' own, which is no route of v1.
      .filter((path) => path !== '/metrics');
    expect(named.length).toBeGreaterThan(10);
    expect([...new Set(named)].filter((path) => !known.includes(path))).toEqual([]);
  });

  it('beyond v1 stand in V1.md, each of them', () => {
    const text = read('docs/V1.md');
    const added = operations().filter(({ isAddition }) => isAddition);
    expect(added.length).toBeGreaterThan(0);
    expect(
      added
        .map(({ method, path }) => `\`${method.toUpperCase()} ${path}\``)
        .filter((call) => !text.includes(call)),
    ).toEqual([]);
  });
});

function shape(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}').replace(/\/$/, '');
}

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  [PATHS.gasCurrent]: GasCurrent,
  [PATHS.gasRecommendation]: GasRecommendation,
  [PATHS.autoTx]: AutoTxDetails,
  [PATHS.statsChart]: StatsChart,
  [PATHS.statsMarket]: StatsMarket,
  [PATHS.summary]: Summary,
  [PATHS.tx]: TxMetrics,
};

it('V1.md names fields that the contract has, where it has them', () => {
  const rows = [...read('docs/V1.md').matchAll(/^\| `(\/\S+)` \| `(\S+)` \|/gm)];
  expect(rows.length).toBeGreaterThan(8);
  for (const [, path = '', field = ''] of rows) {
    let schema: unknown = SCHEMAS[path];
    for (const name of field.split('.')) {
      while (schema instanceof z.ZodNullable) schema = schema.unwrap();
      schema = schema instanceof z.ZodObject ? schema.shape[name] : undefined;
      expect(schema, `${path} ${field}`).toBeDefined();
    }
  }
});
