/** A database that several machines share is not one replica's to begin anew. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KyselyPlugin } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Block, Hex } from '../../src/core/block.ts';
import { identifiedChain } from '../../src/core/chains.ts';
import type { News } from '../../src/service/follow/source-news.ts';
import { AutoTxStore } from '../../src/store/auto-txs.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import type { Database } from '../../src/store/database.ts';
import { LeaseStore } from '../../src/store/lease.ts';
import { runMain } from '../cli/captured-io.ts';
import { blockHash, makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { ENGINES, emptyDatabase, TEST_KEY } from '../helpers/databases.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { runService } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { bytesOf, storedAutoTx } from '../store/auto-txs/stored-auto-txs.ts';

const GENESIS = [1, 2].map((place): Hex => `0x${String(place).repeat(64)}`);
const STORED = { blocks: 300, waiting: 3 };

const another = (from: number, to: number) =>
  makeBlocks(from, to).map((block) => ({
    ...block,
    hash: blockHash(block.number, 9),
    parentHash: blockHash(block.number - 1, 9),
  }));

function nodeOf(blocks: readonly Block[], chainId = 31_337, genesis = GENESIS[0]) {
  const node = new ScriptedSource(blocks, { chainId });
  node.profile = identifiedChain(chainId, genesis ?? null);
  return node;
}

/** A database that a leader with the right node has filled and left. */
async function filled(chainId = 31_337, stored: readonly Block[] = makeBlocks(0, STORED.blocks - 1)) {
  const target = await emptyDatabase('PostgreSQL');
  const database = await openDatabase(target, TEST_KEY);
  onTestFinished(() => database.close());
  const blocks = new BlockStore(database);
  await blocks.claimChain(identifiedChain(chainId, GENESIS[0] ?? null));
  await blocks.saveBlocks(stored);
  const autoTxs = new AutoTxStore(database);
  for (let nonce = 0; nonce < STORED.waiting; nonce += 1) {
    const order = { target: 1n };
    const autoTx = storedAutoTx(`atx_${nonce}`, { order, signed: { nonce, chainId }, chainId });
    await autoTxs.create(autoTx, bytesOf(autoTx.id), 100);
  }
  const kept = async () => ({
    blocks: (await database.queries.selectFrom('blocks').select('number').execute()).length,
    waiting: (await autoTxs.totals('')).byStatus.PENDING ?? 0,
  });
  const leases = new LeaseStore(database);
  const leader = async () => (await leases.read())?.process ?? null;
  const start = async (name: string, source: ScriptedSource, of = (own: Database) => own) => {
    const news: News[] = [];
    const own = of(await openDatabase(target, TEST_KEY));
    const onNews = (each: News) => news.push(each);
    const service = await runService({ source, database: own, process: name, onNews, neglectedMs: 600_000 });
    return { ...service, news, problem: () => service.condition().failure?.message ?? '' };
  };
  return { target, kept, leader, leases, start, blocks };
}

/** A database whose reads are repeated after the pause that the test has for them. @param pauseOf by the tables and conditions of a query */
function withPauses(database: Database, pauseOf: (query: string) => Promise<void> | undefined): Database {
  return {
    ...database,
    run: async (work, retryTimes) => {
      let query = '';
      const plugin: KyselyPlugin = {
        transformQuery: ({ node }) => {
          if (node.kind === 'SelectQueryNode') query += JSON.stringify([node.from, node.where]);
          return node;
        },
        transformResult: async ({ result }) => result,
      };
      const result = await database.run((db) => work(db.withPlugin(plugin)), retryTimes);
      const pause = pauseOf(query);
      if (pause === undefined) return result;
      await pause;
      return database.run(work, retryTimes);
    },
  };
}

const OTHERS = [
  ['another genesis under an unlisted id', () => nodeOf(another(0, 400), 31_337, GENESIS[1]), '0x2222'],
  ['another genesis, below what is stored', () => nodeOf(another(0, 3), 31_337, GENESIS[1]), '0x1111'],
  ['another chain id', () => nodeOf(makeBlocks(0, 400), 4_711), 'is on chain 4711'],
  ['other blocks at every depth', () => nodeOf(another(0, 400)), 'has other blocks than'],
  ['a head below all that is stored', () => nodeOf(another(0, 3)), 'has other blocks than'],
] as const;

