import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { AutoTxStore } from '../../../src/store/auto-txs.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { LeaseStore } from '../../../src/store/lease.ts';
import { type ServeProgram, startServe } from '../../cli/served-program.ts';
import { startAnvil } from '../../helpers/anvil.ts';
import { fund, GWEI, keptOf, mineAt, sign } from '../../helpers/auto-tx-rig.ts';
import { isSlowRun } from '../../helpers/rounds.ts';
import { temporaryFolder } from '../../helpers/service.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { startRecordingProxy } from './recording-proxy.ts';

/** `gastop serve`, once or more often on one database, stopped by SIGSTOP in the middle of its sends while the price rises. */

const SENDERS = 8;
const TARGET = 20n * GWEI;
const CHEAP = 10;
const DEAR = 90;
/** A sender's next transaction leaves after the response to the one before. */
const RESPONSE_MS = 20;
/** A pause between the last look at the clocks and the write: what was about to leave does so when it goes on. */
const PASSED_MOST = 1;
/** And it is rare: over many pauses at most one in ten. */
const PAUSES_PER_PASSED = 10;
/** Eight groups of programs run side by side in `npm run test:slow`. */
const WAIT = { timeoutMs: 600_000 };
const MINED_EVERY_MS = 15_000;

interface Pauses {
  readonly processes: number;
  readonly transport: 'http' | 'ws';
  readonly pausesMs: readonly number[];
  /** Auto-txs that become due in each round, an equal number of each sender. */
  readonly sends: number;
}

