import { expect, it } from 'vitest';
import { formatGwei } from '../../../src/core/units.ts';
import { chartLines, type LineChartOptions } from '../../../src/tui/ui/chart-lines.ts';
import { inAscii } from '../../../src/tui/ui/theme.ts';

const GWEI = 1e9;
const gwei = (values: readonly (number | null)[]) => values.map((value) => value && value * GWEI);
const draw = (options: Partial<LineChartOptions> & Pick<LineChartOptions, 'series'>) =>
  chartLines({ width: 40, height: 7, format: formatGwei, ...options }).map((row) =>
    row.map(({ text }) => text).join(''),
  );
const ramp = Array.from({ length: 30 }, (_, i) => 10 + i / 3);

it('fills its room exactly at every size, for every kind of series', () => {
  const kinds = [[], [null, null], [5], [0, 0, 0], [7, 7, 7], [0, 1e18], ramp, [null, 3, null, 4]];
  for (const values of kinds)
    for (const [width, height] of [
      [1, 1],
      [5, 2],
      [12, 4],
      [60, 6],
      [200, 50],
    ] as const) {
      const rows = draw({
        series: [{ values }],
        width,
        height,
        xLabels: [{ index: 0, text: '14:00' }],
      });
      expect(rows).toHaveLength(height);
      for (const row of rows) expect([...row]).toHaveLength(width);
      expect(rows.join()).not.toContain('NaN');
    }
});

it('labels rows with round values that all read differently, also where the series is flat', () => {
  const labels = (values: readonly number[]) =>
    draw({ series: [{ values: gwei(values) }] })
      .map((row) => row.slice(0, 8).trim())
      .filter((label) => label !== '');
  expect(labels(ramp)).toEqual(['20.0', '16.0', '12.0']);
  expect(new Set(labels([15, 15, 15])).size).toBe(labels([15, 15, 15]).length);
  expect(labels([0.0412, 0.0412]).length).toBeGreaterThan(1);
});

it('writes 0 alone for a series of zeros', () => {
  const rows = draw({ series: [{ values: [0, 0, 0] }] });
  expect(rows.at(-1)).toMatch(/^ +0 ┼─+$/);
  expect(rows.slice(0, -1).join('')).not.toMatch(/\d/);
});

it('keeps the plot at the same column while values change their number of digits', () => {
  const columnOfAxis = (values: readonly number[]) =>
    draw({ series: [{ values: gwei(values) }] })[0]?.search(/[┤┼│]/);
  expect(columnOfAxis([0.0412, 0.05])).toBe(columnOfAxis([12, 1352]));
});

it('leaves gaps open', () => {
  const values = [5, 5, 5, null, null, null, 5, 5, 5];
  const line = draw({ series: [{ values: gwei(values) }], width: 18 }).find((row) => row.includes('─'));
  expect(line).toMatch(/─── {3}───$/);
});

it('shows a spike of one block among thousands', () => {
  const values = Array.from({ length: 5_000 }, (_, i) => (i === 2_500 ? 160 * GWEI : 10 * GWEI));
  const rows = draw({ series: [{ values }], height: 9 });
  expect(rows.slice(0, 3).join('')).toContain('∙');
  const small = draw({ series: [{ values }], height: 3 });
  expect(small[0]).toContain('∙');
});

it('tells two lines apart without colour', () => {
  const rows = draw({
    series: [{ values: [9, 9] }, { values: [2, 2] }],
  }).join('\n');
  expect(rows).toContain('───');
  expect(rows).toContain('╌╌╌');
});

it('has a stand-in in ASCII for every sign', () => {
  const rows = draw({
    series: [{ values: ramp }, { values: ramp.map((value) => value / 2) }],
    cursor: 4,
    marks: [{ index: 3, glyph: '^' }],
    xLabels: [{ index: 0, text: '14:00' }],
  }).join('');
  expect(inAscii(rows)).toMatch(/^[\x20-\x3e\x40-\x7e]*$/);
});

it('stands the cursor, marks and time labels at their slots', () => {
  const rows = draw({
    series: [{ values: gwei(Array.from({ length: 31 }, () => 5)) }],
    cursor: 10,
    marks: [{ index: 20, glyph: '▲' }],
    xLabels: [
      { index: 0, text: '14:00' },
      { index: 2, text: '14:02' },
      { index: 20, text: '14:20' },
    ],
  });
  expect(rows.filter((row) => row[9 + 10] === '┃').length).toBeGreaterThan(3);
  expect(rows.some((row) => row[9 + 20] === '▲')).toBe(true);
  expect(rows.at(-1)).toBe('         ╵14:00              ╵14:20     '.slice(0, 40));
});
