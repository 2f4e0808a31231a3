import { QueryClientProvider } from '@tanstack/react-query';
import { render } from 'ink-testing-library';
import { expect, it, onTestFinished } from 'vitest';
import { MonitorContext } from '../../src/tui/data/monitor-context.ts';
import { createQueryClient } from '../../src/tui/data/query-client.ts';
import { LivePane } from '../../src/tui/panes/live/live-pane.tsx';
import { ServicePane } from '../../src/tui/panes/service/service-pane.tsx';
import { waitFor } from '../helpers/wait-for.ts';
import { MARKET } from './fake-gas.ts';
import { monitorOf } from './show-screen.tsx';
import { inRoom } from './sized-screen.tsx';

it('the day’s figures that Live has asked for are not asked for again by the Service pane', async () => {
  const asked: string[] = [];
  const monitor = monitorOf({
    statsMarket: async (timeFrame) => {
      asked.push(timeFrame);
      return { ...MARKET, timeFrame };
    },
  });
  const queries = createQueryClient();
  const tree = (Pane: typeof LivePane) => (
    <QueryClientProvider client={queries}>
      <MonitorContext value={monitor}>{inRoom(80, 30, <Pane />)}</MonitorContext>
    </QueryClientProvider>
  );
  const app = render(tree(LivePane));
  onTestFinished(() => {
    app.unmount();
    queries.clear();
  });
  await waitFor(() => app.lastFrame()?.includes('+1.2 %'));
  app.rerender(tree(ServicePane));
  await waitFor(() => /24h .*\n.*30d /.test(app.lastFrame() ?? ''));
  expect(asked).toEqual(['24h', '30d']);
  app.rerender(tree(LivePane));
  await waitFor(() => app.lastFrame()?.includes('+1.2 %'));
  expect(asked).toEqual(['24h', '30d']);
});
