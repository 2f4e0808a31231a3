import { expect, test } from 'vitest';
import type { Block } from '../../src/core/block.ts';
import { utcMinute } from '../../src/core/units.ts';
import { SourceState } from '../../src/service/follow/source-state.ts';
import { makeBlock } from '../helpers/chain-blocks.ts';

const BLOCK_TIME_SEC = 12;
const HOUR_MS = 3_600_000;
const head = makeBlock(10);
const headMs = head.timestamp * 1_000;
const late = {
  reason: `no new block since ${utcMinute(headMs)}; is this machine's clock right?`,
  retryAt: null,
};

function stateAt(kind: 'rpc' | 'replay' | 'simulated') {
  const clock = { now: headMs };
  const said = { head: 0 };
  const health = () => [
    { name: 'node', state: 'ok' as const, head: said.head, latencyMs: null, message: 'ok' },
  ];
  const chain: { head: Block; blockTimeSec: number; updateSec: number } = {
    head,
    blockTimeSec: BLOCK_TIME_SEC,
    updateSec: BLOCK_TIME_SEC,
  };
  const state = new SourceState({ kind, now: () => clock.now, health }, () => chain);
  return { clock, said, chain, state };
}

test.each([
  ['a start', (state: SourceState) => state.begin()],
  ['an outage', (state: SourceState) => state.fail({ message: 'the node is gone', retryAt: null })],
])('of blocks waiting after %s the newest alone is now; those that come in time are, too', (_, begin) => {
  const { clock, said, chain, state } = stateAt('rpc');
  const note = (number: number) => {
    state.note(makeBlock(number));
    chain.head = makeBlock(number);
  };
  const past = (...numbers: number[]) => numbers.map((number) => state.isTooLate(makeBlock(number)));
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
});

test('what a quick chain brings page by page while it is caught up with is past, up to its present', () => {
  const { clock, chain, state } = stateAt('rpc');
  chain.blockTimeSec = 0.25;
  const behindSec = 600;
  clock.now += behindSec * 1_000;
  state.begin();
  const past: boolean[] = [];
  for (let index = 1; index <= behindSec * 4; index += 1) {
    // A page of 100 s of the chain comes after a pause that would do for a block of now.
    if (index % 400 === 2) clock.now += 200;
    const block = { ...makeBlock(10 + index), timestamp: head.timestamp + Math.floor(index / 4) };
    state.note(block);
    chain.head = block;
    past.push(state.isTooLate(block));
  }
  expect(past.lastIndexOf(true)).toBe(past.indexOf(false) - 1);
  expect(past.filter((isTooLate) => !isTooLate).length).toBeLessThanOrEqual(31 * 4);
});

test('a source that has nothing newer, does not bring it in time or does not answer is told of', () => {
  const { clock, said, state } = stateAt('rpc');
  clock.now += HOUR_MS;
  state.expect();
  said.head = head.number;
  state.responded();
  expect(state.status).toEqual({ kind: 'stale', ...late });
  said.head = head.number + 1;
  state.responded();
  clock.now += 61_000;
  expect(state.status).toEqual({ kind: 'stale', ...late });
  const refused = { message: 'the node refuses the connection', retryAt: clock.now };
  state.expect();
  state.fail(refused);
  expect(state.status).toEqual({ kind: 'stale', reason: refused.message, retryAt: refused.retryAt });
});
