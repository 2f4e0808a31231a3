import { useMemo } from 'react';
import { AlertPreviewer, alertRuleOf, previewWords } from '../../../client/alert-preview.ts';
import type { NewAlert } from '../../../client/views/alerts.ts';
import { useElapsed } from '../../app/clock.ts';
import { useMonitor, usePolledQuery } from '../../data/queries.ts';

/** What somebody is still typing is not looked up. */
const SETTLED_MS = 250;

/**
 * What the alert would have done in the last 24 hours, in words; `null`: there is nothing to say, or not yet.
 *
 * @param alert `null`: it cannot be sent as it is.
 * @param timeText Writes a time, ms since epoch.
 */
export function useAlertPreview(alert: NewAlert | null, timeText: (ms: number) => string): string | null {
  const { client, now, isOwnService = false } = useMonitor();
  const previewer = useMemo(
    () => new AlertPreviewer(client, { thorough: isOwnService, now }),
    [client, isOwnService, now],
  );
  const rule = alert === null ? null : alertRuleOf(alert);
  const key =
    rule === null
      ? null
      : JSON.stringify(rule, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
  const isSettled = useElapsed(SETTLED_MS, key);
  const { data, error } = usePolledQuery({
    key: ['alert-preview', key],
    enabled: rule !== null && isSettled,
    ask: async (signal) => {
      if (rule === null) throw new Error('there is nothing to preview');
      return previewer.preview(rule, { signal });
    },
    freshMs: 60_000,
  });
  if (rule === null) return null;
  if (data !== undefined) return previewWords(data, timeText);
  return error === null
    ? 'looking at the last 24 h …'
    : `cannot be previewed: ${error.message.replaceAll('\n', ' ')}`;
}
