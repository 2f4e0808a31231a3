import { expect, it } from 'vitest';
import { blockColumns } from '../../../src/tui/panes/explorer/explorer-pane.tsx';
import { tableOf } from '../../../src/tui/ui/table.tsx';
import { SNAPSHOT } from '../fake-gas.ts';
import { atPlace } from '../sized-screen.tsx';

it('tells all times in the offset of the present, also of blocks before the clocks were changed', () => {
  atPlace('Europe/London');
  const change = Date.UTC(2024, 9, 27, 1);
  const row = (number: number, timestamp: number) => ({
    ...{ key: number, number, timestamp, baseFee: 7e9, gasUsedRatio: 0.5 },
    ...{ change: null, tip: null },
  });
  const context = {
    ...{ snapshot: SNAPSHOT, symbol: 'ETH', width: 80, isSpoken: false, moment: String },
    present: change + 8_000,
  };
  const rows = [row(2, change + 6_000), row(1, change - 6_000)];
  const { lines } = tableOf({ columns: blockColumns(context), rows, width: 80 }, false);
  const [newer, older] = lines.map((line) => line.map(({ text }) => text).join(''));
  expect(newer).toMatch(/2 .*01:00:06/);
  expect(older).toMatch(/1 .*00:59:54/);
});
