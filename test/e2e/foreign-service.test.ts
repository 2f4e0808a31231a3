/** The built monitor and commands against a service that we did not write, through all its moods. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runMain } from '../cli/captured-io.ts';
import { type ForeignService, type Mood, startForeignService } from '../helpers/foreign-service.ts';
import { gastop } from '../helpers/gastop.ts';
import type { Terminal } from '../helpers/terminal.ts';

const KEY = 'gs_live_must_never_be_seen_anywhere';

let service: ForeignService;
beforeAll(async () => {
  service = await startForeignService();
});
afterAll(() => service.close());

/** The lane table with the service's prices in it. */
const PRICES = /│ Average +│ +0\.0507/;

const asked = (path: string) => service.asked.filter((question) => question.path === path).length;
const text = (terminal: Terminal) => terminal.screen().join('\n');

/** Each press counts from what is on the screen. */
async function faster(terminal: Terminal, steps: readonly string[]): Promise<void> {
  for (const step of steps) {
    await terminal.press('+');
    await terminal.waitFor(`every ${step}`);
  }
}

/** What the service lacks in its moods. */
const LACKS = { '/gas/recommendation': 404, '/dashboard/stats/market': 403 } as const;

/** Starts the monitor in a mood of the service, at a size that has room for whole sentences. */
async function start(
  mood: Mood,
  rows = 30,
  { refusals, isDescribed }: Pick<ForeignService, 'refusals' | 'isDescribed'> = {
    refusals: LACKS,
    isDescribed: true,
  },
): Promise<Terminal> {
  Object.assign(service, { mood, refusals, isDescribed });
  service.asked.length = 0;
  return gastop(['--url', `${service.origin}/be/api/v1`], {
    cols: 110,
    rows,
    env: { GASTOP_API_KEY: KEY },
  });
}

