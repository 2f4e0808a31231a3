import { createContext, useContext, useSyncExternalStore } from 'react';
import type { AlertEdits, PendingDeletion } from '../alert-edits.ts';

export const AlertEditsContext = createContext<AlertEdits | null>(null);

/** What changes alerts, and the deletions that can still be undone, the newest last. */
export function useAlertEdits(): {
  readonly edits: AlertEdits;
  readonly deletions: readonly PendingDeletion[];
} {
  const edits = useContext(AlertEditsContext);
  if (edits === null) throw new Error('useAlertEdits needs an AlertEditsProvider around it');
  return { edits, deletions: useSyncExternalStore(edits.subscribe, edits.read) };
}
