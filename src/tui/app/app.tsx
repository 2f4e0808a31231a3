import { QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { useApp, useIsScreenReaderEnabled, useWindowSize } from 'ink';
import {
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useReducer,
  useState,
  useSyncExternalStore,
} from 'react';
import * as z from 'zod';
import { isPlain as isPlainUrl } from '../../client/http.ts';
import { forkChip } from '../../client/views/chain.ts';
import { type ChainStatus, chainStatus } from '../../client/views/chain-status.ts';
import { chainNameOf, type SnapshotView } from '../../client/views/gas.ts';
import { PATIENCE_SEC } from '../../contract/choices.ts';
import { PATHS } from '../../contract/routes.ts';
import { isOutdated } from '../../core/chain-status.ts';
import { type Playback, stepSpeed } from '../../core/playback.ts';
import { formatDuration } from '../../core/units.ts';
import { Frame, type Health, healthOf, isPast, type Tab } from '../chrome/frame.tsx';
import { NoData, useNoResponse } from '../chrome/no-source.tsx';
import { helpLines, RawView } from '../chrome/raw-view.tsx';
import { ToastHost, useToast } from '../chrome/toast.tsx';
import { ListsProvider, type Notifications } from '../data/lists.tsx';
import { type AlertPrefill, MonitorContext, type MonitorScope } from '../data/monitor-context.ts';
import { useQuotaInterval, useRateLimit, usualInterval } from '../data/pace.ts';
import { usePolledQuery } from '../data/polled-query.ts';
import { RULES_KEY, useSnapshot } from '../data/prices.ts';
import { useRecovery } from '../data/queries.ts';
import { createQueryClient } from '../data/query-client.ts';
import { chainMemory, Remembered, RememberedContext, useRemembered } from '../data/remembered.ts';
import type { ActionName, Scope } from '../input/keymap.ts';
import { useMouse } from '../input/mouse.tsx';
import { type ActionHandlers, KeyListener } from '../input/use-keys.tsx';
import { cheaperThan } from '../panes/alerts/alert-form.tsx';
import { AlertsPane } from '../panes/alerts/alerts-pane.tsx';
import { AutoTxsPane } from '../panes/auto-txs/auto-txs-pane.tsx';
import { type Board, BoardPane } from '../panes/board/board-pane.tsx';
import { ChartPane } from '../panes/chart/chart-pane.tsx';
import { ExplorerPane, explorerRequest, openPlace } from '../panes/explorer/explorer-pane.tsx';
import { LivePane } from '../panes/live/live-pane.tsx';
import { ServicePane } from '../panes/service/service-pane.tsx';
import { openForm, resourceRequest } from '../resource/resource-pane.tsx';
import { Clock, MemoryContext, Room, useAtNow } from '../ui/pane-context.tsx';
import { TextView } from '../ui/scroll.tsx';
import { DimContext, setAscii } from '../ui/theme.ts';
import { offsetAt, setZone, ZONES, zoneText } from '../ui/time.ts';
import { Finder } from './finder.tsx';
import type { MonitorLog } from './monitor-log.ts';
import { type ChosenSource, keyFinder, type MonitorSource, type SourceHolder } from './source.ts';
import { useSuspend } from './terminal.ts';

export interface MonitorProps {
  readonly holder: SourceHolder;
  readonly openSource: (choice: ChosenSource) => Promise<MonitorSource>;
  /** Why a typed URL cannot be opened, in one line; `null` when it can be tried. */
  readonly urlProblem: (text: string) => string | null;
  readonly board: Board | null;
  readonly isBoardFirst: boolean;
  readonly ascii: boolean;
  readonly notifications: Notifications;
  readonly remembered?: Remembered;
  readonly undoMs: number;
  readonly now: () => number;
  /** Where `saveFile` would write a file of that name. */
  readonly fullPath: (name: string) => string;
  readonly saveFile: (name: string, text: string) => Promise<string>;
  readonly log?: MonitorLog | undefined;
}

/** What outlives a session: it is the same for the next source. */
interface MonitorState {
  /** All chains side by side are shown instead of the tabs. */
  readonly isBoard: boolean;
  /** Which of them is open; `null`: what is open was not opened from there. */
  readonly chain: string | null;
  readonly overlay: 'help' | 'raw' | null;
  readonly frozen: boolean;
}

/** The monitor's tabs, left to right. To add one, add a line here and its keys to the keymap. */
export const TABS: readonly [Tab, ...Tab[]] = [
  { scope: 'live', action: 'tab-1', title: 'Live', Pane: LivePane, raw: PATHS.gasCurrent },
  { scope: 'chart', action: 'tab-2', title: 'Chart', Pane: ChartPane, raw: PATHS.statsChart },
  {
    scope: 'alerts',
    action: 'tab-3',
    title: 'Alerts',
    Pane: AlertsPane,
    hasTimes: true,
    raw: resourceRequest('alert', PATHS.alerts, PATHS.alert),
  },
  {
    scope: 'auto-txs',
    action: 'tab-4',
    title: 'Auto-tx',
    Pane: AutoTxsPane,
    hasTimes: true,
    raw: resourceRequest('auto-tx', PATHS.autoTxs, PATHS.autoTx),
  },
  {
    scope: 'explorer',
    action: 'tab-5',
    title: 'Explorer',
    short: 'Expl',
    Pane: ExplorerPane,
    hasTimes: true,
    raw: explorerRequest,
  },
  {
    scope: 'service',
    action: 'tab-6',
    title: 'Service',
    short: 'Serv',
    Pane: ServicePane,
    hasTimes: true,
    raw: PATHS.summary,
  },
];

const ShownZone = z.enum(ZONES);
const IsMouseOn = z.boolean();
const TabName = z.string();
const PatienceSec = z.number().min(PATIENCE_SEC.least).max(PATIENCE_SEC.most);
/** As chosen by the user; `null`: as the service asks for. */
const IntervalMs = z.number().min(500).max(300_000).nullable();

const INTERVALS_MS = [500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000] as const;

/** Ms; `null` after the shortest one: as the service tells of blocks, without an interval. */
export function stepInterval(currentMs: number, direction: 'faster' | 'slower'): number | null {
  if (direction === 'slower') return INTERVALS_MS.find((ms) => ms > currentMs) ?? currentMs;
  return INTERVALS_MS.findLast((ms) => ms < currentMs) ?? null;
}

/** How often a fork is looked for, ms: another service counts requests. */
const RULES_MS = 600_000;
const OWN_RULES_MS = 12_000;

/** Ages that tick every second would keep a screen reader from finishing its sentence. */
const SPOKEN_TICK_MS = 60_000;

export function Monitor(props: MonitorProps) {
  const { holder, ascii, isBoardFirst, now } = props;
  const isSpoken = useIsScreenReaderEnabled();
  useState(() => setAscii(ascii || isSpoken));
  const { id } = useSyncExternalStore(holder.subscribe, holder.read);
  const [state, setState] = useState<MonitorState>({
    isBoard: isBoardFirst,
    chain: null,
    overlay: null,
    frozen: false,
  });
  const change = (part: Partial<MonitorState>) => setState((before) => ({ ...before, ...part }));
  const [memory] = useState(() => new Map<string, unknown>());
  const [remembered] = useState(() => props.remembered ?? new Remembered());
  return (
    <Clock now={now} {...(isSpoken && { periodMs: SPOKEN_TICK_MS })}>
      <ToastHost>
        <MemoryContext value={memory}>
          <RememberedContext value={remembered}>
            <OwnQueries key={id}>
              <Session {...props} state={state} change={change} />
            </OwnQueries>
          </RememberedContext>
        </MemoryContext>
      </ToastHost>
    </Clock>
  );
}

/** Of one session: an opening source continues the one that waited for it; another choice starts a new one. */
function OwnQueries({ children }: { readonly children: ReactNode }) {
  const [queries] = useState(createQueryClient);
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
}

interface SessionProps extends MonitorProps {
  readonly state: MonitorState;
  readonly change: (part: Partial<MonitorState>) => void;
}

const MINUTE_SEC = 60;
const NO_CHAINS = 'No chains are set up: start gastop with --chains base,op';

const LIVE: ChainStatus = { kind: 'live' };

function Session(props: SessionProps) {
  const { state, change, holder, now, undoMs, fullPath, saveFile, board, notifications } = props;
  const { frozen } = state;
  const [tabName, setTab] = useRemembered('tab', TabName, TABS[0].scope);
  const [chosenMs, setInterval] = useRemembered('interval', IntervalMs, null);
  const [patienceSec, setPatience] = useRemembered('patience', PatienceSec, PATIENCE_SEC.default);
  const [zone, setShownZone] = useRemembered('zone', ShownZone, 'local', { isEverywhere: true });
  setZone(zone);
  const [isMouseOn, setMouse] = useRemembered('mouse', IsMouseOn, false, { isEverywhere: true });
  useMouse(isMouseOn);
  const isSpoken = useIsScreenReaderEnabled();
  const source = useSyncExternalStore(holder.subscribe, holder.read);
  const { columns, rows } = useWindowSize();
  const memory = useContext(MemoryContext);
  const queries = useQueryClient();
  const { exit } = useApp();
  const toast = useToast();
  const suspend = useSuspend();
  const opened = source.kind === 'open' ? source.source : null;
  const playback = opened?.playback ?? null;
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const client = opened?.client ?? null;
  const isOwnService = opened?.embedded != null;
  const session = { client, frozen, now, isOwnService };

  const quotaMs = useQuotaInterval(session);
  const wantedMs = (prices: SnapshotView | undefined) =>
    chosenMs ?? opened?.intervalMs ?? usualInterval(prices, isOwnService);
  const { isListening, receivedAt, ...prices } = useSnapshot(
    session,
    patienceSec,
    (before) => Math.max(wantedMs(before), quotaMs),
    // An interval that the user has chosen polls at that.
    chosenMs === null,
  );
  // Shows a rate-limit pause at once, whichever route met it.
  const pause = useRateLimit(client);
  const polled = pause === null ? prices : { ...prices, error: pause.error, retryAt: pause.until };
  const snapshot = polled.data;
  useMemoryOf(opened, snapshot);
  const intervalMs = Math.max(wantedMs(snapshot), quotaMs);
  useRecovery(polled.error !== null);
  useRestartNotice(snapshot, now);

  const { data: rules } = usePolledQuery(session, {
    key: RULES_KEY,
    ask: (from, signal) => from.chainRules({ signal }),
    everyMs: isOwnService ? OWN_RULES_MS : RULES_MS,
    enabled: snapshot !== undefined,
  });
  const error = source.kind === 'failed' ? source.error : polled.error;
  // What is polled is judged when it arrives: between two polls nobody knows of a newer block.
  const status = useAtNow((present) =>
    snapshot === undefined
      ? LIVE
      : chainStatus(snapshot, frozen || isListening ? present : (receivedAt() ?? present)),
  );
  const fork = useAtNow((present) => (rules === undefined ? null : forkChip(rules, present)));
  const health: Health = source.kind === 'failed' ? { kind: 'none' } : healthOf(polled, frozen, status);
  const reason = { error, retryAt: polled.retryAt, attempt: source.id };
  const { log } = props;
  const tab = TABS.find(({ scope }) => scope === tabName) ?? TABS[0];
  const shownTab = state.isBoard ? 'Board' : tab.title;
  const head = snapshot?.blockNumber ?? null;
  useEffect(
    () => log?.({ type: 'state', tab: shownTab, status: health.kind, head }),
    [log, shownTab, health.kind, head],
  );
  const nothingAnswers = useNoResponse(reason) && snapshot === undefined;
  const shownBoard = state.isBoard ? board : null;

  const showTab = (action: ActionName) => {
    const shown = TABS.find((each) => each.action === action);
    if (shown === undefined) return;
    setTab(shown.scope);
    change({ overlay: null });
  };
  const newAlert = (prefill: AlertPrefill) => {
    openForm(memory, 'alert', prefill, tab.action);
    showTab('tab-3');
  };
  const forgetful = opened?.isEphemeral ? (opened.badge === 'SIMULATED' ? 'the demo' : 'gastop') : null;
  const host = isOwnService ? null : (opened?.name ?? null);
  const { url, apiKey = null } = opened?.clientOptions ?? {};
  const scope: MonitorScope | null = client && {
    ...{
      client,
      snapshot,
      status,
      intervalMs,
      quotaMs,
      patienceSec,
      setPatience: (sec) => {
        setPatience(sec);
        toast({ kind: 'info', text: `You can wait up to ${formatDuration(sec)}` });
      },
      isOwnService,
      forgetful,
      host,
      frozen,
      undoMs,
      now,
      fullPath,
      saveFile,
      showTab,
      newAlert,
    },
    isPlain: host !== null && url !== undefined && isPlainUrl(new URL(url)),
    isKey: keyFinder(apiKey),
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
  const choose = (choice: ChosenSource) => {
    if (choice === 'retry' && state.chain !== null) return openChain(state.chain);
    change({ chain: null });
    void holder.open(() => props.openSource(choice));
  };
  const refresh = async () => {
    // A request that waits for its retry is sent at once.
    await queries.cancelQueries({ type: 'active' });
    void queries.refetchQueries({ type: 'active' });
    await queries.refetchQueries({ queryKey: ['gas/current'] }, { cancelRefetch: false });
  };
  const setPace = (direction: 'faster' | 'slower') => {
    const isFastest = direction === 'faster' && isListening;
    const next = isFastest ? null : stepInterval(wantedMs(snapshot), direction);
    setInterval(next);
    if (next === null) return toast({ kind: 'info', text: 'Refreshing with each block' });
    const held = quotaMs <= next ? '' : `, but every ${quotaMs / 1_000} s until the quota resets`;
    toast({ kind: 'info', text: `Refreshing every ${next / 1_000} s${held}` });
  };
  const freeze = () => {
    change({ frozen: !frozen });
    // What is on its way would still change the screen.
    void (frozen
      ? refresh()
      : queries.cancelQueries({ predicate: ({ state: { data } }) => data !== undefined }));
    toast({ kind: 'info', text: frozen ? 'Resumed' : 'Frozen: f resumes, r refreshes once' });
  };
  const play = (of: Playback, direction: 'slower' | 'faster') => {
    of.play(stepSpeed(of.speed, direction));
    redraw();
  };
  const zoneName = () => zoneText(offsetAt(snapshot?.blockTimestamp ?? now()));
  const toggleZone = () => {
    const next = zone === 'utc' ? 'local' : 'utc';
    setShownZone(next);
    setZone(next);
    toast({ kind: 'info', text: next === 'utc' ? 'All times in UTC' : `All times local: ${zoneName()}` });
  };
  const toggleMouse = () => {
    setMouse(!isMouseOn);
    const text = isMouseOn
      ? 'Mouse off: the terminal selects text'
      : 'Mouse on: M gives it back to the terminal';
    toast({ kind: 'info', text });
  };
  const toggle = (overlay: 'help' | 'raw') => change({ overlay: state.overlay === overlay ? null : overlay });
  const step = (by: number) => showTab(TABS.at((TABS.indexOf(tab) + by) % TABS.length)?.action ?? 'tab-1');
  const isFirst = source.kind === 'opening' && source.id === 0;
  const keys: ActionHandlers = {
    help: () => toggle('help'),
    board: board === null ? NO_CHAINS : () => change({ isBoard: isFirst || !state.isBoard, overlay: null }),
    back: () =>
      change({ overlay: null, ...(state.overlay === null && state.chain !== null && { isBoard: true }) }),
    mouse: isSpoken ? 'A screen reader has no use for the mouse' : toggleMouse,
    suspend,
    quit: () => exit(),
    ...(!state.isBoard && {
      ...Object.fromEntries(TABS.map(({ action }) => [action, () => showTab(action)])),
      'next-tab': () => step(1),
      'previous-tab': () => step(-1),
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
        freeze,
        slower: () => setPace('slower'),
        faster: () => setPace('faster'),
      }),
      ...(playback && {
        'play-slower': () => play(playback, 'slower'),
        'play-faster': () => play(playback, 'faster'),
        'seek-back': () => playback.seek(-MINUTE_SEC),
        'seek-on': () => playback.seek(MINUTE_SEC),
      }),
    }),
  };
  const scopes = (): readonly Scope[] => {
    if (state.overlay !== null) return ['scroll', 'global'];
    if (state.isBoard) return ['board', 'global'];
    if (nothingAnswers) return ['source', 'global'];
    return snapshot === undefined ? ['global'] : [tab.scope, 'global'];
  };

  const body = () => {
    if (state.overlay === 'help') {
      return (
        <TextView title="Keys" lines={helpLines(shownBoard === null ? tab.scope : 'board', forgetful)} />
      );
    }
    if (shownBoard !== null) return <BoardPane board={shownBoard} open={openChain} />;
    if (state.overlay === 'raw' && scope !== null) {
      return <RawView {...(typeof tab.raw === 'string' ? { path: tab.raw } : tab.raw(memory))} />;
    }
    if (snapshot === undefined || scope === null) {
      return <NoData {...{ ...reason, nothingAnswers, choose }} urlProblem={props.urlProblem} />;
    }
    return (
      <Finder key={`${tab.action} ${zone}`} scope={tab.scope}>
        <tab.Pane />
      </Finder>
    );
  };
  // The source kind in the response overrides the one from the command line.
  const kind = snapshot?.source.kind;
  const dataBadge = kind === 'replay' ? 'REPLAY' : kind === 'simulated' ? 'SIMULATED' : undefined;
  const isSlowed = intervalMs > wantedMs(snapshot);
  const frame = {
    chainName: (snapshot && chainNameOf(snapshot)) ?? opened?.chainName ?? null,
    badge: dataBadge ?? opened?.badge ?? null,
    // A frozen screen says that it is, and has no pace.
    pace: frozen
      ? ''
      : isListening
        ? 'each block'
        : `${isSlowed ? 'slowed: ' : ''}every ${formatPace(intervalMs)}`,
    zone: zoneName(),
    isWhole: shownBoard !== null,
    fork,
    speed: playback?.speed ?? null,
    ...{ snapshot, health, tabs: TABS, tab },
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

const formatPace = (ms: number) => (ms < 1_000 ? `${ms / 1_000}s` : formatDuration(ms / 1_000));

const DAMAGE_SHOWN_MS = 8_000;

/** What is remembered of the source that is open; an opening one has what is shown until it has a name. */
function useMemoryOf(opened: MonitorSource | null, snapshot: SnapshotView | undefined): void {
  const remembered = useContext(RememberedContext);
  const toast = useToast();
  const chainId = snapshot?.chainId ?? null;
  const named = opened?.rememberedAs ?? null;
  const name = named ?? (opened === null || chainId === null ? null : chainMemory(chainId));
  useLayoutEffect(() => remembered.open(name), [remembered, name]);
  useEffect(
    () => remembered.watch((text) => toast({ kind: 'error', text, forMs: DAMAGE_SHOWN_MS })),
    [remembered, toast],
  );
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
