import type { AlertMessage } from '../../core/alerts/kept-alert.ts';

/** One thing to send. */
export interface Parcel {
  /** Stays the same however often it is tried: the receiver's idempotency key. */
  readonly id: string;
  /** An address, a URL, a chat id. */
  readonly target: string;
  readonly message: AlertMessage;
  /** What webhooks of this owner are signed with. */
  readonly signingSecret: string;
}

/** What came of one try. */
export interface Attempt {
  /**
   * `delivered`; `later`: it is tried again; `never`: this receiver will not take it; `gone`: it never wants to hear of
   * this alert again, which is disabled.
   */
  readonly outcome: 'delivered' | 'later' | 'never' | 'gone';
  /** What the receiver said, short and clean, for the log. No secret, no whole URL. */
  readonly answer: string;
  /** Seconds, where the receiver asked for time. */
  readonly retryAfterSec: number | null;
}

/** Brings parcels to one kind of receiver. */
export interface Courier {
  /** How long one try may take; 10 s where nothing is said. */
  readonly deadlineMs?: number;
  /** One try, within `signal`. Never rejects. */
  deliver(parcel: Parcel, signal: AbortSignal): Promise<Attempt>;
}

/** The couriers that are set up; a channel without one is refused when an alert is made. */
export type Couriers = Readonly<Partial<Record<string, Courier>>>;
