import { QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { useApp, useWindowSize } from 'ink';
import {
  type ComponentType,
  useContext,
  useEffect,
  useLayoutEffect,
  useReducer,
  useState,
  useSyncExternalStore,
} from 'react';
import * as z from 'zod';
import { isPlain as isPlainUrl } from '../../client/service-url.ts';
import { chainStatus } from '../../client/views/chain-status.ts';
import { chainNameOf } from '../../client/views/gas.ts';
import type { SnapshotView } from '../../client/views/gas-responses.ts';
import { PATIENCE_SEC } from '../../contract/choices.ts';
import { PATHS } from '../../contract/routes.ts';
import type { ChainStatus } from '../../core/chain-status.ts';
import { isOutdated } from '../../core/chain-status.ts';
import { type Playback, stepSpeed } from '../../core/playback.ts';
import { MINUTE_SEC } from '../../core/time.ts';
import { formatDuration } from '../../core/units.ts';
import { Frame, type Health, healthOf, isPast } from '../chrome/frame.tsx';
import { NoData, useNoResponse } from '../chrome/no-source.tsx';
import { helpLines, type RawRequest, RawView } from '../chrome/raw-view.tsx';
import { TABS, useShownTab } from '../chrome/tabs.ts';
import { useToast } from '../chrome/toast.tsx';
import { cheaperThan } from '../data/alert-prefill.ts';
import { ListsProvider } from '../data/lists.tsx';
import { MonitorContext, type MonitorScope, type QuerySession } from '../data/monitor-context.ts';
import { UNDO_MS } from '../data/mutations.ts';
import { usePace, useRateLimit } from '../data/pace.ts';
import { useForkChip, useSnapshot } from '../data/prices.ts';
import { useRecovery } from '../data/queries.ts';
import { createQueryClient } from '../data/query-client.ts';
import { chainMemory, RememberedContext, useRemembered } from '../data/remembered.ts';
import type { Scope, TabScope } from '../input/keymap.ts';
import { useMouseKey } from '../input/mouse.tsx';
import { type ActionHandlers, KeyListener } from '../input/use-keys.tsx';
import { AlertsPane } from '../panes/alerts/alerts-pane.tsx';
import { AutoTxsPane } from '../panes/auto-txs/auto-txs-pane.tsx';
import { BoardPane } from '../panes/board/board-pane.tsx';
import { ChartPane } from '../panes/chart/chart-pane.tsx';
import { ExplorerPane, explorerRequest, openPlace } from '../panes/explorer/explorer-pane.tsx';
import { LivePane } from '../panes/live/live-pane.tsx';
import { ServicePane } from '../panes/service/service-pane.tsx';
import { openForm, resourceRequest } from '../resource/resource-pane.tsx';
import { type Memory, MemoryContext, Room, useAtNow } from '../ui/pane-context.tsx';
import { TextView } from '../ui/scroll.tsx';
import { DimContext } from '../ui/theme.ts';
import { offsetAt, setZone, ZONES, zoneText } from '../ui/time.ts';
import type { MonitorProps, MonitorState } from './app.tsx';
import { Finder } from './finder.tsx';
import { type ChosenSource, type HeldSource, keyFinder, type MonitorSource } from './source.ts';
import { useSuspend } from './terminal.ts';

interface Shown {
  readonly Pane: ComponentType;
  /** The request for the raw view: that of the response on the screen. */
  readonly raw: string | ((memory: Memory) => RawRequest);
}

export interface SessionProps extends MonitorProps {
  readonly state: MonitorState;
  readonly change: (part: Partial<MonitorState>) => void;
}

export const PANES: Readonly<Record<TabScope, Shown>> = {
  live: { Pane: LivePane, raw: PATHS.gasCurrent },
  chart: { Pane: ChartPane, raw: PATHS.statsChart },
  alerts: { Pane: AlertsPane, raw: resourceRequest('alert', PATHS.alerts, PATHS.alert) },
  'auto-txs': { Pane: AutoTxsPane, raw: resourceRequest('auto-tx', PATHS.autoTxs, PATHS.autoTx) },
  explorer: { Pane: ExplorerPane, raw: explorerRequest },
  service: { Pane: ServicePane, raw: PATHS.summary },
};

const ShownZone = z.enum(ZONES);
const PatienceSec = z.number().min(PATIENCE_SEC.least).max(PATIENCE_SEC.most);

const NO_CHAINS = 'No chains are set up: start gastop with --chains base,op';

const LIVE: ChainStatus = { kind: 'live' };

/** What a source is shown by. One that opens continues the session that waited for it; another choice starts a new one. */
export function Session(props: SessionProps) {
  const [queries] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queries}>
      <SessionScreen {...props} />
    </QueryClientProvider>
  );
}

