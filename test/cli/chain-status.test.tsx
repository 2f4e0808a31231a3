import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { render } from 'ink-testing-library';
import { describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { createGasClient } from '../../src/client/client.ts';
import { GasCurrent } from '../../src/contract/gas.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { utcMinute } from '../../src/core/units.ts';
import { READ_TOOLS } from '../../src/mcp/read-tools.ts';
import { Monitor } from '../../src/tui/app/app.tsx';
import { SourceHolder } from '../../src/tui/app/source.ts';
import { OWN_SNAPSHOT } from '../client/own-answers.ts';
import { makeBlocks } from '../helpers/chain-blocks.ts';
import { ENGINES, emptyDatabase, TEST_KEY } from '../helpers/databases.ts';
import { startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { type ServedService, serveService } from '../helpers/served-service.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { SILENT } from '../tui/show-screen.tsx';
import { sizedScreen } from '../tui/sized-screen.tsx';
import { captureIo } from './captured-io.ts';
import { type Answers, OWN_ROUTES, send, serveAnswers } from './doctor-services.ts';

/** A service, and the time at which everybody is asked about it (ms). */
interface Place {
  readonly url: string;
  readonly now: number;
  readonly key?: string;
}

type Word = 'live' | 'live, unsaved' | 'catching up' | 'stale' | 'ended';

const CATCHING_UP = 'the blocks since the last run are still to come';
const standstill = (headAt: number, now: number) =>
  `no new block since ${utcMinute(headAt)}${now - headAt > 900_000 ? "; is this machine's clock right?" : ''}`;

const envOf = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { GASTOP_API_KEY: key };

async function run(argv: readonly string[], { now, key }: Pick<Place, 'now' | 'key'>) {
  const { io, stdout, stderr } = captureIo({ now: () => now, env: envOf(key) });
  const exitCode = await main(argv, io);
  return { exitCode, stdout: stdout(), stderr: stderr() };
}

/** Why `now` refuses the prices; `null`: it prints them. */
async function refusedByNow(place: Place): Promise<string | null> {
  const { exitCode, stderr } = await run(['now', '--json', '--url', place.url], place);
  if (exitCode === 0) return null;
  expect(exitCode).toBe(3);
  return /old: (.*); check the source/.exec(stderr)?.[1] ?? stderr;
}

/** Why `wait` does not take a price that is low enough, by its status line; `null`: it takes it. */
async function refusedByWait({ url, now, key }: Place): Promise<string | null> {
  const stop = new AbortController();
  let reason: string | null = null;
  const { io } = captureIo({
    now: () => now,
    env: envOf(key),
    stderrIsTTY: true,
    signal: stop.signal,
    onStderr: (text) => {
      reason = /\(no current prices: (.*?)\)/.exec(text)?.[1] ?? null;
      if (reason !== null) stop.abort();
    },
  });
  const wide = { ...io, stderr: { ...io.stderr, columns: 300 } };
  const exitCode = await main(['wait', '--below', '1000000', '--url', url], wide);
  expect(exitCode === 0).toBe(reason === null);
  return reason;
}

async function toldByChains(source: object, place: Pick<Place, 'now' | 'key'>): Promise<string | null> {
  const config = join(await temporaryFolder(), 'config.json');
  writeFileSync(config, JSON.stringify({ chains: [{ name: 'mine', ...source }] }), { mode: 0o600 });
  const argv = ['chains', '--chains', 'mine', '--json', '--config', config];
  const env = { GASTOP_API_KEY_MINE: place.key ?? '' };
  const { io, stdout } = captureIo({ now: () => place.now, env });
  expect(await main(argv, io)).toBe(0);
  const [row] = JSON.parse(stdout()).chains;
  expect(row.stale).toBe(row.problem !== null);
  return row.problem?.message ?? null;
}

async function toldByDoctor(place: Place): Promise<string | null> {
  const { stdout } = await run(['doctor', '--json', '--url', place.url], place);
  const { snapshot, warnings } = JSON.parse(stdout);
  const warned = warnings.filter((warning: string) => warning.includes('stale'));
  expect(warned.length).toBe(snapshot.stale ? 1 : 0);
  return snapshot.stale ? snapshot.problem : null;
}

async function toldByTool({ url, now, key }: Place): Promise<string | null> {
  const gasNow = READ_TOOLS.find(({ name }) => name === 'gas_now') ?? expect.fail('no such tool');
  const client = createGasClient({ url, apiKey: key ?? null });
  const { signal } = new AbortController();
  const { stale, problem } = Object(await gasNow.call({}, async () => ({ client, signal, now: () => now })));
  return stale ? problem : null;
}

function showMonitor({ url, key }: Pick<Place, 'url' | 'key'>, now: () => number, intervalMs = 60_000) {
  const client = createGasClient({ url, apiKey: key ?? null });
  const holder = new SourceHolder();
  const open = async () => ({ client, intervalMs });
  void holder.open(open);
  const app = render(
    <Monitor
      {...{ holder, board: null, isBoardFirst: false, ascii: false, undoMs: 600_000 }}
      openSource={open}
      urlProblem={() => null}
      notifications={SILENT}
      now={now}
      fullPath={(name) => `/home/user/${name}`}
      saveFile={async (name) => name}
    />,
  );
  return { ...sizedScreen(app, 140, 30), close: app.unmount };
}

async function shownByMonitor(place: Place, word: Word, reason: string | null): Promise<void> {
  const { shows, close } = showMonitor(place, () => place.now);
  await shows(new RegExp(`[●◌] (?:${word === 'live' ? 'live|playing' : word}) `));
  if (reason !== null && word === 'stale') await shows(reason);
  close();
}

/** What all surfaces say of a service: the same word, and the same reason. */
async function expectAll(place: Place, word: Word, reason: string | null): Promise<void> {
  const [now, wait, chains, doctor, tool] = await Promise.all([
    refusedByNow(place),
    // A recording that has ended makes no block to wait for.
    word === 'ended' ? reason : refusedByWait(place),
    toldByChains({ url: place.url }, place),
    toldByDoctor(place),
    toldByTool(place),
    shownByMonitor(place, word, reason),
  ]);
  const told = { now, wait, chains, doctor, tool };
  expect(Object.entries(told)).toEqual(Object.keys(told).map((name) => [name, reason]));
}

const NOW = Date.UTC(2026, 10, 29, 12);
const AGO = (ms: number) => new Date(NOW - ms).toISOString();
const RPC = { kind: 'rpc', name: 'a.example', problem: null, ended: false, chainName: 'Ethereum' };
const SAYS_STALE = 'the service says its prices are old';
const REFUSED = { message: 'the node refuses the connection', retryAt: AGO(-5_000) };
const UNWRITTEN = { message: 'history is not being saved: disk is full', retryAt: null };

async function serveSnapshot(changes: object, ageMs: number): Promise<string> {
  const dated = { blockTimestamp: AGO(ageMs), updatedAt: AGO(ageMs) };
  const snapshot = { ...OWN_SNAPSHOT, chainId: 1, stale: false, source: RPC, ...dated, ...changes };
  const stats = Object(OWN_ROUTES['/dashboard/stats/current']);
  const answers: Answers = {
    ...OWN_ROUTES,
    '/gas/current': snapshot,
    '/dashboard/stats/current': { ...stats, snapshot },
  };
  return (await serveAnswers(answers)).url;
}

const SILENT_SERVICE = { stale: undefined, source: undefined };

describe('of a service that others run, now, wait, chains, doctor, gas_now and the monitor say', () => {
  it.each<readonly [title: string, changes: object, ageMs: number, word: Word, reason: string | null]>([
    ['live: it says so, up to four updates', {}, 48_000, 'live', null],
    ['stale: it says live, of a head that is older', {}, 48_001, 'stale', standstill(NOW - 48_001, NOW)],
    ['live: it says nothing, up to four updates', SILENT_SERVICE, 48_000, 'live', null],
    [
      'stale: it says nothing, of a mainnet head of four minutes',
      SILENT_SERVICE,
      240_000,
      'stale',
      standstill(NOW - 240_000, NOW),
    ],
    ['live: its chain is slow', { ...SILENT_SERVICE, updateFrequencySec: 30 }, 120_000, 'live', null],
    [
      'stale: its chain is slow, and stands still',
      { ...SILENT_SERVICE, updateFrequencySec: 30 },
      120_001,
      'stale',
      standstill(NOW - 120_001, NOW),
    ],
    [
      'stale: its chain, which has no stated pace, is quick by itself',
      { ...SILENT_SERVICE, chainId: 8_453, updateFrequencySec: undefined },
      12_001,
      'stale',
      standstill(NOW - 12_001, NOW),
    ],
    [
      'live: neither pace nor chain is stated',
      { ...SILENT_SERVICE, chainId: undefined, updateFrequencySec: undefined },
      48_000,
      'live',
      null,
    ],
    ['stale: it says stale alone', { stale: true, source: undefined }, 4_000, 'stale', SAYS_STALE],
    [
      'stale: it says stale and why',
      { stale: true, source: { ...RPC, problem: REFUSED } },
      4_000,
      'stale',
      REFUSED.message,
    ],
    ['catching up: its last run’s prices stand', { stale: true }, 3_600_000, 'catching up', CATCHING_UP],
    [
      'live, unsaved: only its history cannot be written',
      { source: { ...RPC, problem: UNWRITTEN } },
      4_000,
      'live, unsaved',
      null,
    ],
    ['live: its recording is old', { source: { ...RPC, kind: 'replay' } }, 1e11, 'live', null],
    [
      'ended: its recording has ended',
      { source: { ...RPC, kind: 'replay', ended: true } },
      1e11,
      'ended',
      null,
    ],
  ])('%s', async (_title, changes, ageMs, word, reason) => {
    await expectAll({ url: await serveSnapshot(changes, ageMs), now: NOW }, word, reason);
  });
});

it('the monitor goes stale, and live again, where each poll brings the same head until there is another', async () => {
  let headAt = NOW;
  let now = NOW + 4_000;
  const dated = () => ({
    blockTimestamp: new Date(headAt).toISOString(),
    updatedAt: new Date(headAt).toISOString(),
  });
  const { url } = await serveAnswers({
    ...OWN_ROUTES,
    '/gas/current': (_: IncomingMessage, response: ServerResponse) =>
      send(response, { ...OWN_SNAPSHOT, chainId: 1, stale: undefined, source: undefined, ...dated() }),
  });
  const { shows, close } = showMonitor({ url }, () => now, 500);
  await shows(/● live /);
  now = NOW + 48_001;
  await shows(/◌ stale /);
  await shows(standstill(headAt, now));
  headAt = NOW + 48_000;
  await shows(/● live /);
  close();
});

/** What our own service says of itself, on each route. */
async function ownWords({ get, origin }: ServedService) {
  const body = await (await get(PATHS.gasCurrent)).text();
  const current = GasCurrent.parse(JSON.parse(body));
  const stream = (await get(PATHS.gasStream)).body?.pipeThrough(new TextDecoderStream()).getReader();
  const event = (await stream?.read())?.value ?? '';
  await stream?.cancel();
  expect(JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? 'null')).toEqual(JSON.parse(body));
  const ready = await fetch(`${origin}/readyz`);
  const message = ready.ok ? null : String(Object(await ready.json()).message);
  expect(message?.replace('prices are stale: ', '') ?? null).toBe(
    current.stale ? (current.source.problem?.message ?? CATCHING_UP) : null,
  );
  return { word: wordOf(current), reason: message?.replace('prices are stale: ', '') ?? null };
}

function wordOf({ stale, source }: GasCurrent): Word {
  if (source.ended) return 'ended';
  if (!stale) return 'live';
  return source.problem === null ? 'catching up' : 'stale';
}

async function expectOwn(service: ServedService, now: number, word: Word, reason: string | null) {
  await waitFor(async () => {
    const said = await ownWords(service);
    if (said.word !== word) throw new Error(`it says ${said.word}: ${said.reason}`);
    expect(said).toEqual({ word, reason });
    return true;
  });
  await expectAll({ url: service.origin, key: service.key, now }, word, reason);
}

const FIRST = 391;
const LAST = 400;

function sourceAt(ageMs: number, kind: 'rpc' | 'replay' = 'rpc') {
  const source = new ScriptedSource(makeBlocks(FIRST, LAST), { kind });
  const headAt = source.now() - 1_000;
  source.clock = headAt + ageMs;
  return { source, headAt, now: headAt + ageMs };
}

const serveSource = (source: ScriptedSource, database = ':memory:') =>
  serveService({ source, database, wallNow: () => source.now() });

describe('of our own service, its routes, readyz, stream, commands and the monitor say', () => {
  it('live up to four updates after the head, then stale, then live again with a block', async () => {
    const { source, headAt, now } = sourceAt(48_000);
    const service = await serveSource(source);
    await expectOwn(service, now, 'live', null);
    source.clock = now + 1;
    await expectOwn(service, now + 1, 'stale', standstill(headAt, now + 1));
    source.mine(...makeBlocks(LAST + 1, LAST + 4));
    await expectOwn(service, now + 1, 'live', null);
  });

  it('stale, with its reason, while the node does not answer', async () => {
    const { source, now } = sourceAt(4_000);
    const service = await serveSource(source);
    await expectOwn(service, now, 'live', null);
    source.emit({ type: 'down', reason: REFUSED.message, retryAt: now + 5_000 });
    await expectOwn(service, now, 'stale', REFUSED.message);
  });

  it('catching up while the prices of the last run stand', async () => {
    const path = join(await temporaryFolder(), 'chain-1.db');
    const { source, now } = sourceAt(4_000);
    const before = await serveSource(source, path);
    await expectOwn(before, now, 'live', null);
    await before.stop();
    const silent = sourceAt(4_000).source;
    silent.chain = () => new Promise(() => {});
    await expectOwn(await serveSource(silent, path), now, 'catching up', CATCHING_UP);
  });

  it('ended once its recording has ended, however old it is', async () => {
    const { source } = sourceAt(4_000, 'replay');
    const service = await serveSource(source);
    await expectOwn(service, NOW, 'live', null);
    source.emit({ type: 'ended' });
    await expectOwn(service, NOW, 'ended', null);
  });

  it.each(ENGINES)('the same of a standby on %s', async (engine) => {
    const target = await emptyDatabase(engine, 'shared');
    const { source, headAt, now } = sourceAt(48_000);
    const serveOn = async (of: ScriptedSource) =>
      serveService({ source: of, database: await openDatabase(target, TEST_KEY), wallNow: () => of.now() });
    const leader = await serveOn(source);
    await expectOwn(leader, now, 'live', null);
    const other = sourceAt(48_000).source;
    const standby = await serveOn(other);
    await expectOwn(standby, now, 'live', null);
    source.clock = now + 1;
    other.clock = now + 1;
    await expectOwn(standby, now + 1, 'stale', standstill(headAt, now + 1));
  });
});

it.each([
  ['live up to four of its updates', 48, null],
  ['stale after that', 49, standstill],
] as const)('a row of the board over a node is %s', async (_title, ageSec, reasonAt) => {
  const chain = createScriptedChain({ length: 40, startedAt: Math.floor(NOW / 1_000) - 39 * 12 });
  const headAt = chain.head().timestamp * 1_000;
  const now = headAt + ageSec * 1_000;
  const node = await startJsonRpcServer(chain);
  const told = await toldByChains({ rpc: node.url }, { now });
  await node.stop();
  expect(told).toBe(reasonAt?.(headAt, now) ?? null);
});
