import { expect, onTestFinished, test } from 'vitest';
import { startAnvil } from '../../helpers/anvil.ts';
import { fund, GWEI, sign, startRig } from '../../helpers/auto-tx-rig.ts';

test('a chain for development that makes blocks only for transactions is given one, however old its head is', async () => {
  const anHourAgo = Math.floor(Date.now() / 1_000) - 3_600;
  const anvil = await startAnvil({ baseFee: 10n * GWEI, args: ['--timestamp', String(anHourAgo)] });
  onTestFinished(() => anvil.stop());
  const account = await fund(anvil);
  const rig = await startRig({ urls: [anvil.url] });
  onTestFinished(() => rig.stop());
  const id = await rig.place(await sign(account), { target: 20n * GWEI });
  const { state } = await rig.until(id, 'EXECUTED');
  expect(state.inclusion).toMatchObject({ blockNumber: 1, outcome: 'success' });
  expect(rig.errors).toEqual([]);
});
