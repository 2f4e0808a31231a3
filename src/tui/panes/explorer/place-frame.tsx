import type { ReactNode } from 'react';
import type { GasClient } from '../../../client/client.ts';
import { ClientError } from '../../../client/errors.ts';
import type { SnapshotView } from '../../../client/views/gas.ts';
import { hexText } from '../../../core/text.ts';
import { formatCount } from '../../../core/units.ts';
import { remedyFor } from '../../app/connection.ts';
import { type Polled, useMonitorQuery } from '../../data/queries.ts';
import { useShownSnapshot } from '../../ui/pane-context.tsx';
import { PaneState, PolledFrame, serviceMessage } from '../../ui/pane-state.tsx';
import type { Line } from '../../ui/text.tsx';
import { noTransactions, type PlaceName } from './explorer-state.ts';

function problemOf(place: PlaceName, error: Error, snapshot: SnapshotView) {
  const without = noTransactions(snapshot);
  const what = place.kind === 'block' ? `block ${formatCount(place.number)}` : 'this transaction';
  if (place.kind === 'tx' && without !== null) {
    return { title: 'No transactions here', reason: without, hint: '/ looks up a block, Esc goes back' };
  }
  if (!(error instanceof ClientError) || error.code !== 'not-found') {
    const hint = remedyFor(error) ?? 'r asks again now, / looks up another, Esc goes back';
    return { title: `No answer for ${what}`, reason: error.message, hint };
  }
  // The service's message would only repeat the path.
  const message = serviceMessage(error);
  const hint = '/ looks up another, Esc goes back';
  if (place.kind === 'block') {
    const reason = message ?? 'the service has no such block, or gives no blocks at all';
    return { title: `No ${what}`, reason, hint };
  }
  return {
    title: `No transaction ${hexText(place.hash, 21, '…')}`,
    reason: message ?? 'the service knows no such transaction: check the hash and the chain',
    hint: `looked for again with every block; ${hint}`,
  };
}

interface PlaceFrameProps {
  readonly place: PlaceName;
  readonly polled: Polled<unknown>;
  readonly children: (notice: Line | null) => ReactNode;
}

export function PlaceFrame({ place, polled, children }: PlaceFrameProps) {
  const { data, error, retryAt } = polled;
  const snapshot = useShownSnapshot();
  if (data === undefined && error !== null) {
    return <PaneState kind="error" retryAt={retryAt} {...problemOf(place, error, snapshot)} />;
  }
  const what = place.kind === 'block' ? `block ${place.number}` : 'the transaction';
  return <PolledFrame {...{ polled, what, children }} />;
}

/** Confirmations after which a block changes no more. */
const SETTLED = 12;

/** Refetches a block or a transaction with each new head while a reorg may replace it. */
export function useSettling<T>(
  key: readonly [string, string | number | null],
  ask: (client: GasClient, signal: AbortSignal) => Promise<T>,
  blockOf: (value: T) => number | null,
): Polled<T> {
  const snapshot = useShownSnapshot();
  const head = snapshot.blockNumber;
  return useMonitorQuery({
    key,
    enabled: key[1] !== null,
    ask,
    head: snapshot,
    isSettled: (value) => {
      const number = blockOf(value);
      return number !== null && head !== null && head - number >= SETTLED;
    },
  });
}
