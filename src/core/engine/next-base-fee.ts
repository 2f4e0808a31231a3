import type { FanStep } from '../advice.ts';
import type { Block } from '../block.ts';
import { type FeeRule, nextBaseFee, nextBaseFeeFromRatio, statedRule } from '../eip1559.ts';
import { type Column, feeRatio, type History, toPpm, wholeWei } from './history.ts';
import { SortedValues, WholeSum } from './rolling.ts';

/** Blocks on which the formula is put to the test, and the share of them that may contradict it (a fork, say). */
const JUDGED_BLOCKS = 100;
const TOLERATED_SHARE = 0.02;
/** A gas-used ratio with few digits moves the formula this much, and rounding to whole wei that much. */
const RELATIVE_TOLERANCE = 1e-3;
const WEI_TOLERANCE = 2;

/** Blocks on which the source's word is put to the test, and how many of them may contradict it. */
const WORD_BLOCKS = 20;
const TOLERATED_WORDS = 1;
/** A base fee that moves less between two blocks on average, in millionths, stays where it is. */
const STEADY_PPM = 10_000;
/** No rule takes more than half of a base fee off within one block. */
const LARGEST_FALL = 2n;

export type NextBaseFee = ReturnType<typeof createNextBaseFee>;

/**
 * The next base fee: the source's word if there is one and it comes true, otherwise EIP-1559 as long as the chain follows it,
 * otherwise the head's own.
 */
