import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import type { Hex } from '../../../src/core/block.ts';
import { type Anvil, startAnvil } from '../../helpers/anvil.ts';
import { GWEI } from '../../helpers/auto-tx-rig.ts';
import { afterKills, emptyDatabase, killsOn } from '../../helpers/databases.ts';
import { openDatabase } from '../../helpers/open-database.ts';
import { isSlowRun } from '../../helpers/rounds.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { buildProgram } from '../../tui/build-program.ts';
import { type Chance, chanceOf } from './chance.ts';
import { type AutoTxRecord, expectDecidedFirst, type Records, readRecords } from './crash-records.ts';
import { type Story, startStory, TARGET_GWEI } from './crash-story.ts';
import { type KilledService, prepareService } from './killed-service.ts';
import { type Passage, startRecordingProxy } from './recording-proxy.ts';

const LIVE: ReadonlySet<string> = new Set(['PENDING', 'DISABLED', 'SUBMITTED']);
const FINAL_KINDS: ReadonlySet<string> = new Set(['EXECUTED', 'FAILED', 'CANCELLED', 'EXPIRED']);
const WAY_KINDS: ReadonlySet<string> = new Set(['SUBMITTED', 'SENT', 'SEEN', 'UNSEEN', 'RESENT', 'DECLINED']);
const CHEAP = 10;

interface Settling {
  readonly path: string;
  readonly anvil: Anvil;
  readonly story: Story;
  readonly service: KilledService;
}

/** Mines cheap blocks until each auto-tx is final: the wallet uses the nonces that no auto-tx uses. */
async function settle({ path, anvil, story, service }: Settling): Promise<void> {
  await waitFor(
    async () => {
      const open = (await readRecords(path)).autoTxs.filter(
        (each) => LIVE.has(each.status) || each.may_be_out === 1,
      );
      if (open.length === 0) return true;
      for (const from of story.senders) {
        const own = open.filter((each) => each.from_address.toLowerCase() === from.toLowerCase());
        const nonce = Number(await anvil.rpc('eth_getTransactionCount', [from, 'latest']));
        const isNobodys = !own.some((each) => LIVE.has(each.status) && each.nonce === nonce);
        if (isNobodys && own.some((each) => each.nonce >= nonce)) await story.fill(from, nonce);
      }
      await story.pass(10);
      service.pass(10_000);
      await story.mine(CHEAP);
      await sleep(100);
      throw new Error(`open: ${JSON.stringify(open.slice(0, 3))}`);
    },
    { what: 'the end of every auto-tx' },
  );
}

async function expectTrue(
  path: string,
  { anvil, story, left }: { readonly anvil: Anvil; readonly story: Story; readonly left: readonly Hex[] },
): Promise<void> {
  const records = await readRecords(path);
  for (const each of records.autoTxs) {
    const receipt = await anvil.rpc('eth_getTransactionReceipt', [each.hash]);
    expectRightEnd(each, receipt as Receipt | null);
    const kinds = records.notes.filter(({ auto_tx_id }) => auto_tx_id === each.id).map(({ kind }) => kind);
    expectSameStory(each, kinds, left.includes(each.hash));
  }
  const used = new Map<Hex, number>();
  for (const from of story.senders) {
    used.set(from, Number(await anvil.rpc('eth_getTransactionCount', [from, 'latest'])));
  }
  for (const { from_address, nonce, hash } of records.autoTxs) {
    if (!left.includes(hash)) continue;
    const from = story.senders.find((each) => each.toLowerCase() === from_address.toLowerCase());
    expect(nonce).toBeLessThan((from && used.get(from)) ?? 0);
  }
  expectWithdrawnStay(records, story, left);
  expectNonceOrder(story, left);
  expectNoBytes(records);
  expect(records.executed).toBe(records.autoTxs.filter(({ status }) => status === 'EXECUTED').length);
}

const ENDS = ['EXECUTED', 'CANCELLED', 'EXPIRED', 'reverted', 'nonce_used'] as const;

function missingEnds({ autoTxs }: Records): readonly string[] {
  const ends = new Set(autoTxs.map(({ status, failure_code }) => failure_code ?? status));
  return ENDS.filter((end) => !ends.has(end));
}

interface Receipt {
  readonly status: string;
  readonly blockHash: string;
}

function expectRightEnd(each: AutoTxRecord, receipt: Receipt | null): void {
  const { hash, status, failure_code, block_hash } = each;
  const found = { hash, status, failure_code, block_hash };
  if (receipt?.status === '0x1') {
    const block_hash = receipt.blockHash;
    expect(found).toEqual({ hash, status: 'EXECUTED', failure_code: null, block_hash });
  } else if (receipt !== null) {
    const block_hash = receipt.blockHash;
    expect(found).toEqual({ hash, status: 'FAILED', failure_code: 'reverted', block_hash });
  } else {
    // Its nonce is another's by now, whatever became of it before.
    expect(['FAILED', 'CANCELLED', 'EXPIRED'], hash).toContain(status);
    expect(block_hash).toBeNull();
    if (status === 'FAILED') expect(failure_code, hash).toBe('nonce_used');
  }
}

