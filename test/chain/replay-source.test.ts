import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { encodeBlock, encodeHeader, readBlockFile } from '../../src/chain/block-file.ts';
import type { ChainEvent, ChainSource, KnownBlock } from '../../src/chain/chain-source.ts';
import { openReplaySource } from '../../src/chain/replay-source.ts';
import type { Block, Hex } from '../../src/core/block.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { manualClock } from './manual-clock.ts';

const MAINNET = new URL(
  '../fixtures/blocks/mainnet_2024-10-15_2001blocks_basefee_blobfee.csv',
  import.meta.url,
).pathname;
const FIRST_TIMESTAMP = 1_729_021_859;

const recorded: Block[] = [];
const folder = sharedFolder('replay');
for await (const block of readBlockFile(MAINNET)) recorded.push(block);

async function take(
  source: ChainSource,
  count = Number.POSITIVE_INFINITY,
  known: readonly KnownBlock[] = [],
) {
  const stop = new AbortController();
  const events: ChainEvent[] = [];
  for await (const event of source.subscribe({ known, signal: stop.signal })) {
    events.push(event);
    if (event.type === 'ended' || events.length === count) stop.abort();
  }
  return events;
}

const numbers = (events: readonly ChainEvent[]) =>
  events.flatMap((event) => (event.type === 'block' ? [event.block.number] : []));

it('has a tenth of a short recording as its history, and the chain of the file', async () => {
  const source = await openReplaySource({ file: MAINNET, speed: 1, clock: manualClock() });
  const startSec = FIRST_TIMESTAMP + (recorded[2_000]?.timestamp ?? 0) * 0.1 - FIRST_TIMESTAMP * 0.1;
  const history = recorded.filter(({ timestamp }) => timestamp <= startSec);
  expect(source.now()).toBeCloseTo(startSec * 1_000, 3);
  expect(await source.head()).toEqual(history.at(-1));
  expect(await source.blocks(0, Number.MAX_SAFE_INTEGER)).toEqual(history);
  expect(await source.chain()).toMatchObject({ id: 1, name: 'Ethereum' });
  expect(source).toMatchObject({ kind: 'replay', name: MAINNET.split('/').at(-1) });
});

it('has an hour of a long recording as its history', async () => {
  const file = join(folder, 'long.csv');
  const rows = Array.from({ length: 4_000 }, (_, i) => `${i},${12 * i},1000`);
  await writeFile(file, `block_number,timestamp,base_fee_wei\n${rows.join('\n')}\n`);
  const source = await openReplaySource({ file, speed: 1, clock: manualClock() });
  expect((await source.head()).number).toBe(300);
  expect(source.now()).toBe(3_600_000);
});

it.each([1, 60, 3_333.3, 100_000])('delivers each block once and in order at %d×', async (speed) => {
  const source = await openReplaySource({ file: MAINNET, speed, clock: manualClock() });
  const head = await source.head();
  const events = await take(source);
  const rest = recorded.filter(({ number }) => number >= head.number);
  expect(events).toEqual([...rest.map((block) => ({ type: 'block', block })), { type: 'ended' }]);
});

it.each([0.5, 60])('delivers no block before its time at %d×, and takes that time', async (speed) => {
  const clock = manualClock();
  const source = await openReplaySource({ file: MAINNET, speed, clock });
  const [began, virtualStart] = [clock.now(), source.now()];
  const stop = new AbortController();
  for await (const event of source.subscribe({ known: [], signal: stop.signal })) {
    if (event.type === 'block') expect(event.block.timestamp * 1_000).toBeLessThanOrEqual(source.now());
    if (event.type === 'ended') stop.abort();
  }
  const lastMs = (recorded.at(-1)?.timestamp ?? 0) * 1_000;
  const expected = (lastMs - virtualStart) / speed;
  expect(clock.now() - began).toBeGreaterThanOrEqual(expected);
  expect(clock.now() - began).toBeLessThan(expected + 2);
});

it('stops its clock at the last block and says that it has ended', async () => {
  const clock = manualClock();
  const source = await openReplaySource({ file: MAINNET, speed: 60, clock });
  expect(source.health()).toMatchObject([{ state: 'ok', message: 'plays at 60×' }]);
  await take(source);
  clock.advance(1_000_000);
  expect(source.now()).toBe((recorded.at(-1)?.timestamp ?? 0) * 1_000);
  expect(source.health()[0]?.message).toBe('played to its end');
  expect(source.health()).toMatchObject([{ state: 'ok', head: 20_975_164, message: 'played to its end' }]);
  expect(await take(source, undefined, [{ number: 20_975_164, hash: null }])).toEqual([{ type: 'ended' }]);
});

it('stands still until the first subscription', async () => {
  const clock = manualClock();
  const source = await openReplaySource({ file: MAINNET, speed: 60, clock });
  const before = source.now();
  clock.advance(10_000_000);
  expect(source.now()).toBe(before);
});

