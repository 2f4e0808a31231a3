import { Box } from 'ink';
import { render } from 'ink-testing-library';
import stringWidth from 'string-width';
import { afterEach, describe, expect, it } from 'vitest';
import type { SnapshotView } from '../../src/client/views/gas.ts';
import { chartData } from '../../src/tui/panes/chart/chart-data.ts';
import { ChartSide } from '../../src/tui/panes/chart/chart-plot.tsx';
import { LivePane } from '../../src/tui/panes/live/live-pane.tsx';
import { isSlowRun } from '../helpers/rounds.ts';
import { hourAnswer, points, tipRows } from './chart/chart-answer.ts';
import { HOUR, MARKET, RECOMMENDATION, SNAPSHOT, TREND } from './fake-gas.ts';
import { inRoom } from './sized-screen.tsx';

/** Two numbers without a space between them, or a number that was cut. */
const TOGETHER = /\d\.\d+\.\d|\d,\d{4}|,\d{3}\d|[smhd]\d+[.,]\d|\d\$|%\d|\d…/;

const PRICES = [1n, 7n, 476_190n, 10n ** 6n, 10n ** 9n, 1_352n * 10n ** 9n] as const;

/** The known answers, with everything as dear as `price` wei. */
function snapshotAt(price: bigint, nativeUsd: number | null): SnapshotView {
  const lane = { ...SNAPSHOT.lanes.slow, price, maxFeePerGas: price * 2n, maxPriorityFeePerGas: 1n };
  return {
    ...SNAPSHOT,
    lanes: { slow: lane, average: lane, fast: { ...lane, price: price + 10n ** 9n } },
    baseFee: price,
    nextBaseFee: price,
    nativeUsd,
  };
}

let unmount = () => {};
afterEach(() => unmount());

function draw(element: React.ReactElement): string[] {
  const app = render(element);
  unmount = app.unmount;
  return (app.lastFrame() ?? '').split('\n');
}

describe('the Live pane keeps its columns apart', () => {
  const sizes = [
    [60, 13],
    [80, 21],
    [119, 37],
    [200, 47],
  ] as const;
  const tried = isSlowRun ? sizes : [sizes[0], sizes[2]];
  const cases = PRICES.flatMap((price) => tried.map(([columns, rows]) => [price, columns, rows] as const));

  it.each(cases)('at %d wei on %i×%i', (price, columns, rows) => {
    const horizon = (horizonSec: number) => ({
      horizonSec,
      price,
      probability: 0.9,
      savingRatio: 0.1,
      reason: null,
    });
    const recommendation = { ...RECOMMENDATION, alternatives: [60, 300, 86_400].map(horizon) };
    for (const nativeUsd of [null, 3_214.5]) {
      const snapshot = snapshotAt(price, nativeUsd);
      const view = {
        snapshot,
        trend: TREND,
        recommendation,
        hour: HOUR,
        market: MARKET,
        symbol: 'ETH',
        adviceAge: null,
        missing: [],
      };
      const lines = draw(inRoom(columns, rows, <LivePane view={view} />));
      expect(lines.join('\n')).not.toMatch(TOGETHER);
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
      if (columns >= 119) {
        expect(lines.join('\n')).toMatch(/wait up to +1m +5m +1d *$/m);
        expect(lines.join('\n')).toMatch(/Swap .+ \S+ +\S+$/m);
      }
      unmount();
    }
  });

  it('prices work in gwei where coins would be all zeros', () => {
    const view = {
      snapshot: snapshotAt(7n, null),
      trend: TREND,
      recommendation: RECOMMENDATION,
      hour: HOUR,
      market: MARKET,
      symbol: 'ETH',
      adviceAge: null,
      missing: [],
    };
    const screen = draw(inRoom(120, 37, <LivePane view={view} />)).join('\n');
    expect(screen).toMatch(/usual work +gas +slow gwei +average gwei +fast gwei/);
    expect(screen).toMatch(/ETH transfer +21,000 +0\.000147 +0\.000147 +21,000$/m);
    expect(screen).toContain('transfer gwei');
  });
});

describe('the figures beside a wide chart keep their columns apart', () => {
  it.each(PRICES)('at %d wei', (price) => {
    const wei = Number(price);
    const of = points(300, () => wei / 1e9);
    const data = chartData(hourAnswer(of, { tips: { rows: tipRows(of, wei / 1e9), problem: null } }));
    const lines = draw(
      <Box>
        <ChartSide data={data} height={30} />
      </Box>,
    );
    expect(lines.join('\n')).toMatch(/now +\S+ +\S+/);
    expect(lines.join('\n')).not.toMatch(TOGETHER);
  });
});