function SessionScreen(props: SessionProps) {
  const {
    state,
    change,
    holder,
    now,
    undoMs = UNDO_MS,
    fullPath,
    saveFile,
    board,
    notifications,
    log,
  } = props;
  const { frozen, overlay } = state;
  const { exit } = useApp();
  const toast = useToast();
  const memory = useContext(MemoryContext);
  const { columns, rows } = useWindowSize();
  const source = useSyncExternalStore(holder.subscribe, holder.read);
  const opened = source.kind === 'open' ? source.source : null;
  const client = opened?.client ?? null;
  const isOwnService = opened?.embedded != null;
  const session = { client, frozen, now, isOwnService };
  const [patienceSec, setPatience] = useRemembered('patience', PatienceSec, PATIENCE_SEC.default);
  const prices = usePrices(session, source, patienceSec);
  const { snapshot, status, health, reason, intervalMs, quotaMs } = prices;
  useMemoryOf(opened, snapshot?.chainId ?? null);
  const { tab, showTab, tabKeys } = useTabs(() => change({ overlay: null }));
  const { Pane, raw } = PANES[tab.scope];
  const { zone, zoneName, toggleZone } = useZone(snapshot?.blockTimestamp ?? now());
  const { refresh, toggleFreeze } = useRefresh(frozen, change);
  const playback = opened?.playback ?? null;
  const playbackKeys = usePlaybackKeys(playback);
  const fork = useForkChip(session, snapshot !== undefined);
  const shownTab = state.isBoard ? 'Board' : tab.title;
  const head = snapshot?.blockNumber ?? null;
  useEffect(() => {
    log?.({ type: 'state', tab: shownTab, status: health.kind, head });
  }, [log, shownTab, health.kind, head]);
  const nothingAnswers = useNoResponse(reason) && snapshot === undefined;
  const shownBoard = state.isBoard ? board : null;

  const newAlert: MonitorScope['newAlert'] = (prefill) => {
    openForm(memory, 'alert', prefill, tab.scope);
    showTab('alerts');
  };
  const forgetful = opened?.isEphemeral ? (opened.badge === 'SIMULATED' ? 'the demo' : 'gastop') : null;
  const host = isOwnService ? null : (opened?.name ?? null);
  const { url, apiKey = null } = opened?.clientOptions ?? {};
  const scope: MonitorScope | null = client && {
    ...{ client, snapshot, status, intervalMs, quotaMs, patienceSec, isOwnService, forgetful, host, frozen },
    ...{ undoMs, now, fullPath, saveFile, showTab, newAlert },
    setPatience: (sec) => {
      setPatience(sec);
      toast({ kind: 'info', text: `You can wait up to ${formatDuration(sec)}` });
    },
    isPlain: host !== null && url !== undefined && isPlainUrl(new URL(url)),
    isKey: keyFinder(apiKey),
    openPlace: (place) => {
      openPlace(memory, place);
      showTab('explorer');
    },
  };

  const openChain = (name: string) => {
    change({ isBoard: false, chain: name });
    if (state.chain !== name || source.kind !== 'open')
      void holder.open(() => board?.open(name) ?? Promise.reject(new Error('no chains are set up')));
  };
  const choose = (choice: ChosenSource) => {
    if (choice === 'retry' && state.chain !== null) return openChain(state.chain);
    change({ chain: null });
    void holder.open(() => props.openSource(choice));
  };
  const toggle = (wanted: 'help' | 'raw') => change({ overlay: overlay === wanted ? null : wanted });
  const isFirst = source.kind === 'opening' && source.id === 0;
  const keys: ActionHandlers = {
    help: () => toggle('help'),
    board: board === null ? NO_CHAINS : () => change({ isBoard: isFirst || !state.isBoard, overlay: null }),
    back: () => change({ overlay: null, ...(overlay === null && state.chain !== null && { isBoard: true }) }),
    mouse: useMouseKey(),
    suspend: useSuspend(),
    quit: () => exit(),
    ...(!state.isBoard && {
      ...tabKeys,
      ...playbackKeys,
      raw: () => toggle('raw'),
      zone: toggleZone,
      refresh: () => {
        client?.rateLimit.tryNow();
        void refresh().then(() => {
          if (health.kind === 'live' || health.kind === 'frozen') toast({ kind: 'info', text: 'Refreshed' });
        });
      },
      // Without prices these have nothing to act on.
      ...(snapshot && {
        alert: () => newAlert(cheaperThan(snapshot.lanes.average.price)),
        freeze: toggleFreeze,
        slower: () => prices.stepPace('slower'),
        faster: () => prices.stepPace('faster'),
      }),
    }),
  };
  const scopes = (): readonly Scope[] => {
    if (overlay !== null) return ['scroll', 'global'];
    if (state.isBoard) return ['board', 'global'];
    if (nothingAnswers) return ['source', 'global'];
    return snapshot === undefined ? ['global'] : [tab.scope, 'global'];
  };

  const body = () => {
    if (overlay === 'help') {
      return (
        <TextView title="Keys" lines={helpLines(shownBoard === null ? tab.scope : 'board', forgetful)} />
      );
    }
    if (shownBoard !== null) return <BoardPane board={shownBoard} open={openChain} />;
    if (overlay === 'raw' && scope !== null) {
      return <RawView {...(typeof raw === 'string' ? { path: raw } : raw(memory))} />;
    }
    if (snapshot === undefined || scope === null) {
      return <NoData {...{ ...reason, nothingAnswers, choose }} urlProblem={props.urlProblem} />;
    }
    return (
      <Finder key={`${tab.scope} ${zone}`} scope={tab.scope}>
        <Pane />
      </Finder>
    );
  };
  // The source kind in the response overrides the one from the command line.
  const kind = snapshot?.source.kind;
  const dataBadge = kind === 'replay' ? 'REPLAY' : kind === 'simulated' ? 'SIMULATED' : undefined;
  const frame = {
    chainName: (snapshot && chainNameOf(snapshot)) ?? opened?.chainName ?? null,
    badge: dataBadge ?? opened?.badge ?? null,
    // A frozen screen says that it is, and has no pace.
    pace: frozen ? '' : prices.paceText,
    zone: zoneName,
    isWhole: shownBoard !== null,
    fork,
    speed: playback?.speed ?? null,
    ...{ snapshot, health, tab },
  };
  return (
    <MonitorContext value={scope}>
      <ListsProvider
        {...{ ...session, snapshot, intervalMs, notifications, shown: tab.scope }}
        beforeClosing={holder.beforeClosing}
      >
        <KeyListener scopes={scopes()} global={keys}>
          <Room columns={columns} rows={rows}>
            <Frame {...frame}>
              <DimContext value={isPast(health) || isOutdated(status)}>{body()}</DimContext>
            </Frame>
          </Room>
        </KeyListener>
      </ListsProvider>
    </MonitorContext>
  );
}

