import { Box } from 'ink';
import { render } from 'ink-testing-library';
import stringWidth from 'string-width';
import { describe, expect, it, onTestFinished } from 'vitest';
import { formatGwei } from '../../../src/core/units.ts';
import { type ChartResponses, chartData } from '../../../src/tui/panes/chart/chart-data.ts';
import { ChartPlot, type ChartPlotProps, ChartSide } from '../../../src/tui/panes/chart/chart-plot.tsx';
import { CheapHours, localWeek } from '../../../src/tui/panes/chart/cheap-hours.tsx';
import { setAscii } from '../../../src/tui/ui/theme.ts';
import { atPlace, inRoom } from '../sized-screen.tsx';
import { BLOCK_MS, baseRow, hourAnswer, NOON, points, tipRows } from './chart-answer.ts';

const SIZES = [
  [60, 12],
  [80, 20],
  [100, 36],
  [100, 46],
] as const;

interface DrawOptions extends Partial<ChartPlotProps> {
  readonly width?: number;
  readonly height?: number;
  readonly zone?: string;
}

function draw(answer: ChartResponses, options: DrawOptions = {}): string {
  const { width = 80, height = 20, zone = 'Etc/GMT-2', ...props } = options;
  atPlace(zone);
  const pane = <ChartPlot data={chartData(answer)} cursor={null} notice={null} {...props} />;
  return frame(inRoom(width, height, pane));
}

// Never wider than the terminal of the testing library: a pane that overflows would be cut, not seen.
const frame = (element: React.ReactElement) => render(<Box>{element}</Box>).lastFrame() ?? '';

const MARKED: ChartResponses = (() => {
  const answer = hourAnswer();
  return {
    ...answer,
    chart: {
      ...answer.chart,
      anomalies: [
        { timestamp: NOON - 200 * BLOCK_MS, kind: 'SPIKE', value: 11e9 },
        { timestamp: NOON - 100 * BLOCK_MS, kind: 'SPIKE', value: 11e9 },
      ],
      events: [{ timestamp: NOON - 50 * BLOCK_MS, kind: 'ALERT', id: '1' }],
    },
  };
})();
const FLAT = points(300, () => 10);
const COMPARED: Partial<ChartResponses> = {
  previous: {
    rows: points(300, () => 8).map(({ timestamp, base }) => baseRow(timestamp - 3_600_000, base, base, base)),
    problem: null,
  },
};

