import { type IncomingMessage, request } from 'node:http';
import { expect } from 'vitest';
import { isCompat, PATHS, type V1Route } from '../../../src/contract/routes.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import type { Described, Operation, Parameter } from './described.ts';
import type { ServedChain } from './served-chain.ts';
import { type AlertWorld, type AutoTxWorld, NEW_ALERT, NEW_DRAFT } from './world.ts';

interface Things {
  readonly alerts: AlertWorld;
  readonly autoTxs: AutoTxWorld;
}

function goodBodies({ method, path }: V1Route, { alerts, autoTxs }: Things): object[] {
  switch (`${method} ${path}`) {
    case 'post /alerts':
    case 'put /alerts/{id}': {
      const { thresholdGwei, gasSpeed, condition } = NEW_ALERT;
      return [
        NEW_ALERT,
        { thresholdGwei, gasSpeed, condition, channels: ['TERMINAL'] },
        {
          ...NEW_ALERT,
          thresholdGwei: 0.000000001,
          condition: 'GREATER_THAN',
          channels: ['TERMINAL', 'SLACK'],
          method: 'SLACK',
          cooldownMs: 0,
          disableOnce: true,
          confirmBlocks: 1_000,
          note: '😀'.repeat(500),
        },
      ];
    }
    case 'put /alerts/{id}/status':
      return [{ status: 'DISABLED' }, { status: 'DISABLED' }, { status: 'PENDING' }];
    case 'post /alerts/{id}/redeliver':
      return [{ deliveryId: `${alerts.fired}.1.webhook` }];
    case 'post /gas/estimate':
      return [
        { to: `0x${'7E'.repeat(20)}`, from: `0x${'5f'.repeat(20)}`, value: '0', data: '0x' },
        { to: null, data: '0x6000' },
        { data: `0x${'00'.repeat(64)}` },
      ];
    case 'post /auto-txs':
      return [
        NEW_DRAFT,
        { ...NEW_DRAFT, to: null, data: '0x6000', value: '0', note: '😀'.repeat(500) },
        ...autoTxs.signed.map((signedTransaction, index) => ({
          signedTransaction,
          targetGasPriceGwei: NEW_DRAFT.targetGasPriceGwei,
          gasSpeed: (['SLOW', 'AVERAGE', 'FAST'] as const)[index],
          strictTargetPrice: index === 1,
          expiresAt: new Date(Date.now() + 365 * 86_400_000).toISOString(),
        })),
      ];
    case 'put /auto-txs/{id}':
      return [
        { targetGasPriceGwei: 1.000000002, gasSpeed: 'SLOW', note: 'later' },
        { status: 'DISABLED' },
        { status: 'DISABLED', strictTargetPrice: true },
        { status: 'PENDING', expiresAt: null },
      ];
    default:
      return [];
  }
}

/** A body that is refused, and the field that must be named; none where no field is at fault. */
interface BadBody {
  readonly body: string;
  readonly type?: string;
  readonly names?: string;
}

/** Bodies that a route must refuse with the field's name, or with words alone where they are no bodies at all. */
function badBodies(route: V1Route, world: Things): BadBody[] {
  const [good] = goodBodies(route, world);
  if (good === undefined) return [];
  // No field takes an object; what each takes is shown by the tests of its check.
  const fields = [...Object.keys(good), 'unheardOf'];
  return [
    ...fields.map((field) => ({ body: JSON.stringify({ ...good, [field]: {} }), names: field })),
    ...['', '{', '[]', 'null', '7'].map((body) => ({ body })),
    { body: JSON.stringify(good), type: 'text/plain' },
  ];
}

/** One real answer, and what was done to get it. */
export interface Shown {
  readonly how: string;
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly names?: string;
}

export interface World {
  readonly described: Described;
  /** Each way to be refused is tried at each route. */
  readonly isThorough: boolean;
  readonly up: ServedChain;
  /** A service whose node is gone before it ever answered. */
  readonly down: ServedChain;
  readonly bare: ServedChain;
  readonly present: Readonly<Record<string, readonly string[]>>;
  readonly absent: Readonly<Record<string, string>>;
  readonly alerts: AlertWorld;
  readonly autoTxs: AutoTxWorld;
  readonly window: { readonly from: string; readonly to: string };
}

interface Asked {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  /** JSON, unless `type` says something else. Left out: a good one where the route takes one. */
  readonly body?: string;
  readonly type?: string;
  readonly of?: 'up' | 'down' | 'bare';
}

type Show = (world: World, route: V1Route, operation: Operation) => Promise<readonly Shown[]>;

