import { useIsScreenReaderEnabled } from 'ink';
import { useMemo } from 'react';
import { chainProfile } from '../../../core/chains.ts';
import { cheaperThan } from '../../alert-prefill.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useClipboard } from '../../app/terminal.ts';
import { useNavigation } from '../../app/ui-state.ts';
import { useToast } from '../../chrome/footer.tsx';
import { type Polled, useMonitor, useOlderThanPrices } from '../../data/queries.ts';
import { useKeys } from '../../input/use-keys.tsx';
import { useDim } from '../../ui/theme.ts';
import { lanesText } from './lanes-text.ts';
import { LivePane } from './live-pane.tsx';
import type { LiveView } from './live-view.ts';
import { missingReason } from './missing-reason.ts';
import { SpokenLive } from './spoken-live.tsx';
import { useLiveData } from './use-live-data.ts';

/** Gathers what the Live pane draws and says what its keys do. */
export function LiveScreen({ snapshot, columns, rows }: TabScreenProps) {
  const { trend, recommendation, hour, market } = useLiveData(snapshot);
  const toast = useToast();
  const copy = useClipboard();
  const spoken = useIsScreenReaderEnabled();
  const past = useDim();
  const { newAlert } = useNavigation();
  useKeys('live', {
    'alert-here': () => newAlert(cheaperThan(snapshot.lanes.average.price)),
    copy: () => {
      copy(lanesText(snapshot));
      toast({ kind: 'info', text: 'Copied the three lanes (if your terminal lets programs copy: OSC 52)' });
    },
  });
  const { limit = null } = useMonitor();
  const reasonOf = (error: Error) => missingReason(error, { past, limit });
  const parts = [
    missingLine('advice', recommendation, reasonOf),
    missingLine('trend', trend, reasonOf),
    missingLine('market figures', market, reasonOf),
    missingLine('chart of the hour', hour, reasonOf),
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
function missingLine(
  name: string,
  { data, error }: Polled<unknown>,
  reasonOf: (error: Error) => string,
): string | null {
  if (data !== undefined || error === null) return null;
  return `no ${name}: ${reasonOf(error).replaceAll('\n', ' ')}`;
}