it('never shows a block that has not been played, even when the clock is far ahead', async () => {
  const clock = manualClock();
  const source = await openReplaySource({ file: MAINNET, speed: 100_000, clock });
  const stop = new AbortController();
  let seen = 0;
  for await (const event of source.subscribe({ known: [], signal: stop.signal })) {
    if (event.type !== 'block') continue;
    clock.advance(60_000);
    const { number } = event.block;
    expect((await source.head()).number).toBe(number);
    expect((await source.blocks(number - 2, number + 50)).map((block) => block.number)).toEqual([
      number - 2,
      number - 1,
      number,
    ]);
    expect(source.now()).toBeLessThanOrEqual((recorded[number - 20_973_164 + 1]?.timestamp ?? 0) * 1_000);
    if (++seen === 40) stop.abort();
  }
  expect(seen).toBe(40);
});

it('goes on after the blocks that a subscriber knows', async () => {
  const source = await openReplaySource({ file: MAINNET, speed: 60, clock: manualClock() });
  const { number } = await source.head();
  const known = [number - 4, number - 3].map((each) => ({ number: each, hash: null }));
  expect(numbers(await take(source, 6, known))).toEqual([-2, -1, 0, 1, 2, 3].map((i) => number + i));
});

it('takes back what a subscriber knows of the future, as when played again', async () => {
  const source = await openReplaySource({ file: MAINNET, speed: 60, clock: manualClock() });
  const { number } = await source.head();
  const known = [number - 1, number, number + 1, number + 2].map((each) => ({ number: each, hash: null }));
  const events = await take(source, 2, known);
  expect(events[0]).toEqual({ type: 'reorg', commonAncestor: number });
  expect(numbers(events)).toEqual([number + 1]);
});

it('ends the iteration when told to stop while it waits, without a word', async () => {
  const clock = manualClock();
  const stop = new AbortController();
  const source = await openReplaySource({
    file: MAINNET,
    speed: 0.001,
    clock: { ...clock, sleep: async () => stop.abort() },
  });
  const { number } = await source.head();
  const events: ChainEvent[] = [];
  for await (const event of source.subscribe({ known: [{ number, hash: null }], signal: stop.signal })) {
    events.push(event);
  }
  expect(events).toEqual([]);
});

it('lets everything else have its turn in the middle of a burst', async () => {
  const clock = manualClock();
  const source = await openReplaySource({ file: MAINNET, speed: 100_000, clock });
  const stop = new AbortController();
  let turns = 0;
  const other = (async () => {
    while (!stop.signal.aborted) {
      turns++;
      await setImmediate();
    }
  })();
  for await (const event of source.subscribe({ known: [], signal: stop.signal })) {
    clock.advance(1_000_000);
    if (event.type === 'ended') stop.abort();
  }
  await other;
  expect(turns).toBeGreaterThan(20);
});

it.each([0, -1, 100_001, Number.NaN, Number.POSITIVE_INFINITY])('refuses a speed of %d', async (speed) => {
  await expect(openReplaySource({ file: MAINNET, speed })).rejects.toThrow(
    "a replay's speed is above 0 and at most 100000, such as 60",
  );
});

it('refuses a file with a fault anywhere in it before anything is played', async () => {
  const file = join(folder, 'faulty.csv');
  await writeFile(file, 'block_number,timestamp,base_fee_wei\n1,1,5\n2,13,6\n2,25,7\n');
  await expect(openReplaySource({ file, speed: 1 })).rejects.toMatchObject({
    code: 'bad-file',
    message: 'faulty.csv line 4: repeats block 2; sort the blocks, without repeats',
  });
});

it('tells of the gaps in a recording as they come, and how many there are', async () => {
  const file = join(folder, 'gaps.csv');
  const rows = [1, 2, 3, 7, 8, 20].map((number) => `${number},${12 * number},1000`);
  await writeFile(file, `block_number,timestamp,base_fee_wei\n${rows.join('\n')}\n`);
  const source = await openReplaySource({ file, speed: 60, clock: manualClock() });
  expect(source.health()[0]?.message).toBe('plays at 60×; the recording has 2 gaps');
  const events = await take(source, undefined, [{ number: 2, hash: null }]);
  expect(events.map((event) => (event.type === 'block' ? event.block.number : event))).toEqual([
    3,
    { type: 'gap', from: 4, to: 6 },
    7,
    8,
    { type: 'gap', from: 9, to: 19 },
    20,
    { type: 'ended' },
  ]);
});

