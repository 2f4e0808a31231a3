import type { AlertMessage } from '../core/alerts/kept-alert.ts';

/** One try to deliver. */
export interface KeptAttempt {
  /** When it began, ms since epoch. */
  readonly at: number;
  readonly latencyMs: number;
  readonly ok: boolean;
  /** What the receiver said, in short. */
  readonly answer: string;
}

/** What is sent to one channel for one firing, for people. Times in ms since epoch. */
export interface KeptDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly alertId: string;
  readonly channel: string;
  readonly target: string;
  readonly status: string;
  readonly createdAt: number;
  /** `null`: it is done. */
  readonly nextAttemptAt: number | null;
  /** The newest 20, newest first. */
  readonly attempts: readonly KeptAttempt[];
}

/** What waits to be sent: no more than is needed to choose. */
export interface DueDelivery {
  readonly id: string;
  /** Whose alert it is: the id of a key, empty for who runs the service. */
  readonly owner: string;
  readonly channel: string;
  readonly target: string;
  /** ms since epoch. */
  readonly dueAt: number;
}

/** Everything that sending it takes. */
export interface PendingDelivery {
  readonly id: string;
  readonly channel: string;
  readonly target: string;
  readonly message: AlertMessage;
  /** Of the receiver, since `triesSince`. */
  readonly tries: number;
  /** When it was tried first, or is to be (ms since epoch): anew where somebody asked for it again. */
  readonly triesSince: number;
  /** Nothing was ever done about it. */
  readonly isUntouched: boolean;
}

/** What comes after an attempt. */
export type Verdict =
  | { readonly kind: 'again'; readonly at: number }
  /** The process that sends cannot, which is nothing that the receiver did: it does not count as a try. */
  | { readonly kind: 'waits'; readonly at: number }
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed' }
  /** The receiver never wants to hear of this alert again, which is disabled for this reason. */
  | { readonly kind: 'gone'; readonly reason: string };
