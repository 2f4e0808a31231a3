/** The built monitor and commands on a service that knows part 1 of the v1 contract alone, and on one that fails by half. */
import { afterAll, describe, expect, it } from 'vitest';
import { runMain } from '../cli/captured-io.ts';
import { gastop } from '../helpers/gastop.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import type { Terminal } from '../helpers/terminal.ts';
import { type Refusals, startForeignService } from './foreign-service.ts';

const KEY = 'gs_live_must_never_be_seen_anywhere';

const service = await startForeignService();
afterAll(() => service.close());

const PRICES = /│ Average +│ +0\.0507/;

async function start(refusals: Refusals): Promise<Terminal> {
  service.refusals = refusals;
  const env = { GASTOP_API_KEY: KEY };
  return gastop(['--url', `${service.origin}/be/api/v1`], { cols: 110, rows: 44, env });
}

async function lookAround(
  terminal: Terminal,
  tabs: readonly (readonly [key: string, ...shows: (string | RegExp)[]])[],
): Promise<void> {
  for (const [key, ...shows] of tabs) {
    await terminal.press(key);
    for (const each of shows) await terminal.waitFor(each);
  }
}

const run = (...argv: readonly string[]) =>
  runMain([...argv, '--url', service.origin], { env: { GASTOP_API_KEY: KEY } });

const WAYS: readonly (readonly [name: string, refusals: Refusals])[] = [
  ['with a chart', {}],
  ['without one', { '/dashboard/stats/chart': 404 }],
];

describe('a service that knows the given document alone', () => {
  it.each(WAYS.slice(0, isSlowRun ? 2 : 1))(
    '%s answers every command, and is asked for nothing else',
    async (_, refusals) => {
      service.refusals = refusals;
      service.refused.length = 0;
      const made = await run('alerts', 'create', '--below', '0.04', '--email', 'a@gas.example', '--json');
      const { id } = JSON.parse(made.stdout).data;
      const draft = await run(
        'auto-txs',
        'create',
        '--target',
        '0.03',
        '--to',
        `0x${'2'.repeat(40)}`,
        '--json',
      );
      const { id: autoTx } = JSON.parse(draft.stdout).data;
      const { hash } = JSON.parse((await run('block', '--json')).stdout).data;
      for (const [argv, shows] of [
        [['now'], /Average +0\.0507[\s\S]*WAIT ~10m for 0\.0388 gwei/],
        [['now', '--json'], /"averagePrice":"0.0507"/],
        [['wait', '--below', '1000', '--timeout', '90s'], /^$/],
        [['history', '--window', '30m'], /0\.0109 +42 % +█/],
        [['history', '--window', '30m', '--csv'], /10900000,0\.42$/m],
        [['history', '--window', '30m', '--chart'], /┤|┼/],
        [['history', '--window', '30m', '--json'], /"baseFee":0\.0/],
        [['block'], /base fee +0\.0/],
        [['tx', hash], /to +0x2222/],
        [['alerts', 'list'], /Average < 0\.04 gwei/],
        [['alerts', 'show', id], /email +a@gas\.example/],
        [['alerts', 'savings', id], /0\.00000420/],
        [['alerts', 'preview', '--below', '0.05', '--email', 'a@gas.example'], /would (not )?have fired/],
        [['alerts', 'disable', id, '--json'], /success/],
        [['alerts', 'delete', id, '--yes', '--json'], /success/],
        [['auto-txs', 'list'], /≤ 0\.03 gwei/],
        [['auto-txs', 'show', autoTx], /draft/],
        [['auto-txs', 'update', autoTx, '--note', 'later', '--json'], /success/],
        [['auto-txs', 'cancel', autoTx, '--json'], /success/],
        [['auto-txs', 'delete', autoTx, '--yes', '--json'], /success/],
        [['doctor'], /so are 1[5-9] of 19 read routes/],
      ] as const) {
        const { exitCode, stdout, stderr } = await run(...argv);
        expect([exitCode, stdout], `${argv.join(' ')}: ${stderr}`).toEqual([0, expect.stringMatching(shows)]);
      }
      expect(service.refused).toEqual([]);
    },
  );

  it.runIf(isSlowRun).each(WAYS)(
    '%s fills every tab of the monitor, and is asked for nothing else',
    async (_, refusals) => {
      await using terminal = await start(refusals);
      service.refused.length = 0;
      await run('alerts', 'create', '--below', '0.04', '--email', 'a@gas.example');
      await run('auto-txs', 'create', '--target', '0.03', '--to', `0x${'2'.repeat(40)}`);
      await terminal.waitFor(PRICES);
      await lookAround(terminal, [
        ['1', /WAIT ~10m for 0\.0388/, 'Bridge', /24 h +0\.0290/, /in gwei +── base/],
        ['2', /^ 1h .*gwei/m, /base 0\.0\d+ .*min/, 'tip p50 0.0109'],
        ['t', /^ 24h .*gwei/m, /base 0\.0\d+ .*min/],
        ['h', 'cheap hours', 'of 24h'],
        ['3', 'Average < 0.04 gwei'],
        ['enter', 'a@gas.example', '0.00000420', 'no log'],
        ['4', /draft +call on 0x2222…2222 .*0\.03/],
        ['enter', /^ target /m],
        ['5', /▸ [\d,]+ .*42 % +0\.0109/],
        ['enter', /^ Block [\d,]+/m, /0x1111…1111 → 0x2222…2222/],
        ['6', 'Explorer plan', 'Summary  1 alert, 1 on', /24 h +0\.0/, 'Bridge'],
      ]);
      await terminal.press('3');
      await terminal.press('esc');
      await terminal.press('n');
      await terminal.waitFor(/notify +\[x\] email/);
      await terminal.press('0.05', 'tab', 'tab', 'a@gas.example');
      await terminal.waitFor(/would (not )?have fired/);
      expect(service.refused).toEqual([]);
    },
  );
});

