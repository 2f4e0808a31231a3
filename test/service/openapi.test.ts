import { expect, test } from 'vitest';
import { ADDED_ROUTES, OPENAPI_PATH, PLAYGROUND_PATH, V1_ROUTES } from '../../src/contract/routes.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { type RunningService, runService, shareService } from '../helpers/service.ts';

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security: readonly unknown[];
  readonly 'x-gastop-addition'?: boolean;
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<
      Record<string, { readonly schema: { $ref: string }; readonly example: Record<string, unknown> }>
    >;
  };
  readonly parameters?: readonly { name: string; in: string; description?: string }[];
}

interface NamedSchema {
  readonly description?: string;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

interface Document {
  readonly openapi: string;
  readonly servers: readonly { url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, NamedSchema>> };
}

const unchanged = shareService((run) => run({ source: new ScriptedSource(makeBlocks(0, 9)) }));

async function documentOf(service: RunningService = unchanged()): Promise<Document> {
  const response = await service.fetch(new Request(`http://gastop.test${OPENAPI_PATH}`));
  expect(response.status).toBe(200);
  return (await response.json()) as Document;
}

test('the document has every route of v1 and what is added to it, each with a name of its own, a group, words and the key', async () => {
  const { openapi, paths } = await documentOf();
  expect(openapi).toBe('3.1.0');
  const listed = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path}`),
  );
  const known = [...V1_ROUTES, ...ADDED_ROUTES];
  expect(V1_ROUTES).toHaveLength(26);
  expect(listed.sort()).toEqual(known.map(({ method, path }) => `${method} ${path}`).sort());
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(known.length);
  for (const { summary, tags, security, parameters = [] } of operations) {
    expect(summary).not.toBe('');
    expect(tags).toHaveLength(1);
    expect(security).toEqual([{ apiKey: [] }]);
    for (const parameter of parameters) expect(parameter.description ?? '', parameter.name).not.toBe('');
  }
});

test('what is added to v1 is marked, and nothing else is', async () => {
  const { paths } = await documentOf();
  const marked = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      operation['x-gastop-addition'] === undefined ? [] : [`${method} ${path}`],
    ),
  );
  expect(marked).toEqual(ADDED_ROUTES.map(({ method, path }) => `${method} ${path}`));
});

test('a route that takes a body says which, as it is taken: what has a default may be left out, nothing may be added', async () => {
  const { paths, components } = await documentOf();
  const bodies = Object.fromEntries(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { requestBody }]) => {
        const content = requestBody?.content['application/json'];
        if (content === undefined) return [];
        expect(requestBody?.required).toBe(true);
        return [[`${method} ${path}`, content.schema.$ref.split('/').at(-1) ?? '']];
      }),
    ),
  );
  expect(bodies).toEqual({
    'post /alerts': 'AlertCreation',
    'put /alerts/{id}': 'AlertCreation',
    'put /alerts/{id}/status': 'AlertStatusUpdate',
    'post /alerts/{id}/redeliver': 'AlertRedelivery',
    'post /auto-txs': 'AutoTxCreation',
    'put /auto-txs/{id}': 'AutoTxUpdate',
  });
  const { AlertCreation, Alert } = components.schemas;
  expect(AlertCreation?.required).toEqual(['thresholdGwei', 'gasSpeed', 'condition', 'channels']);
  expect(AlertCreation?.additionalProperties).toBe(false);
  expect(Alert?.required).toContain('cooldownMs');
});

test('its servers are where the document stands, and before that the public address where one was given', async () => {
  expect((await documentOf()).servers.map(({ url }) => url)).toEqual(['../be/api/v1']);
  const source = new ScriptedSource(makeBlocks(0, 9));
  const { servers } = await documentOf(
    await runService({ source, baseUrl: 'https://gas.example.org/prices/' }),
  );
  expect(servers.map(({ url }) => url)).toEqual(['https://gas.example.org/prices/be/api/v1', '../be/api/v1']);
});

test('every reference leads to a schema with a name, and what may be null says so beside it', async () => {
  const { components, ...rest } = await documentOf();
  const text = JSON.stringify({ components, ...rest });
  const names = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  );
  expect(new Set(names)).toEqual(new Set(Object.keys(components.schemas)));
  expect(components.schemas.Wei).toMatchObject({
    type: 'integer',
    minimum: 0,
    description: expect.stringMatching('wei'),
  });
  expect(components.schemas.GasCurrent).toMatchObject({
    properties: { nativeUsd: { anyOf: [{ $ref: '#/components/schemas/Usd' }, { type: 'null' }] } },
  });
});

test('whoever comes back to the page keeps its policy: a 304 says it as the 200 did', async () => {
  const service = unchanged();
  for (const path of [
    PLAYGROUND_PATH,
    `${PLAYGROUND_PATH}/page.css`,
    `${PLAYGROUND_PATH}/page.js`,
    OPENAPI_PATH,
  ]) {
    const first = await service.fetch(new Request(`http://gastop.test${path}`));
    expect(first.status, path).toBe(200);
    expect((await first.text()).length, path).toBeGreaterThan(500);
    const again = await service.fetch(
      new Request(`http://gastop.test${path}`, {
        headers: { 'If-None-Match': first.headers.get('etag') ?? '' },
      }),
    );
    expect(again.status, path).toBe(304);
    expect(again.headers.get('content-security-policy'), path).toBe(
      first.headers.get('content-security-policy'),
    );
  }
});

test('with a slash behind it the page is where it is without', async () => {
  const { status, headers } = await unchanged().fetch(new Request(`http://gastop.test${PLAYGROUND_PATH}/`));
  expect(status).toBe(308);
  expect(
    new URL(headers.get('location') ?? '', `http://gastop.test/prices${PLAYGROUND_PATH}/`).pathname,
  ).toBe(`/prices${PLAYGROUND_PATH}`);
});
