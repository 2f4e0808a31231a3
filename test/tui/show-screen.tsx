import { QueryClientProvider } from '@tanstack/react-query';
import { render } from 'ink-testing-library';
import type { ComponentType } from 'react';
import stringWidth from 'string-width';
import { expect, onTestFinished } from 'vitest';
import type { GasClient } from '../../src/client/gas-client.ts';
import { chainStatus } from '../../src/client/views/chain-status.ts';
import type { SnapshotView } from '../../src/client/views/gas.ts';
import { looksLikeKey } from '../../src/core/key-text.ts';
import { Finder } from '../../src/tui/app/finder.tsx';
import { KeyBar } from '../../src/tui/chrome/frame.tsx';
import { type Toast, ToastContext } from '../../src/tui/chrome/toast.tsx';
import { ListsProvider } from '../../src/tui/data/lists.tsx';
import {
  type AlertPrefill,
  MonitorContext,
  type MonitorScope,
  type PlaceName,
} from '../../src/tui/data/monitor-context.ts';
import { UNDO_MS } from '../../src/tui/data/mutations.ts';
import { createQueryClient } from '../../src/tui/data/query-client.ts';
import { Remembered, RememberedContext } from '../../src/tui/data/remembered.ts';
import type { Scope } from '../../src/tui/input/keymap.ts';
import { KeyListener } from '../../src/tui/input/use-keys.tsx';
import { openPlace } from '../../src/tui/panes/explorer/explorer-pane.tsx';
import { Clock, MemoryContext, Room } from '../../src/tui/ui/pane-context.tsx';
import { setAscii } from '../../src/tui/ui/theme.ts';
import { keyBytes } from '../helpers/terminal-keys.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { fakeGas, SNAPSHOT } from './fake-gas.ts';

export const SIZES = [
  [60, 13],
  [80, 21],
  [120, 37],
] as const;

export const SILENT = { level: 'off', env: {} } as const;

export const monitorOf = (
  gas: Partial<GasClient> = {},
  changes: Partial<MonitorScope> = {},
): MonitorScope => ({
  client: fakeGas({ isOwn: changes.isOwnService ?? false, ...gas }),
  snapshot: SNAPSHOT,
  status: { kind: 'live' },
  intervalMs: 60_000,
  patienceSec: 3_600,
  setPatience: () => {},
  quotaMs: 0,
  forgetful: null,
  host: null,
  isPlain: false,
  isKey: looksLikeKey,
  undoMs: UNDO_MS,
  frozen: false,
  isOwnService: false,
  now: Date.now,
  fullPath: (name) => `/home/user/${name}`,
  saveFile: async (name) => name,
  showTab: () => {},
  newAlert: () => {},
  openPlace: () => {},
  ...changes,
});

export interface ShowOptions extends Partial<MonitorScope> {
  readonly Pane: ComponentType;
  readonly scope: Scope;
  readonly gas?: Partial<GasClient>;
  readonly snapshot?: SnapshotView;
  readonly memory?: Map<string, unknown>;
  readonly remembered?: Remembered;
  readonly columns?: number;
  readonly rows?: number;
  readonly ascii?: boolean;
  readonly hasFooter?: boolean;
  /** Rows that it draws besides the room it is given. */
  readonly besides?: number;
  /** Default: four seconds after the snapshot's block. */
  readonly now?: () => number;
}

