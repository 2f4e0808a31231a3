import { describe, expect, it } from 'vitest';
import { ClientError } from '../../../src/client/errors.ts';
import type { AlertDetailsView, NewAlert } from '../../../src/client/views/alerts.ts';
import { ADDED_ROUTES, V1_ROUTES } from '../../../src/contract/routes.ts';
import { parseThreshold, type RelativeThreshold } from '../../../src/core/threshold/threshold.ts';
import { AlertsPane } from '../../../src/tui/panes/alerts/alerts-pane.tsx';
import { ALERT, fakeAlerts } from '../fake-alerts.ts';
import { describing, HOUR, MARKET, RECOMMENDATION, SNAPSHOT } from '../fake-gas.ts';
import { formOf, type ShowOptions, showScreen } from '../show-screen.tsx';

const NOW = SNAPSHOT.blockTimestamp ?? 0;
const DAY_MS = 86_400_000;
const rule = (text: string) => parseThreshold(text) as RelativeThreshold;
const gwei = (value: number) => BigInt(Math.round(value * 1e9));

/** A day of blocks every five minutes at 0.05 gwei, with an hour at 0.03 six hours ago. */
const POINTS = Array.from({ length: 288 }, (_, index) => {
  const timestamp = NOW - (287 - index) * 300_000;
  const isCheap = timestamp > NOW - 6 * 3_600_000 && timestamp <= NOW - 5 * 3_600_000;
  const price = isCheap ? 3e7 : 5e7;
  const lanes = { low: price, average: price, high: price };
  // Before that hour the coin cost twice as much.
  const nativeUsd = timestamp > NOW - 12 * 3_600_000 ? 3_214.5 : 6_429;
  return { timestamp, base: price, priority: 0, ...lanes, gasUsedRatio: 0.5, nativeUsd };
});

const noHistory = () =>
  Promise.reject(new ClientError('not-found', 'no history here', { endpoint: '/metrics/base-fee' }));

async function open(options: Partial<ShowOptions> & { readonly alerts?: readonly AlertDetailsView[] } = {}) {
  const { alerts = [], ...rest } = options;
  const service = fakeAlerts(alerts);
  const sent: NewAlert[] = [];
  const shown = showScreen({
    Pane: AlertsPane,
    scope: 'alerts',
    ...rest,
    gas: {
      ...service,
      createAlert: async (alert) => {
        sent.push(alert);
        return service.createAlert(alert);
      },
      description: async () =>
        describing({ 'post /alerts': [['thresholdGwei'], ['threshold'], ['confirmBlocks']] }),
      statsChart: async () => ({ ...HOUR, timeFrame: '24h', bucketSec: 300, points: POINTS }),
      chart: async () => ({
        ...{ ...HOUR, timeFrame: '24h', bucketSec: 300, points: POINTS },
        ...{ made: null, problem: null },
      }),
      statsMarket: async () => MARKET,
      baseFee: noHistory,
      priorityFee: noHistory,
      ...rest.gas,
    },
  });
  await shown.shows(alerts.length === 0 ? 'No alerts yet' : 'Alerts');
  const { sending, ...form } = formOf(shown);
  return { ...shown, ...form, sent, sends: sending(sent) };
}

/** 101,095 gas at 3,214.5 dollars: 0.04 gwei is $0.013. */
const SWAP = '$0.01/swap';

