import { isDeepStrictEqual } from 'node:util';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ErrorBody } from '../../src/contract/api-error.ts';
import { GasCurrent } from '../../src/contract/gas.ts';
import { BASE_PATH, OPENAPI_PATH, PATHS } from '../../src/contract/routes.ts';
import { NO_RULES } from '../../src/core/chain-rules.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { ApiFailure } from '../../src/service/http/errors.ts';
import { createGasStreams } from '../../src/service/http/gas-streams.ts';
import { readKey, reissueKey } from '../../src/service/keys/api-keys.ts';
import type { PublishedChain } from '../../src/service/published-chain.ts';
import { makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { emptyDatabase, SLOW_ENGINES } from '../helpers/databases.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { serveService } from '../helpers/served-service.ts';
import { readyService, temporaryFile } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { openTestGate } from './keys/key-service.ts';

const HEAD = 400;

function eventsOf({ body }: Response) {
  if (body === null) throw new Error('no stream');
  const reader = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  const close = () => reader.cancel().catch(() => {});
  onTestFinished(close);
  const next = async () => {
    const { value } = await reader.read();
    return value === undefined ? null : { id: value.id, data: GasCurrent.parse(JSON.parse(value.data)) };
  };
  const until = async (says: (data: GasCurrent) => boolean | Promise<boolean>) => {
    for (;;) {
      const event = await next();
      if (event === null) throw new Error('the stream ended');
      if (await says(event.data)) return event;
    }
  };
  return { next, until, close };
}

interface Timed {
  readonly source: ScriptedSource;
  readonly wall: { now: number };
}

async function running() {
  const source = new ScriptedSource(makeBlocks(391, HEAD));
  const service = await readyService({ source });
  await waitFor(() => source.knownAsked.length > 0);
  const open = (headers: Record<string, string> = {}) => service.get(PATHS.gasStream, { headers });
  return { source, service, open };
}

test('a stream begins with what gas costs now and tells each new block, with its number as the id', async () => {
  const { source, service, open } = await running();
  const response = await open();
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events = eventsOf(response);
  expect(await events.next()).toMatchObject({ id: String(HEAD), data: { blockNumber: HEAD } });
  source.mine(...makeBlocks(HEAD + 1, HEAD + 1));
  // What is learned of the past may change it once more.
  const isCurrent = async (data: unknown) => isDeepStrictEqual(data, await service.read(PATHS.gasCurrent));
  const { id } = await events.until(async (data) => data.blockNumber > HEAD && (await isCurrent(data)));
  expect(id).toBe(String(HEAD + 1));
});

test('it tells without a block that the source is away, and that it is back', async () => {
  const { source, open } = await running();
  const events = eventsOf(await open());
  source.emit({ type: 'down', reason: 'the node is away', retryAt: Date.now() });
  const { data } = await events.until(({ stale }) => stale);
  expect(data.source.problem?.message).toBe('the node is away');
  source.emit({ type: 'up' });
  expect(await events.until(({ stale }) => !stale)).toMatchObject({ id: String(HEAD) });
});

test.each<[string, (parts: Timed) => void, (data: GasCurrent) => unknown]>([
  [
    'the prices are stale',
    ({ source }) => {
      source.clock = (makeBlock(HEAD).timestamp + 49) * 1_000;
    },
    ({ source }) => source.problem?.message.startsWith('no new block since'),
  ],
  [
    "the machine's clock may be wrong",
    ({ source }) => {
      source.clock = (makeBlock(HEAD).timestamp + 901) * 1_000;
    },
    ({ source }) => source.problem?.message.endsWith("is this machine's clock right?"),
  ],
  [
    'the dollar price has expired',
    ({ wall }) => {
      wall.now += 3_600_001;
    },
    ({ nativeUsd, nativeUsdReason }) => nativeUsd === null && nativeUsdReason?.includes('outdated since'),
  ],
])('it tells, when nothing but time has passed, that %s', async (_, pass, isTold) => {
  const source = new ScriptedSource(makeBlocks(391, HEAD));
  source.clock = makeBlock(HEAD).timestamp * 1_000;
  const wall = { now: source.clock };
  const priceFeed = { nativeUsd: async () => ({ usd: 3_000, validUntil: wall.now + 3_600_000 }) };
  const service = await readyService({ source, priceFeed, wallNow: () => wall.now });
  const events = eventsOf(await service.get(PATHS.gasStream));
  await events.until(({ stale, nativeUsd }) => !stale && nativeUsd === 3_000);
  pass({ source, wall });
  await events.until((data) => isTold(data) === true);
});

test('a HEAD opens none', async () => {
  const { service } = await running();
  const head = await service.get(PATHS.gasStream, { method: 'HEAD' });
  expect([head.status, head.body]).toEqual([200, null]);
});

test('all streams end with the service, and a browser without the key gets none', async () => {
  const source = new ScriptedSource(makeBlocks(391, HEAD), { kind: 'simulated' });
  const served = await serveService({ source });
  await waitFor(async () => (await fetch(`${served.origin}/readyz`)).ok);
  const url = served.origin + BASE_PATH + PATHS.gasStream;
  expect((await fetch(url)).status).toBe(401);
  const events = eventsOf(await served.get(PATHS.gasStream));
  expect(await events.next()).toMatchObject({ data: { blockNumber: HEAD } });
  source.mine(...makeBlocks(HEAD + 1, HEAD + 1));
  await events.until(({ blockNumber }) => blockNumber === HEAD + 1);
  const ended = (async () => {
    while ((await events.next()) !== null);
  })();
  await served.stop();
  await ended;
});

test('pages of the origins that the operator names may ask, and those of no other', async () => {
  const source = new ScriptedSource(makeBlocks(391, HEAD), { kind: 'simulated' });
  const cors = ['https://app.example.org', 'http://localhost:5173'];
  const served = await serveService({ source, cors });
  await waitFor(async () => (await fetch(`${served.origin}/readyz`)).ok);
  const url = served.origin + BASE_PATH + PATHS.gasCurrent;
  const asked = (origin: string) => ({ origin, 'access-control-request-headers': 'x-api-key' });
  for (const origin of cors) {
    const preflight = await fetch(url, { method: 'OPTIONS', headers: asked(origin) });
    expect([preflight.status, await preflight.text()]).toEqual([204, '']);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-headers': 'x-api-key',
      'access-control-allow-methods': expect.stringContaining('DELETE'),
    });
    const first = await served.get(PATHS.gasCurrent, { origin });
    const etag = first.headers.get('etag') ?? '';
    const cached = await served.get(PATHS.gasCurrent, { origin, 'if-none-match': etag });
    const refused = await fetch(url, { headers: { origin } });
    const stream = await served.get(PATHS.gasStream, { origin });
    expect(await eventsOf(stream).next()).not.toBeNull();
    const description = await fetch(served.origin + OPENAPI_PATH, { headers: { origin } });
    const answers = [first, cached, refused, stream, description];
    expect(answers.map(({ status }) => status)).toEqual([200, 304, 401, 200, 200]);
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('access-control-expose-headers')).toContain('Retry-After');
      expect(headers.get('vary')).toContain('Origin');
    }
  }
  const preflight = await fetch(url, { method: 'OPTIONS', headers: asked('https://other.example.org') });
  expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  const other = await served.get(PATHS.gasCurrent, { origin: 'https://other.example.org' });
  expect(other.headers.get('access-control-allow-origin')).toBeNull();
});

