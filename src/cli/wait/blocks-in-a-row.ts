import type { SnapshotView } from '../../client/views/gas.ts';
import { FASTEST_POLL_MS } from './poll-interval.ts';
import { fingerprint, frequencySecOf, freshForSec } from './price-age.ts';

/**
 * The chain is seen whole only where a block takes at least this share of the time between two answers: quicker ones
 * are missed, however well one looks.
 */
const OFTENER = 0.75;

/**
 * Counts blocks that are as wanted, one after the other. A block that could have been seen and was not breaks the
 * row: what it cost is not known. Where blocks come quicker than the service has answers, or than it can be asked,
 * those that are seen count, unless something came between.
 */
export class BlocksInARow {
  #count = 0;
  #last: SnapshotView | null = null;
  #isInterrupted = false;

  get count(): number {
    return this.#count;
  }

  /** One more answer that is as wanted; the same block again changes nothing. */
  add(snapshot: SnapshotView): void {
    const last = this.#last;
    if (last !== null && blockOf(last) === blockOf(snapshot)) return;
    this.#count = last !== null && this.#follows(last, snapshot) ? this.#count + 1 : 1;
    this.#last = snapshot;
    this.#isInterrupted = false;
  }

  startOver(): void {
    this.#count = 0;
    this.#last = null;
    this.#isInterrupted = false;
  }

  /** For some time nothing was seen: from now on only the very next block is the next one. */
  interrupt(): void {
    this.#isInterrupted = true;
  }

  #follows(last: SnapshotView, next: SnapshotView): boolean {
    const gap = gapOf(last, next);
    if (gap === 1) return true;
    if (this.#isInterrupted || (gap !== null && gap < 1)) return false;
    // A recording is played as quickly as one likes.
    if (next.source.kind === 'replay') return true;
    const passedSec = passedSecOf(last, next);
    if (passedSec === null) return gap === null;
    return passedSec <= freshForSec(next) && (gap === null || passedSec / gap < seeableSec(next) * OFTENER);
  }
}

/** `null`: blocks have no numbers there. */
function gapOf(last: SnapshotView, next: SnapshotView): number | null {
  return last.blockNumber === null || next.blockNumber === null ? null : next.blockNumber - last.blockNumber;
}

function passedSecOf(last: SnapshotView, next: SnapshotView): number | null {
  const [from, to] = [last.blockTimestamp ?? last.updatedAt, next.blockTimestamp ?? next.updatedAt];
  return from === null || to === null ? null : (to - from) / 1_000;
}

/** A chain with a block in that many seconds can be seen whole. */
function seeableSec(snapshot: SnapshotView): number {
  return Math.max(frequencySecOf(snapshot), (2 * FASTEST_POLL_MS) / 1_000);
}

function blockOf(snapshot: SnapshotView): number | string {
  return snapshot.blockNumber ?? snapshot.blockTimestamp ?? snapshot.updatedAt ?? fingerprint(snapshot);
}