describe('the form of an alert with a rule', () => {
  it('says what each form stands for now, sends it as a rule, and lists both', async () => {
    const { leads, shows, sends } = await open();
    await leads('n', 'or a rule: $0.40/swap');
    await leads(SWAP, '(0.0308 gwei now), has to fall');
    await leads('up', /threshold +\$0\.01\/swap/);
    expect(await sends('ctrl+s')).toMatchObject({
      threshold: { usd: 0.01, action: 'swap' },
      gasSpeed: 'AVERAGE',
      condition: 'LESS_THAN',
    });
    await shows('Average < $0.01/swap');
  });

  it.each([[SWAP], ['2% of $0.5/swap'], ['$0.01/101095']])(
    'says of %s how likely its price now is reached, also while that is worked out, and calls it no example',
    async (rule) => {
      const asked = new Set<bigint>();
      const { leads, shows, screen } = await open({
        columns: 100,
        gas: {
          gasRecommendation: async ({ reach } = {}) => {
            if (reach !== undefined) asked.add(reach.targetPrice);
            return {
              ...RECOMMENDATION,
              reach: reach === undefined ? null : { ...reach, probability: 0.62, reason: null },
            };
          },
        },
      });
      await leads('n', 'The threshold is in gwei, or a rule: $0.40/swap');
      await leads(rule, 'what it is in gwei: looking …', 'how likely it is reached: looking …');
      // The forms are there beside what is typed, too.
      await shows('likely reached: 62 % within', 'or a rule: $0.40/swap, p20/7d');
      expect(screen().replace(/\s+/g, ' ')).toContain('within 1d, for 0.0308 gwei, its price now');
      expect(screen()).not.toMatch(/such as|looking/);
      // It is that of the figure that is shown, which not each block moves.
      expect([...asked]).toEqual([gwei(0.0308)]);
    },
  );

  it('takes a share of an amount, so much gas, and history, and says why one is unknown', async () => {
    const { leads } = await open({ columns: 100 });
    await leads(['n', '2% of $0.5/swap'], '(0.0308 gwei now)');
    await leads(['ctrl+u', '$0.01/101095'], '(0.0308 gwei now)');
    await leads(['ctrl+u', '-25%/7d'], '(no history here)');
    await leads(['ctrl+u', '2%'], '! 2% of what? write 2% of $35/swap');
    await leads(['ctrl+u', '$1'], '! $1 for what? write $1/swap');
    await leads(['ctrl+u', 'p20'], '! p20 over how long? write p20/7d');
  });

  it('says below a long rule what it stands for, where there is no room beside it', async () => {
    const { leads, shows } = await open({ columns: 60 });
    await leads('n', 'or a rule');
    await leads('2% of $0.50/swap', /^ {17}\(0\.0308 gwei now\), has to fall 39 %$/m);
    await shows(/^ ▸ threshold +2% of \$0\.50\/swap$/m);
  });

  it('waits and says so where there is no dollar price', async () => {
    const { leads } = await open({ snapshot: { ...SNAPSHOT, nativeUsd: null } });
    await leads(['n', SWAP], '(no dollar price of ETH)');
  });

  it('previews it by what the coin cost then', async () => {
    const { leads } = await open({ columns: 120 });
    // Today's price of the coin would have had it fire in the hour at 0.03 gwei; so did that of six hours ago.
    await leads(
      ['n', SWAP],
      'would have fired once in the last 24 h',
      'it stood for between 0.0154 and 0.0308 gwei',
    );
    // With today's price it would have fired all day.
    await leads(['ctrl+u', '$0.02/swap'], /would have fired 1\d times in the last 24 h/);
  });

  it('does not preview what nobody stored', async () => {
    const points = POINTS.map((point) => ({ ...point, nativeUsd: null }));
    const chart = async () => ({
      ...HOUR,
      timeFrame: '24h',
      bucketSec: 300,
      points,
      made: null,
      problem: null,
    });
    const { leads } = await open({ gas: { chart } });
    await leads(['n', SWAP], 'cannot be previewed: what the coin cost then is not stored');
  });

  it('previews a rule by history by the window before each block', async () => {
    const rows =
      (value: (at: number) => number) =>
      async ({ from = 0, to = 0 } = {}) => {
        const count = Math.floor((to - from) / 3_600_000);
        const all = Array.from({ length: count }, (_, index) => from + index * 3_600_000);
        return {
          ...{ chainId: 1, from, to, bucket: '1h', page: 0, size: 1_000, total: count },
          rows: all.map((timestamp) => ({ timestamp, blockNumber: null, ...fees(value(timestamp)) })),
        };
      };
    const fees = (fee: number) => ({ open: fee, min: fee, mean: fee, max: fee, close: fee, value: fee });
    // Half a gwei until two days ago, 0.05 since.
    const baseFee = rows((at) => (at < NOW - 2 * DAY_MS ? 5e8 : 5e7)) as never;
    const priorityFee = rows(() => 0) as never;
    const { leads } = await open({ columns: 120, gas: { baseFee, priorityFee } });
    await leads(['n', '-25%/7d'], '(0.375 gwei now), target reached');
    await leads(
      '',
      /would have fired \d+ times in the last 24 h/,
      'it stood for about 0.375 gwei throughout',
    );
    await leads(['ctrl+u', '-25%/30h'], '(0.0375 gwei now)');
    await leads(['ctrl+u', 'p20/30d'], 'stood for');
  });

  it('says that a probability is that of its price now', async () => {
    const gasRecommendation = async ({ reach = undefined as never } = {}) => ({
      ...RECOMMENDATION,
      reach: reach && { ...(reach as object), probability: 0.35, reason: null },
    });
    const { leads } = await open({ gas: { gasRecommendation: gasRecommendation as never } });
    await leads(['n', SWAP], 'likely reached: 35 % within 1d, for 0.0308 gwei, its price now');
  });

  it('begins with the last rule while the monitor runs, and with none after a price in gwei', async () => {
    const { leads, press, sends, shows } = await open();
    await leads('n', 'or a rule');
    await sends('-25%/7d', 'ctrl+s');
    await shows('Alerts 1');
    await leads('n', /threshold +-25%\/7d/);
    await leads('esc', 'Alerts 1');
    await press('n');
    await sends('0.04', 'ctrl+s');
    await shows('Alerts 2');
    await leads('n', 'or a rule');
  });

  it.each([
    ['lists gwei alone', async () => describing({ 'post /alerts': [['thresholdGwei']] })],
    ['lists a threshold of its own', async () => describing({ 'post /alerts': [['threshold']] })],
    ['has no description', async () => null],
  ])('of a service that %s is in gwei only', async (_, description) => {
    const { leads, sent, press, sends } = await open({ gas: { description } });
    await leads('n', 'This service takes a threshold in gwei only');
    await leads('$0.40/swap', 'needs gwei, such as 0.04: this service takes nothing else');
    await press('ctrl+s');
    expect(sent).toEqual([]);
    await leads(['ctrl+u', '0.04'], 'has to fall 21 %');
    await leads(['tab', 'left', 'left', 'left', 'left'], 'notify');
    if ((await description()) !== null) expect(await sends('ctrl+s')).toMatchObject({ thresholdGwei: 0.04 });
  });

  it('of one that is changed begins with the rule', async () => {
    const kept = { ...ALERT, rule: rule('2% of $35/swap'), threshold: gwei(0.21) };
    const description = async () =>
      describing({ 'post /alerts': [['thresholdGwei'], ['threshold']] }, [...V1_ROUTES, ...ADDED_ROUTES]);
    const { leads } = await open({ alerts: [kept], columns: 100, gas: { description } });
    await leads('e', 'Change Average < 2% of $35/swap (0.21 gwei now)');
    await leads('', /threshold +2% of \$35\/swap/);
  });
});

