/** All programs at once over a chain that crosses Amsterdam and goes back, beside chains that do not. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, it, onTestFinished } from 'vitest';
import { PATHS } from '../../src/contract/routes.ts';
import { chainProfile } from '../../src/core/chains.ts';
import { runMain } from '../cli/captured-io.ts';
import { askWith, createKey, startProgram, startServe } from '../cli/served-program.ts';
import { GWEI } from '../helpers/auto-tx-rig.ts';
import { type ForkingNodeOptions, startForkingNode } from '../helpers/forking-node.ts';
import { gastop } from '../helpers/gastop.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { waitFor } from '../helpers/wait-for.ts';

const FORK = 70;
const AUTO_TXS = 40;
/** Their data is enough before the fork alone, in every second of them. */
const BATCH = `0x${'ff'.repeat(100)}` as const;

/** With their forks as their nodes tell them: BNB Smart Chain has eth_config. */
const BESIDE = [
  ['optimism', 10, 'nothing'],
  ['arbitrum', 42_161, 'nothing'],
  ['polygon', 137, 'nothing'],
  ['bsc', 56, 'its time'],
] as const;

interface Cost {
  readonly gas: number;
  readonly wei: string;
}

interface Row extends Record<'swap' | 'send', Cost> {
  readonly name: string;
  readonly averagePrice: number;
  readonly basePrice: number;
  readonly nextBasePrice: number;
  readonly floorPrice: number | null;
}

async function nodeOf(options: ForkingNodeOptions) {
  const node = await startForkingNode(options);
  onTestFinished(node.stop);
  return node;
}

it('serve, now --watch, the monitor and the board cross the fork, go back and cross it again', async () => {
  const ethereum = await nodeOf({ forkAt: FORK, length: FORK - 3 });
  const others = await Promise.all(
    BESIDE.map(async ([name, chainId, tells]) => ({
      name,
      node: await nodeOf({ chainId, tells, forkAt: null }),
    })),
  );
  const home = await temporaryFolder();
  const config = join(home, 'board.json');
  const chains = [
    { name: 'ethereum', rpc: ethereum.url },
    ...others.map(({ name, node }) => ({ name, rpc: node.url })),
  ];
  await writeFile(config, JSON.stringify({ chains }), { mode: 0o600 });
  const pricesBeside = async () => {
    const { stdout } = await runMain(['chains', '--json', '--config', config]);
    const rows: Row[] = JSON.parse(stdout).chains;
    return rows
      .filter(({ name }) => name !== 'ethereum')
      .map(({ name, averagePrice, basePrice, nextBasePrice, floorPrice, swap, send }) => [
        ...[name, averagePrice, basePrice, nextBasePrice, floorPrice],
        ...[swap.gas, swap.wei, send.gas, send.wei],
      ]);
  };

  const settings = join(home, 'config.json');
  await writeFile(settings, JSON.stringify({ plans: { free: { dailyLimit: null, perSecond: null } } }));
  const env = { GASTOP_RPC: ethereum.url, GASTOP_CONFIG: settings };
  const program = await startServe([], { home, env });
  const watch = startProgram(['now', '--watch', '--rpc', ethereum.url], { home });
  await using monitor = await gastop(['--rpc', ethereum.url], { cols: 120, rows: 40 });
  await using board = await gastop(['--config', config], { cols: 120, rows: 40 });

  const ask = askWith(program.origin, await createKey({ home, env }));
  await waitFor(async () => (await ask<{ blockNumber: number }>(PATHS.gasCurrent)).blockNumber === FORK - 4);
  for (let index = 0; index < AUTO_TXS; index += 1) {
    const isShort = index % 2 === 1;
    const signedTransaction = await privateKeyToAccount(keccak256(toHex(`crosses ${index}`))).signTransaction(
      {
        ...{ type: 'eip1559', chainId: 1, nonce: 0, to: `0x${'aa'.repeat(20)}`, value: 1n },
        ...{ maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI / 100n },
        ...(isShort ? { gas: 25_000n, data: BATCH } : { gas: 21_000n }),
      },
    );
    await ask(PATHS.autoTxs, { signedTransaction, targetGasPriceGwei: 1.5 });
  }
  const before = await pricesBeside();

  const held = async () => {
    const { items } = await ask<{ items: { hold: { code: string } | null }[] }>(
      `${PATHS.autoTxs}?size=${AUTO_TXS}`,
    );
    expect(items).toHaveLength(AUTO_TXS);
    return items.filter(({ hold }) => hold?.code === 'gas_too_low_after_fork').length;
  };
  const rules = async () => (await ask<{ rules: string }>(PATHS.chainRules)).rules;
  const shown = (number: number) =>
    waitFor(
      async () => {
        const { blockNumber } = await ask<{ blockNumber: number }>(PATHS.gasCurrent);
        const watched = watch.stdout().trimEnd().split('\n').at(-1)?.split(' ')[0];
        const isOnScreen = monitor.screen().join('\n').includes(`#${number} `);
        if (blockNumber === number && watched === `#${number}` && isOnScreen) return true;
        throw new Error(`served ${blockNumber}, watched ${watched}, on the screen: ${isOnScreen}`);
      },
      { timeoutMs: 60_000, what: `block ${number}` },
    );
  const isOnBoard = (lines: readonly string[]) =>
    ['Ethereum', ...BESIDE.map(([, chainId]) => chainProfile(chainId).name)].every((name) =>
      lines.some((line) => line.includes(name) && /\d [→↑↓]/.test(line.replaceAll(/\s+/g, ' '))),
    );

  await monitor.waitFor(/Amsterdam in /);
  await shown(ethereum.mine());
  // Were this to take two slots, the next block could be of the fork.
  expect(await held()).toBe(0);
  await shown(ethereum.mine());
  await shown(ethereum.mine());
  await waitFor(async () => (await held()) === AUTO_TXS / 2, { timeoutMs: 60_000, what: 'the holds' });
  expect(await rules()).toBe('osaka');
  await shown(ethereum.mine());
  expect(await rules()).toBe('amsterdam');
  await monitor.waitFor(/to a new account +204,600/);

  await shown(ethereum.reorgTo(FORK - 3));
  expect(await rules()).toBe('osaka');
  await waitFor(async () => (await held()) === 0, { timeoutMs: 60_000, what: 'their release' });
  await monitor.waitFor(/Amsterdam in /);
  for (let head = FORK - 2; head <= FORK + 1; head += 1) await shown(ethereum.mine());
  await waitFor(async () => (await held()) === AUTO_TXS / 2, { timeoutMs: 60_000, what: 'the holds' });
  // Once the clock has passed it too.
  await monitor.waitFor(/Amsterdam since /);

  // Until the price is below the target of all.
  for (let count = 0; count < 20 && ethereum.sent.length === 0; count += 1) {
    await shown(ethereum.mine({ tip: GWEI / 100n }));
  }
  await waitFor(() => ethereum.sent.length >= AUTO_TXS / 2, { timeoutMs: 60_000, what: 'what is valid' });
  expect(new Set(ethereum.sent).size).toBe(AUTO_TXS / 2);
  expect(ethereum.sent.filter((raw) => raw.includes(BATCH.slice(2)))).toEqual([]);
  expect(await pricesBeside()).toEqual(before);
  await board.waitFor(isOnBoard);
  expect([program.child.exitCode, watch.child.exitCode]).toEqual([null, null]);
  expect(watch.stderr()).toBe('');
  for (const screen of [monitor, board]) {
    await screen.press('q');
    await screen.waitForExit();
  }
});