/** The timeline says what the state says, and what has left the service. */
function expectSameStory(each: AutoTxRecord, kinds: readonly string[], hasLeft: boolean): void {
  const told = `${each.status} of ${each.hash}: ${kinds.join(' ')}`;
  expect(kinds[0], told).toBe('CREATED');
  const decisions = kinds.filter((kind) => kind === 'SUBMITTED').length;
  expect(decisions, told).toBe(each.attempts);
  expect(
    kinds.findLast((kind) => FINAL_KINDS.has(kind)),
    told,
  ).toBe(each.status);
  for (const kind of ['EXECUTED', 'FAILED']) {
    const times = kinds.filter((one) => one === kind).length;
    expect(times, told).toBe(each.status === kind ? 1 : 0);
  }
  expect(each.may_be_out, told).toBe(0);
  // The last decision used the effective price of its limit of cost. A pending auto-tx follows the coin's price, which is unknown after a start.
  const waitsAgain = kinds.lastIndexOf('DECLINED') > kinds.lastIndexOf('SUBMITTED');
  if (each.max_cost !== null && decisions > 0 && !waitsAgain) {
    expect([each.threshold_reason, Math.round(each.target / 1e7) / 100], told).toEqual([null, TARGET_GWEI]);
  }
  // Only a pending auto-tx can be cancelled, not one that was broadcast.
  const ended = kinds.findIndex((kind) => kind === 'CANCELLED' || kind === 'EXPIRED');
  const before = kinds.slice(0, Math.max(ended, 0)).findLast((kind) => WAY_KINDS.has(kind));
  expect(['SUBMITTED', 'SENT', 'SEEN'], told).not.toContain(before);
  if (hasLeft) expect(decisions, told).toBeGreaterThan(0);
  // A node can only have what was decided, because no other process has these bytes.
  for (const kind of ['SENT', 'SEEN', 'MINED']) {
    if (kinds.includes(kind)) expect(hasLeft, told).toBe(true);
  }
}

/** What an owner was told is not sent did not leave after that; what had not left before is cancelled for good. */
function expectWithdrawnStay({ autoTxs }: Records, { withdrawn }: Story, left: readonly Hex[]): void {
  const statusOf = new Map(autoTxs.map(({ hash, status }) => [hash, status]));
  for (const { hash, left: before, how } of withdrawn) {
    expect(left.slice(before), how).not.toContain(hash);
    if (how === 'cancelled' && !left.includes(hash)) expect(statusOf.get(hash)).toBe('CANCELLED');
    if (how === 'signed anew') {
      expect(left).not.toContain(hash);
      expect(statusOf.has(hash)).toBe(false);
    }
  }
}

/** Before one leaves for the first time all of lower nonces have, or the wallet used those. */
function expectNonceOrder({ signed, wallet }: Story, left: readonly Hex[]): void {
  const walletNonces = new Set([...wallet.values()].map(({ from, nonce }) => `${from} ${nonce}`));
  const seen = new Set<string>();
  for (const hash of left) {
    const one = signed.get(hash);
    if (one === undefined) throw new Error(`no signer of ${hash} is known`);
    for (let below = 0; below < one.nonce; below += 1) {
      const key = `${one.from} ${below}`;
      expect(seen.has(key) || walletNonces.has(key), `nonce ${below} before ${one.nonce}`).toBe(true);
    }
    seen.add(`${one.from} ${one.nonce}`);
  }
}

/** All have ended: nothing gets their bytes any more, and they go in a day. */
function expectNoBytes({ bytes }: Records): void {
  for (const { auto_tx_id, ended_at } of bytes) expect(ended_at, auto_tx_id).not.toBeNull();
}

const PROGRAM = await buildProgram('service/auto-txs/serve-until-killed.ts');
const KILLS = isSlowRun ? 200 : 1;
/** Started ahead of their time, for that takes longest; each opens the file when it is told to. */
const AHEAD = isSlowRun ? 2 : 0;
/** Signed bytes are kept so long after the end. */
const DAY_SEC = 86_400;
/** Between two lives, of the clocks alone: what is thought to be lost after a while is so after a few of them. */
const PAUSE_SEC = 5;
/** Answers, transactions that leave, and what a node says to them: one of so many is the last one of a life. */
const MOST_HAPPENINGS = 10;
/** It is killed so long after that at most, or after all this time: a busy machine takes several starts' time. */
const MOST_AFTER_MS = 10;
const LONGEST_LIFE_MS = 400;
const LONGEST_LIFE_STARTS = 3;
/** Some are killed while they start. */
const STARTING_MS = 200;
/** Where an end was not seen yet, it goes on for so many times the kills at most. */
const MOST_TIMES = 10;
const SEED = Number(process.env.GASTOP_CRASH_SEED ?? Date.now() % 1_000_000);

