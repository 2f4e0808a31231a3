import { setTimeout as sleep } from 'node:timers/promises';
import { Text } from 'ink';
import { useLayoutEffect } from 'react';
import { expect, it, onTestFinished } from 'vitest';
import { ClientError } from '../../src/client/errors.ts';
import type { SnapshotView } from '../../src/client/views/gas.ts';
import { NO_RULES } from '../../src/core/chain-rules.ts';
import { useMonitor } from '../../src/tui/data/monitor-context.ts';
import { useMonitorQuery } from '../../src/tui/data/polled-query.ts';
import { RULES_KEY, useRecommendation, useSnapshot, useTrend } from '../../src/tui/data/prices.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { RECOMMENDATION, SNAPSHOT, TREND } from './fake-gas.ts';
import { showScreen } from './show-screen.tsx';

const blockOf = (blockNumber: number): SnapshotView => ({ ...SNAPSHOT, blockNumber });

function Head() {
  const { data, error, isListening } = useSnapshot(useMonitor(), 3_600, () => 3_600_000, true);
  const how = isListening ? 'each block' : 'polled';
  return <Text>{`head ${data?.blockNumber} ${error?.message ?? 'no failure'}, ${how}`}</Text>;
}

function awaited() {
  const event = Promise.withResolvers<SnapshotView>();
  // A stream that is not open does not hear of it.
  event.promise.catch(() => {});
  return event;
}

function streamed() {
  let polled = 1;
  let polls = 0;
  let opened = 0;
  let told = awaited();
  onTestFinished(() => told.reject(new ClientError('unreachable', 'the test ended', { endpoint: '' })));
  const gas = {
    gasCurrent: async () => {
      polls += 1;
      if (polled === 0)
        throw new ClientError('unreachable', 'it does not respond', { endpoint: '/gas/current' });
      return blockOf(polled);
    },
    async *stream() {
      opened += 1;
      if (polled > 0) yield blockOf(polled);
      for (;;) yield await told.promise;
    },
  };
  const next = () => {
    const before = told;
    told = awaited();
    return before;
  };
  return {
    gas,
    polls: () => polls,
    opened: () => opened,
    tell: (block: number) => next().resolve(blockOf(block)),
    breakStream: (nowPolled: number) => {
      polled = nowPolled;
      next().reject(new ClientError('unreachable', 'the stream broke', { endpoint: '/gas/stream' }));
    },
  };
}

async function following() {
  const service = streamed();
  const { shows } = showScreen({ Pane: Head, scope: 'live', gas: service.gas });
  await shows('head 1 no failure');
  await waitFor(() => service.opened() === 1);
  service.tell(2);
  await shows('head 2');
  return { ...service, shows };
}

it('the monitor shows the blocks of the stream without a poll, and polls at once when it breaks', async () => {
  const { shows, ...service } = await following();
  service.tell(3);
  await shows('head 3 no failure, each block');
  expect(service.polls()).toBe(1);
  service.breakStream(4);
  await shows('head 4');
  // Patience: it is opened again, and tells what is new.
  await waitFor(() => service.opened() === 2);
  service.tell(5);
  await shows('head 5');
});

it('a stream that breaks with its service leaves the prices and says why; its return says that all is well', async () => {
  const { shows, ...service } = await following();
  service.breakStream(0);
  await shows('head 2 it does not respond, polled');
  await waitFor(() => service.opened() === 2);
  service.tell(3);
  await shows('head 3 no failure');
});

const trendOf = (block: number) => ({ ...TREND, percentileRank24h: block / 128 });
const adviceOf = (block: number) => ({ ...RECOMMENDATION, confidence: block });

/** What `Parts` has drawn. */
const drawn: string[] = [];

/** Of each what it was asked of: the block that is shown, its trend, its advice. */
function Whole() {
  const { data: snapshot } = useSnapshot(useMonitor(), 3_600, () => 3_600_000, true);
  return snapshot === undefined ? <Text>none</Text> : <Parts snapshot={snapshot} />;
}

