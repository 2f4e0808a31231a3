import { QueryClientProvider } from '@tanstack/react-query';
import { Text } from 'ink';
import { render } from 'ink-testing-library';
import { expect, it, onTestFinished } from 'vitest';
import { ClientError } from '../../../src/client/errors.ts';
import { type AutoTxView, describeChange } from '../../../src/client/views/auto-txs.ts';
import { type Toast, ToastContext } from '../../../src/tui/chrome/toast.tsx';
import { ListsProvider, useLists } from '../../../src/tui/data/lists.tsx';
import { NotificationsContext } from '../../../src/tui/data/notifications.ts';
import { createQueryClient } from '../../../src/tui/data/query-client.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { EffectsRun, watchEffects } from '../effects-run.tsx';
import { fakeGas, SNAPSHOT } from '../fake-gas.ts';
import { EXECUTED, EXPIRED, FAILED, SENT, WAITING } from './auto-tx-samples.ts';

const NOTIFICATIONS = { level: 'on', env: { TERM: 'foot' } } as const;

function Feed() {
  const { unseen, awaited, data, error, retryAt } = useLists().autoTxs;
  const failed =
    error === null ? '' : `, ${error.message}, ${retryAt === null ? 'not asked again' : 'asked again'}`;
  const states = data?.items.map(({ status }) => status).join(' ');
  return <Text>{`unseen ${unseen}, awaited ${awaited}, ${states}${failed}`}</Text>;
}

interface Look {
  readonly frozen?: boolean;
  readonly isShown?: boolean;
}

/** A monitor's notices over a service whose list is what the test says, asked every few milliseconds. */
function show(first: readonly AutoTxView[] | Error) {
  let list = first;
  let asked = 0;
  const client = fakeGas({
    autoTxs: async () => {
      asked += 1;
      if (list instanceof Error) throw list;
      return { items: list, total: list.length, unreadable: 0 };
    },
  });
  const queries = createQueryClient();
  const toasts: Toast[] = [];
  const effects = watchEffects<Look>();
  const tree = (how: Look) => (
    <QueryClientProvider client={queries}>
      <NotificationsContext value={NOTIFICATIONS}>
        <ToastContext value={(toast) => toasts.push(toast)}>
          <EffectsRun of={how} told={effects.told}>
            <ListsProvider
              client={client}
              snapshot={SNAPSHOT}
              intervalMs={5}
              isOwnService
              now={() => SNAPSHOT.blockTimestamp ?? 0}
              frozen={how.frozen === true}
              shown={how.isShown === true ? 'auto-txs' : null}
              beforeClosing={() => {}}
            >
              <Feed />
            </ListsProvider>
          </EffectsRun>
        </ToastContext>
      </NotificationsContext>
    </QueryClientProvider>
  );
  const app = render(tree({}));
  onTestFinished(() => {
    app.unmount();
    queries.clear();
  });
  return {
    toasts,
    /** All that was written past the frames. */
    rung: () => app.stdout.frames.filter((frame) => frame.includes('\u0007')),
    lists: async (next: readonly AutoTxView[]) => {
      list = next;
      const before = asked;
      await waitFor(() => asked > before + 2);
    },
    turn: async (how: Look) => {
      app.rerender(tree(how));
      await effects.ran(how);
    },
    shows: (text: string) => waitFor(() => app.lastFrame()?.includes(text), { what: text }),
    asked: () => asked,
  };
}

it('an auto-tx that is executed is told on the screen and by the bell, once, and counts until it is looked at', async () => {
  const { shows, lists, toasts, rung, turn } = show([WAITING]);
  await shows('unseen 0, awaited 1, PENDING');
  await lists([{ ...EXECUTED, id: WAITING.id, note: '' }]);
  await shows('unseen 1, awaited 0, EXECUTED');
  const text = 'Auto-tx executed in block 24,337,380 at 0.0388 gwei: 0.01 ETH to 0x7099…79C8';
  expect(toasts).toEqual([{ kind: 'alert', text }]);
  expect(rung().length).toBe(1);
  await turn({ isShown: true });
  await shows('unseen 0');
  expect(toasts.length).toBe(1);
});

it('one that is sent is told without the bell', async () => {
  const { shows, lists, toasts, rung } = show([WAITING]);
  await shows('PENDING');
  await lists([{ ...SENT, id: WAITING.id }]);
  await shows('unseen 0, awaited 1, SUBMITTED');
  expect(toasts).toEqual([{ kind: 'info', text: 'Auto-tx submitted: rent', forMs: 6_000 }]);
  expect(rung()).toEqual([]);
});

it('one that fails says why', async () => {
  const { shows, lists, toasts } = show([WAITING]);
  await shows('PENDING');
  await lists([{ ...FAILED, id: WAITING.id, note: 'rent' }]);
  await shows('FAILED');
  expect(toasts[0]?.text).toBe(
    'Auto-tx failed: rent, nonce 0 is used: another transaction of this account was mined with it',
  );
});

it('several at once are counted', async () => {
  const { shows, lists, toasts } = show([WAITING, { ...WAITING, id: 'two' }, { ...WAITING, id: 'three' }]);
  await shows('awaited 3');
  await lists([
    { ...EXECUTED, id: WAITING.id },
    { ...EXPIRED, id: 'two' },
    { ...EXECUTED, id: 'three' },
  ]);
  await shows('unseen 3');
  expect(toasts[0]?.text).toBe('3 auto-txs: 2 executed, 1 expired');
});

it('what became of one before the monitor ran, or of that of a key, is no news', async () => {
  const { shows, lists, toasts } = show([EXECUTED, { ...WAITING, keyId: 'k1' }]);
  await shows('EXECUTED PENDING');
  await lists([EXECUTED, { ...EXECUTED, id: WAITING.id, keyId: 'k1' }, FAILED]);
  await shows('EXECUTED EXECUTED FAILED');
  expect(toasts).toEqual([]);
});

it('is told over a screen that stands still, which still shows what it did', async () => {
  const { shows, lists, toasts, turn } = show([WAITING]);
  await shows('PENDING');
  await turn({ frozen: true });
  // A question that was already on its way is of the time before.
  await lists([WAITING]);
  await lists([{ ...EXECUTED, id: WAITING.id }]);
  await waitFor(() => toasts.length === 1);
  await shows('unseen 1, awaited 1, PENDING');
});

it('a service that keeps no auto-txs is not asked again by itself, and nothing is said of it', async () => {
  const { shows, toasts, asked } = show(
    new ClientError('not-found', 'no such route', { endpoint: '/auto-txs', status: 404 }),
  );
  await shows('no such route, not asked again');
  expect(asked()).toBe(1);
  expect(toasts).toEqual([]);
});

it('of an expired one it is said whether it was ever sent', async () => {
  expect(describeChange({ ...EXPIRED, attempts: 0, note: 'rent' })).toBe('Auto-tx expired: rent');
  expect(describeChange({ ...EXPIRED, attempts: 1, note: 'rent' })).toBe(
    'Auto-tx expired, broadcast and not mined: rent',
  );
});
