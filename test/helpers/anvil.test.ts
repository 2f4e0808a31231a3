import { expect, test } from 'vitest';
import { startAnvil } from './anvil.ts';

test('the node has what was sent to it, and is gone after stop', async () => {
  const anvil = await startAnvil({ noMining: true, baseFee: 7, gasLimit: 420_000, chainId: 4242 });
  try {
    expect(await anvil.rpc('eth_chainId')).toBe('0x1092');
    await anvil.sendTransfers(Array.from({ length: 20 }, (_, i) => BigInt(i + 1) * 1_000_000n));
    await anvil.setNextBaseFee(1_000_000_000n);
    await anvil.mine();
    const history = (await anvil.rpc('eth_feeHistory', ['0x1', 'latest', [10, 50, 99]])) as {
      baseFeePerGas: string[];
      gasUsedRatio: number[];
      reward: string[][];
    };
    expect(history.gasUsedRatio).toEqual([1]);
    expect(history.baseFeePerGas.map(Number)).toEqual([1_000_000_000, 1_125_000_000]);
    expect(history.reward[0]?.map(Number)).toEqual([2_000_000, 10_000_000, 20_000_000]);
    await anvil.mine(3);
    const before = await anvil.rpc('eth_getBlockByNumber', ['latest', false]);
    await anvil.reorg(2);
    const after = await anvil.rpc('eth_getBlockByNumber', ['latest', false]);
    expect((after as { number: string }).number).toBe((before as { number: string }).number);
    expect((after as { hash: string }).hash).not.toBe((before as { hash: string }).hash);
  } finally {
    await anvil.stop();
  }
  await expect(fetch(anvil.url)).rejects.toThrow();
  expect(() => process.kill(anvil.pid, 0)).toThrow();
});
