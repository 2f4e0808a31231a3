/**
 * Auto-txs with real parts: transactions signed as a wallet does it, pasted into the built program in a terminal, and a
 * node whose base fee falls. Nothing that any program wrote may hold a part of a signature.
 */
import { join } from 'node:path';
import { keccak256 } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Hex } from '../../src/core/block.ts';
import { formatCount, formatGwei, formatNative } from '../../src/core/units.ts';
import { runMain } from '../cli/captured-io.ts';
import { createKey, startServe } from '../cli/served-program.ts';
import { GWEI } from '../helpers/auto-tx-rig.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import type { Terminal } from '../helpers/terminal.ts';
import { waitFor } from '../helpers/wait-for.ts';
import {
  type AutoTxParts,
  ETHER,
  fillOrder,
  handOver,
  marked,
  mineShown,
  openAutoTxParts,
  openForm,
  RECEIVER,
} from './auto-tx-parts.ts';

let parts: AutoTxParts;
let monitor: Terminal;

beforeAll(async () => {
  parts = await openAutoTxParts();
  const db = join(parts.home, 'monitor.db');
  monitor = await parts.open(['--rpc', parts.node.wsUrl, '--db', db, '--confirmations', '2']);
  await monitor.waitFor(/Average .*\d/);
  await monitor.press('4');
  await monitor.waitFor('No auto-txs yet');
});

afterAll(() => parts?.close());