describe.runIf(ENGINES.includes('PostgreSQL'))('a replica on PostgreSQL', () => {
  test.each(OTHERS)('whose node has %s never leads, drops nothing, and says so', async (_, node, says) => {
    const { kept, leader, start } = await filled();
    const wrong = await start('wrong', node());
    const problem = await waitFor(() => wrong.problem().includes(says) && wrong.problem());
    expect(problem).toContain('this process does not lead');
    // It reads from the database what others have stored.
    await wrong.ready;
    expect([await kept(), await leader()]).toEqual([STORED, null]);
    expect(wrong.news.filter(({ message }) => message === problem)).toEqual([
      { isWell: false, message: problem },
    ]);

    const right = await start('right', nodeOf(makeBlocks(0, 310)));
    await waitFor(async () => (await leader()) === 'right');
    await waitFor(async () => (await kept()).blocks === 311, { what: 'the new blocks' });
    // Beside a leader it is still not ready, and goes on answering.
    await waitFor(async () => (await wrong.current()).blockNumber === 310);
    expect(wrong.problem()).toContain(says);
    expect(right.condition().failure).toBeNull();
    await right.stop();
    expect(await kept()).toEqual({ ...STORED, blocks: 311 });
    expect(wrong.errors).toEqual([]);
  });

  test('a standby whose node is on another chain says so at once, not when it should lead', async () => {
    const { leader, start } = await filled();
    await start('right', nodeOf(makeBlocks(0, 310)));
    await waitFor(async () => (await leader()) === 'right');
    for (const [node, says] of [
      [nodeOf(another(0, 400), 31_337, GENESIS[1]), '0x2222'],
      [nodeOf(makeBlocks(0, 400), 4_711), 'is on chain 4711'],
      [nodeOf(makeBlocks(0, 400), 10), 'is on chain 10'],
    ] as const) {
      const wrong = await start('wrong', node);
      await waitFor(() => wrong.problem().includes(says));
      expect(await leader()).toBe('right');
      await wrong.stop();
    }
  });

  test('a leader whose chain began anew gives up the lease, until its node is back or the operator begins anew', async () => {
    const { target, kept, leader, leases, start, blocks } = await filled();
    const node = nodeOf(makeBlocks(0, 310));
    const service = await start('one', node);
    await waitFor(async () => (await leader()) === 'one');
    await waitFor(async () => (await kept()).blocks === 311);
    const refused = await runMain(['migrate', '--begin-anew', '--yes', '--database', target]);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('one follows the chain')]);

    const fresh = nodeOf(another(0, 5), 31_337, GENESIS[1]);
    Object.assign(node, {
      chain: () => fresh.chain(),
      head: () => fresh.head(),
      blocks: (from: number, to: number) => fresh.blocks(from, to),
      subscribe: (options: Parameters<ScriptedSource['subscribe']>[0]) => fresh.subscribe(options),
    });
    // It looks again once it follows anew, as after any failure of its node.
    await leases.release((await leases.read())?.holder ?? '');
    await waitFor(() => service.problem().includes('0x2222'));
    await sleep(1_000);
    expect([await leader(), await kept()]).toEqual([null, { ...STORED, blocks: 311 }]);

    const asked = { terminal: true, answer: 'n' };
    const declined = await runMain(['migrate', '--begin-anew', '--database', target], asked);
    expect([declined.exitCode, declined.stderr]).toEqual([0, expect.stringContaining('nothing was changed')]);
    expect(await kept()).toEqual({ ...STORED, blocks: 311 });
    const begun = await runMain(['migrate', '--begin-anew', '--yes', '--database', target]);
    expect([begun.exitCode, begun.stderr]).toEqual([0, expect.stringContaining('next process that leads')]);
    await waitFor(async () => (await leader()) === 'one', {
      what: 'a leader on the new chain',
      timeoutMs: 20_000,
    });
    await waitFor(async () => (await blocks.genesisHash()) === GENESIS[1]);
    await waitFor(async () => (await kept()).blocks === 6);
    expect((await kept()).waiting).toBe(0);
  });

  test('that leads drops no block when its node goes back, and replaces those that another branch has', async () => {
    const { leader, start, kept, blocks } = await filled(1);
    const node = new ScriptedSource(makeBlocks(0, 310));
    node.profile = identifiedChain(1, GENESIS[0] ?? null);
    const one = await start('one', node);
    await waitFor(async () => (await kept()).blocks === 311);
    for (const back of [300, 250, 5]) {
      node.reorg(back, []);
      // The same blocks once more.
      node.mine(...makeBlocks(back + 1, 310));
      const next = ((await blocks.head())?.number ?? 0) + 1;
      node.mine(...makeBlocks(311, next));
      await waitFor(async () => (await kept()).blocks === next + 1, { what: `block ${next}` });
      expect(await leader()).toBe('one');
    }
    expect(await blocks.missingRanges({ from: 0, to: 313 })).toEqual([]);
    node.reorg(309, another(310, 315));
    await waitFor(async () => (await blocks.head())?.hash === blockHash(315, 9));
    const stored = await blocks.page(308, 10);
    expect(stored.map(({ hash }) => hash)).toEqual([
      ...[308, 309].map((number) => blockHash(number)),
      ...another(310, 315).map(({ hash }) => hash),
    ]);
    expect(one.errors).toEqual([]);
  });

  test.each([1, 120])(
    'replaces %i blocks, all that it has, once a reorg has orphaned them',
    async (count) => {
      const { leader, start, kept, blocks } = await filled(31_337, another(300 - count, 299));
      const node = nodeOf(makeBlocks(0, 298));
      const one = await start('one', node);
      await waitFor(() => one.problem().includes('has other blocks'));
      expect([await kept(), await leader()]).toEqual([{ ...STORED, blocks: count }, null]);
      node.mine(...makeBlocks(299, 301));
      await waitFor(async () => (await leader()) === 'one', { what: 'the leader', timeoutMs: 20_000 });
      await waitFor(async () => (await kept()).blocks === 302, { what: 'the history' });
      expect((await blocks.page(299, 1))[0]?.hash).toBe(blockHash(299));
      expect((await kept()).waiting).toBe(STORED.waiting);
      expect(one.errors).toEqual([]);
    },
  );

  test('takes a lease that lapses while it begins to stand by', async () => {
    const { leader, leases, start } = await filled(1);
    const node = new ScriptedSource(makeBlocks(0, 310));
    node.profile = identifiedChain(1, GENESIS[0] ?? null);
    const dead = { holder: 'dead', process: 'dead', since: 0, heartbeatAt: 0 };
    expect(await leases.take(dead, null)).toBe(true);
    // It has read that another leads, by its own loop and to follow, and is about to stand by when its loop reads again.
    const [isAboutTo, hasLapsed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const asked = { lease: 0, chainId: 0 };
    await start('one', node, (own) =>
      withPauses(own, (query) => {
        if (query.includes('"leases"')) asked.lease += 1;
        if (query.includes('"chain_id"')) asked.chainId += 1;
        if (query.includes('"chain_id"')) return asked.chainId > 1 ? isAboutTo.promise : undefined;
        if (!query.includes('"leases"') || asked.lease < 3) return undefined;
        isAboutTo.resolve();
        return hasLapsed.promise;
      }),
    );
    await isAboutTo.promise;
    await leases.release('dead');
    hasLapsed.resolve();
    await waitFor(async () => (await leader()) === 'one', { what: 'the new leader', timeoutMs: 20_000 });
  });

  test('one whose node lags waits until it has caught up, while another leads', async () => {
    const { leader, start, kept } = await filled(1);
    const slow = new ScriptedSource(makeBlocks(0, 200));
    slow.profile = identifiedChain(1, GENESIS[0] ?? null);
    const lagging = await start('lagging', slow);
    await waitFor(() => lagging.problem().includes('is at block 200'));
    expect(await leader()).toBeNull();
    slow.mine(...makeBlocks(201, 301));
    await waitFor(async () => (await leader()) === 'lagging', { timeoutMs: 20_000 });
    await waitFor(async () => (await kept()).blocks === 302);
    slow.mine(makeBlock(302));
    await waitFor(async () => (await kept()).blocks === 303);
  });
});
