import { describe, expect, it, test } from 'vitest';
import { blockTips } from '../../src/core/block.ts';
import { gasOfReceipts, tipsByGas, weighedBy } from '../../src/core/tips-by-gas.ts';
import { tipCases } from './support/amsterdam.ts';

const paidIn = ({ transactions }: ReturnType<typeof tipCases>[number]) =>
  transactions.map(({ gasUsed, tip }) => ({ gasUsed: BigInt(gasUsed), tip: BigInt(tip) }));
const tipsOf = (rewards: readonly number[]) => {
  const tips = blockTips(rewards.map(BigInt));
  if (tips === null) throw new Error('no tips');
  return tips;
};

describe('the tip percentiles of a block', () => {
  test.each(tipCases().map((each) => [each.id, each] as const))('%s', (_, each) => {
    const paid = paidIn(each);
    expect(Number(gasOfReceipts(paid))).toBe(each.sumOfReceipts);
    expect(tipsByGas(paid, gasOfReceipts(paid))).toEqual(each.rewardByReceipts.map(BigInt));
    expect(tipsByGas(paid, BigInt(each.headerGasUsed))).toEqual(each.rewardByHeader.map(BigInt));
  });

  it('tell whose gas a node weighs by, where that makes a difference', () => {
    for (const each of tipCases()) {
      const paid = paidIn(each);
      const [right, wrong] = [tipsOf(each.rewardByReceipts), tipsOf(each.rewardByHeader)];
      const told = (tips: typeof right) => weighedBy(tips, paid, BigInt(each.headerGasUsed));
      const differs = String(right) !== String(wrong);
      expect([told(right), told(wrong)]).toEqual(differs ? ['receipts', 'header'] : [null, null]);
      expect(told(tipsOf([1, 1, 1, 1, 1, 1, 1]))).toBeNull();
    }
  });

  it('are 0 where nothing paid', () => {
    expect(tipsByGas([], 0n)).toEqual([0n, 0n, 0n, 0n, 0n, 0n, 0n]);
  });
});
