import { afterAll, describe, expect, it } from 'vitest';
import type { EthConfig, ForkConfig } from '../../src/core/chain-rules.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { createForkWatch } from '../../src/service/follow/fork-watch.ts';
import { makeBlock } from '../helpers/chain-blocks.ts';
import { waitFor } from '../helpers/wait-for.ts';

const MINUTE = 60_000;
const HEAD = makeBlock(7);
const forkAt = (activationTime: number): ForkConfig => ({
  ...{ activationTime, blobSchedule: null, precompiles: {}, systemContracts: {} },
});
const stated = (next: number | null): EthConfig => ({
  ...{ chainId: 1, current: forkAt(1), next: next === null ? null : forkAt(next) },
});

const ended = new AbortController();
afterAll(() => ended.abort());

interface Given {
  readonly answer?: (count: number) => Promise<EthConfig | null>;
  readonly mayWrite?: boolean;
}

function watch({ answer, mayWrite = true }: Given, now = () => 0) {
  const chain = { head: HEAD, ethConfig: null as EthConfig | null, profile: chainProfile(1) };
  const seen = { asked: 0, changes: 0 };
  const ethConfig = () => {
    seen.asked += 1;
    return answer === undefined ? Promise.resolve(null) : answer(seen.asked);
  };
  const forks = createForkWatch({
    source: answer === undefined ? {} : { ethConfig },
    chain,
    lease: { mayWrite, state: mayWrite ? 'leads' : 'stands-by' },
    steadyNow: now,
    onChange: () => {
      seen.changes += 1;
    },
    signal: ended.signal,
  });
  void forks.run();
  return { chain, seen, asked: forks.asked };
}

// They mostly wait.
describe.concurrent('the node is asked for its forks', () => {
  it('every ten minutes, hourly where it refuses, each minute while it cannot be reached', async () => {
    let now = 1;
    const clock = () => now;
    const config = stated(null);
    const answers = watch({ answer: async () => config }, clock);
    const refuses = watch({ answer: async () => null }, clock);
    const isAway = watch({ answer: () => Promise.reject(new Error('away')) }, clock);
    await Promise.all([answers.asked, refuses.asked, isAway.asked]);
    const counts = () => [answers, refuses, isAway].map(({ seen }) => seen.asked);
    expect(counts()).toEqual([1, 1, 1]);
    now += MINUTE;
    await waitFor(() => isAway.seen.asked === 2);
    expect(counts()).toEqual([1, 1, 2]);
    now += 9 * MINUTE;
    await waitFor(() => answers.seen.asked === 2 && isAway.seen.asked === 3);
    expect(refuses.seen.asked).toBe(1);
    now += 50 * MINUTE;
    await waitFor(() => refuses.seen.asked === 2);
    expect([answers, refuses, isAway].map(({ chain }) => chain.ethConfig)).toEqual([config, null, null]);
  });

  it('at once when the head passes a fork, and only then', async () => {
    const { chain, seen, asked } = watch({
      answer: async (count) => stated(count < 3 ? HEAD.timestamp + 12 : null),
    });
    await asked;
    await waitFor(() => chain.ethConfig !== null);
    chain.head = makeBlock(8);
    await waitFor(() => seen.asked === 2);
    const another = watch({ answer: async () => stated(HEAD.timestamp + 24) });
    await another.asked;
    another.chain.head = makeBlock(9);
    await waitFor(() => another.seen.asked === 2);
    expect(seen.asked).toBe(2);
  });

  it('and what it said last stays where it says nothing later', async () => {
    let now = 0;
    const config = stated(HEAD.timestamp + 1_000);
    const answers = [config, null, config];
    const { chain, seen, asked } = watch(
      { answer: async (count) => answers[count - 1] ?? Promise.reject(new Error('away')) },
      () => now,
    );
    await asked;
    for (let count = 2; count <= 4; count += 1) {
      now += 61 * MINUTE;
      await waitFor(() => seen.asked === count);
    }
    expect(chain.ethConfig).toEqual(config);
    expect(seen.changes).toBe(2);
  });

  it('never by a standby, nor where a source cannot tell: nobody waits for it', async () => {
    const standby = watch({ answer: async () => stated(null), mayWrite: false });
    const cannot = watch({});
    await Promise.all([standby.asked, cannot.asked]);
    expect([standby.seen.asked, cannot.seen.asked]).toEqual([0, 0]);
  });
});
