/** The monitor on a development chain that is started again under it. */
import { expect, it, onTestFinished } from 'vitest';
import { startAnvil } from '../helpers/anvil.ts';
import { gastop } from '../helpers/gastop.ts';
import { freePort } from '../helpers/listen.ts';

it('the monitor says that the chain began anew, goes on with the new one, and keeps it on record', async () => {
  const first = await startAnvil({ noMining: true, baseFee: 100_000_000_000n, port: await freePort() });
  onTestFinished(() => first.stop());
  await first.mine(12);
  await using terminal = await gastop(['--rpc', first.url], { cols: 120, rows: 40 });
  await terminal.waitFor('#12 ');
  await first.stop();
  const second = await startAnvil({ noMining: true, baseFee: 10_000_000_000n, port: first.port });
  onTestFinished(() => second.stop());
  await second.mine(3);
  await terminal.waitFor('The chain began anew: its history is dropped');
  await terminal.waitFor('#3 ');
  await terminal.press('6');
  await terminal.waitFor('the chain began anew');
  await terminal.press('q');
  expect((await terminal.waitForExit()).exitCode).toBe(0);
});
