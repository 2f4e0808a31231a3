import { setImmediate } from 'node:timers/promises';
import { type Clock, systemClock } from '../../chain/rpc/client.ts';
import type { DueDelivery, KeptAttempt, OutboxStore, PendingDelivery, Verdict } from '../../store/outbox.ts';
import { later } from '../couriers/attempts.ts';
import type { Attempt, Courier, Couriers } from '../couriers/courier.ts';
import { ReceiverQueues } from './receiver-queues.ts';
import { GIVE_UP_AFTER_MS, nextTryAt } from './retry-time.ts';
import { remedyFor } from './target-rules.ts';
import { tryOnce } from './try-once.ts';

/** The outbox is looked at at least this often: other processes put things into it, too, and a clock may be set. */
const LOOK_MS = 2_000;
/** And no more often than this, however much falls due: each look reads all that is due. */
const LEAST_PAUSE_MS = 250;
/** What has no courier in this process is looked at this often; the first time it is told of. */
const NO_COURIER_MS = 300_000;
const PAGE = 500;
const PRUNE_MS = 86_400_000;
/** An attempt whose outcome could not be written down is not repeated; writing it down is. */
const RECORD_AGAIN_MS = 5_000;

/** An attempt that was made, for logs. */
export interface MadeAttempt {
  readonly delivery: PendingDelivery;
  readonly attempt: KeptAttempt;
  readonly verdict: Verdict;
}

export interface DispatcherOptions {
  readonly store: OutboxStore;
  readonly couriers: Couriers;
  /** The one that sends, for people: `gastop serve, process 4711`. */
  readonly process: string;
  readonly signal: AbortSignal;
  /** Told of what keeps the outbox from being read or written. */
  readonly onError: (error: unknown) => void;
  readonly onAttempt?: (made: MadeAttempt) => void;
  readonly clock?: Clock;
  /** 0 to 1, by chance. */
  readonly random?: () => number;
}

export interface Dispatcher {
  /** There is something new to send. */
  wake(): void;
  /** Resolves once nothing is under way any more after the abort; never rejects. */
  readonly done: Promise<void>;
}

/**
 * Sends what is in the outbox: each delivery until its receiver has it, will never have it, or a day has passed. Only
 * one may run on a database (the holder of the lease). An attempt is taken down after its answer, so that a process
 * which ends in between sends again, under the same id: at least once. What is under way at the abort stays pending.
 */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const dispatching = new Dispatching(options);
  return { wake: () => dispatching.wake(), done: dispatching.run() };
}

