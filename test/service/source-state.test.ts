import { expect, test } from 'vitest';
import { SourceState } from '../../src/service/follow/freshness.ts';
import { makeBlock } from '../helpers/chain-blocks.ts';

const BLOCK_TIME_SEC = 12;
const HOUR_MS = 3_600_000;
const head = makeBlock(10);
const headMs = head.timestamp * 1_000;
const late = {
  message: `no new block since ${new Date(headMs).toISOString()}; is this machine's clock right?`,
  retryAt: null,
};

function stateAt(kind: 'rpc' | 'replay' | 'simulated') {
  const clock = { now: headMs };
  const said = { head: 0 };
  const health = () => [
    { name: 'node', state: 'ok' as const, head: said.head, latencyMs: null, message: 'ok' },
  ];
  return { clock, said, state: new SourceState({ kind, now: () => clock.now, health }) };
}

test('a node whose blocks stay away is stale and says since when; a new block heals it', () => {
  const { clock, state } = stateAt('rpc');
  state.begin();
  expect([state.isStale(head, BLOCK_TIME_SEC), state.problem(head, BLOCK_TIME_SEC)]).toEqual([false, null]);
  clock.now += HOUR_MS;
  expect(state.isStale(head, BLOCK_TIME_SEC)).toBe(true);
  expect(state.problem(head, BLOCK_TIME_SEC)).toEqual(late);
  const next = makeBlock(11, { timestamp: clock.now / 1_000 });
  state.note(next, head, BLOCK_TIME_SEC);
  expect(state.problem(next, BLOCK_TIME_SEC)).toBeNull();
});

test('what the source says of itself comes before its lateness, and is over when it says so', () => {
  const { clock, state } = stateAt('rpc');
  const refused = { message: 'the node refuses the connection', retryAt: headMs + 1_000 };
  state.fail(refused);
  expect(state.isStale(null, BLOCK_TIME_SEC)).toBe(true);
  clock.now += HOUR_MS;
  expect(state.problem(head, BLOCK_TIME_SEC)).toEqual(refused);
  state.heal();
  expect(state.problem(head, BLOCK_TIME_SEC)).toEqual(late);
  expect(state.problem(null, BLOCK_TIME_SEC)).toBeNull();
});

test('a recording is never late, and at its end nothing is wrong with it', () => {
  const { clock, state } = stateAt('replay');
  clock.now += HOUR_MS;
  expect(state.isStale(head, BLOCK_TIME_SEC)).toBe(false);
  state.fail({ message: 'a bad line', retryAt: null });
  state.end();
  expect(state.hasEnded).toBe(true);
  expect([state.isStale(head, BLOCK_TIME_SEC), state.problem(head, BLOCK_TIME_SEC)]).toEqual([false, null]);
});

test('a block is past once it is older than five blocks, by the clock and by the head', () => {
  const { clock, state } = stateAt('rpc');
  state.begin();
  const isPast = (number: number) => state.isPast(makeBlock(number), head, BLOCK_TIME_SEC);
  expect([isPast(10), isPast(5), isPast(4)]).toEqual([false, false, true]);
  // The head is stale.
  clock.now += 60_001;
  expect([isPast(10), isPast(5)]).toEqual([true, true]);
});

test.each([
  ['a start', (state: SourceState) => state.begin()],
  ['an outage', (state: SourceState) => state.fail({ message: 'the node is gone', retryAt: null })],
])(
  'of blocks that were waiting after %s the newest alone is now; those that come in time are, too',
  (_, begin) => {
    const { clock, said, state } = stateAt('rpc');
    let before = head;
    const note = (number: number) => {
      const block = makeBlock(number);
      state.note(block, before, BLOCK_TIME_SEC);
      before = block;
    };
    const past = (...numbers: number[]) =>
      numbers.map((number) => state.isPast(makeBlock(number), before, BLOCK_TIME_SEC));
    const pass = (number: number) => {
      clock.now = makeBlock(number).timestamp * 1_000 + 1_000;
    };
    state.begin();
    pass(11);
    note(11);
    pass(14);
    begin(state);
    said.head = 14;
    for (const number of [12, 13]) note(number);
    // There is another one, if not here yet.
    expect(past(12, 13)).toEqual([true, true]);
    note(14);
    expect(past(12, 13, 14)).toEqual([true, true, false]);
    // Two that were heard of at once, by asking now and then.
    pass(16);
    for (const number of [15, 16]) note(number);
    expect(past(15, 16)).toEqual([false, false]);
  },
);

test.each(['replay', 'simulated'] as const)('a block of a %s chain is now whenever it comes', (kind) => {
  const { clock, state } = stateAt(kind);
  clock.now += HOUR_MS;
  expect(state.isPast(makeBlock(1), head, BLOCK_TIME_SEC)).toBe(false);
});

test('what a quick chain brings page by page while it is caught up with is past, up to its present', () => {
  const quickSec = 0.25;
  const { clock, state } = stateAt('rpc');
  const behindSec = 600;
  clock.now += behindSec * 1_000;
  state.begin();
  let before = head;
  const past: boolean[] = [];
  for (let index = 1; index <= behindSec * 4; index += 1) {
    // A page of 100 s of the chain comes after a pause that would do for a block of now.
    if (index % 400 === 2) clock.now += 200;
    const block = { ...makeBlock(10 + index), timestamp: head.timestamp + Math.floor(index / 4) };
    state.note(block, before, quickSec);
    past.push(state.isPast(block, block, quickSec));
    before = block;
  }
  expect(past.lastIndexOf(true)).toBe(past.indexOf(false) - 1);
  expect(past.filter((isPast) => !isPast).length).toBeLessThanOrEqual(31 * 4);
});

test('what the last run left is no fault of a source that was not asked yet, nor of one whose blocks since are to come', () => {
  const { clock, said, state } = stateAt('rpc');
  clock.now += HOUR_MS;
  state.expect();
  expect([state.isWaiting(head), state.problem(head, BLOCK_TIME_SEC)]).toEqual([true, null]);
  said.head = 12;
  state.answered(head, BLOCK_TIME_SEC);
  expect([state.isWaiting(head), state.problem(head, BLOCK_TIME_SEC)]).toEqual([true, null]);
  const newest = makeBlock(12, { timestamp: clock.now / 1_000 });
  state.note(newest, head, BLOCK_TIME_SEC);
  expect([state.isWaiting(newest), state.problem(newest, BLOCK_TIME_SEC)]).toEqual([false, null]);
});

test('a source that has nothing newer, does not bring it in time or does not answer is told of', () => {
  const { clock, said, state } = stateAt('rpc');
  clock.now += HOUR_MS;
  state.expect();
  said.head = head.number;
  state.answered(head, BLOCK_TIME_SEC);
  expect([state.isWaiting(head), state.problem(head, BLOCK_TIME_SEC)]).toEqual([false, late]);
  said.head = head.number + 1;
  state.answered(head, BLOCK_TIME_SEC);
  clock.now += 61_000;
  expect([state.isWaiting(head), state.problem(head, BLOCK_TIME_SEC)]).toEqual([false, late]);
  const refused = { message: 'the node refuses the connection', retryAt: clock.now };
  state.expect();
  state.fail(refused);
  expect([state.isWaiting(head), state.problem(head, BLOCK_TIME_SEC)]).toEqual([false, refused]);
});
