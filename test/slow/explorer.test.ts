/** The Explorer and the Service pane of the built program over a real node with real transactions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatGwei } from '../../src/core/units.ts';
import { type Anvil, startAnvil } from '../helpers/anvil.ts';
import { barTicks } from '../helpers/bar-ticks.ts';
import { gastop } from '../helpers/gastop.ts';
import type { Terminal } from '../helpers/terminal.ts';

const GWEI = 1_000_000_000n;
/** Tips of the transactions, wei per gas; the node puts the dearest first. */
const TIPS = [1n, 2n, 3n, 5n, 8n, 13n, 21n].map((tip) => tip * 10_000_000n);

let node: Anvil;
let hashes: readonly string[];
let block: number;

beforeAll(async () => {
  node = await startAnvil({ noMining: true, baseFee: GWEI, args: ['--order', 'fees'] });
  await node.mine(3);
  hashes = await node.sendTransfers(TIPS);
  await node.mine();
  block = Number(await node.rpc('eth_blockNumber'));
  await node.mine(2);
});

afterAll(async () => {
  await node?.stop();
});

async function openExplorer(size: { readonly cols: number; readonly rows: number }): Promise<Terminal> {
  const terminal = await gastop(['--rpc', node.url], size);
  await terminal.waitFor(/Average .*\d/);
  await terminal.press('5');
  await terminal.waitFor(/^ ▸ +\d+ /m);
  return terminal;
}

interface NodeBlock {
  readonly baseFeePerGas: string;
  readonly gasUsed: string;
  readonly hash: string;
  readonly transactions: readonly string[];
}