test('a key has five streams at once, each of which is one request; another key has its own', async () => {
  const served = await serveService({
    source: new ScriptedSource(makeBlocks(391, HEAD), { kind: 'simulated' }),
  });
  await waitFor(async () => (await fetch(`${served.origin}/readyz`)).ok);
  const opened = await Promise.all(Array.from({ length: 5 }, () => served.get(PATHS.gasStream)));
  const streams = opened.map((response) => eventsOf(response));
  const refused = await served.get(PATHS.gasStream);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect(ErrorBody.parse(await refused.json())).toMatchObject({
    errorCode: 'rate_limit_exceeded',
    message: expect.stringContaining('5 streams'),
  });
  const other = await served.get(PATHS.gasStream, { 'x-api-key': await served.newKey() });
  expect(other.status).toBe(200);
  expect(await eventsOf(other).next()).not.toBeNull();
  expect(await (await served.get(PATHS.rateLimits)).json()).toMatchObject({ usedToday: 6 });
  await streams[0]?.close();
  await waitFor(async () => {
    const again = await served.get(PATHS.gasStream);
    if (again.status === 200) await eventsOf(again).next();
    return again.status === 200;
  });
});

test.each(SLOW_ENGINES)('a standby tells the blocks that the leader stores (%s)', async (engine) => {
  const database = await emptyDatabase(engine, 'shared');
  const [first, second] = [0, 1].map(() => new ScriptedSource(makeBlocks(391, HEAD)));
  if (first === undefined || second === undefined) throw new Error('two sources');
  await readyService({ source: first, database, process: 'leader' });
  await waitFor(() => first.knownAsked.length > 0);
  second.isReachable = false;
  const standby = await readyService({ source: second, database, process: 'standby' });
  const events = eventsOf(await standby.get(PATHS.gasStream));
  first.mine(...makeBlocks(HEAD + 1, HEAD + 1));
  expect(await events.until(({ blockNumber }) => blockNumber > HEAD)).toMatchObject({ id: String(HEAD + 1) });
});

