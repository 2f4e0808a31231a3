/** Auto-txs with real parts; nothing that any program wrote may hold a part of a signature. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Hex, keccak256, parseTransaction } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, describe, expect, it } from 'vitest';
import { formatCount, formatGwei, formatNative } from '../../src/core/units.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { fund, GWEI, type Signing, sign } from '../helpers/auto-tx-rig.ts';
import { GASTOP } from '../helpers/gastop.ts';
import { slowIt } from '../helpers/rounds.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { openTerminal, type Terminal, type TerminalOptions } from '../helpers/terminal.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { fillOrder, marked, openForm } from './auto-tx-form.ts';

const RECEIVER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

const terminals: Terminal[] = [];

const node = await startAnvil({ noMining: true, baseFee: 60n * GWEI });
await node.mine(3);
const home = sharedFolder('auto-txs');
const monitor = await openAutoTxs('monitor.db', ['--rpc', node.wsUrl, '--confirmations', '2']);

afterAll(async () => {
  for (const terminal of terminals) await terminal.close();
  await node?.stop();
});

async function openAutoTxs(
  db: string,
  args: readonly string[],
  { before = '', ...options }: Omit<TerminalOptions, 'args'> & { readonly before?: string } = {},
): Promise<Terminal> {
  const first = ['--import', `data:text/javascript,${encodeURIComponent(before)}`];
  const terminal = await openTerminal({
    ...options,
    home,
    args: [...first, GASTOP, ...args, '--db', join(home, db), '--fresh'],
  });
  terminals.push(terminal);
  await terminal.waitFor(/Average .*\d/);
  await terminal.press('4');
  await terminal.waitFor('No auto-txs yet');
  return terminal;
}

async function mineShown(gwei?: number): Promise<number> {
  if (gwei !== undefined) await node.setNextBaseFee(BigInt(Math.round(gwei * 1e9)));
  await node.mine();
  const number = Number(await node.rpc('eth_blockNumber'));
  await monitor.waitFor((rows) => rows[0]?.includes(`#${number} `) === true);
  return number;
}

const knows = async (hash: Hex) => (await node.rpc('eth_getTransactionByHash', [hash])) !== null;

async function nextBase(): Promise<bigint> {
  const history = (await node.rpc('eth_feeHistory', ['0x1', 'latest', []])) as {
    baseFeePerGas: [string, string];
  };
  return BigInt(history.baseFeePerGas[1]);
}

const SLICE = 16;
const slicesOf = (digits: string) =>
  Array.from({ length: Math.max(digits.length - SLICE + 1, 0) }, (_, from) =>
    digits.slice(from, from + SLICE),
  );
/** Of all signatures, which are all that a reader of the chain does not know before they are sent. */
const secrets = new Set<string>();

async function signed(account: PrivateKeyAccount, signing: Signing = {}): Promise<Hex> {
  const bytes = await sign(account, { to: RECEIVER, value: 10n ** 16n, ...signing });
  const { r = '0x', s = '0x' } = parseTransaction(bytes);
  for (const each of [r, s]) for (const slice of slicesOf(each.slice(2))) secrets.add(slice);
  return bytes;
}

