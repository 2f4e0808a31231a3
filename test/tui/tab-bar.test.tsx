import { render } from 'ink-testing-library';
import stringWidth from 'string-width';
import { expect, it, onTestFinished } from 'vitest';
import { TabBar } from '../../src/tui/chrome/frame.tsx';
import { TABS } from '../../src/tui/chrome/tabs.ts';
import { type Feed, ListsContext } from '../../src/tui/data/monitor-context.ts';
import { inRoom } from './sized-screen.tsx';

const nothing = async () => {};
const POLLED = {
  data: undefined,
  at: 0,
  error: null,
  retryAt: null,
  refresh: nothing,
  pending: false,
  isFilling: false,
};

function bar(width: number, current: number, unseen = 0, tabCount = 0): string {
  const feed: Feed<never> = { ...POLLED, unseen: 0, tabCount: 0 };
  const lists = { alerts: { ...feed, unseen }, autoTxs: { ...feed, tabCount } };
  const app = render(
    <ListsContext value={lists}>
      {inRoom(width, 24, <TabBar tab={TABS[current] ?? TABS[0]} pace="every 12s" zone="UTC+2" />)}
    </ListsContext>,
  );
  onTestFinished(() => app.unmount());
  return app.lastFrame() ?? '';
}

it('say what waits, and how often is asked where there is room', () => {
  expect(bar(100, 3, 0, 3)).toMatch(
    /^ 1 Live {2}2 Chart {2}3 Alerts \[4 Auto-tx ·3\] 5 Explorer {2}6 Service +UTC\+2 {2}every 12s/,
  );
});

it('name the zone of their times where how often is asked has no room, but not beside a chart, which has its own', () => {
  expect(bar(75, 3, 0, 3)).toMatch(/6 Service +UTC\+2 *$/);
  expect(bar(100, 0)).not.toContain('UTC');
  expect(bar(100, 1)).not.toContain('UTC');
});

it('with news first', () => {
  expect(bar(80, 0, 2, 3)).toContain('3 Alerts !2  4 Auto-tx ·3  5 Explorer');
});

it.each(TABS.map(({ title }, place) => [title, place] as const))(
  'are all there in 60 columns, %s whole',
  (title, place) => {
    for (const [unseen, awaited] of [
      [0, 0],
      [2, 3],
      [12, 340],
    ] as const) {
      const line = bar(60, place, unseen, awaited);
      expect(stringWidth(line)).toBeLessThanOrEqual(60);
      expect(line).toContain(`[${place + 1} ${title}`);
      for (const key of [1, 2, 3, 4, 5, 6]) expect(line).toMatch(new RegExp(`${key} [A-Z]`));
      expect(line).not.toContain('…');
    }
  },
);
