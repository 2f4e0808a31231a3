import type { ComponentType } from 'react';
import type { SnapshotView } from '../client/views.ts';
import { PATHS } from '../contract/routes.ts';
import type { ActionName, Scope } from './keymap.ts';
import { ChartScreen } from './panes/chart/chart-screen.tsx';
import { LiveScreen } from './panes/live/live-screen.tsx';

export interface TabScreenProps {
  readonly snapshot: SnapshotView;
  readonly columns: number;
  readonly rows: number;
}

export interface Tab {
  readonly scope: Scope;
  readonly action: ActionName;
  readonly title: string;
  readonly Screen: ComponentType<TabScreenProps>;
  /** What the raw view asks for. */
  readonly rawPath: string;
}

/** The monitor's tabs, left to right; the whole of adding one is a line here and its keys in the keymap. */
export const TABS: readonly [Tab, ...Tab[]] = [
  { scope: 'live', action: 'tab-1', title: 'Live', Screen: LiveScreen, rawPath: PATHS.gasCurrent },
  { scope: 'chart', action: 'tab-2', title: 'Chart', Screen: ChartScreen, rawPath: PATHS.statsChart },
];
