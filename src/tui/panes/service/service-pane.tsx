import { useNow } from '../../app/clock.ts';
import { useKeptState } from '../../app/ui-state.ts';
import { useMarket, useMonitor, useMonitorQuery, useRecommendation } from '../../data/queries.ts';
import { usePane, useRoom } from '../../ui/pane-context.tsx';
import { ScrolledLines } from '../../ui/scroll.tsx';
import { EMPTY_LINE } from '../../ui/text.tsx';
import { DimContext, useDim } from '../../ui/theme.ts';
import {
  marketLines,
  quotaLines,
  recordLines,
  routesLines,
  type ServiceContext,
  sourceLines,
  sourceTitle,
  summaryLines,
  workLines,
} from './service-lines.ts';

/** Data that changes slowly, or counts against a quota, is polled less often. */
const LEAST_SUMMARY_MS = 2_000;
const LIMITS_MS = 15_000;
const DAY_MS = 30_000;
const MONTH_MS = 300_000;

export function ServiceScreen() {
  const { intervalMs, isOwnService: isOwn = false } = useMonitor();
  const [top, setTop] = useKeptState('service', 0);
  const pane = usePane();
  const { rows } = useRoom();
  const { snapshot } = pane;
  const isPast = useDim();
  const summary = useMonitorQuery({
    key: ['service', 'summary'],
    ask: (client, signal) => client.summary({ signal }),
    everyMs: Math.max(intervalMs, LEAST_SUMMARY_MS),
    // A remote service counts every request.
    ...(isOwn ? { head: snapshot } : {}),
  });
  const limits = useMonitorQuery({
    key: ['service', 'limits'],
    enabled: !isOwn,
    ask: (client, signal) => client.rateLimits({ signal }),
    everyMs: Math.max(intervalMs, LIMITS_MS),
  });
  const day = useMarket('24h', { head: snapshot, leastMs: DAY_MS });
  // The embedded service fills its month within the first minute.
  const month = useMarket('30d', { head: snapshot, leastMs: isOwn ? DAY_MS : MONTH_MS });
  const recommendation = useRecommendation(snapshot);
  const figures = [summary, limits, day, month, recommendation];
  const description = useMonitorQuery({
    key: ['service', 'description'],
    // A long document: loaded after the figures.
    enabled: !isOwn && figures.every(({ data, error }) => data !== undefined || error !== null),
    ask: (client, signal) => client.description({ signal }),
  });
  const context: ServiceContext = {
    ...pane,
    now: useNow(),
    ...{ isOwn, isPast, summary, limits, day, month, recommendation, description },
  };
  const all = [sourceLines, quotaLines, marketLines, workLines, recordLines, summaryLines, routesLines];
  const parts = all.map((linesOf) => linesOf(context)).filter(({ length }) => length > 0);
  const spread = parts.flatMap((part, place) => (place === 0 ? part : [EMPTY_LINE, ...part]));
  // A standstill of the chain dims the other panes; here the nodes' state is still fresh.
  return (
    <DimContext value={summary.error !== null}>
      <ScrolledLines
        scope="service"
        title={sourceTitle(context)}
        lines={spread.length < rows ? spread : parts.flat()}
        top={top}
        onScroll={(to) => setTop(() => to)}
      />
    </DimContext>
  );
}
