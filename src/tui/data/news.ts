import { useRef } from 'react';
import { pollEveryMs } from '../../client/follow-prices.ts';
import type { GasClient } from '../../client/gas-client.ts';
import { describeEarlierFirings, describeFiring, describeFirings } from '../../client/views/alert-texts.ts';
import type { AlertView } from '../../client/views/alerts.ts';
import { describeChange, describeChanges } from '../../client/views/auto-tx-texts.ts';
import { type AutoTxView, isHeldByRules, statusOf } from '../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import type { AutoTxStatus } from '../../contract/choices.ts';
import { type Notifications, useAnnounce } from '../chrome/announce.ts';
import { useToast } from '../chrome/toast.tsx';
import type { QuerySession } from './monitor-context.ts';

export interface NewsSession extends QuerySession {
  /** `undefined`: no requests to a service whose prices are unavailable. */
  readonly snapshot: SnapshotView | undefined;
  readonly notifications: Notifications;
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
export function useAlertNews(session: NewsSession) {
  const { client, snapshot, now } = session;
  const toast = useToast();
  const announce = useAnnounce(session.notifications, session.snapshot?.source);
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
      const shown = before === null ? alerts.filter(announcesHere) : [];
      const earlier = describeEarlierFirings(shown, alerts, present);
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
export function useAutoTxNews(session: NewsSession) {
  const toast = useToast();
  const announce = useAnnounce(session.notifications, session.snapshot?.source);
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
    const news = ended.length > 0 ? ended : changed;
    const [first] = news;
    if (first === undefined) return 0;
    const text = news.length > 1 ? describeChanges(news) : describeChange(first);
    if (ended.length > 0) announce(text);
    else toast({ kind: 'info', text, forMs: SENT_MS });
    return ended.length;
  };
}
