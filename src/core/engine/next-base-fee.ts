import type { FanStep } from '../advice.ts';
import type { Block } from '../block.ts';
import { type FeeRule, nextBaseFee, nextBaseFeeFromRatio, statedRule } from '../eip1559.ts';
import { type Column, feeRatio, type History, wholeWei } from './history.ts';
import { Rolling, SortedValues, WholeSum } from './rolling.ts';

/** Blocks on which the formula is put to the test, and the share of them that may contradict it (a fork, say). */
const JUDGED_BLOCKS = 100;
const TOLERATED_SHARE = 0.02;
/** A gas-used ratio with few digits moves the formula this much, and rounding to whole wei that much. */
const RELATIVE_TOLERANCE = 1e-3;
const WEI_TOLERANCE = 2;

/** The next base fee: the node's value if there is one, otherwise EIP-1559, as long as the chain follows it. */
export class NextBaseFee {
  readonly #history: History;
  #rule: FeeRule;
  readonly #formula: Column;
  /** 1 when a block's base fee differed from the formula, otherwise 0. */
  readonly #contradicted: Column;
  /** The same of the node's word for the block to come. */
  readonly #disputed: Column;
  readonly #contradictions: Rolling<WholeSum>;

  constructor(history: History, rule: FeeRule) {
    this.#history = history;
    this.#rule = rule;
    this.#formula = history.column(JUDGED_BLOCKS);
    this.#contradicted = history.column(JUDGED_BLOCKS);
    this.#disputed = history.column(JUDGED_BLOCKS);
    this.#contradictions = new Rolling(this.#contradicted, new WholeSum());
  }

