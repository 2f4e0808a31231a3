import { afterEach, describe, expect, it } from 'vitest';
import { gweiString } from '../../../src/core/units.ts';
import { type Anvil, startAnvil } from '../../helpers/anvil.ts';
import { gastop } from '../../helpers/gastop.ts';
import { isSlowRun } from '../../helpers/rounds.ts';
import type { Terminal } from '../../helpers/terminal.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { signedTransfer } from './signed.ts';

const GWEI = 1_000_000_000n;

let node: Anvil | null = null;
let screen: Terminal | null = null;

afterEach(async () => {
  await screen?.close();
  await node?.stop();
});

// The journeys of the built program (e2e/auto-txs) go this way in `npm test`, too.
describe.runIf(isSlowRun)('a transaction that is pasted into the monitor of a real chain', () => {
  it('waits above its target, goes out below it, and is shown with what the node says it paid', async () => {
    const anvil = await startAnvil({ noMining: true, baseFee: 10n * GWEI });
    node = anvil;
    const mineAt = async (gwei: bigint) => {
      await anvil.setNextBaseFee(gwei * GWEI);
      await anvil.mine();
    };
    const waiting = async () => Number(Reflect.get(Object(await anvil.rpc('txpool_status')), 'pending'));
    const shown = await gastop(['--rpc', anvil.url], { cols: 120, rows: 40 });
    screen = shown;
    await shown.waitFor('│ Average');
    await shown.press('4');
    await shown.waitFor('No auto-txs yet');
    await shown.press('n');
    await shown.waitFor('paste it here; it is never shown');
    const signed = await signedTransfer({
      chainId: 31_337,
      nonce: 0,
      maxFeePerGas: 20n * GWEI,
      maxPriorityFeePerGas: 1_000n,
    });
    shown.paste(signed);
    await shown.waitFor('Anvil (31337)');
    await shown.press('enter', 'ctrl+u', '5');
    await shown.waitFor('✓ nonce ');
    await shown.press('ctrl+s');
    await shown.waitFor('◌ pending');

    await mineAt(10n);
    await shown.waitFor('#1 ');
    await shown.waitFor('◌ pending');
    expect(await waiting()).toBe(0);

    await mineAt(5n);
    await waitFor(async () => (await waiting()) === 1, { what: 'the transaction in the pool' });
    await anvil.mine();
    await shown.waitFor('● executed');
    const block = Object(await anvil.rpc('eth_getBlockByNumber', ['0x3', false]));
    const [hash] = Reflect.get(block, 'transactions');
    const receipt = Object(await anvil.rpc('eth_getTransactionReceipt', [hash]));
    const paid = BigInt(Reflect.get(receipt, 'effectiveGasPrice'));
    expect(Reflect.get(receipt, 'status')).toBe('0x1');
    await shown.press('enter');
    await shown.waitFor(`${gweiString(paid)} gwei`);
    await shown.waitFor(/gas used +21,000/);
    await shown.waitFor(String(hash));
    for (let from = 2; from + 16 <= signed.length; from += 16) {
      const digits = signed.slice(from, from + 16);
      // The receiver is shown, and stands in what is signed.
      if (!'70997970c51812dc3a010c7d01b50e0d17dc79c8'.includes(digits)) {
        expect(shown.output().toLowerCase()).not.toContain(digits);
      }
    }
  });
});
