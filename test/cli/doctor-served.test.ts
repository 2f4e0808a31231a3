import { afterAll, expect, it } from 'vitest';
import { createGasClient } from '../../src/client/client.ts';
import { V1_ROUTES } from '../../src/contract/routes.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { serveChain } from '../service/contract/served-chain.ts';
import { runMain } from './captured-io.ts';

const anvil = await startAnvil({ noMining: true });
await anvil.mine(3);
await anvil.sendTransfers([1e9, 2e9]);
await anvil.mine();
const served = await serveChain(anvil.url);
const run = (key: string, ...argv: readonly string[]) =>
  runMain([...argv, '--url', served.origin], { env: { GASTOP_API_KEY: key } });
const key = await served.key('open');
await waitFor(async () => (await run(key, 'now', '--stale-ok')).exitCode === 0);
afterAll(async () => {
  await served.stop();
  await anvil.stop();
});

it('the service of others is usable with a key: what it offers is to the letter, and the key is shown nowhere', async () => {
  await createGasClient({ url: served.origin, apiKey: key }).createAlert({
    thresholdGwei: 0.000000001,
    gasSpeed: 'SLOW',
    condition: 'LESS_THAN',
    channels: ['TERMINAL'],
  });
  const { exitCode, stdout } = await run(key, 'doctor');
  expect(exitCode).toBe(0);
  expect(stdout).not.toContain(key);
  const offered = V1_ROUTES.filter(({ method, group }) => method === 'get' && group !== 'auto-txs');
  for (const { path } of offered) {
    const line = stdout.split('\n').find((text) => text.startsWith(`${path} `));
    expect(line).toMatch(/ 200 +\d+ {2}valid, \d+ fields$/);
  }
  expect(stdout).toMatch(/description {3}OpenAPI, .*: 26 routes of\s+v1\n/);
});
