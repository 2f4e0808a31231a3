import { describe, expect, onTestFinished, test } from 'vitest';
import type { Block } from '../../src/core/block.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { watchPauses } from '../../src/service/follow/fresh-head.ts';
import { makeBlock } from '../helpers/chain-blocks.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { waitFor } from '../helpers/wait-for.ts';

const MAINNET = 1;
const ANVIL = 31_337;

function startProcess(chainId: number) {
  const source = new ScriptedSource([makeBlock(100)]);
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  let head: Block = makeBlock(100);
  const clock = { wall: 1_700_000_000_000, steady: 0 };
  let confirmed = 0;
  const freshness = watchPauses({
    source,
    lease: { mayWrite: true },
    chain: {
      get head() {
        return head;
      },
      profile: chainProfile(chainId),
    },
    wallNow: () => clock.wall,
    steadyNow: () => clock.steady,
    onFresh: () => {
      confirmed += 1;
    },
    signal: abort.signal,
  });
  return {
    source,
    isFresh: () => freshness.isFresh(head),
    /** SIGSTOP moves both clocks; a suspended machine only the wall clock. */
    pause: (ms: number, kind: 'stopped' | 'suspended') => {
      clock.wall += ms;
      if (kind === 'stopped') clock.steady += ms;
    },
    ingest: (number: number) => {
      head = makeBlock(number);
    },
    mined: (number: number) => {
      source.mine(makeBlock(number));
      head = makeBlock(number);
    },
    confirmed: (times: number) => waitFor(() => confirmed === times, { what: `response ${times}` }),
  };
}

describe.each(['stopped', 'suspended'] as const)('a process that was %s', (kind) => {
  test.each([12_000, 60_000])('waits %d ms later for the newest block of the node', async (ms) => {
    const { source, isFresh, pause, ingest, confirmed } = startProcess(MAINNET);
    expect(isFresh()).toBe(true);
    source.mine(makeBlock(101), makeBlock(102), makeBlock(103));
    pause(ms, kind);
    expect(isFresh()).toBe(false);
    await confirmed(1);
    expect(isFresh()).toBe(false);
    for (const number of [101, 102]) {
      ingest(number);
      expect(isFresh()).toBe(false);
    }
    ingest(103);
    expect(isFresh()).toBe(true);
  });

  test('waits for another block where the node has no newer one, for it may have slept too', async () => {
    const { isFresh, pause, mined, confirmed } = startProcess(MAINNET);
    pause(12_000, kind);
    expect(isFresh()).toBe(false);
    await confirmed(1);
    expect(isFresh()).toBe(false);
    mined(101);
    expect(isFresh()).toBe(true);
  });

  test('needs no other block of a development chain, which may make none', async () => {
    const { isFresh, pause, confirmed } = startProcess(ANVIL);
    pause(12_000, kind);
    expect(isFresh()).toBe(false);
    await confirmed(1);
    expect(isFresh()).toBe(true);
  });

  test('asks again after a second pause', async () => {
    const { isFresh, pause, mined, confirmed } = startProcess(MAINNET);
    pause(12_000, kind);
    expect(isFresh()).toBe(false);
    await confirmed(1);
    mined(101);
    pause(12_000, kind);
    expect(isFresh()).toBe(false);
    await confirmed(2);
    expect(isFresh()).toBe(false);
    mined(102);
    expect(isFresh()).toBe(true);
  });
});

test('a process that runs, however quiet its chain, keeps its head', () => {
  const { isFresh, pause } = startProcess(MAINNET);
  for (let second = 0; second < 60; second += 1) {
    pause(1_000, 'stopped');
    expect(isFresh()).toBe(true);
  }
});
