import { systemClock } from '../../chain/rpc/client.ts';
import type { Database } from '../../store/database.ts';
import { OutboxStore } from '../../store/outbox.ts';
import type { CourierSettings } from '../couriers/create-couriers.ts';
import type { Lease, LeaseState } from '../leader.ts';
import type { Dispatcher, MadeAttempt } from './dispatcher.ts';

export interface SendingOptions {
  readonly lease: Lease;
  readonly database: Database;
  readonly delivery: CourierSettings;
  readonly signal: AbortSignal;
  /** Ms since epoch: what the outbox is written by, too. */
  readonly wallNow: () => number;
  readonly onError: (error: unknown) => void;
  readonly onAttempt?: ((made: MadeAttempt) => void) | undefined;
}

export interface Sending {
  /** There is something new to send. */
  wake(): void;
  /** Resolves once nothing is under way any more after the abort; never rejects. */
  readonly done: () => Promise<void>;
}

/** Sends what fired alerts have put into the outbox while, and only while, this process holds the lease. */
export function startSending(options: SendingOptions): Sending {
  const { lease, signal, onError } = options;
  let dispatcher: Dispatcher | null = null;
  let stop = new AbortController();
  let work: Promise<void> = Promise.resolve();

  async function run(until: AbortSignal): Promise<void> {
    // Read when it is needed: who stands by never sends.
    const [{ createCouriers }, { startDispatcher }] = await Promise.all([
      import('../couriers/create-couriers.ts'),
      import('./dispatcher.ts'),
    ]);
    if (until.aborted) return;
    dispatcher = startDispatcher({
      store: new OutboxStore(options.database),
      couriers: createCouriers(options.delivery, { now: options.wallNow }),
      process: lease.process,
      signal: until,
      clock: { ...systemClock, now: options.wallNow },
      onError,
      ...(options.onAttempt === undefined ? {} : { onAttempt: options.onAttempt }),
    });
    await dispatcher.done;
    dispatcher = null;
  }

  function follow(state: LeaseState): void {
    stop.abort();
    if (state !== 'holds' || signal.aborted) return;
    stop = new AbortController();
    const until = AbortSignal.any([signal, stop.signal]);
    // What was under way when the lease was lost ends first.
    work = work.then(() => run(until)).catch(onError);
  }

  lease.onChange(follow);
  follow(lease.state);
  return { wake: () => dispatcher?.wake(), done: () => work };
}
