import { expect, it, onTestFinished } from 'vitest';
import { createSimulatedSource } from '../../src/chain/simulated-source.ts';
import { AutoTxList } from '../../src/contract/auto-txs.ts';
import { PATHS } from '../../src/contract/routes.ts';
import { fillDemo } from '../../src/service/demo.ts';
import { openDatabase } from '../helpers/open-database.ts';
import { readyService } from '../helpers/service.ts';

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