describe('a service of which half of the routes fail', () => {
  const HALVES = [
    {
      '/gas/trend': 500,
      '/gas/recommendation': 200,
      '/dashboard/stats/chart': 500,
      '/dashboard/rate-limits': 500,
      '/metrics/gas-used-ratio': 500,
      '/metrics/priority-fee': 200,
      '/metrics/tx': 500,
      '/alerts/:id': 500,
      '/alerts/:id/savings': 500,
      '/auto-txs/:id': 500,
    },
    {
      '/dashboard/stats/chart': 500,
      '/dashboard/stats/market': 500,
      '/dashboard/summary': 500,
      '/metrics/base-fee': 500,
      '/metrics/txs': 500,
      '/metrics/block': 500,
      '/alerts': 500,
      '/auto-txs': 500,
    },
  ] as const;

  it.runIf(isSlowRun)('shows the rest on every tab, and says what is missing', async () => {
    service.refusals = {};
    await run('alerts', 'create', '--below', '0.04', '--email', 'a@gas.example');
    await using terminal = await start(HALVES[0]);
    await terminal.waitFor(PRICES);
    await lookAround(terminal, [
      ['1', /no advice: .* has no action/, /no trend: the service failed/, 'Bridge', /in gwei +── base/],
      ['2', /base 0\.0\d+ .*min/, 'the service gives no history of them'],
      ['3', 'Average < 0.04 gwei'],
      ['enter', 'a@gas.example', /Deliveries +the service failed/],
      ['5', /no fullness: the service failed/, /no tips: /, /▸ [\d,]+ +\d+s +0\.0/],
      ['6', /Quota +not known: the service failed/, 'Summary  1 alert, 1 on', 'Bridge'],
    ]);
    service.refusals = HALVES[1];
    await terminal.press('1');
    await terminal.pressUntil('r', 'WAIT ~10m for 0.0388');
    // The market figures fail from now on: the last ones stay.
    await terminal.waitFor(/24 h +0\.0290/);
    await terminal.press('6');
    await terminal.pressUntil('r', 'Explorer plan');
  });

  it.runIf(isSlowRun)('answers the commands that do not need them, and says what is missing', async () => {
    service.refusals = {};
    const { stdout } = await run('alerts', 'create', '--below', '0.04', '--email', 'a@gas.example', '--json');
    const { id } = JSON.parse(stdout).data;
    for (const [half, argv, shows, says] of [
      [0, ['now'], /0\.0507[\s\S]*no advice: .* has no action/, ''],
      [0, ['wait', '--below', '1000'], '', ''],
      [0, ['history', '--window', '30m'], /0\.0\d+ +— +— +█/, 'no fullness: the service failed'],
      [0, ['alerts', 'show', id], /a@gas\.example/, 'the service failed'],
      [0, ['doctor'], /not understood/, ''],
      [1, ['now'], /WAIT ~10m/, ''],
      [1, ['alerts', 'savings', id], /0\.00000420/, ''],
    ] as const) {
      service.refusals = HALVES[half];
      const done = await run(...argv);
      expect([done.exitCode, done.stdout], argv.join(' ')).toEqual([0, expect.stringMatching(shows)]);
      expect(done.stderr, argv.join(' ')).toContain(says);
    }
    const withoutBaseFees = await run('history', '--window', '30m');
    expect(withoutBaseFees).toMatchObject({ exitCode: 3, stdout: '' });
    expect(withoutBaseFees.stderr).toContain('the service failed');
    service.refusals = { '/gas/current': 500 };
    for (const argv of [['block'], ['history'], ['alerts', 'list'], ['auto-txs', 'list']]) {
      expect((await run(...argv)).exitCode, argv.join(' ')).toBe(0);
    }
    expect((await run('history')).stderr).toContain('no current prices: the service failed');
  });
});