export const SHOWS: Readonly<Record<string, Show>> = {
  200: showAnswers,
  304: showUnchanged,
  400: showWrongParameters,
  401: async (world, route) => {
    // The keys of all routes come to the same gate: what is wrong with them is tried at one.
    const ways = world.isThorough || route.path === PATHS.gasCurrent ? undefined : 1;
    const keys = Object.entries(await world.up.badKeys()).slice(0, ways);
    const shown = keys.map(([how, key]) => ask(world, route, how, { key }));
    // Who has no key learns nothing else.
    const wrong = ask(world, route, 'no key and a wrong parameter', { key: '', query: 'nonsense=1' });
    return Promise.all([...shown, wrong]);
  },
  403: async (world, route) => {
    const plans = route.path === '/dashboard/rate-limits' ? ['gone'] : ['gone', `no-${route.group}`];
    return Promise.all(
      plans.map(async (plan) => ask(world, route, `the plan ${plan}`, { key: await world.up.key(plan) })),
    );
  },
  201: showEachBody,
  202: showEachBody,
  204: async (world, route) => {
    const { create } = route.group === 'alerts' ? world.alerts : world.autoTxs;
    return [await ask(world, route, 'what is there', { path: { id: await create() } })];
  },
  404: async (world, route) =>
    route.path.includes('{')
      ? [
          await ask(world, route, 'what is not there', { path: world.absent }),
          ...(await showForeign(world, route)),
        ]
      : [await ask(world, route, 'a chain without transactions', { of: 'bare' })],
  409: async (world, route) => {
    if (route.group === 'auto-txs') return showConflicts(world, route);
    if (route.path === '/alerts') {
      const body = JSON.stringify(NEW_ALERT);
      return [await ask(world, route, 'one alert too many', { key: world.alerts.fullKey, body })];
    }
    if (route.path === PATHS.gasEstimate)
      return [await ask(world, route, 'a source that runs no calls', { of: 'bare' })];
    if (route.path === PATHS.signingSecret)
      return [await ask(world, route, 'one rotation too many', { key: world.alerts.fullKey })];
    const body = JSON.stringify({ deliveryId: `${world.alerts.fired}.1.terminal` });
    return [await ask(world, route, 'what is not sent', { body })];
  },
  413: async (world, route) => [
    await ask(world, route, 'a body too large', { headers: { 'Content-Length': '5000000' } }),
  ],
  429: async (world, route) => {
    const single = await world.up.key('single');
    await ask(world, route, 'the first of two at once', { key: single });
    const shown = [await ask(world, route, 'the second of two at once', { key: single })];
    // How much is left may be asked when nothing is.
    if (route.path === '/dashboard/rate-limits') return shown;
    return [...shown, await ask(world, route, 'a spent day', { key: await world.up.key('spent') })];
  },
  503: async (world, route) => [await ask(world, route, 'a node that is gone', { of: 'down' })],
  default: async (world, route, { responses, requestBody }) => [
    ...(responses['413'] === undefined && requestBody !== undefined
      ? [await ask(world, route, 'a body too large', { headers: { 'Content-Length': '300000' } })]
      : []),
    await ask(world, route, 'another method', { method: 'PATCH' }),
  ],
};

async function showConflicts(world: World, route: V1Route): Promise<Shown[]> {
  const { autoTxs } = world;
  const show = (how: string, asked: Asked) => ask(world, route, how, asked);
  switch (`${route.method} ${route.path}`) {
    case 'post /auto-txs': {
      const body = JSON.stringify({ targetGasPriceGwei: 1, signedTransaction: autoTxs.taken });
      return [
        await show('one too many', { key: autoTxs.fullKey }),
        await show('the same nonce again', { body }),
        await show('a chain that takes none', { of: 'bare' }),
      ];
    }
    case 'put /auto-txs/{id}': {
      const body = JSON.stringify({ value: '2' });
      const unsigned = JSON.stringify({ status: 'DISABLED' });
      return [
        await show('what was signed', { path: { id: autoTxs.waiting }, body }),
        await show('one that failed', {
          path: { id: autoTxs.failed },
          body: JSON.stringify({ targetGasPriceGwei: 1 }),
        }),
        await show('a draft', { path: { id: autoTxs.draft }, body: unsigned }),
      ];
    }
    case 'post /auto-txs/{id}/cancel':
      return [await show('one that failed', { path: { id: autoTxs.failed } })];
    case 'delete /auto-txs/{id}':
      return [await show('one that waits', { path: { id: autoTxs.waiting } })];
    default:
      return [await show('a chain that takes none', { of: 'bare' })];
  }
}

