import { setImmediate } from 'node:timers/promises';
import { Alarm, systemClock, type TestableClock } from '../../chain/async.ts';
import { channelNamed } from '../../contract/alert-channels.ts';
import { DAY_MS, HOUR_MS } from '../../core/time.ts';
import type { Database } from '../../store/database.ts';
import { isLeftBehind } from '../../store/errors.ts';
import {
  type AttemptOutcome,
  type DueDelivery,
  OutboxStore,
  type StoredAttempt,
  type TakenDelivery,
} from '../../store/outbox.ts';
import { SigningSecretStore } from '../../store/signing-secrets.ts';
import { OPERATOR } from '../../store/tables.ts';
import type { LeaderWork, Lease } from '../lease.ts';
import { type Attempt, later, type Notifier, type Notifiers } from './notifiers/notifier.ts';
import { createNotifiers, type NotifierSettings } from './notifiers/notifiers.ts';

const DEADLINE_MS = 10_000;

/** The outbox is polled at least this often: other processes write to it too, and a clock may be set. */
const POLL_MS = 2_000;
/** And at most this often: each poll reads every due delivery. */
const LEAST_PAUSE_MS = 250;
/** A delivery whose channel has no notifier in this process is tried again after this. */
const NO_NOTIFIER_MS = 300_000;
const PAGE = 500;
const FORGET_SECRETS_MS = 60_000;
/** Saving the outcome of an attempt is retried after this time; the attempt is not repeated. */
const RECORD_AGAIN_MS = 5_000;

export interface MadeAttempt {
  readonly delivery: TakenDelivery;
  readonly attempt: StoredAttempt;
  readonly outcome: AttemptOutcome;
}

interface OutboxWorkerOptions {
  readonly store: OutboxStore;
  readonly secrets: SigningSecretStore;
  readonly notifiers: Notifiers;
  readonly process: string;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
  readonly onAttempt?: ((made: MadeAttempt) => void) | undefined;
  readonly clock?: TestableClock;
  /** Ms since epoch, by which old deliveries are deleted; default: the wall clock. */
  readonly agreedNow?: () => number;
  readonly random?: () => number;
}

/** Sends what is due of the outbox: each delivery again, with the same id, until its recipient accepts or refuses it, or a day has passed. */
export class OutboxWorker {
  readonly #options: OutboxWorkerOptions;
  readonly #store: OutboxStore;
  readonly #clock: TestableClock;
  readonly #signal: AbortSignal;
  readonly #queue = new DeliveryQueue();
  readonly #sending = new Set<Promise<void>>();
  readonly #alarm = new Alarm();
  readonly #reportedMissing = new Set<string>();
  #prunedAt = Number.NEGATIVE_INFINITY;
  #forgotAt = Number.NEGATIVE_INFINITY;

  constructor(options: OutboxWorkerOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#clock = options.clock ?? systemClock;
    this.#signal = options.signal;
  }

  /** Something may be due now. */
  readonly wake = this.#alarm.ring;

