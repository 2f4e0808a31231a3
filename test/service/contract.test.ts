import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, expect, test } from 'vitest';
import { ADDED_ROUTES, V1_ROUTES, type V1Route } from '../../src/contract/routes.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { readDocument } from './contract/described.ts';
import { serveChain } from './contract/served-chain.ts';
import { SHOWS, type Shown } from './contract/shown-answers.ts';
import { prepareAlerts, prepareAutoTxs } from './contract/world.ts';

const BLOCKS = 12;
const BLOCK_SEC = 12;

/** The last block is mined when it is now: an older one would fire no alert on a busy machine. */
const began = Math.floor(Date.now() / 1_000) - (BLOCKS + 1) * BLOCK_SEC;
const isoOf = (sec: number) => new Date(sec * 1_000).toISOString();

const timeOf = (block: number) => began + block * BLOCK_SEC;
const anvil = await startAnvil({ noMining: true, args: ['--timestamp', String(began)] });
const gone = await startAnvil();
await gone.stop();
const mined: string[] = [];
const mine = async (block: number) => {
  mined.push(...(await anvil.sendTransfers([1e9, 2e9, 3e9].map((tip) => tip * block))));
  const at = block < BLOCKS ? timeOf(block) : Math.floor(Date.now() / 1_000);
  await anvil.rpc('evm_setNextBlockTimestamp', [at]);
  await anvil.mine();
};
for (let block = 1; block < BLOCKS; block += 1) await mine(block);
const up = await serveChain(anvil.url);
const down = await serveChain(gone.url);
const bare = await serveChain('recording');
const described = await readDocument(up.origin);
const key = await up.key('open');
const reaches = (block: number) =>
  waitFor(async () => {
    const response = await fetch(`${described.root}/gas/current`, { headers: { 'x-api-key': key } });
    return (
      response.status === 200 && ((await response.json()) as { blockNumber: number }).blockNumber === block
    );
  });
await reaches(BLOCKS - 1);
// The last block has an alert fire.
const alerts = await prepareAlerts(
  described.root,
  { key, fullKey: await up.key('open') },
  () => mine(BLOCKS),
  up.database,
);
await reaches(BLOCKS);
const autoTxs = await prepareAutoTxs(described.root, { key, fullKey: await up.key('open') }, up.database);
const waiting = await anvil.sendTransfers([1e9]);
const world = {
  described,
  isThorough: isSlowRun,
  up,
  down,
  bare,
  alerts,
  autoTxs,
  present: {
    address: [autoTxs.address],
    id: [alerts.fired],
    number: ['latest', '3', '0'],
    chainId: ['31337'],
    hash: [mined[0] ?? '', mined[0]?.toUpperCase().replace('0X', '0x') ?? '', ...waiting],
  },
  absent: {
    address: `0x${'0'.repeat(40)}`,
    number: '999999999',
    chainId: '137',
    hash: `0x${'0'.repeat(64)}`,
    id: 'none',
  },
  window: { from: isoOf(timeOf(3)), to: isoOf(timeOf(BLOCKS - 2)) },
};
const bareKey = await bare.key('open');
const { pathname } = new URL(described.root);
await waitFor(async () => {
  const response = await fetch(`${bare.origin}${pathname}/gas/current`, {
    headers: { 'x-api-key': bareKey },
  });
  return response.status === 200;
});

afterAll(async () => {
  await Promise.all([up?.stop(), down?.stop(), bare?.stop()]);
  await anvil?.stop();
});

test('the document is valid OpenAPI 3.1', async () => {
  const { document } = world.described;
  expect(document.openapi).toMatch(/^3\.1\./);
  const judged = await new Validator().validate(
    structuredClone(document) as unknown as Record<string, unknown>,
  );
  expect(judged).toEqual({ valid: true });
});

test.each([...V1_ROUTES, ...ADDED_ROUTES])(
  '$method $path shows every status it documents, and each body is what its schema says',
  async (route) => {
    const { described } = world;
    const operation = described.operation(route.method, route.path);
    const statuses = Object.keys(operation.responses);
    expect(statuses).toEqual(expect.arrayContaining(['401', '403', '429', 'default']));
    for (const status of statuses) {
      const shown = (await SHOWS[status]?.(world, route, operation)) ?? [];
      expect(shown.length, `nothing shows ${status}`).toBeGreaterThan(0);
      for (const answer of shown) judge(answer, status, route);
    }
    expect(up.errors).toEqual([]);
  },
);

function judge(answer: Shown, status: string, { method, path }: V1Route) {
  const { described } = world;
  const { responses } = described.operation(method, path);
  const said = `${status}: ${answer.how}: ${answer.text.slice(0, 500)}`;
  if (status === 'default') expect(Object.keys(responses), said).not.toContain(String(answer.status));
  else expect(answer.status, said).toBe(Number(status));
  for (const header of Object.keys(responses[status]?.headers ?? {})) {
    expect(answer.headers[header.toLowerCase()], `${said}: ${header}`).toBeDefined();
  }
  if (responses[status]?.content === undefined) {
    expect(answer.text, said).toBe('');
    return;
  }
  const [type = ''] = Object.keys(responses[status]?.content ?? {});
  expect(answer.headers['content-type']?.split(';')[0], said).toBe(type);
  const isEvent = type === 'text/event-stream';
  const body: unknown = JSON.parse(isEvent ? (/^data: (.*)$/m.exec(answer.text)?.[1] ?? '') : answer.text);
  expect(described.misfit(method, path, status, body), said).toBeNull();
  expect(
    described.misfit(method, path, status, withoutItsFirst(body)),
    `${said}: a field less`,
  ).not.toBeNull();
  if (answer.names !== undefined) {
    expect((body as { details: unknown }).details, said).toContainEqual(
      expect.objectContaining({ path: answer.names }),
    );
  }
}

/** The same without its first field: a schema that takes that as well says nothing. */
function withoutItsFirst(body: unknown): unknown {
  return Object.fromEntries(Object.entries(body as object).slice(1));
}

async function read(path: string): Promise<unknown> {
  const headers = { 'x-api-key': await up.key('open') };
  const response = await fetch(world.described.root + path, { headers });
  expect(response.status, path).toBe(200);
  return response.json();
}

test('when the node goes, what needs it is 503 and says when to ask again; what is known already is still told', async () => {
  await anvil.stop();
  const headers = { 'x-api-key': await up.key('open') };
  const response = await fetch(`${world.described.root}/metrics/tx/0x${'1'.repeat(64)}`, { headers });
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await response.json()).toMatchObject({ errorCode: 'upstream_unavailable' });
  expect(await read('/gas/current')).toMatchObject({ blockNumber: BLOCKS });
});