/** What belongs to another key is not there. */
async function showForeign(world: World, route: V1Route): Promise<Shown[]> {
  if (route.group === 'auto-txs') {
    return [await ask(world, route, "another key's", { key: await world.up.key('open') })];
  }
  if (route.group !== 'alerts') return [];
  const key = await world.up.key('open');
  const others = await ask(world, route, 'the alert of another key', { key });
  if (route.path !== '/alerts/{id}/redeliver') return [others];
  const body = JSON.stringify({ deliveryId: `${world.alerts.fired}.9.webhook` });
  return [others, await ask(world, route, 'no such delivery', { body })];
}

async function showEachBody(world: World, route: V1Route): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (const good of goodBodies(route, world)) {
    expect(world.described.misfitBody(route.method, route.path, good)).toBeNull();
    const body = JSON.stringify(good);
    shown.push(await ask(world, route, body, { body }));
  }
  return shown;
}

async function showAnswers(world: World, route: V1Route, operation: Operation): Promise<Shown[]> {
  if (route.path === '/auto-txs/{id}/cancel') {
    const path = { id: await world.autoTxs.create() };
    return [await ask(world, route, 'a draft', { path }), await ask(world, route, 'again', { path })];
  }
  if (operation.requestBody !== undefined) return showEachBody(world, route);
  const queries = parametersIn(operation, 'query').flatMap((parameter) => goodValues(world, parameter));
  const shown: Shown[] = [];
  for (const path of goodPaths(world, route, operation)) {
    for (const query of ['', ...queries]) {
      shown.push(await ask(world, route, `${JSON.stringify(path)} ?${query}`, { path, query }));
    }
  }
  return shown;
}

async function showUnchanged(world: World, route: V1Route, operation: Operation): Promise<Shown[]> {
  const [path = {}] = goodPaths(world, route, operation);
  const shown: Shown[] = [];
  // What is answered may have an age in seconds.
  await waitFor(async () => {
    const { headers } = await ask(world, route, 'the first time', { path });
    const etag = String(headers.etag);
    const again = await ask(world, route, 'its own ETag', { path, headers: { 'If-None-Match': etag } });
    if (again.status === 304) shown.push(again);
    return shown.length > 0;
  });
  return shown;
}

async function showWrongParameters(world: World, route: V1Route, operation: Operation): Promise<Shown[]> {
  const [path = {}] = goodPaths(world, route, operation);
  const query = parametersIn(operation, 'query');
  const asked: (Asked & { readonly names?: string })[] = [
    ...badBodies(route, world),
    // Other services pass over what they do not know.
    ...(isCompat(route.path) ? [] : [{ path, query: 'nonsense=1', names: 'nonsense' }]),
    ...query.flatMap((parameter) =>
      badValuesAt(world, parameter).map((value) => ({
        path,
        query: `${parameter.name}=${value}`,
        names: parameter.name,
      })),
    ),
    ...query.flatMap((parameter) => {
      if (parameter.schema.anyOf !== undefined) return [];
      const value = goodValues(world, parameter)[0] ?? '';
      return [{ path, query: `${value}&${value}`, names: parameter.name }];
    }),
    // Any text may be the id of something: it leads there or nowhere.
    ...parametersIn(operation, 'path')
      .filter(({ name }) => name !== 'id')
      .map(({ name }) => ({ path: { ...path, [name]: '0x12-no' }, names: name })),
  ];
  if (query.some(({ name }) => name === 'from')) {
    asked.push({ query: 'from=2026-01-01T00:00:00Z&to=2025-01-01T00:00:00Z', names: 'from' });
  }
  if (query.some(({ name }) => name === 'targetGwei')) {
    asked.push(
      { query: 'targetGwei=5', names: 'deadlineSec' },
      { query: 'deadlineSec=60', names: 'targetGwei' },
    );
  }
  return Promise.all(
    asked.map(async ({ names, ...each }) => ({
      ...(await ask(world, route, JSON.stringify(each).slice(0, 500), each)),
      ...(names === undefined ? {} : { names }),
    })),
  );
}

const parametersIn = (operation: Operation, place: Parameter['in']) =>
  (operation.parameters ?? []).filter((parameter) => parameter.in === place);

function goodPaths(world: World, route: V1Route, operation: Operation): Readonly<Record<string, string>>[] {
  const [parameter] = parametersIn(operation, 'path');
  if (parameter === undefined) return [{}];
  return presentOf(world, route, parameter.name).map((value) => ({ [parameter.name]: value }));
}

