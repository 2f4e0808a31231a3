import { QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { useApp, useIsScreenReaderEnabled, useWindowSize } from 'ink';
import { useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { isPlain as isPlainUrl } from '../../client/http.ts';
import { chainNameOf, type SnapshotView } from '../../client/views/gas.ts';
import { formatDuration } from '../../core/units.ts';
import { Frame } from '../chrome/frame.tsx';
import { NoData, useNoResponse } from '../chrome/no-source.tsx';
import { helpLines, RawView } from '../chrome/raw-view.tsx';
import { type Toast, ToastContext, useToast, useToastHost } from '../chrome/toast.tsx';
import { ListsProvider } from '../data/lists.tsx';
import { type Notifications, NotificationsContext } from '../data/notifications.ts';
import {
  isOverdue,
  MonitorContext,
  type MonitorScope,
  standStill,
  useQuotaInterval,
  useRateLimit,
  useRecovery,
  useSnapshot,
  usualInterval,
} from '../data/queries.ts';
import { createQueryClient } from '../data/query-client.ts';
import type { Scope } from '../input/keymap.ts';
import { KeyListener, useKeys } from '../input/use-keys.tsx';
import { cheaperThan } from '../panes/alerts/alert-form.tsx';
import { openAlertForm } from '../panes/alerts/alerts-pane.tsx';
import { type Board, BoardPane } from '../panes/board/board-pane.tsx';
import { openPlace } from '../panes/explorer/explorer-state.ts';
import { Room, SnapshotContext } from '../ui/pane-context.tsx';
import { ScrollView } from '../ui/scroll.tsx';
import { DimContext, setAscii } from '../ui/theme.ts';
import { Clock, ClockContext, useTicking } from './clock.ts';
import { type Health, healthOf, isPast } from './connection.ts';
import { Finder } from './finder.tsx';
import {
  keyFinder,
  type MonitorSource,
  type SourceChoice,
  type SourceHolder,
  type SourceState,
} from './source.ts';
import { TABS, type Tab } from './tabs.ts';
import { useSuspend } from './terminal.ts';
import {
  MemoryContext,
  type MonitorState,
  type Navigation,
  NavigationContext,
  stepInterval,
  useNavigation,
} from './ui-state.ts';

interface SessionProps extends Omit<MonitorProps, 'ascii' | 'notifications' | 'isBoardFirst'> {
  readonly source: SourceState;
  readonly state: MonitorState;
  readonly change: (part: Partial<MonitorState>) => void;
  readonly toast: Toast | null;
}

function Session(props: SessionProps) {
  const [queries] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queries}>
      <SessionScreen {...props} />
    </QueryClientProvider>
  );
}

