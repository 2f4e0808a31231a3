import { expect, onTestFinished, test } from 'vitest';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import { BaseFeeMetrics, PriorityFeeMetrics } from '../../src/contract/metrics.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { runService, temporaryFolder } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

interface FeeHistory {
  readonly baseFeePerGas: string[];
  readonly reward: string[][];
}

test("over a real node every number is the node's own, through reorg and restart of the service", async () => {
  const anvil = await startAnvil({ noMining: true });
  onTestFinished(() => anvil.stop());
  for (let block = 0; block < 5; block += 1) {
    await anvil.sendTransfers([1_000_000n, 2_000_000n, 3_000_000n].map((tip) => tip * BigInt(block + 1)));
    await anvil.mine();
  }
  const database = `${await temporaryFolder()}/chain.db`;
  const start = () => {
    const source = createRpcSource({ urls: [anvil.url], requestTimeoutMs: 60_000 });
    onTestFinished(() => source.close());
    return runService({ source, database });
  };

  const agrees = async (service: Awaited<ReturnType<typeof start>>) => {
    const latest = Number(await anvil.rpc('eth_blockNumber'));
    const history = (await anvil.rpc('eth_feeHistory', [
      `0x${latest.toString(16)}`,
      'latest',
      [50, 99],
    ])) as FeeHistory;
    const bases = history.baseFeePerGas.map(Number);
    await waitFor(async () => {
      const current = await service.current();
      return (
        current.blockNumber === latest &&
        current.basePrice === bases.at(-2) &&
        current.nextBasePrice === bases.at(-1)
      );
    });
    await waitFor(async () => {
      const stored = BaseFeeMetrics.parse(await service.read(`${PATHS.baseFee}?bucket=block&size=500`));
      const rows = stored.data.filter((row) => row.blockNumber > 0);
      return JSON.stringify(rows.map((row) => row.close)) === JSON.stringify(bases.slice(0, -1));
    });
    const tips = PriorityFeeMetrics.parse(
      await service.read(`${PATHS.priorityFee}?bucket=block&size=500&percentile=p99`),
    );
    expect(tips.data.filter((row) => row.blockNumber > 0).map((row) => row.value)).toEqual(
      history.reward.map((rewards) => Number(rewards[1])),
    );
  };

  const first = await start();
  await first.ready;
  await agrees(first);
  await anvil.sendTransfers([5_000_000n]);
  await anvil.mine(2);
  await agrees(first);
  await anvil.reorg(2);
  await anvil.mine();
  await agrees(first);
  await first.stop();

  await anvil.sendTransfers([7_000_000n]);
  await anvil.mine(3);
  const second = await start();
  await second.ready;
  await agrees(second);
  expect([...first.errors, ...second.errors]).toEqual([]);
});
