import { LANES, type Lane, type LaneName, type LanePrices } from './advice.ts';
import { wholeWei } from './fee-ratio.ts';
import type { FeeRule } from './fee-rule.ts';
import type { History } from './history.ts';
import { LaneCaps, type Outlook } from './lane-caps.ts';
import { LaneScorer } from './lane-scorer.ts';
import { TipBook } from './tips.ts';

/** The three lanes: advises at every block, and judges its own advice as the blocks come. */
export class LaneBook {
  readonly #history: History;
  readonly #scorers: Readonly<Record<LaneName, LaneScorer>>;
  readonly #tips: TipBook;
  readonly #caps: LaneCaps;

  constructor(history: History, rule: FeeRule) {
    this.#history = history;
    this.#scorers = {
      slow: new LaneScorer(history, 'slow'),
      average: new LaneScorer(history, 'average'),
      fast: new LaneScorer(history, 'fast'),
    };
    this.#tips = new TipBook(history);
    this.#caps = new LaneCaps(history, rule);
  }

  /** Judges what the head settles, learns from it and advises anew; from then on `sendNow` is known of the head. */
  push(outlook: Outlook): void {
    const { head, sendNow } = this.#history;
    const verdicts = {
      slow: this.#scorers.slow.judge(),
      average: this.#scorers.average.judge(),
      fast: this.#scorers.fast.judge(),
    };
    this.#tips.push(verdicts);
    const tips = this.#tips.advised();
    sendNow.put(head, Number(outlook.nextBaseFee) + tips.average);
    this.#caps.push(tips.slow, verdicts.slow);
    const caps = this.#caps.advised(outlook, tips);
    for (const lane of LANES) {
      this.#scorers[lane].record(caps[lane], Math.min(tips[lane], caps[lane]));
    }
    this.followHead();
  }

  followHead(): void {
    for (const lane of LANES) this.#scorers[lane].followHead();
    this.#tips.followHead();
    this.#caps.followHead();
  }

  scorer(lane: LaneName): LaneScorer {
    return this.#scorers[lane];
  }

  /** The head's advice for every lane. */
  advice(blockSec: number): Readonly<Record<LaneName, Lane>> {
    const { slow, average, fast } = this.prices();
    return {
      slow: this.#lane('slow', slow, blockSec),
      average: this.#lane('average', average, blockSec),
      fast: this.#lane('fast', fast, blockSec),
    };
  }

  /** The price of the head's advice for every lane. */
  prices(): LanePrices {
    const fast = this.#price('fast');
    const average = Math.min(this.#price('average'), fast);
    const slow = Math.min(this.#price('slow'), average);
    return { slow: BigInt(slow), average: BigInt(average), fast: BigInt(fast) };
  }

  #price(lane: LaneName): number {
    const scorer = this.#scorers[lane];
    return Math.min(wholeWei(scorer.expectedPrice), scorer.capAt(this.#history.head));
  }

  #lane(lane: LaneName, price: bigint, blockSec: number): Lane {
    const scorer = this.#scorers[lane];
    const { head } = this.#history;
    return {
      price,
      maxFeePerGas: BigInt(scorer.capAt(head)),
      maxPriorityFeePerGas: BigInt(scorer.tipAt(head)),
      withinBlocks: scorer.withinBlocks,
      waitSec: { p50: scorer.waitBlocks(0.5) * blockSec, p95: scorer.waitBlocks(0.95) * blockSec },
      ...(lane === 'slow' ? this.#caps.slow.chance : scorer.chance),
    };
  }
}
