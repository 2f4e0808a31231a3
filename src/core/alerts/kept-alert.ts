import type { AlertPhase, AlertRule } from './alert-rule.ts';

/** An alert as it is kept. Times in ms since epoch. */
export interface KeptAlert {
  readonly id: string;
  /** The id of the key that made it; empty: who runs the service. */
  readonly owner: string;
  readonly rule: AlertRule;
  readonly phase: AlertPhase;
  /** One of `channels`. */
  readonly method: string;
  readonly channels: readonly string[];
  /** Each channel's target; a channel without one (TERMINAL) is absent. */
  readonly targets: Readonly<Record<string, string>>;
  readonly note: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly triggerCount: number;
  readonly lastTriggeredAt: number | null;
  readonly missedCount: number;
  readonly lastMissedAt: number | null;
  /** Why the service disabled it by itself. */
  readonly disabledReason: string | null;
}

/** What a receiver is told of a firing: as it was then, whatever becomes of the alert. */
export interface AlertMessage {
  readonly eventId: string;
  readonly alertId: string;
  readonly owner: string;
  readonly chainId: number;
  readonly chainName: string;
  readonly lane: AlertRule['lane'];
  readonly condition: AlertRule['condition'];
  /** Wei per gas, as decimal strings: it is kept as JSON. */
  readonly threshold: string;
  readonly price: string;
  readonly blockNumber: number;
  /** Unix seconds. */
  readonly blockTimestamp: number;
  readonly note: string;
  /** How often it has fired, this time included. */
  readonly triggerCount: number;
  /** Simulated or replayed prices say so. */
  readonly sourceKind: 'rpc' | 'replay' | 'simulated';
}