describe('a signed transaction that is pasted in the terminal', () => {
  const VALUE = 12_345_678_901_234_567n;
  const DOES = '0.0123 ETH to 0x70';
  let account: PrivateKeyAccount;
  let signed: Hex;
  let hash: Hex;

  it('is decoded on the screen before anybody has it', async () => {
    account = await parts.account();
    signed = await parts.signed(account, {
      value: VALUE,
      maxFeePerGas: 3n * GWEI,
      maxPriorityFeePerGas: GWEI / 10n,
    });
    hash = keccak256(signed);
    await mineShown(parts, monitor, 10);
    await openForm(monitor);
    monitor.paste(signed);
    for (const row of [
      new RegExp(`signed +signed transaction, ${signed.length / 2 - 1} bytes, EIP-1559$`, 'm'),
      new RegExp(`from +${account.address}$`, 'm'),
      new RegExp(`to +${RECEIVER}$`, 'm'),
      /value +0\.012345678901234567 ETH/,
      /nonce +0, gas limit 21,000$/m,
      /pays +at most 3\.00 gwei per gas, tip 0\.100$/m,
    ])
      await monitor.waitFor(row);
  });

  it('waits for its cap and its target below the base fee, in the form and in the list', async () => {
    await fillOrder(monitor, { target: '2.5', expires: 'none', note: 'rent' });
    const next = formatGwei(await parts.nextBase());
    await monitor.waitFor(`base fee ${next}, has to fall 66 %`);
    await monitor.waitFor(/◌ cap +it waits while the base fee is above your cap of 3 gwei/);
    await monitor.press('ctrl+s');
    await monitor.waitFor(marked(DOES, /◌ pending .* 2\.5 +.*↓ 66 % +.*never/));
    await monitor.waitFor(`waits until own price ≤ 2.5 gwei, and while the base fee of ${next}`);
    await monitor.waitFor('[4 Auto-tx ·1]');
    expect(await parts.knows(hash)).toBe(false);
  });

  it('is broadcast once the base fee is 2, and not before', async () => {
    await mineShown(parts, monitor, 2.9);
    await monitor.waitFor(marked(DOES, /◌ pending .* ↓ 5 %/));
    expect(await parts.knows(hash)).toBe(false);
    await mineShown(parts, monitor, 2);
    await waitFor(() => parts.knows(hash), { what: 'the transaction in the pool of the node' });
    await monitor.waitFor(marked(DOES, /→ submitted .* not mined/));
    const reachedAt = await parts.head();
    // Each look at the chain takes a new head, and one may come before the node has the receipt.
    for (let isMined = false; !isMined; ) {
      await mineShown(parts, monitor);
      const shown = monitor.waitFor(marked(DOES, /→ mined .* 1\/2 conf|● executed/), { timeoutMs: 5_000 });
      isMined = await shown.then(
        () => true,
        () => false,
      );
    }
    expect((await parts.receipt(hash))?.blockNumber).toBe(reachedAt + 1);
  });

  it("is shown executed with the node's own gas used, price and cost, and all that happened", async () => {
    await mineShown(parts, monitor);
    const receipt = await parts.receipt(hash);
    if (receipt === null) throw new Error('the node has no receipt of it');
    const { gasUsed, effectiveGasPrice, blockNumber } = receipt;
    await monitor.waitFor(marked(DOES, new RegExp(`● executed .* paid ${formatGwei(effectiveGasPrice)}`)));
    await monitor.press('return');
    for (const fact of [
      /^ Mined/m,
      new RegExp(`block +${blockNumber} `),
      new RegExp(`paid +${formatGwei(effectiveGasPrice)} gwei `),
      new RegExp(`gas used +${formatCount(Number(gasUsed))}$`, 'm'),
      new RegExp(`cost +${formatNative(gasUsed * effectiveGasPrice, 'ETH')}$`, 'm'),
      /saved +0\.\d+ ETH/,
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

describe('in the pane', () => {
  it.runIf(isSlowRun)('one that waits is cancelled, and the node never sees it', async () => {
    const account = await parts.account();
    const signed = await parts.signed(account, { value: ETHER / 10n });
    const does = '0.1 ETH to';
    await mineShown(parts, monitor, 60);
    await handOver(monitor, signed, { target: '20', does });
    await monitor.waitFor(marked(does, /◌ pending/));
    await monitor.press('e');
    await monitor.waitFor(/Change: 0\.1 ETH/);
    await monitor.press('ctrl+u', ...'21.5', 'ctrl+s');
    await monitor.waitFor(marked(does, /◌ pending .* 21\.5 /));
    await monitor.press('x');
    await monitor.waitFor('It was not broadcast, and never will be');
    await monitor.press('n');
    await monitor.waitFor(marked(does, /◌ pending/));
    await monitor.press('x');
    await monitor.waitFor('Cancel this auto-tx?');
    await monitor.press('y');
    await monitor.waitFor(marked(does, /cancelled/));
    for (let block = 0; block < 3; block += 1) await mineShown(parts, monitor, 10);
    expect(await parts.knows(keccak256(signed))).toBe(false);
    expect(Number(await parts.node.rpc('eth_getTransactionCount', [account.address, 'pending']))).toBe(0);
    await monitor.press('d');
    await monitor.waitFor('Delete this auto-tx?');
    await monitor.press('y');
    await monitor.waitFor((rows) => !rows.some((row) => row.includes(does)));
  });

  it.runIf(isSlowRun)(
    'one that was submitted is not, and says who can stop it; replaced from the wallet it has failed',
    async () => {
      const account = await parts.account();
      const does = '0.12 ETH to';
      const signed = await parts.signed(account, { value: 12n * (ETHER / 100n), maxFeePerGas: 50n * GWEI });
      await handOver(monitor, signed, { target: '30', does, isDue: true });
      await monitor.waitFor(marked(does, /→ submitted/));
      await waitFor(() => parts.knows(keccak256(signed)));
      await monitor.press('x');
      await monitor.waitFor('Only a same-nonce replacement from your wallet can stop it.');
      await monitor.press('y');
      await monitor.waitFor('Not cancelled: it was submitted: only a same-nonce replacement from the');
      await monitor.press('return');
      await monitor.waitFor(/^ Order/m);
      await monitor.press('esc');
      const replacement = await parts.signed(account, {
        maxFeePerGas: 90n * GWEI,
        maxPriorityFeePerGas: 5n * GWEI,
      });
      await parts.node.rpc('eth_sendRawTransaction', [replacement]);
      // Each look at the chain takes a new head.
      for (let hasFailed = false; !hasFailed; ) {
        await mineShown(parts, monitor, 10);
        const shown = monitor.waitFor(marked(does, /! failed/), { timeoutMs: 5_000 });
        hasFailed = await shown.then(
          () => true,
          () => false,
        );
      }
      await monitor.waitFor(/! nonce \d+ is used/);
    },
  );

  it.runIf(isSlowRun)('one that reverts has failed, and says so with what it cost', async () => {
    const account = await parts.account();
    const contract = '0x00000000000000000000000000000000000000ff';
    // PUSH1 0 PUSH1 0 REVERT
    await parts.node.rpc('anvil_setCode', [contract, '0x60006000fd']);
    const signed = await parts.signed(account, { to: contract, value: 13n * (ETHER / 100n), gas: 60_000n });
    await handOver(monitor, signed, { target: '30', does: '0.13 ETH', isDue: true });
    await monitor.waitFor(marked('0.13 ETH', /→ submitted/));
    await waitFor(() => parts.knows(keccak256(signed)));
    await mineShown(parts, monitor, 10);
    await mineShown(parts, monitor, 10);
    await monitor.waitFor(marked('0.13 ETH', /! failed/));
    expect((await parts.receipt(keccak256(signed)))?.status).toBe(0);
    expect(monitor.screen().join('\n')).toMatch(/revert/);
  });
});

describe('gastop auto-txs and gastop serve', () => {
  it.runIf(isSlowRun)(
    'one that a command schedules with a service is broadcast although the service ends while it waits',
    async () => {
      const { home, node } = parts;
      const account = await parts.account();
      const serveOptions = {
        home,
        env: { GASTOP_RPC: node.wsUrl, GASTOP_DB: join(home, 'served.db') },
      };
      await mineShown(parts, monitor, 60);
      const argv = ['--confirmations', '1', '--log-level', 'debug'];
      const first = await startServe(argv, serveOptions);
      const key = await createKey({ home });
      const env = { GASTOP_API_KEY: key };
      const run = async (argv: readonly string[], input = '') => {
        const { exitCode, stdout, stderr } = await runMain(['auto-txs', ...argv, '--url', first.origin], {
          home,
          env,
          input,
        });
        parts.wrote(stdout + stderr);
        return { code: exitCode, stdout, stderr };
      };
      const order = ['--target', '20', '--strict'];
      const signed = await parts.signed(account, { value: ETHER / 5n });
      const checked = await run(['check', ...order], signed);
      expect(checked.code, checked.stderr).toBe(0);
      const made = await run(['create', ...order, '--note', 'served'], signed);
      expect(made.code, made.stderr).toBe(0);
      const id = made.stdout.trim();
      const other = await parts.signed(await parts.account(), { value: ETHER / 4n });
      const second = (await run(['create', ...order], other)).stdout.trim();
      const cancelled = await run(['cancel', second]);
      expect(cancelled.code, cancelled.stderr).toBe(0);
      const listed = await run(['list']);
      expect(listed.stdout).toMatch(new RegExp(`^${id} +pending +own price ≤ 20 gwei`, 'm'));
      expect(listed.stdout).toMatch(new RegExp(`^${second} +cancelled`, 'm'));
      const shown = await run(['show', id]);
      expect(shown.stdout).toContain(account.address);

      const far = await parts.open(['--url', first.origin], { env });
      await far.waitFor(/Average .*\d/);
      await far.press('4');
      await far.waitFor(marked('0.2 ETH to', /◌ pending .* 20 /));

      // Killed, it would hold its right to send for ten seconds more: service/auto-txs/crash kills at every step.
      first.child.kill(isSlowRun ? 'SIGKILL' : 'SIGTERM');
      await first.ended;
      parts.wrote(first.stdout() + first.stderr());
      await mineShown(parts, monitor, 10);
      expect(await parts.knows(keccak256(signed))).toBe(false);
      const again = await startServe([...argv, '--port', String(first.port)], serveOptions);
      await waitFor(() => parts.knows(keccak256(signed)), {
        what: 'the transaction in the pool',
      });
      await mineShown(parts, monitor, 10);
      await far.waitFor(marked('0.2 ETH to', /● executed/));
      const receipt = await parts.receipt(keccak256(signed));
      expect(receipt?.blockNumber).toBe(await parts.head());
      const told = await run(['show', id]);
      expect(told.stdout).toContain(formatGwei(receipt?.effectiveGasPrice ?? 0n));
      expect(await parts.knows(keccak256(other))).toBe(false);
      const late = await run(['cancel', id]);
      expect(late.code).toBe(1);
      again.child.kill('SIGTERM');
      await again.ended;
      parts.wrote(again.stdout() + again.stderr());
    },
  );
});

describe('what was signed is shown nowhere', () => {
  /** Breaks the program from within once it is told to: while it draws, and outside of that. */
  const CRASHES = {
    'an exception while drawing': "Array.prototype.flatMap = () => { throw new Error('broken') }",
    'an exception in a timer': "setTimeout(() => { throw new Error('broken') })",
  } as const;

  it.runIf(isSlowRun).each(Object.entries(CRASHES))('by %s with the form open', async (_, crash) => {
    // Not `once`: alone with that signal, the listener of what Ink is made of ends the program.
    const before = `process.on('SIGUSR2', () => { ${crash} })`;
    const account = await parts.account();
    const program = await parts.open(['--rpc', parts.node.wsUrl, '--db', join(parts.home, 'crash.db')], {
      before,
      env: { GASTOP_DEBUG: '1' },
      watchTty: true,
    });
    await program.waitFor(/Average .*\d/);
    await program.press('4');
    await program.waitFor('No auto-txs yet');
    await openForm(program);
    program.paste(await parts.signed(account));
    await program.waitFor(account.address);
    await program.press('tab');
    program.signal('SIGUSR2');
    await program.press('tab');
    expect((await program.waitForExit()).exitCode).toBe(1);
    expect(program.output()).toContain('broken');
    expect(parts.leaks.found(program.output())).toEqual([]);
  });

  it('not on a screen, not in a log, not in a file but the database', async () => {
    const signed = await parts.signed(await parts.account());
    expect(parts.leaks.found(signed)).not.toEqual([]);
    expect(parts.leaks.found(Buffer.from(signed.slice(2), 'hex'))).not.toEqual([]);
    const written = parts.written();
    expect(written).not.toEqual([]);
    for (const text of written) {
      expect(text).not.toBe('');
      expect(parts.leaks.found(text)).toEqual([]);
    }
    expect(await parts.leaks.foundBelow(parts.home)).toEqual([]);
  });
});
