import { Box, Text, useIsScreenReaderEnabled } from 'ink';
import type { ReactNode } from 'react';
import type { SnapshotView } from '../../client/views/gas.ts';
import type { Health } from '../health.ts';
import type { Toast } from '../hooks/use-toast.ts';
import type { Scope } from '../keymap/key-binding.ts';
import { SMALLEST } from '../monitor-state.ts';
import type { Tab } from '../tabs.ts';
import { Footer } from './footer.tsx';
import { NoticeLine } from './notice-line.tsx';
import { type Badge, StatusBar } from './status-bar.tsx';
import { TabBar } from './tab-bar.tsx';
import { TooSmall } from './too-small.tsx';

interface FrameProps {
  readonly columns: number;
  readonly rows: number;
  readonly chainName: string | null;
  readonly badge: Badge | null;
  readonly snapshot: SnapshotView | undefined;
  readonly health: Health;
  readonly tab: Tab;
  readonly intervalMs: number;
  /** The service's limit makes the interval longer than wanted. */
  readonly slowed: boolean;
  readonly scopes: readonly Scope[];
  readonly toast: Toast | null;
  /** Draws what lies between the bars in the room that is left. */
  readonly body: (rows: number) => ReactNode;
}

/** What stands around every pane; exactly as high as the terminal, for a taller frame would flicker. */
export function Frame(props: FrameProps) {
  const { columns, rows, chainName, badge, snapshot, health, tab, intervalMs, slowed, scopes, toast, body } =
    props;
  const spoken = useIsScreenReaderEnabled();
  if (spoken) return <SpokenFrame {...props} />;
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) {
    return <TooSmall columns={columns} rows={rows} badge={badge} />;
  }
  // Before there is data the body itself says what is wrong.
  const noticed = snapshot !== undefined && ('reason' in health || 'note' in health);
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <StatusBar width={columns} chainName={chainName} snapshot={snapshot} health={health} badge={badge} />
      <TabBar width={columns} current={tab} intervalMs={intervalMs} slowed={slowed} />
      {noticed ? <NoticeLine health={health} width={columns} /> : null}
      <Box flexDirection="column" flexGrow={1} flexShrink={1} overflow="hidden">
        {body(rows - 3 - (noticed ? 1 : 0))}
      </Box>
      <Footer width={columns} scopes={scopes} toast={toast} />
    </Box>
  );
}

/** For a screen reader: what the bars say, as sentences. */
function SpokenFrame({ chainName, badge, snapshot, health, tab, rows, toast, body }: FrameProps) {
  return (
    <Box flexDirection="column">
      <Text>
        {['gastop', badge, chainName, `tab ${tab.title}`, health.kind]
          .filter((part) => part !== null)
          .join(', ')}
      </Text>
      {snapshot?.blockNumber == null ? null : <Text>{`block ${snapshot.blockNumber}`}</Text>}
      {'reason' in health ? <Text>{health.reason}</Text> : null}
      {'note' in health ? <Text>{health.note}</Text> : null}
      {health.kind === 'refused' ? <Text>{health.remedy}</Text> : null}
      {body(rows)}
      {toast === null ? null : <Text>{toast.text}</Text>}
      <Text>Press question mark for all keys, q to quit.</Text>
    </Box>
  );
}
