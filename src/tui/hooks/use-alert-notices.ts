import { useEffect, useRef, useState } from 'react';
import type { GasClient } from '../../client/client.ts';
import type { AlertListView, AlertView } from '../../client/views/alerts.ts';
import {
  describeEarlierFirings,
  describeFiring,
  describeFirings,
} from '../../client/views/describe-alerts.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import { useToast } from '../chrome/footer.tsx';
import { polledEveryMs } from '../data/queries.ts';
import { announcesHere, noticeFirings, type SeenAlerts } from '../firings.ts';
import { useAnnounce } from './use-announce.ts';

interface AlertNoticesOptions {
  readonly client: GasClient | null;
  readonly snapshot: SnapshotView | undefined;
  /** What the service says last, whatever the screen shows of it. */
  readonly list: AlertListView | undefined;
  /** The alerts are on the screen, so what fires is seen. */
  readonly isShown: boolean;
  readonly now: () => number;
}

/** An announcement waits no longer for the price it is about, ms. */
const PRICE_WITHIN_MS = 2_000;

/**
 * Tells of every alert for this terminal that fires while the monitor runs: on the screen, by the bell, on the
 * desktop. What fired before is told in one line, but for what fired with the newest block, which still is true.
 *
 * @returns how many alerts have fired since they were last looked at
 */
export function useAlertNotices({ client, snapshot, list, isShown, now }: AlertNoticesOptions): number {
  const toast = useToast();
  const announce = useAnnounce();
  const [unseen, setUnseen] = useState(0);
  const known = useRef<Known | null>(null);
  const latest = useRef({ client, snapshot, isShown, now, toast, announce });
  latest.current = { client, snapshot, isShown, now, toast, announce };
  const life = useLifeSignal();

  useEffect(() => {
    if (list === undefined) return;
    const { client: asked, snapshot: current, isShown: isSeen, toast: show, announce: ring } = latest.current;
    const isFirst = known.current === null;
    const before = known.current ?? beginning(current, latest.current.now());
    const { seen, fired } = noticeFirings(before.seen, list.items, before.newSince);
    const missed = timesMissed(list.items);
    known.current = { ...before, seen, missed };
    if (fired.length > 0 && !isSeen) setUnseen((count) => count + fired.length);
    const here = fired.filter(announcesHere);
    if (here.length > 0 && asked !== null) {
      void wordsOf(here, asked, life()).then((text) => {
        if (life().aborted) return;
        show({ kind: 'alert', text });
        ring(`${badgeWords(current)}${text}`);
      });
      return;
    }
    // Blocks of the time in which nothing ran may be read only while the monitor is shown already.
    if (!isFirst && missed <= before.missed) return;
    const told = isFirst ? list.items.filter(announcesHere) : [];
    const at = current === undefined ? null : presentOf(current);
    const earlier = at === null ? null : describeEarlierFirings(told, list.items, at);
    if (earlier !== null) show({ kind: 'info', text: earlier, forMs: EARLIER_MS });
  }, [list, life]);

  useEffect(() => {
    if (isShown) setUnseen(0);
  }, [isShown]);
  return unseen;
}

const EARLIER_MS = 8_000;

interface Known {
  readonly seen: SeenAlerts;
  readonly newSince: number | null;
  readonly missed: number;
}

/** The age of a head with which nothing new can have fired, ms; its clock and ours may differ by less. */
const OLD_HEAD_MS = 120_000;

/** An alert that fired with the newest block is news, although it was never listed before. */
function beginning(snapshot: SnapshotView | undefined, now: number): Known {
  const present = snapshot === undefined ? null : presentOf(snapshot);
  if (snapshot === undefined || present === null) return { seen: new Map(), newSince: null, missed: 0 };
  const isOld = snapshot.source.kind !== 'replay' && now - present > OLD_HEAD_MS;
  return { seen: new Map(), newSince: isOld ? present : present - polledEveryMs(snapshot), missed: 0 };
}

/** The service's own present: its clock may not be ours, and a recording's never is. */
function presentOf({ blockTimestamp, updatedAt }: SnapshotView): number | null {
  return blockTimestamp ?? updatedAt;
}

/** On the desktop there is no badge beside the words. */
function badgeWords(snapshot: SnapshotView | undefined): string {
  switch (snapshot?.source.kind) {
    case 'replay':
      return '[REPLAY] ';
    case 'simulated':
      return '[SIMULATED] ';
    default:
      return '';
  }
}

function timesMissed(alerts: readonly AlertView[]): number {
  return alerts.reduce((sum, { missed }) => sum + (missed?.count ?? 0), 0);
}

async function wordsOf(fired: readonly AlertView[], client: GasClient, life: AbortSignal): Promise<string> {
  const [only] = fired;
  if (only === undefined || fired.length > 1) return describeFirings(fired);
  const signal = AbortSignal.any([life, AbortSignal.timeout(PRICE_WITHIN_MS)]);
  const savings = await client.alertSavings(only.id, { signal }).catch(() => null);
  const entry = savings?.entries.find(({ triggeredAt }) => triggeredAt === only.lastTriggeredAt);
  return describeFiring(only, entry?.price ?? null);
}

/** Aborts when the caller is taken off the screen for good. */
function useLifeSignal(): () => AbortSignal {
  const controller = useRef(new AbortController());
  useEffect(() => {
    const mine = new AbortController();
    controller.current = mine;
    return () => mine.abort();
  }, []);
  return useRef(() => controller.current.signal).current;
}
