import { useStdout } from 'ink';
import { createContext, useContext, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { GasClient } from '../../client/client.ts';
import {
  type AlertListView,
  type AlertView,
  describeEarlierFirings,
  describeFiring,
  describeFirings,
} from '../../client/views/alerts.ts';
import {
  type AutoTxListView,
  type AutoTxView,
  describeChange,
  describeChanges,
  statusOf,
} from '../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import type { AutoTxStatus } from '../../contract/choices.ts';
import { cleanText, graphemes } from '../../core/text.ts';
import { useToast } from '../chrome/toast.tsx';
import type { ListSession } from './lists.tsx';
import { polledEveryMs } from './queries.ts';

export type NotificationLevel = 'on' | 'bell' | 'off';

type Env = Readonly<Record<string, string | undefined>>;

const BELL = '\u0007';
const TITLE = 'gastop';
/** GNU screen passes on at most 256 bytes at once; a desktop shows hardly more. */
const LONGEST_BYTES = 200;

/** These print unknown sequences, or have no desktop. */
const BELL_ONLY = /^(dumb|unknown|linux|cons25|vt\d|ansi|eterm|emacs|sun|wyse)/i;
/** Terminals with titles support OSC 777. */
const WITH_TITLE = /kitty|ghostty|wezterm|foot|rxvt|contour|konsole/i;
const WITHOUT_TITLE = /iterm/i;
const NEITHER = /^apple_terminal$/i;

/**
 * The bytes of a bell and a desktop notification: BEL, then OSC 777 (urxvt, VTE, kitty, WezTerm, Ghostty, foot,
 * Windows Terminal), OSC 9 (iTerm2), or both for an unknown terminal, which ignores the other. ConEmu uses OSC 9
 * differently, but only with numbers, and the text begins with a name. In tmux (`allow-passthrough`) and GNU screen
 * they are wrapped, so that they reach the outer terminal.
 *
 * @param text any text: control characters and semicolons, which would split it, are removed
 * @param env the environment that identifies the terminal
 */
export function notificationBytes(text: string, level: NotificationLevel, env: Env): string {
  const term = env.TERM ?? '';
  if (level === 'off' || term === '' || term === 'dumb') return '';
  if (level === 'bell' || BELL_ONLY.test(term) || env.INSIDE_EMACS !== undefined) return BELL;
  const said = boundBytes(cleanText(text).replaceAll(';', ','), LONGEST_BYTES);
  const wrap = wrapper(env);
  return BELL + sequences(said, env).map(wrap).join('');
}

function sequences(said: string, env: Env): readonly string[] {
  const plain = `\u001b]9;${TITLE}: ${said}${BELL}`;
  const titled = `\u001b]777;notify;${TITLE};${said}${BELL}`;
  // tmux and screen set their own names, but keep the terminal's exported variables.
  const names = [env.TERM, env.TERM_PROGRAM, env.LC_TERMINAL].join(' ');
  const exported = ['KITTY_WINDOW_ID', 'VTE_VERSION', 'WT_SESSION', 'KONSOLE_VERSION', 'WEZTERM_PANE'];
  if (WITHOUT_TITLE.test(names)) return [plain];
  if (WITH_TITLE.test(names) || exported.some((name) => env[name])) return [titled];
  return NEITHER.test(env.TERM_PROGRAM ?? '') ? [] : [plain, titled];
}

/** The inner sequences end in BEL: screen would take the other terminator for that of its wrapping. */
function wrapper(env: Env): (sequence: string) => string {
  const term = env.TERM ?? '';
  if (env.TMUX || term.startsWith('tmux')) {
    return (sequence) => `\u001bPtmux;${sequence.replaceAll('\u001b', '\u001b\u001b')}\u001b\\`;
  }
  // A TERM of screen alone may be tmux's, over ssh, which would show screen's wrapping as text.
  return env.STY ? (sequence) => `\u001bP${sequence}\u001b\\` : (sequence) => sequence;
}

/** The beginning of a text with at most `most` bytes of UTF-8; never cuts a character. */
function boundBytes(text: string, most: number): string {
  const ellipsis = '…';
  if (Buffer.byteLength(text) <= most) return text;
  let kept = '';
  let bytes = Buffer.byteLength(ellipsis);
  for (const segment of graphemes(text)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > most) break;
    kept += segment;
  }
  return `${kept.trimEnd()}${ellipsis}`;
}

