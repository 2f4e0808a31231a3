import { LANE_PROMISES, type LaneName } from '../advice.ts';
import type { FeeRule } from '../eip1559.ts';
import { type Column, feeRatio, fromPpm, type History, scaledFee, toPpm, wholeWei } from './history.ts';
import { highestBaseFee } from './next-base-fee.ts';
import { Rolling, takeRanked, WholeSum } from './rolling.ts';
import { type Chance, MEMORY_BLOCKS, NearestStates, unjudged } from './similar-states.ts';
import type { Tips } from './tips.ts';

/** Where the formula does not bound the next blocks: the doubling that wallets use. */
const BLIND_RISE = 2;

/**
 * Average must get in within its three blocks even where it comes too late for the first, whose base fee is known. The share
 * of like blocks in which that worked is a little above the promise, since likeness flatters.
 */
const LATE_SHARE = 0.96;

/** What is known at the head about the blocks to come. Wei per gas. */
export interface Outlook {
  readonly nextBaseFee: bigint;
  readonly formulaHolds: boolean;
}

/** The cap that each lane signs: how far the base fee may rise before its blocks, and how far Slow may wait for it to fall. */
export class LaneCaps {
  readonly #history: History;
  readonly #rule: FeeRule;
  readonly slow: SlowCap;
  readonly #states: NearestStates;
  /** Lower base fee of the second and third next block over what was known of the next one. */
  readonly #late: Column;

  constructor(history: History, rule: FeeRule) {
    this.#history = history;
    this.#rule = rule;
    this.slow = new SlowCap(history);
    this.#states = new NearestStates(history, LANE_PROMISES.slow.withinBlocks);
    this.#late = history.column(MEMORY_BLOCKS + LANE_PROMISES.slow.withinBlocks);
  }

  /** Learns from the head, Slow's tip there, and whether the advice to Slow that it settled was kept (`null`: there was none). */
  push(slowTip: number, slowKept: number | null): void {
    const { head, oldest } = this.#history;
    this.slow.push(slowTip, slowKept);
    this.#states.push();
    if (head - 3 >= oldest) this.#learnOfThree(head - 3);
    this.followHead();
  }

  followHead(): void {
    this.slow.followHead();
    this.#states.followHead();
  }

  /** Wei per gas. Who waits longer never signs a higher cap: what Fast survives is enough for Average's first blocks. */
  advised(outlook: Outlook, tips: Tips, isWarmUp: boolean): Readonly<Record<LaneName, number>> {
    const fast = wholeWei(this.#worstCase(LANE_PROMISES.fast.withinBlocks, outlook) + tips.fast);
    const alike = isWarmUp ? null : this.#states.nearest();
    const average = Math.min(this.#average(outlook, tips.average, alike), fast);
    const slow = this.slow.cap(alike, average);
    return { slow, average, fast };
  }

  #learnOfThree(since: number): void {
    const { baseFee, nextBaseFee } = this.#history;
    const late = Math.min(baseFee.at(since + 2), baseFee.at(since + 3));
    this.#late.put(since, feeRatio(late, nextBaseFee.at(since)));
  }

  /** The highest base fee that the next `blocks` blocks may ask for. */
  #worstCase(blocks: number, { nextBaseFee, formulaHolds }: Outlook): number {
    if (formulaHolds) return Number(highestBaseFee(nextBaseFee, blocks - 1, this.#rule));
    return wholeWei(BLIND_RISE * Number(nextBaseFee));
  }

  #average(outlook: Outlook, tip: number, alike: Float64Array | null): number {
    const worst = this.#worstCase(LANE_PROMISES.average.withinBlocks, outlook);
    const usual = outlook.formulaHolds ? this.#lateRise(alike) : null;
    const survives = usual === null ? worst : scaledFee(Number(outlook.nextBaseFee), Math.max(usual, 1));
    return wholeWei(Math.min(survives, worst) + tip);
  }

  #lateRise(alike: Float64Array | null): number | null {
    if (alike === null) return null;
    const rises = alike.map((block) => this.#late.at(block));
    return takeRanked(rises, Math.ceil(LATE_SHARE * rises.length) - 1);
  }
}

const { withinBlocks } = LANE_PROMISES.slow;
/** Share of like blocks that the cap would have got in after: a little above the promise, so that the share kept may sway. */
const KEPT_SHARE = 0.905;
/** Past promises that say how far the next one must be corrected; it takes a while to believe them. */
const JUDGED_BLOCKS = 1_000;
const DOUBTED_BLOCKS = 100;
/** Windows overlap: so many must have been judged, eight one after another, before anything is stated. */
const LEAST_JUDGED = 200;

/**
 * How far Slow may wait for the price to fall: as far as it fell after most of the blocks like this one. What those blocks
 * say of keeping is corrected by how far such words have been off of late, so the promise holds under drift; it is what the
 * lane states.
 */
class SlowCap {
  readonly #history: History;
  readonly #tip: Column;
  /** The least that let the tip of then in, over what sending at once cost; infinite where nothing did. */
  readonly #least: Column;
  /** Share of like blocks that the cap signed at a block would have kept; `NaN`: unknown. */
  readonly #expected: Column;
  /** Kept (1 or 0) less what was expected, in whole millionths. */
  readonly #surprise: Column;
  readonly #surprises: Rolling<WholeSum>;

