import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { Summary } from '../../src/contract/dashboard.ts';
import { GasCurrent, GasRecommendation, GasTrend } from '../../src/contract/gas.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { blockHash, makeBlock, makeBlocks } from '../helpers/chain-blocks.ts';
import { ScriptedSource } from '../helpers/scripted-source.ts';
import { type RunningService, runService, temporaryFolder } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const current = async (service: RunningService) => GasCurrent.parse(await service.read(PATHS.gasCurrent));

/** What is said by all that is known: with nobody who waits for prices. */
async function advisedAtLeisure(source: ScriptedSource, database?: string) {
  const service = await runService({ source, ...(database === undefined ? {} : { database }) });
  await service.ready;
  const lanes = (await current(service)).lanes;
  const { reasons, alternatives } = GasRecommendation.parse(await service.read(PATHS.gasRecommendation));
  const { percentileRank24h } = GasTrend.parse(await service.read(PATHS.gasTrend));
  await service.stop();
  return { lanes, reasons, alternatives, percentileRank24h };
}

async function advisedBy(service: RunningService) {
  // Asked first: it waits until all is known.
  const { reasons, alternatives } = GasRecommendation.parse(await service.read(PATHS.gasRecommendation));
  const { percentileRank24h } = GasTrend.parse(await service.read(PATHS.gasTrend));
  return { lanes: (await current(service)).lanes, reasons, alternatives, percentileRank24h };
}

test('with nothing stored, prices are those of a few blocks until they are shown, and advice waits for the rest', async () => {
  const source = new ScriptedSource(makeBlocks(0, 499));
  const shown = Promise.withResolvers<void>();
  const service = await runService({ source, pricesShown: shown.promise });
  await service.ready;
  const first = await current(service);
  expect(first.blockNumber).toBe(499);
  expect(source.blocksAsked).toEqual([{ from: 436, to: 499 }]);
  const advised = advisedBy(service);
  const summary = service.read(PATHS.summary);
  // So that it was asked for with all its code there.
  await service.read(PATHS.alerts);
  await service.read(PATHS.alerts);
  shown.resolve();
  expect(await advised).toEqual(await advisedAtLeisure(new ScriptedSource(makeBlocks(0, 499))));
  // By a few blocks alone there is none.
  expect(Summary.parse(await summary).recommendation.probability).not.toBeNull();
  expect(source.blocksAsked[1]).toEqual({ from: 200, to: 499 });
  expect(first.basePrice).toBe((await current(service)).basePrice);
  expect(service.errors).toEqual([]);
});

test('with blocks stored, prices come before a day of them is gone through, and the same advice after it', async () => {
  const database = join(await temporaryFolder(), 'history.db');
  const chain = () => new ScriptedSource(makeBlocks(0, 499));
  await advisedAtLeisure(chain(), database);
  const atLeisure = await advisedAtLeisure(chain(), database);
  const shown = Promise.withResolvers<void>();
  const source = chain();
  const service = await runService({ source, database, pricesShown: shown.promise });
  await service.ready;
  expect((await current(service)).blockNumber).toBe(499);
  const advised = advisedBy(service);
  shown.resolve();
  expect(await advised).toEqual(atLeisure);
  expect(service.errors).toEqual([]);
});

test('a source that is away at the first look is told of, and followed once it is back', async () => {
  const source = new ScriptedSource(makeBlocks(0, 499));
  source.isReachable = false;
  const service = await runService({ source, pricesShown: Promise.resolve() });
  expect((await service.get(PATHS.gasRecommendation)).status).toBe(503);
  source.isReachable = true;
  await service.ready;
  expect((await current(service)).blockNumber).toBe(499);
});

test('a source that leaves the first look without an answer is asked for everything, and followed', async () => {
  const source = Object.assign(new ScriptedSource(makeBlocks(0, 499)), {
    newest: () => new Promise<never>(() => {}),
  });
  const service = await runService({ source, pricesShown: new Promise(() => {}) });
  await service.ready;
  expect((await current(service)).blockNumber).toBe(499);
  expect(source.blocksAsked).toEqual([{ from: 200, to: 499 }]);
  expect(service.errors).toEqual([]);
});

test.each(['with nothing stored', 'with blocks stored'])(
  '%s, a reorg and a source that is away for a while after the first look leave nothing of it',
  async (how) => {
    const database = join(await temporaryFolder(), 'history.db');
    const replaced = [498, 499].map((number) =>
      makeBlock(number, { hash: blockHash(number, 1), baseFeePerGas: 2_500_000_000n }),
    );
    if (how === 'with blocks stored')
      await advisedAtLeisure(new ScriptedSource(makeBlocks(0, 499)), database);
    const shown = Promise.withResolvers<void>();
    const source = new ScriptedSource(makeBlocks(0, 499));
    const service = await runService({ source, database, pricesShown: shown.promise });
    await service.ready;
    expect((await current(service)).blockNumber).toBe(499);
    source.reorg(497, replaced);
    source.isReachable = false;
    shown.resolve();
    await waitFor(() => service.errors.length > 0);
    source.isReachable = true;
    await waitFor(async () => (await current(service)).basePrice === 2_500_000_000);
    const fresh = new ScriptedSource([...makeBlocks(0, 497), ...replaced]);
    const { lanes } = await advisedAtLeisure(fresh);
    await waitFor(async () => isDeepStrictEqual((await current(service)).lanes, lanes));
  },
);

test('prices of the last run are stale without a fault until the source has answered, then follow it or say why not', async () => {
  const database = join(await temporaryFolder(), 'history.db');
  await advisedAtLeisure(new ScriptedSource(makeBlocks(0, 499)), database);
  const shown = Promise.withResolvers<void>();
  const source = new ScriptedSource(makeBlocks(0, 520));
  const service = await runService({ source, database, pricesShown: shown.promise });
  await service.ready;
  const before = await current(service);
  expect([before.blockNumber, before.stale, before.source.problem]).toEqual([499, true, null]);
  shown.resolve();
  await waitFor(async () => !(await current(service)).stale);
  expect((await current(service)).blockNumber).toBe(520);
  await service.stop();

  const away = new ScriptedSource(makeBlocks(0, 540));
  away.isReachable = false;
  const again = await runService({ source: away, database, pricesShown: Promise.resolve() });
  await waitFor(async () => (await current(again)).source.problem !== null);
  const told = await current(again);
  expect([told.stale, told.source.problem?.message]).toEqual([true, '127.0.0.1:8545 does not answer']);
});
