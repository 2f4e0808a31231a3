import { Box } from 'ink';
import { memo } from 'react';
import type { MarketView } from '../../../client/views/dashboard.ts';
import { FactLines, flowFacts } from '../../ui/fact-list.tsx';
import { truncateWords, Words } from '../../ui/text.tsx';
import { useTheme } from '../../ui/theme.ts';
import { wholeSpan } from '../../ui/time.ts';
import { adviceFacts } from './advice-line.ts';
import { DayRange } from './day-range.tsx';
import { LaneTable } from './lane-table.tsx';
import { liveFacts } from './live-facts.ts';
import { liveLayout } from './live-layout.ts';
import type { LiveView } from './live-view.ts';
import { Horizons, horizonsWidth, UsualWork } from './side-tables.tsx';
import { SmallChart } from './small-chart.tsx';

interface LivePaneProps {
  readonly view: LiveView;
  readonly columns: number;
  readonly rows: number;
}

const MOST_SIDE_ROWS = 6;
/** Bucketed history begins up to an hour inside the day. */
const NEARLY_A_DAY_SEC = 23 * 3_600;
/** Two side tables stand beside each other from here on. */
const TWO_TABLES = 119;

/** What to pay now, what to do, and how the last hour and day were. Fills exactly `columns` × `rows`. */
export const LivePane = memo(function LivePane({ view, columns, rows }: LivePaneProps) {
  const theme = useTheme();
  const { snapshot, trend, recommendation, hour, market, symbol, missing } = view;
  const facts = liveFacts(view, theme);
  const actions = market?.actions ?? [];
  const horizons = recommendation?.alternatives ?? [];
  const reasons = [...missing, ...(recommendation?.reasons ?? [])];
  const both = columns >= TWO_TABLES;
  // Side by side where there is room, else the one that says more about the decision at hand.
  const showActions = actions.length > 0 && (both || horizons.length === 0);
  const layout = liveLayout(rows, {
    factLines: flowFacts(facts, columns - 2, Number.POSITIVE_INFINITY).length,
    reasons: reasons.length,
    sideRows: Math.min(Math.max(horizons.length, showActions ? actions.length : 0), MOST_SIDE_ROWS),
  });
  const hasChart = layout.chartRows > 0 && hour !== undefined && hour.points.length >= 2;
  // Why it is not there may take the room of what is not there.
  const reasonLines = layout.reasonLines + (hasChart ? 0 : Math.min(layout.chartRows, missing.length));
  const gap = layout.airy ? 1 : 0;
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <LaneTable snapshot={snapshot} symbol={symbol} width={columns} />
      <Box flexDirection="column" flexShrink={0} marginTop={gap}>
        {recommendation === undefined ? (
          <Words faint>{missing.length > 0 ? '' : theme.text(' Asking for advice …')}</Words>
        ) : (
          <FactLines
            facts={adviceFacts(recommendation, theme, columns < 90, view.adviceOlderSec)}
            width={columns}
            maxLines={1}
          />
        )}
        {reasons.slice(0, reasonLines).map((reason) => (
          <Words key={reason} faint>
            {` ${theme.glyph.bullet} ${truncateWords(theme.text(reason), columns - 4, theme.glyph.ellipsis)}`}
          </Words>
        ))}
      </Box>
      <Box flexDirection="column" flexShrink={0} marginTop={gap}>
        <FactLines facts={facts} width={columns} maxLines={layout.factLines} />
        {market?.base == null ? null : (
          <DayRange
            base={market.base}
            now={snapshot.nextBaseFee ?? snapshot.baseFee}
            rank={trend?.percentileRank24h ?? null}
            span={daySpan(market, snapshot.blockTimestamp)}
            width={columns}
          />
        )}
      </Box>
      {layout.sideRows === 0 ? null : (
        <Box flexDirection="row" flexShrink={0} marginTop={1} height={layout.sideRows - 1} overflow="hidden">
          {horizons.length > 0 ? (
            <Horizons
              horizons={horizons}
              width={Math.min(horizonsWidth(columns), columns)}
              maxRows={MOST_SIDE_ROWS}
            />
          ) : null}
          {showActions ? (
            <UsualWork
              actions={actions}
              snapshot={snapshot}
              symbol={symbol}
              width={columns - (horizons.length > 0 ? horizonsWidth(columns) : 0)}
              maxRows={MOST_SIDE_ROWS}
            />
          ) : null}
        </Box>
      )}
      {!hasChart ? null : (
        <Box flexDirection="column" flexShrink={0} marginTop={gap}>
          <SmallChart hour={hour} width={columns} height={layout.chartRows} />
        </Box>
      )}
    </Box>
  );
});

/** A history that does not fill the day must not be called one. `end` is the chain's present, ms. */
function daySpan({ from }: MarketView, end: number | null): string {
  if (from === null || end === null) return '24 h';
  const sec = (end - from) / 1_000;
  return sec > NEARLY_A_DAY_SEC ? '24 h' : wholeSpan(sec);
}
