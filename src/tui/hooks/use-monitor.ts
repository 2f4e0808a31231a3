import { createContext, useContext } from 'react';
import type { GasClient } from '../../client/client.ts';

/** What every pane's data hooks share. */
export interface MonitorScope {
  readonly client: GasClient;
  /** How often to ask for what changes with every block, ms. */
  readonly intervalMs: number;
  /** The service is our own, in this process: what it offers is what the contract says. */
  readonly isOwnService?: boolean;
  /** Who gets what is sent, where that is another service: its host. */
  readonly host?: string | null;
  /** Others on the way to it can read what is sent. */
  readonly isPlain?: boolean;
  /** The limit that questions wait for: `limit of 2 per second`. Default: they do not wait. */
  readonly limit?: string | null;
  /** The user froze the screen: nothing asks by itself. */
  readonly frozen: boolean;
  /** Whether a text is a key, so that it must not be shown. Default: those of gastop are. */
  readonly isKey?: (text: string) => boolean;
  readonly now: () => number;
  /** Saves a file for the user and resolves to the path as people should read it. */
  readonly saveFile: (name: string, text: string) => Promise<string>;
}

export const MonitorContext = createContext<MonitorScope | null>(null);

export function useMonitor(): MonitorScope {
  const scope = useContext(MonitorContext);
  if (scope === null) throw new Error('useMonitor needs a MonitorContext around it');
  return scope;
}
