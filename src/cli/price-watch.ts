import type { SnapshotView } from '../client/views/snapshot.ts';
import { formatDuration } from '../core/units.ts';
import { isMet, type WaitPlan } from './wait-plan.ts';

/** A block may come one block time late, and takes a while to arrive; what is older than that is not the present. */
const BLOCKS = 2.5;
const SLACK_SEC = 15;
/** Where a service does not say how often it has something new. */
const UNKNOWN_FREQUENCY_SEC = 30;

export type Sight =
  | { readonly kind: 'met'; readonly price: bigint }
  /** As things are now it is to be waited on; `inARow` blocks were already as wanted. */
  | { readonly kind: 'present'; readonly price: bigint; readonly inARow: number }
  /** Whatever the price is, it is not that of now. */
  | { readonly kind: 'old'; readonly reason: string }
  /** A recording is over: nothing new will come. */
  | { readonly kind: 'ended' };

/** Judges what a service says, answer after answer, by one plan. Old prices count for nothing. */
export class PriceWatch {
  readonly #plan: WaitPlan;
  #inARow = 0;
  /** The block that was counted last. */
  #counted: number | string | null = null;
  #before: string | null = null;

  constructor(plan: WaitPlan) {
    this.#plan = plan;
  }

  /** @param now wall clock, ms since epoch. */
  see(snapshot: SnapshotView, now: number): Sight {
    if (snapshot.source.ended) return { kind: 'ended' };
    const reason = this.#whyOld(snapshot, now);
    if (reason !== null) {
      this.#startOver();
      return { kind: 'old', reason };
    }
    const { price } = snapshot.lanes[this.#plan.lane];
    if (!isMet(this.#plan, price)) {
      this.#startOver();
      return { kind: 'present', price, inARow: 0 };
    }
    this.#count(
      snapshot.blockNumber ?? snapshot.blockTimestamp ?? snapshot.updatedAt ?? fingerprint(snapshot),
    );
    return this.#inARow >= this.#plan.confirm
      ? { kind: 'met', price }
      : { kind: 'present', price, inARow: this.#inARow };
  }

  #count(block: number | string): void {
    if (block === this.#counted) return;
    const isBackwards =
      typeof block === 'number' && typeof this.#counted === 'number' && block < this.#counted;
    this.#inARow = isBackwards ? 1 : this.#inARow + 1;
    this.#counted = block;
  }

  #startOver(): void {
    this.#inARow = 0;
    this.#counted = null;
  }

  #whyOld(snapshot: SnapshotView, now: number): string | null {
    const { source, stale } = snapshot;
    if (stale || source.problem !== null)
      return source.problem?.message ?? 'the service says its prices are old';
    // A recording's and a simulation's blocks have no age by our clock.
    if (source.kind === 'replay' || source.kind === 'simulated') return null;
    const at = snapshot.blockTimestamp ?? snapshot.updatedAt;
    if (at === null) return this.#whyUnchanged(snapshot);
    const ageSec = (now - at) / 1_000;
    const frequencySec = snapshot.updateFrequencySec ?? UNKNOWN_FREQUENCY_SEC;
    if (ageSec <= Math.max(frequencySec * BLOCKS, frequencySec + SLACK_SEC)) return null;
    return `the newest block is ${formatDuration(ageSec)} old by this machine's clock`;
  }

  /** Prices without a time may be of any day; only a change shows that somebody still looks after them. */
  #whyUnchanged(snapshot: SnapshotView): string | null {
    const prices = fingerprint(snapshot);
    const isNew = this.#before !== null && this.#before !== prices;
    this.#before = prices;
    return isNew ? null : 'the service does not say how old its prices are, so they must change first';
  }
}

function fingerprint({ baseFee, lanes }: SnapshotView): string {
  return [baseFee, lanes.slow.price, lanes.average.price, lanes.fast.price].join(' ');
}
