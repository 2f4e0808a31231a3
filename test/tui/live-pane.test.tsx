import { render } from 'ink-testing-library';
import stringWidth from 'string-width';
import { afterEach, describe, expect, it } from 'vitest';
import type { RecommendationView } from '../../src/client/views/advice.ts';
import type { CostView } from '../../src/client/views/dashboard.ts';
import type { SnapshotView } from '../../src/client/views/gas.ts';
import { coinSymbol } from '../../src/core/chains.ts';
import { copiedTexts } from '../../src/tui/panes/live/lane-table.tsx';
import { PricesScreen } from '../../src/tui/panes/live/live-pane.tsx';
import type { LiveView } from '../../src/tui/panes/live/live-view.ts';
import { setAscii } from '../../src/tui/ui/theme.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { HOUR, MARKET, RECOMMENDATION, SNAPSHOT, TREND, wait } from './fake-gas.ts';
import { inRoom } from './sized-screen.tsx';

const VIEW: LiveView = {
  snapshot: SNAPSHOT,
  status: { kind: 'live' },
  trend: TREND,
  recommendation: RECOMMENDATION,
  hour: HOUR,
  market: MARKET,
  symbol: 'ETH',
  adviceAge: null,
  missing: [],
};

let unmount = () => {};
afterEach(() => {
  unmount();
  setAscii(false);
});

function draw(changes: Partial<LiveView> = {}, columns = 80, rows = 21, ascii = false): string {
  setAscii(ascii);
  const app = render(inRoom(columns, rows, <PricesScreen view={{ ...VIEW, ...changes }} />));
  unmount = app.unmount;
  return app.lastFrame() ?? '';
}

const SIZES = [
  [60, 13],
  [80, 21],
  [200, 47],
] as const;

const adviceOf = (changes: Partial<RecommendationView>) => ({
  recommendation: { ...RECOMMENDATION, ...changes },
});

