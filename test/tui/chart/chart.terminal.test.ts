import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { StatsChart } from '../../../src/contract/dashboard.ts';
import { GasCurrent } from '../../../src/contract/gas.ts';
import { BASE_PATH, PATHS } from '../../../src/contract/routes.ts';
import { chartPlotWidth } from '../../../src/tui/ui/chart-lines.ts';
import { RECORDING, serveRecording } from '../../cli/served.ts';
import { gastop } from '../../helpers/gastop.ts';
import { isSlowRun } from '../../helpers/rounds.ts';
import { TERMINAL_SIZES } from '../../helpers/terminal-sizes.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { leads, NO_CLEARS } from '../open-scene.ts';
import { readChart } from './drawn-chart.ts';

/** Two days of 2023 where they lie beside the project and there is time, otherwise seven hours of 2024. */
const BESIDE = fileURLToPath(
  new URL('../../../../shared/data/blocks/mainnet_2023-05-03_14651blocks_basefee.csv', import.meta.url),
);
const isLong = isSlowRun && existsSync(BESIDE);
const served = await serveRecording(isLong ? BESIDE : RECORDING, 100_000);
afterAll(() => served.close());
const api = async (path: string) => (await fetch(`${served.origin}${BASE_PATH}${path}`)).json();
await waitFor(async () => GasCurrent.parse(await api(PATHS.gasCurrent)).source.ended, { what: 'its end' });
const timeFrame = isLong ? '7d' : '24h';
const { points } = StatsChart.parse(await api(`${PATHS.statsChart}?timeFrame=${timeFrame}`));

const monitor = await gastop(['--url', served.origin, '--fresh'], { cols: 60, rows: 16, env: { TZ: 'UTC' } });
afterAll(() => monitor.close());

const SIDE = 35;
const SIDE_FROM = 116;

/** The rows of the base fee's chart, without the figures beside it. */
function baseChart(columns: number): readonly string[] {
  const rows = monitor.screen();
  const first = rows.findIndex((row) => row.startsWith(' ─ base')) + 1;
  const after = rows.findIndex((row, y) => y >= first && /^ [─╌] |╵/.test(row));
  const width = columns - (columns >= SIDE_FROM ? SIDE : 0);
  return rows.slice(first, after).map((row) => row.slice(0, width).padEnd(width));
}

/** The mean of the points behind a column, in gwei. */
function told(column: number, plotWidth: number): number {
  const from = Math.floor((column * points.length) / plotWidth);
  const to = Math.max(Math.floor(((column + 1) * points.length) / plotWidth), from + 1);
  const behind = points.slice(from, to);
  return behind.reduce((sum, { base }) => sum + Number(base) / behind.length, 0) / 1e9;
}

describe(`the Chart tab over ${isLong ? 'two recorded days' : 'seven recorded hours'} of a service`, () => {
  it.each(TERMINAL_SIZES)(
    'can be read at %i×%i, by its line and by its dots, on either axis',
    async (columns, rows) => {
      monitor.resize(columns, rows);
      // The old screen is there until the new one is drawn, whose first lines reach the right end.
      const reachesEnd = (line: string) => line.trimEnd().length > columns - 4;
      await leads(monitor, '2', '[2 Chart]', (lines) => lines.length === rows && lines.some(reachesEnd));
      while (!monitor.screen().some((row) => row.startsWith(` ${timeFrame} `))) {
        const [before] = monitor.screen().filter((row) => / UTC .*gwei/.test(row));
        await leads(monitor, 't', (lines) => !lines.includes(before ?? ''), / UTC .*gwei/);
      }
      const plotWidth = chartPlotWidth(columns - (columns >= SIDE_FROM ? SIDE : 0));
      for (const drawing of ['line', 'braille'] as const) {
        const isDrawn = (is: boolean) => () => /[\u2801-\u28ff]/.test(baseChart(columns).join('')) === is;
        if (drawing === 'braille') await leads(monitor, 'B', isDrawn(true));
        for (const axis of ['linear', 'log'] as const) {
          const isLog = (lines: readonly string[]) => lines.some((line) => line.includes('log axis'));
          if (isLog(monitor.screen()) !== (axis === 'log'))
            await leads(monitor, 'l', (lines) => isLog(lines) === (axis === 'log'));
          const chart = readChart(baseChart(columns), axis);
          const read = Array.from({ length: plotWidth }, (_, column) => column).flatMap((column) => {
            const row = chart.lineAt(column);
            return row === null ? [] : [{ row, value: chart.valueAt(row), told: told(column, plotWidth) }];
          });
          expect(read.length).toBeGreaterThan(4);
          for (const one of read) expect(Math.abs(one.row - chart.rowOf(one.told))).toBeLessThan(0.6);
          const five = [0, 0.25, 0.5, 0.75, 1].map((share) => read[Math.floor(share * (read.length - 1))]);
          if (drawing === 'braille' && rows >= 24)
            for (const one of five) expect((one?.value ?? 0) / (one?.told ?? 1)).toBeCloseTo(1, 1);
        }
        if (drawing === 'braille') await leads(monitor, 'B', isDrawn(false));
      }
      expect(monitor.screen().at(-1)).toMatch(/^ \? help/);
      expect(monitor.clears).toEqual(NO_CLEARS);
    },
  );
});
