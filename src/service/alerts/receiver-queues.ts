import type { DueDelivery } from '../../store/kept-delivery.ts';

/** Tries under way at once. */
const MOST_AT_ONCE = 32;
/** To one receiver. */
const MOST_PER_RECEIVER = 2;
/** To all those together that failed the last time: each may take its whole deadline, and others are not to wait. */
const MOST_FAILING = 16;

/**
 * What is due, in one queue for each receiver, and what of it is under way. Receivers take turns; one that is slow or
 * dead holds up nothing but its own.
 */
export class ReceiverQueues {
  readonly #waiting = new Map<string, Map<string, DueDelivery>>();
  readonly #underWay = new Map<string, number>();
  readonly #failing = new Set<string>();
  /** Ids that are in a queue or under way. */
  readonly #known = new Set<string>();
  #total = 0;
  #totalFailing = 0;

  /** Puts a delivery at the end of its receiver's queue, unless it is known. */
  add(due: DueDelivery): void {
    if (this.#known.has(due.id)) return;
    this.#known.add(due.id);
    const receiver = receiverOf(due);
    const queue = this.#waiting.get(receiver) ?? new Map<string, DueDelivery>();
    queue.set(due.id, due);
    this.#waiting.set(receiver, queue);
  }

  /** The next that may be sent now, which is under way from then on; `null`: none. */
  take(): DueDelivery | null {
    if (this.#total >= MOST_AT_ONCE) return null;
    for (const [receiver, queue] of this.#waiting) {
      if (!this.#hasRoom(receiver)) continue;
      const [due] = queue.values();
      // To the end of the round.
      this.#waiting.delete(receiver);
      if (due === undefined) continue;
      queue.delete(due.id);
      if (queue.size > 0) this.#waiting.set(receiver, queue);
      this.#count(receiver, 1);
      return due;
    }
    return null;
  }

  /** A delivery is no longer under way. `isReached`: whether its receiver answered as it should. */
  end(due: DueDelivery, isReached: boolean): void {
    const receiver = receiverOf(due);
    this.#known.delete(due.id);
    this.#count(receiver, -1);
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

  #hasRoom(receiver: string): boolean {
    if ((this.#underWay.get(receiver) ?? 0) >= MOST_PER_RECEIVER) return false;
    return !this.#failing.has(receiver) || this.#totalFailing < MOST_FAILING;
  }

  #count(receiver: string, change: 1 | -1): void {
    const count = (this.#underWay.get(receiver) ?? 0) + change;
    if (count === 0) this.#underWay.delete(receiver);
    else this.#underWay.set(receiver, count);
    this.#total += change;
    if (this.#failing.has(receiver)) this.#totalFailing += change;
  }
}

/** Who takes a delivery: a web server, or the one way out that a channel has. */
function receiverOf({ channel, target }: DueDelivery): string {
  const host = channel === 'WEBHOOK' || channel === 'SLACK' ? URL.parse(target)?.host : undefined;
  return host ?? channel;
}