function Parts({ snapshot }: { readonly snapshot: SnapshotView }) {
  const trend = useTrend(snapshot).data?.percentileRank24h ?? 0;
  const { confidence } = useRecommendation(snapshot).data ?? { confidence: null };
  const text = `head ${snapshot.blockNumber}, trend ${trend * 128}, advice ${confidence}`;
  useLayoutEffect(() => void drawn.push(text), [text]);
  return <Text>{text}</Text>;
}

it.each([2, 3, 7])(
  'a block %i of the own service is one request and one frame, with trend and advice',
  async (block) => {
    const service = streamed();
    let head = 1;
    const asked: string[] = [];
    const noted =
      <Answer,>(name: string, answer: () => Answer) =>
      async () => {
        asked.push(name);
        return answer();
      };
    const gas = {
      ...service.gas,
      statsCurrent: noted('whole', () => {
        return { snapshot: blockOf(head), trend: trendOf(head), recommendation: adviceOf(head) };
      }),
      gasTrend: noted('trend', () => trendOf(head)),
      gasRecommendation: noted('advice', () => adviceOf(head)),
    };
    const { shows } = showScreen({ Pane: Whole, scope: 'live', gas, isOwnService: true });
    await shows('head 1, trend 1, advice 1');
    await waitFor(() => service.opened() === 1);
    const before = asked.length;
    drawn.length = 0;
    head = block;
    service.tell(block);
    await shows(`head ${block}, trend ${block}, advice ${block}`);
    expect(asked.slice(before)).toEqual(['whole']);
    expect(new Set(asked)).toEqual(new Set(['whole']));
    expect(drawn).toEqual([`head ${block}, trend ${block}, advice ${block}`]);
  },
);

it.each([60, 90, 120])(
  'blocks of the own service that come faster than its response, of %i ms, are drawn all the same',
  async (responseMs) => {
    const service = streamed();
    let head = 1;
    let requests = 0;
    const statsCurrent = async () => {
      requests += 1;
      const snapshot = blockOf(head);
      await sleep(responseMs);
      return { snapshot, trend: TREND, recommendation: RECOMMENDATION };
    };
    const gas = { ...service.gas, statsCurrent };
    const { shows, screen } = showScreen({ Pane: Whole, scope: 'live', gas, isOwnService: true });
    await shows('head 1');
    await waitFor(() => service.opened() === 1);
    const before = requests;
    while (screen().includes('head 1,') && head < 300) {
      head += 1;
      service.tell(head);
      await sleep(10);
    }
    expect(head).toBeLessThan(300);
    await shows(`head ${head},`);
    expect(requests - before).toBeLessThan(head);
  },
);

const ruled: string[] = [];

function Ruled() {
  const { data: snapshot } = useSnapshot(useMonitor(), 3_600, () => 3_600_000, true);
  const { data: rules } = useMonitorQuery({
    ...{ key: RULES_KEY, enabled: snapshot !== undefined },
    ask: (client, signal) => client.chainRules({ signal }),
  });
  const text = `head ${snapshot?.blockNumber}, rules ${rules?.rules}`;
  useLayoutEffect(() => void ruled.push(text), [text]);
  return <Text>{text}</Text>;
}

it.each(['osaka', 'amsterdam', 'own'] as const)(
  'the first frame with a block of the own service has its rules: %s',
  async (rules) => {
    ruled.length = 0;
    const chainRules = async () => ({ ...NO_RULES, rules, usualWork: [] });
    const { shows } = showScreen({ Pane: Ruled, scope: 'live', gas: { chainRules }, isOwnService: true });
    await shows(`rules ${rules}`);
    expect(ruled.find((text) => !text.startsWith('head undefined'))).toMatch(`, rules ${rules}`);
  },
);

it('a block of the own service is drawn without its rules where those do not come', async () => {
  const chainRules = () => new Promise<never>(() => {});
  const { shows } = showScreen({ Pane: Ruled, scope: 'live', gas: { chainRules }, isOwnService: true });
  await shows(`head ${SNAPSHOT.blockNumber}, rules undefined`);
});
