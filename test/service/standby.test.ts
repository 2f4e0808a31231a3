import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import { PATHS } from '../../src/contract/routes.ts';
import type { ChainProfile } from '../../src/core/chains.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { AlertStore } from '../../src/store/alerts.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import type { Database } from '../../src/store/database.ts';
import { LeaseStore } from '../../src/store/lease.ts';
import { BLOCK_ZERO_TIME, blockHash, makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { fixedPrice } from '../helpers/fixed-price.ts';
import { startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { type RunningService, readyService, runService, temporaryFile } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { storedAlert } from '../store/alerts/stored-alerts.ts';

const FIRST = 499;
const THRESHOLD = 1_000_000n;

/** Every other block is cheap, so that the alert fires at each of those: what is skipped or done twice shows. */
class AlternatingEngine extends FeeEngine {
  override lanePrices() {
    const number = this.head?.number ?? 0;
    const price = number > FIRST && number % 2 === 0 ? THRESHOLD / 2n : THRESHOLD * 2n;
    return { slow: price, average: price, fast: price };
  }
}
const createEngine = ({ feeRule }: ChainProfile) => new AlternatingEngine({ feeRule });

const alert = storedAlert('cheap', { lane: 'slow', threshold: THRESHOLD });

async function prepared(): Promise<{ path: string; database: Database }> {
  const path = await temporaryFile('chain-1.db');
  const database = await openDatabase(path);
  await new AlertStore(database).create(alert, 10);
  return { path, database };
}

const headOf = async (service: RunningService) => (await service.current()).blockNumber;
const storedHead = async (database: Database) => (await new BlockStore(database).head())?.number ?? -1;
const firedAt = async (database: Database) =>
  (await database.queries.selectFrom('alert_events').select('block_number').execute()).map(
    (row) => row.block_number,
  );

async function start(path: string, source: ScriptedSource, name: string): Promise<RunningService> {
  return readyService({ source, database: path, process: name, createEngine });
}

async function startLeader(path: string, source: ScriptedSource, name: string): Promise<RunningService> {
  const service = await start(path, source, name);
  await waitFor(() => source.knownAsked.length > 0);
  return service;
}

/** One whose node is not there: what it says comes from the database. */
async function startStandby(path: string, source: ScriptedSource): Promise<RunningService> {
  source.isReachable = false;
  return start(path, source, 'standby');
}

const FIGURES = [PATHS.gasCurrent, PATHS.gasTrend, PATHS.gasRecommendation, PATHS.statsMarket];
const agree = (one: RunningService, other: RunningService) =>
  waitFor(
    async () => {
      for (const path of FIGURES) {
        const [mine, others] = await Promise.all(
          [one.get(path), other.get(path)].map(async (each) => (await each).text()),
        );
        if (mine !== others) throw new Error(`${path}: ${mine} is not ${others}`);
      }
      return true;
    },
    { what: 'the same answers' },
  );

test('of two services on one database one follows the node; the other follows the database and says the same', async () => {
  const { path, database } = await prepared();
  const sources = [0, 1].map(() => new ScriptedSource(makeBlocks(450, FIRST)));
  const [first, second] = sources;
  if (first === undefined || second === undefined) throw new Error('two sources');
  const leader = await startLeader(path, first, 'leader');
  const standby = await startStandby(path, second);
  await agree(leader, standby);
  second.mine(...makeBlocks(500, 506));
  first.mine(...makeBlocks(500, 503));
  await waitFor(async () => (await headOf(standby)) === 503, { what: 'the standby’s head' });
  await agree(leader, standby);
  expect(await standby.current()).toMatchObject({
    stale: false,
    source: { problem: null },
  });
  expect(await firedAt(database)).toEqual([500, 502]);
  expect([second.blocksAsked, second.knownAsked]).toEqual([[], []]);

  // The leader's node is away: the standby says so, too.
  first.emit({ type: 'down', reason: 'it is away', retryAt: Date.now() + 60_000 });
  await waitFor(async () => {
    const { source, stale } = await standby.current();
    return source.problem?.message === 'it is away' && stale;
  });
  first.emit({ type: 'up' });

  // Given up, the lease is taken at once, and what nobody has written is written and fires.
  second.isReachable = true;
  await leader.stop();
  await waitFor(async () => (await storedHead(database)) === 506, { what: 'the taking over' });
  expect((await new LeaseStore(database).read())?.process).toBe('standby');
  second.mine(makeBlock(507), makeBlock(508));
  await waitFor(async () => (await storedHead(database)) === 508);
  // Of what nobody had written 504 was over, and 506 was now.
  expect(await firedAt(database)).toEqual([500, 502, 506, 508]);
  expect(await new AlertStore(database).find('', alert.id)).toMatchObject({ missedCount: 1 });
  expect(await new BlockStore(database).missingRanges({ from: 450, to: 508 })).toEqual([]);
  expect(standby.errors).toEqual([]);
});

test('a standby follows the leader through reorgs and a chain that began anew', async () => {
  const { path, database } = await prepared();
  const first = new ScriptedSource(makeBlocks(450, FIRST), { chainId: 31_337 });
  const leader = await startLeader(path, first, 'leader');
  const standby = await startStandby(path, new ScriptedSource([], { chainId: 31_337 }));
  first.mine(...makeBlocks(500, 503));
  await waitFor(async () => (await headOf(standby)) === 503);
  const branch = (from: number, to: number, fork: number) =>
    makeBlocks(from, to).map((block) =>
      makeBlock(block.number, {
        hash: blockHash(block.number, fork),
        parentHash: blockHash(block.number - 1, block.number === from ? 0 : fork),
        baseFeePerGas: 77n,
      }),
    );
  first.reorg(501, branch(502, 502, 1));
  await waitFor(async () => (await headOf(standby)) === 502);
  await agree(leader, standby);
  // Another chain in the same place, lower than the one before.
  await new BlockStore(database, () => ({ kind: 'alone' })).beginAnew(undefined);
  await new BlockStore(database, () => ({ kind: 'alone' })).saveBlocks(branch(10, 20, 2));
  await waitFor(async () => (await headOf(standby)) === 20);
  await waitFor(async () => (await standby.current()).source.restartedAt !== null);
  await Promise.all([leader.stop(), standby.stop()]);
});

test('one that takes over on another branch takes back what is stored of the old one', async () => {
  const { path, database } = await prepared();
  const first = new ScriptedSource(makeBlocks(450, FIRST));
  const second = new ScriptedSource([...makeBlocks(450, FIRST), ...makeBlocks(500, 501)]);
  const leader = await startLeader(path, first, 'leader');
  const standby = await startStandby(path, second);
  first.mine(...makeBlocks(500, 503));
  await waitFor(async () => (await headOf(standby)) === 503);
  const branch = [502, 503, 504].map((number) =>
    makeBlock(number, {
      hash: blockHash(number, 1),
      parentHash: blockHash(number - 1, number === 502 ? 0 : 1),
    }),
  );
  second.mine(...branch);
  second.isReachable = true;
  await leader.stop();
  await waitFor(async () => (await storedHead(database)) === 504, { what: 'the new branch' });
  const stored = await new BlockStore(database).newest(4);
  expect(stored.map(({ hash }) => hash)).toEqual([blockHash(501), ...branch.map(({ hash }) => hash)]);
  // What has fired stays fired; of the blocks that both branches share none is evaluated again, of the others one is now.
  expect(await firedAt(database)).toEqual([500, 502, 504]);
});

test('a leader that loses the lease follows the database from then on; it may have it again', async () => {
  const { path, database } = await prepared();
  const source = new ScriptedSource(makeBlocks(450, FIRST));
  const service = await startLeader(path, source, 'asleep');
  const leases = new LeaseStore(database);
  const held = await waitFor(async () => (await leases.read())?.process === 'asleep' && leases.read());
  // Another process took over while this one slept, and wrote what it did not see.
  await leases.take(
    { holder: 'x', process: 'other', since: Date.now(), heartbeatAt: Date.now() },
    held || null,
  );
  source.mine(makeBlock(500), makeBlock(501));
  await new BlockStore(database).saveBlocks([makeBlock(500, { baseFeePerGas: 9_000_000_000n })]);
  await waitFor(async () => (await headOf(service)) === 500);
  expect(await storedHead(database)).toBe(500);
  await leases.release('x');
  await waitFor(async () => (await storedHead(database)) === 501);
  source.mine(makeBlock(502));
  await waitFor(async () => (await storedHead(database)) === 502);
  expect(service.errors).toEqual([]);
  // 500 was written by another: alerts saw it there, or not at all, but not here.
  expect(await firedAt(database)).toEqual([502]);
  // Of that block its node said something else than the other process has stored.
  const standby = await startStandby(path, new ScriptedSource([]));
  await agree(service, standby);
  await Promise.all([service.stop(), standby.stop()]);
});

/** An hour apart, so that few blocks are days of history. */
const hourly = (from: number, to: number) =>
  makeBlocks(from, to).map((block) => ({ ...block, timestamp: BLOCK_ZERO_TIME + block.number * 3_600 }));

/** How many engines a service made, and the number of blocks that the last one has learned from. */
function countingEngine() {
  let engine = 0;
  const learned = { engines: 0, blocks: 0, failsAt: -1 };
  const create = ({ feeRule }: ChainProfile) => {
    engine += 1;
    const mine = engine;
    learned.engines = engine;
    let blocks = 0;
    return new (class extends FeeEngine {
      override push(...given: Parameters<FeeEngine['push']>): void {
        super.push(...given);
        if (given[0].number === learned.failsAt) {
          learned.failsAt = -1;
          throw new Error('not expected');
        }
        blocks += 1;
        if (mine === engine) learned.blocks = blocks;
      }
    })({ feeRule });
  };
  return { create, learned };
}

const report = { block: null, updatedAt: null, nativeUsd: null, problem: null };

test('a leader whose engine fails, or that loses the lease, advises from as much history as before', async () => {
  const path = await temporaryFile('chain-1.db');
  const database = await openDatabase(path);
  const leases = new LeaseStore(database);
  const { create, learned } = countingEngine();
  const source = new ScriptedSource(hourly(0, 120));
  await readyService({ source, database: path, process: 'slow', createEngine: create });
  await waitFor(() => learned.blocks === 121, { what: 'five days' });
  learned.failsAt = 121;
  source.mine(...hourly(121, 121));
  await waitFor(() => learned.blocks === 122, { what: 'five days of another engine', timeoutMs: 10_000 });
  const held = await waitFor(async () => {
    const lease = await leases.read();
    return lease?.report?.isFilled === true && lease;
  });
  const now = Date.now();
  await leases.take({ holder: 'x', process: 'other', since: now, heartbeatAt: now }, held || null);
  const beats = setInterval(() => void leases.beat('x', Date.now(), { ...report, isFilled: true }), 200);
  onTestFinished(() => clearInterval(beats));
  const before = source.knownAsked.length;
  await new BlockStore(database).saveBlocks(hourly(122, 123));
  source.mine(...hourly(122, 123));
  await waitFor(async () => (await leases.read())?.report?.isFilled === true);
  await sleep(2_000);
  expect(source.knownAsked).toHaveLength(before);
  await waitFor(() => learned.blocks === 124, { what: 'five days again', timeoutMs: 10_000 });
});

test('a standby learns from the history while the leader still fills it, whenever it has doubled', async () => {
  const path = await temporaryFile('chain-1.db');
  const database = await openDatabase(path);
  const leases = new LeaseStore(database);
  const store = new BlockStore(database);
  await store.claimChain({ id: 1 });
  await store.saveBlocks(hourly(110, 120));
  await leases.take({ holder: 'x', process: 'leader', since: 0, heartbeatAt: Date.now() }, null);
  const isFilled = { value: false };
  const beat = () => leases.beat('x', Date.now(), { ...report, isFilled: isFilled.value });
  await beat();
  const beats = setInterval(() => void beat(), 200);
  onTestFinished(() => clearInterval(beats));
  const { create, learned } = countingEngine();
  await readyService({
    source: new ScriptedSource([]),
    database: path,
    process: 'standby',
    createEngine: create,
  });
  await waitFor(() => learned.engines >= 2 && learned.blocks === 11, {
    what: 'what is stored at the start',
    timeoutMs: 10_000,
  });
  await store.saveBlocks(hourly(60, 109));
  await waitFor(() => learned.blocks === 61, { what: 'the history so far', timeoutMs: 20_000 });
  // A little more is not worth it before the leader is done.
  await store.saveBlocks(hourly(50, 59));
  await sleep(1_000);
  expect(learned.blocks).toBe(61);
  isFilled.value = true;
  await waitFor(() => learned.blocks === 71, { what: 'all of it', timeoutMs: 20_000 });
});

test('a leader that stores nothing is relieved by one whose node goes on from what is stored, never by one on a fork', async () => {
  const { path, database } = await prepared();
  const leases = new LeaseStore(database);
  await new BlockStore(database).claimChain({ id: 1 });
  await new BlockStore(database).saveBlocks(makeBlocks(450, FIRST));
  // It says that it is there as long as the test takes.
  await leases.take({ holder: 'x', process: 'stuck', since: 0, heartbeatAt: Date.now() }, null);
  const beats = setInterval(() => void leases.beat('x', Date.now()), 500);
  onTestFinished(() => clearInterval(beats));
  const fork = Array.from({ length: 20 }, (_, place) =>
    makeBlock(490 + place, { hash: blockHash(490 + place, 1) }),
  );
  const standbys = [fork, makeBlocks(450, 510)].map((blocks) => new ScriptedSource(blocks));
  for (const [place, source] of standbys.entries())
    await runService({ source, database: path, process: `standby ${place}`, createEngine, neglectedMs: 100 });
  await waitFor(async () => (await leases.read())?.process === 'standby 1', { what: 'the relief' });
  await waitFor(async () => (await storedHead(database)) === 510);
  expect(standbys[0]?.knownAsked).toEqual([]);
  clearInterval(beats);
});

test('a one-shot stores history and coin prices while no process leads, fires nothing, and makes room at once', async () => {
  const { path, database } = await prepared();
  const source = new ScriptedSource(makeBlocks(450, FIRST));
  const oneShot = await readyService({
    source,
    database: path,
    process: 'gastop now',
    role: 'one-shot',
    priceFeed: fixedPrice(2_000),
    createEngine,
  });
  await waitFor(async () => (await oneShot.current()).nativeUsd === 2_000, { what: 'the coin price' });
  source.mine(...makeBlocks(500, 502));
  await waitFor(async () => (await storedHead(database)) === 502);
  expect(await new LeaseStore(database).read()).toBeNull();
  expect(await firedAt(database)).toEqual([]);
  const stored = await database.queries.selectFrom('coin_prices').selectAll().execute();
  expect(stored).toMatchObject([{ native_usd: 2_000 }]);
  const other = new ScriptedSource([...makeBlocks(450, FIRST), ...makeBlocks(500, 502)]);
  const service = await startLeader(path, other, 'gastop serve');
  await waitFor(async () => (await new LeaseStore(database).read())?.process === 'gastop serve');
  source.mine(makeBlock(503), makeBlock(504));
  other.mine(makeBlock(503), makeBlock(504));
  await waitFor(async () => (await storedHead(database)) === 504);
  await waitFor(async () => (await headOf(oneShot)) === 504);
  expect(await firedAt(database)).toEqual([504]);
  expect([...oneShot.errors, ...service.errors]).toEqual([]);
  await Promise.all([oneShot.stop(), service.stop()]);
});

test('two programs on one database cost the node what one does', async () => {
  const chain = createScriptedChain({ length: 320, startedAt: Math.floor(Date.now() / 1_000) - 320 * 12 });
  const path = await temporaryFile('chain.db');
  const programs = [];
  for (const name of ['serve', 'monitor']) {
    const node = await startJsonRpcServer(chain);
    onTestFinished(() => node.stop());
    const source = createRpcSource({ urls: [node.url] });
    onTestFinished(() => source.close());
    const service = await readyService({ source, database: path, process: name });
    await waitFor(async () => (await headOf(service)) === 319);
    programs.push({ node, service });
  }
  chain.mine(3);
  for (const { service } of programs) await waitFor(async () => (await headOf(service)) === 322);
  expect(programs.map(({ node }) => node.requests.length > 0)).toEqual([true, false]);
});
