import * as z from 'zod';
import { useRemembered } from '../data/remembered.ts';
import type { TabScope } from '../input/keymap.ts';

export interface Tab {
  readonly scope: TabScope;
  readonly title: string;
  /** Where there is little room; default: the title. */
  readonly short?: string;
  /** Its times have no zone beside them: the frame names it. */
  readonly hasTimes?: boolean;
}

/** The monitor's tabs, left to right. To add one, add a line here, its pane to app/panes and its keys to the keymap. */
export const TABS: readonly [Tab, ...Tab[]] = [
  { scope: 'live', title: 'Live' },
  { scope: 'chart', title: 'Chart' },
  { scope: 'alerts', title: 'Alerts', hasTimes: true },
  { scope: 'auto-txs', title: 'Auto-tx', hasTimes: true },
  { scope: 'explorer', title: 'Explorer', short: 'Expl', hasTimes: true },
  { scope: 'service', title: 'Service', short: 'Serv', hasTimes: true },
];

const TabName = z.string();

/** The tab that is shown, and what shows another: remembered. */
export function useShownTab(): readonly [tab: Tab, show: (scope: TabScope) => void] {
  const [name, show] = useRemembered('tab', TabName, TABS[0].scope);
  return [TABS.find(({ scope }) => scope === name) ?? TABS[0], show];
}
