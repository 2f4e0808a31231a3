import type { GasClient } from '../client/client.ts';
import type { Badge } from './components/status-bar.tsx';

/** Where the monitor's data comes from, ready to be asked. */
export interface MonitorSource {
  readonly client: GasClient;
  /** For people: who answers, `gas.example.org`. */
  readonly name?: string;
  /** Shown until the first answer says the chain itself. */
  readonly chainName?: string;
  /** Recorded and simulated data say so on every screen. */
  readonly badge?: Badge;
  /** How often to ask, ms; default: what the service asks for. */
  readonly intervalMs?: number;
  /** With what the service is asked; a key is never drawn, wherever it is typed. */
  readonly reach?: { readonly baseUrl?: string; readonly apiKey?: string | null };
  /** The service runs in this process, so it is the contract itself; `null` or absent: it is elsewhere. */
  readonly embedded?: object | null;
  /** Gives back what the source holds; called once, at the end or before another source is opened. */
  readonly close?: () => void | Promise<void>;
}

/** What the user chose when nothing answered. */
export type SourceChoice = 'retry' | 'demo' | { readonly url: string };
