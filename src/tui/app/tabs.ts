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
import { resourceRequest } from '../resource/resource.ts';
import type { Memory } from './ui-state.ts';

export interface Tab {
  readonly scope: Scope;
  readonly action: ActionName;
  readonly title: string;
  readonly short?: string;
  readonly Screen: ComponentType;
  /** The request for the raw view: that of the response on the screen. */
  readonly raw: (memory: Memory) => RawRequest;
}

const rawOf = (plural: Scope, list: string, item: string) => (memory: Memory) =>
  resourceRequest(memory, plural, list, item);

/** The monitor's tabs, left to right. To add one, add a line here and its keys to the keymap. */
export const TABS: readonly [Tab, ...Tab[]] = [
  {
    scope: 'live',
    action: 'tab-1',
    title: 'Live',
    Screen: LiveScreen,
    raw: () => ({ path: PATHS.gasCurrent }),
  },
  {
    scope: 'chart',
    action: 'tab-2',
    title: 'Chart',
    Screen: ChartScreen,
    raw: () => ({ path: PATHS.statsChart }),
  },
  {
    scope: 'alerts',
    action: 'tab-3',
    title: 'Alerts',
    Screen: AlertsPane,
    raw: rawOf('alerts', PATHS.alerts, PATHS.alert),
  },
  {
    scope: 'auto-txs',
    action: 'tab-4',
    title: 'Auto-tx',
    Screen: AutoTxsPane,
    raw: rawOf('auto-txs', PATHS.autoTxs, PATHS.autoTx),
  },
  {
    scope: 'explorer',
    action: 'tab-5',
    title: 'Explorer',
    short: 'Expl',
    Screen: ExplorerScreen,
    raw: explorerRequest,
  },
  {
    scope: 'service',
    action: 'tab-6',
    title: 'Service',
    short: 'Serv',
    Screen: ServiceScreen,
    raw: () => ({ path: PATHS.summary }),
  },
];
