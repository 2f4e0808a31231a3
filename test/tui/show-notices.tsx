import { QueryClientProvider } from '@tanstack/react-query';
import { Text } from 'ink';
import { render } from 'ink-testing-library';
import { type ReactNode, useEffect } from 'react';
import { onTestFinished } from 'vitest';
import type { GasClient } from '../../src/client/gas-client.ts';
import type { SnapshotView } from '../../src/client/views/gas.ts';
import { type Toast, ToastContext } from '../../src/tui/chrome/toast.tsx';
import type { ListItem } from '../../src/tui/data/list-filter.ts';
import { ListsProvider } from '../../src/tui/data/lists.tsx';
import { useLists } from '../../src/tui/data/monitor-context.ts';
import { createQueryClient } from '../../src/tui/data/query-client.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { fakeGas, SNAPSHOT } from './fake-gas.ts';

interface Look {
  readonly frozen?: boolean;
  readonly isShown?: boolean;
}

interface EffectsRunProps {
  readonly how: Look;
  readonly ran: (how: Look) => void;
  readonly children: ReactNode;
}

/** Tells once the effects of all it holds have run, some time after a rendering: only then does polling do as told. */
function EffectsRun({ how, ran, children }: EffectsRunProps) {
  useEffect(() => ran(how), [how, ran]);
  return children;
}

interface NoticeOptions<Item> {
  readonly list: 'alerts' | 'autoTxs';
  readonly say: (items: readonly Item[]) => string;
  readonly gas?: Partial<GasClient>;
  readonly snapshot?: SnapshotView;
  readonly now?: number;
}

function Feed<Item extends ListItem>({ list, say }: Pick<NoticeOptions<Item>, 'list' | 'say'>) {
  const { unseen, tabCount, data, error, retryAt } = useLists()[list];
  const again = retryAt === null ? 'not asked again' : 'asked again';
  const failed = error === null ? '' : `, ${error.message}, ${again}`;
  const said = say((data?.items ?? []) as readonly ListItem[] as readonly Item[]);
  return <Text>{`unseen ${unseen}, counted ${tabCount}, ${said}${failed}`}</Text>;
}

const NOTIFICATIONS = { level: 'on', env: { TERM: 'foot' } } as const;

export function showNotices<Item extends ListItem>(
  first: readonly Item[] | Error,
  { list, say, gas, snapshot = SNAPSHOT, now = (SNAPSHOT.blockTimestamp ?? 0) + 4_000 }: NoticeOptions<Item>,
) {
  let items = first;
  let asked = 0;
  const client = fakeGas({
    [list]: async () => {
      asked += 1;
      if (items instanceof Error) throw items;
      return { items, total: items.length, unreadable: 0 };
    },
    ...gas,
  });
  const queries = createQueryClient();
  const toasts: Toast[] = [];
  let last: Look | undefined;
  const ran = (how: Look) => {
    last = how;
  };
  const tree = (how: Look) => (
    <QueryClientProvider client={queries}>
      <ToastContext value={(toast) => toasts.push(toast)}>
        <EffectsRun {...{ how, ran }}>
          <ListsProvider
            {...{ client, snapshot, intervalMs: 5, isOwnService: true, now: () => now }}
            frozen={how.frozen === true}
            notifications={NOTIFICATIONS}
            shown={how.isShown === true ? (list === 'alerts' ? 'alerts' : 'auto-txs') : 'live'}
            beforeClosing={() => {}}
          >
            <Feed list={list} say={say} />
          </ListsProvider>
        </EffectsRun>
      </ToastContext>
    </QueryClientProvider>
  );
  const app = render(tree({}));
  onTestFinished(() => {
    app.unmount();
    queries.clear();
  });
  return {
    toasts,
    told: () => app.frames.filter((frame) => frame.startsWith('\u0007')),
    shows: (text: string) => waitFor(() => app.lastFrame()?.includes(text) === true, { what: text }),
    asked: () => asked,
    answer: async (next: readonly Item[] | Error) => {
      items = next;
      const before = asked;
      // The monitor polls an empty list every 12 s only.
      const polling = setInterval(() => void queries.refetchQueries({}, { cancelRefetch: false }), 5);
      await waitFor(() => asked > before + 2).finally(() => clearInterval(polling));
    },
    look: async (how: Look) => {
      app.rerender(tree(how));
      await waitFor(() => last === how);
    },
  };
}
