import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { ChainError, type ChainEvent, type KnownBlock } from '../../../src/chain/chain-source.ts';
import type { Block } from '../../../src/core/block.ts';
import { chainProfile } from '../../../src/core/chains.ts';
import { startOutboxWorker } from '../../../src/service/alerts/outbox-worker.ts';
import { createAdviceJudge } from '../../../src/service/follow/advice-judge.ts';
import { Follower } from '../../../src/service/follow/follower.ts';
import type { Engine } from '../../../src/service/follow/ingested-chain.ts';
import { Lease } from '../../../src/service/lease.ts';
import { TrackStore } from '../../../src/store/advice-track.ts';
import { BlockStore } from '../../../src/store/blocks.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { LeaseStore } from '../../../src/store/lease.ts';
import { basisOf, blockOf, pricesOf } from './crash-story.ts';

/** Run by crash.test.ts: follows crash-story.ts on the history argv[2] from the first input on, ends with the chain at the second. */

const TICK_MS = 2;
const HEAD = 10_000_000;

await once(process.stdin, 'data');
const database = await openDatabase(process.argv[2] ?? '');
const abort = new AbortController();
const { signal } = abort;
const onError = (error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
};
/** From then on it takes part: a life is not to be spent on beginning. */
let hasStored = false;
let hasEnded = false;
let last = 0;

async function* follow({ known }: { readonly known: readonly KnownBlock[] }): AsyncIterable<ChainEvent> {
  for (let number = (known.at(-1)?.number ?? -1) + 1; !hasEnded; number += 1) {
    last = number;
    yield { type: 'block', block: blockOf(number) };
    if (hasStored) process.stdout.write('.');
    await setTimeout(TICK_MS);
  }
  yield { type: 'ended' };
}

const refuse = () => Promise.reject(new ChainError('unsupported', 'this source cannot do that'));

const lease = new Lease({
  store: new LeaseStore(database),
  process: `process ${process.pid}`,
  role: 'service',
  wallNow: Date.now,
  onError,
});
const store = new BlockStore(database, () => lease.right);
const follower = new Follower({
  source: {
    kind: 'simulated',
    name: 'story',
    now: () => Date.now(),
    chain: async () => chainProfile(1),
    head: async () => blockOf(HEAD),
    blocks: async (from, to) => Array.from({ length: to - from + 1 }, (_, place) => blockOf(from + place)),
    subscribe: follow,
    call: refuse,
    sendRawTransaction: refuse,
    transaction: refuse,
    receipt: refuse,
    block: refuse,
    transactionsOf: refuse,
    nonce: refuse,
    balance: refuse,
    health: () => [],
  },
  store,
  track: createAdviceJudge(new TrackStore(database), onError, () => lease.mayWrite),
  lease,
  createEngine: storyEngine,
  // What lies before the head is all there.
  historySec: 3_600,
  loadedSec: 0,
  isFilledOnDemand: false,
  isForPrices: false,
  coinPrice: () => ({ nativeUsd: null }),
  wallNow: Date.now,
  ruleBasis: { at: () => basisOf(follower.chain.head?.number ?? 0), ready: async () => {} },
  wakeOutboxWorker: () => outboxWorker.wake(),
  wakeAutoTxSchedule: () => {
    hasStored = true;
  },
  onError,
  onNews: () => {},
  signal,
});
const outboxWorker = startOutboxWorker({
  lease,
  wallNow: Date.now,
  agreedNow: Date.now,
  database,
  delivery: { smtp: null, telegram: null, allowPrivateTargets: true },
  signal,
  onError,
});
lease.run();
const following = follower.run();

await once(process.stdin, 'data');
process.stdin.destroy();
hasEnded = true;
for (;;) {
  await setTimeout(10);
  if ((await store.head())?.number !== last) continue;
  const open = await database.queries
    .selectFrom('deliveries')
    .select('id')
    .where('status', '=', 'PENDING')
    .limit(1)
    .execute();
  if (open.length === 0) break;
}
abort.abort();
await following;
await outboxWorker.done();
await lease.end();
await database.close();

/** Knows of each block what crash-story.ts says it costs. */
function storyEngine(): Engine {
  let head: Block | null = null;
  return {
    get head() {
      return head;
    },
    push: (block) => {
      head = block;
    },
    rewindTo: (number) => {
      head = number < 0 ? null : blockOf(number);
    },
    advice: () => null,
    recommendation: () => null,
    meanPrices: () => null,
    lanePrices: () => (head === null ? null : pricesOf(head.number)),
    reachProbability: () => ({ probability: null, reason: 'nobody asks' }),
  };
}
