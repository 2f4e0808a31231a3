import { createContext, useContext } from 'react';
import type { AlertListView, AlertView } from '../../client/views/alerts.ts';
import type { Dated, Polled } from '../data/queries.ts';

/** A change that the service has been asked for and that the screen shows already. */
export interface ExpectedChange {
  /** The service has done it: the next list that was asked for from now on says so itself. Asks for that list. */
  readonly settle: () => Promise<void>;
  /** It did not come about: the list is again what the service says. */
  readonly takeBack: () => void;
}

/** The alerts of the session's service, one list for everything that shows or announces them. */
export interface AlertsFeed extends Polled<Dated<AlertListView>> {
  /** How many alerts have fired since the list was last on the screen. */
  readonly unseen: number;
  /**
   * Shows the list as `apply` changes it, over whatever the service says meanwhile, until the change is settled or
   * taken back. `apply` is called again with every new list, so it must bear that its alert is gone.
   */
  readonly expect: (apply: (alerts: readonly AlertView[]) => readonly AlertView[]) => ExpectedChange;
}

export const AlertsContext = createContext<AlertsFeed | null>(null);

export function useAlerts(): AlertsFeed {
  const feed = useContext(AlertsContext);
  if (feed === null) throw new Error('useAlerts needs an AlertsProvider around it');
  return feed;
}