/** The prices: how often they come, why none do, and how far they can be trusted. */
function usePrices(session: QuerySession, source: HeldSource, patienceSec: number) {
  const { frozen, now } = session;
  const pace = usePace(session, source.kind === 'open' ? source.source.intervalMs : undefined);
  const { isListening, receivedAt, ...prices } = useSnapshot(
    session,
    patienceSec,
    pace.everyMs,
    !pace.isChosen,
  );
  // Shows a rate-limit pause at once, whichever route met it.
  const pause = useRateLimit(session.client);
  const polled = pause === null ? prices : { ...prices, error: pause.error, retryAt: pause.until };
  const { data: snapshot, retryAt } = polled;
  useRecovery(polled.error !== null);
  useRestartNotice(snapshot, now);
  // A polled response has the status of its arrival: between two polls the monitor knows no newer block.
  const status = useAtNow((present) =>
    snapshot === undefined
      ? LIVE
      : chainStatus(snapshot, frozen || isListening ? present : (receivedAt() ?? present)),
  );
  const hasFailed = source.kind === 'failed';
  const health: Health = hasFailed ? { kind: 'none' } : healthOf(polled, frozen, status);
  return {
    ...{ snapshot, status, health, quotaMs: pace.quotaMs, intervalMs: pace.everyMs(snapshot) },
    reason: { error: hasFailed ? source.error : polled.error, retryAt, attempt: source.id },
    paceText: isListening ? 'each block' : pace.textOf(snapshot),
    stepPace: (direction: 'slower' | 'faster') => pace.step(direction, snapshot, isListening),
  };
}

