import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { ErrorBody } from '../../src/contract/api-error.ts';
import { StatsChart } from '../../src/contract/dashboard.ts';
import { BaseFeeMetrics } from '../../src/contract/metrics.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { utcMinute } from '../../src/core/units.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { BLOCK_ZERO_TIME, blockHash, makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { type RunningService, readyService, runService, temporaryFile } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const headIs = (service: RunningService, number: number, timeoutMs = 60_000) =>
  waitFor(async () => (await service.current()).blockNumber === number, {
    what: `head ${number}`,
    timeoutMs,
  });

const BEGINNING = new Date(BLOCK_ZERO_TIME * 1_000).toISOString();

async function storedNumbers(service: RunningService): Promise<number[]> {
  const numbers: number[] = [];
  for (let page = 0; ; page += 1) {
    const path = `${PATHS.baseFee}?bucket=block&size=500&page=${page}&from=${BEGINNING}`;
    const response = await service.get(path);
    if (!response.ok) return [];
    const { data } = BaseFeeMetrics.parse(await response.json());
    if (data.length === 0) return numbers;
    numbers.push(...data.map((row) => row.blockNumber));
  }
}

/** Two engines take in all of a burst, on a machine that may have other things to do. */
const BURST_MS = 600_000;

const upTo = (last: number) => Array.from({ length: last + 1 }, (_, number) => number);
const holds = (service: RunningService, last: number, timeoutMs = 60_000) =>
  waitFor(
    async () => {
      const path = `${PATHS.baseFee}?bucket=block&page=0&size=1&from=${BEGINNING}`;
      const response = await service.get(path);
      return response.ok && BaseFeeMetrics.parse(await response.json()).total === last + 1;
    },
    { what: `blocks 0–${last}`, timeoutMs },
  );

describe('following', () => {
  test('new blocks are answered from at once and stored', async () => {
    const source = new ScriptedSource(makeBlocks(0, 99));
    const service = await readyService({ source });
    source.mine(...makeBlocks(100, 102));
    await headIs(service, 102);
    await holds(service, 102);
    expect(await storedNumbers(service)).toEqual(upTo(102));
    expect(service.errors).toEqual([]);
  });

  test('a reorg takes back the blocks that are no longer true, in advice and history', async () => {
    const source = new ScriptedSource(makeBlocks(400, 499));
    const service = await readyService({ source });
    const fork = (number: number) =>
      makeBlock(number, {
        hash: blockHash(number, 1),
        parentHash: blockHash(number - 1, 1),
        baseFeePerGas: 77n,
      });
    source.reorg(495, [496, 497].map(fork));
    await headIs(service, 497);
    expect((await service.current()).basePrice).toBe(77);
    const chart = StatsChart.parse(await service.read(`${PATHS.statsChart}?timeFrame=1h`));
    expect(chart.points.slice(-3).map((point) => point.base)).toEqual([
      Number(makeBlock(495).baseFeePerGas),
      77,
      77,
    ]);
  });

  test('blocks that were jumped over are filled in behind', async () => {
    const source = new ScriptedSource(makeBlocks(0, 99));
    const service = await readyService({ source });
    source.jump(...makeBlocks(100, 499));
    source.mine(makeBlock(500));
    await headIs(service, 500);
    await holds(service, 500);
    expect(await storedNumbers(service)).toEqual(upTo(500));
    expect(service.errors).toEqual([]);
  });

  test('a block said twice, or out of turn, is one block', async () => {
    const source = new ScriptedSource(makeBlocks(0, 99));
    const service = await readyService({ source });
    source.mine(makeBlock(100), makeBlock(100), makeBlock(99), makeBlock(100), makeBlock(101));
    await headIs(service, 101);
    await holds(service, 101);
    expect(await storedNumbers(service)).toEqual(upTo(101));
  });

  test('a burst of blocks ends with the same advice as the blocks one by one', async () => {
    const last = 99 + (isSlowRun ? 20_000 : 2_000);
    const burst = new ScriptedSource(makeBlocks(0, 99), { kind: 'replay' });
    const service = await readyService({ source: burst });
    burst.mine(...makeBlocks(100, last));
    await headIs(service, last, BURST_MS);
    await holds(service, last, BURST_MS);
    const calm = await runService({
      source: new ScriptedSource(makeBlocks(0, last), { kind: 'replay' }),
    });
    await headIs(calm, last, BURST_MS);
    await holds(calm, last, BURST_MS);
    await waitFor(
      async () => {
        const [a, b] = [await service.current(), await calm.current()];
        return JSON.stringify(a.lanes) === JSON.stringify(b.lanes);
      },
      { timeoutMs: BURST_MS },
    );
  });

  test('the end of a recording is no fault', async () => {
    const source = new ScriptedSource(makeBlocks(400, 499), { kind: 'replay' });
    const service = await readyService({ source });
    source.mine(makeBlock(500));
    source.emit({ type: 'ended' });
    source.clock = (makeBlock(500).timestamp + 86_400) * 1_000;
    await headIs(service, 500);
    expect(await service.current()).toMatchObject({ stale: false, source: { problem: null } });
  });
});

describe('filling the history', () => {
  test('a fresh database fills from the newest block back, and each hole is asked for once', async () => {
    const source = new ScriptedSource(makeBlocks(0, 899), { kind: 'replay' });
    const service = await readyService({ source });
    await holds(service, 899);
    const asked = source.blocksAsked;
    expect(asked[0]).toEqual({ from: 600, to: 899 });
    const tops = asked.map((range) => range.to);
    expect(tops).toEqual(tops.toSorted((a, b) => b - a));
    expect(new Set(tops).size).toBe(tops.length);
  });

  test('stops where the past of the source begins', async () => {
    const source = new ScriptedSource(makeBlocks(0, 1_999), { kind: 'replay' });
    source.pastBegins = 1_600;
    const service = await readyService({ source });
    await waitFor(() => source.blocksAsked.some((range) => range.from <= 1_600));
    source.mine(makeBlock(2_000));
    await headIs(service, 2_000);
    expect(await service.current()).toMatchObject({ stale: false, source: { problem: null } });
  });

  async function played() {
    const path = await temporaryFile('replay.db');
    const source = new ScriptedSource(makeBlocks(0, 399), { kind: 'replay' });
    const first = await readyService({ source, database: path });
    await holds(first, 399);
    await first.stop();
    return path;
  }

  test('a restart shows the history before the source says a word, then asks for the gap alone', async () => {
    const path = await played();

    const source = new ScriptedSource(makeBlocks(0, 410), { kind: 'replay' });
    source.isReachable = false;
    const second = await readyService({ source, database: path });
    expect((await second.current()).blockNumber).toBe(399);
    source.isReachable = true;
    await headIs(second, 410);
    await holds(second, 410);
    expect(source.knownAsked[0]?.at(-1)).toEqual({ number: 399, hash: blockHash(399) });
    // What was asked for besides is only the comparison of the last stored block.
    expect(source.blocksAsked).toEqual([{ from: 399, to: 399 }]);
  });

  test('a recording played again begins again', async () => {
    const path = await played();
    const again = new ScriptedSource(makeBlocks(0, 200), { kind: 'replay' });
    const second = await runService({ source: again, database: path });
    await headIs(second, 200);
    expect((await storedNumbers(second)).at(-1)).toBe(200);
  });
});

describe('when something is wrong', () => {
  test('with nothing to answer from, it says 503, node by node, and when to ask again; then it recovers alone', async () => {
    const source = new ScriptedSource(makeBlocks(400, 499));
    source.isReachable = false;
    const service = await runService({ source });
    await waitFor(async () => {
      const body = ErrorBody.parse(await (await service.get(PATHS.gasCurrent)).json());
      return body.message.includes('does not answer');
    });
    const gas = [PATHS.gasCurrent, PATHS.gasTrend, PATHS.gasRecommendation];
    for (const path of [...gas, PATHS.statsChart, PATHS.statsMarket, PATHS.baseFee]) {
      const response = await service.get(path);
      expect(response.status, path).toBe(503);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      const body = ErrorBody.parse(await response.json());
      expect(body.errorCode).toBe('upstream_unavailable');
      expect(body.message).toContain('check the node');
      expect(body.details).toEqual([{ path: '127.0.0.1:8545', message: 'does not answer' }]);
    }
    source.isReachable = true;
    await service.ready;
    expect((await service.current()).blockNumber).toBe(499);
  });

  test('with history, it goes on answering from it and says why it is old and when it tries again', async () => {
    const source = new ScriptedSource(makeBlocks(400, 499));
    const service = await readyService({ source });
    const retryAt = Date.parse('2030-01-01T00:00:00Z');
    source.emit({ type: 'down', reason: '127.0.0.1:8545 does not answer', retryAt });
    await waitFor(async () => (await service.current()).stale);
    expect(await service.current()).toMatchObject({
      blockNumber: 499,
      stale: true,
      source: {
        problem: { message: '127.0.0.1:8545 does not answer', retryAt: '2030-01-01T00:00:00.000Z' },
      },
    });
    source.emit({ type: 'up' });
    await waitFor(async () => !(await service.current()).stale);
    expect((await service.current()).source.problem).toBeNull();
  });

  test('a chain that brings no block for long is stale, and its charts end where it ended', async () => {
    const source = new ScriptedSource(makeBlocks(400, 499));
    const service = await readyService({ source });
    const head = makeBlock(499).timestamp;
    source.clock = (head + 48) * 1_000;
    expect((await service.current()).stale).toBe(false);
    source.clock = (head + 49) * 1_000;
    const late = await service.current();
    expect(late.stale).toBe(true);
    expect(late.source.problem?.message).toBe(`no new block since ${utcMinute(head * 1_000)}`);
    source.clock = (head + 86_400) * 1_000;
    expect((await service.current()).source.problem?.message).toMatch(/; is this machine's clock right\?$/);
    const chart = StatsChart.parse(await service.read(`${PATHS.statsChart}?timeFrame=1h`));
    expect(chart.points.at(-1)?.timestamp).toBe(new Date(head * 1_000).toISOString());
  });

  test('what is stored of another chain is no longer answered once a node says so, and is kept', async () => {
    const path = await temporaryFile('chain.db');
    const before = await readyService({ source: new ScriptedSource(makeBlocks(0, 99)), database: path });
    await before.stop();
    const source = new ScriptedSource(makeBlocks(0, 9), { chainId: 10 });
    source.isReachable = false;
    const service = await readyService({ source, database: path });
    expect((await service.current()).blockNumber).toBe(99);
    source.isReachable = true;
    await waitFor(async () => (await service.get(PATHS.gasCurrent)).status === 503);
    for (const asked of [PATHS.gasCurrent, PATHS.gasRecommendation, `${PATHS.statsChart}?timeFrame=1h`]) {
      const answer = await service.get(asked);
      expect(answer.status).toBe(503);
      expect(ErrorBody.parse(await answer.json()).message).toBe(
        'no chain data yet: chain.db holds chain 1, not chain 10; name another path with --db',
      );
    }
    await service.stop();
    const kept = await openDatabase(path);
    expect((await new BlockStore(kept).head())?.number).toBe(99);
    await kept.close();
  });

  test('a full disk is told and the advice goes on; when there is room again the blocks are filled in', async () => {
    const path = await temporaryFile('chain-1.db');
    const database = await openDatabase(path);
    const source = new ScriptedSource(makeBlocks(0, 299), { kind: 'replay' });
    const service = await readyService({ source, database });
    const read = () => service.current();
    const store = new BlockStore(database);
    await waitFor(async () => (await store.head())?.number === 299);
    await sql`pragma max_page_count = 1`.execute(database.queries);
    source.mine(...makeBlocks(300, 599));
    await waitFor(async () => (await read()).source.problem?.message.includes('the disk is full'));
    await waitFor(async () => (await read()).blockNumber === 599);
    await sql`pragma max_page_count = 1000000`.execute(database.queries);
    source.mine(makeBlock(600));
    await waitFor(async () => (await store.missingRanges({ from: 0, to: 600 })).length === 0);
    expect((await read()).source.problem).toBeNull();
  });

  test('an engine that fails does not end the service', async () => {
    const source = new ScriptedSource(makeBlocks(400, 499));
    let failures = 1;
    const service = await runService({
      source,
      createEngine: (profile) => {
        const engine = new FeeEngine({ feeRule: profile.feeRule });
        return {
          get head() {
            return engine.head;
          },
          rewindTo: (number) => engine.rewindTo(number),
          advice: () => engine.advice(),
          recommendation: (patienceSec) => engine.recommendation(patienceSec),
          lanePrices: () => engine.lanePrices(),
          reachProbability: (price, withinSec) => engine.reachProbability(price, withinSec),
          meanPrices: (first, last) => engine.meanPrices(first, last),
          push: (block) => {
            if (block.number === 500 && failures-- > 0) throw new Error('an error nobody foresaw');
            engine.push(block);
          },
        };
      },
    });
    await service.ready;
    source.mine(makeBlock(500));
    await headIs(service, 500);
    expect(service.errors.map(String)).toEqual(['Error: an error nobody foresaw']);
    source.mine(makeBlock(501));
    await headIs(service, 501);
  });
});

test('a node that hangs does not hold up the end', async () => {
  const source = new ScriptedSource(makeBlocks(400, 499));
  source.chain = () => new Promise(() => {});
  const service = await runService({
    source,
    priceFeed: { nativeUsd: () => new Promise(() => {}) },
  });
  await service.stop();
  await expect(service.ready).rejects.toBeDefined();
});

test('after the abort everything ends, the database is closed and questions are refused', async () => {
  const path = await temporaryFile('chain-1.db');
  const source = new ScriptedSource(makeBlocks(400, 499));
  const service = await readyService({ source, database: path });
  source.mine(makeBlock(500));
  await headIs(service, 500);
  await service.stop();
  expect((await service.get(PATHS.gasCurrent)).status).toBe(503);
  const database = await openDatabase(path);
  expect((await new BlockStore(database).head())?.number).toBe(500);
  await database.close();
});
