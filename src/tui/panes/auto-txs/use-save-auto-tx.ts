import { setTimeout as sleep } from 'node:timers/promises';
import { useState } from 'react';
import { ClientError } from '../../../client/errors.ts';
import type { ExtraAutoTxField } from '../../../client/openapi.ts';
import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import { refusalText } from '../../app/connection.ts';
import { useMonitor } from '../../data/queries.ts';
import { useAutoTxs } from '../../hooks/use-auto-txs.ts';
import { autoTxChangeOf, autoTxFieldOf, newAutoTxOf } from './auto-tx-form-check.ts';
import type { AutoTxFormState } from './auto-tx-form-state.ts';

const LIST_WITHIN_MS = 1_000;

export type Saved =
  | { readonly kind: 'saved'; readonly id: string }
  /** No answer that tells came: the list says. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** Field by field; `''`: what belongs to none. */
  | { readonly kind: 'refused'; readonly refusals: Readonly<Record<string, string>> };

/** Hands a new auto-tx over, or what changed of one; the list that is asked for then has it. */
export function useSaveAutoTx(
  edited: AutoTxView | null,
  unknown: readonly ExtraAutoTxField[],
): {
  readonly isSending: boolean;
  readonly save: (form: AutoTxFormState) => Promise<Saved>;
} {
  const { client, now } = useMonitor();
  const { refresh } = useAutoTxs();
  const [isSending, setSending] = useState(false);
  const save = async (form: AutoTxFormState): Promise<Saved> => {
    setSending(true);
    try {
      if (edited === null) {
        const { id } = await client.createAutoTx(newAutoTxOf(form, now(), unknown));
        await listed(refresh());
        return { kind: 'saved', id };
      }
      await client.updateAutoTx(edited.id, autoTxChangeOf(form, now()));
      await listed(refresh());
      return { kind: 'saved', id: edited.id };
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      if (error instanceof ClientError && error.mayBeDone) {
        void refresh();
        return { kind: 'unknown', reason: refusalText(error) };
      }
      return { kind: 'refused', refusals: refusalsOf(error) };
    } finally {
      setSending(false);
    }
  };
  return { isSending, save };
}

/** The list has it, or is waited for no longer: what was handed over stays in the form until then. */
async function listed(renewed: Promise<void>): Promise<void> {
  await Promise.race([renewed, sleep(LIST_WITHIN_MS, undefined, { ref: false })]);
}

function refusalsOf(error: Error): Record<string, string> {
  const details = error instanceof ClientError ? error.details : [];
  const refusals: Record<string, string> = {};
  for (const { path, message } of details) {
    const field = autoTxFieldOf(path);
    const words = field === '' && path !== '' ? `${path} ${message}` : message;
    refusals[field] = refusals[field] === undefined ? words : `${refusals[field]}; ${words}`;
  }
  return details.length === 0 ? { '': error.message.replaceAll('\n', ' ') } : refusals;
}
