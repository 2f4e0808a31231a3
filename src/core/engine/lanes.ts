import { eachLane, LANE_PROMISES, LANES, type Lane, type LaneName, type LanePrices } from '../advice.ts';
import { type Column, feeRatio, fromPpm, type History, toPpm, wholeWei } from './history.ts';
import { LaneCaps, type Outlook } from './lane-caps.ts';
import type { NextBaseFee } from './next-base-fee.ts';
import { Rolling, SortedValues, WholeSum } from './rolling.ts';
import { type Chance, unjudged, unknown } from './similar-states.ts';
import { TipModel } from './tips.ts';

/** The forecast when blocks came without tips or transactions. */
export const UNKNOWN_TIPS = unknown('the last blocks show no tips');

/** The three lanes: advises at every block, and judges its own advice as blocks come. */
export class LaneModel {
  readonly #history: History;
  readonly #base: NextBaseFee;
  readonly #scorers: Readonly<Record<LaneName, LaneScorer>>;
  readonly #tips: TipModel;
  readonly #caps: LaneCaps;

  constructor(history: History, base: NextBaseFee) {
    this.#history = history;
    this.#base = base;
    this.#scorers = eachLane((lane) => new LaneScorer(history, lane));
    this.#tips = new TipModel(history);
    this.#caps = new LaneCaps(history);
  }

  /** Judges the advice that the head settles, learns from it, advises anew, and sets the head's `sendNow` and `prices`. */
  push(outlook: Outlook, isWarmUp: boolean): void {
    const { head, sendNow } = this.#history;
    const verdicts = eachLane((lane) => this.#scorers[lane].judge());
    this.#tips.push(verdicts);
    const tips = this.#tips.advised();
    sendNow.put(head, Number(outlook.nextBaseFee) + tips.average);
    this.#caps.push(tips.slow, verdicts.slow);
    const caps = this.#caps.advised(outlook, tips, isWarmUp);
    for (const lane of LANES) {
      this.#scorers[lane].record(caps[lane], Math.min(tips[lane], caps[lane]));
    }
    this.followHead();
    this.#recordPrices(outlook.nextBaseFee);
  }

  #recordPrices(nextBaseFee: bigint): void {
    const { head, prices: columns, priority } = this.#history;
    const prices = this.prices();
    for (const lane of LANES) columns[lane].put(head, Number(prices[lane]));
    priority.put(head, Math.max(Number(prices.average - nextBaseFee), 0));
  }

  followHead(): void {
    for (const lane of LANES) this.#scorers[lane].followHead();
    this.#tips.followHead();
    this.#caps.followHead();
  }

  scorer(lane: LaneName): LaneScorer {
    return this.#scorers[lane];
  }

