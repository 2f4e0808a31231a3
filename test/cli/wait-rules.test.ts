/** `gastop wait` and `gastop now --below` by rules in dollars and against history. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sendJson, serve } from '../client/http-server.ts';
import { OWN_MARKET, OWN_RECOMMENDATION, OWN_SNAPSHOT } from '../client/own-answers.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { runMain } from './captured-io.ts';

const folder = sharedFolder('wait-rules');
let files = 0;
const freshFile = () => join(folder, `file-${++files}`);
const env = { PATH: process.env.PATH ?? '' };

/** Prices in wei per gas, the fee for L1 in wei. */
interface Told {
  readonly price: number;
  readonly nativeUsd?: number | null;
  readonly nativeUsdReason?: string;
  readonly dataFee?: number | null;
  readonly blobBasePrice?: number | null;
}

const GAS = 100_000;
const OUTDATED = 'the dollar price is outdated since 2026-01-31T12:00:00.000Z';

/** A service whose head is another block with each request; the last one stays. */
async function chainOf(chainId: number, ...blocks: readonly [Told, ...Told[]]) {
  let at = -1;
  const cost = { wei: '0', usd: null };
  const { url } = await serve(({ url: path = '' }, response) => {
    if (path.includes('/gas/current')) at = Math.min(at + 1, blocks.length - 1);
    const told = blocks[Math.max(at, 0)] ?? blocks[0];
    const { price, nativeUsd = null, dataFee = 0, blobBasePrice = null } = told;
    const time = new Date().toISOString();
    if (path.includes('/gas/current')) {
      const lane = { ...OWN_SNAPSHOT.lanes.slow, price, maxFeePerGas: price * 2 };
      return sendJson(response, {
        ...{ ...OWN_SNAPSHOT, chainId, blockNumber: 100 + at, blockTimestamp: time, updatedAt: time },
        ...{ lowPrice: price, averagePrice: price, highPrice: price, basePrice: price },
        ...{
          nativeUsd,
          nativeUsdReason: told.nativeUsdReason,
          blobBasePrice,
          updateFrequencySec: 0.2,
          stale: false,
        },
        lanes: { slow: lane, average: lane, fast: lane },
        source: { ...OWN_SNAPSHOT.source, kind: 'rpc', problem: null },
      });
    }
    if (path.includes('/gas/recommendation')) return sendJson(response, OWN_RECOMMENDATION);
    if (!path.includes('/stats/market'))
      return sendJson(response, { errorCode: 'not_found', message: 'there is no such route' }, 404);
    const action = {
      ...{ name: 'Swap', gas: GAS, gasNext: null, newHolder: null, slow: cost, average: cost, fast: cost },
      dataFee: dataFee === null ? null : { wei: String(dataFee), usd: null },
      dataFeeReason: dataFee === null ? 'no oracle' : null,
    };
    sendJson(response, { ...OWN_MARKET, actions: [action] });
  });
  return { url };
}

