import { Box, Text, useIsScreenReaderEnabled } from 'ink';
import { memo, useMemo, useState } from 'react';
import type { MarketView } from '../../../client/views/dashboard.ts';
import { type HorizonView, keptWords, type RecommendationView } from '../../../client/views/gas.ts';
import { LANES } from '../../../core/advice.ts';
import { chainProfile, staleAfterMs } from '../../../core/chains.ts';
import { cost } from '../../../core/market-stats.ts';
import {
  formatAge,
  formatDuration,
  formatGwei,
  formatLikelihood,
  formatPercent,
  formatUsd,
  UNKNOWN,
  usdOf,
} from '../../../core/units.ts';
import { useTicking } from '../../app/clock.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useClipboard } from '../../app/terminal.ts';
import { type Polled, polledEveryMs } from '../../data/queries.ts';
import { useKeys } from '../../input/use-keys.tsx';
import { FactLines, flowFacts } from '../../ui/fact-list.tsx';
import { placed, SegmentLine, spokenLine, Words, wrapText } from '../../ui/text.tsx';
import { ASCII_THEME, type Theme, useDim, useTheme } from '../../ui/theme.ts';
import { dayText, systemOffset, wholeSpan } from '../../ui/time.ts';
import { keptOfWords, waitWords as pastWaits } from '../service/record-lines.ts';
import { LANE_TITLES, LaneTable, lanesText } from './lane-table.tsx';
import { adviceFacts, liveFacts, missingReason } from './live-facts.ts';
import { DAY, DayRange, SmallChart } from './price-chart.tsx';
import { knownWaits, UsualWork, unknownWaits, WAIT_ROWS, WaitTable, waitWidth } from './side-tables.tsx';
import { type LiveView, useLiveData } from './use-live.ts';

type TrackView = NonNullable<RecommendationView['track']>;

/** How the Live pane shares out its rows; 0: a part is not shown. */
interface LiveLayout {
  readonly waitRows: number;
  readonly factLines: number;
  readonly reasonLines: number;
  readonly rangeRows: number;
  /** Rows of the price of usual work with its heading, below the day's range. */
  readonly workRows: number;
  /** Rows of the chart with its legend. */
  readonly chartRows: number;
  /** An empty line between the parts. */
  readonly airy: boolean;
}

/** The lanes and a line of advice. */
const FIXED_ROWS = 7;
const LEAST_CHART = 4;

/** @param rows rows of the pane; @param wanted as many rows as there is something to show for */
export function liveLayout(
  rows: number,
  wanted: Pick<LiveLayout, 'waitRows' | 'factLines' | 'reasonLines' | 'rangeRows' | 'workRows'>,
): LiveLayout {
  const airy = rows >= 30;
  const isTall = rows >= 22;
  let left = rows - FIXED_ROWS - (airy ? 4 : 0);
  const take = (count: number) => {
    const taken = Math.max(Math.min(count, left), 0);
    left -= taken;
    return taken;
  };
  // The weightiest first: what waiting is worth, the next block, why, the day; then a chart, then more of each.
  const waitRows = wanted.waitRows <= left ? take(wanted.waitRows) : 0;
  let factLines = take(Math.min(wanted.factLines, 1));
  let reasonLines = take(Math.min(wanted.reasonLines, rows < 18 ? 1 : 2));
  const rangeRows = take(wanted.rangeRows);
  let chartRows = left >= LEAST_CHART ? take(LEAST_CHART) : 0;
  if (isTall || chartRows === 0) {
    factLines += take(Math.min(wanted.factLines - factLines, airy ? 2 : 1));
    reasonLines += take(Math.min(wanted.reasonLines - reasonLines, airy ? 6 : 2));
  }
  const work = wanted.workRows + 1;
  const workRows = wanted.workRows > 0 && left - work >= LEAST_CHART ? take(work) - 1 : 0;
  if (chartRows > 0) chartRows += left;
  return { waitRows, factLines, reasonLines, rangeRows, workRows, chartRows, airy };
}

interface LivePaneProps {
  readonly view: LiveView;
  readonly columns: number;
  readonly rows: number;
}