describe('the monitor on a service that we did not write', () => {
  it('says each mood before the first prices in its own words, and shows the prices when it is well', async () => {
    await using terminal = await start('key');
    await terminal.waitFor('▲ The key is refused');
    await terminal.waitFor('set GASTOP_API_KEY and start again; r asks once more');
    expect(text(terminal)).toContain('not tried again by itself');
    expect(asked('/gas/current')).toBe(1);

    service.mood = 'day';
    await terminal.press('r');
    await terminal.waitFor('▲ The daily quota of this key is used up');
    await terminal.waitFor(/Daily limit of your plan reached/);
    await terminal.waitFor(/next try in (2h|1h59m)/);
    expect(asked('/gas/current')).toBe(2);

    service.mood = 'broken';
    await terminal.press('r');
    await terminal.waitFor('▲ The service fails');
    await terminal.waitFor(/The cache is on fire/);

    // A failure is tried again by itself.
    service.mood = 'page';
    await terminal.waitFor('▲ The response cannot be read');
    await terminal.waitFor(/with a web page: a login or proxy/);
    await terminal.press('i');
    await terminal.waitFor('Please sign in');
    await terminal.press('esc');
    await terminal.waitFor((rows) => !rows.join('\n').includes('Please sign in'));
    await terminal.waitFor('▲ The response cannot be read');

    service.mood = 'shapeless';
    await terminal.press('r');
    await terminal.waitFor(/to \/gas\/current has no averagePrice/);

    service.mood = 'well';
    await terminal.press('r');
    await terminal.waitFor(PRICES);
    await terminal.waitFor(/no advice: this service has none/);
    expect(terminal.output()).not.toContain(KEY);
    expect(service.asked.every(({ key, path }) => key === KEY || path.startsWith('/api-playground'))).toBe(
      true,
    );
    await terminal.press('q');
    expect((await terminal.waitForExit()).exitCode).toBe(0);
    expect(terminal.leftovers()).toEqual([]);
  });

  it('keeps the last prices, dimmed, through each mood that comes later, and polls as before after a limit', async () => {
    await using terminal = await start('well');
    await terminal.waitFor(PRICES);
    await terminal.waitFor('every 12s');
    await faster(terminal, ['10s', '5s', '2s', '1s']);
    const dimmed = () => terminal.isDim(terminal.find('│ Average')?.y ?? -1);
    expect(dimmed()).toBe(false);

    service.mood = 'second';
    await terminal.waitFor(/◌ limited/);
    await terminal.waitFor(/more requests at once than this key may make.*(next try in|trying again now)/);
    await terminal.waitFor(() => dimmed());
    service.mood = 'well';
    await terminal.waitFor(/● live/);
    const since = asked('/gas/current');
    await terminal.waitFor(() => asked('/gas/current') >= since + 3);
    expect(terminal.screen()[1]).toMatch(/every 1s/);
    expect(terminal.screen()[1]).not.toContain('slowed');

    service.mood = 'broken';
    await terminal.waitFor(/◌ reconnecting/);
    await terminal.waitFor(
      /the service failed \(500\): The cache is on fire · (next try in \d+s|trying again now)/,
    );

    service.mood = 'revoked';
    await terminal.waitFor(/◌ refused/);
    await terminal.waitFor(/The key has been revoked · set GASTOP_API_KEY and start again/);
    expect(text(terminal)).toMatch(PRICES);
    expect(dimmed()).toBe(true);

    service.mood = 'well';
    await terminal.press('r');
    await terminal.waitFor(/● live/);
    expect(dimmed()).toBe(false);
    expect(terminal.output()).not.toContain(KEY);
  });

  it('asks once for what its plan or the service does not have, and uses the service’s own words', async () => {
    await using terminal = await start('well', 44);
    await terminal.waitFor(/no advice: this service has none/);
    await terminal.waitFor(/no market figures: plan lacks \/dashboard\/stats\/market: Market figures/);
    // It knows no hour, and says which time frames it knows.
    await terminal.waitFor(/last hour in gwei/);
    await terminal.waitFor('every 12s');
    await faster(terminal, ['10s', '5s', '2s', '1s', '0.5s']);
    const since = { trend: asked('/gas/trend'), heads: service.heads.size, prices: asked('/gas/current') };
    // The price is asked for at each poll, the trend once per head.
    await terminal.waitFor(
      () => service.heads.size >= since.heads + 2 && asked('/gas/current') >= since.prices + 5,
    );
    // The head that is there while this is counted may have been asked about, or not yet.
    expect(asked('/gas/trend') - since.trend).toBeLessThanOrEqual(service.heads.size - since.heads + 1);
    expect(asked('/gas/recommendation')).toBe(1);
    expect(asked('/dashboard/stats/market')).toBe(1);

    await terminal.press('2');
    await terminal.waitFor(/^ 6h /m);
    await terminal.press('t');
    await terminal.waitFor((rows) => rows.some((row) => /^ epoch /.test(row)));
    await terminal.press('p');
    await terminal.waitFor('tip whale');
    expect(asked('/api-playground')).toBe(1);

    await terminal.press('1', 'i');
    await terminal.waitFor('"mood": "sunny"');
  });
});

describe('gastop now on a service that we did not write', () => {
  it.each<[Mood, number, RegExp]>([
    ['well', 0, /0\.0507/],
    ['key', 4, /^gastop: the service refused the key: .*set GASTOP_API_KEY/],
    ['revoked', 4, /^gastop: this key has been revoked/],
    ['day', 5, /^gastop: the daily quota of this key is used up: .*; it may be asked again in 2h\n$/],
    [
      'second',
      5,
      /^gastop: more requests at once than this key may make: .*; it may be asked again in 2s\n$/,
    ],
    ['broken', 3, /^gastop: the service failed \(500\): The cache is on fire\n$/],
    ['page', 3, /^gastop: .* responded to \/gas\/current with a web page/],
    ['shapeless', 3, /^gastop: the response of .* to \/gas\/current has no averagePrice\n$/],
  ])('in the mood %j ends with exit code %i', async (mood, code, says) => {
    service.mood = mood;
    const env = { GASTOP_API_KEY: KEY };
    const { exitCode, stdout, stderr } = await runMain(['now', '--url', service.origin], { env });
    expect(code === 0 ? stdout : stderr).toMatch(says);
    expect(exitCode).toBe(code);
    expect(stdout + stderr).not.toContain(KEY);
  });
});

/** Tab by tab, what shows that there is data on it. */
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

