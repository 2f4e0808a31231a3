import { createContext, useContext } from 'react';
import type { AutoTxListView } from '../../client/views/auto-txs.ts';
import type { Dated, Polled } from '../data/queries.ts';

/** The auto-txs of the session's service, one list for everything that shows or announces them. */
export interface AutoTxsFeed extends Polled<Dated<AutoTxListView>> {
  /** How many have come to an end since the list was last on the screen. */
  readonly unseen: number;
  /** How many wait for their price or are on their way. */
  readonly awaited: number;
}

export const AutoTxsContext = createContext<AutoTxsFeed | null>(null);

export function useAutoTxs(): AutoTxsFeed {
  const feed = useContext(AutoTxsContext);
  if (feed === null) throw new Error('useAutoTxs needs an AutoTxsProvider around it');
  return feed;
}
