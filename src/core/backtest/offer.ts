import type { LaneName } from '../advice.ts';

/** What a rule would have signed at one block: wei per gas. */
export interface Offer {
  /** `maxFeePerGas` */
  readonly cap: number;
  /** `maxPriorityFeePerGas` */
  readonly tip: number;
}

export type LaneOffers = Readonly<Record<LaneName, Offer>>;

/** What one rule offered for one lane, by index of the block it was offered at; `NaN` where it offered nothing. */
export class OfferColumn {
  readonly cap: Float64Array;
  readonly tip: Float64Array;

  constructor(length: number) {
    this.cap = new Float64Array(length).fill(Number.NaN);
    this.tip = new Float64Array(length).fill(Number.NaN);
  }

  put(at: number, offer: Offer | null): void {
    this.cap[at] = offer?.cap ?? Number.NaN;
    this.tip[at] = offer?.tip ?? Number.NaN;
  }

  at(at: number): Offer | null {
    const cap = this.cap[at] ?? Number.NaN;
    return Number.isNaN(cap) ? null : { cap, tip: this.tip[at] ?? 0 };
  }
}
