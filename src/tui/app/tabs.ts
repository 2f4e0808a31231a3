import type { ComponentType } from 'react';
import { PATHS } from '../../contract/routes.ts';
import type { RawRequest } from '../chrome/raw-view.tsx';
import type { ActionName, Scope } from '../input/keymap.ts';
import { AlertsPane } from '../panes/alerts/alerts-pane.tsx';
import { AutoTxsPane } from '../panes/auto-txs/auto-txs-pane.tsx';
import { ChartScreen } from '../panes/chart/chart-pane.tsx';
import { ExplorerScreen } from '../panes/explorer/explorer-pane.tsx';
import { explorerRequest } from '../panes/explorer/explorer-state.ts';
import { LiveScreen } from '../panes/live/live-pane.tsx';
import { ServiceScreen } from '../panes/service/service-pane.tsx';
import { resourceRequest } from '../resource/resource-pane.tsx';
import type { Memory } from './ui-state.ts';

export interface Tab {
  readonly scope: Scope;
  readonly action: ActionName;
  readonly title: string;
  readonly short: string;
  readonly Screen: ComponentType;
  /** The request for the raw view: that of the response on the screen. */
  readonly raw: (memory: Memory) => RawRequest;
}

const tab = (
  scope: Scope,
  action: ActionName,
  title: string,
  Screen: ComponentType,
  raw: string | Tab['raw'],
  short = title,
): Tab => ({
  scope,
  action,
  title,
  short,
  Screen,
  raw: typeof raw === 'string' ? () => ({ path: raw }) : raw,
});

/** The monitor's tabs, left to right. To add one, add a line here and its keys to the keymap. */
export const TABS: readonly [Tab, ...Tab[]] = [
  tab('live', 'tab-1', 'Live', LiveScreen, PATHS.gasCurrent),
  tab('chart', 'tab-2', 'Chart', ChartScreen, PATHS.statsChart),
  tab('alerts', 'tab-3', 'Alerts', AlertsPane, resourceRequest('alert', PATHS.alerts, PATHS.alert)),
  tab('auto-txs', 'tab-4', 'Auto-tx', AutoTxsPane, resourceRequest('auto-tx', PATHS.autoTxs, PATHS.autoTx)),
  tab('explorer', 'tab-5', 'Explorer', ExplorerScreen, explorerRequest, 'Expl'),
  tab('service', 'tab-6', 'Service', ServiceScreen, PATHS.summary, 'Serv'),
];