class Dispatching {
  readonly #store: OutboxStore;
  readonly #options: DispatcherOptions;
  readonly #clock: Clock;
  readonly #queues = new ReceiverQueues();
  readonly #sending = new Set<Promise<void>>();
  readonly #toldMissing = new Set<string>();
  #hasWokenWaiting = false;
  #wakeUp = () => {};
  #isWoken = false;
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#clock = options.clock ?? systemClock;
  }

  wake(): void {
    this.#isWoken = true;
    this.#wakeUp();
  }

  async run(): Promise<void> {
    const { signal, onError } = this.#options;
    signal.addEventListener('abort', () => this.wake(), { once: true });
    while (!signal.aborted) {
      this.#isWoken = false;
      let pause = LOOK_MS;
      try {
        const now = this.#clock.now();
        await this.#fill(now);
        this.#send();
        const next = await this.#store.nextDueAt(now);
        if (next !== null) pause = Math.max(Math.min(next - now, LOOK_MS), LEAST_PAUSE_MS);
        await this.#prune(now);
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
      await this.#pause(pause);
    }
    await Promise.all(this.#sending);
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isWoken) return;
    const ended = new AbortController();
    this.#wakeUp = () => ended.abort();
    await this.#clock.sleep(ms, ended.signal);
    this.#wakeUp = () => {};
  }

  /** Everything that is due, page by page; whether there was any. */
  async #fill(now: number): Promise<boolean> {
    await this.#store.bringForward(now);
    if (!this.#hasWokenWaiting) await this.#store.wakeWaiting(Object.keys(this.#options.couriers), now);
    this.#hasWokenWaiting = true;
    let last: DueDelivery | null = null;
    for (;;) {
      const page: DueDelivery[] = await this.#store.due(now, PAGE, last);
      for (const due of page) this.#queues.add(due);
      last = page.at(-1) ?? last;
      if (page.length < PAGE || this.#options.signal.aborted) return last !== null;
      this.#send();
      // Thousands may wait for a dead receiver: prices go on in between.
      await setImmediate();
    }
  }

  #send(): void {
    if (this.#options.signal.aborted) return;
    for (let due = this.#queues.take(); due !== null; due = this.#queues.take()) {
      const sent = this.#deliver(due).finally(() => this.#sending.delete(sent));
      this.#sending.add(sent);
    }
  }

  /** Never rejects. */
  async #deliver(due: DueDelivery): Promise<void> {
    let isReached = true;
    try {
      const delivery = await this.#store.pending(due.id, this.#clock.now());
      // Cancelled since it was found.
      if (delivery !== null) isReached = await this.#attempt(delivery);
    } catch (error) {
      if (!this.#options.signal.aborted) this.#options.onError(error);
    }
    this.#queues.end(due, isReached);
    this.#send();
  }

  /** Whether the receiver answered as it should. */
  async #attempt(delivery: PendingDelivery): Promise<boolean> {
    const { couriers, signal, onAttempt } = this.#options;
    const courier = couriers[delivery.channel];
    if (courier === undefined) return this.#wait(delivery);
    const at = this.#clock.now();
    const beganAt = this.#clock.elapsed();
    const made = await this.#tryOnce(courier, delivery);
    if (signal.aborted && made.outcome !== 'delivered') return true;
    const attempt: KeptAttempt = {
      at,
      latencyMs: this.#clock.elapsed() - beganAt,
      ok: made.outcome === 'delivered',
      answer: made.answer,
    };
    const verdict = this.#judge(delivery, made, at);
    await this.#record(delivery, attempt, verdict);
    onAttempt?.({ delivery, attempt, verdict });
    return made.outcome !== 'later';
  }

  /**
   * There is no courier for it here: another process took the alert, or this one was set up for the channel once. It
   * may be again, or another process may send.
   */
  async #wait(delivery: PendingDelivery): Promise<boolean> {
    const { channel, triesSince, isUntouched } = delivery;
    const at = this.#clock.now();
    const attempt = { at, latencyMs: 0, ok: false, answer: this.#notSetUp(channel) };
    const isOver = !isUntouched && at >= triesSince + GIVE_UP_AFTER_MS;
    const verdict: Verdict = isOver ? { kind: 'failed' } : { kind: 'waits', at: at + NO_COURIER_MS };
    await this.#record(delivery, attempt, verdict);
    if (!isOver && this.#toldMissing.has(channel)) return true;
    this.#toldMissing.add(channel);
    this.#options.onAttempt?.({ delivery, attempt, verdict });
    return true;
  }

  #notSetUp(channel: string): string {
    const { process } = this.#options;
    const remedy = remedyFor(channel);
    const how = remedy === undefined ? '' : `; whoever runs it sets ${remedy}`;
    return `${channel} is not set up in the process that sends (${process})${how}`;
  }

  async #tryOnce(courier: Courier, { id, channel, target, message }: PendingDelivery): Promise<Attempt> {
    const signingSecret = channel === 'WEBHOOK' ? await this.#store.signingSecret(message.owner) : '';
    const { signal, onError } = this.#options;
    try {
      return await tryOnce(courier, { id, target, message, signingSecret }, this.#clock, signal);
    } catch (error) {
      onError(error);
      return later(`${channel} could not be sent: this is a mistake in gastop`);
    }
  }

  #judge({ channel, tries, triesSince }: PendingDelivery, made: Attempt, at: number): Verdict {
    switch (made.outcome) {
      case 'delivered':
        return { kind: 'delivered' };
      case 'never':
        return { kind: 'failed' };
      case 'gone':
        return { kind: 'gone', reason: `${channel} receiver is gone: it answered ${made.answer}` };
      case 'later': {
        const { retryAfterSec } = made;
        const random = (this.#options.random ?? Math.random)();
        const next = nextTryAt({
          tries: tries + 1,
          triesSince: tries === 0 ? at : triesSince,
          now: this.#clock.now(),
          retryAfterSec,
          random,
        });
        return next === null ? { kind: 'failed' } : { kind: 'again', at: next };
      }
    }
  }

  /** A disk that is full must not have receivers told the same thing every two seconds. */
  async #record(delivery: PendingDelivery, attempt: KeptAttempt, verdict: Verdict): Promise<void> {
    const { signal, onError } = this.#options;
    for (let isTold = false; ; isTold = true) {
      try {
        return await this.#store.record(delivery, attempt, verdict);
      } catch (error) {
        if (signal.aborted) return;
        if (!isTold) onError(error);
        await this.#clock.sleep(RECORD_AGAIN_MS, signal);
      }
    }
  }

  async #prune(now: number): Promise<void> {
    if (now - this.#prunedAt < PRUNE_MS) return;
    this.#prunedAt = now;
    await this.#store.prune(now);
  }
}