describe('the Live pane', () => {
  it('shows on 80×24 the lanes, the advice with its record, next base, fan, fullness, blob fee and the day', () => {
    const screen = draw();
    expect(screen).toContain('│ Slow    │ 0.0412 │  0.0431 │ 0.00100 │  1m24s, 4m50s │  $0.0028 │ $0.013 │');
    expect(screen).toContain('│ Average │ 0.0507 │  0.0582 │  0.0100 │      12s, 24s │');
    expect(screen).toContain('│ Fast    │ 0.0621 │  0.0713 │  0.0210 │      12s, 12s │');
    expect(screen).toMatch(
      /^ WAIT up to 15m for 0\.0410 gwei \(you can wait 1h\) +≤ 91 % likely +saves 19 % *$/m,
    );
    expect(screen).toMatch(/^ waits: given 41, kept 37, stated 90 %, saved 18 %/m);
    expect(screen).toContain('next base 0.0497 ↓ −2.2 %');
    expect(screen).toContain('in 5 blocks 0.0310 – 0.0890');
    expect(screen).toContain('blocks 54 % full');
    expect(screen).toMatch(/24h {2}0\.0310 ├─+●─+┤ 0\.412 {3}cheaper than 77 % of the day/);
    expect(screen).toContain('── base');
  });

  it.each([
    [60, 13, 'can wait'],
    [80, 21, 'if you can wait'],
    [120, 37, 'if you can wait'],
  ])('says at %i×%i what each wait is worth of which something is stated', (columns, rows, heading) => {
    const screen = draw({}, columns, rows);
    expect(screen).toMatch(new RegExp(`^ ${heading} +1m +5m +\\[15m\\]( |$)`, 'm'));
    expect(screen).toMatch(/^ price +0\.0490 +0\.0430 +0\.0410( |$)/m);
    expect(screen).toMatch(/^ saves +3 % +15 % +19 %( |$)/m);
    expect(screen).toMatch(/^ likely +97 % +93 % +≤ 91 %( |$)/m);
    expect(screen).toMatch(/^ if not +costs 2 % +costs 6 % +costs 9 %( |$)/m);
    if (rows > 13) expect(screen).toMatch(/^ in the past +175 of 180 +72 of 77 +29 of 32( |$)/m);
    expect(screen).not.toContain('0.0360');
  });

  it.each([
    [300, 'SEND_NOW', 'SEND NOW at 0.0410 gwei (you can wait 5m)'],
    [3_600, 'WAIT', 'WAIT up to 15m for 0.0410 gwei (you can wait 1h)'],
    [21_600, 'WAIT', 'WAIT up to 15m for 0.0410 gwei (you can wait 6h)'],
  ])(
    'says beside advice how long one can wait, and which rows are longer: %i s',
    (patienceSec, action, words) => {
      const alternatives = [...RECOMMENDATION.alternatives.slice(0, 3), wait(3_600, 0.04, 0.95, 0.19)];
      const advice = adviceOf({ patienceSec, action, alternatives });
      expect(draw(advice)).toContain(` ${words}   `);
      if (action === 'WAIT') expect(draw(advice, 120, 37)).toMatch(/ likely {3}saves 19 % on average/);
      // Where the line has no room for it, it follows where there is another line.
      expect(draw(advice, 60, 21)).toMatch(/ \(?you can wait \d[mh]\)?( |$)/m);
      const mark = (sec: number, span: string) =>
        sec > patienceSec ? `\\(${span}\\)` : sec === 900 && action === 'WAIT' ? `\\[${span}\\]` : span;
      const headings = [mark(60, '1m'), mark(300, '5m'), mark(900, '15m'), mark(3_600, '1h')];
      for (const [columns, rows] of SIZES)
        expect(draw(advice, columns, rows)).toMatch(
          new RegExp(`can wait[ │]+${headings.join('[ │]+')}( |$)`, 'm'),
        );
    },
  );

  it.each([
    ['the price and the windows of a shorter row', { windows: 32, windowsKept: 29 }, '—'],
    ['the price of a shorter row and windows of its own', { windows: 9, windowsKept: 8 }, '8 of 9'],
  ])('counts past windows once, in the row whose they are: %s', (_, windows, count) => {
    const alternatives = [
      ...RECOMMENDATION.alternatives.slice(0, 3),
      wait(3_600, 0.041, 0.95, 0.19, windows),
    ];
    const screen = draw(adviceOf({ alternatives }));
    expect(screen).toMatch(new RegExp(`^ in the past +175 of 180 +72 of 77 +29 of 32 +${count}( |$)`, 'm'));
    expect(screen).toMatch(/^ likely +97 % +93 % +≤ 91 % +95 %( |$)/m);
  });

  it('says in one line when the other waits will be told', () => {
    const later = 'waits of 1h – too little history, 2h of the 10h that it takes';
    expect(draw({}, 120, 37)).toContain(later);
    const unknown = (RECOMMENDATION.alternatives ?? []).map((wait) => ({
      ...wait,
      probability: null,
      reason: 'too little history, 9m of the 1h10m that it takes',
    }));
    const young = { ...VIEW, recommendation: { ...RECOMMENDATION, reasons: [], alternatives: unknown } };
    const screen = draw(young);
    expect(screen).toContain('waits of 1m to 1h – too little history, 9m of the 1h10m that it takes');
    expect(screen).not.toMatch(/can wait {2}|—/);
  });

  it('states nothing of advice that is old, and keeps its rows', () => {
    const old = draw({ adviceAge: '58s ago' });
    expect(old).toMatch(/^ advice of 58s ago, no longer valid *$/m);
    const none = draw({ adviceAge: '58s ago', recommendation: { ...RECOMMENDATION, action: null } });
    expect(none).toContain('NO ADVICE');
    expect(none).not.toContain('no longer valid');
    expect(old).not.toMatch(/WAIT|SEND|91 %|19 %/);
    const rowOf = (screen: string) => screen.split('\n').findIndex((line) => line.includes('next base'));
    expect(rowOf(old)).toBe(rowOf(draw()));
  });

  it.each([
    [
      'tied at the floor, at the upper end',
      0.003,
      1e9,
      { min: 9.9e8, median: 1e9, max: 1e9 },
      'the usual price of',
    ],
    ['tied at the floor, at the lower end', 0, 1e9, { min: 1e9, median: 1e9, max: 4e9 }, 'the lowest of'],
    ['the same all the time', 0, 1e9, { min: 1e9, median: 1e9, max: 1e9 }, 'unchanged in'],
    ['below most', 0.003, 1e9, { min: 9.9e8, median: 2e9, max: 4e9 }, 'cheaper than 99 % of'],
    ['above most', 0.988, 3e9, { min: 1e9, median: 2e9, max: 4e9 }, 'dearer than 98 % of'],
    ['above all', 1, 4.5e9, { min: 1e9, median: 2e9, max: 4e9 }, 'among the highest of'],
  ])('words a base fee %s so that it is true, of the time that is known', (_, rank, next, base, words) => {
    const market = {
      ...MARKET,
      from: Date.parse('2026-01-05T12:00:00Z'),
      base: { ...base, now: next, p10: null, mean: null, p90: null, changeRatio: null },
    };
    const snapshot = { ...SNAPSHOT, blockTimestamp: market.from + 21 * 60_000, nextBaseFee: BigInt(next) };
    const screen = draw({ market, snapshot, trend: { ...TREND, percentileRank24h: rank } }, 100, 27);
    const line = screen.split('\n').find((text) => text.includes('21m  ')) ?? '';
    expect(line.trimEnd().endsWith(`   ${words} the last 21m`) || line).toBe(true);
  });

  it.each([
    ['cheaper than half of a past in which it is dear', 0.45, 3e9],
    ['dearer than most of a past in which it is cheap', 0.8, 1.5e9],
  ])('says nothing of a base fee that two answers disagree on: %s', (_, rank, next) => {
    const base = {
      now: next,
      ...{ min: 1e9, p10: null, median: 2e9, mean: 1.6e9, p90: null, max: 4e9, changeRatio: null },
    };
    const snapshot = { ...SNAPSHOT, nextBaseFee: BigInt(next) };
    const view = { ...VIEW, market: { ...MARKET, base }, snapshot };
    const screen = draw({ ...view, trend: { ...TREND, percentileRank24h: rank } }, 100, 27);
    expect(screen).toMatch(/1\.00 ├─+●─+┤ 4\.00 *$/m);
  });

  it('says nothing beside the range of the day where both do not fit', () => {
    const market = { ...MARKET, from: (SNAPSHOT.blockTimestamp ?? 0) - 21 * 60_000 };
    expect(draw({ market }, 60)).toMatch(/21m {2}0\.0310 ├[─●]{35,}┤ 0\.412 *$/m);
  });

  it('names the time that its hour really spans where the history is younger', () => {
    const points = HOUR.points.slice(-2).map((point, index) => ({ ...point, timestamp: index * 12_000 }));
    const young = draw({ hour: { ...HOUR, points, bucketSec: null } }, 100, 37);
    expect(young).toMatch(/−3 % against the mean of the last 12s/);
    expect(young).not.toMatch(/last hour in gwei|mean of the last hour/);
    expect(draw({ hour: undefined }, 100, 37)).toContain('against the mean of the last hour');
  });

  it('adds more reasons and the price of usual work on 120×40', () => {
    const screen = draw({}, 100, 37);
    expect(screen).toContain('Mondays at noon');
    const wide = draw({}, 120, 37);
    expect(wide).toMatch(/Swap +101,095/);
    expect(wide).not.toContain('then');
  });

  it('has a line for a new account or holder that is much dearer, what a fork makes of it, and the others where there is room', () => {
    const gasOf = (name: string, gas: number, gasNext: number) => ({ name, gas, gasNext });
    const ofNew = new Map([
      ['ETH transfer', gasOf('to a new account', 21_000, 204_600)],
      ['ERC-20 transfer', gasOf('to a new holder', 51_567, 140_787)],
      ['Swap', gasOf('for a new token', 118_183, 237_603)],
    ]);
    const actions = MARKET.actions.map((action) => ({
      ...{ ...action, gasNext: action.gas + 8_400 },
      newHolder: ofNew.get(action.name) ?? null,
    }));
    const market = { ...MARKET, actions };
    const screen = draw({ market }, 120, 37);
    expect(screen).toMatch(/usual work +gas +then +slow/);
    expect(screen).toMatch(/^ {3}to a new account +21,000 +204,600 +\$/m);
    expect(screen).toMatch(/^ ERC-20 transfer +34,467 +42,867 /m);
    const tall = draw({ market }, 120, 50);
    expect(tall).toMatch(/^│ {3}to a new holder +│ +51,567 │ +140,787 │ +\$/m);
    expect(tall).toMatch(/^│ {3}for a new token +│ +118,183 │ +237,603 │ +\$/m);
    const osaka = draw({}, 120, 50);
    expect(osaka).toMatch(/^│ {3}to a new holder +│ +51,567 │ +\$/m);
    expect(osaka).not.toContain('to a new account');
  });

  it('states the cost of a swap only where something says what it takes by the rules of the chain', () => {
    const none = { ...MARKET, actions: [] };
    const swapOn = (chainId: number) =>
      /│ Average .*/.exec(draw({ snapshot: { ...SNAPSHOT, chainId }, market: none }, 120, 37))?.[0];
    expect(swapOn(1)).toMatch(/\$0\.0034 │ +95 %/);
    expect(swapOn(137)).toMatch(/\$0\.0034 │ +\$0\.016 │/);
  });

  it.each([
    [160, 42],
    [200, 47],
  ])(
    'has the chart of the hour beside lanes, advice and waits at %i×%i, with its scale, times and figures',
    (columns, rows) => {
      const lines = draw({}, columns, rows).split('\n');
      expect(lines.length).toBe(rows);
      expect(lines[0]).toMatch(/^┌.*┐ +│ 1h {2}.*UTC {2}gwei/);
      expect(lines[1]).toMatch(/│ gwei .*within │ +│ ─ base 0.0508 /);
      const all = lines.join('\n');
      expect(all).toMatch(/│ ╌ tip p50 /);
      expect(lines.at(-1)).toMatch(/╵\d\d:\d\d/);
      // Each table has a border of its own, and all of its rows.
      expect(all).toMatch(/│ if you can wait │ +1m │ +5m │ +\[15m\] │/);
      expect(all).toMatch(/│ in the past +│ 175 of 180 │ +72 of 77 │ +29 of 32 │/);
      expect(all).toMatch(/│ usual work +│ +gas │/);
      expect(all).toMatch(/│ {3}for a new token +│ 118,183 │/);
      expect(all.match(/┌/g)).toHaveLength(3);
      // No cursor moves over this one.
      expect(all).not.toContain('look at a value');
    },
  );

  it('boxes the waits and usual work from 44 rows of the terminal on, and nothing but the lanes below', () => {
    expect(draw({}, 120, 41).match(/┌/g)).toHaveLength(3);
    expect(draw({}, 120, 40).match(/┌/g)).toHaveLength(1);
    expect(draw({}, 160, 21).match(/┌/g)).toHaveLength(1);
  });

  it('needs nothing but ASCII where nothing else can be shown', () => {
    expect(draw({}, 80, 21, true)).toMatch(/^[\x20-\x7e\n]*$/);
  });

  it('leaves out what a foreign service does not say', () => {
    const bare = {
      ...{ maxFeePerGas: null, maxPriorityFeePerGas: null, withinBlocks: null, waitSec: null },
      probability: null,
    };
    const snapshot: SnapshotView = {
      ...SNAPSHOT,
      lanes: { slow: { price: 1n, ...bare }, average: { price: 2n, ...bare }, fast: { price: 3n, ...bare } },
      ...{ nextBaseFee: null, blobBaseFee: null, gasUsedRatio: null, nativeUsd: null },
    };
    const screen = draw(
      {
        ...VIEW,
        snapshot,
        trend: undefined,
        recommendation: undefined,
        market: undefined,
        missing: ['no advice: none'],
      },
      80,
      21,
    );
    expect(screen).not.toMatch(/max fee|usually|undefined|null|NaN|blob/);
    expect(screen).toContain('│ Slow    │ 0.000000001 │');
    expect(screen).toContain('transfer gwei');
    expect(screen).toContain('no advice: none');
  });

  it.each([1, 137, 56, 4_444_444])('names the coin of chain %i in a transfer, too', (chainId) => {
    const snapshot = { ...SNAPSHOT, chainId, nativeUsd: null };
    const symbol = coinSymbol(snapshot.chainId);
    const screen = draw({ snapshot, symbol }, 120, 37);
    expect(screen).toMatch(new RegExp(`${symbol} transfer +21,000 `));
    expect(screen.includes('ETH')).toBe(chainId === 1);
  });

  it('counts what a rollup takes for posting to L1, and says where it is not known', () => {
    const snapshot = { ...SNAPSHOT, chainId: 10, nativeUsd: null };
    const screenOf = (dataFee: CostView | null) => {
      const actions = MARKET.actions.map((action) => ({ ...action, dataFee }));
      return draw({ snapshot, market: { ...MARKET, actions } }, 120, 37);
    };
    expect(screenOf(null)).toMatch(/│ Fast .*│ +0.00000130 \+ L1 │ +0.00000628 \+ L1 │/);
    const fee = screenOf({ wei: 10n ** 16n, usd: null });
    expect(fee).toMatch(/│ Fast .*│ +0\.0100 │ +0\.0100 │/);
    expect(fee).toMatch(/ETH transfer +21,000 .*100 %/);
    expect(fee).not.toContain('+ L1');
  });

  it.each<[string, Partial<LiveView>, string | RegExp]>([
    [
      'says that the base fee is at its floor instead of what to wait for',
      { snapshot: { ...SNAPSHOT, floor: SNAPSHOT.nextBaseFee }, ...adviceOf({ action: 'SEND_NOW' }) },
      / SEND NOW at its floor: 0\.0410 gwei/,
    ],
    [
      'says of advice that was never judged that its likelihood is not measured',
      adviceOf({ action: 'SEND_NOW', probability: null, track: null }),
      'likelihood not yet measured',
    ],
    [
      'never says that something is certain',
      adviceOf({ action: 'SEND_NOW', probability: 1 }),
      'over 99 % likely',
    ],
    [
      'shows a service’s own word for advice it does not know',
      adviceOf({ action: 'HODL' }),
      ' HODL at 0.0410 gwei',
    ],
    [
      'does not call a history of minutes a day',
      { market: { ...MARKET, from: (SNAPSHOT.blockTimestamp ?? 0) - 600_000 } },
      / 10m {2}0\.0310 ├/,
    ],
  ])('%s', (_, changes, text) => {
    expect(draw(changes)).toMatch(text);
  });

  it('sets the record of its own kind beside the advice, and says whether it was given or is of stored blocks', () => {
    const track = RECOMMENDATION.track ?? expect.fail('no track');
    const drawn = (more: object, action = 'WAIT') =>
      draw({ recommendation: { ...RECOMMENDATION, action, track: { ...track, ...more } } });
    expect(drawn({})).toContain('waits: given 41, kept 37, stated 90 %, saved 18 %');
    expect(drawn({}, 'SEND_NOW')).toContain('sends: given 59, kept 59, stated 95 %, saved 0 %');
    expect(drawn({ basis: 'walked' })).toContain('waits on stored blocks: 41, kept 37');
    // A service that does not tell them apart.
    const whole = { waits: null, sends: null };
    expect(drawn(whole)).toContain('advice: given 100, kept 92');
    // Another service's word is not taken for either.
    expect(drawn({ ...whole, basis: null })).toContain('advice: 100, kept 92');
  });

  it.each([
    ['WAIT', 900, / WAIT up to 15m for 0\.0410 gwei/],
    ['SET_ALERT', 900, / SET ALERT up to 15m for 0\.0410 gwei/],
    ['SEND_NOW', 36, / SEND NOW at 0\.0410 gwei/],
  ])('names %s as it is on the wire', (action, deadlineSec, words) => {
    expect(draw(adviceOf({ action, deadlineSec }))).toMatch(words);
  });

  it('keeps columns where they are when numbers grow shorter again', () => {
    const long = { ...SNAPSHOT, lanes: { ...SNAPSHOT.lanes, fast: { ...SNAPSHOT.lanes.fast, price: 1n } } };
    const app = render(inRoom(100, 21, <PricesScreen view={{ ...VIEW, snapshot: long }} />));
    unmount = app.unmount;
    const border = app.lastFrame()?.split('\n')[0];
    app.rerender(inRoom(100, 21, <PricesScreen view={VIEW} />));
    expect(app.lastFrame()?.split('\n')[0]).toBe(border);
  });
});

