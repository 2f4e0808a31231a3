import { useEffect, useState } from 'react';
import type { AutoTxToCheck, Told } from '../../../client/auto-tx-preflight.ts';
import type { CheckView } from '../../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import type { SignedTransaction } from '../../../core/transactions/signed-transaction.ts';
import { useMonitor, usePolledQuery } from '../../data/queries.ts';

type Preflight = (toCheck: AutoTxToCheck, told: Told) => readonly CheckView[];

export interface PreflightQuestion {
  /** `null`: there is none to check. */
  readonly transaction: SignedTransaction | null;
  readonly order: AutoTxToCheck['order'];
  readonly lanePrice: bigint | null;
  readonly snapshot: SnapshotView;
  /** The auto-tx that is changed. */
  readonly id: string | null;
  readonly now: number;
}

/**
 * The pre-flight of what is in the form, made here and kept up with the head: the service is asked about the sender,
 * and is shown nothing of what is signed. `null`: there is none yet.
 */
export function usePreflight(question: PreflightQuestion): readonly CheckView[] | null {
  const { transaction, order, lanePrice, snapshot, id, now } = question;
  const { client, frozen } = useMonitor();
  const from = transaction?.from ?? null;
  const polled = usePolledQuery({
    key: ['auto-tx-account', from],
    enabled: from !== null,
    ask: async (signal) => (from === null ? null : client.autoTxAccount(from, { signal })),
    head: snapshot,
    isSettled: (account) => account === null,
    frozen,
  });
  const check = useLoadedPreflight(transaction !== null);
  if (transaction === null || check === null) return null;
  // A line that says "could not be told" would be taken for an answer while it is still on its way.
  if (polled.data === undefined && polled.error === null) return null;
  return check({ transaction, order, id }, { snapshot, account: polled.data ?? null, lanePrice, now });
}

/** What makes a pre-flight is no part of the monitor's start. */
function useLoadedPreflight(isWanted: boolean): Preflight | null {
  const [loaded, setLoaded] = useState<{ readonly run: Preflight } | null>(null);
  useEffect(() => {
    if (!isWanted) return;
    let isAwaited = true;
    void import('../../../client/auto-tx-preflight.ts').then(({ autoTxChecks }) => {
      if (isAwaited) setLoaded({ run: autoTxChecks });
    });
    return () => {
      isAwaited = false;
    };
  }, [isWanted]);
  return loaded?.run ?? null;
}