function presentOf({ present, autoTxs }: World, { group }: V1Route, name: string): readonly string[] {
  if (group === 'auto-txs' && name === 'id') return [autoTxs.waiting, autoTxs.failed];
  return present[name] ?? [];
}

function goodValues({ window, present }: World, { name, schema }: Parameter): string[] {
  // A price is asked about together with a time.
  if (name === 'targetGwei')
    return ['0.000000001', '2.5', '1000000'].map((gwei) => `${name}=${gwei}&deadlineSec=60`);
  if (name === 'deadlineSec')
    return [schema.minimum, schema.maximum].map((sec) => `${name}=${sec}&targetGwei=5`);
  if (schema.enum !== undefined) return schema.enum.map((value) => `${name}=${value}`);
  if (schema.type === 'integer') return [`${name}=${schema.minimum ?? 0}`, `${name}=${schema.maximum ?? 9}`];
  if (name === 'from' || name === 'to') return [`${name}=${window[name]}`];
  if (name === 'chainid') return [`${name}=${present.chainId?.[0]}`];
  if (name === 'confidenceLevels') return [`${name}=50`, `${name}=50,70`, `${name}=50&${name}=70`];
  if (schema.const !== undefined) return [`${name}=${schema.const}`];
  throw new Error(`nobody knows a good value for ${name}: ${JSON.stringify(schema)}`);
}

const tried = new Set<string>();

/** Routes share their parameters: each bad value is tried at the first route that has one, and one value at the others. */
function badValuesAt({ isThorough }: World, parameter: Parameter): string[] {
  const shared = `${parameter.name} ${JSON.stringify(parameter.schema)}`;
  const isAll = isThorough || !tried.has(shared);
  tried.add(shared);
  return badValues(parameter).slice(0, isAll ? undefined : 1);
}

function badValues({ schema }: Parameter): string[] {
  if (schema.enum !== undefined) return ['nonsense', ''];
  if (schema.type === 'integer') {
    return ['x', '1.5', '', String((schema.minimum ?? 0) - 1), String((schema.maximum ?? 0) + 1)];
  }
  if (schema.type === 'number') return ['x', '', '0', '-1', '1e3', '0.0000000001', '1000000.1', '1000001'];
  return ['yesterday', '2026-01-01', '2026-13-01T00:00:00Z', '2026-01-01T00:00:00+25:00', ''];
}

/** What a route in the shape of another service does not do without on this chain. */
function needs({ present }: World, { path }: V1Route): Readonly<Record<string, string>> {
  if (path === PATHS.compatBlocknative) return { chainid: present.chainId?.[0] ?? '' };
  const isEtherscan = path === PATHS.compatEtherscan || path === PATHS.compatEtherscanV2;
  return isEtherscan ? { module: 'gastracker', action: 'gasoracle' } : {};
}

/** Asks over a socket of its own. Left out: the open plan's key, paths that lead to something. */
async function ask(world: World, route: V1Route, how: string, asked: Asked): Promise<Shown> {
  const server = world[asked.of ?? 'up'];
  const key = asked.key ?? (server === world.up ? world.alerts.key : await server.key('open'));
  const body = asked.body ?? JSON.stringify(goodBodies(route, world)[0]);
  const path = route.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => asked.path?.[name] ?? presentOf(world, route, name)[0] ?? 'one',
  );
  const { pathname } = new URL(world.described.root);
  const needed = Object.entries(needs(world, route)).filter(([name]) => !asked.query?.includes(`${name}=`));
  const given = [...needed.map(([name, value]) => `${name}=${value}`), asked.query ?? ''].filter(Boolean);
  const query = given.length === 0 ? '' : `?${given.join('&')}`;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${server.origin}${pathname}${path}${query}`,
      {
        method: (asked.method ?? route.method).toUpperCase(),
        headers: {
          ...(key === '' ? {} : { 'x-api-key': key }),
          ...(body === undefined ? {} : { 'Content-Type': asked.type ?? 'application/json' }),
          ...asked.headers,
        },
        agent: false,
      },
      (incoming) => {
        const parts: Buffer[] = [];
        const done = () =>
          resolve({
            how,
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text: Buffer.concat(parts).toString(),
          });
        incoming.on('data', (part: Buffer) => {
          parts.push(part);
          if (incoming.headers['content-type'] !== 'text/event-stream') return;
          done();
          incoming.destroy();
        });
        incoming.on('end', done);
        incoming.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    // A length that is only announced is refused before anything of it has come.
    if (asked.headers?.['Content-Length'] === undefined) outgoing.end(body);
    else outgoing.flushHeaders();
  });
}