  constructor(history: History) {
    this.#history = history;
    this.#tip = history.column(withinBlocks);
    this.#least = history.column(MEMORY_BLOCKS + withinBlocks);
    this.#expected = history.column(withinBlocks);
    this.#surprise = history.column(JUDGED_BLOCKS + withinBlocks);
    this.#surprises = new Rolling(this.#surprise, new WholeSum());
  }

  /** Takes in the head, the tip that Slow offers there, and whether the advice that it settled was kept. */
  push(tip: number, kept: number | null): void {
    const { head, oldest } = this.#history;
    const given = head - withinBlocks;
    if (kept !== null) {
      const expected = this.#expected.at(given);
      this.#surprise.put(given, Number.isNaN(expected) ? Number.NaN : toPpm(kept) - toPpm(expected));
    }
    this.#tip.put(head, tip);
    if (given >= oldest) this.#least.put(given, this.#leastAfter(given));
    this.followHead();
  }

  followHead(): void {
    this.#surprises.moveTo(this.#history.settled(withinBlocks, JUDGED_BLOCKS));
  }

  /**
   * The head's cap, wei per gas; never above `ceiling`, which it is until enough is known.
   * @param blocks where prices stood as they do at the head, `null` while too few are known
   */
  cap(blocks: Float64Array | null, ceiling: number): number {
    const { head, sendNow } = this.#history;
    this.#expected.put(head, Number.NaN);
    if (blocks === null) return ceiling;
    const now = Math.max(sendNow.at(head), 1);
    const least = blocks.map((block) => this.#least.at(block));
    const share = Math.min(Math.max(KEPT_SHARE - this.#correction, 0), 1);
    const enough = takeRanked(least, Math.max(Math.ceil(share * least.length) - 1, 0));
    // A ceiling of 0, where sending costs nothing, counts as 1 wei.
    const cap = Math.min(enough, Math.max(ceiling, 1) / now);
    let kept = 0;
    for (const each of least) if (each <= cap) kept += 1;
    this.#expected.put(head, kept / least.length);
    return Math.min(scaledFee(now, cap), ceiling);
  }

  /** How likely the head's cap gets in in time; no figure until enough was judged. */
  get chance(): Chance {
    const expected = this.#expected.at(this.#history.head);
    const { count } = this.#surprises.tally;
    if (Number.isNaN(expected) || count < LEAST_JUDGED) return unjudged(count, LEAST_JUDGED);
    return { probability: Math.min(Math.max(expected + this.#correction, 0), 1), reason: null };
  }

  get #correction(): number {
    const { sum, count } = this.#surprises.tally;
    return fromPpm(sum) / (count + DOUBTED_BLOCKS);
  }

  #leastAfter(given: number): number {
    const { head, ask, lowTip, sendNow } = this.#history;
    const tip = this.#tip.at(given);
    let least = Number.POSITIVE_INFINITY;
    for (let block = given + 1; block <= head; block += 1) {
      if (!(lowTip.at(block) > tip)) least = Math.min(least, ask.at(block));
    }
    return Math.max(least, 1) / Math.max(sendNow.at(given), 1);
  }
}