  /** Resolves after the abort, once no attempt is under way; never rejects. */
  async run(): Promise<void> {
    const { notifiers, onError } = this.#options;
    this.#signal.addEventListener('abort', this.#alarm.ring, { once: true });
    let hasWokenWaiting = false;
    while (!this.#signal.aborted) {
      let pause = POLL_MS;
      try {
        const now = this.#clock.now();
        if (!hasWokenWaiting) await this.#store.wakeWaiting(Object.keys(notifiers), now);
        hasWokenWaiting = true;
        await this.#fill(now);
        this.#send();
        const next = await this.#store.nextDueAt(now);
        if (next !== null) pause = Math.max(Math.min(next - now, POLL_MS), LEAST_PAUSE_MS);
        await this.#tidy(now);
      } catch (error) {
        // The lease tells of it.
        if (isLeftBehind(error)) break;
        if (!this.#signal.aborted) onError(error);
      }
      await this.#alarm.pause(pause, this.#clock.sleep);
    }
    await Promise.all(this.#sending);
  }

  async #tidy(now: number): Promise<void> {
    if (Math.abs(now - this.#forgotAt) >= FORGET_SECRETS_MS) {
      this.#forgotAt = now;
      await this.#options.secrets.forgetExpired(now);
    }
    if (now - this.#prunedAt >= DAY_MS) {
      this.#prunedAt = now;
      await this.#store.prune(this.#options.agreedNow?.() ?? now);
    }
  }

  async #fill(now: number): Promise<void> {
    await this.#store.bringForward(now);
    let last: DueDelivery | null = null;
    for (;;) {
      const page: DueDelivery[] = await this.#store.due(now, PAGE, last);
      for (const due of page) this.#queue.add(due);
      last = page.at(-1) ?? last;
      if (page.length < PAGE || this.#signal.aborted) return;
      this.#send();
      // Thousands may be due for a dead recipient: yields to other work.
      await setImmediate();
    }
  }

  #send(): void {
    if (this.#signal.aborted) return;
    for (let due = this.#queue.take(); due !== null; due = this.#queue.take()) {
      const sent = this.#deliver(due).finally(() => this.#sending.delete(sent));
      this.#sending.add(sent);
    }
  }

  async #deliver(due: DueDelivery): Promise<void> {
    try {
      const delivery = await this.#store.take(due.id, this.#clock.now());
      // `null` when it was cancelled since the poll.
      if (delivery !== null) await this.#makeAttempt(delivery);
    } catch (error) {
      if (!this.#signal.aborted && !isLeftBehind(error)) this.#options.onError(error);
    }
    this.#queue.end(due);
    this.#send();
  }

  async #makeAttempt(delivery: TakenDelivery): Promise<void> {
    const { channel } = delivery;
    const notifier = this.#options.notifiers[channel];
    if (notifier === undefined) return this.#wait(delivery);
    const at = this.#clock.now();
    const beganAt = this.#clock.elapsed();
    const made = await this.#tryOnce(notifier, delivery);
    const ok = made.kind === 'delivered';
    if (this.#signal.aborted && !ok) return;
    const attempt = { at, latencyMs: this.#clock.elapsed() - beganAt, ok, answer: made.answer };
    const outcome = this.#outcomeOf(delivery, made, at);
    await this.#record(delivery, attempt, outcome);
    this.#options.onAttempt?.({ delivery, attempt, outcome });
  }

  /** Another process accepted the alert, or the settings have changed: it waits for a process that has a notifier. */
  async #wait(delivery: TakenDelivery): Promise<void> {
    const { channel, isUntouched, triesSince } = delivery;
    const at = this.#clock.now();
    const isOver = !isUntouched && at >= triesSince + GIVE_UP_AFTER_MS;
    const answer = isOver
      ? wasNotSetUp(channel)
      : `${channel} is not set up in the process that sends (${this.#options.process})${remedyWords(channel)}`;
    const attempt = { at, latencyMs: 0, ok: false, answer };
    const outcome: AttemptOutcome = isOver
      ? { kind: 'cancelled' }
      : { kind: 'waits', at: at + NO_NOTIFIER_MS };
    await this.#record(delivery, attempt, outcome);
    if (!isOver) {
      await this.#store.cancelOlder(delivery, at, wasNotSetUp(channel));
      if (this.#reportedMissing.has(channel)) return;
      this.#reportedMissing.add(channel);
    }
    this.#options.onAttempt?.({ delivery, attempt, outcome });
  }

  /** One attempt, within its deadline and until the end of the process. */
  async #tryOnce(notifier: Notifier, { id, channel, target, message }: TakenDelivery): Promise<Attempt> {
    const signingSecrets =
      channel === 'WEBHOOK' ? await this.#options.secrets.of(message.owner, this.#clock.now()) : [];
    const isOver = new AbortController();
    const late = new AbortController();
    const stop = AbortSignal.any([this.#signal, late.signal]);
    void this.#clock.sleep(notifier.deadlineMs ?? DEADLINE_MS, isOver.signal).then(() => late.abort());
    try {
      return await notifier.deliver({ id, target, message, signingSecrets }, stop);
    } catch (error) {
      this.#options.onError(error);
      return later(`${channel} could not be sent: this is a mistake in gastop`);
    } finally {
      isOver.abort();
    }
  }

  #outcomeOf({ channel, tries, triesSince }: TakenDelivery, made: Attempt, at: number): AttemptOutcome {
    switch (made.kind) {
      case 'delivered':
        return { kind: 'delivered' };
      case 'never':
        return { kind: 'failed' };
      case 'gone':
        return { kind: 'gone', reason: `${channel} recipient is gone: it answered ${made.answer}` };
      case 'later': {
        const next = nextTryAt({
          tries: tries + 1,
          triesSince: tries === 0 ? at : triesSince,
          now: this.#clock.now(),
          retryAfterSec: made.retryAfterSec,
          random: (this.#options.random ?? Math.random)(),
        });
        return next === null ? { kind: 'failed' } : { kind: 'again', at: next };
      }
    }
  }

  /** Retries the save, not the attempt: a full disk must not have a recipient notified every two seconds. */
  async #record(delivery: TakenDelivery, attempt: StoredAttempt, outcome: AttemptOutcome): Promise<void> {
    for (let isReported = false; ; isReported = true) {
      try {
        return await this.#store.record(delivery, attempt, outcome);
      } catch (error) {
        if (this.#signal.aborted || isLeftBehind(error)) return;
        if (!isReported) this.#options.onError(error);
        await this.#clock.sleep(RECORD_AGAIN_MS, this.#signal);
      }
    }
  }
}

const wasNotSetUp = (channel: string) => `channel was not set up (${channel})`;

const remedyWords = (channel: string) => {
  const remedy = channelNamed(channel)?.setUp?.how;
  return remedy === undefined ? '' : `; its operator sets ${remedy}`;
};

const MOST_AT_ONCE = 32;
/** Concurrent attempts for one API key: slow recipients of one key must not delay other keys. */
const MOST_PER_OWNER = 8;
const MOST_PER_RECIPIENT = 2;

interface Waiting {
  readonly due: DueDelivery;
  readonly recipient: string;
}

/** Due deliveries, first those of the owner with the fewest under way: a slow recipient or owner delays only its own. */
export class DeliveryQueue {
  readonly #waiting = new Map<string, Waiting>();
  readonly #underWay = new Map<string, Waiting>();

  add(due: DueDelivery): void {
    if (this.#waiting.has(due.id) || this.#underWay.has(due.id)) return;
    this.#waiting.set(due.id, { due, recipient: recipientOf(due) });
  }

  /** The next that may be sent now; it counts as under way from then on. */
  take(): DueDelivery | null {
    if (this.#underWay.size >= MOST_AT_ONCE) return null;
    const owners = new Map<string, number>();
    const recipients = new Map<string, number>();
    for (const { due, recipient } of this.#underWay.values()) {
      owners.set(due.owner, (owners.get(due.owner) ?? 0) + 1);
      recipients.set(recipient, (recipients.get(recipient) ?? 0) + 1);
    }
    let next: Waiting | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const each of this.#waiting.values()) {
      const { owner } = each.due;
      const ofOwner = owners.get(owner) ?? 0;
      // The operator has no limit of their own.
      if (owner !== OPERATOR && ofOwner >= MOST_PER_OWNER) continue;
      if (ofOwner >= least || (recipients.get(each.recipient) ?? 0) >= MOST_PER_RECIPIENT) continue;
      next = each;
      least = ofOwner;
      if (least === 0) break;
    }
    if (next === null) return null;
    this.#waiting.delete(next.due.id);
    this.#underWay.set(next.due.id, next);
    return next.due;
  }

  end({ id }: DueDelivery): void {
    this.#underWay.delete(id);
  }
}

/** The recipient that limits apply to: the host of a URL, else the channel. */
function recipientOf({ channel, target }: DueDelivery): string {
  const isUrl = channelNamed(channel)?.target?.refuse === 'unless-url';
  return (isUrl && URL.parse(target)?.host) || channel;
}

/** The pause after the first failed attempt, the second, …; then the longest. */
const PAUSES_MS = [5_000, 15_000, 60_000, 300_000, 900_000, 1_800_000] as const;
const LONGEST_PAUSE_MS = HOUR_MS;
/** Each pause is up to this share longer or shorter, so that deliveries that failed together do not retry together. */
const JITTER = 0.2;
/** The longest `Retry-After` that is honoured, so that a day has several attempts. */
const LONGEST_RETRY_AFTER_MS = 6 * HOUR_MS;
const GIVE_UP_AFTER_MS = DAY_MS;
/** Minimum number of attempts, even if the machine slept through the day. */
const LEAST_TRIES = 5;

interface FailedTry {
  readonly tries: number;
  readonly triesSince: number;
  readonly now: number;
  readonly retryAfterSec: number | null;
  readonly random: number;
}

/** Ms since epoch, at the latest at the end of the day; `null` once that has passed and enough attempts were made. */
export function nextTryAt({ tries, triesSince, now, retryAfterSec, random }: FailedTry): number | null {
  const end = triesSince + GIVE_UP_AFTER_MS;
  if (now >= end && tries >= LEAST_TRIES) return null;
  const pause = PAUSES_MS[tries - 1] ?? LONGEST_PAUSE_MS;
  const spread = pause * (1 + JITTER * (2 * random - 1));
  const least = Math.min((retryAfterSec ?? 0) * 1_000, LONGEST_RETRY_AFTER_MS);
  const at = Math.round(now + Math.max(spread, least));
  return now < end ? Math.min(at, end) : at;
}

interface StartOptions extends Pick<OutboxWorkerOptions, 'signal' | 'onError' | 'onAttempt'> {
  readonly lease: Lease;
  readonly database: Database;
  readonly delivery: NotifierSettings;
  /** Ms since epoch; the outbox is written by the same clock. */
  readonly wallNow: () => number;
  /** The same, but no later than the chain's time allows, because deletion is permanent. */
  readonly agreedNow: () => number;
}

/** Runs the worker while this process leads; on a server, where every process sends, always. */
export function startOutboxWorker(options: StartOptions): LeaderWork {
  const { lease, database, delivery, wallNow, onError } = options;
  let worker: OutboxWorker | null = null;
  const store = new OutboxStore(database);
  const run = async (signal: AbortSignal) => {
    if (signal.aborted) return;
    worker = new OutboxWorker({
      ...options,
      store,
      secrets: new SigningSecretStore(database),
      notifiers: createNotifiers(delivery, { now: wallNow }),
      process: lease.process,
      signal,
      clock: { ...systemClock, now: wallNow },
    });
    await worker.run();
    worker = null;
  };
  const wake = () => worker?.wake();
  // A one-shot command ends by itself, and must not leave attempts unfinished.
  if (store.isOnServer && !lease.isOneShot) {
    const ended = run(options.signal).catch(onError);
    return { wake, done: () => ended };
  }
  // First waits for attempts from before the lease was lost.
  return { wake, done: lease.whileLeading(run, options) };
}
