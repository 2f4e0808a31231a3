import { QueryClientProvider } from '@tanstack/react-query';
import { Text } from 'ink';
import { render } from 'ink-testing-library';
import { expect, it, onTestFinished } from 'vitest';
import type { GasClient } from '../../src/client/client.ts';
import { useRounds, useSnapshot } from '../../src/tui/data/queries.ts';
import { createQueryClient } from '../../src/tui/data/query-client.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { fakeGas, SNAPSHOT } from './fake-gas.ts';

/** An hour: no question of this test is asked by a timer. */
const SELDOM_MS = 3_600_000;

interface AskingProps {
  readonly gas: GasClient;
  readonly list: () => Promise<number>;
  readonly everyMs: number;
  readonly isOwnService: boolean;
  readonly hold: (askPrices: () => Promise<void>) => void;
}

function Asking({ gas, list, everyMs, isOwnService, hold }: AskingProps) {
  hold(useSnapshot(gas, { intervalMs: SELDOM_MS, frozen: false }).refresh);
  const { data } = useRounds({ key: ['list'], ask: list, everyMs }, isOwnService);
  return <Text>{`list ${data ?? 'nothing'}`}</Text>;
}

function ask(isOwnService: boolean, everyMs: number) {
  const asked = { prices: 0, list: 0 };
  let askPrices: () => Promise<void> = async () => {};
  const queries = createQueryClient();
  const app = render(
    <QueryClientProvider client={queries}>
      <Asking
        gas={fakeGas({
          gasCurrent: async () => {
            asked.prices += 1;
            return SNAPSHOT;
          },
        })}
        list={async () => {
          asked.list += 1;
          return asked.list;
        }}
        everyMs={everyMs}
        isOwnService={isOwnService}
        hold={(refresh) => {
          askPrices = refresh;
        }}
      />
    </QueryClientProvider>,
  );
  onTestFinished(() => {
    app.unmount();
    queries.clear();
  });
  return { asked, askPrices: () => askPrices() };
}

it('what is due of our own service is asked for as soon as its prices are there', async () => {
  const { asked, askPrices } = ask(true, 20);
  await waitFor(() => asked.prices === 1 && asked.list > 0);
  const before = asked.list;
  await new Promise((resolve) => setTimeout(resolve, 20));
  await askPrices();
  await waitFor(() => asked.list > before);
});

it.each([
  ['what is not due yet', true],
  ['what another service lists, where questions are counted,', false],
])('%s is not asked for with the prices', async (_, isOwnService) => {
  const { asked, askPrices } = ask(isOwnService, SELDOM_MS);
  await waitFor(() => asked.prices === 1 && asked.list === 1);
  // The first may still be on its way.
  await waitFor(async () => {
    await askPrices();
    return asked.prices >= 2;
  });
  expect(asked.list).toBe(1);
});
