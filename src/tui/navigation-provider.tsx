import { type Dispatch, type ReactNode, useContext, useMemo } from 'react';
import { MemoryContext } from './hooks/use-kept-state.ts';
import { type Navigation, NavigationContext } from './hooks/use-navigation.ts';
import type { MonitorAction } from './monitor-state.ts';
import { ALERTS_TAB, openAlertForm } from './panes/alerts/alerts-state.ts';
import { TABS } from './tabs.ts';

interface NavigationProviderProps {
  /** Place of the tab that is shown. */
  readonly tab: number;
  readonly dispatch: Dispatch<MonitorAction>;
  readonly children: ReactNode;
}

/** Lets panes show each other. */
export function NavigationProvider({ tab, dispatch, children }: NavigationProviderProps) {
  const memory = useContext(MemoryContext);
  const navigation = useMemo((): Navigation => {
    const showTab: Navigation['showTab'] = (action) => {
      const place = TABS.findIndex((each) => each.action === action);
      if (place >= 0) dispatch({ type: 'show-tab', tab: place });
    };
    return {
      showTab,
      newAlert: (prefill) => {
        openAlertForm(memory, prefill, (TABS[tab] ?? TABS[0]).action);
        showTab(ALERTS_TAB);
      },
    };
  }, [tab, dispatch, memory]);
  return <NavigationContext value={navigation}>{children}</NavigationContext>;
}