export function createNextBaseFee(history: History, knownRule: FeeRule) {
  let rule = knownRule;
  let saidTarget: number | null = null;
  const formula = history.column(JUDGED_BLOCKS);
  /** 1 when a block's base fee differed from the formula, otherwise 0. */
  const contradicted = history.column(JUDGED_BLOCKS);
  /** 1 when a believed word for the block to come differs from the formula. */
  const disputed = history.column(JUDGED_BLOCKS);
  const contradictions = history.rolling(contradicted, new WholeSum(), JUDGED_BLOCKS);
  /** The source's word; `NaN` when it says nothing. Of most past blocks it is what came, read afterwards. */
  const word = history.column(2);
  const wordContradicted = history.column(JUDGED_BLOCKS);
  const wordContradictions = history.rolling(wordContradicted, new WholeSum(), WORD_BLOCKS);
  const lately = history.rolling(history.baseFee, new SortedValues(), JUDGED_BLOCKS);
  const wordError = createForecastError(WORD_BLOCKS);
  const formulaError = createForecastError(JUDGED_BLOCKS);
  const unchangedError = {
    short: createForecastError(WORD_BLOCKS),
    long: createForecastError(JUDGED_BLOCKS),
  };

  /** How far a forecast lay from the base fees that came, summed over the last blocks. */
  function createForecastError(blocks: number) {
    const error = history.column(blocks);
    const sum = history.rolling(error, new WholeSum(), blocks);
    return {
      judge: (actual: number, forecast: number) =>
        error.put(
          history.head,
          Number.isNaN(forecast) ? Number.NaN : toPpm(Math.abs(feeRatio(actual, forecast) - 1)),
        ),
      get sum(): number {
        return sum.tally.sum;
      },
      get mean(): number {
        return sum.tally.mean ?? Number.POSITIVE_INFINITY;
      },
    };
  }

  function heldSoFar(): boolean {
    const { sum, count } = contradictions.tally;
    return sum <= TOLERATED_SHARE * count;
  }

  /** Whether the chain follows EIP-1559 with this rule; only then may forecasts rely on it. */
  function formulaHolds(): boolean {
    const { sum, count } = contradictions.tally;
    const dispute = disputed.at(history.head);
    return Number.isNaN(dispute) ? heldSoFar() : sum + dispute <= TOLERATED_SHARE * (count + 1);
  }

  /** Whether the word for the block after the head may be what comes, judged by what came of such words. */
  function isBelievable(said: bigint, block: Block): boolean {
    if (said * LARGEST_FALL < block.baseFeePerGas) return false;
    const { short, long } = unchangedError;
    if (wordContradictions.tally.sum > TOLERATED_WORDS)
      return !heldSoFar() && (short.mean > STEADY_PPM || wordError.sum < short.sum);
    if (heldSoFar() || long.mean > STEADY_PPM) return true;
    // A source may work out its word by a rule that the chain does not follow, as below a floor that nobody states.
    if (Number(said) < (lately.tally.quantile(0) ?? 0)) return false;
    const isByFormula = differs(Number(said), formula.at(block.number)) === 0;
    return !isByFormula || formulaError.sum < long.sum;
  }

  /** The next base fee after the head; `block` is the head. */
  function predict(block: Block): bigint {
    const said = block.nextBaseFee;
    if (said !== null && isBelievable(said, block)) return said;
    // Where the formula does not hold, an unchanged fee is the best guess.
    return formulaHolds() ? byFormula(block, rule) : block.baseFeePerGas;
  }

  return {
    predict,
    /** The rule for the next block: of the last header that states it, else the one that the chain is known for. */
    get rule(): FeeRule {
      return rule;
    },
    get formulaHolds(): boolean {
      return formulaHolds();
    },
    /** Whether the next base fee is known and not guessed; `block` is the head. */
    isKnown: (block: Block): boolean =>
      formulaHolds() || (block.nextBaseFee !== null && isBelievable(block.nextBaseFee, block)),
    /** Ingests the head's fees; returns the next base fee. */
    push(block: Block): bigint {
      const head = block.number;
      rule = ruleAfter(block, rule);
      const target = rule.targetPercent === undefined ? null : forecastTarget(block, rule);
      // Twice in a row: once it may be chance.
      if (target !== null && target === saidTarget) rule = { ...rule, targetPercent: target };
      saidTarget = target ?? saidTarget;
      const next = Number(byFormula(block, rule));
      // A genesis block was not made by the rule: development chains give its base fee to the first block too.
      const before = (of: Column, from = history.origin) => (head > from ? of.at(head - 1) : Number.NaN);
      const expected = before(formula, Math.max(history.origin, 1));
      const [fee, said] = [Number(block.baseFeePerGas), before(word)];
      contradicted.put(head, differs(fee, expected));
      wordContradicted.put(head, differs(fee, said));
      wordError.judge(fee, said);
      formulaError.judge(fee, expected);
      for (const error of Object.values(unchangedError)) error.judge(fee, before(history.baseFee));
      formula.put(head, next);
      word.put(head, block.nextBaseFee === null ? Number.NaN : Number(block.nextBaseFee));
      const isBelieved = block.nextBaseFee !== null && isBelievable(block.nextBaseFee, block);
      disputed.put(head, isBelieved ? differs(word.at(head), next) : Number.NaN);
      return predict(block);
    },
  };
}

type FeeFacts = Pick<Block, 'baseFeePerGas' | 'gasUsed' | 'gasLimit' | 'gasUsedRatio' | 'stated'>;

/** By what is known of the block's gas, wei per gas. A chain without base fees keeps to that. */
export const nextBaseFeeByRule = (block: FeeFacts, rule: FeeRule): bigint =>
  block.baseFeePerGas === 0n ? 0n : byFormula(block, rule);

/** The rule by what the block's header states; a base fee below the floor that the chain is known for disproves that one. */
function ruleAfter({ stated, baseFeePerGas }: Block, rule: FeeRule): FeeRule {
  if (stated !== undefined && rule.isStated) return statedRule(rule, stated);
  if (rule.minBaseFee === undefined || baseFeePerGas >= rule.minBaseFee) return rule;
  const { minBaseFee: _, ...withoutFloor } = rule;
  return withoutFloor;
}

/** How far from a whole percent: the forecast then has another cause, or the step is too small to tell. */
const PERCENT_TOLERANCE = 0.02;

