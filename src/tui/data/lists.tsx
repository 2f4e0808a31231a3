import { useQueryClient } from '@tanstack/react-query';
import { useStdout } from 'ink';
import { createContext, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { pollEveryMs } from '../../client/follow-prices.ts';
import type { GasClient } from '../../client/gas-client.ts';
import {
  type AlertView,
  describeCondition,
  describeEarlierFirings,
  describeFiring,
  describeFirings,
  type ListView,
} from '../../client/views/alerts.ts';
import {
  describeChange,
  describeChanges,
  describeContent,
  describeState,
  describeTarget,
} from '../../client/views/auto-tx-texts.ts';
import { type AutoTxView, isAwaited, isHeldByRules, statusOf } from '../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../client/views/gas-responses.ts';
import type { AutoTxStatus } from '../../contract/choices.ts';
import { cleanText, graphemes } from '../../core/text.ts';
import { useToast } from '../chrome/toast.tsx';
import type { Scope } from '../input/keymap.ts';
import { type Lists, ListsContext, type QuerySession } from './monitor-context.ts';
import { flushMutations, usePendingChanges } from './mutations.ts';
import { ELSEWHERE_MS, type PolledQuery, usePolledQuery } from './polled-query.ts';

export type ListItem = AlertView | AutoTxView;

export const FilterContext = createContext('');

export function matchesFilter(item: ListItem, filter: string): boolean {
  const said =
    'threshold' in item
      ? [describeCondition(item)]
      : [describeState(item), describeTarget(item), describeContent(item), `nonce ${item.nonce}`];
  const text = [...said, ...textsIn(item)].join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

interface ListSession extends QuerySession {
  /** `undefined`: no requests to a service whose prices are unavailable. */
  readonly snapshot: SnapshotView | undefined;
  readonly intervalMs: number;
  readonly notifications: Notifications;
}

interface ListsProviderProps extends ListSession {
  readonly shown: Scope;
  readonly beforeClosing: (work: () => Promise<void>) => void;
  readonly children: ReactNode;
}

export function ListsProvider({ shown, beforeClosing, children, ...session }: ListsProviderProps) {
  const { client } = session;
  const queries = useQueryClient();
  const alerts = useList<AlertView>(session, {
    key: 'alerts',
    isShown: shown === 'alerts',
    ask: (from, signal) => from.alerts({ signal }),
    isAwaited: ({ channels, status }) => channels.includes('TERMINAL') && status !== 'DISABLED',
    announceNews: useAlertNews(session),
  });
  const autoTxs = useList<AutoTxView>(session, {
    key: 'auto-txs',
    isShown: shown === 'auto-txs',
    ask: (from, signal) => from.autoTxs({ signal }),
    isAwaited,
    announceNews: useAutoTxNews(session),
  });
  useEffect(() => {
    if (client !== null) beforeClosing(() => flushMutations(queries));
  }, [client, beforeClosing, queries]);

  const changed = usePendingChanges();
  const listed = alerts.data?.items ?? [];
  const items = changed(listed);
  const { total = null } = alerts.data ?? {};
  const lists: Lists = {
    alerts: {
      ...alerts,
      data: alerts.data && { ...alerts.data, items, total: total && total - listed.length + items.length },
      tabCount: items.filter(({ status }) => status === 'PENDING').length,
    },
    autoTxs: { ...autoTxs, tabCount: autoTxs.data?.items.filter(isAwaited).length ?? 0 },
  };
  return <ListsContext value={lists}>{children}</ListsContext>;
}

interface ListOptions<Item> extends Pick<PolledQuery<ListView<Item>>, 'ask'> {
  readonly key: string;
  readonly isShown: boolean;
  /** Whether this terminal announces what becomes of it. */
  readonly isAwaited: (item: Item) => boolean;
  /** Compares each new list with the one before, announces what is new, and returns how many news there are. */
  readonly announceNews: (items: readonly Item[]) => number;
}

/** A remote list that is neither shown nor awaited: only the number beside the tab depends on it. */
const IDLE_MS = 300_000;
/** Reading a long list takes long. */
const LONG_LIST = 500;
/** In this process, of such a list and of one that is empty and not shown: about once a block. */
const OWN_IDLE_MS = 12_000;
/** In this process: what is not shown is only counted and announced, soon after a block, which is what most of it waits for. */
const OWN_UNSEEN_MS = 2_000;
const OWN_LATER_MS = 6_000;
const UNSEEN_EVERY = 8;

function useList<Item>(session: ListSession, options: ListOptions<Item>) {
  const { key, isShown, ask, isAwaited: isWaited, announceNews } = options;
  const { client, snapshot, intervalMs, isOwnService, frozen } = session;
  const polled = usePolledQuery<ListView<Item>>(
    // It is polled for its notices while the screen is frozen.
    { ...session, client: snapshot === undefined ? null : client, frozen: false },
    {
      key: [key],
      ask,
      everyMs: ({ items } = { items: [], total: 0, unreadable: 0 }) => {
        const isNeeded = isShown || items.some(isWaited);
        if (!isOwnService) return Math.max(intervalMs, isNeeded ? ELSEWHERE_MS : IDLE_MS);
        const isEmpty = items.length === 0 && !isShown;
        if (isEmpty || items.length > LONG_LIST) return Math.max(intervalMs, OWN_IDLE_MS);
        if (isShown) return intervalMs;
        const isAfterBlock = session.now() - (snapshot?.updatedAt ?? 0) < OWN_UNSEEN_MS;
        const unseenMs = isAfterBlock ? OWN_UNSEEN_MS : OWN_LATER_MS;
        return Math.max(intervalMs, Math.min(unseenMs, UNSEEN_EVERY * intervalMs));
      },
    },
  );
  const { data, at, refresh } = polled;
  // A frozen screen keeps its list, whatever is announced over it.
  const shown = useRef({ data, at });
  if (!frozen) shown.current = { data, at };
  const [unseen, setUnseen] = useState(0);
  const isSeen = isShown && !frozen;
  const take = useEffectEvent((items: readonly Item[]) => {
    const news = announceNews(items);
    if (!isSeen) setUnseen((before) => before + news);
  });
  useEffect(() => {
    if (data !== undefined) take(data.items);
  }, [data]);
  // An opened tab shows fresh data, however seldom its list is polled otherwise.
  const renew = useEffectEvent(() => {
    if (data !== undefined && session.now() - at > intervalMs) void refresh();
  });
  useEffect(() => {
    if (!isSeen) return;
    setUnseen(0);
    renew();
  }, [isSeen]);
  return { ...polled, ...shown.current, unseen };
}

export type NotificationLevel = 'on' | 'bell' | 'off';

/** How much is announced beside the screen, and the environment, which identifies the terminal. */
export interface Notifications {
  readonly level: NotificationLevel;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const BELL = '\u0007';
/** GNU screen passes on at most 256 bytes at once; a desktop shows hardly more. */
const LONGEST_BYTES = 200;

/** These print unknown sequences, or have no desktop. */
const BELL_ONLY = /^(unknown|linux|cons25|vt\d|ansi|eterm|emacs|sun|wyse)/i;

/**
 * The bytes of a bell and a desktop notification: BEL, then OSC 9 for iTerm2, which also reads it over ssh, or OSC 777
 * (urxvt, VTE, kitty, WezTerm, Ghostty, foot, Windows Terminal; others ignore it). In tmux (`allow-passthrough`) and
 * GNU screen they are wrapped, so that they reach the outer terminal.
 */
export function notificationBytes(text: string, { level, env }: Notifications): string {
  const term = env.TERM ?? '';
  if (level === 'off' || term === '' || term === 'dumb') return '';
  if (level === 'bell' || BELL_ONLY.test(term) || env.INSIDE_EMACS !== undefined) return BELL;
  const said = boundBytes(cleanText(text).replaceAll(';', ','));
  const isIterm = /iterm/i.test(`${env.TERM_PROGRAM} ${env.LC_TERMINAL}`);
  const note = `\u001b]${isIterm ? '9;gastop: ' : '777;notify;gastop;'}${said}${BELL}`;
  // The inner sequence ends in BEL: screen would take the other terminator for that of its wrapping.
  if (env.TMUX || term.startsWith('tmux'))
    return `${BELL}\u001bPtmux;${note.replaceAll('\u001b', '\u001b\u001b')}\u001b\\`;
  // A TERM of screen alone may be tmux's, over ssh, which would show screen's wrapping as text.
  return BELL + (env.STY ? `\u001bP${note}\u001b\\` : note);
}

function boundBytes(text: string): string {
  if (Buffer.byteLength(text) <= LONGEST_BYTES) return text;
  const characters = graphemes(text);
  while (Buffer.byteLength(characters.join('')) > LONGEST_BYTES - 3) characters.pop();
  return `${characters.join('').trimEnd()}…`;
}

/** Announces something that the user waits for: on screen, by bell, on the desktop. */
function useAnnounce({ notifications, snapshot }: ListSession): (text: string) => void {
  const toast = useToast();
  const { stdout } = useStdout();
  return (text) => {
    toast({ kind: 'alert', text });
    // A desktop notification has no badge.
    const { kind = 'service' } = snapshot?.source ?? {};
    const badge = kind === 'replay' || kind === 'simulated' ? `[${kind.toUpperCase()}] ` : '';
    const bytes = notificationBytes(`${badge}${text}`, notifications);
    if (bytes !== '') stdout.write(bytes);
  };
}

/** The alerts that fired since they were `seen`, which is brought up to date; unknown ones after `newSince`, ms. */
export function noticeFirings(
  seen: Map<string, number>,
  alerts: readonly AlertView[],
  newSince: number,
): readonly AlertView[] {
  return alerts.filter(({ id, triggerCount, lastTriggeredAt }) => {
    const mark = triggerCount ?? lastTriggeredAt ?? 0;
    const before = seen.get(id);
    // A stale list may arrive after a newer one: known firings stay known.
    seen.set(id, Math.max(mark, before ?? 0));
    return before === undefined ? (lastTriggeredAt ?? 0) > newSince : mark > before;
  });
}

/** An operator sees the alerts of all keys: those are announced where that key is used. */
export const announcesHere = ({ channels, keyId }: AlertView): boolean =>
  keyId === null && channels.includes('TERMINAL');

const PRICE_WITHIN_MS = 2_000;
const EARLIER_MS = 8_000;
/** Age of a head that excludes a new firing, ms; more than the usual difference of clocks. */
const OLD_HEAD_MS = 120_000;
const SENT_MS = 6_000;

/** Announces TERMINAL alerts as they fire; earlier firings in one line, but those of the newest block are current. */
function useAlertNews(session: ListSession) {
  const { client, snapshot, now } = session;
  const toast = useToast();
  const announce = useAnnounce(session);
  const known = useRef<{ seen: Map<string, number>; newSince: number; missed: number } | null>(null);
  return (alerts: readonly AlertView[]): number => {
    // The service's present: its clock may differ from ours, and a recording's does.
    const present = snapshot?.blockTimestamp ?? snapshot?.updatedAt ?? Number.POSITIVE_INFINITY;
    const before = known.current;
    const seen = before?.seen ?? new Map<string, number>();
    const isOld = snapshot === undefined || now() - present > OLD_HEAD_MS;
    const newSince = before?.newSince ?? present - (isOld ? 0 : pollEveryMs(snapshot));
    const fired = noticeFirings(seen, alerts, newSince);
    const missed = alerts.reduce((sum, alert) => sum + (alert.missed?.count ?? 0), 0);
    known.current = { seen, newSince, missed };
    const here = fired.filter(announcesHere);
    // The blocks of a downtime may be read only after the first list.
    if (here.length > 0 && client !== null) void firingText(here, client).then(announce);
    else if (before === null || missed > before.missed) {
      const told = before === null ? alerts.filter(announcesHere) : [];
      const earlier = describeEarlierFirings(told, alerts, present);
      if (earlier !== null) toast({ kind: 'info', text: earlier, forMs: EARLIER_MS });
    }
    return fired.length;
  };
}

async function firingText(fired: readonly AlertView[], client: GasClient): Promise<string> {
  const [only] = fired;
  if (only === undefined || fired.length > 1) return describeFirings(fired);
  const signal = AbortSignal.timeout(PRICE_WITHIN_MS);
  const savings = await client.alertSavings(only.id, { signal }).catch(() => null);
  const entry = savings?.entries.find(({ triggeredAt }) => triggeredAt === only.lastTriggeredAt);
  return describeFiring(only, entry?.price ?? null);
}

const NEWS: ReadonlySet<AutoTxStatus | null> = new Set(['SUBMITTED', 'EXECUTED', 'FAILED', 'EXPIRED']);

interface KnownAutoTx {
  readonly status: AutoTxStatus | null;
  readonly isHeld: boolean;
}

/** Of one that its owner enables, the answer says whether it is held. */
const isNews = (was: KnownAutoTx, { status, isHeld }: KnownAutoTx): boolean =>
  was.status === status ? isHeld && !was.isHeld : NEWS.has(status);

/** Announces auto-txs that end or that a fork holds, and shows which are sent; those of API keys are announced where these are used. */
function useAutoTxNews(session: ListSession) {
  const toast = useToast();
  const announce = useAnnounce(session);
  const known = useRef<ReadonlyMap<string, KnownAutoTx>>(new Map());
  const knownOf = (autoTx: AutoTxView) => ({ status: statusOf(autoTx), isHeld: isHeldByRules(autoTx) });
  return (autoTxs: readonly AutoTxView[]): number => {
    const before = known.current;
    known.current = new Map(autoTxs.map((autoTx) => [autoTx.id, knownOf(autoTx)]));
    const changed = autoTxs.filter((autoTx) => {
      const was = before.get(autoTx.id);
      return autoTx.keyId === null && was !== undefined && isNews(was, knownOf(autoTx));
    });
    const ended = changed.filter((autoTx) => statusOf(autoTx) !== 'SUBMITTED');
    const told = ended.length > 0 ? ended : changed;
    const [first] = told;
    if (first === undefined) return 0;
    const text = told.length > 1 ? describeChanges(told) : describeChange(first);
    if (ended.length > 0) announce(text);
    else toast({ kind: 'info', text, forMs: SENT_MS });
    return ended.length;
  };
}