describe('gastop wait', () => {
  it('runs its command in the first block whose price, coin and L1 fee together cost no more, and tells it what', async () => {
    const blocks = [
      { price: 1_500_000_000, nativeUsd: 2_000, dataFee: 10 ** 14 },
      { price: 1_000_000_000, nativeUsd: null, dataFee: 10 ** 14 },
      { price: 1_000_000_000, nativeUsd: 2_000, dataFee: null },
      { price: 1_000_000_001, nativeUsd: 2_000, dataFee: 10 ** 14 },
      { price: 1_000_000_000, nativeUsd: 2_000, dataFee: 10 ** 14 },
      { price: 1, nativeUsd: 1, dataFee: 0 },
    ] as const;
    const { url } = await chainOf(10, ...blocks);
    const out = freshFile();
    const argv = ['wait', '--url', url, '--below', '$ 0.4 / Swap', '--', 'sh', '-c', 'env > "$0"', out];
    const { exitCode, stderr } = await runMain(argv, { env });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'gastop: average is 1.00 gwei at block 104\n',
    });
    const told = Object.fromEntries(
      readFileSync(out, 'utf8')
        .split('\n')
        .map((line) => line.split('=')),
    );
    expect(told).toMatchObject({
      GASTOP_BLOCK: '104',
      GASTOP_PRICE_GWEI: '1',
      GASTOP_RULE: '$0.40/swap',
      GASTOP_COST_USD: '0.400000',
      GASTOP_LANE: 'average',
    });
  });

  it('prints what was reached as one object with --json, which takes the place of a command', async () => {
    const { url } = await chainOf(
      1,
      { price: 5_000_000_000, nativeUsd: 2_000 },
      { price: 1_000_000_000, nativeUsd: 2_000 },
    );
    const waiting = ['wait', '--url', url, '--below', '$0.40/swap', '--json'];
    const { exitCode, stdout, stderr } = await runMain(waiting);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ chainId: 1, blockNumber: 101, lane: 'average', rule: '$0.40/swap', price: 1_000_000_000 },
    });
    expect(JSON.parse(stdout).costUsd).toBeLessThanOrEqual(0.4);
    const both = await runMain([...waiting, '--', 'true']);
    expect(both.exitCode).toBe(2);
    expect(both.stderr).toContain('--json takes the place of a command');
  });

  it('waits for a price above a rule, and for a share', async () => {
    const rising = await chainOf(1, { price: 1_999, nativeUsd: 2_000 }, { price: 2_000, nativeUsd: 2_000 });
    const above = ['wait', '--url', rising.url, '--above', '$0.0000004/swap'];
    expect((await runMain(above)).stderr).toContain('at block 101');
    const falling = await chainOf(
      1,
      { price: 3_500_000_001, nativeUsd: 2_000 },
      { price: 3_500_000_000, nativeUsd: 2_000 },
    );
    const share = ['wait', '--url', falling.url, '--below', '2% of $35/swap'];
    expect((await runMain(share)).stderr).toContain('at block 101');
  });

  it('goes by the blob base fee, whose gas has a price in dollars too', async () => {
    const blobs = (...prices: readonly number[]) =>
      prices.map((blobBasePrice) => ({ price: 9, nativeUsd: 2_000, blobBasePrice })) as [Told, ...Told[]];
    for (const [rule, ...prices] of [
      ['0.000000005', 6, 5],
      ['$0.02/131072', 76_293_946, 76_293_945],
    ] as const) {
      const { url } = await chainOf(1, ...blobs(...prices));
      const out = freshFile();
      const command = ['sh', '-c', 'echo "$GASTOP_LANE $GASTOP_BLOCK $GASTOP_TIP_GWEI" > "$0"', out];
      const argv = ['wait', '--url', url, '--lane', 'blob', '--below', rule, '--', ...command];
      const { exitCode, stderr } = await runMain(argv, { env });
      expect({ exitCode, stderr, told: readFileSync(out, 'utf8') }).toMatchObject({
        exitCode: 0,
        told: 'blob 101 \n',
      });
    }
  });

  it('waits and says why while what its rule stands for is unknown', async () => {
    const cases = [
      [1, '$1000/swap', { price: 1 }, 'no dollar price of ETH'],
      [1, '$1000/swap', { price: 1, nativeUsdReason: OUTDATED }, OUTDATED],
      [10, '$1000/swap', { price: 1, nativeUsd: 1, dataFee: null }, 'the L1 data fee is unknown'],
      [10, '$1/swap', { price: 1, nativeUsd: 2_000, dataFee: 10 ** 16 }, 'the L1 data fee alone'],
      [10, '$9/200000', { price: 1, nativeUsd: 1 }, 'name an action'],
      [1, 'p20/7d', { price: 1 }, 'no such route'],
      [8_453, '5', { price: 1, lane: 'blob' }, 'this chain has no blobs'],
    ] as const;
    const wait = async ([chainId, rule, told, why]: (typeof cases)[number]) => {
      const { url } = await chainOf(chainId, told);
      const ran = freshFile();
      const lane = 'lane' in told ? ['--lane', told.lane] : [];
      const argv = ['wait', '--url', url, '--below', rule, ...lane, '--timeout', '1s', '--', 'touch', ran];
      const { exitCode, stderr } = await runMain(argv, { env });
      expect({ exitCode, ran: existsSync(ran) }).toEqual({ exitCode: 124, ran: false });
      expect(stderr).toMatch(/^gastop: gave up after 1s [^\n]+\n$/);
      expect(stderr).toContain(why);
    };
    await Promise.all(cases.map(wait));
  });

  it.each([
    [['--below', '2%'], '2% of what? write 2% of $35/swap'],
    [['--below', '$0.40'], '$0.40 for what?'],
    [['--below', '$1/swap', '--lane', 'blob'], 'swap takes no blob gas'],
    [['--below', 'p20/7d', '--lane', 'blob'], 'no history of blob prices'],
  ])('refuses %j, and says what to write', async (flags, says) => {
    const { exitCode, stderr } = await runMain(['wait', '--url', 'http://127.0.0.1:1', ...flags]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(says);
  });
});

describe('gastop now --below', () => {
  it('says what a rule stands for now beside how likely that is', async () => {
    const { url } = await chainOf(1, { price: 9, nativeUsd: 2_000 });
    const { exitCode, stderr } = await runMain(['now', '--url', url, '--below', '$0.40/swap']);
    // This service forecasts nothing.
    expect(exitCode).toBe(1);
    expect(stderr).toBe('gastop: at or below $0.40/swap (2.00 gwei now) within 1h: too little history\n');
  });

  it('says why nothing is known of a rule', async () => {
    const { url } = await chainOf(1, { price: 9 });
    const { exitCode, stdout, stderr } = await runMain([
      'now',
      '--url',
      url,
      '--below',
      '$0.40/swap',
      '--json',
    ]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toBe('gastop: no price is known for $0.40/swap: no dollar price of ETH\n');
  });

  it('knows the past of a simulated chain', async () => {
    const { exitCode, stdout } = await runMain(['now', '--demo', '--below', 'p20/6h']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^\[SIMULATED\] {2}at or below p20\/6h \([\d.]+ gwei now\) within 1h: .* likely\n$/,
    );
  });
});
