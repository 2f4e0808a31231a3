import { expect, test } from 'vitest';
import { createRpcSource } from '../../src/chain/rpc-source.ts';
import { GasRecommendation } from '../../src/contract/advice.ts';
import { GasCurrent } from '../../src/contract/gas.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { type JsonRpcServerOptions, startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';
import { readyService, temporaryFile } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const GWEI = 1_000_000_000;
const hex = (value: number) => `0x${value.toString(16)}`;

/** Polygon's nodes are known to take 25 gwei; this one takes no less than it says, but for one validator's own blocks. */
test.each([30, 40, 55])(
  'a node that takes no tip below %i gwei is believed of the past as well, and after a restart without it',
  async (least) => {
    const spacingSec = 2;
    const startedAt = Math.floor(Date.now() / 1_000) - 2_000 * spacingSec;
    const chain = createScriptedChain({ chainId: 137, length: 2_000, startedAt, spacingSec });
    const own = hex(1.5 * GWEI);
    const options: JsonRpcServerOptions = {
      answer: (method) => (method === 'eth_maxPriorityFeePerGas' ? { result: hex(least * GWEI) } : undefined),
      adjust: (method, result) => {
        if (method !== 'eth_feeHistory' || !Array.isArray(result.reward)) return result;
        const row = (tips: unknown[]) => tips.map((_, place) => (place < 2 ? own : hex(least * GWEI)));
        return { ...result, reward: result.reward.map(row) };
      },
    };
    const node = await startJsonRpcServer(chain, options);
    const database = await temporaryFile('chain-137.db');
    const source = createRpcSource({ urls: [node.url] });
    const first = await readyService({ source, database, historySec: 3_600 });
    const measured = async (service: typeof first) => {
      const { alternatives } = GasRecommendation.parse(await service.read(PATHS.gasRecommendation));
      return alternatives.flatMap(({ price }) => (price === null ? [] : [price]));
    };
    await waitFor(async () => (await measured(first)).length > 0, { what: 'advice' });
    const expectTips = async (service: typeof first) => {
      const { lanes } = GasCurrent.parse(await service.read(PATHS.gasCurrent));
      for (const { maxPriorityFeePerGas } of Object.values(lanes))
        expect(maxPriorityFeePerGas).toBeGreaterThanOrEqual(least * GWEI);
      for (const price of await measured(service)) expect(price).toBeGreaterThan(least * GWEI);
    };
    await expectTips(first);
    await first.stop();
    await node.stop();

    const away = createRpcSource({ urls: [node.url] });
    const second = await readyService({ source: away, database, historySec: 3_600 });
    await waitFor(async () => (await measured(second)).length > 0, { what: 'advice from what is stored' });
    await expectTips(second);
    source.close();
    away.close();
  },
);
