import { useNow } from '../../app/clock.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useKeptState } from '../../app/ui-state.ts';
import { type Dated, useMarket, useMonitor, usePolledQuery, useRecommendation } from '../../data/queries.ts';
import { usePaneContext } from '../../ui/pane-context.ts';
import { ScrolledLines } from '../../ui/scroll.tsx';
import { EMPTY_LINE } from '../../ui/text.tsx';
import { DimContext, useDim } from '../../ui/theme.ts';
import { marketLines, workLines } from './market-lines.ts';
import { recordLines, summaryLines } from './record-lines.ts';
import type { ServiceContext } from './service-parts.ts';
import { quotaLines, routesLines, sourceLines, sourceTitle } from './source-lines.ts';

/** What changes slowly, or counts against a quota, is asked for less often. */
const LEAST_SUMMARY_MS = 2_000;
const LIMITS_MS = 15_000;
const DAY_MS = 30_000;
const MONTH_MS = 300_000;

/** The Service tab: how the service and its source are, one part under the other; each part fails on its own. */
export function ServiceScreen({ snapshot, columns, rows }: TabScreenProps) {
  const { client, intervalMs, frozen, now, isOwnService: isOwn = false } = useMonitor();
  const [top, setTop] = useKeptState('service', 0);
  const pane = usePaneContext(snapshot, columns);
  const isPast = useDim();
  const dated = async <T,>(answer: Promise<T>): Promise<Dated<T>> => ({ value: await answer, at: now() });
  const summary = usePolledQuery({
    key: ['service', 'summary'],
    ask: (signal) => dated(client.summary({ signal })),
    everyMs: Math.max(intervalMs, LEAST_SUMMARY_MS),
    // Elsewhere every request counts.
    ...(isOwn ? { head: snapshot } : {}),
    frozen,
  });
  const limits = usePolledQuery({
    key: ['service', 'limits'],
    enabled: !isOwn,
    ask: (signal) => dated(client.rateLimits({ signal })),
    everyMs: Math.max(intervalMs, LIMITS_MS),
    frozen,
  });
  const day = useMarket('24h', { head: snapshot, leastMs: DAY_MS });
  // Our own fills its month within the first minute.
  const month = useMarket('30d', { head: snapshot, leastMs: isOwn ? DAY_MS : MONTH_MS });
  const recommendation = useRecommendation(snapshot);
  const figures = [summary, limits, day, month, recommendation];
  const description = usePolledQuery({
    key: ['service', 'description'],
    // A long document: not before the figures.
    enabled: !isOwn && figures.every(({ data, error }) => data !== undefined || error !== null),
    ask: (signal) => dated(client.description({ signal })),
    frozen,
  });
  const context: ServiceContext = {
    ...pane,
    now: useNow(),
    ...{ isOwn, isPast, summary, limits, day, month, recommendation, description },
  };
  const all = [sourceLines, quotaLines, marketLines, workLines, recordLines, summaryLines, routesLines];
  const parts = all.map((linesOf) => linesOf(context)).filter(({ length }) => length > 0);
  const spread = parts.flatMap((part, place) => (place === 0 ? part : [EMPTY_LINE, ...part]));
  // A chain that stands still dims the other panes; how its nodes are is news all the same.
  return (
    <DimContext value={summary.error !== null}>
      <ScrolledLines
        scope="service"
        title={sourceTitle(context)}
        lines={spread.length < rows ? spread : parts.flat()}
        top={top}
        onScroll={(to) => setTop(() => to)}
        width={columns}
        height={rows}
      />
    </DimContext>
  );
}
