import { Box, Text, useIsScreenReaderEnabled } from 'ink';
import { memo, useMemo } from 'react';
import type { MarketView } from '../../../client/views/dashboard.ts';
import { LANES } from '../../../core/advice.ts';
import { chainProfile } from '../../../core/chains.ts';
import { cost } from '../../../core/market-stats.ts';
import { formatGwei, formatUsd, UNKNOWN, usdOf } from '../../../core/units.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useClipboard } from '../../app/terminal.ts';
import { useToast } from '../../chrome/footer.tsx';
import { type Polled, useOlderThanPrices } from '../../data/queries.ts';
import { useKeys } from '../../input/use-keys.tsx';
import { type Fact, FactLines, flowFacts } from '../../ui/fact-list.tsx';
import { truncateWords, Words } from '../../ui/text.tsx';
import { ASCII_THEME, useDim, useTheme } from '../../ui/theme.ts';
import { wholeSpan } from '../../ui/time.ts';
import { LANE_TITLES, LaneTable, laneColumns, lanesText } from './lane-table.tsx';
import { adviceFacts, liveFacts, missingReason } from './live-facts.ts';
import { DayRange, SmallChart } from './price-chart.tsx';
import { Horizons, horizonsWidth, UsualWork } from './side-tables.tsx';
import { type LiveView, useLiveData } from './use-live.ts';

/** How the Live pane shares out its rows. */
interface LiveLayout {
  readonly factLines: number;
  readonly reasonLines: number;
  /** Rows of the side tables with their heading and the gap above; 0: not shown. */
  readonly sideRows: number;
  /** Rows of the chart with its legend; 0: not shown. */
  readonly chartRows: number;
  /** An empty line between the parts. */
  readonly airy: boolean;
}

const TABLE_ROWS = 6;
/** One line of advice, one of the day's range. */
const FIXED_ROWS = TABLE_ROWS + 2;
const LEAST_CHART = 4;

/**
 * @param rows rows of the pane
 * @param wanted what there is to show: reasons, rows of the longer side table (both tables if they stand one over
 * the other), and how many lines all facts take
 */
export function liveLayout(
  rows: number,
  wanted: { readonly factLines: number; readonly reasons: number; readonly sideRows: number },
): LiveLayout {
  const airy = rows >= 30;
  let left = rows - FIXED_ROWS - (airy ? 3 : 0);
  const take = (count: number) => {
    left -= count;
    return count;
  };
  // Facts are worth more than a chart, a chart of four rows more than reasons, reasons more than a tall chart.
  const factLines = take(Math.min(wanted.factLines, rows >= 18 ? 3 : left >= LEAST_CHART + 2 ? 2 : 1));
  const chart = left >= LEAST_CHART ? take(LEAST_CHART) : 0;
  const reasonLines = rows >= 20 ? take(Math.min(wanted.reasons, airy ? 4 : 1, left)) : 0;
  const side = wanted.sideRows === 0 ? 0 : wanted.sideRows + 2;
  const sideRows = left - side >= (airy ? 6 : 4) ? take(side) : 0;
  return { factLines, reasonLines, sideRows, chartRows: chart === 0 ? 0 : chart + left, airy };
}

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

/** The Live pane for a screen reader: sentences in the order of their weight, no drawing. */
function SpokenLive({ view }: { readonly view: LiveView }) {
  const { recommendation } = view;
  return (
    <Box flexDirection="column">
      {LANES.map((lane) => (
        <Text key={lane}>{spokenLane(view, lane)}</Text>
      ))}
      {recommendation === undefined ? null : (
        <Text>{`Advice: ${adviceFacts(recommendation, ASCII_THEME, false, view.adviceOlderSec).map(spoken).join(', ')}.`}</Text>
      )}
      {(recommendation?.reasons ?? []).map((reason) => (
        <Text key={reason}>{ASCII_THEME.text(reason)}</Text>
      ))}
      {liveFacts(view, ASCII_THEME).map((fact) => (
        <Text key={fact.id}>{`${spoken(fact)}.`}</Text>
      ))}
    </Box>
  );
}

function spokenLane({ snapshot, symbol }: LiveView, name: (typeof LANES)[number]): string {
  const lane = snapshot.lanes[name];
  const wait =
    laneColumns(snapshot, symbol)
      .find(({ id }) => id === 'wait')
      ?.cell(lane, name) ?? UNKNOWN;
  const [usual, rarely] = wait.split(' / ');
  return [
    `${LANE_TITLES[name]}: ${formatGwei(lane.price)} gwei`,
    lane.maxFeePerGas === null ? null : `max fee ${formatGwei(lane.maxFeePerGas)} gwei`,
    lane.maxPriorityFeePerGas === null ? null : `tip ${formatGwei(lane.maxPriorityFeePerGas)} gwei`,
    rarely === undefined ? null : `usually within ${usual}, almost always within ${rarely}`,
    snapshot.nativeUsd === null
      ? null
      : `a transfer costs ${formatUsd(usdOf(cost(21_000, lane.price), snapshot.nativeUsd))}`,
  ]
    .filter((part) => part !== null)
    .join(', ')
    .concat('.');
}

/** Glyphs that only draw are left out. */
function spoken({ spans }: Fact): string {
  return spans
    .map(({ text }) => text)
    .join('')
    .replace(/[#.]{4,}|[>^=]|\bv (?=[-+\d])/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Gathers what the Live pane draws and says what its keys do. */
export function LiveScreen({ snapshot, columns, rows }: TabScreenProps) {
  const { trend, recommendation, hour, market } = useLiveData(snapshot);
  const toast = useToast();
  const copy = useClipboard();
  const spoken = useIsScreenReaderEnabled();
  const past = useDim();
  useKeys('live', {
    copy: () => {
      copy(lanesText(snapshot));
      toast({ kind: 'info', text: 'Copied the three lanes (if your terminal lets programs copy: OSC 52)' });
    },
  });
  const reasonOf = (error: Error) => missingReason(error, past);
  const parts = [
    missingLine('advice', recommendation, reasonOf),
    missingLine('trend', trend, reasonOf),
    missingLine('market figures', market, reasonOf),
    missingLine('chart of the hour', hour, reasonOf),
    hour.data?.problem == null ? null : `no history before the start of gastop: ${hour.data.problem}`,
  ];
  const missing = parts.filter((line) => line !== null).join('\n');
  const adviceOlderSec = useOlderThanPrices(snapshot, recommendation.data?.value.updatedAt ?? null);
  const view = useMemo(
    (): LiveView => ({
      snapshot,
      trend: trend.data,
      recommendation: recommendation.data?.value,
      adviceOlderSec,
      hour: hour.data,
      market: market.data?.value,
      symbol: snapshot.chainId === null ? 'ETH' : chainProfile(snapshot.chainId).nativeSymbol,
      missing: missing === '' ? [] : missing.split('\n'),
    }),
    [snapshot, trend.data, recommendation.data, adviceOlderSec, hour.data, market.data, missing],
  );
  return spoken ? <SpokenLive view={view} /> : <LivePane view={view} columns={columns} rows={rows} />;
}

/** Why a part that never came is not there; a part that fails later keeps its last data instead. */
function missingLine(
  name: string,
  { data, error }: Polled<unknown>,
  reasonOf: (error: Error) => string,
): string | null {
  if (data !== undefined || error === null) return null;
  return `no ${name}: ${reasonOf(error).replaceAll('\n', ' ')}`;
}