function SessionScreen(props: SessionProps) {
  const { source, state, change, toast, holder, undoMs, now, saveFile, board } = props;
  const { columns, rows } = useWindowSize();
  const memory = useContext(MemoryContext);
  const opened = source.kind === 'open' ? source.source : null;
  const client = opened?.client ?? null;
  const isOwnService = opened?.embedded != null;
  const { frozen } = state;
  const [usualMs, setUsualMs] = useState(() => usualInterval(undefined, isOwnService));
  const wantedMs = state.intervalMs ?? opened?.intervalMs ?? usualMs;
  const quotaMs = useQuotaInterval(client, isOwnService, { frozen, now });
  const intervalMs = Math.max(wantedMs, quotaMs);
  // An interval that the user has chosen polls at that.
  const mayListen = state.intervalMs === null;
  const { isListening, ...prices } = useSnapshot(client, { intervalMs, frozen, isOwnService, mayListen });
  // Shows a rate-limit pause at once, whichever route met it.
  const pause = useRateLimit(client);
  const polled = pause === null ? prices : { ...prices, error: pause.error, retryAt: pause.until };
  const snapshot = polled.data;
  const usual = usualInterval(snapshot, isOwnService);
  if (usual !== usualMs) setUsualMs(usual);
  useRecovery(polled.error !== null);
  useRestartNotice(snapshot, now);

  const error = source.kind === 'failed' ? source.error : polled.error;
  const overdue = useTicking((at) => isOverdue(snapshot, frozen, at));
  const health: Health =
    source.kind === 'failed' ? { kind: 'none' } : healthOf(polled, frozen, isOwnService, overdue);
  const reason = { error, retryAt: polled.retryAt, attempt: source.id };
  const nothingAnswers = useNoResponse(reason) && snapshot === undefined;
  const tab = TABS[state.tab] ?? TABS[0];
  const host = isOwnService ? null : (opened?.name ?? null);
  const { url, apiKey = null } = opened?.reach ?? {};
  const isPlain = host !== null && url !== undefined && isPlainUrl(new URL(url));
  const isKey = keyFinder(apiKey);
  const scope: MonitorScope | null = client && {
    client,
    intervalMs,
    quotaMs,
    isOwnService,
    host,
    isPlain,
    frozen,
    isKey,
    undoMs,
    now,
    saveFile,
  };
  // The source kind in the response overrides the one from the command line.
  const kind = snapshot?.source.kind;
  const dataBadge = kind === 'replay' ? 'REPLAY' : kind === 'simulated' ? 'SIMULATED' : undefined;
  const badge = dataBadge ?? opened?.badge ?? null;
  const chainName = (snapshot && chainNameOf(snapshot)) ?? opened?.chainName ?? null;

  const pace = isListening
    ? 'each block'
    : `${quotaMs > wantedMs ? 'slowed: ' : ''}every ${formatPace(intervalMs)}`;
  const showTab: Navigation['showTab'] = (action) => {
    const place = TABS.findIndex((each) => each.action === action);
    if (place >= 0) change({ tab: place, overlay: null });
  };
  const navigation: Navigation = {
    showTab,
    newAlert: (prefill) => {
      openAlertForm(memory, prefill, tab.action);
      showTab('tab-3');
    },
    openPlace: (place) => {
      openPlace(memory, place);
      showTab('tab-5');
    },
  };
  const openChain = (name: string) => {
    change({ isBoard: false, chain: name });
    if (state.chain !== name || source.kind !== 'open')
      void holder.open(() => board?.open(name) ?? Promise.reject(new Error('no chains are set up')));
  };
  const choose = (choice: SourceChoice) => {
    if (choice === 'retry' && state.chain !== null) return openChain(state.chain);
    change({ chain: null });
    void holder.open(() => props.openSource(choice));
  };
  const shown = state.isBoard && board !== null ? board : null;
  const body = () => {
    if (state.overlay === 'help') {
      return <ScrollView title="Keys" lines={helpLines(shown === null ? tab.scope : 'board')} />;
    }
    if (shown !== null) return <BoardPane board={shown} open={openChain} />;
    if (state.overlay === 'raw' && scope !== null) return <RawView {...tab.raw(memory)} />;
    if (snapshot === undefined || scope === null) {
      return <NoData {...{ ...reason, nothingAnswers, choose }} urlProblem={props.urlProblem} />;
    }
    return (
      <SnapshotContext value={snapshot}>
        <Finder key={tab.action} scope={tab.scope}>
          <tab.Screen />
        </Finder>
      </SnapshotContext>
    );
  };
  return (
    <MonitorContext value={scope}>
      <DimContext value={isPast(health) || overdue}>
        <ListsProvider
          {...{ client, snapshot, intervalMs, isOwnService, frozen, now }}
          shown={tab.scope === 'alerts' || tab.scope === 'auto-txs' ? tab.scope : null}
          beforeClosing={holder.beforeClosing}
        >
          <NavigationContext value={navigation}>
            <KeyListener scopes={scopesOf(state, tab, nothingAnswers, snapshot === undefined)}>
              <GlobalKeys
                {...{ state, change, wantedMs, quotaMs, health, snapshot, board }}
                isOpening={source.kind === 'opening' && source.id === 0}
                tryNow={() => client?.rateLimit.tryNow()}
              />
              <Room columns={columns} rows={rows}>
                <Frame {...{ chainName, badge, snapshot, health, tab, pace, toast }} isWhole={shown !== null}>
                  {body()}
                </Frame>
              </Room>
            </KeyListener>
          </NavigationContext>
        </ListsProvider>
      </DimContext>
    </MonitorContext>
  );
}

const formatPace = (ms: number) => (ms < 1_000 ? `${ms / 1_000}s` : formatDuration(ms / 1_000));

const RESTART_IS_NEWS_MS = 600_000;
const RESTART_SHOWN_MS = 60_000;

function useRestartNotice(snapshot: SnapshotView | undefined, now: () => number): void {
  const toast = useToast();
  const restartedAt = snapshot?.source.restartedAt ?? null;
  useEffect(() => {
    if (restartedAt === null || now() - restartedAt > RESTART_IS_NEWS_MS) return;
    const text = 'The chain began anew: its history is dropped, auto-txs are disabled';
    toast({ kind: 'alert', text, forMs: RESTART_SHOWN_MS });
  }, [restartedAt, toast, now]);
}

function scopesOf(
  { overlay, isBoard }: MonitorState,
  tab: Tab,
  nothingAnswers: boolean,
  isEmpty: boolean,
): readonly Scope[] {
  if (overlay !== null) return ['scroll', 'global'];
  if (isBoard) return ['board', 'global'];
  if (nothingAnswers) return ['source', 'global'];
  return isEmpty ? ['global'] : [tab.scope, 'global'];
}

interface GlobalKeysProps extends Pick<SessionProps, 'state' | 'change' | 'board'> {
  readonly isOpening: boolean;
  readonly wantedMs: number;
  readonly quotaMs: number;
  readonly health: Health;
  readonly snapshot: SnapshotView | undefined;
  readonly tryNow: () => void;
}

