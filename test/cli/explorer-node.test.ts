import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Anvil, startAnvil } from '../helpers/anvil.ts';
import { runMain } from './captured-io.ts';

const GWEI = 1_000_000_000;
const folder = mkdtempSync(join(tmpdir(), 'gastop-explorer-'));
const env = { XDG_DATA_HOME: folder };
let anvil: Anvil;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 31_337, baseFee: 7 * GWEI, noMining: true });
  await anvil.mine(3);
  await anvil.sendTransfers([1 * GWEI, 2 * GWEI, 3 * GWEI]);
  await anvil.mine();
});
afterAll(async () => {
  await anvil.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...argv: readonly string[]) => runMain([...argv, '--rpc', anvil.url], { env });

describe('over a real node', () => {
  it('the doctor understands every route that there is to the letter, and finds a transaction to ask for', async () => {
    const { exitCode, stdout } = await run('doctor', '--json');
    expect(exitCode).toBe(0);
    const routes = z
      .object({
        routes: z.array(
          z.object({
            path: z.string(),
            outcome: z.string(),
            reading: z.object({ match: z.string() }).nullable(),
          }),
        ),
      })
      .parse(JSON.parse(stdout))
      .routes.filter(({ path }) => !/alerts|auto-txs/.test(path));
    expect(routes).toHaveLength(14);
    for (const { path, outcome, reading } of routes) {
      expect({ path, outcome, match: reading?.match }).toEqual({
        path,
        outcome: 'understood',
        match: 'letter',
      });
    }
  });
});
