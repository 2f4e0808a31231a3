import { createContext, useContext } from 'react';
import type { AlertPrefill } from '../alert-prefill.ts';
import type { ActionName } from '../keymap.ts';

/** Ways from one tab to another. */
export interface Navigation {
  /** Shows a tab by the action of its key. */
  readonly showTab: (action: ActionName) => void;
  /** Shows the form of a new alert, and this tab again when it is left. */
  readonly newAlert: (prefill: AlertPrefill) => void;
}

export const NavigationContext = createContext<Navigation>({ showTab: () => {}, newAlert: () => {} });

export function useNavigation(): Navigation {
  return useContext(NavigationContext);
}
