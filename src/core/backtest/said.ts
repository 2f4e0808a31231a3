import { type Advice, type Horizon, LANES, type LaneName } from '../advice.ts';
import type { Target } from './judge-horizon.ts';
import type { Waiting } from './judge-waits.ts';
import { OfferColumn } from './offer.ts';

/** What the engine said at each block, as columns: an advice is too large to keep 15,000 of them. */
export class Said {
  readonly lanes: Readonly<Record<LaneName, OfferColumn>>;
  /** `NaN` where none was stated. */
  readonly probabilities: Readonly<Record<LaneName, Float64Array>>;
  /** Where waiting was advised, oldest first. */
  readonly waits: Waiting[] = [];
  readonly #length: number;
  readonly #targets = new Map<number, { price: Float64Array; probability: Float64Array }>();

  constructor(length: number) {
    const offers = () => new OfferColumn(length);
    this.#length = length;
    this.lanes = { slow: offers(), average: offers(), fast: offers() };
    this.probabilities = { slow: this.#empty(), average: this.#empty(), fast: this.#empty() };
  }

  put(at: number, { lanes, recommendation }: Advice): void {
    for (const lane of LANES) {
      const { maxFeePerGas, maxPriorityFeePerGas, probability } = lanes[lane];
      this.lanes[lane].put(at, { cap: Number(maxFeePerGas), tip: Number(maxPriorityFeePerGas) });
      this.probabilities[lane][at] = probability ?? Number.NaN;
    }
    for (const target of recommendation.alternatives) this.#putTarget(at, target);
    const { action, targetPrice, deadlineSec, probability, expectedSavingRatio } = recommendation;
    if (action === 'SEND_NOW' || probability === null) return;
    const price = Number(targetPrice);
    this.waits.push({ at, action, price, deadlineSec, probability, expectedSaving: expectedSavingRatio });
  }

  /** Those that anything was ever said about, shortest first. */
  get horizons(): readonly number[] {
    return [...this.#targets.keys()].sort((a, b) => a - b);
  }

  target(horizonSec: number, at: number): Target {
    const columns = this.#targets.get(horizonSec);
    return {
      price: columns?.price[at] ?? Number.NaN,
      probability: columns?.probability[at] ?? Number.NaN,
    };
  }

  #putTarget(at: number, { horizonSec, price, probability }: Horizon): void {
    let columns = this.#targets.get(horizonSec);
    if (columns === undefined) {
      columns = { price: this.#empty(), probability: this.#empty() };
      this.#targets.set(horizonSec, columns);
    }
    columns.price[at] = Number(price);
    columns.probability[at] = probability ?? Number.NaN;
  }

  #empty(): Float64Array {
    return new Float64Array(this.#length).fill(Number.NaN);
  }
}