const MOST_WORK_ROWS = 6;
/** Bucketed history begins up to an hour inside the day. */
const NEARLY_A_DAY_SEC = 23 * 3_600;
/** In less the price has hardly moved. */
const LEAST_RANGE_SEC = 60;
const LEAST_WORK = 44;
/** The price of usual work stands beside the waits from here on. */
const TWO_TABLES = 119;

/** What to pay now, what to do, and how the last hour and day were. Fills exactly `columns` × `rows`. */
export const LivePane = memo(function LivePane({ view, columns, rows }: LivePaneProps) {
  const theme = useTheme();
  const { snapshot, trend, recommendation, adviceAge = null, hour, market, symbol, missing } = view;
  const facts = liveFacts(view, theme);
  const actions = (market?.actions ?? []).slice(0, MOST_WORK_ROWS - 1);
  const waits = knownWaits(recommendation?.alternatives ?? []);
  const isBeside = columns >= TWO_TABLES && waits.length > 0;
  const waitRoom = Math.min(waitWidth(waits), columns - LEAST_WORK);
  const workWanted = actions.length === 0 ? 0 : actions.length + 1;
  // The rows stay as they are when advice grows old.
  const reasons = reasonLines(
    reasonsOf({ ...view, adviceAge: null }),
    columns,
    Number.POSITIVE_INFINITY,
    theme,
  );
  const span = market === undefined ? null : daySpan(market, snapshot.blockTimestamp);
  const layout = liveLayout(rows, {
    factLines: flowFacts(facts, columns - 2, Number.POSITIVE_INFINITY).length,
    reasonLines: reasons.length,
    waitRows: waits.length === 0 ? 0 : Math.max(WAIT_ROWS, isBeside && rows >= 30 ? workWanted : 0),
    rangeRows: market?.base == null || span === null ? 0 : 1,
    workRows: isBeside ? 0 : workWanted,
  });
  const hasChart = layout.chartRows > 0 && hour !== undefined && hour.points.length >= 2;
  // Why it is not there may take the room of what is not there.
  const reasonRoom = layout.reasonLines + (hasChart ? 0 : Math.min(layout.chartRows, missing.length));
  const gap = layout.airy ? 1 : 0;
  const work = (width: number) => (
    <UsualWork actions={actions} snapshot={snapshot} symbol={symbol} width={width} />
  );
  // A notice covers the last row: without `flexShrink={0}` the lanes would give up one of theirs.
  return (
    <Box flexDirection="column" flexShrink={0} width={columns} height={rows} overflow="hidden">
      <Box flexShrink={0}>
        <LaneTable snapshot={snapshot} symbol={symbol} width={columns} />
      </Box>
      <Box flexDirection="column" flexShrink={0} marginTop={gap} height={1 + reasonRoom} overflow="hidden">
        {recommendation === undefined ? (
          <Words faint>{missing.length > 0 ? '' : theme.text(' Asking for advice …')}</Words>
        ) : (
          <FactLines
            facts={adviceFacts(recommendation, theme, columns < 90, adviceAge)}
            width={columns}
            maxLines={1}
          />
        )}
        {placed(reasonLines(reasonsOf(view), columns, reasonRoom, theme), (line) => (
          <Words faint>{line}</Words>
        ))}
      </Box>
      {layout.waitRows === 0 ? null : (
        <Box flexDirection="row" flexShrink={0} marginTop={gap} height={layout.waitRows} overflow="hidden">
          {adviceAge !== null ? (
            <Words faint>{' what each wait is worth comes with the next advice'}</Words>
          ) : (
            <WaitTable
              waits={waits}
              advisedSec={
                recommendation?.action === 'SEND_NOW' ? null : (recommendation?.deadlineSec ?? null)
              }
              width={isBeside ? waitRoom : columns}
              screen={columns}
            />
          )}
          {isBeside ? work(columns - waitRoom) : null}
        </Box>
      )}
      <Box flexDirection="column" flexShrink={0} marginTop={gap}>
        <FactLines facts={facts} width={columns} maxLines={layout.factLines} />
        {layout.rangeRows === 0 || market?.base == null || span === null ? null : (
          <DayRange
            base={market.base}
            now={snapshot.nextBaseFee ?? snapshot.baseFee}
            rank={trend?.percentileRank24h ?? null}
            span={span}
            width={columns}
          />
        )}
      </Box>
      {layout.workRows === 0 ? null : (
        <Box flexShrink={0} marginTop={1} height={layout.workRows} overflow="hidden">
          {work(columns)}
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

/** Why something is not there, then why the advice is what it is; of old advice nothing is said. */
function reasonsOf({ missing, recommendation, adviceAge = null }: LiveView): readonly string[] {
  if (recommendation === undefined || adviceAge !== null) return missing;
  const { action, alternatives, reasons } = recommendation;
  if (action !== null) return [...missing, ...reasons, ...unknownWaits(alternatives)];
  // The headline says that there is none.
  return [...missing, ...reasons.map((reason) => reason.replace(/^no advice yet: /, ''))];
}

/** As many reasons as there are lines for, broken at blanks; what does not fit is read after `⏎`. */
function reasonLines(
  reasons: readonly string[],
  width: number,
  most: number,
  theme: Theme,
): readonly string[] {
  const { bullet, ellipsis } = theme.glyph;
  const lines: string[] = [];
  for (const reason of reasons) {
    if (lines.length >= most) break;
    const wrapped = wrapText(theme.text(reason), width - 4, most - lines.length, ellipsis);
    lines.push(...wrapped.map((line, place) => ` ${place === 0 ? bullet : ' '} ${line}`));
  }
  return lines;
}

const RECKONED = [
  'likely: how often such a price came in such a time after past blocks like this one',
  'mean saving: against sending now, with what the misses cost',
  'a price of a lane is what it usually pays, a price of a wait what some block comes down to',
];

function recordWords(track: TrackView, day: (ms: number) => string): string {
  const { hitRatio, statedProbability } = track;
  const shares = [hitRatio, statedProbability].map((share) => formatPercent(share ?? 0));
  const words = `${keptWords(track)} ${keptOfWords(track, day)}`.trim();
  return `record: ${words} (${shares[0]}${statedProbability === null ? '' : `, stated ${shares[1]}`})`;
}

/** The advice with all its reasons, what each wait is worth, how such advice was kept and how it is reckoned, over the pane. */
function AdviceInFull({ view, columns, rows }: LivePaneProps) {
  const theme = useTheme();
  const { recommendation, adviceAge } = view;
  const facts = recommendation && adviceFacts(recommendation, theme, false, adviceAge);
  const waits = adviceAge === null ? (recommendation?.alternatives ?? []) : [];
  const track = adviceAge === null ? (recommendation?.track ?? null) : null;
  const day = (ms: number) => dayText(ms, systemOffset);
  const texts = [
    ...reasonsOf({ ...view, recommendation: recommendation && { ...recommendation, alternatives: [] } }),
    ...waits.map(waitWords),
    ...(track === null
      ? []
      : [keptWords(track) === null ? '' : recordWords(track, day), pastWaits(track, day) ?? '']),
    // Another service may reckon in another way.
    ...(view.snapshot.source.kind === 'service' || waits.length === 0 ? [] : RECKONED),
  ].filter((text) => text !== '');
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <SegmentLine
        segments={[[{ text: 'Advice', bold: true }], [{ text: 'Esc closes', faint: true }]]}
        width={columns}
      />
      {facts === undefined ? null : <FactLines facts={facts} width={columns} maxLines={4} />}
      {placed(reasonLines(texts, columns, rows - 2, theme), (line) => (
        <Words>{line}</Words>
      ))}
    </Box>
  );
}

/** A history that does not fill the day must not be called one; `null` for next to none. `end` is the chain's present, ms. */
function daySpan({ from }: MarketView, end: number | null): string | null {
  if (from === null || end === null) return DAY;
  const sec = (end - from) / 1_000;
  if (sec < LEAST_RANGE_SEC) return null;
  return sec > NEARLY_A_DAY_SEC ? DAY : wholeSpan(sec);
}

/** The Live pane for a screen reader: sentences in the order of their weight, no drawing. */
function SpokenLive({ view }: { readonly view: LiveView }) {
  const { recommendation, adviceAge = null } = view;
  const waits = adviceAge === null ? knownWaits(recommendation?.alternatives ?? []) : [];
  return (
    <Box flexDirection="column">
      {LANES.map((lane) => (
        <Text key={lane}>{spokenLane(view, lane)}</Text>
      ))}
      {recommendation === undefined ? null : (
        <Text>{`Advice: ${adviceFacts(recommendation, ASCII_THEME, false, adviceAge)
          .map(({ spans }) => spokenLine(spans))
          .join(', ')}.`}</Text>
      )}
      {waits.map((wait) => (
        <Text key={wait.horizonSec}>{`${waitWords(wait)}.`}</Text>
      ))}
      {reasonsOf(view).map((reason) => (
        <Text key={reason}>{ASCII_THEME.text(reason)}</Text>
      ))}
      {liveFacts(view, ASCII_THEME).map((fact) => (
        <Text key={fact.id}>{`${spokenLine(fact.spans)}.`}</Text>
      ))}
    </Box>
  );
}

function spokenLane({ snapshot }: LiveView, name: (typeof LANES)[number]): string {
  const { price, maxFeePerGas, maxPriorityFeePerGas, waitSec } = snapshot.lanes[name];
  return [
    `${LANE_TITLES[name]}: ${formatGwei(price)} gwei`,
    maxFeePerGas === null ? null : `max fee ${formatGwei(maxFeePerGas)} gwei`,
    maxPriorityFeePerGas === null ? null : `tip ${formatGwei(maxPriorityFeePerGas)} gwei`,
    waitSec === null
      ? null
      : `usually within ${formatDuration(waitSec.p50)}, at most ${formatDuration(waitSec.p95)}`,
    snapshot.nativeUsd === null
      ? null
      : `a transfer costs ${formatUsd(usdOf(cost(21_000, price), snapshot.nativeUsd))}`,
  ]
    .filter((part) => part !== null)
    .join(', ')
    .concat('.');
}

function waitWords({ horizonSec, price, savingRatio, probability, reason }: HorizonView): string {
  if (probability === null)
    return `If you wait up to ${formatDuration(horizonSec)}: ${reason ?? 'not known'}`;
  return [
    `If you wait up to ${formatDuration(horizonSec)}: ${price === null ? UNKNOWN : `${formatGwei(price)} gwei`}`,
    savingRatio === null ? null : `saves ${formatPercent(savingRatio)}`,
    `${formatLikelihood(probability)} likely`,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

/** Gathers what the Live pane draws and says what its keys do. */
export function LiveScreen({ snapshot, columns, rows }: TabScreenProps) {
  const { trend, recommendation, hour, market } = useLiveData(snapshot);
  const copy = useClipboard();
  const spoken = useIsScreenReaderEnabled();
  const past = useDim();
  const [isOpen, setOpen] = useState(false);
  useKeys('live', {
    copy: () => copy(lanesText(snapshot), 'the three lanes'),
    open: () => setOpen(!isOpen),
    ...(isOpen ? { close: () => setOpen(false) } : {}),
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
  const updatedAt = recommendation.data?.value.updatedAt ?? null;
  const behindMs = (snapshot.updatedAt ?? 0) - (updatedAt ?? Number.POSITIVE_INFINITY);
  // While its route fails the prices go on without it.
  const isOlder =
    behindMs > (recommendation.error === null ? staleAfterMs(polledEveryMs(snapshot) / 1_000) : 0);
  const isOld = isOlder || past;
  // Of the same age as the prices that it belongs to, in the same figure.
  const advisedAt = isOlder ? updatedAt : (snapshot.blockTimestamp ?? snapshot.updatedAt);
  const age = useTicking((now) => (isOld ? formatAge((now - (advisedAt ?? now)) / 1_000) : ''));
  const adviceAge = isOld ? age : null;
  const view = useMemo(
    (): LiveView => ({
      snapshot,
      trend: trend.data,
      recommendation: recommendation.data?.value,
      adviceAge,
      hour: hour.data,
      market: market.data?.value,
      symbol: snapshot.chainId === null ? 'ETH' : chainProfile(snapshot.chainId).nativeSymbol,
      missing: missing === '' ? [] : missing.split('\n'),
    }),
    [snapshot, trend.data, recommendation.data, adviceAge, hour.data, market.data, missing],
  );
  if (spoken) return <SpokenLive view={view} />;
  const Pane = isOpen ? AdviceInFull : LivePane;
  return <Pane view={view} columns={columns} rows={rows} />;
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
