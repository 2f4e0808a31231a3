import { expect, it, onTestFinished } from 'vitest';
import { createSimulatedSource } from '../../src/chain/simulated-source.ts';
import { AutoTxList } from '../../src/contract/auto-txs.ts';
import { StatsMarket } from '../../src/contract/dashboard.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { fillDemo } from '../../src/service/demo.ts';
import { HistoryStore } from '../../src/store/history.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { readyService } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** What the gas check of each auto-tx of a demo says that waits, by its note. */
async function waitingOf(forkAfter: number | null) {
  const source = createSimulatedSource({ seed: 1, forkAfter });
  const database = await openDatabase(':memory:');
  const service = await readyService({ source, database });
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  await fillDemo({ service, source, database, signal: ended.signal });
  const { items } = AutoTxList.parse(await service.read(PATHS.autoTxs));
  const checked = items.flatMap(({ status, note, hold, checks }) => {
    const check = checks.find(({ name }) => name === 'intrinsic-gas');
    return status === 'PENDING' && check ? [[note, check.code, hold?.code ?? null] as const] : [];
  });
  return Object.fromEntries(checked.map(([note, ...said]) => [note, said]));
}

it('a demo that crosses the fork has an auto-tx that gets invalid, and one that would lose its gas', async () => {
  const ahead = await waitingOf(1_000);
  expect(ahead).toMatchObject({
    'publish a batch of data': ['gas_too_low_after_fork', null],
    'first pay of a new account': ['new_account', null],
  });
  expect(Object.keys(await waitingOf(null))).toEqual(['move to cold storage']);
});

it('a demo knows what its coin cost over the day, so that rules in dollars are previewed', async () => {
  const source = createSimulatedSource({ seed: 1 });
  const database = await openDatabase(':memory:');
  const service = await readyService({ source, database });
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  await fillDemo({ service, source, database, signal: ended.signal });
  const { number, timestamp } = await source.head();
  const before = { from: timestamp - 86_400, to: timestamp - 1_200 };
  const prices = await new HistoryStore(database).coinPrices(before);
  expect(prices.length).toBeGreaterThan(140);
  for (const { since, native_usd } of prices) {
    expect(native_usd).toBe(source.nativeUsdAt(number - (timestamp - since) / 12));
  }
  await waitFor(async () => {
    const market = StatsMarket.parse(await service.read(`${PATHS.statsMarket}?timeFrame=24h`));
    return market.nativeUsdChangeRatio !== null;
  });
});
