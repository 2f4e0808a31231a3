import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openChainRows, readChainRows } from '../../src/cli/chain-rows.ts';
import type { LoadedConfig } from '../../src/cli/config-file.ts';
import { namedChains, resolveSettings } from '../../src/cli/settings.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { compareChains } from '../../src/mcp/read-tools.ts';
import { type JsonRpcServer, type Reply, startJsonRpcServer } from '../helpers/json-rpc-server.ts';
import { createScriptedChain } from '../helpers/scripted-chain.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { runMain } from './captured-io.ts';
import { serveRecording } from './served.ts';

const word = (value: number | bigint) => value.toString(16).padStart(64, '0');
const LATEST_ROUND_DATA = '0xfeaf968c';
const DECIMALS = '0x313ce567';
const GET_L1_FEE = '0x49948e0e';
/** Dollars for an ether, and wei that posting a transaction to L1 takes on Scroll. */
const USD = 2_500n;
const L1_FEE = 2_500_000_000_000n;
const BLOCKS = 300;

/** What a contract of these chains returns; `null`: there is none. */
function returned(chainId: number, data: string): string | null {
  const now = Math.floor(Date.now() / 1_000);
  if (chainId === 1 && data === DECIMALS) return `0x${word(8)}`;
  if (chainId === 1 && data === LATEST_ROUND_DATA) {
    return `0x${[1n, USD * 10n ** 8n, now, now, 1n].map(word).join('')}`;
  }
  return chainId === 534_352 && data.startsWith(GET_L1_FEE) ? `0x${word(L1_FEE)}` : null;
}

/** A node of the chain that its id says. */
async function startKnown(chainId: number, baseFee: bigint): Promise<JsonRpcServer> {
  const spacingSec = chainProfile(chainId).feeRule.blockTimeSec;
  // Its clock is ahead, so that no block becomes stale while the tests run.
  const startedAt = Math.floor(Date.now() / 1_000) + 300 - BLOCKS * spacingSec;
  const chain = createScriptedChain({ chainId, baseFee, spacingSec, startedAt });
  chain.mine(BLOCKS, { tip: 1_000_000n });
  const answer = (method: string, params: readonly unknown[]): Reply | undefined => {
    const [first] = params;
    if (method !== 'eth_call' || typeof first !== 'object' || first === null || !('data' in first)) return;
    const result = returned(chainId, String(first.data));
    return result === null ? { error: { code: 3, message: 'execution reverted' } } : { result };
  };
  return startJsonRpcServer(chain, { answer });
}

async function startChains() {
  const limit: Reply = { raw: '{}', status: 429, headers: { 'retry-after': '42' } };
  const [ethereum, scroll, limited] = await Promise.all([
    startKnown(1, 40_000_000n),
    startKnown(534_352, 120_000n),
    startJsonRpcServer(createScriptedChain(), { answer: () => limit }),
  ]);
  const setups = [
    { name: 'ethereum', rpc: ethereum.url },
    { name: 'scroll', rpc: scroll.url },
    { name: 'dead', rpc: 'http://127.0.0.1:9' },
    { name: 'base', rpc: ethereum.url },
    { name: 'limited', rpc: limited.url },
  ];
  return {
    setups,
    ethereum,
    limited,
    config: {
      path: '/nonexistent/config.json',
      content: { chains: setups },
      warning: null,
    } satisfies LoadedConfig,
    stop: async () => {
      await Promise.all([ethereum, scroll, limited].map((server) => server.stop()));
    },
  };
}

const folder = sharedFolder('chains');

const [chains, served] = await Promise.all([startChains(), serveRecording()]);
afterAll(() => Promise.all([chains.stop(), served.close()]));

const run = (argv: readonly string[], set: readonly object[] = chains.setups) => {
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ chains: set }));
  chmodSync(config, 0o600);
  const env = { XDG_DATA_HOME: folder, GASTOP_API_KEY_MY_SERVICE: 'key-of-my-service' };
  return runMain([...argv, '--config', config], { env });
};
const rowsOf = (json: string): Record<string, never>[] => JSON.parse(json).chains;

