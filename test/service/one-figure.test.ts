import { expect, test } from 'vitest';
import { GasRecommendation, GasTrend } from '../../src/contract/advice.ts';
import { StatsChart, StatsCurrent, StatsMarket } from '../../src/contract/dashboard.ts';
import { GasCurrent } from '../../src/contract/gas.ts';
import { BaseFeeMetrics } from '../../src/contract/metrics.ts';
import { PATHS } from '../../src/contract/routes.ts';
import type { Block } from '../../src/core/block.ts';
import { ETHEREUM_FEE_RULE } from '../../src/core/eip1559.ts';
import { demandSteps, makeBlocks } from '../core/support/made-blocks.ts';
import { recordedBlocks } from '../core/support/recorded-blocks.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { readyService } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const START = 300;
const WALKED = 500;

test.each<[string, () => readonly Block[]]>([
  ['recorded blocks', () => recordedBlocks()],
  ...[1, 2, 3, 4].map((seed): [string, () => readonly Block[]] => [
    `made chain ${seed}`,
    () => makeBlocks(demandSteps(START + WALKED, ETHEREUM_FEE_RULE, seed)),
  ]),
])('%s have one base fee, price and advice on each route', async (_, blocksOf) => {
  const blocks = blocksOf().slice(0, START + WALKED);
  const source = new ScriptedSource(blocks.slice(0, START), { kind: 'replay' });
  const service = await readyService({ source });
  for (let at = START; at < START + WALKED; at += 20) {
    const more = blocks.slice(at, at + 20);
    source.mine(...more);
    const head = more.at(-1) ?? expect.fail('no block');
    const found = await waitFor(
      async () => {
        const now = GasCurrent.parse(await service.read(PATHS.gasCurrent));
        if (now.blockNumber !== head.number) throw new Error(`it is at block ${now.blockNumber}`);
        return now;
      },
      { what: `block ${head.number}` },
    );
    const current = found ?? expect.fail('no prices of the block');
    const stats = StatsCurrent.parse(await service.read(PATHS.statsCurrent));
    expect(stats.snapshot).toEqual(current);
    expect(stats.trend).toEqual(GasTrend.parse(await service.read(PATHS.gasTrend)));
    expect(stats.recommendation).toEqual(
      GasRecommendation.parse(await service.read(PATHS.gasRecommendation)),
    );
    const base = Number(head.baseFeePerGas);
    expect(current.basePrice).toBe(base);
    const market = StatsMarket.parse(await service.read(`${PATHS.statsMarket}?timeFrame=24h`));
    expect([market.base.now, market.average.now]).toEqual([base, current.averagePrice]);
    const { data } = BaseFeeMetrics.parse(
      await service.read(
        `${PATHS.baseFee}?bucket=block&from=${current.blockTimestamp}&to=2030-01-01T00:00:00Z`,
      ),
    );
    expect(data.find(({ blockNumber }) => blockNumber === head.number)?.close).toBe(base);
    const { points } = StatsChart.parse(await service.read(`${PATHS.statsChart}?timeFrame=1h`));
    expect(points.at(-1)?.base).toBe(base);
  }
});
