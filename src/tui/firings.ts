import type { AlertView } from '../client/views/alerts.ts';

/** How often and when last each alert had fired, by its id. */
export type SeenAlerts = ReadonlyMap<string, Pick<AlertView, 'triggerCount' | 'lastTriggeredAt'>>;

export interface Noticed {
  readonly seen: SeenAlerts;
  /** The alerts that have fired since. */
  readonly fired: readonly AlertView[];
}

/**
 * Compares a list of alerts with what was seen before.
 *
 * @param newSince an alert that was not seen before has fired if it did after this time, ms by the service's clock;
 *   `null`: nothing tells
 */
export function noticeFirings(
  seen: SeenAlerts,
  alerts: readonly AlertView[],
  newSince: number | null,
): Noticed {
  const next = new Map(seen);
  const fired: AlertView[] = [];
  for (const alert of alerts) {
    const before = next.get(alert.id);
    if (before === undefined ? hasFiredAfter(alert, newSince) : hasFiredSince(alert, before))
      fired.push(alert);
    // An older list may arrive after a newer one: what was seen stays seen.
    next.set(alert.id, {
      triggerCount: latest(alert.triggerCount, before?.triggerCount),
      lastTriggeredAt: latest(alert.lastTriggeredAt, before?.lastTriggeredAt),
    });
  }
  return { seen: next, fired };
}

function hasFiredSince(
  alert: AlertView,
  before: Pick<AlertView, 'triggerCount' | 'lastTriggeredAt'>,
): boolean {
  // A service may tell either; the count is surer.
  if (alert.triggerCount !== null && before.triggerCount !== null) {
    return alert.triggerCount > before.triggerCount;
  }
  const { lastTriggeredAt: at } = alert;
  return at !== null && at > (before.lastTriggeredAt ?? 0);
}

function hasFiredAfter({ lastTriggeredAt }: AlertView, newSince: number | null): boolean {
  return lastTriggeredAt !== null && newSince !== null && lastTriggeredAt > newSince;
}

function latest(now: number | null, before: number | null | undefined): number | null {
  if (now === null) return before ?? null;
  return Math.max(now, before ?? now);
}

/** Whoever runs a service sees the alerts of every key: those are told where that key is used. */
export const announcesHere = ({ channels, keyId }: AlertView): boolean =>
  keyId === null && channels.includes('TERMINAL');
