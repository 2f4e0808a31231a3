import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findAnomalies } from '../../../src/core/market-stats.ts';
import { simulateDay } from '../../../src/core/simulation.ts';
import { formatGwei } from '../../../src/core/units.ts';
import { chartLines, chartPlotWidth, type Drawing } from '../../../src/tui/ui/chart-lines.ts';
import { type Axis, readableAxis } from '../../../src/tui/ui/chart-scale.ts';
import { readChart } from './drawn-chart.ts';

interface Bucket {
  readonly timestamp: number;
  readonly low: number;
  readonly mean: number;
  readonly high: number;
}

/** The points and ranges of the chart route, wei per gas. */
function buckets(fees: readonly number[], size: number): readonly Bucket[] {
  return Array.from({ length: Math.ceil(fees.length / size) }, (_, place) => {
    const of = fees.slice(place * size, (place + 1) * size);
    const mean = of.reduce((sum, fee) => sum + fee / of.length, 0);
    return { timestamp: place * size * 12, low: Math.min(...of), mean, high: Math.max(...of) };
  });
}

const recorded = (url: URL) =>
  readFileSync(url, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => Number(line.split(',')[2]));

const OWN = new URL(
  '../../fixtures/blocks/mainnet_2024-10-15_2001blocks_basefee_blobfee.csv',
  import.meta.url,
);
const BESIDE = new URL(
  '../../../../shared/data/blocks/mainnet_2023-05-03_14651blocks_basefee.csv',
  import.meta.url,
);
/** 30 days of the demo's chain, with a spike of 42 times the median. */
const SIMULATED = Array.from({ length: 30 }, (_, day) =>
  [...simulateDay(8, 3_660 + day).baseFee].map(Number),
);

const CHARTS: readonly (readonly [name: string, points: readonly Bucket[]])[] = [
  ['seven recorded hours', buckets(recorded(OWN), 5)],
  ...(existsSync(BESIDE) ? ([['two recorded days', buckets(recorded(BESIDE), 25)]] as const) : []),
  ['30 simulated days with a spike', buckets(SIMULATED.flat(), 600)],
];

interface Look {
  readonly axis: Axis;
  readonly drawing?: Drawing;
  readonly width?: number;
  readonly height?: number;
}

function draw(points: readonly Bucket[], { axis, drawing = 'line', width = 120, height = 24 }: Look) {
  const marks = findAnomalies(points.map(({ timestamp, mean }) => ({ timestamp, value: mean }))).map(
    ({ timestamp, value }) => ({
      ...{ glyph: '▲', value },
      index: points.findIndex((point) => point.timestamp === timestamp),
    }),
  );
  const series = [{ values: points.map(({ mean }) => mean), ranges: points }];
  const options = { series, marks, axis, drawing, width, height, format: formatGwei };
  const lines = chartLines(options).map((line) => line.map(({ text }) => text).join(''));
  const plotWidth = chartPlotWidth(width);
  /** The mean of the points behind a column, as the service states them, in gwei. */
  const told = (column: number) => {
    const from = Math.floor((column * points.length) / plotWidth);
    const behind = points.slice(
      from,
      Math.max(Math.floor(((column + 1) * points.length) / plotWidth), from + 1),
    );
    return behind.reduce((sum, { mean }) => sum + mean / behind.length, 0) / 1e9;
  };
  return { chart: readChart(lines, axis), marks, plotWidth, told, lines };
}

describe.each(CHARTS)('the chart of %s', (_, points) => {
  const means = points.map(({ mean }) => mean);
  const highest = Math.max(...points.map(({ high }) => high));

  it.each([
    [120, 24],
    [200, 36],
    [165, 30],
  ])(
    'tells five values to a twentieth of those of the service to a reader of its dots at %d×%d',
    (width, height) => {
      const { chart, plotWidth, told } = draw(points, { axis: 'log', drawing: 'braille', width, height });
      const flat = Array.from({ length: plotWidth }, (_, column) => column).flatMap((column) => {
        const row = chart.lineAt(column);
        return row === null ? [] : [[chart.valueAt(row), told(column)] as const];
      });
      const five = [0.05, 0.25, 0.5, 0.75, 0.95].map((share) => flat[Math.floor(share * flat.length)]);
      for (const [read, value] of five.flatMap((one) => (one ? [one] : []))) {
        expect(Math.abs((read ?? 0) / (value ?? 1) - 1), `${read} against ${value}`).toBeLessThan(0.05);
      }
      expect(flat.length).toBeGreaterThan(5);
    },
  );

  it.each(['line', 'braille'] as const)(
    'has each flat stretch of its %s within half a row of its value',
    (drawing) => {
      for (const axis of ['linear', 'log'] as const) {
        const { chart, plotWidth, told } = draw(points, { axis, drawing });
        for (let column = 0; column < plotWidth; column++) {
          const row = chart.lineAt(column);
          if (row !== null) expect(Math.abs(row - chart.rowOf(told(column)))).toBeLessThan(0.6);
        }
      }
    },
  );

  it('has each mark within a row of its price', () => {
    for (const axis of ['linear', 'log'] as const) {
      for (const [width, height] of [
        [51, 6],
        [80, 9],
        [120, 24],
        [200, 36],
      ] as const) {
        const { chart, marks, plotWidth } = draw(points, { axis, width, height });
        const drawn = chart.rows.flatMap((row, y) =>
          row.flatMap((glyph, x) => (glyph === '▲' ? [{ x, y }] : [])),
        );
        for (const { index, value } of marks) {
          const x = Math.floor(((index + 0.5) * plotWidth) / points.length);
          const near = drawn.filter((mark) => Math.abs(mark.x - x) <= 1);
          expect(near.some(({ y }) => Math.abs(y - chart.rowOf(value / 1e9)) <= 1)).toBe(true);
        }
      }
    }
  });

  it('has a log axis by itself where its peak is over eight times its median, and only there', () => {
    const median = means.toSorted((a, b) => a - b)[Math.floor(means.length / 2)] ?? 0;
    expect(readableAxis(means, highest)).toBe(highest > 8 * median ? 'log' : 'linear');
  });
});

it('gives calm days at least half of the rows of a log axis, which one spike takes on a linear one', () => {
  const points = buckets(SIMULATED.flat(), 600);
  const days = SIMULATED.map((fees) => Math.max(...fees));
  const median = days.toSorted((a, b) => a - b)[15] ?? 0;
  const used = (axis: Axis, height: number) => {
    const { chart, plotWidth } = draw(points, { axis, height });
    // A column between two days belongs to both.
    const isCalm = (column: number) =>
      [column, column + 0.999].every((at) => (days[Math.floor((at * 30) / plotWidth)] ?? 0) <= 2 * median);
    return chart.rowsUsed(isCalm) / chart.rows.length;
  };
  for (const height of [8, 12, 24, 36]) {
    expect(used('log', height), `${height} rows`).toBeGreaterThanOrEqual(0.5);
    expect(used('linear', height), `${height} rows`).toBeLessThan(0.4);
  }
});
