import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { encodeHeader } from '../../src/chain/block-file.ts';
import { GasRecommendation } from '../../src/contract/advice.ts';
import { GasCurrent } from '../../src/contract/gas.ts';
import { BaseFeeMetrics } from '../../src/contract/metrics.ts';
import { BASE_PATH, PATHS } from '../../src/contract/routes.ts';
import { formatCount, formatGwei } from '../../src/core/units.ts';
import { sendJson, serve } from '../client/http-server.ts';
import { OWN_RECOMMENDATION, OWN_SNAPSHOT } from '../client/own-answers.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { runMain } from './captured-io.ts';
import { RECORDING, SHORT_RECORDING, serveRecording, withZeroTips } from './served.ts';

const recorded = readFileSync(RECORDING, 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [number = '', timestamp = '', baseFee = ''] = line.split(',');
    return { number: Number(number), timestamp: Number(timestamp), baseFee: BigInt(baseFee) };
  });
const last = recorded.at(-1) ?? { number: 0, timestamp: 0, baseFee: 0n };
const short = ['--replay', SHORT_RECORDING];

const folder = sharedFolder('test');
const file = join(folder, basename(RECORDING));
writeFileSync(file, await withZeroTips());
const served = await serveRecording(file, 100_000);
const current = async () => (await fetch(`${served.origin}${BASE_PATH}${PATHS.gasCurrent}`)).json();
await waitFor(async () => GasCurrent.parse(await current()).source.ended, { what: 'its end' });
afterAll(() => served.close());

