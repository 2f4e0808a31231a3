import type { Block } from './block.ts';
import { nextBaseFee, nextBaseFeeFromRatio } from './eip1559.ts';
import type { FeeRule } from './fee-rule.ts';
import type { Column, History } from './history.ts';
import { Rolling, WholeSum } from './rolling.ts';

/** Blocks on which the formula is put to the test, and the share of them that may contradict it (a fork, say). */
const JUDGED_BLOCKS = 100;
const TOLERATED_SHARE = 0.02;
/** A gas-used ratio with few digits moves the formula this much, and rounding to whole wei that much. */
const RELATIVE_TOLERANCE = 1e-3;
const WEI_TOLERANCE = 2;

/** What the next block will ask for: the node's word first, EIP-1559 otherwise, as long as the chain follows it. */
export class NextBaseFee {
  readonly #history: History;
  readonly #rule: FeeRule;
  readonly #formula: Column;
  /** 1 where a block asked for something else than the formula said, 0 where it did not. */
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
    const formula = byFormula(block, this.#rule);
    const said = block.nextBaseFee;
    const expected = head > this.#history.origin ? this.#formula.at(head - 1) : Number.NaN;
    this.#formula.put(head, Number(formula));
    this.#contradicted.put(head, differs(Number(block.baseFeePerGas), expected));
    this.#disputed.put(head, said === null ? Number.NaN : differs(Number(said), Number(formula)));
    this.followHead();
    return this.predict(block);
  }

  /** The next base fee after the head; `block` is the head. */
  predict(block: Block): bigint {
    if (block.nextBaseFee !== null) return block.nextBaseFee;
    // Where the formula does not hold and nobody says better, a fee that stays is the best guess.
    return this.formulaHolds ? byFormula(block, this.#rule) : block.baseFeePerGas;
  }

  /** Whether the chain has been doing what EIP-1559 with this rule says; promises may rest on it only then. */
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

/**
 * The base fee that the rule gives the block after `block`, wei per gas, from what is known of its gas. A chain
 * without base fees keeps to that.
 */
export function nextBaseFeeByRule(
  block: Pick<Block, 'baseFeePerGas' | 'gasUsed' | 'gasLimit' | 'gasUsedRatio'>,
  rule: FeeRule,
): bigint {
  return block.baseFeePerGas === 0n ? 0n : byFormula(block, rule);
}

function byFormula(
  block: Pick<Block, 'baseFeePerGas' | 'gasUsed' | 'gasLimit' | 'gasUsedRatio'>,
  rule: FeeRule,
): bigint {
  const { baseFeePerGas, gasUsed, gasLimit, gasUsedRatio } = block;
  return gasUsed !== null && gasLimit !== null
    ? nextBaseFee({ baseFeePerGas, gasUsed, gasLimit }, rule)
    : nextBaseFeeFromRatio(baseFeePerGas, gasUsedRatio, rule);
}

function differs(actual: number, expected: number): number {
  if (Number.isNaN(expected)) return Number.NaN;
  return Math.abs(actual - expected) > WEI_TOLERANCE + RELATIVE_TOLERANCE * expected ? 1 : 0;
}