test.each(killsOn(KILLS))(
  'killed $kills times between decision, broadcast and receipt, each auto-tx ends once, as the chain says, on $engine',
  async ({ engine, kills }) => {
    onTestFailed(() => console.error(`to see it again: GASTOP_CRASH_SEED=${SEED}`));
    const chance = chanceOf(SEED);
    const anvil = await startAnvil({ noMining: true, baseFee: 100n * GWEI });
    onTestFinished(() => anvil.stop());
    const path = await emptyDatabase(engine, 'shared');
    await (await openDatabase(path)).close();
    let isFair = false;
    let onHappening = () => {};
    const proxy = await startRecordingProxy(anvil, {
      passageOf: () => {
        onHappening();
        return isFair ? { thereMs: 0, backMs: 0 } : passageBy(chance);
      },
      onAnswered: () => onHappening(),
    });
    onTestFinished(() => proxy.stop());
    const story = await startStory(anvil, chance, () => proxy.left.length);
    const errors: string[] = [];
    const prepare = () =>
      prepareService(PROGRAM, [path, proxy.wsUrl], {
        onAnswer: () => onHappening(),
        // The proxy breaks connections off, and a server that is busy with what the killed had asked for says so: neither
        // is an error of the service.
        onError: (text) => {
          if (!/^ChainError|^StoreError: .*(busy; try again|does not answer)$/.test(text)) errors.push(text);
        },
      });

    const prepared = Array.from({ length: AHEAD }, prepare);
    // When a kill comes is the machine's choice: where all is to be seen, it goes on until each end was.
    let unseen: readonly string[] = kills < 100 ? [] : ENDS;
    for (let round = 0; round < kills || unseen.length > 0; round += 1) {
      if (round > MOST_TIMES * kills)
        throw new Error(`after ${round} kills none has ended as ${unseen.join(', ')}`);
      prepared.push(prepare());
      const running = prepared.shift();
      if (running === undefined) throw new Error('none was prepared');
      const now = await story.pass(PAUSE_SEC);
      const told = performance.now();
      const started = running.start(now);
      let isOver = false;
      let going: Promise<void> | null = null;
      if (chance.once(8)) await sleep(chance.whole(STARTING_MS));
      else {
        await started;
        const longestMs = Math.max(LONGEST_LIFE_MS, LONGEST_LIFE_STARTS * (performance.now() - told));
        going = story.goOn(running, () => isOver);
        await momentOf(chance, longestMs, (tell) => {
          onHappening = tell;
        });
      }
      onHappening = () => {};
      await running.kill();
      isOver = true;
      await going;
      await afterKills(path);
      const records = await readRecords(path);
      expectDecidedFirst(records, proxy.left);
      if (unseen.length > 0) unseen = missingEnds(records);
    }

    isFair = true;
    const last = prepared.shift() ?? prepare();
    await last.start(await story.pass(PAUSE_SEC));
    await settle({ path, anvil, story, service: last });
    expect(await last.end()).toBe(0);
    await expectTrue(path, { anvil, story, left: proxy.left });
    expect(errors).toEqual([]);

    const tidying = prepared.shift() ?? prepare();
    await tidying.start(await story.pass(DAY_SEC));
    await waitFor(async () => (await readRecords(path)).bytes.length === 0, {
      what: 'no bytes of what is final for good',
    });
    expect(await tidying.end()).toBe(0);
  },
);

/** Resolves shortly after one of the first things that happen in a life. */
async function momentOf(chance: Chance, longestMs: number, hear: (tell: () => void) => void): Promise<void> {
  const heard = Promise.withResolvers<void>();
  let passed = chance.whole(MOST_HAPPENINGS);
  hear(() => {
    passed -= 1;
    if (passed < 0) heard.resolve();
  });
  const limit = new AbortController();
  await Promise.race([heard.promise, sleep(longestMs, null, { signal: limit.signal })]);
  limit.abort();
  await sleep(chance.whole(MOST_AFTER_MS));
}

function passageBy({ whole }: Chance): Passage {
  const [lot, ms] = [whole(100), whole(25)];
  if (lot < 45) return { thereMs: 0, backMs: 0 };
  if (lot < 60) return { thereMs: ms, backMs: 0 };
  if (lot < 75) return { thereMs: 0, backMs: ms };
  if (lot < 83) return { thereMs: 0, backMs: null };
  if (lot < 90) return { thereMs: null, backMs: null };
  if (lot < 95) return { thereMs: 0, backMs: 0, breaks: true };
  // So late that the next process has looked by then.
  return { thereMs: 40 * ms, backMs: 0 };
}