/** The tab that is shown, and the keys that show another. */
function useTabs(onShow: () => void) {
  const [tab, setName] = useShownTab();
  const showTab = (scope: TabScope) => {
    setName(scope);
    onShow();
  };
  const step = (by: number) => () => showTab((TABS.at((TABS.indexOf(tab) + by) % TABS.length) ?? tab).scope);
  const tabKeys: ActionHandlers = {
    ...Object.fromEntries(TABS.map(({ scope }) => [scope, () => showTab(scope)])),
    'next-tab': step(1),
    'previous-tab': step(-1),
  };
  return { tab, showTab, tabKeys };
}

/** The zone of all times; its name is that of the time `at`, ms. */
function useZone(at: number) {
  const [zone, remember] = useRemembered('zone', ShownZone, 'local', { isEverywhere: true });
  setZone(zone);
  const toast = useToast();
  const toggleZone = () => {
    const next = zone === 'utc' ? 'local' : 'utc';
    remember(next);
    setZone(next);
    const text = next === 'utc' ? 'All times in UTC' : `All times local: ${zoneText(offsetAt(at))}`;
    toast({ kind: 'info', text });
  };
  return { zone, zoneName: zoneText(offsetAt(at)), toggleZone };
}

/** Requests everything on the screen anew, or nothing while it is frozen. */
function useRefresh(frozen: boolean, change: SessionProps['change']) {
  const queries = useQueryClient();
  const toast = useToast();
  const refresh = async () => {
    // A request that waits for its retry is sent at once.
    await queries.cancelQueries({ type: 'active' });
    void queries.refetchQueries({ type: 'active' });
    await queries.refetchQueries({ queryKey: ['gas/current'] }, { cancelRefetch: false });
  };
  const toggleFreeze = () => {
    change({ frozen: !frozen });
    // What is on its way would still change the screen.
    void (frozen
      ? refresh()
      : queries.cancelQueries({ predicate: ({ state: { data } }) => data !== undefined }));
    toast({ kind: 'info', text: frozen ? 'Resumed' : 'Frozen: f resumes, r refreshes once' });
  };
  return { refresh, toggleFreeze };
}

function usePlaybackKeys(playback: Playback | null): ActionHandlers {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  if (playback === null) return {};
  const play = (direction: 'slower' | 'faster') => () => {
    playback.play(stepSpeed(playback.speed, direction));
    redraw();
  };
  return {
    'play-slower': play('slower'),
    'play-faster': play('faster'),
    'seek-back': () => playback.seek(-MINUTE_SEC),
    'seek-on': () => playback.seek(MINUTE_SEC),
  };
}

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

const DAMAGE_SHOWN_MS = 8_000;

/** What is remembered of the source that is open; an opening one has what is shown until it has a name. */
function useMemoryOf(opened: MonitorSource | null, chainId: number | null): void {
  const remembered = useContext(RememberedContext);
  const toast = useToast();
  const named = opened?.rememberedAs ?? null;
  const name = named ?? (opened === null || chainId === null ? null : chainMemory(chainId));
  useLayoutEffect(() => remembered.open(name), [remembered, name]);
  useEffect(
    () => remembered.watch((text) => toast({ kind: 'error', text, forMs: DAMAGE_SHOWN_MS })),
    [remembered, toast],
  );
}