  advice(blockSec: number): Readonly<Record<LaneName, Lane>> {
    const prices = this.prices();
    return eachLane((lane) => this.#lane(lane, prices[lane], blockSec));
  }

  /** Probability that the head's advice is included in time; `null` when tips or base fees cannot be known. */
  chance(lane: LaneName): Chance {
    if (!this.#tips.areKnown) return UNKNOWN_TIPS;
    if (!this.#base.formulaHolds) return unknown('the chain has not kept to its own base fee rule of late');
    return lane === 'slow' ? this.#caps.slow.chance : this.#scorers[lane].chance;
  }

  get areTipsKnown(): boolean {
    return this.#tips.areKnown;
  }

  prices(): LanePrices {
    const fast = this.#price('fast');
    const average = Math.min(this.#price('average'), fast);
    const slow = Math.min(this.#price('slow'), average);
    return { slow: BigInt(slow), average: BigInt(average), fast: BigInt(fast) };
  }

  #price(lane: LaneName): number {
    const scorer = this.#scorers[lane];
    // Without known tips the price is the base fee alone, the same in each lane.
    const price = this.#tips.areKnown ? wholeWei(scorer.expectedPrice) : scorer.highestNext;
    return Math.min(price, scorer.cap.at(this.#history.head));
  }

  #lane(lane: LaneName, price: bigint, blockSec: number): Lane {
    const scorer = this.#scorers[lane];
    const { head } = this.#history;
    return {
      price,
      maxFeePerGas: BigInt(scorer.cap.at(head)),
      maxPriorityFeePerGas: this.#tips.areKnown ? BigInt(scorer.tip.at(head)) : null,
      withinBlocks: scorer.withinBlocks,
      waitSec: {
        p50: scorer.waitBlocks(0.5) * blockSec,
        p95: (this.#tips.areKnown ? scorer.waitBlocks(0.95) : scorer.withinBlocks) * blockSec,
      },
      ...this.chance(lane),
    };
  }
}

/** Number of past advice that the stated probability is measured on. */
const JUDGED_BLOCKS = 1_000;
/** Number of past advice that the expected price is measured on. */
const PRICED_BLOCKS = 600;
/** Windows overlap: a share needs this many blocks, and this many windows in sequence. */
const LEAST_JUDGED = 100;
const LEAST_WINDOWS = 12;

/** Stores one lane's advice at each block and judges it once its blocks have come. */
export class LaneScorer {
  readonly withinBlocks: number;
  readonly #history: History;
  /** Waits for a lower base fee; the other lanes accept the next block's. */
  readonly #waitsForDips: boolean;
  readonly cap: Column;
  readonly tip: Column;
  /** Whether the advice was included, 1 or 0; `NaN` when it has not been judged. */
  readonly kept: Column;
  readonly #paidBase: Column;
  readonly #wait: Column;
  readonly #keptShare: Rolling<WholeSum>;
  readonly #baseRatio: Rolling<WholeSum>;
  readonly #waits: Rolling<SortedValues>;

  constructor(history: History, lane: LaneName) {
    this.#history = history;
    this.withinBlocks = LANE_PROMISES[lane].withinBlocks;
    this.#waitsForDips = lane === 'slow';
    const keep = JUDGED_BLOCKS + this.withinBlocks;
    this.cap = history.column(keep);
    this.tip = history.column(keep);
    this.kept = history.column();
    this.#paidBase = history.column(keep);
    this.#wait = history.column(keep);
    this.#keptShare = new Rolling(this.kept, new WholeSum());
    this.#baseRatio = new Rolling(this.#paidBase, new WholeSum());
    this.#waits = new Rolling(this.#wait, new SortedValues());
  }

  /** Stores the head's advice, wei per gas, to be judged `withinBlocks` blocks later. */
  record(cap: number, tip: number): void {
    this.cap.put(this.#history.head, cap);
    this.tip.put(this.#history.head, tip);
  }

  /** Judges the advice whose last block is the head: 1 if included, 0 if not, `null` if there was none. */
  judge(): number | null {
    const { head, oldest } = this.#history;
    const given = head - this.withinBlocks;
    if (given < oldest) return null;
    const included = this.#inclusion(given);
    const kept = included === null ? 0 : 1;
    this.kept.put(given, kept);
    this.#paidBase.put(given, included === null ? Number.NaN : this.#baseRatioAt(given, included));
    this.#wait.put(given, (included ?? head) - given);
    this.followHead();
    return kept;
  }

  /** The first block that includes the transaction: `min(tip, cap − base fee)` reaches its low tip. */
  #inclusion(given: number): number | null {
    const { baseFee, lowTip, head } = this.#history;
    const cap = this.cap.at(given);
    const tip = this.tip.at(given);
    for (let block = given + 1; block <= head; block += 1) {
      const asked = lowTip.at(block);
      if (Math.min(tip, cap - baseFee.at(block)) >= (Number.isNaN(asked) ? 0 : asked)) return block;
    }
    return null;
  }

  #baseRatioAt(given: number, included: number): number {
    const paid = Math.min(this.cap.at(given), this.#history.baseFee.at(included) + this.tip.at(given));
    return toPpm(feeRatio(paid - this.tip.at(given), this.#highestNextAt(given)));
  }

  /** The maximum base fee that the advice would pay in the block after `given`. */
  #highestNextAt(given: number): number {
    return Math.min(this.#history.nextBaseFee.at(given), this.cap.at(given) - this.tip.at(given));
  }

  get highestNext(): number {
    return this.#highestNextAt(this.#history.head);
  }

  followHead(): void {
    this.#keptShare.moveTo(this.#history.settled(this.withinBlocks, JUDGED_BLOCKS));
    this.#baseRatio.moveTo(this.#history.settled(this.withinBlocks, PRICED_BLOCKS));
    this.#waits.moveTo(this.#history.settled(this.withinBlocks, JUDGED_BLOCKS));
  }

  get judgedRatio(): number {
    return this.#keptShare.tally.count / JUDGED_BLOCKS;
  }

  /** Share of past advice that was included; no figure until enough was judged. */
  get chance(): Chance {
    const enough = Math.max(LEAST_JUDGED, LEAST_WINDOWS * this.withinBlocks);
    const { count, mean } = this.#keptShare.tally;
    if (count < enough || mean === null) return unjudged(count, enough);
    return { probability: mean, reason: null };
  }

  /** Wei per gas: the tip is known; the base fee is estimated from what past advice paid where it was included. */
  get expectedPrice(): number {
    const { head } = this.#history;
    const baseRatio = fromPpm(this.#baseRatio.tally.mean ?? toPpm(1));
    const least = this.#waitsForDips ? 0 : 1;
    return this.highestNext * Math.max(baseRatio, least) + this.tip.at(head);
  }

  /** The `q` quantile of blocks waited; a miss counts as the whole wait, a rare wait too until enough are judged. */
  waitBlocks(q: number): number {
    const { tally } = this.#waits;
    if (q > 0.5 && tally.size < LEAST_JUDGED) return this.withinBlocks;
    return tally.quantile(q) ?? 1;
  }
}