export interface Notifications {
  readonly level: NotificationLevel;
  readonly env: Env;
}

export const SILENT: Notifications = { level: 'off', env: {} };

export const NotificationsContext = createContext<Notifications>(SILENT);

function useAnnounce(): (text: string) => void {
  const { level, env } = useContext(NotificationsContext);
  const { stdout } = useStdout();
  return (text) => {
    const bytes = notificationBytes(text, level, env);
    // Bypasses Ink's `write`: the bytes neither move the cursor nor draw.
    if (bytes !== '') stdout.write(bytes);
  };
}

type SeenAlerts = ReadonlyMap<string, Pick<AlertView, 'triggerCount' | 'lastTriggeredAt'>>;

/** The alerts that have fired since `seen`; of unknown ones those after `newSince` (ms by the service's clock). */
export function noticeFirings(seen: SeenAlerts, alerts: readonly AlertView[], newSince: number | null) {
  const next = new Map(seen);
  const fired = alerts.filter((alert) => {
    const { id, triggerCount: count, lastTriggeredAt: at } = alert;
    const before = next.get(id);
    // A stale list may arrive after a newer one: known firings stay known.
    next.set(id, {
      triggerCount: latest(count, before?.triggerCount),
      lastTriggeredAt: latest(at, before?.lastTriggeredAt),
    });
    if (before === undefined) return at !== null && newSince !== null && at > newSince;
    // A service may report either; the count is more reliable.
    if (count !== null && before.triggerCount !== null) return count > before.triggerCount;
    return at !== null && at > (before.lastTriggeredAt ?? 0);
  });
  return { seen: next, fired };
}

function latest(now: number | null, before: number | null | undefined): number | null {
  if (now === null) return before ?? null;
  return Math.max(now, before ?? now);
}

/** An operator sees the alerts of all keys: those are announced where that key is used. */
export const announcesHere = ({ channels, keyId }: AlertView): boolean =>
  keyId === null && channels.includes('TERMINAL');

const PRICE_WITHIN_MS = 2_000;
const EARLIER_MS = 8_000;
const SENT_MS = 6_000;

/**
 * Announces every TERMINAL alert that fires while the monitor runs: on screen, by bell, on the desktop. Earlier
 * firings are announced in one line, except those of the newest block, which are still current.
 *
 * @param list the newest, whatever the screen shows of it
 * @param isShown the alerts are on screen, so a firing is seen there
 * @returns number of alerts that fired since they were last on screen
 */
export function useAlertNotices(
  { client, snapshot, now }: Pick<ListSession, 'client' | 'snapshot' | 'now'>,
  list: AlertListView | undefined,
  isShown: boolean,
): number {
  const toast = useToast();
  const announce = useAnnounce();
  const [unseen, addUnseen] = useUnseen(isShown);
  const known = useRef<{ seen: SeenAlerts; since: number | null; missed: number } | null>(null);
  const life = useRef(new AbortController());
  useEffect(() => () => life.current.abort(), []);

  const compare = useEffectEvent((alerts: readonly AlertView[]) => {
    // The service's present: its clock may differ from ours, and a recording's does.
    const present = snapshot?.blockTimestamp ?? snapshot?.updatedAt ?? null;
    const before = known.current;
    const since = before === null ? newSince(snapshot, present, now()) : before.since;
    const { seen, fired } = noticeFirings(before?.seen ?? new Map(), alerts, since);
    const missed = alerts.reduce((sum, alert) => sum + (alert.missed?.count ?? 0), 0);
    known.current = { seen, since, missed };
    addUnseen(fired.length);
    const here = fired.filter(announcesHere);
    if (here.length > 0 && client !== null) {
      const { signal } = life.current;
      void firingText(here, client, signal).then((text) => {
        if (signal.aborted) return;
        toast({ kind: 'alert', text });
        // A desktop notification has no badge.
        const { kind } = snapshot?.source ?? {};
        announce(`${kind === 'replay' || kind === 'simulated' ? `[${kind.toUpperCase()}] ` : ''}${text}`);
      });
      return;
    }
    // The blocks of a downtime may be read only after the first list.
    if (before !== null && missed <= before.missed) return;
    const told = before === null ? alerts.filter(announcesHere) : [];
    const earlier = present === null ? null : describeEarlierFirings(told, alerts, present);
    if (earlier !== null) toast({ kind: 'info', text: earlier, forMs: EARLIER_MS });
  });
  useEffect(() => {
    if (list !== undefined) compare(list.items);
  }, [list]);
  return unseen;
}