describe('the Explorer on a real node', () => {
  it("goes from the blocks into one, into a transaction and back, with the node's own numbers", async () => {
    await using terminal = await openExplorer({ cols: 80, rows: 24 });
    const own = (await node.rpc('eth_getBlockByNumber', [`0x${block.toString(16)}`, false])) as NodeBlock;
    // The blocks behind the newest one come when the history is filled.
    await terminal.waitFor(new RegExp(`^ +${block} `, 'm'));
    await terminal.press('j', 'j');
    await terminal.waitFor(new RegExp(`^ ▸ +${block} .* ${formatGwei(BigInt(own.baseFeePerGas))} `, 'm'));
    await terminal.press('enter');
    await terminal.waitFor(new RegExp(`^ Block ${block} .* 3 confirmations`, 'm'));
    const shown = (await terminal.waitFor(/^ +6 +2 +0x/m)).join('\n');
    expect(shown).toContain(`base fee      ${formatGwei(BigInt(own.baseFeePerGas))} gwei`);
    expect(shown).toContain(`gas used      ${Number(own.gasUsed).toLocaleString('en-US')} of`);
    expect(shown).toContain('transactions  7');
    expect(shown).toContain(own.hash.slice(0, 40));
    // The last rows may be written a moment later.
    for (const tip of TIPS) await terminal.waitFor(` ${formatGwei(tip)}  ● ok`);

    await terminal.press('j', 'enter');
    await terminal.waitFor('Transaction  ● success  3 confirmations');
    const [first] = (await terminal.waitFor(/this one, [\d.]+/)).filter((row) => /^ hash/.test(row));
    expect(own.transactions).toContain(first?.trim().split(/ +/)[1]);

    // What the node says next is counted without a key.
    await node.mine();
    await terminal.waitFor('4 confirmations');
    await terminal.press('esc');
    await terminal.waitFor(/^ ▸ +7 +2 /m);
    await terminal.press('esc');
    await terminal.waitFor('Latest blocks');
    await terminal.press('esc');
    await barTicks(terminal, 2);
    await terminal.waitFor('Latest blocks');
    expect(terminal.clears).toEqual({ screen: 0, scrollback: 0, reset: 0 });
    await terminal.press('q');
    expect((await terminal.waitForExit()).exitCode).toBe(0);
    expect(terminal.leftovers()).toEqual([]);
  });

  it('looks a pasted hash up, says of an unknown one what to try, and copies the hash', async () => {
    await using terminal = await openExplorer({ cols: 120, rows: 40 });
    const [hash = ''] = hashes;
    await terminal.press('/');
    await terminal.waitFor('a block like');
    terminal.paste(`${hash.slice(0, -1)}\u0007`);
    await terminal.waitFor('a transaction hash has 64 digits after 0x, this has 63');
    await terminal.press('enter');
    terminal.paste(`${hash.slice(-1)}\n`);
    await terminal.waitFor('⏎ opens it');
    await terminal.press('enter');
    const shown = (await terminal.waitFor('this one, 0.0100')).join('\n');
    expect(shown).toContain(`hash       ${hash}`);
    expect(shown).toContain('below all 6 others of its block');
    await terminal.press('y');
    await terminal.waitFor('Copied 0x');
    const encoded = [...terminal.output().matchAll(/\x1b\]52;c;([A-Za-z0-9+/=]+)\x07/g)].at(-1)?.[1] ?? '';
    expect(Buffer.from(encoded, 'base64').toString()).toBe(hash);
    await terminal.press('i');
    await terminal.waitFor(new RegExp(`GET /metrics/tx/${hash}[\\s\\S]*"effectiveGasPrice"`));
    await terminal.press('i');

    await terminal.press('/');
    await terminal.waitFor('a block like');
    terminal.paste(`0x${'2'.repeat(64)}`);
    await terminal.waitFor('⏎ opens it');
    await terminal.press('enter');
    await terminal.waitFor('No transaction 0x2222');
    await terminal.waitFor('/ looks up another, Esc goes back');
    await terminal.press('esc');
    await terminal.waitFor('Transaction  ● success');
    await terminal.press('/');
    await terminal.waitFor('a block like');
    await terminal.press('9999');
    await terminal.waitFor('the newest block is');
    await terminal.press('esc');
    await terminal.waitFor((rows) => !rows.join('\n').includes('find 9999'));
    await terminal.press('q');
    expect((await terminal.waitForExit()).exitCode).toBe(0);
  });

  it('speaks in sentences to a screen reader, without drawing', async () => {
    await using terminal = await gastop(['--rpc', node.url], {
      cols: 120,
      rows: 60,
      env: { INK_SCREEN_READER: 'true' },
    });
    await terminal.waitFor(/^Average, price /m);
    await terminal.press('5');
    await terminal.waitFor('Latest blocks, newest first.');
    await terminal.waitFor(/^Block \d+, .*base fee [\d.]+, .*gas used \d+ %, tip p50 [\d.]+, .*\.$/m);
    await terminal.press('/');
    await terminal.waitFor('a block like');
    await terminal.press(String(block), 'enter');
    await terminal.waitFor(/^transactions: 7\.$/m);
    await terminal.waitFor(/^Transaction 7, type 2, hash 0x[\da-f]{64}, from/m);
    await terminal.waitFor(/gas used 21,000, paid [\d.]+, tip [\d.]+, .*status ok\.$/m);
    await terminal.press('j');
    await terminal.waitFor('Marked: Transaction 7');
    await terminal.press('enter');
    const tx = (await terminal.waitFor(/^Tip, .* block.*\.$/m)).join('\n');
    expect(tx).not.toMatch(/[█░─│▸●↑↓]|[#.]{4}/u);
    await terminal.press('6');
    await terminal.waitFor(/^127\.0\.0\.1:\d+, state ok, head \d+, .*latency \d+ ms\.$/m);
    const service = (await terminal.waitFor(/^Advice, /m)).join('\n');
    expect(service).not.toMatch(/[█░─│▸●↑↓]|[#.]{4}/u);
    await terminal.press('q');
    expect((await terminal.waitForExit()).exitCode).toBe(0);
  });

  it('tells in its Service pane of a node that is killed, and of its return', async () => {
    const own = await startAnvil({ blockTime: 1, baseFee: GWEI });
    await using terminal = await gastop(['--rpc', own.url]);
    await terminal.waitFor(/● live/);
    await terminal.press('6');
    const name = `127.0.0.1:${own.port}`;
    const node = (state: string) => new RegExp(`^ +${name.replaceAll('.', '\\.')} +${state} `, 'm');
    await terminal.waitFor(node('● ok'));
    const state = await own.rpc('anvil_dumpState');
    await own.stop();
    await terminal.waitFor(node('! down'));
    await terminal.waitFor('refuses the connection');
    // How the node is, is news: the rest of the screen may be old, this line is not.
    expect(terminal.isDim(terminal.find('! down')?.y ?? 0)).toBe(false);
    const again = await startAnvil({ blockTime: 1, baseFee: GWEI, port: own.port });
    await again.rpc('anvil_loadState', [state]);
    await terminal.waitFor(node('● ok'));
    await terminal.press('q');
    expect((await terminal.waitForExit()).exitCode).toBe(0);
    await again.stop();
  });
});