describe('gastop chains', () => {
  it('shows the cheapest swap first, and keeps what does not answer with the reason', async () => {
    const { exitCode, stdout, stderr } = await run(['chains']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]?.replace(/ {2,}/g, ' ')).toBe('chain swap send L1 gwei trend age advice');
    expect(lines.slice(1, 3).map((line) => line.split(/ {2,}/)[0])).toEqual(['Scroll', 'Ethereum']);
    expect(lines[1]).toMatch(/^Scroll +\$[\d.]+ +\$[\d.]+ +\d\d % /);
    expect(stdout).toContain('dollars of Ethereum: Scroll');
    expect(lines.find((line) => line.startsWith('dead'))).toContain('refuses the connection');
    expect(lines.find((line) => line.startsWith('base'))).toContain('not on Base (chain 8453)');
    expect(lines.find((line) => line.startsWith('limited'))).toContain('too many requests (HTTP 429)');
  });

  it('gives programs what now says of each chain', async () => {
    const rows = rowsOf((await run(['chains', '--json', '--chains', 'ethereum'])).stdout);
    const now = await run(['now', '--json', '--rpc', chains.ethereum.url]);
    const { averagePrice, nextBasePrice, basePrice, blockNumber } = JSON.parse(now.stdout);
    const said = { averagePrice, nextBasePrice, basePrice, blockNumber };
    expect(rows).toMatchObject([{ ...said, name: 'ethereum', nativeUsd: 2_500, problem: null }]);
  });

  it('sorts as it is told, writes CSV, and refuses names that it does not know', async () => {
    const { stdout } = await run(['chains', '--csv', '--sort', 'name', '--chains', 'scroll,dead,ethereum']);
    const names = stdout.split('\n').map((line) => line.split(',')[0]);
    expect(names.join(' ')).toBe('name dead ethereum scroll ');
    const unknown = await run(['chains', '--chains', 'ethereum,atlantis']);
    expect(unknown.exitCode).toBe(2);
    expect(unknown.stderr).toContain('"atlantis" is not known; known are ethereum, scroll');
    expect((await run(['chains', '--demo'])).exitCode).toBe(2);
  });

  it('exits with 3 where no chain answers', async () => {
    const { exitCode, stdout } = await run(['chains', '--chains', 'dead']);
    expect(exitCode).toBe(3);
    expect(stdout).toContain('refuses the connection');
  });

  it('reads a service with the key of its name, which no other gets', async () => {
    const setups = [...chains.setups, { name: 'my-service', url: served.origin }];
    const { stdout } = await run(['chains', '--json', '--chains', 'my-service,ethereum'], setups);
    const service = rowsOf(stdout).find(({ name }) => name === 'my-service');
    expect(service).toMatchObject({ chain: 'Ethereum', problem: null, swap: { gas: 101_095 } });
    expect(new Set(served.keys)).toEqual(new Set(['key-of-my-service']));
    expect(service).toMatchObject({ sourceKind: 'replay' });
    expect(rowsOf(stdout).find(({ name }) => name === 'ethereum')).toMatchObject({ sourceKind: 'rpc' });
  });

  it('says of a recording that it is one, in the table and in CSV, and has one unit in each column', async () => {
    const setups = [...chains.setups, { name: 'my-service', url: served.origin }];
    const { stdout: table } = await run(['chains', '--chains', 'my-service,ethereum'], setups);
    expect(table).toMatch(/^my-service REPLAY /m);
    expect(table).not.toMatch(/^Ethereum REPLAY/m);
    const { stdout: csv } = await run(['chains', '--csv', '--chains', 'my-service,ethereum'], setups);
    const [names, ...rows] = csv.trimEnd().split('\n');
    expect(names).toMatch(/,source_kind$/);
    expect(rows.find((row) => row.startsWith('my-service,'))).toMatch(/,replay$/);
    expect(rows.find((row) => row.startsWith('ethereum,'))).toMatch(/,rpc$/);
    // Without a price in dollars a cost is in gwei of the coin, in a column of its own.
    const { stdout: coins } = await run(['chains', '--chains', 'scroll'], setups);
    expect(coins.split('\n')[0]).toMatch(/^chain +swap gwei +send gwei +/);
    expect(coins.split('\n')[1]).toMatch(/^Scroll +[\d,.]+ +[\d,.]+ +\d\d % /);
  });
});

it('the tool of MCP compares the chains that are named', async () => {
  const settings = resolveSettings({}, {}, chains.config);
  const asked: (string | null)[] = [];
  const compare = (names: string | null, signal: AbortSignal) => {
    asked.push(names);
    const setups = namedChains(names ?? '', settings.chains.value);
    return readChainRows(setups, { now: Date.now, patienceSec: 3_600, withinMs: 120_000, signal });
  };
  const context = async () => ({ compare, signal: new AbortController().signal });
  const compared = await compareChains.call({ chains: ['dead', 'scroll'] }, context);
  expect(asked).toEqual(['dead,scroll']);
  expect(compared).toMatchObject({
    chains: [
      { name: 'scroll', chain: 'Scroll', swap: { l1Coins: '0.0000025' }, problem: null },
      { name: 'dead', swap: null, problem: expect.stringContaining('refuses the connection') },
    ],
  });
});

it('a row is asked again when a node that had too many requests wants it, not before', async () => {
  const settings = resolveSettings({}, {}, chains.config);
  const { limited } = chains;
  const setups = settings.chains.value.filter(({ name }) => name === 'limited');
  limited.requests.length = 0;
  const now = 1_800_000_000_000;
  await using rows = openChainRows(setups, { now: () => now, patienceSec: 3_600 });
  rows.start();
  rows.start();
  await rows.complete(10_000, new AbortController().signal);
  expect(rows.read()).toMatchObject([{ figures: null, problem: { retryAt: now + 42_000 } }]);
  // Which chain it is takes two requests at once, of which the second may not have come.
  expect(limited.requests.length).toBeLessThanOrEqual(2);
});

describe('chains of the config file', () => {
  const settingsOf = (set: readonly object[]) => {
    const config = { path: '/c.json', content: { chains: [...set] }, warning: null };
    return () => resolveSettings({}, {}, config as Parameters<typeof resolveSettings>[2]);
  };

  it('are refused where they name no source, two, or one name twice', () => {
    expect(settingsOf([{ name: 'mine' }])).toThrow('nothing is known of "mine"');
    expect(settingsOf([{ name: 'mine', url: 'https://a.example', rpc: 'https://b.example' }])).toThrow(
      'one source',
    );
    expect(settingsOf([{ name: 'base' }, { name: 'base' }])).toThrow('"base" stands there twice');
  });

  it('take public nodes for a name that is known, and its chain id', () => {
    const [chain] = settingsOf([{ name: 'scroll' }])().chains.value;
    expect(chain).toMatchObject({ chainId: 534_352, source: { kind: 'rpc', chainId: 534_352 } });
  });
});