function useUnseen(isShown: boolean): readonly [number, (news: number) => void] {
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (isShown) setCount(0);
  }, [isShown]);
  const add = (news: number) => {
    if (news > 0 && !isShown) setCount((before) => before + news);
  };
  return [count, add];
}

/** Age of a head that excludes a new firing, ms; more than the usual difference of clocks. */
const OLD_HEAD_MS = 120_000;

/** An alert that fired with the newest block is announced, although it was never listed before. */
function newSince(snapshot: SnapshotView | undefined, present: number | null, now: number): number | null {
  if (snapshot === undefined || present === null) return null;
  const isOld = snapshot.source.kind !== 'replay' && now - present > OLD_HEAD_MS;
  return isOld ? present : present - polledEveryMs(snapshot);
}

async function firingText(
  fired: readonly AlertView[],
  client: GasClient,
  life: AbortSignal,
): Promise<string> {
  const [only] = fired;
  if (only === undefined || fired.length > 1) return describeFirings(fired);
  const signal = AbortSignal.any([life, AbortSignal.timeout(PRICE_WITHIN_MS)]);
  const savings = await client.alertSavings(only.id, { signal }).catch(() => null);
  const entry = savings?.entries.find(({ triggeredAt }) => triggeredAt === only.lastTriggeredAt);
  return describeFiring(only, entry?.price ?? null);
}

const NEWS: ReadonlySet<AutoTxStatus | null> = new Set(['SUBMITTED', 'EXECUTED', 'FAILED', 'EXPIRED']);

/**
 * Announces every auto-tx that is sent or ends while the monitor runs, an end also by bell and on the desktop. The
 * auto-txs of API keys are announced where those keys are used.
 *
 * @returns number of auto-txs that ended since they were last on screen
 */
export function useAutoTxNotices(list: AutoTxListView | undefined, isShown: boolean): number {
  const toast = useToast();
  const announce = useAnnounce();
  const [unseen, addUnseen] = useUnseen(isShown);
  const known = useRef<ReadonlyMap<string, AutoTxStatus | null>>(new Map());

  const compare = useEffectEvent((autoTxs: readonly AutoTxView[]) => {
    const before = known.current;
    known.current = new Map(autoTxs.map((autoTx) => [autoTx.id, statusOf(autoTx)]));
    const changed = autoTxs.filter((autoTx) => {
      const [was, status] = [before.get(autoTx.id), statusOf(autoTx)];
      return autoTx.keyId === null && was !== undefined && was !== status && NEWS.has(status);
    });
    const ended = changed.filter((autoTx) => statusOf(autoTx) !== 'SUBMITTED');
    addUnseen(ended.length);
    const told = ended.length > 0 ? ended : changed;
    const [first] = told;
    if (first === undefined) return;
    const text = told.length > 1 ? describeChanges(told) : describeChange(first);
    if (ended.length === 0) return toast({ kind: 'info', text, forMs: SENT_MS });
    toast({ kind: 'alert', text });
    announce(text);
  });
  useEffect(() => {
    if (list !== undefined) compare(list.items);
  }, [list]);
  return unseen;
}
