import { useIsScreenReaderEnabled } from 'ink';
import { useMemo } from 'react';
import { ClientError } from '../../../client/client-error.ts';
import { chainProfile } from '../../../core/chains.ts';
import { useActions } from '../../hooks/use-actions.ts';
import { useClipboard } from '../../hooks/use-clipboard.ts';
import { useDim } from '../../hooks/use-dim.ts';
import { useOlderThanPrices } from '../../hooks/use-older-than-prices.ts';
import type { Polled } from '../../hooks/use-polled-query.ts';
import { useToast } from '../../hooks/use-toast.ts';
import type { TabScreenProps } from '../../tabs.ts';
import { lanesText } from './lanes-text.ts';
import { LivePane } from './live-pane.tsx';
import type { LiveView } from './live-view.ts';
import { SpokenLive } from './spoken-live.tsx';
import { useLiveData } from './use-live-data.ts';

/** Gathers what the Live pane draws and says what its keys do. */
export function LiveScreen({ snapshot, columns, rows }: TabScreenProps) {
  const { trend, recommendation, hour, market } = useLiveData(snapshot);
  const toast = useToast();
  const copy = useClipboard();
  const spoken = useIsScreenReaderEnabled();
  const past = useDim();
  useActions('live', {
    copy: () => {
      copy(lanesText(snapshot));
      toast({ kind: 'info', text: 'Copied the three lanes (if your terminal lets programs copy: OSC 52)' });
    },
  });
  const parts = [
    missingLine('advice', recommendation, past),
    missingLine('trend', trend, past),
    missingLine('market figures', market, past),
    missingLine('chart of the hour', hour, past),
  ];
  const missing = parts.filter((line) => line !== null).join('\n');
  const adviceOlderSec = useOlderThanPrices(snapshot, recommendation.data?.updatedAt ?? null);
  const view = useMemo(
    (): LiveView => ({
      snapshot,
      trend: trend.data,
      recommendation: recommendation.data,
      adviceOlderSec,
      hour: hour.data,
      market: market.data,
      symbol: snapshot.chainId === null ? 'ETH' : chainProfile(snapshot.chainId).nativeSymbol,
      missing: missing === '' ? [] : missing.split('\n'),
    }),
    [snapshot, trend.data, recommendation.data, adviceOlderSec, hour.data, market.data, missing],
  );
  return spoken ? <SpokenLive view={view} /> : <LivePane view={view} columns={columns} rows={rows} />;
}

/** Why a part that never came is not there; a part that fails later keeps its last data instead. */
function missingLine(name: string, { data, error }: Polled<unknown>, past: boolean): string | null {
  if (data !== undefined || error === null) return null;
  return `no ${name}: ${reasonOf(error, past).replaceAll('\n', ' ')}`;
}

function reasonOf(error: Error, past: boolean): string {
  const code = error instanceof ClientError ? error.code : null;
  if (code === 'not-found') return 'this service has none';
  // The frame around says why, and until when.
  if (past && (code === 'key' || code === 'quota')) return 'nothing is asked for now';
  return error.message;
}