const { feeRule } = chainProfile(1);

function presentOf(number: number): PublishedChain {
  const engine = new FeeEngine({ feeRule, capacity: 64 });
  const head = makeBlock(number);
  engine.push(head);
  const advice = engine.advice();
  if (advice === null) throw new Error('no advice');
  const status = { kind: 'live' } as const;
  const well = { score: null, updatedAt: 0, status, unsaved: null, isLoading: false, restartedAt: null };
  const source = { kind: 'simulated', name: 'clock' } as const;
  return { ...well, profile: chainProfile(1), head, advice, source, nativeUsd: null, rules: NO_RULES };
}

function withClock(identify?: (key: string | null) => Promise<object | null>) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let present = presentOf(1);
  const listeners = new Set<() => void>();
  const published = {
    publish: () => present,
    require: () => present,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const streams = createGasStreams(published, { identify });
  onTestFinished(streams.end);
  const admit = vi.fn(async () => {});
  const open = (owner = 'key', lastId?: string) => {
    const stream = streams.open(lastId, { owner, key: owner, admit });
    const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
    return async () => (await reader.read()).value?.split('\n')[0];
  };
  const mine = (number: number) => {
    present = presentOf(number);
    for (const listener of listeners) listener();
  };
  return { streams, admit, open, mine };
}

const passed = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('blocks that come together are one event, of the newest', async () => {
  const { open, mine } = withClock();
  const next = open();
  expect(await next()).toBe('id: 1');
  await passed(200);
  for (const number of [2, 3, 4]) mine(number);
  await passed(1);
  for (const number of [5, 6]) mine(number);
  await passed(200);
  expect([await next(), await next()]).toEqual(['id: 4', 'id: 6']);
});

test('a block that a reader has is not told again, but another of its number is', async () => {
  const { open, mine } = withClock();
  open();
  // What a process itself has not told before, it tells.
  expect(await open('key', '1')()).toBe('id: 1');
  const tell = async (number: number) => {
    mine(number);
    await passed(200);
  };
  await passed(200);
  await tell(2);
  expect(await open('key', '2')()).toBe(':');
  await tell(1);
  await tell(2);
  expect(await open('key', '2')()).toBe('id: 2');
});

test('a comment comes every 15 seconds, and each hour is one request of the quota', async () => {
  const { open, admit } = withClock();
  const next = open();
  await next();
  await passed(15_000);
  expect(await next()).toBe(':');
  await passed(3_600_000);
  expect(admit).toHaveBeenCalledTimes(1);
  admit.mockRejectedValueOnce(new ApiFailure('upstream_unavailable', 'keys cannot be read'));
  await passed(3_600_000);
  await passed(15_000);
  expect(admit).toHaveBeenCalledTimes(3);
  admit.mockRejectedValueOnce(new ApiFailure('rate_limit_exceeded', 'used up'));
  await passed(3_600_000);
  let last = await next();
  while (last === ':') last = await next();
  expect(last).toBeUndefined();
});

test('the streams of a key that is revoked or rotated end, those of others go on', async () => {
  const { gate, store, key } = await openTestGate(await temporaryFile('keys.db'));
  const [revoked, rotated, stays] = [await key('free'), await key('free'), await key('free')];
  const idOf = (text: string) => readKey(text)?.id ?? '';
  const { open, mine } = withClock((key) => gate.identify(key));
  const [ended, endedToo, others] = [open(revoked), open(rotated), open(stays)];
  await store.revoke(idOf(revoked), 1);
  await reissueKey(store, idOf(rotated), 1);
  await passed(15_000);
  expect([await ended(), await ended(), await ended()]).toEqual(['id: 1', ':', undefined]);
  expect([await endedToo(), await endedToo(), await endedToo()]).toEqual(['id: 1', ':', undefined]);
  mine(2);
  await passed(200);
  expect([await others(), await others(), await others()]).toEqual(['id: 1', ':', 'id: 2']);
});

test('a reader that does not keep up is dropped after what was waiting for it, and slows nobody', async () => {
  const { open, mine } = withClock();
  const [slow, quick] = [open(), open()];
  const told: unknown[] = [];
  for (let number = 2; number <= 41; number += 1) {
    told.push(await quick());
    mine(number);
    await passed(200);
  }
  expect(told).toEqual(Array.from({ length: 40 }, (_, place) => `id: ${place + 1}`));
  let read = 0;
  while ((await slow()) !== undefined) read += 1;
  expect(read).toBeLessThan(25);
});