function leaks(written: string | Uint8Array): string[] {
  const bytes = Buffer.from(written);
  // Control sequences and line ends may stand between the digits of one run.
  const bare = bytes
    .toString('utf8')
    .replaceAll(/\x1b\[[0-9;:?<=>]*[ -/]*[@-~]/g, '')
    .toLowerCase()
    .replaceAll(/[\s│]/g, '');
  const runs = [bare, bytes.toString('hex')].flatMap((text) => text.match(/[0-9a-f]{16,}/g) ?? []);
  return runs.flatMap(slicesOf).filter((slice) => secrets.has(slice));
}

describe('a signed transaction that is pasted in the terminal', () => {
  const VALUE = 12_345_678_901_234_567n;
  const DOES = '0.0123 ETH to 0x70';
  let account: PrivateKeyAccount;
  let transaction: Hex;
  let hash: Hex;

  it('is decoded on the screen before anybody has it', async () => {
    account = await fund(node);
    transaction = await signed(account, {
      value: VALUE,
      maxFeePerGas: 3n * GWEI,
      maxPriorityFeePerGas: GWEI / 10n,
    });
    hash = keccak256(transaction);
    await mineShown(10);
    await openForm(monitor);
    monitor.paste(transaction);
    for (const row of [
      new RegExp(`signed +signed transaction, ${transaction.length / 2 - 1} bytes, EIP-1559$`, 'm'),
      new RegExp(`from +${account.address}$`, 'm'),
      new RegExp(`to +${RECEIVER}$`, 'm'),
      /value +0\.012345678901234567 ETH/,
      /nonce +0, gas limit 21,000$/m,
      /pays +at most 3 gwei per gas, tip 0\.1$/m,
    ])
      await monitor.waitFor(row);
  });

  it('waits for its cap and its target below the base fee, in the form and in the list', async () => {
    await fillOrder(monitor, { target: '2.5', expires: 'none', note: 'rent' });
    const next = formatGwei(await nextBase());
    await monitor.waitFor(`base fee ${next}, has to fall 66 %`);
    await monitor.waitFor(/◌ cap +it waits while the base fee is above your cap of 3 gwei/);
    await monitor.press('ctrl+s');
    await monitor.waitFor(marked(DOES, /◌ pending .* 2\.5 +.*↓ 66 % +.*no end/));
    await monitor.waitFor(`waits until its own price ≤ 2.5 gwei, and while the base fee of ${next}`);
    await monitor.waitFor('[4 Auto-tx ·1]');
    expect(await knows(hash)).toBe(false);
  });

  it('is broadcast once the base fee is 2, and not before', async () => {
    await mineShown(2.9);
    await monitor.waitFor(marked(DOES, /◌ pending .* ↓ 5 %/));
    expect(await knows(hash)).toBe(false);
    await mineShown(2);
    await waitFor(() => knows(hash), { what: 'the transaction in the pool of the node' });
    await monitor.waitFor(marked(DOES, /→ submitted .* not mined/));
    const reachedAt = Number(await node.rpc('eth_blockNumber'));
    // Each look at the chain takes a new head, and one may come before the node has the receipt.
    for (let isMined = false; !isMined; ) {
      await mineShown();
      const shown = monitor.waitFor(marked(DOES, /→ included .* 1\/2 blocks|● executed/), {
        timeoutMs: 5_000,
      });
      isMined = await shown.then(
        () => true,
        () => false,
      );
    }
    const { blockNumber } = (await node.rpc('eth_getTransactionReceipt', [hash])) as { blockNumber: string };
    expect(Number(blockNumber)).toBe(reachedAt + 1);
  });

  it("is shown executed with the node's own gas used, price and cost, and all that happened", async () => {
    await mineShown();
    const receipt = (await node.rpc('eth_getTransactionReceipt', [hash])) as Record<string, string>;
    const [blockNumber = 0n, gasUsed = 0n, effectiveGasPrice = 0n] = [
      receipt.blockNumber,
      receipt.gasUsed,
      receipt.effectiveGasPrice,
    ].map((figure) => BigInt(figure ?? 0));
    await monitor.waitFor(marked(DOES, new RegExp(`● executed .* paid ${formatGwei(effectiveGasPrice)}`)));
    await monitor.press('return');
    for (const fact of [
      /^ Outcome/m,
      new RegExp(`block +${blockNumber} `),
      new RegExp(`paid +${formatGwei(effectiveGasPrice)} gwei `),
      new RegExp(`gas used +${formatCount(Number(gasUsed))}$`, 'm'),
      new RegExp(`cost +${formatNative(gasUsed * effectiveGasPrice, 'ETH')}$`, 'm'),
      /saved +\+0\.\d+ ETH/,
    ])
      await monitor.waitFor(fact);
    monitor.resize(120, 60);
    await monitor.waitFor(/value +0\.012345678901234567 ETH/);
    await monitor.waitFor(
      /executed +final.*\n.*mined +mined in block \d+.*\n.*sent +a node has it.*\n.*submitted +target reached: its own price is .* gwei, target 2\.5; it is broadcast.*\n.*created /,
    );
    monitor.resize(80, 24);
    await monitor.press('esc');
    await monitor.waitFor(marked(DOES, /executed/));
  });
});

describe('what was signed is shown nowhere', () => {
  /** Breaks the program from within once it is told to: while it draws, and outside of that. */
  const CRASHES = {
    'an exception while drawing': "Array.prototype.flatMap = () => { throw new Error('broken') }",
    'an exception in a timer': "setTimeout(() => { throw new Error('broken') })",
  } as const;

  slowIt.each(Object.entries(CRASHES))('by %s with the form open', async (_, crash) => {
    // Not `once`: alone with that signal, the listener of what Ink is made of ends the program.
    const before = `process.on('SIGUSR2', () => { ${crash} })`;
    const account = await fund(node);
    const options = { before, env: { GASTOP_DEBUG: '1' }, watchTty: true };
    const program = await openAutoTxs('crash.db', ['--rpc', node.wsUrl], options);
    await openForm(program);
    program.paste(await signed(account));
    await program.waitFor(account.address);
    await program.press('tab');
    program.signal('SIGUSR2');
    await program.press('tab');
    expect((await program.waitForExit()).exitCode).toBe(1);
    expect(program.output()).toContain('broken');
    expect(leaks(program.output())).toEqual([]);
  });

  it('not on a screen, not in a log, not in a file but the database', async () => {
    const bytes = await signed(await fund(node));
    expect(leaks(bytes)).not.toEqual([]);
    expect(leaks(Buffer.from(bytes.slice(2), 'hex'))).not.toEqual([]);
    for (const terminal of terminals) expect(leaks(terminal.output())).toEqual([]);
    const entries = await readdir(home, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile() && !/\.db(-wal|-shm)?$/.test(each.name))) {
      const path = join(entry.parentPath, entry.name);
      expect(leaks(await readFile(path)), path).toEqual([]);
    }
  });
});
