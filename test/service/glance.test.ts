import { expect, onTestFinished, test } from 'vitest';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import { GasRecommendation } from '../../src/contract/advice.ts';
import { PATHS } from '../../src/contract/routes.ts';
import type { ChainProfile } from '../../src/core/chains.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';
import { readyService, temporaryFile } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const LENGTH = 900;

async function startNode(length = LENGTH) {
  const startedAt = Math.floor(Date.now() / 1_000) - length * 12;
  const chain = createScriptedChain({ length, startedAt });
  const node = await startJsonRpcServer(chain);
  onTestFinished(() => node.stop());
  return { chain, node };
}

type Node = Awaited<ReturnType<typeof startNode>>['node'];

/** One answer, as `gastop now` gives it, with the node's head. */
async function glanceAt(
  node: Node,
  database: string,
  {
    glance = 'prices',
    historySec = 0,
    isFilled = false,
    ...options
  }: Partial<Parameters<typeof readyService>[0]> & {
    readonly isFilled?: boolean;
  } = {},
) {
  const source = createRpcSource({ urls: [node.url] });
  const role = { role: 'one-shot', glance, historySec } as const;
  const service = await readyService({ source, database, ...role, ...options });
  await waitFor(async () => !(await service.current()).stale, { what: 'the newest block' });
  if (isFilled) await service.filled();
  const current = await service.current();
  const advice = GasRecommendation.parse(await service.read(PATHS.gasRecommendation));
  expect(service.errors).toEqual([]);
  await service.stop();
  source.close();
  return { current, advice };
}

async function storedNumbers(path: string): Promise<readonly number[]> {
  const database = await openDatabase(path);
  const rows = await database.queries.selectFrom('blocks').select('number').orderBy('number').execute();
  await database.close();
  return rows.map(({ number }) => number);
}

test.each([0, 1, 2, 7])(
  'a glance says the same of the block %i after the last run, whether nothing, a few blocks or all are stored',
  async (more) => {
    const { chain, node } = await startNode();
    const [few, all, none] = await Promise.all(['few.db', 'all.db', 'none.db'].map(temporaryFile));
    if (few === undefined || all === undefined || none === undefined) throw new Error('no files');
    await glanceAt(node, few);
    await glanceAt(node, all, { historySec: 3_600, isFilled: true });
    chain.mine(more);
    const said = [await glanceAt(node, none), await glanceAt(node, few), await glanceAt(node, all)];
    for (const { current } of said) {
      expect(current.blockNumber).toBe(LENGTH - 1 + more);
      expect(current.lanes.average.probability).not.toBeNull();
      expect(current.lanes).toEqual(said[0]?.current.lanes);
    }
    expect(await storedNumbers(few)).toEqual(Array.from({ length: more + 1 }, (_, at) => LENGTH - 1 + at));
  },
);

test.each([9, 70, 400])(
  'a glance for prices stores none of %i blocks since the last one, and asks for few',
  async (more) => {
    const { chain, node } = await startNode();
    const [path, none] = await Promise.all(['chain.db', 'none.db'].map(temporaryFile));
    if (path === undefined || none === undefined) throw new Error('no files');
    await glanceAt(node, path);
    chain.mine(more);
    const before = node.requests.length;
    const { current } = await glanceAt(node, path);
    expect(node.requests.length - before).toBeLessThan(16);
    expect(current.blockNumber).toBe(LENGTH - 1 + more);
    expect(current.lanes).toEqual((await glanceAt(node, none)).current.lanes);
    expect(await storedNumbers(path)).toEqual([LENGTH - 1]);
  },
);

test('a glance asks a node neither for forks nor for history, until that is waited for', async () => {
  const { node } = await startNode();
  const path = await temporaryFile('chain.db');
  await glanceAt(node, path);
  const before = node.requests.map(({ method }) => method);
  expect(before).not.toContain('eth_config');
  expect(before.filter((method) => method === 'eth_feeHistory').length).toBeLessThanOrEqual(2);
  expect(await storedNumbers(path)).toEqual([LENGTH - 1]);
  await glanceAt(node, path, { historySec: 3_600, isFilled: true });
  expect((await storedNumbers(path)).length).toBeGreaterThanOrEqual(300);
});

test('a glance for advice rests on all that is stored of its time, one for prices records no advice', async () => {
  const { node } = await startNode();
  const path = await temporaryFile('chain.db');
  await glanceAt(node, path, { glance: 'advice', historySec: 9_000, isFilled: true });
  const records = async () => {
    const database = await openDatabase(path);
    const rows = await database.queries.selectFrom('advice').select(['block_number', 'verdict']).execute();
    await database.close();
    return rows;
  };
  const given = await records();
  const stored = await glanceAt(node, path, { glance: 'advice', historySec: 9_000 });
  expect(stored.advice.alternatives[1]?.probability).not.toBeNull();
  await glanceAt(node, path);
  expect(await records()).toEqual(given);
});

test.each([40, 80, 120])(
  'a glance for advice that finds all %i blocks of a chain stored feeds one engine, and says what one that reads them says',
  async (length) => {
    const { node } = await startNode(length);
    const path = await temporaryFile('chain.db');
    const glance = { glance: 'advice', historySec: 9_000, isFilled: true } as const;
    const first = await glanceAt(node, path, glance);
    let engines = 0;
    const createEngine = ({ feeRule }: ChainProfile) => {
      engines += 1;
      return new FeeEngine({ feeRule, capacity: 15_000 });
    };
    const again = await glanceAt(node, path, { ...glance, createEngine });
    expect(engines).toBe(1);
    expect(again.advice.action).toBeNull();
    expect(again.current.lanes).toEqual(first.current.lanes);
    const { updatedAt, validUntil } = again.advice;
    expect(again.advice).toEqual({ ...first.advice, updatedAt, validUntil });
  },
);
