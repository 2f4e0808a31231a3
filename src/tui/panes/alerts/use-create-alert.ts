import { useState } from 'react';
import { ClientError } from '../../../client/errors.ts';
import type { CreatedAlertView, NewAlert } from '../../../client/views/alerts.ts';
import { refusalText } from '../../app/connection.ts';
import { useMonitor } from '../../data/queries.ts';
import { useAlerts } from '../../hooks/use-alerts.ts';
import { fieldOfPath } from './form-check.ts';

export type Made =
  | { readonly kind: 'made'; readonly alert: CreatedAlertView }
  /** No answer that tells came: the list, which is asked for, says. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** Field by field; `''`: what belongs to none. */
  | { readonly kind: 'refused'; readonly refusals: Readonly<Record<string, string>> };

/** Sends a new alert; the list that is asked for then has it. */
export function useCreateAlert(): {
  readonly isSending: boolean;
  readonly create: (alert: NewAlert) => Promise<Made>;
} {
  const { client } = useMonitor();
  const { refresh } = useAlerts();
  const [isSending, setSending] = useState(false);
  const create = async (alert: NewAlert): Promise<Made> => {
    setSending(true);
    try {
      const made = await client.createAlert(alert);
      // A signing secret is shown at once: a list that hangs must not keep it from who has to write it down.
      if (made.signingSecret === null) await refresh();
      else void refresh();
      return { kind: 'made', alert: made };
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      if (error instanceof ClientError && error.mayBeDone) {
        void refresh();
        return { kind: 'unknown', reason: refusalText(error) };
      }
      return { kind: 'refused', refusals: refusalsOf(error, alert.method ?? '') };
    } finally {
      setSending(false);
    }
  };
  return { isSending, create };
}

function refusalsOf(error: Error, method: string): Record<string, string> {
  const details = error instanceof ClientError ? error.details : [];
  const refusals: Record<string, string> = {};
  for (const { path, message } of details) {
    const field = fieldOfPath(path, method);
    const words = field === '' && path !== '' ? `${path} ${message}` : message;
    refusals[field] = refusals[field] === undefined ? words : `${refusals[field]}; ${words}`;
  }
  return details.length === 0 ? { '': error.message.replaceAll('\n', ' ') } : refusals;
}