describe('ChartPlot', () => {
  it('fills its room and no more, at every size, with all there is to show', () => {
    for (const [width, height] of SIZES)
      for (const answer of [MARKED, hourAnswer(points(1, () => 5)), { ...MARKED, ...COMPARED }]) {
        const notice = [{ text: 'loading' }];
        const lines = draw(answer, { width, height, cursor: NOON, notice }).split('\n');
        expect(lines.length).toBeLessThanOrEqual(height);
        expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
        expect(lines.at(-1)).toContain('base');
      }
  });

  it('says time frame, local time with its offset once, and the figures of the window', () => {
    const screen = draw(hourAnswer(points(300, (i) => (i === 0 ? 8 : i === 150 ? 20 : 10))));
    expect(screen).toMatch(/1h {2}13:00 – 14:00 UTC\+2/);
    expect(screen.match(/UTC/g)).toHaveLength(1);
    expect(screen).toMatch(/base 10\.0 ↑ \+25\.0 % against 1h ago {2}min 8\.00 {2}mean 10\.0 {2}max 20\.0/);
    expect(screen).toMatch(/tip p90 0\.0200 .* min 0\.0200/);
  });

  it('says both offsets where clocks were changed in its window', () => {
    // An hour and a half past midnight UTC of the night in which London's clocks go back at one.
    const later = Date.UTC(2024, 9, 27, 1, 30) - NOON;
    const of = hourAnswer().chart.points.map((each) => ({ ...each, timestamp: each.timestamp + later }));
    const screen = draw(hourAnswer(of), { zone: 'Europe/London' });
    expect(screen).toMatch(
      /1h {2}Sun 01:30 UTC\+1 – 01:30 UTC {2}gwei|1h {2}01:30 UTC\+1 – 01:30 UTC {2}gwei/,
    );
  });

  it('shows the values under the cursor and how far the price has gone since', () => {
    const screen = draw(hourAnswer(points(300, (i) => (i < 150 ? 8 : 10))), {
      cursor: NOON - 250 * BLOCK_MS,
    });
    expect(screen.split('\n').at(-1)).toMatch(
      /▸ 13:10:00 {2}base 8\.00 {2}tip p90 0\.0200 {2}50 % full {2}since \+25\.0 %/,
    );
    expect(screen.match(/┃/g)?.length).toBeGreaterThan(8);
  });

  it('marks anomalies and fired alerts, with a legend', () => {
    const screen = draw(MARKED);
    expect(screen).toContain('● alert fired  ▲ spike ×2');
    const plot = screen.split('\n').filter((line) => /^ *[\d.]* [┤│┼]/.test(line));
    expect(plot.join('').match(/[▲●]/g)).toEqual(expect.arrayContaining(['▲', '▲', '●']));
    const under = draw(MARKED, { cursor: NOON - 50 * BLOCK_MS, width: 60, height: 12 });
    expect(under.split('\n').at(-1)).toContain('● alert fired');
  });

  it.each([
    [
      'two kinds in one column',
      [
        ['ALERT', 35],
        ['AUTO_TX', 10],
      ],
      '● alert fired 11:35  ■ auto-tx 11:10',
    ],
    [
      'three of one kind',
      [
        ['ALERT', 35],
        ['ALERT', 5],
        ['ALERT', 50],
      ],
      '● alert fired ×3 11:05, 11:35, 11:50',
    ],
    [
      'many of one kind',
      [
        ['ALERT', 1],
        ['ALERT', 2],
        ['ALERT', 3],
        ['ALERT', 59],
      ],
      '● alert fired ×4 11:01 – 11:59',
    ],
    [
      'two at one time',
      [
        ['ALERT', 20],
        ['ALERT', 20],
      ],
      '● alert fired ×2 11:20',
    ],
  ] as const)(
    'names under the cursor the time of each mark, not that of its column: %s',
    (_, marked, words) => {
      const hours = points(24, () => 10, 3_600_000).map((each) => ({
        ...each,
        timestamp: each.timestamp - 3_600_000,
      }));
      const answer = hourAnswer(hours);
      const events = marked.map(([kind, minute], place) => ({
        ...{ timestamp: NOON - 3_600_000 + minute * 60_000, kind, id: String(place) },
      }));
      const chart = { ...answer.chart, timeFrame: '24h', bucketSec: 3_600, events };
      const screen = draw(
        { ...answer, timeFrame: '24h', chart },
        {
          ...{ cursor: NOON - 3_600_000, width: 100, height: 36, zone: 'UTC' },
        },
      );
      expect(screen.split('\n').at(-1)).toContain(`11:00  ${words}  base 10.0`);
    },
  );

  it.each([
    [90, ' 10.0 in 1h 79 %'],
    [80, ' 10.0 in 1h 79 %'],
    [100, ' 10.0 with tip: 79 % likely in 1h'],
  ])('says at %i columns of which price it says how likely it comes', (width, words) => {
    const screen = draw(hourAnswer(points(300, () => 10)), {
      ...{ cursor: NOON - 250 * BLOCK_MS, likely: 0.79, width, height: 36 },
    });
    expect(screen.split('\n').at(-1)).toContain(words);
  });

  it.each([
    ['SPIKE', '▲ spike 12.5 at 13:20', [12.5]],
    ['SPIKE', '▲ spike 14.0 at 13:20', [12.5, 14]],
    ['ANOMALY', '◇ unusual 2.00 at 13:20', [1.5, 2]],
  ])('says under the cursor what of the kind %s stood out, and when: %s', (kind, words, gweis) => {
    const answer = hourAnswer();
    const anomalies = gweis.map((gwei, place) => {
      return { timestamp: NOON - (200 - place) * BLOCK_MS, kind, value: gwei * 1e9 };
    });
    const options = { cursor: NOON - 199 * BLOCK_MS, width: 100, height: 30 };
    const screen = draw({ ...answer, chart: { ...answer.chart, anomalies } }, options);
    expect(screen.split('\n').at(-1)).toContain(words);
  });

  it('lets the highest of several marks in one column stand', () => {
    const answer = hourAnswer(points(300, () => 10));
    const anomalies = [11, 30, 12].map((gwei, place) => {
      return { timestamp: NOON - (200 - place) * BLOCK_MS, kind: 'SPIKE', value: gwei * 1e9 };
    });
    const ranges = anomalies.map(({ timestamp, value }) => baseRow(timestamp, 1e9, 1e9, value));
    const drawn = draw({ ...answer, ranges, chart: { ...answer.chart, anomalies } }, { height: 30 });
    const top = drawn.split('\n').findIndex((line) => /^ .*│?.*▲/.test(line) && !line.includes('spike'));
    expect(top).toBeLessThan(5);
  });

  it.each([
    ['1h', ' 13:40', 12, 20],
    ['24h', ' Mon 12:40', 300, 80],
    ['7d', ' Mon 12:40', 1_800, 80],
  ])('says when the base fee of %s was lowest and highest', (timeFrame, when, stepSec, minutes) => {
    const answer = hourAnswer(points(300, () => 10, stepSec * 1_000));
    const at = NOON - minutes * 60_000;
    const extremes = {
      lowest: { value: 2e9, timestamp: at },
      highest: { value: 41.5e9, timestamp: at + 60_000 },
    };
    const ranges = [baseRow(at, 2e9, 10e9, 41.5e9)];
    const changes = { timeFrame, extremes, ranges, chart: { ...answer.chart, timeFrame } };
    const screen = draw({ ...answer, ...changes }, { width: 110, height: 30 });
    expect(screen).toContain(`min 2.00${when}`);
    expect(screen).toContain('max 41.5');
    // With a table of figures at the side, too.
    expect(draw({ ...answer, ...changes }, { width: 100, height: 30, cursor: at })).toMatch(
      /lowest 2\.00 at 1[23]:40/,
    );
  });

  it.each([
    [300, '5m means:', false],
    [1_800, '30m means:', false],
    [12, 'means:', true],
  ])('says what the extremes of the tips are of: %d s', (stepSec, words, isByBlock) => {
    const of = points(100, () => 10, stepSec * 1_000);
    const screen = draw(hourAnswer(of, { isByBlock }), { width: 100, height: 30 });
    expect(screen.includes(words)).toBe(!isByBlock);
  });

  it('has the single blocks of the window before in its extremes', () => {
    const rows = points(300, () => 8).map(({ timestamp, base }, place) => {
      return baseRow(timestamp - 3_600_000, place === 7 ? 1e9 : base, base, place === 9 ? 99e9 : base);
    });
    const screen = draw(hourAnswer(FLAT, { previous: { rows, problem: null } }), { width: 100 });
    expect(screen).toMatch(/1h before {2}min 1\.00 {2}mean 8\.00 {2}max 99\.0/);
  });

  it('keeps its unit and explains every mark, however narrow and however many', () => {
    const regime = { timestamp: NOON - 150 * BLOCK_MS, kind: 'REGIME_SHIFT', value: 11e9 };
    const odd = { timestamp: NOON - 250 * BLOCK_MS, kind: 'ANOMALY', value: 11e9 };
    const anomalies = [...(MARKED.chart.anomalies ?? []), regime, odd];
    const answer: ChartResponses = { ...MARKED, chart: { ...MARKED.chart, anomalies } };
    for (const [width, height] of SIZES) {
      const screen = draw(answer, { width, height });
      expect(screen.split('\n')[0]).toContain('UTC+2  gwei');
      for (const words of ['● alert fired', '▲ spike ×2', '◆ new level', '◇ unusual'])
        expect(screen).toContain(words);
      expect(screen.split('\n').length).toBeLessThanOrEqual(height);
    }
  });

  it('draws the window before and says how the mean has changed', () => {
    const screen = draw(hourAnswer(FLAT, COMPARED));
    expect(screen).toMatch(
      /┈ 1h before {2}min 8\.00 {2}mean 8\.00 {2}max 8\.00 {2}mean of this 1h \+25\.0 %/,
    );
    expect(screen).toContain('┈┈┈┈┈');
  });

  it.each([
    [20, 'only 20m of it stored'],
    [45, 'only 45m of it stored'],
    [59, null],
  ])('says what part of the window before is stored, of %d minutes', (minutes, part) => {
    const rows = COMPARED.previous?.rows.slice(-minutes * 5) ?? [];
    const screen = draw(hourAnswer(FLAT, { previous: { rows, problem: null } }), { width: 100 });
    expect(screen).toMatch(
      part === null ? /1h before {2}min .* mean of this/ : `┈ 1h before ${part}  min 8.00`,
    );
    // The mean of a part is not compared with that of the whole.
    expect(screen.includes('mean of this')).toBe(part === null);
  });

  it('says why there is no window before', () => {
    const problem = 'two windows of 1h need 2h of history';
    const screen = draw(hourAnswer(FLAT, { previous: { rows: [], problem } }));
    expect(screen).toContain(`nothing to compare with: ${problem}`);
  });

  it('says how far history reaches when it is short, and when tips are not known', () => {
    const of = points(100, () => 10).map((point) => ({ ...point, priority: null }));
    const screen = draw(hourAnswer(of, { tips: { rows: [], problem: null } }), { width: 60, height: 12 });
    expect(screen).toContain('history reaches back 19m');
    expect(screen).toContain('tip p90: not known from this source');
  });

  it('never presses the base fee flat under dear tips: they have a scale of their own', () => {
    const of = points(300, (i) => 0.05 + i / 10_000);
    const tips = { rows: tipRows(of, 40), problem: null };
    const screen = draw(hourAnswer(of, { tips }), { width: 60, height: 12 });
    expect(screen).toMatch(/0\.0800 ┤/);
    expect(screen).toMatch(/40\.\d ┤|40\.0 ┼/);
  });

  it('names a log axis only of what has one', () => {
    const spiky = points(300, (i) => (i === 150 ? 400 : 10));
    const calm = points(300, () => 10);
    const rows = tipRows(calm, 0.02).map((row, i) => (i === 200 ? { ...row, value: 9e9 } : row));
    const tips = { rows, problem: null };
    const axisAt = (of: typeof calm, width: number, height: number, changes = {}) =>
      / gwei(.*? axis)?/.exec(draw(hourAnswer(of, changes), { width, height }))?.[1];
    expect(axisAt(calm, 80, 20)).toBeUndefined();
    expect(axisAt(spiky, 80, 20)).toBe(', base on a log axis');
    expect(axisAt(calm, 80, 20, { tips })).toBe(', tips on a log axis');
    expect(axisAt(spiky, 80, 20, { tips })).toBe(', log axis');
    // With one chart for both.
    expect(axisAt(spiky, 60, 10)).toBe(', log axis');
    expect(axisAt(calm, 60, 10, { tips })).toBeUndefined();
  });

  it('is readable in ASCII alone', () => {
    setAscii(true);
    onTestFinished(() => setAscii(false));
    const screen = draw({ ...MARKED, ...COMPARED }, { cursor: NOON - 30 * BLOCK_MS, width: 100, height: 46 });
    expect(screen).toMatch(/^[\x20-\x7e\n]*$/);
    expect(screen).not.toContain('?');
  });
});