it('the copied lanes carry exact gwei, apart by tabs', () => {
  expect(copiedTexts(SNAPSHOT).lanes.split('\n')).toEqual([
    'lane\tprice gwei\tmax fee gwei\ttip gwei',
    'Slow\t0.0412\t0.0431\t0.001',
    'Average\t0.0507\t0.0582\t0.01',
    'Fast\t0.0621\t0.0713\t0.021',
  ]);
});

/** Two numbers without a space between them, or a number that was cut. */
const TOGETHER = /\d\.\d+\.\d|\d,\d{4}|,\d{3}\d|[smhd]\d+[.,]\d|\d\$|%\d|\d…/;

function snapshotAt(price: bigint, nativeUsd: number | null): SnapshotView {
  const lane = { ...SNAPSHOT.lanes.slow, price, maxFeePerGas: price * 2n, maxPriorityFeePerGas: 1n };
  const lanes = { slow: lane, average: lane, fast: { ...lane, price: price + 10n ** 9n } };
  return { ...SNAPSHOT, lanes, baseFee: price, nextBaseFee: price, nativeUsd };
}

describe('the Live pane keeps its columns apart', () => {
  const sizes = [
    [60, 13],
    [80, 21],
    [119, 37],
    [200, 47],
  ] as const;
  const tried = isSlowRun ? sizes : [sizes[0], sizes[2]];
  const prices = [1n, 7n, 476_190n, 10n ** 6n, 10n ** 9n, 1_352n * 10n ** 9n];
  const cases = prices.flatMap((price) => tried.map(([columns, rows]) => [price, columns, rows] as const));

  it.each(cases)('at %d wei on %i×%i', (price, columns, rows) => {
    const windows = { missRatio: 0.12, windows: 77, windowsKept: 71, isCeiling: false };
    const known = { price, probability: 0.9, savingRatio: 0.1, reason: null, ...windows };
    const alternatives = [60, 300, 86_400].map((horizonSec) => ({ horizonSec, ...known }));
    const recommendation = { ...RECOMMENDATION, alternatives };
    for (const nativeUsd of [null, 3_214.5]) {
      const screen = draw({ recommendation, snapshot: snapshotAt(price, nativeUsd) }, columns, rows);
      expect(screen).not.toMatch(TOGETHER);
      const lines = screen.split('\n');
      expect(lines.length).toBeLessThanOrEqual(rows);
      expect(lines.filter((line) => stringWidth(line) > columns)).toEqual([]);
      if (columns >= 119) {
        expect(screen).toMatch(/can wait[ │]+1m[ │]+5m[ │]+\(1d\)( |$)/m);
        expect(screen).toMatch(/Swap .+ \S+[ │]+\S+[ │]*( |$)/m);
      }
      unmount();
    }
  });

  it('prices work in gwei where coins would be all zeros', () => {
    const screen = draw({ snapshot: snapshotAt(7n, null) }, 120, 37);
    expect(screen).toMatch(/usual work +gas +slow gwei +average gwei +fast gwei/);
    expect(screen).toMatch(/ETH transfer +21,000 +0\.000147 +0\.000147 +21,000$/m);
    expect(screen).toContain('transfer gwei');
  });
});
