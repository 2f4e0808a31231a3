import { Text } from 'ink';
import { expect, it, onTestFinished } from 'vitest';
import { ClientError } from '../../src/client/errors.ts';
import type { SnapshotView } from '../../src/client/views/gas.ts';
import { useMonitor, useSnapshot } from '../../src/tui/data/queries.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { SNAPSHOT } from './fake-gas.ts';
import { showScreen } from './show-screen.tsx';

const blockOf = (blockNumber: number): SnapshotView => ({ ...SNAPSHOT, blockNumber });

function Head() {
  const { data, error, isListening } = useSnapshot(useMonitor(), () => 3_600_000, true);
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
  const { shows } = showScreen({ Screen: Head, scope: 'live', gas: service.gas });
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