function GlobalKeys(props: GlobalKeysProps) {
  const { state, change, wantedMs, quotaMs, health, snapshot, board, isOpening, tryNow } = props;
  const { newAlert, showTab } = useNavigation();
  const { exit } = useApp();
  const queries = useQueryClient();
  const toast = useToast();
  const suspend = useSuspend();
  const ask = async () => {
    // A request that waits for its retry is sent at once.
    await queries.cancelQueries({ type: 'active' });
    void queries.refetchQueries({ type: 'active' });
    await queries.refetchQueries({ queryKey: ['gas/current'] }, { cancelRefetch: false });
  };
  const setPace = (direction: 'faster' | 'slower') => {
    const next = stepInterval(wantedMs, direction);
    change({ intervalMs: next });
    const held = quotaMs <= next ? '' : `, but every ${quotaMs / 1_000} s until the quota resets`;
    toast({ kind: 'info', text: `Refreshing every ${next / 1_000} s${held}` });
  };
  const freeze = () => {
    change({ frozen: !state.frozen });
    if (state.frozen) void ask();
    else standStill(queries);
    toast({ kind: 'info', text: state.frozen ? 'Resumed' : 'Frozen: f resumes, r refreshes once' });
  };
  const toggle = (overlay: 'help' | 'raw') => change({ overlay: state.overlay === overlay ? null : overlay });
  const step = (by: number) => showTab(TABS.at((state.tab + by) % TABS.length)?.action ?? 'tab-1');
  const back = () =>
    change({ overlay: null, ...(state.overlay === null && state.chain !== null && { isBoard: true }) });
  const ofTheBoard = {
    help: () => toggle('help'),
    board: board === null ? NO_CHAINS : () => change({ isBoard: isOpening || !state.isBoard, overlay: null }),
    back,
    suspend,
    quit: () => exit(),
  };
  const ofTheTabs = {
    raw: () => toggle('raw'),
    // Without prices these have nothing to act on.
    ...(snapshot && {
      alert: () => newAlert(cheaperThan(snapshot.lanes.average.price)),
      freeze,
      slower: () => setPace('slower'),
      faster: () => setPace('faster'),
    }),
    ...Object.fromEntries(TABS.map(({ action }) => [action, () => showTab(action)])),
    'next-tab': () => step(1),
    'previous-tab': () => step(-1),
    refresh: () => {
      tryNow();
      void ask().then(() => {
        if (health.kind === 'live' || health.kind === 'frozen') toast({ kind: 'info', text: 'Refreshed' });
      });
    },
  };
  useKeys('global', state.isBoard ? ofTheBoard : { ...ofTheTabs, ...ofTheBoard });
  return null;
}

const NO_CHAINS = 'No chains are set up: start gastop with --chains base,op';

export interface MonitorProps {
  readonly holder: SourceHolder;
  readonly openSource: (choice: SourceChoice) => Promise<MonitorSource>;
  /** Why a typed URL cannot be opened, in one line; `null` when it can be tried. */
  readonly urlProblem: (text: string) => string | null;
  readonly board: Board | null;
  readonly isBoardFirst: boolean;
  readonly ascii: boolean;
  readonly notifications: Notifications;
  readonly undoMs: number;
  readonly now: () => number;
  readonly saveFile: (name: string, text: string) => Promise<string>;
}

/** Ages that tick every second would keep a screen reader from finishing its sentence. */
const SPOKEN_TICK_MS = 60_000;

export function Monitor({ ascii, notifications, isBoardFirst, ...props }: MonitorProps) {
  const { holder, now } = props;
  const isSpoken = useIsScreenReaderEnabled();
  useState(() => setAscii(ascii || isSpoken));
  const source = useSyncExternalStore(holder.subscribe, holder.read);
  const [state, setState] = useState<MonitorState>({
    tab: 0,
    isBoard: isBoardFirst,
    chain: null,
    overlay: null,
    frozen: false,
    intervalMs: null,
  });
  const change = (part: Partial<MonitorState>) => setState((before) => ({ ...before, ...part }));
  const { toast, show } = useToastHost();
  const [clock] = useState(() => new Clock(now, isSpoken ? SPOKEN_TICK_MS : 1_000));
  const [memory] = useState(() => new Map<string, unknown>());
  // An opening source continues the session that waited for it; another choice starts a new one.
  const session = <Session key={source.id} {...props} {...{ source, state, change, toast }} />;
  return (
    <ClockContext value={clock}>
      <ToastContext value={show}>
        <NotificationsContext value={notifications}>
          <MemoryContext value={memory}>{session}</MemoryContext>
        </NotificationsContext>
      </ToastContext>
    </ClockContext>
  );
}
