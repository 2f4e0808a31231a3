import { expect, test } from 'vitest';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import { createGasClient } from '../../src/client/client.ts';
import { GasRecommendation } from '../../src/contract/advice.ts';
import { GasCurrent } from '../../src/contract/gas.ts';
import { BlockMetrics } from '../../src/contract/metrics.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { formatGwei } from '../../src/core/units.ts';
import { startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';
import { readyService } from '../helpers/service.ts';

async function serviceAt(baseFee: bigint) {
  const chain = createScriptedChain({
    ...{ length: 40, baseFee, startedAt: Math.floor(Date.now() / 1_000) - 40 * 12 },
  });
  const node = await startJsonRpcServer(chain, {
    adjust: (method, result) =>
      method === 'eth_getBlockByNumber' ? { ...result, miner: `0x${'ab'.repeat(20)}` } : result,
  });
  const source = createRpcSource({ urls: [node.url] });
  const service = await readyService({ source });
  return { chain, service };
}

test.each([2n ** 53n * 2n, 10n ** 17n, 2n ** 80n])(
  'prices of a base fee of %i wei are null with the reason, and the client shows them as above the limit',
  async (baseFee) => {
    const { chain, service } = await serviceAt(baseFee);
    const current = GasCurrent.parse(await service.read(PATHS.gasCurrent));
    expect(current).toMatchObject({
      ...{ lowPrice: null, averagePrice: null, highPrice: null, basePrice: null, nextBasePrice: null },
      ...{ priorityPrice: null, reason: expect.stringContaining('9,007,199 gwei') },
    });
    for (const { price, maxFeePerGas, probability } of Object.values(current.lanes))
      expect([price, maxFeePerGas, probability]).toEqual([null, null, null]);
    expect(GasRecommendation.parse(await service.read(PATHS.gasRecommendation)).action).toBeNull();

    const { number } = chain.head();
    const metrics = BlockMetrics.parse(await service.read(PATHS.block.replace('{number}', String(number))));
    expect(metrics).toMatchObject({ baseFeePerGas: null, reason: expect.stringContaining('9,007,199 gwei') });

    const client = createGasClient({ url: 'http://gastop.internal', fetch: service.fetch });
    const { baseFee: shown, lanes } = await client.gasCurrent();
    for (const price of [shown, lanes.slow.price, lanes.fast.price])
      expect(formatGwei(price)).toBe('over 9,007,199');
    const chart = await client.statsChart('1h');
    expect(formatGwei(chart.points.at(-1)?.base ?? 0)).toBe('over 9,007,199');
    const rows = await client.baseFee({ bucket: 'block' });
    expect(formatGwei(rows.rows.at(-1)?.mean ?? 0)).toBe('over 9,007,199');
    expect(formatGwei((await client.block(number)).baseFeePerGas)).toBe('over 9,007,199');
  },
);

test.each([3_000_000n, 5_000_000n, 8_000_000n])(
  'a base fee of %i gwei is exact, with advice and no reason',
  async (gwei) => {
    const { service } = await serviceAt(gwei * 10n ** 9n);
    const current = GasCurrent.parse(await service.read(PATHS.gasCurrent));
    expect(current.reason).toBeUndefined();
    expect(current.basePrice).toBeGreaterThan(0);
    expect(current.averagePrice).toBeGreaterThanOrEqual(Number(current.nextBasePrice));
  },
);
