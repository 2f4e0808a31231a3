import { createContext, useContext } from 'react';
import type { GasClient } from '../../client/gas-client.ts';
import type { AlertView, ListView } from '../../client/views/alerts.ts';
import type { AutoTxView } from '../../client/views/auto-txs.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import type { ChainStatus } from '../../core/chain-status.ts';
import type { Scope, TabScope } from '../input/keymap.ts';
import type { Polled } from './polled-query.ts';

/** What each query needs of its session; without a client nothing is requested. */
export interface QuerySession {
  readonly client: GasClient | null;
  readonly frozen: boolean;
  readonly now: () => number;
  /** The service runs in this process and supports the whole contract. */
  readonly isOwnService: boolean;
}

export type AlertPrefill = Readonly<Record<'gasSpeed' | 'condition' | 'threshold', string>> & {
  /** What the price is made of, for people. */
  readonly madeOf?: string;
};

export type PlaceName =
  | { readonly kind: 'block'; readonly number: number }
  | { readonly kind: 'tx'; readonly hash: string };

export interface MonitorScope extends QuerySession {
  readonly client: GasClient;
  readonly snapshot: SnapshotView | undefined;
  /** Of the snapshot; `live` without one. */
  readonly status: ChainStatus;
  /** Polling interval of data that changes with every block, ms. */
  readonly intervalMs: number;
  /** How long the user can wait with a transaction, in seconds. */
  readonly patienceSec: number;
  readonly setPatience: (patienceSec: number) => void;
  /** The shortest interval that the quota allows, ms; 0: any. */
  readonly quotaMs: number;
  /** The name of a source with an ephemeral database, such as `the demo`; `null`: its database is persistent, or the service does not say. */
  readonly forgetful: string | null;
  /** Of a remote service; `null`: it runs in this process, or has no name. */
  readonly host: string | null;
  /** Whether others can intercept requests to it. */
  readonly isPlain: boolean;
  /** Whether a text is a key, so that it must not be shown. */
  readonly isKey: (text: string) => boolean;
  readonly undoMs: number;
  readonly fullPath: (name: string) => string;
  readonly saveFile: (name: string, text: string) => Promise<string>;
  readonly showTab: (scope: TabScope) => void;
  readonly newAlert: (prefill: AlertPrefill) => void;
  readonly openPlace: (place: PlaceName) => void;
}

export const MonitorContext = createContext<MonitorScope | null>(null);

export function useMonitor(): MonitorScope {
  const scope = useContext(MonitorContext);
  if (scope === null) throw new Error('useMonitor needs a MonitorContext around it');
  return scope;
}

/** The current prices; there are some wherever a tab is shown. */
export function useShownSnapshot(): SnapshotView {
  const { snapshot } = useMonitor();
  if (snapshot === undefined) throw new Error('a tab is shown before there are prices');
  return snapshot;
}

export interface Feed<Item> extends Polled<ListView<Item>> {
  readonly unseen: number;
  /** The number beside the tab: alerts that wait for their price, auto-txs whose outcome is open. */
  readonly tabCount: number;
}

export interface Lists {
  readonly alerts: Feed<AlertView>;
  readonly autoTxs: Feed<AutoTxView>;
}

export const ListsContext = createContext<Lists | null>(null);

export function useLists(): Lists {
  const lists = useContext(ListsContext);
  if (lists === null) throw new Error('useLists needs a ListsProvider around it');
  return lists;
}

export function listOfScope(lists: Lists | null, scope: Scope) {
  return scope === 'alerts' ? lists?.alerts : scope === 'auto-txs' ? lists?.autoTxs : undefined;
}
