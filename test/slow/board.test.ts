import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anvil, startAnvil } from '../helpers/anvil.ts';
import { GASTOP, gastop } from '../helpers/gastop.ts';
import { type JsonRpcServer, startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';

const CHAINS = 10;
const folder = mkdtempSync(join(tmpdir(), 'gastop-board-'));
const config = join(folder, 'config.json');
let anvils: readonly Anvil[] = [];
let servers: readonly JsonRpcServer[] = [];

beforeAll(async () => {
  const length = Array.from({ length: CHAINS }, (_, place) => place);
  anvils = await Promise.all(
    length.map((place) =>
      startAnvil({ chainId: 7_001 + place, baseFee: 1_000_000 * (CHAINS - place), noMining: true }),
    ),
  );
  await Promise.all(anvils.map((anvil, place) => anvil.mine(100 + place)));
  const limit = { raw: '{}', status: 429, headers: { 'retry-after': '42' } };
  servers = await Promise.all([
    startJsonRpcServer(createScriptedChain(), { answer: () => ({ hang: true }) }),
    startJsonRpcServer(createScriptedChain(), { answer: () => limit }),
  ]);
  const [slow, limited] = servers;
  const chains = [
    ...anvils.map(({ url }, place) => ({ name: `anvil-${place}`, rpc: url })),
    { name: 'dead', rpc: 'http://127.0.0.1:9' },
    { name: 'slow', rpc: slow?.url },
    { name: 'scroll', rpc: anvils[0]?.url },
    { name: 'limited', rpc: limited?.url },
  ];
  writeFileSync(config, JSON.stringify({ chains }), { mode: 0o600 });
});
afterAll(async () => {
  await Promise.all([...anvils, ...servers].map((each) => each.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const run = async (...args: readonly string[]) => {
  const env = { ...process.env, XDG_DATA_HOME: folder };
  const { stdout } = await promisify(execFile)(process.execPath, [GASTOP, ...args], { env });
  return JSON.parse(stdout);
};

describe('a board of ten real nodes, a dead one, a slow one, one of another chain and one that says 429', () => {
  it('says of each what now says of it', async () => {
    const { chains } = await run('chains', '--json', '--config', config);
    for (const [place, { url }] of anvils.entries()) {
      const row = chains.find(({ name }: { name: string }) => name === `anvil-${place}`);
      const now = await run('now', '--json', '--stale-ok', '--rpc', url);
      const { averagePrice, basePrice, nextBasePrice, blockNumber, chainId } = now;
      expect(row).toMatchObject({
        averagePrice,
        basePrice,
        nextBasePrice,
        blockNumber,
        chainId,
        problem: null,
      });
    }
  });

  it.each([
    [80, 24],
    [120, 40],
    [60, 16],
  ])('keeps every row at %d×%d, those that fail with the reason', async (cols, rows) => {
    await using screen = await gastop(['--config', config], { cols, rows });
    await screen.waitFor(
      (lines) =>
        lines.filter((line) => /anvil-\d .* \d\.\d\d /.test(line)).length >= Math.min(CHAINS, rows - 6),
    );
    for (const [name, reason] of [
      ['dead', 'refuses the'],
      ['scroll', 'not on'],
      ['limited', 'too many requests'],
      ['slow', 'did not answer within'],
    ] as const) {
      await screen.press('/', name, 'enter');
      await screen.waitFor((lines) => lines.join(' ').replaceAll(/\s+/g, ' ').includes(reason));
      expect(screen.screen().join('\n')).toContain(name);
      await screen.press('esc');
      await screen.waitFor(/chains 14 /);
    }
    await screen.press('q');
    await screen.waitForExit();
  });
});