describe('an alert with a rule', () => {
  const alert = (text: string, more: Partial<AlertDetailsView> = {}): AlertDetailsView => ({
    ...{ ...ALERT, rule: rule(text), threshold: gwei(0.0412), cooldownUntil: null },
    ...{ effectiveSince: NOW - 60_000, ...more },
  });

  it.each([60, 80, 120])('is listed as written with its gwei now, at %i columns', async (columns) => {
    const { shows } = await open({
      columns,
      alerts: [
        alert('2% of $35/swap', { id: 'a' }),
        alert('$0.40/swap', { id: 'b', threshold: null, thresholdReason: 'no dollar price of ETH' }),
      ],
    });
    await shows(columns < 80 ? '(0.0412 now)' : '(0.0412 gwei now)', 'Average < 2% of $35/swap');
    await shows(/◌ waits +Average < \$0\.40\/swap \(no dollar price/);
    if (columns >= 80) await shows('(no dollar price of ETH)', /↓ 19 %/);
  });

  it('says in its details since when, and why it waits', async () => {
    const reason = 'only 5 h of 7 d are stored';
    const first = await open({ alerts: [alert('-25%/7d', { threshold: null, thresholdReason: reason })] });
    await first.leads('enter', 'while what -25%/7d stands for is unknown: only');
    const second = await open({ alerts: [alert('-25%/7d')] });
    await second.leads(
      'enter',
      'Average < -25%/7d (0.0412 gwei now)',
      '0.0507 now, has to fall 19 %',
      /stands for +0\.0412 gwei, since/,
    );
  });
});
