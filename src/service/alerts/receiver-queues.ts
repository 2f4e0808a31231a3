import type { DueDelivery } from '../../store/outbox.ts';

/** Tries under way at once. */
const MOST_AT_ONCE = 32;
/** Of one key's alerts: receivers are made up easily, and slow ones of one key are not to keep the others waiting. */
const MOST_PER_OWNER = 8;
/** To one receiver. */
const MOST_PER_RECEIVER = 2;
/** To all those together that failed the last time: each may take its whole deadline, and others are not to wait. */
const MOST_FAILING = 16;

type Queue = Map<string, DueDelivery>;

/**
 * What is due, in one queue for each receiver of each owner, and what of it is under way. Owners take turns, and the
 * receivers of each: one that is slow or dead holds up nothing but its own, and so does an owner who has many.
 */
export class ReceiverQueues {
  readonly #waiting = new Map<string, Map<string, Queue>>();
  readonly #underWay = new Map<string, number>();
  readonly #ofOwner = new Map<string, number>();
  readonly #failing = new Set<string>();
  /** Ids that are in a queue or under way. */
  readonly #known = new Set<string>();
  #total = 0;
  #totalFailing = 0;

  /** Puts a delivery at the end of its receiver's queue, unless it is known. */
  add(due: DueDelivery): void {
    if (this.#known.has(due.id)) return;
    this.#known.add(due.id);
    const receivers = this.#waiting.get(due.owner) ?? new Map<string, Queue>();
    this.#waiting.set(due.owner, receivers);
    const receiver = receiverOf(due);
    const queue: Queue = receivers.get(receiver) ?? new Map();
    receivers.set(receiver, queue);
    queue.set(due.id, due);
  }

  /** The next that may be sent now, which is under way from then on; `null`: none. */
  take(): DueDelivery | null {
    if (this.#total >= MOST_AT_ONCE) return null;
    for (const [owner, receivers] of this.#waiting) {
      // Who runs the service has as much as there is.
      if (owner !== '' && (this.#ofOwner.get(owner) ?? 0) >= MOST_PER_OWNER) continue;
      const due = this.#takeFrom(receivers);
      if (due === null) continue;
      // To the end of the round.
      this.#waiting.delete(owner);
      if (receivers.size > 0) this.#waiting.set(owner, receivers);
      this.#count(due, 1);
      return due;
    }
    return null;
  }

  /** A delivery is no longer under way. `isReached`: whether its receiver answered as it should. */
  end(due: DueDelivery, isReached: boolean): void {
    const receiver = receiverOf(due);
    this.#known.delete(due.id);
    this.#count(due, -1);
    const wasFailing = this.#failing.has(receiver);
    if (wasFailing === !isReached) return;
    if (isReached) this.#failing.delete(receiver);
    else this.#failing.add(receiver);
    this.#totalFailing += (isReached ? -1 : 1) * (this.#underWay.get(receiver) ?? 0);
  }

  /** How many tries are under way. */
  get underWay(): number {
    return this.#total;
  }

  #takeFrom(receivers: Map<string, Queue>): DueDelivery | null {
    for (const [receiver, queue] of receivers) {
      if (!this.#hasRoom(receiver)) continue;
      const [due] = queue.values();
      // To the end of the round.
      receivers.delete(receiver);
      if (due === undefined) continue;
      queue.delete(due.id);
      if (queue.size > 0) receivers.set(receiver, queue);
      return due;
    }
    return null;
  }

  #hasRoom(receiver: string): boolean {
    if ((this.#underWay.get(receiver) ?? 0) >= MOST_PER_RECEIVER) return false;
    return !this.#failing.has(receiver) || this.#totalFailing < MOST_FAILING;
  }

  #count(due: DueDelivery, change: 1 | -1): void {
    const receiver = receiverOf(due);
    addTo(this.#underWay, receiver, change);
    addTo(this.#ofOwner, due.owner, change);
    this.#total += change;
    if (this.#failing.has(receiver)) this.#totalFailing += change;
  }
}

function addTo(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

/** Who takes a delivery: a web server, or the one way out that a channel has. */
function receiverOf({ channel, target }: DueDelivery): string {
  const host = channel === 'WEBHOOK' || channel === 'SLACK' ? URL.parse(target)?.host : undefined;
  return host ?? channel;
}