/** The gas target in percent by which the node forecasts (producers of Polygon's blocks choose it); `null`: it does not tell. */
function forecastTarget(
  { baseFeePerGas, nextBaseFee: next, gasUsedRatio }: Block,
  rule: FeeRule,
): number | null {
  if (next === null || baseFeePerGas === 0n || next === baseFeePerGas) return null;
  const step = Number(next - baseFeePerGas) / Number(baseFeePerGas);
  const percent = (100 * gasUsedRatio) / (1 + step * rule.denominator);
  const whole = Math.round(percent);
  return whole >= 1 && whole <= 100 && Math.abs(percent - whole) <= PERCENT_TOLERANCE ? whole : null;
}

function byFormula(block: FeeFacts, rule: FeeRule): bigint {
  const { baseFeePerGas, gasLimit, gasUsedRatio, stated } = block;
  const gasUsed = rule.isStated && stated !== undefined ? stated.meteredGas : block.gasUsed;
  return gasUsed !== null && gasLimit !== null
    ? nextBaseFee({ baseFeePerGas, gasUsed, gasLimit }, rule)
    : nextBaseFeeFromRatio(baseFeePerGas, gasUsedRatio, rule);
}

function differs(actual: number, expected: number): number {
  if (Number.isNaN(actual) || Number.isNaN(expected)) return Number.NaN;
  return Math.abs(actual - expected) > WEI_TOLERANCE + RELATIVE_TOLERANCE * expected ? 1 : 0;
}

/** The base fee after so many blocks, when every block between is full, or empty. */
export function extremeBaseFee(fee: bigint, count: number, rule: FeeRule, between: 'full' | 'empty'): bigint {
  const gasLimit = 100n * BigInt(rule.elasticity);
  const gasUsed = between === 'full' ? gasLimit : 0n;
  let next = fee;
  for (let at = 0; at < count; at += 1) next = nextBaseFee({ baseFeePerGas: next, gasUsed, gasLimit }, rule);
  return next;
}

const BLOCKS_AHEAD = [1, 2, 3, 4, 5] as const;
const TRAILING_BLOCKS = 600;
const LEAST_BLOCKS = 100;
const LOW = 0.05;
const HIGH = 0.95;

/** The base fee 1 to 5 blocks ahead: percentiles of its movement in the last 600 blocks, within the limits of EIP-1559. */
export function createFanModel(history: History) {
  const ratios = BLOCKS_AHEAD.map((blocksAhead) => {
    const column = history.column(TRAILING_BLOCKS + blocksAhead);
    const window = history.rolling(column, new SortedValues(), TRAILING_BLOCKS, blocksAhead);
    return { blocksAhead, column, window };
  });
  return {
    push(): void {
      const { head, oldest, baseFee, nextBaseFee } = history;
      for (const { blocksAhead, column } of ratios) {
        const since = head - blocksAhead;
        if (since >= oldest) column.put(since, feeRatio(baseFee.at(head), nextBaseFee.at(since)));
      }
    },
    /** @param isExact whether the next base fee is known and not guessed */
    steps(nextBaseFee: bigint, isExact: boolean, { rule, formulaHolds }: NextBaseFee): FanStep[] {
      return ratios.map(({ blocksAhead, window }) => {
        if (blocksAhead === 1 && isExact) {
          return { blocksAhead, min: nextBaseFee, expected: nextBaseFee, max: nextBaseFee };
        }
        const low = extremeBaseFee(nextBaseFee, blocksAhead - 1, rule, 'empty');
        const high = extremeBaseFee(nextBaseFee, blocksAhead - 1, rule, 'full');
        const { tally } = window;
        // With too little history the extremes are all that can be said, and without a formula not even those.
        if (tally.size < LEAST_BLOCKS) {
          return formulaHolds
            ? { blocksAhead, min: low, expected: nextBaseFee, max: high }
            : { blocksAhead, min: nextBaseFee / 2n, expected: nextBaseFee, max: nextBaseFee * 2n };
        }
        const at = (q: number): bigint => {
          const fee = BigInt(wholeWei(Number(nextBaseFee) * (tally.quantile(q) ?? 1)));
          if (!formulaHolds) return fee;
          return fee < low ? low : fee > high ? high : fee;
        };
        return { blocksAhead, min: at(LOW), expected: at(0.5), max: at(HIGH) };
      });
    },
  };
}
