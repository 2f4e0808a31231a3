import { render } from 'ink-testing-library';
import { expect, it } from 'vitest';
import { BlockList, type BlockRow } from '../../../src/tui/panes/explorer/block-list.tsx';

it('tells all times in the offset that its heading names, also of blocks before the clocks were changed', () => {
  const change = Date.UTC(2024, 9, 27, 1);
  const row = (number: number, timestamp: number): BlockRow => ({
    number,
    timestamp,
    baseFee: 7e9,
    change: null,
    gasUsedRatio: 0.5,
    tip: null,
    spread: null,
    details: null,
  });
  const screen = render(
    <BlockList
      rows={[row(2, change + 6_000), row(1, change - 6_000)]}
      cursor={0}
      above={0}
      total={2}
      present={change + 8_000}
      symbol="ETH"
      width={80}
      height={8}
      offsetAt={(at) => (at < change ? 60 : 0)}
      notices={[]}
    />,
  ).lastFrame();
  expect(screen).toContain('times in UTC');
  expect(screen).toMatch(/2 .*01:00:06[\s\S]*1 .*00:59:54/);
});
