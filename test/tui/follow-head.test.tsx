import { Text } from 'ink';
import { useEffect, useState } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { useFollowHead, usePolledQuery } from '../../src/tui/data/queries.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { SNAPSHOT } from './fake-gas.ts';
import { showScreen } from './show-screen.tsx';

const questions: ((answer: string) => void)[] = [];
let followed = 0;

afterEach(() => {
  vi.useRealTimers();
  questions.length = 0;
});
let setHead: (head: number) => void = () => {};

let setLeastMs: (ms: number) => void = () => {};

function Following() {
  const [head, set] = useState(1);
  const [leastMs, setLeast] = useState(0);
  setHead = set;
  setLeastMs = setLeast;
  const polled = usePolledQuery({
    key: ['followed'],
    ask: () => new Promise<string>((answer) => questions.push(answer)),
    everyMs: null,
  });
  useFollowHead(polled, { ...SNAPSHOT, blockNumber: head }, { leastMs });
  // Effects run in order: what follows the head has seen it too.
  useEffect(() => {
    followed = head;
  }, [head]);
  return <Text>{`${head}: ${polled.data ?? 'nothing'}`}</Text>;
}

it('a head that comes while a question is on its way is asked about after it, once however many come', async () => {
  const { shows } = showScreen({ scope: 'live', Screen: Following });
  await waitFor(() => questions.length === 1);
  setHead(2);
  await waitFor(() => followed === 2);
  setHead(3);
  await waitFor(() => followed === 3);
  expect(questions).toHaveLength(1);
  questions[0]?.('of head 1');
  await waitFor(() => questions.length === 2);
  questions[1]?.('of head 3');
  await shows('3: of head 3');
  expect(questions).toHaveLength(2);
  setHead(4);
  await waitFor(() => questions.length === 3);
  questions[2]?.('of head 4');
  await shows('4: of head 4');
  setLeastMs(3_600_000);
  setHead(5);
  await shows('5: of head 4');
  // As where a recording has ended: there is nothing more to wait for.
  setLeastMs(0);
  await waitFor(() => questions.length === 4);
});

it('a head that comes a little early brings with it what is asked about as often as heads come', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const hour = 3_600_000;
  const { shows } = showScreen({ scope: 'live', Screen: Following });
  await waitFor(() => questions.length === 1);
  questions[0]?.('of head 1');
  await shows('1: of head 1');
  setLeastMs(hour);
  vi.advanceTimersByTime(0.8 * hour);
  setHead(2);
  await shows('2: of head 1');
  expect(questions).toHaveLength(1);
  vi.advanceTimersByTime(0.15 * hour);
  setHead(3);
  await waitFor(() => questions.length === 2);
});

it('a head is asked about though the clock of the machine was set back meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { shows } = showScreen({ scope: 'live', Screen: Following });
  await waitFor(() => questions.length === 1);
  questions[0]?.('of head 1');
  await shows('1: of head 1');
  vi.setSystemTime(Date.now() - 7_200_000);
  setHead(2);
  await waitFor(() => questions.length === 2);
  questions[1]?.('of head 2');
  await shows('2: of head 2');
});
