import type { SnapshotView } from '../../client/views/gas.ts';
import { BlocksInARow } from './blocks-in-a-row.ts';
import { PriceAge } from './price-age.ts';
import { isMet, type WaitPlan } from './wait-plan.ts';

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
  readonly #age = new PriceAge();
  readonly #row = new BlocksInARow();

  constructor(plan: WaitPlan) {
    this.#plan = plan;
  }

  /** @param now wall clock, ms since epoch. */
  see(snapshot: SnapshotView, now: number): Sight {
    if (snapshot.source.ended) return { kind: 'ended' };
    const reason = this.#age.whyOld(snapshot, now);
    if (reason !== null) {
      this.#row.startOver();
      return { kind: 'old', reason };
    }
    const { price } = snapshot.lanes[this.#plan.lane];
    if (!isMet(this.#plan, price)) {
      this.#row.startOver();
      return { kind: 'present', price, inARow: 0 };
    }
    this.#row.add(snapshot);
    return this.#row.count >= this.#plan.confirm
      ? { kind: 'met', price }
      : { kind: 'present', price, inARow: this.#row.count };
  }

  /** No answer came: what it cost meanwhile is not known. */
  missed(): void {
    this.#row.interrupt();
  }
}
