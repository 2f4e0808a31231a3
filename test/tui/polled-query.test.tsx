import { Text } from 'ink';
import { expect, it } from 'vitest';
import { ClientError } from '../../src/client/errors.ts';
import type { SnapshotView } from '../../src/client/views/gas.ts';
import { useMonitor } from '../../src/tui/data/monitor-context.ts';
import { useMonitorQuery } from '../../src/tui/data/polled-query.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { SNAPSHOT } from './fake-gas.ts';
import { showScreen } from './show-screen.tsx';

const HEAD = SNAPSHOT.blockNumber ?? 0;
const headAt = (count: number): SnapshotView => ({ ...SNAPSHOT, blockNumber: HEAD + count });

interface Shown {
  readonly ask: (count: number) => Promise<string>;
  readonly freshMs?: number;
  readonly isSettled?: (data: string) => boolean;
  readonly frozen?: boolean;
}

/** What the screen's query is, and the heads that it was asked for. */
let part: Shown & { readonly counts: number[] };

function Part() {
  const { snapshot = SNAPSHOT } = useMonitor();
  const count = (snapshot.blockNumber ?? 0) - HEAD;
  const { ask, counts, ...options } = part;
  const { data, error } = useMonitorQuery({
    ...{ key: ['part'], head: snapshot, ...options },
    ask: () => {
      counts.push(count);
      return ask(count);
    },
  });
  return <Text>{`head ${count}: ${data ?? 'nothing'}, ${error?.message ?? 'no failure'}`}</Text>;
}

function showQuery({ frozen = false, ...options }: Shown) {
  const counts: number[] = [];
  part = { ...options, counts };
  return { ...showScreen({ Pane: Part, scope: 'live', frozen }), counts };
}

it.each([1, 3, 40])(
  'a query of the head has one request at a time while %i heads come, and ends with the newest',
  async (heads) => {
    const first = Promise.withResolvers<string>();
    const { shows, arrive, counts } = showQuery({
      ask: (count) => (count === 0 ? first.promise : Promise.resolve(`part ${count}`)),
    });
    await waitFor(() => counts.length === 1);
    for (let count = 1; count <= heads; count += 1) arrive(headAt(count));
    await shows(`head ${heads}: nothing`);
    expect(counts).toEqual([0]);
    first.resolve('part 0');
    await shows(`head ${heads}: part ${heads}`);
    expect(counts).toEqual([0, heads]);
  },
);

it.each([
  ['the same response', () => 'the same'],
  ['another response', (count: number) => `part ${count}`],
  ['no text at all', () => ''],
])('a query of the head is requested once for each head that brings %s', async (_, textOf) => {
  const { shows, arrive, counts } = showQuery({ ask: async (count) => textOf(count) });
  for (const count of [0, 1, 2, 3]) {
    arrive(headAt(count));
    await waitFor(() => counts.length === count + 1);
    await shows(`head ${count}: ${textOf(count)}, no failure`);
  }
  expect(counts).toEqual([0, 1, 2, 3]);
});

it.each([
  ['that is fresh for an hour', { freshMs: 3_600_000 }],
  ['that is settled', { isSettled: () => true }],
  ['of a frozen screen', { frozen: true }],
])('data %s is not requested for later heads', async (_, options) => {
  const { shows, arrive, counts } = showQuery({ ask: async (count) => `part ${count}`, ...options });
  await shows('part 0');
  for (const count of [1, 2, 3]) {
    arrive(headAt(count));
    await shows(`head ${count}: part 0`);
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(counts).toEqual([0]);
});

it('data that is fresh for a while is requested of the newest head once it is over', async () => {
  const { shows, arrive, counts } = showQuery({ ask: async (count) => `part ${count}`, freshMs: 300 });
  await shows('part 0');
  for (const count of [1, 2, 3]) arrive(headAt(count));
  await shows('head 3: part 0', 'head 3: part 3');
  expect(counts).toEqual([0, 3]);
});

it.each([1, 2, 5])(
  'what is missing at a head is requested again at the next, until head %i',
  async (there) => {
    const missing = new ClientError('not-found', 'no such block', { endpoint: '/explorer/blocks/7' });
    const ask = async (count: number) => (count < there ? Promise.reject(missing) : `part ${count}`);
    const { shows, arrive, counts } = showQuery({ ask });
    for (let count = 0; count < there; count += 1) {
      arrive(headAt(count));
      await shows(`head ${count}: nothing, no such block`);
      await waitFor(() => counts.length === count + 1);
    }
    arrive(headAt(there));
    await shows(`head ${there}: part ${there}, no failure`);
  },
);

it.each([
  ['not-found', 'nothing'],
  ['unavailable', 'part'],
  ['plan', 'part'],
] as const)('after a failure %s at a new head the screen has %s', async (code, shown) => {
  const failure = new ClientError(code, 'it failed', { endpoint: '/explorer/blocks/7' });
  const { shows, arrive } = showQuery({
    ask: (count) => (count === 0 ? Promise.resolve('part') : Promise.reject(failure)),
  });
  await shows('head 0: part');
  arrive(headAt(1));
  await shows(`head 1: ${shown}, it failed`);
});
