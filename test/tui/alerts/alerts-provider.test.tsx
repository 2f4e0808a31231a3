import { Text } from 'ink';
import { expect, it } from 'vitest';
import type { GasClient } from '../../../src/client/client.ts';
import type { AlertListView, AlertView } from '../../../src/client/views/alerts.ts';
import { type AlertsFeed, useAlerts } from '../../../src/tui/hooks/use-alerts.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { ALERT } from '../fake-alerts.ts';
import { showScreen } from '../show-screen.tsx';

const disable =
  (id: string) =>
  (alerts: readonly AlertView[]): readonly AlertView[] =>
    alerts.map((alert) => (alert.id === id ? { ...alert, status: 'DISABLED' } : alert));

let drawn: AlertsFeed | null = null;

function Statuses() {
  drawn = useAlerts();
  const shown = drawn.data?.value.items.map(({ id, status }) => `${id}:${status}`);
  return <Text>{shown?.join(' ') ?? 'none'}</Text>;
}

/** A screen of ids and states, over a service that answers when it is told to. */
function show() {
  const questions: ((status: string) => void)[] = [];
  const alerts: GasClient['alerts'] = () =>
    new Promise<AlertListView>((answer) => {
      questions.push((status) =>
        answer({ items: ['a', 'b'].map((id) => ({ ...ALERT, id, status })), total: 2, unreadable: 0 }),
      );
    });
  const { shows } = showScreen({ scope: 'live', gas: { alerts }, Screen: Statuses });
  const asked = async (count: number) =>
    waitFor(() => questions.length === count, { what: `${count} questions` });
  return {
    shows,
    asked,
    answer: async (count: number, status: string) => {
      await asked(count);
      questions[count - 1]?.(status);
    },
    feed: () => {
      if (drawn === null) throw new Error('nothing is drawn yet');
      return drawn;
    },
  };
}

it('a change is shown before the service has answered, and stays while an older answer arrives', async () => {
  const { shows, answer, asked, feed } = show();
  await answer(1, 'PENDING');
  await shows('a:PENDING b:PENDING');
  const change = feed().expect(disable('a'));
  await shows('a:DISABLED b:PENDING');
  // Asked before the service has done it.
  void feed().refresh();
  await asked(2);
  void change.settle();
  await answer(2, 'PENDING');
  await asked(3);
  await shows('a:DISABLED b:PENDING');
  await answer(3, 'EXPIRED');
  await shows('a:EXPIRED b:EXPIRED');
});

it('a change that the service refuses is taken back, and another stays', async () => {
  const { shows, answer, feed } = show();
  await answer(1, 'PENDING');
  await shows('a:PENDING');
  const first = feed().expect(disable('a'));
  feed().expect(disable('b'));
  await shows('a:DISABLED b:DISABLED');
  first.takeBack();
  await shows('a:PENDING b:DISABLED');
  expect(feed().error).toBeNull();
});