describe('now over a recording', () => {
  it('shows the last block, marked as recorded, within 80 columns', async () => {
    const { exitCode, stdout, stderr } = await runMain(['now', ...short]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('[REPLAY]  Ethereum  #20,975,164  2024-10-16 02:33:35 UTC');
    expect(stdout).toContain(`base fee ${formatGwei(last.baseFee)} `);
    for (const lane of ['Slow', 'Average', 'Fast'])
      expect(stdout).toMatch(new RegExp(`^${lane} +[\\d.]+ `, 'm'));
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('in ASCII holds nothing else', async () => {
    const { stdout } = await runMain(['now', '--ascii', ...short]);
    expect(stdout).toMatch(/^[\n\u0020-\u007e]+$/);
  });

  it('lists on stdout what a format can hold, without asking a source', async () => {
    const argv = ['now', '--format', '{}', '--rpc', 'http://127.0.0.1:9'];
    const { exitCode, stdout, stderr } = await runMain(argv);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const listed = stdout.trimEnd().split(/\s/);
    expect(listed).toEqual(
      expect.arrayContaining(['{average}', '{average:gwei}', '{average:wei}', '{action}']),
    );
    const filled = await runMain(['now', '--format', listed.join(''), ...short]);
    expect({ code: filled.exitCode, stderr: filled.stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('fills in a format: rounded for people, exact for machines', async () => {
    const format = '{base}|{base:gwei}|{base:wei}|{block}|{chain}|{{}}';
    const { exitCode, stdout } = await runMain(['now', '--format', format, ...short]);
    const wei = last.baseFee.toString();
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      `${formatGwei(last.baseFee)}|${wei.slice(0, -9)}.${wei.slice(-9)}|${wei}|${last.number}|Ethereum|{}\n`,
    );
  });

  it('takes its flags before and after the command', async () => {
    const before = await runMain([...short, 'now', '--format', '{block}']);
    const after = await runMain(['now', '--format', '{block}', ...short]);
    expect(before).toEqual(after);
    expect(before.stdout).toBe(`${last.number}\n`);
  });
});

describe('now at the end of a recording', () => {
  const GWEI = 1_000_000_000;
  const rows = (cells: string) =>
    [1, 2, 3].map((number) => `${number},${1_700_000_000 + 12 * number},${GWEI}${cells}`);
  const csv = (heading: string, cells = '') =>
    [`block_number,timestamp,base_fee_wei${heading}`, ...rows(cells)].join('\n');
  const line = {
    ...{
      number: 3,
      timestamp: 1_700_000_036,
      baseFeePerGas: GWEI,
      gasUsedRatio: 1,
      nextBaseFee: 1_125_000_000,
    },
  };
  const json = [encodeHeader(1).trim(), JSON.stringify(line)].join('\n');

  it.each([
    ['does not tell', csv(''), null],
    ['tells the gas used', csv(',gas_used,gas_limit', ',15000000,30000000'), GWEI],
    ['tells the next base fee', json, 1_125_000_000],
  ])('names the next base fee where the last block %s', async (name, text, next) => {
    const path = join(folder, `${name}.txt`);
    writeFileSync(path, text);
    const { stdout } = await runMain(['now', '--json', '--replay', path]);
    expect(JSON.parse(stdout)).toMatchObject({ blockNumber: 3, nextBasePrice: next });
    const words = (await runMain(['now', '--replay', path])).stdout;
    expect(words.includes('next base fee')).toBe(next !== null);
    expect(/block \d+ % full/.test(words)).toBe(next !== null);
    expect(words).toContain('no advice: the last blocks of this recording have no tips');
  });
});

describe('now at a service whose advice cannot be had', () => {
  const { action: _, ...withoutAction } = OWN_RECOMMENDATION;
  it.each([
    [200, withoutAction, 'has no action'],
    [200, { ...OWN_RECOMMENDATION, action: null, reasons: ['no advice yet: young'] }, 'no advice yet: young'],
    [404, {}, 'the service has no /gas/recommendation'],
    [500, { message: 'oops' }, 'the service failed (500): oops'],
  ])('prints the prices and says why there is no advice (%i)', async (status, answer, why) => {
    const { url } = await serve((request, response) =>
      request.url?.includes('/gas/current')
        ? sendJson(response, {
            ...OWN_SNAPSHOT,
            stale: false,
            source: { ...OWN_SNAPSHOT.source, problem: null },
          })
        : sendJson(response, answer, status),
    );
    const { exitCode, stdout, stderr } = await runMain(['now', '--url', url]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^Slow +0\.0+9 /m);
    const advice = stdout.slice(stdout.indexOf('no advice')).replaceAll(/\s+/g, ' ');
    expect(advice).toContain(why);
    expect((await runMain(['now', '--format', '{slow:wei} {action}', '--url', url])).stdout).toBe('9 —\n');
  });
});

describe('now --below', () => {
  const below = (price: string, ...more: string[]) =>
    runMain(['now', '--below', price, ...more, '--stale-ok', '--url', served.origin]);

  it('says in one line how likely a price is reached', async () => {
    const dear = await below('1000000', '--within', '10m');
    expect([dear.exitCode, dear.stderr]).toEqual([0, '']);
    expect(dear.stdout).toMatch(
      /^\[REPLAY\] {2}at or below 1,000,000 gwei within 10m: (over )?99 % likely\n$/,
    );
    expect((await below('0.000000001', '--within', '15m')).stdout).toMatch(
      /^\[REPLAY\] {2}at or below 0\.000000001 gwei within 15m: [1-5] % likely\n$/,
    );
    const near = await below((Number(last.baseFee) / 1e9).toFixed(9), '--within', '15m');
    expect(near.stdout).toMatch(
      /^\[REPLAY\] {2}at or below [\d.]+ gwei within 15m: (over |under )?\d+ % likely\n$/,
    );
  });

  it('is the service’s own answer to that question with --json', async () => {
    const { exitCode, stdout } = await below('9.5', '--within', '5m', '--json');
    expect(exitCode).toBe(0);
    const { reach } = GasRecommendation.parse(JSON.parse(stdout));
    expect(reach).toMatchObject({ targetPrice: 9_500_000_000, deadlineSec: 300, reason: null });
    expect(reach?.probability).toBeGreaterThan(0);
  });

  it('says why where the recording is too short to tell, an hour ahead unless told, and fails', async () => {
    for (const [within, why, flags] of [
      ['1h', 'history', []],
      ['7d', 'up to 1d ahead can be told', ['--within', '7d']],
    ] as const) {
      const { exitCode, stdout, stderr } = await below('9', ...flags);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toMatch(new RegExp(`^gastop: at or below 9 gwei within ${within}: .*${why}.*\n$`));
    }
  });

  it('takes a recording as well', async () => {
    const { exitCode, stdout } = await runMain(['now', '--below', '1000000', '--within', '1m', ...short]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  });

  it('fails for a service that gives advice but knows no likelihoods, asked once and in the contract’s words', async () => {
    const service = await serve((request, response) => {
      const { reach: _, ...advice } = OWN_RECOMMENDATION;
      sendJson(response, request.url?.includes('/gas/current') ? { ...OWN_SNAPSHOT, stale: false } : advice);
    });
    const asked = ['now', '--below', '0.05', '--within', '6h', '--stale-ok', '--url', service.url];
    const { exitCode, stdout, stderr } = await runMain(asked);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toBe('gastop: this service does not say how likely a price is reached\n');
    expect(service.requests.map(({ path }) => path).filter((path) => path.startsWith('/be/api'))).toEqual([
      '/be/api/v1/gas/current',
      '/be/api/v1/gas/recommendation',
    ]);
  });
});

describe('history over a recording', () => {
  const history = (flags: string) => runMain(['history', ...flags.split(' '), '--url', served.origin]);

  it('as CSV by blocks is the recording, number by number', async () => {
    const { exitCode, stdout, stderr } = await history('--csv --bucket block --window 3h');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'gastop: [REPLAY]  these are no live prices\n',
    });
    const [heading, ...rows] = stdout.trim().split('\n');
    expect(heading?.split(',').slice(0, 3)).toEqual(['time', 'block_number', 'base_fee_open_wei']);
    const expected = recorded.filter(({ timestamp }) => timestamp > last.timestamp - 10_800);
    expect(rows.map((row) => row.split(',').slice(0, 3))).toEqual(
      expected.map(({ number, timestamp, baseFee }) => [
        new Date(timestamp * 1_000).toISOString(),
        String(number),
        String(baseFee),
      ]),
    );
  });

  it('as a table has one row per bucket with its lowest and highest base fee', async () => {
    const { stdout, stderr } = await history('--window 2h --bucket 1h');
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^\[REPLAY\] {2}base fee and median tip in gwei\nUTC /);
    const hour = recorded.filter(
      ({ timestamp }) => Math.floor(timestamp / 3_600) === Math.floor(last.timestamp / 3_600) - 1,
    );
    const fees = hour.map(({ baseFee }) => baseFee).sort((a, b) => (a < b ? -1 : 1));
    expect(stdout).toContain('2024-10-16 01:00');
    expect(stdout.split('\n').find((line) => line.startsWith('2024-10-16 01:00'))).toMatch(
      new RegExp(`${formatGwei(fees[0] ?? 0n)} +${formatGwei(fees.at(-1) ?? 0n)} `),
    );
  });

  it('as JSON is the service’s own answer, and says when it is only its first page', async () => {
    const { stdout, stderr } = await history('--json --bucket block --window 3h');
    const answer = BaseFeeMetrics.parse(JSON.parse(stdout));
    expect(answer.data).toHaveLength(500);
    expect(stderr).toBe(
      `gastop: these are 500 of ${formatCount(answer.total)} rows; a larger --bucket makes them fewer, such as 1h\n`,
    );
  });

  it('as a chart fits the terminal, with the range around its line', async () => {
    const { stdout } = await history('--chart --window 6h');
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(15);
    expect(lines[0]).toBe('[REPLAY]  base fee in gwei, mean and range');
    expect(lines.slice(1, -1).join('')).toMatch(/[╭╮].*∙/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.at(-1)).toContain('2024-10-16 02:3');
  });

  it.each([
    ['--axis log', ', log axis', /[╭╮]/],
    ['--braille', 'mean and range\n', /[\u2801-\u28ff]{4}/],
    ['--braille --axis log', ', log axis', /[\u2801-\u28ff]{4}/],
    ['--axis linear', 'mean and range\n', /[╭╮]/],
  ])('draws the chart that %s asks for, with its axis named', async (flags, title, line) => {
    const { stdout } = await history(`${flags} --window 6h`);
    expect(stdout).toContain(title);
    expect(stdout).toMatch(line);
    expect(stdout.trimEnd().split('\n')).toHaveLength(15);
  });

  it('draws a line instead of braille dots in ASCII, and says so', async () => {
    const { stdout, stderr } = await history('--braille --window 6h --ascii');
    expect(stdout).toMatch(/^[\x20-\x7e\n]*$/);
    expect(stdout).not.toContain('?');
    expect(stderr).toContain('braille dots need Unicode');
  });

  it('longer than the recording shows what there is and says so', async () => {
    const { exitCode, stdout, stderr } = await runMain([
      'history',
      '--window',
      '7d',
      '--bucket',
      '1h',
      ...short,
    ]);
    expect(exitCode).toBe(0);
    expect(stderr).toBe('gastop: history reaches back only 11m\n');
    expect(stdout).toContain('2024-10-16 02:00');
  });
});

it('a service at a URL now --json prints its answer as it is, and sends the key', async () => {
  const before = served.keys.length;
  const env = { GASTOP_API_KEY: 'the-key' };
  const { exitCode, stdout, stderr } = await runMain(['now', '--json', '--url', served.origin], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(GasCurrent.parse(JSON.parse(stdout)).source.kind).toBe('replay');
  expect(new Set(served.keys.slice(before))).toEqual(new Set(['the-key']));
});
