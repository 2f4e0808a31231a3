import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import type { GasClient } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import { describeCondition } from '../../client/views/describe-alerts.ts';
import { AlertEdits } from '../alert-edits.ts';
import { refusalText } from '../app/connection.ts';
import { useToast } from '../chrome/footer.tsx';
import { AlertEditsContext } from '../hooks/use-alert-edits.ts';
import { useAlerts } from '../hooks/use-alerts.ts';

interface AlertEditsProviderProps {
  /** `null`: nothing can be changed yet. */
  readonly client: GasClient | null;
  readonly now: () => number;
  /** Has something done before the source is closed. */
  readonly beforeClosing: (work: () => Promise<void>) => void;
  /** How long a deletion can be undone, ms. */
  readonly undoMs?: number;
  readonly children: ReactNode;
}

/** What the user changes of a session's alerts; outlives the pane, as a deletion outlives a look at another tab. */
export function AlertEditsProvider(props: AlertEditsProviderProps) {
  const { client, now, beforeClosing, undoMs, children } = props;
  const { expect } = useAlerts();
  const toast = useToast();
  const latest = useRef(expect);
  latest.current = expect;
  const closing = useRef(false);
  const edits = useMemo(() => {
    if (client === null) return null;
    return new AlertEdits({
      setStatus: (id, status) => client.setAlertStatus(id, status),
      remove: async (id, signal) => {
        try {
          await client.deleteAlert(id, signal === undefined ? {} : { signal });
        } catch (error) {
          // Somebody else was quicker: it is gone, as it should be.
          if (!(error instanceof ClientError && error.status === 404)) throw error;
        }
      },
      expect: (apply) => latest.current(apply),
      refused: (what, alert, error) => {
        const reason = refusalText(error);
        const word = what === 'deletion' ? 'deleted' : 'changed';
        const mayBeDone = error instanceof ClientError && error.mayBeDone;
        const kept = what === 'deletion' ? 'Not deleted, it is back' : 'Not changed';
        toast({
          kind: 'error',
          text: mayBeDone ? `Perhaps ${word}, the list is asked again: ${reason}` : `${kept}: ${reason}`,
        });
        // There is no screen left to say it on: it is told once the terminal is given back.
        if (closing.current) {
          const how = mayBeDone ? `may not have been ${word}` : `was not ${word}`;
          console.error(`gastop: the alert ${describeCondition(alert)} ${how}: ${reason}`);
        }
      },
      now,
      ...(undoMs === undefined ? {} : { undoMs }),
    });
  }, [client, toast, now, undoMs]);
  useEffect(() => {
    if (edits === null) return;
    beforeClosing(() => {
      closing.current = true;
      return edits.flush();
    });
  }, [edits, beforeClosing]);
  return <AlertEditsContext value={edits}>{children}</AlertEditsContext>;
}