/** Nothing is decided on the price from before a pause or sent but what was being written, and all is sent later. */
async function expectNoOldPrices(pauses: Pauses): Promise<void> {
  const { processes, transport, pausesMs, sends } = pauses;
  const anvil = await startAnvil({ noMining: true, baseFee: BigInt(DEAR) * GWEI });
  onTestFinished(() => anvil.stop());
  let onLeft = () => {};
  const proxy = await startRecordingProxy(anvil, {
    passageOf: () => {
      onLeft();
      return { thereMs: 0, backMs: RESPONSE_MS };
    },
    onAnswered: () => {},
  });
  onTestFinished(() => proxy.stop());
  const home = await temporaryFolder();
  const path = join(home, 'shared.db');
  await mineAt(anvil, DEAR);
  const options = {
    home,
    env: { GASTOP_RPC: transport === 'ws' ? proxy.wsUrl : proxy.url, GASTOP_DB: path },
  };
  const programs: ServeProgram[] = [];
  for (let started = 0; started < processes; started += 1) programs.push(await startServe([], options));
  const database = await openDatabase(path);
  onTestFinished(() => database.close());
  const store = new AutoTxStore(database);
  const leases = new LeaseStore(database);
  const accounts = await Promise.all(Array.from({ length: SENDERS }, () => fund(anvil, 1_000n)));
  const nextNonces = new Map(accounts.map(({ address }) => [address, 0]));

  const head = async () => Number(await anvil.rpc('eth_blockNumber'));
  const headOf = async ({ origin }: ServeProgram) => {
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    return Number(/^gastop_head_block (\d+)$/m.exec(metrics)?.[1] ?? -1);
  };
  async function rise(): Promise<void> {
    await mineAt(anvil, DEAR);
    await untilKnown();
  }
  async function untilKnown(): Promise<void> {
    const number = await head();
    for (const program of programs) {
      await waitFor(async () => (await headOf(program)) >= number, { ...WAIT, what: `block ${number}` });
    }
  }
  async function leader(): Promise<ServeProgram> {
    return waitFor(
      async () => {
        const process = (await leases.read())?.process;
        return programs.find(({ child }) => process === `gastop serve, process ${child.pid}`);
      },
      { ...WAIT, what: 'a leader' },
    ).then((found) => found ?? Promise.reject(new Error('there is no leader')));
  }
  async function place() {
    const placed: { readonly id: string; readonly hash: string }[] = [];
    for (const account of accounts) {
      for (let count = 0; count < sends / SENDERS; count += 1) {
        const nonce = nextNonces.get(account.address) ?? 0;
        nextNonces.set(account.address, nonce + 1);
        const signed = await sign(account, { nonce });
        const autoTx = keptOf(signed, { target: TARGET });
        const created = await store.create(autoTx, Buffer.from(signed.slice(2), 'hex'), 1_000);
        if (created.kind !== 'created') throw new Error(created.kind);
        placed.push({ id: autoTx.id, hash: autoTx.signed?.hash ?? '' });
      }
    }
    return placed;
  }

  let passedInAll = 0;
  for (const [round, pauseMs] of pausesMs.entries()) {
    await rise();
    const leading = await leader();
    // The leader alone is stopped, or the whole machine sleeps.
    const stopped = round % 2 === 0 ? programs : [leading];
    const placed = await place();
    const before = proxy.left.length;
    const last = before + 1 + ((round * 7) % (sends / 2));
    const pause = Promise.withResolvers<void>();
    onLeft = () => {
      if (proxy.left.length < last) return;
      for (const { child } of stopped) child.kill('SIGSTOP');
      onLeft = () => {};
      pause.resolve();
    };
    await mineAt(anvil, CHEAP);
    await pause.promise;
    const isOver = setTimeout(pauseMs);
    for (let block = 0; block < 3; block += 1) await mineAt(anvil, DEAR);
    await isOver;
    const leftBefore = proxy.left.length;
    const resumedAt = Date.now();
    for (const { child } of stopped) child.kill('SIGCONT');
    await untilKnown();
    // A block later all that was under way has ended.
    await rise();
    const passed = proxy.left.slice(leftBefore);
    expect(passed.length, `sent on the old price after ${pauseMs} ms`).toBeLessThanOrEqual(PASSED_MOST);
    passedInAll += passed.length;
    const cheapAt = Date.now();
    for (const { id } of placed) {
      const timeline = await store.timeline(id);
      const decided = timeline.filter(
        ({ kind, at }) => kind === 'SUBMITTED' && at >= resumedAt && at < cheapAt,
      );
      expect(decided, `decided on the old price after ${pauseMs} ms`).toEqual([]);
    }

    let minedAt = 0;
    await waitFor(
      async () => {
        // A busy node may fail to respond to a send, which is tried again only on the price of a fresh block.
        if (Date.now() - minedAt > MINED_EVERY_MS) {
          await mineAt(anvil, CHEAP);
          minedAt = Date.now();
        }
        const left = new Set<string>(proxy.left.slice(before));
        const missing = placed.filter(({ hash }) => !left.has(hash));
        if (missing.length === 0) return true;
        const states = await Promise.all(missing.map(async ({ id }) => (await store.find('', id))?.state));
        const each = states.map((state) => `${state?.status} ${JSON.stringify(state?.hold)}`);
        throw new Error(`of ${sends} have not been sent: ${each.join(', ')}`);
      },
      { ...WAIT, what: 'each is sent once the price is low again' },
    );
    await mineAt(anvil, CHEAP);
  }
  expect(passedInAll, 'sent on the old price in all').toBeLessThanOrEqual(
    Math.ceil(pausesMs.length / PAUSES_PER_PASSED),
  );
}

const GROUPS: readonly Pauses[] = isSlowRun
  ? [1, 2].flatMap((processes) =>
      (['http', 'ws'] as const).flatMap((transport) =>
        [12_000, 60_000].map((ms) => ({ processes, transport, pausesMs: Array(10).fill(ms), sends: 40 })),
      ),
    )
  : // Longer than the gap that shows a pause.
    [{ processes: 1, transport: 'http', pausesMs: [4_000], sends: 24 }];

test('no auto-tx is decided or sent on the price from before a pause', async () => {
  // Stopped programs take no time of a core.
  await Promise.all(GROUPS.map(expectNoOldPrices));
}, 3_600_000);