  /** Digests the head's fees and says the next base fee. */
  push(block: Block): bigint {
    const head = block.number;
    this.#rule = ruleAfter(block, this.#rule);
    const formula = byFormula(block, this.#rule);
    const said = block.nextBaseFee;
    // A genesis block was not made by the rule: development chains give its base fee to the first block too.
    const expected = head > Math.max(this.#history.origin, 1) ? this.#formula.at(head - 1) : Number.NaN;
    this.#formula.put(head, Number(formula));
    this.#contradicted.put(head, differs(Number(block.baseFeePerGas), expected));
    this.#disputed.put(head, said === null ? Number.NaN : differs(Number(said), Number(formula)));
    this.followHead();
    return this.predict(block);
  }

  /** The next base fee after the head; `block` is the head. */
  predict(block: Block): bigint {
    if (block.nextBaseFee !== null) return block.nextBaseFee;
    // Where the formula does not hold and the source says nothing, an unchanged fee is the best guess.
    return this.formulaHolds ? byFormula(block, this.#rule) : block.baseFeePerGas;
  }

  /** The rule for the next block: of the last header that states it, else the one that the chain is known for. */
  get rule(): FeeRule {
    return this.#rule;
  }

  /** Whether the chain follows EIP-1559 with this rule; only then may forecasts rely on it. */
  get formulaHolds(): boolean {
    const { sum, count } = this.#contradictions.tally;
    const disputed = this.#disputed.at(this.#history.head);
    const word = Number.isNaN(disputed) ? 0 : 1;
    return sum + (word > 0 ? disputed : 0) <= TOLERATED_SHARE * (count + word);
  }

  followHead(): void {
    this.#contradictions.moveTo(this.#history.settled(0, JUDGED_BLOCKS));
  }
}

/** By what is known of the block's gas, wei per gas. A chain without base fees keeps to that. */
export function nextBaseFeeByRule(
  block: Pick<Block, 'baseFeePerGas' | 'gasUsed' | 'gasLimit' | 'gasUsedRatio' | 'stated'>,
  rule: FeeRule,
): bigint {
  return block.baseFeePerGas === 0n ? 0n : byFormula(block, rule);
}

/** The rule by what the block's header states; a base fee below the floor that the chain is known for disproves that one. */
function ruleAfter({ stated, baseFeePerGas }: Block, rule: FeeRule): FeeRule {
  if (stated !== undefined && rule.isStated) return statedRule(rule, stated);
  if (rule.minBaseFee === undefined || baseFeePerGas >= rule.minBaseFee) return rule;
  const { minBaseFee: _, ...withoutFloor } = rule;
  return withoutFloor;
}

function byFormula(
  block: Pick<Block, 'baseFeePerGas' | 'gasUsed' | 'gasLimit' | 'gasUsedRatio' | 'stated'>,
  rule: FeeRule,
): bigint {
  const { baseFeePerGas, gasLimit, gasUsedRatio, stated } = block;
  const gasUsed = rule.isStated && stated !== undefined ? stated.meteredGas : block.gasUsed;
  return gasUsed !== null && gasLimit !== null
    ? nextBaseFee({ baseFeePerGas, gasUsed, gasLimit }, rule)
    : nextBaseFeeFromRatio(baseFeePerGas, gasUsedRatio, rule);
}

function differs(actual: number, expected: number): number {
  if (Number.isNaN(expected)) return Number.NaN;
  return Math.abs(actual - expected) > WEI_TOLERANCE + RELATIVE_TOLERANCE * expected ? 1 : 0;
}

/** The base fee after so many blocks, when every block between is full, or empty. */
export function extremeBaseFee(
  baseFeePerGas: bigint,
  blocks: number,
  rule: FeeRule,
  between: 'full' | 'empty',
): bigint {
  const gasLimit = 100n * BigInt(rule.elasticity);
  const gasUsed = between === 'full' ? gasLimit : 0n;
  let fee = baseFeePerGas;
  for (let block = 0; block < blocks; block += 1) {
    fee = nextBaseFee({ baseFeePerGas: fee, gasUsed, gasLimit }, rule);
  }
  return fee;
}

const BLOCKS_AHEAD = [1, 2, 3, 4, 5] as const;
const TRAILING_BLOCKS = 600;
const LEAST_BLOCKS = 100;
const LOW = 0.05;
const HIGH = 0.95;

interface FanRatios {
  readonly blocksAhead: number;
  readonly column: Column;
  readonly window: Rolling<SortedValues>;
}

/**
 * The base fee 1 to 5 blocks ahead: the 5th, 50th and 95th percentile of its movement in the last 600 blocks, within the
 * limits of EIP-1559. The first step is exact if the next base fee is known.
 */
export class FanModel {
  readonly #history: History;
  readonly #base: NextBaseFee;
  readonly #ratios: readonly FanRatios[];

  constructor(history: History, base: NextBaseFee) {
    this.#history = history;
    this.#base = base;
    this.#ratios = BLOCKS_AHEAD.map((blocksAhead) => {
      const column = history.column(TRAILING_BLOCKS + blocksAhead);
      return { blocksAhead, column, window: new Rolling(column, new SortedValues()) };
    });
  }

  push(): void {
    const { head, oldest, baseFee, nextBaseFee } = this.#history;
    for (const { blocksAhead, column } of this.#ratios) {
      const since = head - blocksAhead;
      if (since >= oldest) column.put(since, feeRatio(baseFee.at(head), nextBaseFee.at(since)));
    }
    this.followHead();
  }

  followHead(): void {
    for (const { blocksAhead, window } of this.#ratios) {
      window.moveTo(this.#history.settled(blocksAhead, TRAILING_BLOCKS));
    }
  }

  /** @param exact whether the next base fee is known and not guessed; `formulaHolds` whether EIP-1559 bounds the rest. */
  steps(nextBaseFee: bigint, exact: boolean, formulaHolds: boolean): FanStep[] {
    return this.#ratios.map(({ blocksAhead, window }) => {
      if (blocksAhead === 1 && exact) {
        return { blocksAhead, min: nextBaseFee, expected: nextBaseFee, max: nextBaseFee };
      }
      const low = extremeBaseFee(nextBaseFee, blocksAhead - 1, this.#base.rule, 'empty');
      const high = extremeBaseFee(nextBaseFee, blocksAhead - 1, this.#base.rule, 'full');
      const ratios = window.tally;
      // With too little history the extremes are all that can be said, and without a formula not even those.
      if (ratios.size < LEAST_BLOCKS) {
        return formulaHolds
          ? { blocksAhead, min: low, expected: nextBaseFee, max: high }
          : { blocksAhead, min: nextBaseFee / 2n, expected: nextBaseFee, max: nextBaseFee * 2n };
      }
      const at = (q: number): bigint => {
        const fee = BigInt(wholeWei(Number(nextBaseFee) * (ratios.quantile(q) ?? 1)));
        if (!formulaHolds) return fee;
        return fee < low ? low : fee > high ? high : fee;
      };
      return { blocksAhead, min: at(LOW), expected: at(0.5), max: at(HIGH) };
    });
  }
}