export function showScreen(options: ShowOptions) {
  const { Pane, scope, gas = {}, memory = new Map(), columns = 80, rows = 21 } = options;
  const { remembered = new Remembered() } = options;
  const toasts: Toast[] = [];
  const queries = createQueryClient();
  const now = options.now ?? (() => (SNAPSHOT.blockTimestamp ?? 0) + 4_000);
  const duties: (() => Promise<void>)[] = [];
  const showToast = (toast: Toast) => void toasts.push(toast);
  const beforeClosing = (work: () => Promise<void>) => void duties.push(work);
  const prefills: AlertPrefill[] = [];
  const opened: PlaceName[] = [];
  const monitor = monitorOf(gas, {
    ...options,
    snapshot: options.snapshot ?? SNAPSHOT,
    status: chainStatus(options.snapshot ?? SNAPSHOT, now()),
    now,
    newAlert: (prefill) => prefills.push(prefill),
    openPlace: (place) => {
      openPlace(memory, place);
      opened.push(place);
      arrive(shown);
    },
  });
  setAscii(options.ascii ?? false);
  onTestFinished(() => setAscii(false));
  const tree = (snapshot: SnapshotView) => (
    <QueryClientProvider client={queries}>
      <MonitorContext value={{ ...monitor, snapshot }}>
        <Clock now={now} periodMs={10}>
          <ToastContext value={showToast}>
            <MemoryContext value={memory}>
              <RememberedContext value={remembered}>
                <ListsProvider
                  {...monitor}
                  snapshot={snapshot}
                  notifications={SILENT}
                  shown={scope === 'auto-txs' ? 'auto-txs' : 'alerts'}
                  beforeClosing={beforeClosing}
                >
                  <KeyListener scopes={[scope, 'global']}>
                    <Room columns={columns} rows={rows}>
                      <Finder scope={scope}>
                        <Pane />
                      </Finder>
                      {options.hasFooter === true ? <KeyBar /> : null}
                    </Room>
                  </KeyListener>
                </ListsProvider>
              </RememberedContext>
            </MemoryContext>
          </ToastContext>
        </Clock>
      </MonitorContext>
    </QueryClientProvider>
  );
  let shown = options.snapshot ?? SNAPSHOT;
  const app = render(tree(shown));
  const arrive = (snapshot: SnapshotView) => {
    shown = snapshot;
    app.rerender(tree(snapshot));
  };
  const heard = waitFor(() => app.stdin.listenerCount('readable') > 0, { what: 'ears' });
  onTestFinished(() => {
    app.unmount();
    queries.clear();
  });
  const screen = () => app.lastFrame() ?? '';
  const press = async (...keys: readonly string[]) => {
    await heard;
    // As a burst: each key is then heard after the effect of the one before.
    for (const bytes of keys.flatMap(keyBytes)) app.stdin.write(bytes);
  };
  const shows = async (...texts: readonly (string | RegExp)[]) => {
    for (const text of texts) {
      const there = () => (typeof text === 'string' ? screen().includes(text) : text.test(screen()));
      await waitFor(there).catch((cause: unknown) => {
        throw new Error(`${text} is not on\n${screen()}`, { cause });
      });
    }
    // Every screen fits into its window.
    const lines = screen().split('\n');
    expect(lines.filter((line) => stringWidth(line) > columns)).toEqual([]);
    if (options.hasFooter !== true) expect(lines.length).toBeLessThanOrEqual(rows + (options.besides ?? 0));
  };
  return {
    screen,
    lines: () => screen().split('\n'),
    toasts,
    memory,
    prefills,
    opened,
    endSession: async () => {
      await Promise.all(duties.map((work) => work()));
    },
    /** Names as a terminal test has them (`enter`, `esc`, `pagedown`), or text. */
    press,
    paste: (text: string) => app.stdin.write(`\u001b[200~${text}\u001b[201~`),
    renew: () => queries.invalidateQueries(),
    arrive,
    unmount: app.unmount,
    shows,
    leads: async (keys: string | readonly string[], ...texts: readonly (string | RegExp)[]) => {
      await press(...[keys].flat());
      await shows(...texts);
    },
    tells: async (keys: string | readonly string[], text: string) => {
      const before = toasts.length;
      await press(...[keys].flat());
      const told = () =>
        toasts
          .slice(before)
          .map((toast) => `${toast.kind}: ${toast.text}`)
          .at(-1);
      await waitFor(() => told()?.includes(text) === true).catch((cause: unknown) => {
        throw new Error(`${text} is not told, but ${told()}`, { cause });
      });
    },
  };
}

/** What is done with a form and comes to `sent`; and the field that is under the cursor. */
export function formOf({ press, lines }: Pick<ReturnType<typeof showScreen>, 'press' | 'lines'>) {
  const focused = () => lines().find((line) => /^ [▸>] /.test(line)) ?? '';
  return {
    focused,
    /** Keys, and what stands in the field under the cursor after them. */
    focuses: async (keys: string | readonly string[], text: string) => {
      await press(...[keys].flat());
      await waitFor(() => focused().includes(text)).catch((cause: unknown) => {
        throw new Error(`${text} is not in ${focused()}`, { cause });
      });
    },
    sending:
      <Sent,>(sent: readonly Sent[]) =>
      async (...keys: readonly string[]): Promise<Sent> => {
        const before = sent.length;
        await press(...keys);
        await waitFor(() => sent.length > before);
        return sent[before] as Sent;
      },
  };
}

export async function until<Shown extends Pick<ReturnType<typeof showScreen>, 'shows'>>(
  shown: Shown,
  ...texts: readonly (string | RegExp)[]
): Promise<Shown> {
  await shown.shows(...texts);
  return shown;
}
