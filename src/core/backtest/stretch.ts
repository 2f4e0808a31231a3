import { type Block, type TipPercentile, tipAt } from '../block.ts';
import { nextBaseFeeFromRatio } from '../eip1559.ts';
import type { FeeRule } from '../fee-rule.ts';

/** Recorded blocks as columns, in order; wei per gas as numbers, `NaN` where a recording does not say. */
export interface Stretch {
  readonly length: number;
  readonly number: Float64Array;
  /** Unix seconds, never falling. */
  readonly time: Float64Array;
  readonly baseFee: Float64Array;
  readonly gasUsedRatio: Float64Array;
  /** What the block let in with: its lowest known tip, 0 where none is known. */
  readonly asked: Float64Array;
  /** Base fee and what it asked for on top: the least that got into this block. */
  readonly price: Float64Array;
  /** Base fee of the block after each, as everybody knows it at that block (EIP-1559, or the chain's own word). */
  readonly nextBaseFee: Float64Array;
  readonly hasTips: boolean;
  tip(index: number, percentile: TipPercentile): number;
}

export function stretchOf(blocks: readonly Block[], rule: FeeRule): Stretch {
  const column = (of: (block: Block, index: number) => number) => Float64Array.from(blocks, of);
  const asked = column((block) => Number(tipAt(block, 10) ?? 0n));
  const baseFee = column((block) => Number(block.baseFeePerGas));
  let latest = Number.NEGATIVE_INFINITY;
  return {
    length: blocks.length,
    number: column((block) => block.number),
    time: column((block) => {
      latest = Math.max(latest, block.timestamp);
      return latest;
    }),
    baseFee,
    gasUsedRatio: column((block) => block.gasUsedRatio),
    asked,
    price: column((_, index) => (baseFee[index] ?? 0) + (asked[index] ?? 0)),
    nextBaseFee: column((block, index) =>
      Number(
        block.nextBaseFee ??
          blocks[index + 1]?.baseFeePerGas ??
          nextBaseFeeFromRatio(block.baseFeePerGas, block.gasUsedRatio, rule),
      ),
    ),
    hasTips: blocks.some((block) => block.tips !== null),
    tip: (index, percentile) => {
      const block = blocks[index];
      const tip = block === undefined ? null : tipAt(block, percentile);
      return tip === null ? Number.NaN : Number(tip);
    },
  };
}