describe('CheapHours', () => {
  const week = Array.from({ length: 7 }, (_, day) =>
    Array.from({ length: 24 }, (_, hour) => (day === 6 && hour < 3 ? null : (1 + hour + day) * 1e9)),
  );
  const hours = (width: number, height: number, heatmap = week, from: number | null = null) => {
    const week = localWeek(heatmap, NOON);
    const props = { week, from, timeFrame: '30d', now: NOON, notice: null };
    return frame(inRoom(width, height, <CheapHours {...props} />)).split('\n');
  };

  it('shows the week, its legend and the cheapest hours in words at every size', () => {
    for (const [width, height] of SIZES) {
      const lines = hours(width, height);
      expect(lines.length).toBeLessThanOrEqual(height);
      expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
      for (const day of ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']) {
        expect(lines.filter((line) => line.startsWith(` ${day}`))).toHaveLength(1);
      }
      expect(lines.join('\n')).toMatch(/░ cheap ≤ 9\.00 {2}▒ ≤ 16\.0 .*█ ≤ 30\.0/);
      expect(lines.join('\n')).toMatch(/cheapest Mon 00–01h/);
    }
  });

  it('says what its means are over, and names no cheap hour before a whole day is seen', () => {
    expect(hours(100, 20)[0]).toContain('mean base fee of 30 days, gwei');
    expect(hours(80, 20).join('\n')).toMatch(/cheapest .* against the mean\)[\s\S]*▸ Mon 12–13h usually/);
    const young = week.map((of, day) => of.map((value) => (day === 0 ? value : null)).fill(null, 23));
    const lines = hours(120, 20, young, NOON - 23 * 3_600_000);
    expect(lines[0]).toContain('mean base fee of 23h, gwei');
    expect(lines.join('\n')).toContain('cheap hours are named once a whole day is seen');
    expect(lines.join('\n')).not.toContain('cheapest');
  });

  it('says which time zone it is in, marks the present hour and leaves unknown hours blank', () => {
    const lines = hours(80, 20);
    expect(lines[0]).toContain('day × hour in UTC');
    expect(lines[0]).toContain('165 of 168 hours');
    // Three columns an hour after a label of five.
    expect(lines.find((line) => line.startsWith(' Mon'))?.slice(5 + 12 * 3, 5 + 13 * 3)).toMatch(/^\[.\]$/);
    expect(lines.find((line) => line.startsWith(' Sun'))?.slice(5, 5 + 9)).toBe(' ·  ·  · ');
  });
});

