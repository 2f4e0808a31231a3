/** `gastop --demo` as a new user tries it: within a minute each pane has shown what it is for. */
import { readFileSync, statSync } from 'node:fs';
import { keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, it } from 'vitest';
import { SIMULATED_CHAIN_ID } from '../../src/core/chains.ts';
import { gastop } from '../helpers/gastop.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { temporaryFile } from '../helpers/service.ts';
import { fillOrder, marked, openForm } from './auto-tx-form.ts';

const ACCOUNT = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const GWEI = 10n ** 9n;
const BLOCKS_COME = { timeoutMs: 120_000 };

it('shows advice, has an alert fire and cancels an auto-tx; sends another and opens its transaction', async () => {
  const signed = await ACCOUNT.signTransaction({
    type: 'eip1559',
    chainId: SIMULATED_CHAIN_ID,
    nonce: 0,
    to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    value: 12_345_678_900_000_000n,
    gas: 21_000n,
    maxFeePerGas: 500n * GWEI,
    maxPriorityFeePerGas: GWEI / 10n,
  });
  const does = '0.0123 ETH to 0x7099';
  // Half a day is enough for most of the advice, and a fraction of the work; e2e/journeys shows advice, too.
  const history = isSlowRun ? '12h' : '1h';
  const log = await temporaryFile('monitor.log');
  await using terminal = await gastop(['--demo', '--history', history], {
    ...{ cols: 120, rows: 40 },
    env: { GASTOP_LOG: log },
  });
  if (isSlowRun) {
    const table = (await terminal.waitFor(/^ likely( +(?:over )?\d+ %){3}/m, BLOCKS_COME)).join('\n');
    expect(table).toMatch(/SEND NOW|WAIT|SET ALERT/);
  } else {
    // It opens where waiting pays, and its coin has a price.
    await terminal.waitFor(/^ WAIT up to \S+ for [\d.]+ gwei .*saves \d+ %/m, BLOCKS_COME);
    await terminal.waitFor(/Average .*\$0\.\d+/, BLOCKS_COME);
  }

  await terminal.press('3');
  await terminal.waitFor(/Average < .* 1 .*terminal, email/, BLOCKS_COME);
  expect(terminal.screen().join('\n')).toMatch(/● armed[\s\S]*— disabled/);
  await terminal.waitFor(() => /Average below [\d.]+ gwei: [\d.]+ · deploy/.test(terminal.output()));
  await terminal.press('enter');
  await terminal.waitFor(/Deliveries +2/);
  await terminal.press('right');
  await terminal.waitFor(/● simulated/);

  await terminal.press('esc', '4');
  const autoTxs = (await terminal.waitFor('Auto-txs 4')).join('\n');
  for (const [state, content] of [
    ['draft', '0.25 ETH'],
    ['failed', '0.1 ETH'],
    ['executed', 'transfer on 0x'],
    ['(pending|submitted|included)', '0.5 ETH'],
  ] as const) {
    expect(autoTxs).toMatch(new RegExp(`${state} +${content}`));
  }
  // What is under way comes before it, and what has ended after it.
  await terminal.press('/');
  await terminal.waitFor(/^ find/m);
  await terminal.press('0.25', 'enter');
  await terminal.waitFor(marked('0.25 ETH', /draft/));
  await terminal.press('x');
  await terminal.waitFor('Cancel this auto-tx?');
  await terminal.press('y');
  await terminal.waitFor(/cancelled +0\.25 ETH/);

  // It waits for a block of 12 or 24 seconds; cli/auto-txs-node hands one over, too.
  if (isSlowRun) {
    // What was found is all that the list shows.
    await terminal.press('esc');
    await terminal.waitFor('transfer on 0x');
    await openForm(terminal);
    terminal.paste(signed);
    await terminal.waitFor(/signed transaction, \d+ bytes/);
    await fillOrder(terminal, { target: '400' });
    await terminal.press('ctrl+s');
    await terminal.waitFor('Send it at once?');
    await terminal.press('y');
    await terminal.waitFor(new RegExp(`→ included +${does}`), BLOCKS_COME);

    await terminal.press('5');
    await terminal.waitFor('Latest blocks');
    await terminal.press('/');
    await terminal.waitFor(/^ find/m);
    await terminal.press(keccak256(signed), 'enter');
    const transaction = (await terminal.waitFor(/Transaction +● success/)).join('\n');
    expect(transaction).toContain(ACCOUNT.address);
    expect(transaction).toMatch(/of it 0\.100 tip/);
  }
  await terminal.press('q');
  expect((await terminal.waitForExit()).exitCode).toBe(0);
  expect(terminal.leftovers()).toEqual([]);
  const logged = readFileSync(log, 'utf8');
  const events = logged
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'request', name: 'statsCurrent', outcome: 'ok' }),
  );
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'request', name: 'cancelAutoTx', outcome: 'ok' }),
  );
  expect(events).toContainEqual(expect.objectContaining({ type: 'state', tab: 'Auto-tx', status: 'live' }));
  expect(events).toContainEqual(expect.objectContaining({ type: 'frame', ms: expect.any(Number) }));
  expect(logged).not.toMatch(/0x[0-9a-f]{8}/i);
  expect(statSync(log).mode & 0o777).toBe(0o600);
});
