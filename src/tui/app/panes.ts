import type { ComponentType } from 'react';
import { PATHS } from '../../contract/routes.ts';
import type { RawRequest } from '../chrome/raw-view.tsx';
import type { TabScope } from '../input/keymap.ts';
import { AlertsPane } from '../panes/alerts/alerts-pane.tsx';
import { AutoTxsPane } from '../panes/auto-txs/auto-txs-pane.tsx';
import { ChartPane } from '../panes/chart/chart-pane.tsx';
import { ExplorerPane, explorerRequest } from '../panes/explorer/explorer-pane.tsx';
import { LivePane } from '../panes/live/live-pane.tsx';
import { ServicePane } from '../panes/service/service-pane.tsx';
import { resourceRequest } from '../resource/resource-pane.tsx';
import type { Memory } from '../ui/pane-context.tsx';

interface TabContent {
  readonly Pane: ComponentType;
  /** The request for the raw view: that of the response on the screen. */
  readonly raw: (memory: Memory) => RawRequest;
}

const request = (path: string) => (): RawRequest => ({ path });

/** What each tab shows. */
export const PANES: Readonly<Record<TabScope, TabContent>> = {
  live: { Pane: LivePane, raw: request(PATHS.gasCurrent) },
  chart: { Pane: ChartPane, raw: request(PATHS.statsChart) },
  alerts: { Pane: AlertsPane, raw: resourceRequest('alert', PATHS.alerts, PATHS.alert) },
  'auto-txs': { Pane: AutoTxsPane, raw: resourceRequest('auto-tx', PATHS.autoTxs, PATHS.autoTx) },
  explorer: { Pane: ExplorerPane, raw: explorerRequest },
  service: { Pane: ServicePane, raw: request(PATHS.summary) },
};