it.each([1, 476_190, 1e9, 1.352e12])('figures beside a wide chart keep columns apart at %d wei', (wei) => {
  const of = points(300, () => wei / 1e9);
  const data = chartData(hourAnswer(of, { tips: { rows: tipRows(of, wei / 1e9), problem: null } }));
  const shown = frame(<ChartSide data={data} height={30} />);
  expect(shown).toMatch(/now +\S+ +\S+/);
  expect(shown).not.toMatch(/\d\.\d+\.\d|\d,\d{4}|,\d{3}\d|\d…/);
});

it.each([
  ['30d', 'REGIME_SHIFT', 0.0943],
  ['7d', 'ANOMALY', 1_352],
  ['7d', 'ALERT', null],
  ['30d', 'A_KIND_OF_ANOTHER_SERVICE', 0.0218],
  ['24h', 'REGIME_SHIFT', 0.0911],
])(
  'beside a wide chart of %s a mark of the kind %s keeps the digits of its price',
  (timeFrame, kind, gwei) => {
    const of = points(300, () => gwei ?? 1, 7_200_000);
    const answer = hourAnswer(of, { timeFrame });
    const mark = { timestamp: NOON - 7_200_000, kind, value: (gwei ?? 0) * 1e9 };
    const marked =
      gwei === null ? { anomalies: [], events: [{ ...mark, id: '1' }] } : { anomalies: [mark], events: [] };
    const data = chartData({ ...answer, chart: { ...answer.chart, ...marked } });
    const line = frame(<ChartSide data={data} height={30} />)
      .split('\n')
      .find((each) => /[◇◆●✱]/.test(each));
    expect(line).toMatch(/[◇◆●✱] (?:\w{3} )?(?:\d+ \w{3}|\d\d:\d\d)/);
    if (gwei !== null) expect(line?.trimEnd()).toMatch(new RegExp(` ${formatGwei(gwei * 1e9)}$`));
  },
);
