import type { Block } from '../block.ts';
import { gasUsedRatioFromBaseFees } from '../eip1559.ts';
import type { FeeRule } from '../fee-rule.ts';

/** What a recording is, for whoever reads its score. Wei per gas; Unix seconds. */
export interface StretchFacts {
  readonly firstBlock: number;
  readonly lastBlock: number;
  readonly blocks: number;
  readonly firstTime: number;
  readonly lastTime: number;
  readonly baseFee: { readonly lowest: bigint; readonly median: bigint; readonly highest: bigint };
  /** Blocks whose tips are known. */
  readonly withTips: number;
  /** `counted`: gas and limit; `ratio`: their ratio only; `derived`: from the base fees, by inverting EIP-1559. */
  readonly gasUsed: 'counted' | 'ratio' | 'derived';
}

/** @throws RangeError for no blocks. */
export function stretchFacts(blocks: readonly Block[], rule: FeeRule): StretchFacts {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('a stretch has blocks');
  const fees = blocks.map((block) => block.baseFeePerGas).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return {
    firstBlock: first.number,
    lastBlock: last.number,
    blocks: blocks.length,
    firstTime: first.timestamp,
    lastTime: last.timestamp,
    baseFee: {
      lowest: fees[0] ?? 0n,
      median: fees[fees.length >> 1] ?? 0n,
      highest: fees.at(-1) ?? 0n,
    },
    withTips: blocks.filter((block) => block.tips !== null).length,
    gasUsed: gasUsedOf(blocks, rule),
  };
}

function gasUsedOf(blocks: readonly Block[], rule: FeeRule): StretchFacts['gasUsed'] {
  if (blocks.every((block) => block.gasUsed !== null)) return 'counted';
  // To the last bit: nobody's measured ratio is that.
  const isDerived = blocks.every((block, index) => {
    const next = blocks[index + 1]?.baseFeePerGas;
    if (next === undefined || block.gasUsed !== null) return true;
    return block.gasUsedRatio === gasUsedRatioFromBaseFees(block.baseFeePerGas, next, rule);
  });
  return isDerived ? 'derived' : 'ratio';
}
