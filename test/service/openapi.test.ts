import { expect, test } from 'vitest';
import { ADDED_ROUTES, OPENAPI_PATH, PLAYGROUND_PATH, V1_ROUTES } from '../../src/contract/routes.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { type RunningService, runService, shareService } from '../helpers/service.ts';
import type { ApiDocument } from './contract/described.ts';

const unchanged = shareService((run) => run({ source: new ScriptedSource(makeBlocks(0, 9)) }));

const get = (path: string, headers: Record<string, string> = {}, service: RunningService = unchanged()) =>
  service.fetch(new Request(`http://gastop.test${path}`, { headers }));

async function documentOf(service?: RunningService): Promise<ApiDocument> {
  const response = await get(OPENAPI_PATH, {}, service);
  expect(response.status).toBe(200);
  return (await response.json()) as ApiDocument;
}

const operationsOf = ({ paths }: ApiDocument) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [`${method} ${path}`, operation] as const),
  );

const named = (routes: typeof V1_ROUTES) => routes.map(({ method, path }) => `${method} ${path}`).sort();

test('the document has every route of v1 and what is added to it, marked, each with a name of its own, a group, words and the key', async () => {
  const document = await documentOf();
  const listed = operationsOf(document);
  const names = (found: typeof listed) => found.map(([name]) => name).sort();
  expect(document.openapi).toBe('3.1.0');
  expect(V1_ROUTES).toHaveLength(26);
  expect(names(listed)).toEqual(named([...V1_ROUTES, ...ADDED_ROUTES]));
  expect(names(listed.filter(([, operation]) => operation['x-gastop-addition']))).toEqual(
    named(ADDED_ROUTES),
  );
  expect(new Set(listed.map(([, { operationId }]) => operationId)).size).toBe(listed.length);
  for (const [name, { summary, tags, security, parameters }] of listed) {
    expect(summary).not.toBe('');
    expect(tags).toHaveLength(1);
    const elsewhere = name.includes(' /compat/') ? [{ authorization: [] }, { queryKey: [] }] : [];
    expect(security).toEqual([{ apiKey: [] }, ...elsewhere]);
    for (const { name: of, description = '' } of parameters ?? []) expect(description, of).not.toBe('');
  }
});

test('a route that takes a body says which, as it is taken: what has a default may be left out, nothing may be added', async () => {
  const document = await documentOf();
  const bodies = operationsOf(document).flatMap(([name, { requestBody }]) => {
    if (requestBody === undefined) return [];
    expect(requestBody.required).toBe(true);
    return [[name, requestBody.content['application/json']?.schema.$ref.split('/').at(-1)]];
  });
  expect(Object.fromEntries(bodies)).toEqual({
    'post /alerts': 'AlertCreation',
    'put /alerts/{id}': 'AlertCreation',
    'put /alerts/{id}/status': 'AlertStatusUpdate',
    'post /alerts/{id}/redeliver': 'AlertRedelivery',
    'post /gas/estimate': 'CallToEstimate',
    'post /auto-txs': 'AutoTxCreation',
    'put /auto-txs/{id}': 'AutoTxUpdate',
  });
  const { AlertCreation, Alert } = document.components.schemas;
  const required = ['gasSpeed', 'condition', 'channels'];
  expect(AlertCreation).toMatchObject({ required, additionalProperties: false });
  expect(Alert?.required).toContain('cooldownMs');
});

test('its servers are where the document stands, and before that the public address where one was given', async () => {
  const urls = ({ servers }: ApiDocument) => servers.map(({ url }) => url);
  expect(urls(await documentOf())).toEqual(['../be/api/v1']);
  const source = new ScriptedSource(makeBlocks(0, 9));
  const service = await runService({ source, baseUrl: 'https://gas.example.org/prices/' });
  expect(urls(await documentOf(service))).toEqual([
    'https://gas.example.org/prices/be/api/v1',
    '../be/api/v1',
  ]);
});

test('every reference leads to a schema with a name, and what may be null says so beside it', async () => {
  const document = await documentOf();
  const { schemas } = document.components;
  const names = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
  expect(new Set(Array.from(names, ([, name]) => name))).toEqual(new Set(Object.keys(schemas)));
  const description = expect.stringMatching('wei');
  expect(schemas.Wei).toMatchObject({ type: 'integer', minimum: 0, description });
  expect(schemas.GasCurrent).toMatchObject({
    properties: { nativeUsd: { anyOf: [{ $ref: '#/components/schemas/Usd' }, { type: 'null' }] } },
  });
});

test('whoever comes back to the page keeps its policy: a 304 says it as the 200 did', async () => {
  for (const file of ['', '/page.css', '/page.js', '/openapi.json']) {
    const path = PLAYGROUND_PATH + file;
    const first = await get(path);
    expect(first.status, path).toBe(200);
    expect((await first.text()).length, path).toBeGreaterThan(500);
    const again = await get(path, { 'If-None-Match': first.headers.get('etag') ?? '' });
    expect(again.status, path).toBe(304);
    const policy = 'content-security-policy';
    expect(again.headers.get(policy), path).toBe(first.headers.get(policy));
  }
});

test('with a slash behind it the page is where it is without', async () => {
  const { status, headers } = await get(`${PLAYGROUND_PATH}/`);
  expect(status).toBe(308);
  const there = new URL(headers.get('location') ?? '', `http://gastop.test/prices${PLAYGROUND_PATH}/`);
  expect(there.pathname).toBe(`/prices${PLAYGROUND_PATH}`);
});