it('has no transactions, accounts or contracts, and says what to do', async () => {
  const source = await openReplaySource({ file: MAINNET, speed: 1 });
  const address: Hex = '0x0000000000000000000000000000000000000001';
  for (const refused of [
    source.call({ to: address, data: '0x' }),
    source.sendRawTransaction('0x02f8'),
    source.transaction('0x00'),
    source.receipt('0x00'),
    source.nonce(address, 'latest'),
    source.balance(address),
    source.block(19_426_587),
    source.transactionsOf({ number: 19_426_587, hash: '0x00' }),
  ]) {
    await expect(refused).rejects.toMatchObject({
      code: 'unsupported',
      message: 'a recording has only the fees of blocks; use --rpc URL to ask a node',
    });
  }
});

it('finds the branch that a subscriber was on by its hashes', async () => {
  const hash = (n: number, branch: string): Hex => `0x${branch.repeat(60)}${String(n).padStart(4, '0')}`;
  const file = join(folder, 'hashes.jsonl');
  const blocks = (recorded.slice(0, 50) ?? []).map((block, i) => ({
    ...block,
    number: i,
    hash: hash(i, 'a'),
    parentHash: hash(Math.max(i - 1, 0), 'a'),
  }));
  await writeFile(file, encodeHeader(1) + blocks.map(encodeBlock).join(''));
  const source = await openReplaySource({ file, speed: 60, clock: manualClock() });
  const { number } = await source.head();
  expect(number).toBeGreaterThan(3);
  const known = [0, 1, 2, 3].map((n) => ({ number: n, hash: hash(n, n < 2 ? 'a' : 'b') }));
  const events = await take(source, 3, known);
  expect(events[0]).toEqual({ type: 'reorg', commonAncestor: 1 });
  expect(numbers(events)).toEqual([2, 3]);
});

/** Its events, one at a time. */
async function played(speed: number) {
  const clock = manualClock();
  const source = await openReplaySource({ file: MAINNET, speed, clock });
  const stop = new AbortController();
  const events = source.subscribe({ known: [], signal: stop.signal })[Symbol.asyncIterator]();
  const next = async () => (await events.next()).value as ChainEvent;
  const blockAfter = async (count: number) => {
    let number = 0;
    for (let taken = 0; taken < count; ) {
      const event = await next();
      if (event.type === 'block') [number, taken] = [event.block.number, taken + 1];
    }
    return number;
  };
  return { clock, source, stop, next, blockAfter, playback: source.playback };
}

it.each([1, 60, 5_000])(
  'plays on at another speed, and stands still while it is paused, from %d×',
  async (speed) => {
    const { clock, source, stop, next, blockAfter, playback } = await played(speed);
    await blockAfter(20);
    playback.play(0);
    expect(playback.speed).toBe(0);
    expect(source.health()[0]?.message).toBe('paused');
    const at = source.now();
    clock.advance(3_600_000);
    expect(source.now()).toBe(at);
    const paused = next();
    await setImmediate();
    playback.play(120);
    const began = clock.now();
    const event = await paused;
    if (event.type !== 'block') throw new Error(`unexpected ${event.type}`);
    const taken = (event.block.timestamp * 1_000 - at) / 120;
    expect(clock.now() - began).toBeGreaterThanOrEqual(taken);
    expect(clock.now() - began).toBeLessThan(taken + 2);
    stop.abort();
  },
);

it.each([60, 600, 10_000_000])(
  'goes back by %d s of the recording, and plays the same blocks again',
  async (sec) => {
    const { source, stop, next, blockAfter, playback } = await played(60);
    const before = await blockAfter(100);
    const at = Math.max(source.now() / 1_000 - sec, FIRST_TIMESTAMP);
    playback.seek(-sec);
    const expected = recorded.findLast(({ timestamp }) => timestamp <= at)?.number ?? 0;
    expect(await next()).toEqual({ type: 'reorg', commonAncestor: expected });
    expect((await source.head()).number).toBe(expected);
    expect(source.now() / 1_000).toBeCloseTo(at, 1);
    expect(await blockAfter(before - expected)).toBe(before);
    stop.abort();
  },
);

it('goes on by a minute at once, at most to its end, and back from there', async () => {
  const { source, stop, next, blockAfter, playback } = await played(1);
  const before = await blockAfter(1);
  const at = source.now();
  playback.seek(60);
  const due = recorded.filter(({ number, timestamp }) => number > before && timestamp * 1_000 <= at + 60_000);
  expect(due.length).toBeGreaterThan(3);
  expect(await blockAfter(due.length)).toBe(due.at(-1)?.number);
  expect(source.now()).toBeCloseTo(at + 60_000, -1);
  playback.seek(1e9);
  while ((await next()).type !== 'ended');
  expect(source.now()).toBe((recorded.at(-1)?.timestamp ?? 0) * 1_000);
  const ended = next();
  await setImmediate();
  playback.seek(-60);
  expect(await ended).toMatchObject({ type: 'reorg' });
  expect(source.health()[0]?.message).toBe('plays at 1×');
  await blockAfter(1);
  stop.abort();
});
