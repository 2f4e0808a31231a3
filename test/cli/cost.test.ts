import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startAnvil } from '../helpers/anvil.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { runMain } from './captured-io.ts';

const env = { XDG_DATA_HOME: sharedFolder('cost') };
const anvil = await startAnvil({ chainId: 31_337, baseFee: 7_000_000_000, noMining: true });
await anvil.mine(5);
// Prices count only while they are fresh, however long a busy machine takes.
beforeEach(() => anvil.mine(1));
afterAll(() => anvil.stop());

const TO = `0x${'7e'.repeat(20)}`;
const run = (...argv: string[]) => runMain(['cost', ...argv, '--rpc', anvil.url], { env });

interface Figures {
  readonly price: number;
  readonly costWei: string;
}
interface Told {
  readonly gas: number;
  readonly isEstimated: boolean;
  readonly dataFeeWei: string;
  readonly lanes: Readonly<Record<'slow' | 'average' | 'fast', Figures>>;
}

describe('cost', () => {
  it('of so much gas is that gas at the price of each lane, as now says it', async () => {
    const { exitCode, stdout, stderr } = await run('184,000', '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { gas, isEstimated, lanes } = JSON.parse(stdout) as Told;
    expect({ gas, isEstimated }).toEqual({ gas: 184_000, isEstimated: false });
    const now = await runMain(
      ['now', '--rpc', anvil.url, '--format', '{slow:wei} {average:wei} {fast:wei}'],
      { env },
    );
    const prices = now.stdout.trim().split(' ');
    const told = [lanes.slow, lanes.average, lanes.fast];
    expect(told.map(({ price }) => String(price))).toEqual(prices);
    expect(told.map(({ costWei }) => costWei)).toEqual(
      prices.map((price) => String(BigInt(price) * 184_000n)),
    );
  });

  it.each([
    ['a transfer', ['--to', TO, '--value', '1wei'], 21_000],
    ['data', ['--to', TO, '--data', '0x0001ff'], 21_000],
    ['a contract', ['--data', '0x600160005500'], 53_000],
  ])('of %s is estimated by the node', async (_, call, least) => {
    const { stdout, stderr } = await run(...call, '--json');
    expect(stderr).toBe('');
    const { gas, isEstimated, dataFeeWei } = JSON.parse(stdout) as Told;
    expect({ isEstimated, dataFeeWei }).toEqual({ isEstimated: true, dataFeeWei: '0' });
    expect(gas).toBeGreaterThanOrEqual(least);
    expect((await run(...call)).stdout).toContain('as the node estimates it');
  });

  it.each([
    ['of a call that fails', ['--data', '0xfe'], 'the call would fail'],
    ['of neither', [], 'give either the gas'],
    ['of both', ['21000', '--to', TO], 'give either the gas'],
    ['of too little gas', ['12'], 'not an amount of gas'],
    ['of no gas', ['much'], 'not an amount of gas'],
    ['of no address', ['--to', '0x12'], 'must be an address'],
    ['of half a byte', ['--to', TO, '--data', '0x1'], 'must be hex'],
  ])('%s says in a line what is wrong', async (_, argv, words) => {
    const { exitCode, stdout, stderr } = await run(...argv);
    expect(exitCode).toBeGreaterThan(0);
    expect(stdout).toBe('');
    expect(stderr).toContain(words);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