const NO_CHART = { '/dashboard/stats/chart': 404 } as const;

describe('a service that knows the given document alone', () => {
  it.each([
    ['with a chart', {}],
    ['without one', NO_CHART],
  ] as const)('%s answers every command, and is asked for nothing else', async (_, refusals) => {
    Object.assign(service, { mood: 'well', refusals, isDescribed: false });
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
      [['alerts', 'show', id], /email a@gas\.example/],
      [['alerts', 'savings', id], /0\.00000420/],
      [['alerts', 'preview', '--below', '0.05', '--email', 'a@gas.example'], /block by block/],
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
  });

  it.each([
    ['with a chart', {}],
    ['without one', NO_CHART],
  ] as const)('%s fills every tab of the monitor, and is asked for nothing else', async (_, refusals) => {
    await using terminal = await start('well', 44, { refusals, isDescribed: false });
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
      ['enter', 'sent when'],
      ['5', /▸ [\d,]+ .*42 % +0\.0109/],
      ['enter', /^ Block [\d,]+/m, /0x1111…1111 → 0x2222…2222/],
      ['6', 'Explorer plan', 'Summary  1 alert, 1 on', /24 h +0\.0/, 'Bridge'],
    ]);
    await terminal.press('3');
    await terminal.press('esc');
    await terminal.press('n');
    await terminal.waitFor(/tells by +\[x\] email/);
    await terminal.press('0.05', 'tab', 'tab', 'a@gas.example');
    await terminal.waitFor(/would (not )?have fired/);
    expect(service.refused).toEqual([]);
  });
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
      '/metrics/tx/{hash}': 500,
      '/alerts/{id}': 500,
      '/alerts/{id}/savings': 500,
      '/auto-txs/{id}': 500,
    },
    {
      '/dashboard/stats/chart': 500,
      '/dashboard/stats/market': 500,
      '/dashboard/summary': 500,
      '/metrics/base-fee': 500,
      '/metrics/txs': 500,
      '/metrics/block/{number}': 500,
      '/alerts': 500,
      '/auto-txs': 500,
    },
  ] as const;

  it('shows the rest on every tab, and says what is missing', async () => {
    service.refusals = {};
    await run('alerts', 'create', '--below', '0.04', '--email', 'a@gas.example');
    await using terminal = await start('well', 44, { refusals: HALVES[0], isDescribed: false });
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
    await terminal.press('r');
    await lookAround(terminal, [
      ['1', 'WAIT ~10m for 0.0388', /24 h +0\.0290/],
      ['6', 'Explorer plan'],
    ]);
  });

  it('answers the commands that do not need them, and says what is missing', async () => {
    Object.assign(service, { mood: 'well', isDescribed: false, refusals: {} });
    const { stdout } = await run('alerts', 'create', '--below', '0.04', '--email', 'a@gas.example', '--json');
    const { id } = JSON.parse(stdout).data;
    for (const [half, argv, shows, says] of [
      [0, ['now'], /0\.0507[\s\S]*no advice: .* has no action/, ''],
      [0, ['wait', '--below', '1000'], '', ''],
      [0, ['history', '--window', '30m'], /0\.0\d+ +— +— +█/, 'no fullness: the service failed'],
      [0, ['alerts', 'show', id], /a@gas\.example/, 'the service failed'],
      [0, ['doctor'], /not understood/, ''],
      [1, ['now'], /WAIT ~10m/, ''],
      [1, ['history', '--window', '30m'], /— +— +— +0\.0109 +42 %/, 'no base fees: the service failed'],
      [1, ['alerts', 'savings', id], /0\.00000420/, ''],
    ] as const) {
      service.refusals = HALVES[half];
      const done = await run(...argv);
      expect([done.exitCode, done.stdout], argv.join(' ')).toEqual([0, expect.stringMatching(shows)]);
      expect(done.stderr, argv.join(' ')).toContain(says);
    }
    service.refusals = { '/gas/current': 500 };
    for (const argv of [['block'], ['history'], ['alerts', 'list'], ['auto-txs', 'list']]) {
      expect((await run(...argv)).exitCode, argv.join(' ')).toBe(0);
    }
  });
});
