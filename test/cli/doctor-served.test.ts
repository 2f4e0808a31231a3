import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGasClient } from '../../src/client/client.ts';
import { V1_ROUTES } from '../../src/contract/routes.ts';
import { type Anvil, startAnvil } from '../helpers/anvil.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { type ServedChain, serveChain } from '../service/contract/served-chain.ts';
import { runMain } from './captured-io.ts';

/** `gastop serve` as it is, keys and all, over a real node. */
let anvil: Anvil;
let served: ServedChain;

beforeAll(async () => {
  anvil = await startAnvil({ noMining: true });
  await anvil.mine(3);
  await anvil.sendTransfers([1e9, 2e9]);
  await anvil.mine();
  served = await serveChain(anvil.url);
  const key = await served.key('open');
  await waitFor(async () => (await run(key, 'now', '--stale-ok')).exitCode === 0);
});
afterAll(async () => {
  await served.stop();
  await anvil.stop();
});

const run = (key: string, ...argv: readonly string[]) =>
  runMain([...argv, '--url', served.origin], { env: { GASTOP_API_KEY: key } });

describe('the service of others', () => {
  it('is usable with a key: what it offers is to the letter, and the key is shown nowhere', async () => {
    const key = await served.key('open');
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

  it('turns away every key that is wrong: exit 4, after one question', async () => {
    for (const [what, key] of Object.entries(await served.badKeys())) {
      const { exitCode, stdout, stderr } = await run(key, 'doctor');
      expect({ what, exitCode, stderr }).toEqual({ what, exitCode: 4, stderr: '' });
      expect(stdout).toContain('18 routes were not asked');
      if (key !== '') expect(stdout).not.toContain(key);
    }
  });

  it('with a quota used up is exit 5, with a plan for less than all exit 0', async () => {
    expect((await run(await served.key('spent'), 'doctor')).exitCode).toBe(5);
    const { exitCode, stdout } = await run(await served.key('no-metrics'), 'doctor');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/\n\/metrics\/base-fee +403 +\d+ {2}not in the plan\n/);
    expect(stdout.match(/not in the plan/g)?.length).toBeGreaterThan(3);
    // Why is said once, however many routes it meets.
    expect(stdout.match(/ask the\s+operator/g)).toHaveLength(1);
  });

  it('gives its blocks to who has a key, and to nobody else', async () => {
    const { exitCode, stdout } = await run(await served.key('open'), 'block', '4');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Anvil {2}#4\n/);
    expect((await run('', 'block', '4')).exitCode).toBe(4);
    expect((await run(await served.key('spent'), 'block', '4')).exitCode).toBe(5);
  });
});
