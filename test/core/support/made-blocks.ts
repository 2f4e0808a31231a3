import type { Block, BlockTips } from '../../../src/core/block.ts';
import { ETHEREUM_FEE_RULE, type FeeRule, nextBaseFeeFromRatio } from '../../../src/core/eip1559.ts';
import { FeeEngine } from '../../../src/core/engine/fee-engine.ts';
import { BARE_BLOCK } from '../../helpers/chain-blocks.ts';

export interface MadeBlock {
  readonly gasUsedRatio: number;
  readonly lowTip?: number | null;
  readonly spacingSec?: number;
}

export interface MadeChain {
  readonly firstNumber?: number;
  readonly firstBaseFee?: bigint;
  readonly rule?: FeeRule;
}

/** An unbroken run of blocks whose base fees follow EIP-1559. Not recorded from any chain. */
export function makeBlocks(steps: readonly MadeBlock[], chain: MadeChain = {}): Block[] {
  const { firstNumber = 1_000, firstBaseFee = 10_000_000_000n, rule = ETHEREUM_FEE_RULE } = chain;
  let baseFeePerGas = firstBaseFee;
  let timestamp = 1_700_000_000;
  return steps.map(({ gasUsedRatio, lowTip = 0, spacingSec = rule.blockTimeSec }, index) => {
    const block: Block = {
      ...BARE_BLOCK,
      number: firstNumber + index,
      timestamp,
      baseFeePerGas,
      gasUsedRatio,
      tips: lowTip === null ? null : ladder(lowTip),
    };
    baseFeePerGas = nextBaseFeeFromRatio(baseFeePerGas, gasUsedRatio, rule);
    timestamp += spacingSec;
    return block;
  });
}

export function engineAfter(
  blocks: readonly Block[],
  { feeRule = ETHEREUM_FEE_RULE, capacity = 2_000 }: { feeRule?: FeeRule; capacity?: number } = {},
): FeeEngine {
  const engine = new FeeEngine({ feeRule, capacity });
  for (const block of blocks) engine.push(block);
  return engine;
}

function ladder(lowTip: number): BlockTips {
  const at = (times: number): bigint => BigInt(lowTip) * BigInt(times);
  return [at(1), at(2), at(3), at(4), at(5), at(6), at(7)];
}

export function restlessSteps(count: number, seed = 1): MadeBlock[] {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, (_, index) => {
    const wave = 0.5 + 0.15 * Math.sin(index / 40);
    const gasUsedRatio = Math.min(Math.max(wave + (random() - 0.5) * 0.9, 0), 1);
    return { gasUsedRatio, lowTip: Math.floor(random() * 50_000_000) };
  });
}

/** How demand moves: what is thought fair drifts by this share a block, and each block's buyers differ by that much. */
const DRIFT = 0.01;
const SPREAD = 0.5;
/** Demand falls with the square of how far the base fee lies above what is thought fair. */
const ELASTICITY = 2;

/** Buyers who turn away from what is dear, on a chain of this rule; nobody tips. The same for the same seed. */
export function demandSteps(count: number, rule: FeeRule, seed = 1): MadeBlock[] {
  const random = randomNumbers(seed);
  // Sum of twelve: near enough to a normal distribution.
  const normal = () => Array.from({ length: 12 }, random).reduce((sum, each) => sum + each, -6);
  let baseFee = 10_000_000_000n;
  let fair = Number(baseFee);
  return Array.from({ length: count }, () => {
    fair *= Math.exp(DRIFT * normal());
    const demand = (fair / Number(baseFee)) ** ELASTICITY * Math.exp(SPREAD * normal());
    const gasUsedRatio = Math.min(demand / rule.elasticity, 1);
    baseFee = nextBaseFeeFromRatio(baseFee, gasUsedRatio, rule);
    return { gasUsedRatio };
  });
}

function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
