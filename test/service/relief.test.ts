import { expect, onTestFinished, test } from 'vitest';
import type { Block } from '../../src/core/block.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { FeeEngine } from '../../src/core/engine/fee-engine.ts';
import { AdviceJudge } from '../../src/service/follow/advice-judge.ts';
import { ChainState } from '../../src/service/follow/chain-state.ts';
import { Lease } from '../../src/service/leader.ts';
import { TrackStore } from '../../src/store/advice-track.ts';
import { BlockStore } from '../../src/store/blocks.ts';
import { openDatabase } from '../../src/store/database.ts';
import { LeaseStore } from '../../src/store/lease.ts';
import { blockHash, makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';

const fail = (error: unknown) => {
  throw error;
};

/** A holder that has written blocks 0–99 and says that it is there, and a chain that stands by with blocks of its own. */
async function standingBy(blocks: readonly Block[]) {
  const database = await openDatabase(':memory:');
  onTestFinished(() => database.close());
  const store = new BlockStore(database);
  await store.saveBlocks(makeBlocks(0, 99));
  await store.claimChain({ id: 1 });
  const leases = new LeaseStore(database);
  const clock = { steady: 0 };
  const began = Date.now();
  const beat = () => leases.beat('holder', began + clock.steady);
  await leases.take({ holder: 'holder', process: 'holder', since: 0, heartbeatAt: began }, null);
  const lease = new Lease({
    store: leases,
    process: 'standby',
    role: 'stays',
    wallNow: () => began + clock.steady,
    steadyNow: () => clock.steady,
    onError: fail,
  });
  const chain = new ChainState(
    {
      source: { kind: 'rpc', blocks: async () => [] },
      store: new BlockStore(database, () => lease.right),
      track: new AdviceJudge(new TrackStore(database), fail, () => lease.mayWrite),
      lease,
      createEngine: ({ feeRule }) => new FeeEngine({ feeRule }),
      wallNow: Date.now,
      steadyNow: () => clock.steady,
      signal: new AbortController().signal,
    },
    {
      onRecovered: () => {},
      isLate: () => false,
      isPast: () => false,
      onTurn: () => {},
      onForeign: () => {},
    },
  );
  await chain.adopt(chainProfile(1));
  await lease.bid();
  for (const block of blocks) {
    chain.ingest(block);
    await chain.flush();
    clock.steady += 8_000;
    await beat();
    await lease.look();
  }
  await lease.look();
  return { lease, store };
}

test('a holder that is there but writes nothing is relieved by one whose blocks go on from what is stored', async () => {
  const { lease } = await standingBy(makeBlocks(100, 110));
  expect(lease.state).toBe('holds');
});

test('one whose node lies behind a gap relieves it, too, while it knows the stored head', async () => {
  const { lease } = await standingBy([...makeBlocks(90, 99), ...makeBlocks(150, 160)]);
  expect(lease.state).toBe('holds');
});

test('one on other blocks of the same chain id, such as a fork, never takes the lease from a holder that is there', async () => {
  const fork = Array.from({ length: 20 }, (_, place) => {
    const number = 95 + place;
    const parentHash = blockHash(number - 1, place === 0 ? 0 : 1);
    return makeBlock(number, { hash: blockHash(number, 1), parentHash });
  });
  const { lease, store } = await standingBy(fork);
  expect(lease.state).toBe('stands-by');
  expect((await store.head())?.hash).toBe(blockHash(99));
});
