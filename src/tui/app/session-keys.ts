import { useQueryClient } from '@tanstack/react-query';
import { useApp } from 'ink';
import { useReducer } from 'react';
import * as z from 'zod';
import { type Playback, stepSpeed } from '../../core/playback.ts';
import { MINUTE_SEC } from '../../core/time.ts';
import type { Health } from '../chrome/frame.tsx';
import { TABS, useShownTab } from '../chrome/tabs.ts';
import { useToast } from '../chrome/toast.tsx';
import { cheaperThan } from '../data/alert-prefill.ts';
import type { MonitorScope } from '../data/monitor-context.ts';
import type { Prices } from '../data/prices.ts';
import { useRemembered } from '../data/remembered.ts';
import type { TabScope } from '../input/keymap.ts';
import { useMouseKey } from '../input/mouse.tsx';
import type { ActionHandlers } from '../input/use-keys.tsx';
import { offsetAt, setZone, ZONES, zoneText } from '../ui/time.ts';
import type { SessionProps } from './session.tsx';
import type { HeldSource } from './source.ts';
import { useSuspend } from './terminal.ts';

const NO_CHAINS = 'No chains are set up: start gastop with --chains base,op';

interface SessionKeys extends Pick<SessionProps, 'state' | 'change' | 'board'> {
  readonly source: HeldSource;
  readonly prices: Prices;
  readonly health: Health;
  readonly tabs: ReturnType<typeof useTabs>;
  readonly toggleZone: () => void;
  readonly newAlert: MonitorScope['newAlert'];
}

/** The keys that work everywhere, unless what is shown has its own. */
export function useSessionKeys(options: SessionKeys): ActionHandlers {
  const { state, change, board, source, tabs, toggleZone } = options;
  const { isBoard, overlay } = state;
  const { exit } = useApp();
  const opened = source.kind === 'open' ? source.source : null;
  const pricesKeys = usePricesKeys(options);
  const playbackKeys = usePlaybackKeys(opened?.playback ?? null);
  const toggle = (wanted: 'help' | 'raw') => change({ overlay: overlay === wanted ? null : wanted });
  // Without a source there is no response; the overlay would open with the next one.
  const showRaw = () => opened !== null && toggle('raw');
  const isFirst = source.kind === 'opening' && source.id === 0;
  const isBackToBoard = overlay === null && state.chain !== null;
  const ofTabs = { ...tabs.keys, ...playbackKeys, ...pricesKeys, raw: showRaw, zone: toggleZone };
  return {
    help: () => toggle('help'),
    board: board === null ? NO_CHAINS : () => change({ isBoard: isFirst || !isBoard, overlay: null }),
    back: () => change({ overlay: null, isBoard: isBoard || isBackToBoard }),
    mouse: useMouseKey(),
    suspend: useSuspend(),
    quit: () => exit(),
    ...(isBoard ? {} : ofTabs),
  };
}

/** The tab that is shown, what shows another, and the keys of both. */
export function useTabs(onShow: () => void) {
  const [tab, setName] = useShownTab();
  const show = (scope: TabScope) => {
    setName(scope);
    onShow();
  };
  const step = (by: number) => () => show((TABS.at((TABS.indexOf(tab) + by) % TABS.length) ?? tab).scope);
  const keys: ActionHandlers = {
    ...Object.fromEntries(TABS.map(({ scope }) => [scope, () => show(scope)])),
    'next-tab': step(1),
    'previous-tab': step(-1),
  };
  return { tab, show, keys };
}

const ShownZone = z.enum(ZONES);

/** The zone of all times; its name is that of the time `at`, ms. */
export function useZone(at: number) {
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

/** The keys of prices; without prices only the one that refreshes does something. */
function usePricesKeys(options: SessionKeys): ActionHandlers {
  const { state, change, source, prices, health, newAlert } = options;
  const { frozen } = state;
  const { data: snapshot } = prices;
  const queries = useQueryClient();
  const toast = useToast();
  const refreshAll = async () => {
    // A request that waits for its retry is sent at once.
    await queries.cancelQueries({ type: 'active' });
    void queries.refetchQueries({ type: 'active' });
    await queries.refetchQueries({ queryKey: ['gas/current'] }, { cancelRefetch: false });
  };
  const refresh = async () => {
    if (source.kind === 'open') source.source.client.rateLimit.tryNow();
    await refreshAll();
    if (health.kind === 'live' || health.kind === 'frozen') toast({ kind: 'info', text: 'Refreshed' });
  };
  const toggleFreeze = () => {
    change({ frozen: !frozen });
    // What is on its way would still change the screen.
    if (frozen) void refreshAll();
    else void queries.cancelQueries({ predicate: ({ state: { data } }) => data !== undefined });
    toast({ kind: 'info', text: frozen ? 'Resumed' : 'Frozen: f resumes, r refreshes once' });
  };
  if (snapshot === undefined) return { refresh: () => void refresh() };
  return {
    refresh: () => void refresh(),
    freeze: toggleFreeze,
    alert: () => newAlert(cheaperThan(snapshot.lanes.average.price)),
    slower: () => prices.stepPace('slower'),
    faster: () => prices.stepPace('faster'),
  };
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
