import { useState } from 'react';
import { ClientError } from '../../../client/errors.ts';
import type { AutoTxView } from '../../../client/views/auto-txs.ts';
import { statusOf } from '../../../client/views/describe-auto-txs.ts';
import type { AutoTxStatus } from '../../../contract/choices.ts';
import { shortHex } from '../../../core/hex-text.ts';
import { refusalText } from '../../app/connection.ts';
import { useClipboard } from '../../app/terminal.ts';
import { useToast } from '../../chrome/footer.tsx';
import { useMonitor } from '../../data/queries.ts';
import { useAutoTxs } from '../../hooks/use-auto-txs.ts';

/** What the keys do to one auto-tx, in the list and in its details. Nothing is shown as done before the service says so. */
export function useAutoTxActions(renewed: () => Promise<void> = async () => {}) {
  const { client } = useMonitor();
  const { refresh } = useAutoTxs();
  const toast = useToast();
  const copy = useClipboard();
  const refuse = (text: string) => toast({ kind: 'error', text });
  const ask = async (done: string, failed: string, work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      toast({ kind: 'info', text: done });
      return true;
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      const unsure = error instanceof ClientError && error.mayBeDone;
      refuse(`${unsure ? 'Perhaps done, the list is asked again' : failed}: ${refusalText(error)}`);
      return false;
    } finally {
      void refresh();
      void renewed();
    }
  };
  const setStatus = (autoTx: AutoTxView, status: 'PENDING' | 'DISABLED') =>
    ask(
      status === 'PENDING' ? 'It waits for its price' : 'It is not sent while it is disabled',
      'Not changed',
      () => client.updateAutoTx(autoTx.id, { status }),
    );
  return {
    toggle: (autoTx: AutoTxView) => {
      const status = statusOf(autoTx);
      if (status === 'PENDING') void setStatus(autoTx, 'DISABLED');
      else if (status === 'DISABLED' || status === null) void setStatus(autoTx, 'PENDING');
      else refuse(status === 'DRAFT' ? 'A draft waits once it is signed: e' : stateWords(status));
    },
    cancel: (autoTx: AutoTxView) =>
      ask('It is cancelled', 'Not cancelled', () => client.cancelAutoTx(autoTx.id)),
    remove: (autoTx: AutoTxView) =>
      ask('It is deleted', 'Not deleted', async () => {
        try {
          await client.deleteAutoTx(autoTx.id);
        } catch (error) {
          // Somebody else was quicker: it is gone, as it should be.
          if (!(error instanceof ClientError && error.status === 404)) throw error;
        }
      }),
    copyHash: ({ hash }: AutoTxView) => {
      if (hash === null) return refuse('It has no hash before it is signed');
      copy(hash);
      toast({ kind: 'info', text: `Copied ${shortHex(hash, '…')}` });
    },
    refuse,
  };
}

const stateWords = (status: AutoTxStatus) =>
  `It ${status === 'EXPIRED' || status === 'FAILED' ? 'has' : 'is'} ${status.toLowerCase()}`;

/** What is asked before something is done to an auto-tx. */
export interface Asked {
  readonly what: 'cancel' | 'delete';
  readonly autoTx: AutoTxView;
}

/** Which question lies over the pane, and what the keys `x` and `d` ask. */
export function useAutoTxQuestion(refuse: (text: string) => void) {
  const [asked, setAsked] = useState<Asked | null>(null);
  return {
    asked,
    close: () => setAsked(null),
    askCancel: (autoTx: AutoTxView) => {
      const status = statusOf(autoTx);
      if (status === 'EXECUTED' || status === 'CANCELLED' || status === 'EXPIRED' || status === 'FAILED')
        refuse(`${stateWords(status)}: there is nothing to cancel`);
      else setAsked({ what: 'cancel', autoTx });
    },
    askDelete: (autoTx: AutoTxView) => {
      const status = statusOf(autoTx);
      if (status === 'PENDING' || status === 'DISABLED') refuse('Cancel it first: x');
      else if (status === 'SUBMITTED') refuse('It is on its way: it can be deleted once it is over');
      else setAsked({ what: 'delete', autoTx });
    },
  };
}
