import { Box, useIsScreenReaderEnabled } from 'ink';
import { ClientError } from '../../../client/errors.ts';
import type { ActionView, NodeView } from '../../../client/views/dashboard.ts';
import { LANES } from '../../../core/advice.ts';
import { chainProfile } from '../../../core/chains.ts';
import { formatCount, formatGwei, formatNative, formatUsd } from '../../../core/units.ts';
import { useNow } from '../../app/clock.ts';
import { isPaced } from '../../app/connection.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useKeptReducer } from '../../app/ui-state.ts';
import { type Dated, type Polled, useMonitor } from '../../data/queries.ts';
import { scrollKeys, useKeys } from '../../input/use-keys.tsx';
import { EMPTY_LINE, type Line, LineList, SegmentLine, SpokenSentences, spokenLine } from '../../ui/text.tsx';
import { ASCII_THEME, DimContext, useDim, useTheme } from '../../ui/theme.ts';
import { systemOffset } from '../../ui/time.ts';
import { marketLines, marketWords, type StatsRow, statsRows, workLines } from './market-lines.ts';
import { recordLines, routesLines, summaryLines } from './record-lines.ts';
import { quotaLines, sourceLines, sourceTitle } from './source-lines.ts';
import { type Part, type ServiceContext, type ServiceView, useService } from './use-service.ts';

interface ServiceColumn {
  readonly id: 'all' | 'left' | 'right';
  readonly width: number;
  readonly lines: readonly Line[];
}

/** From this width on the parts stand in two columns. */
const TWO_COLUMNS_FROM = 164;

interface ServiceLayout {
  readonly columns: readonly ServiceColumn[];
  /** Rows of the columns that are on the screen. */
  readonly room: number;
  /** How far down they can be scrolled; 0: all of them are in sight. */
  readonly most: number;
}

/** The pane's lines in `rows` rows; where not all are in sight one row says how many are not. */
function serviceLayout(view: ServiceView, context: ServiceContext, rows: number): ServiceLayout {
  const columns = serviceColumns(view, context, rows);
  const longest = Math.max(...columns.map(({ lines }) => lines.length));
  const room = longest <= rows ? rows : Math.max(rows - 1, 1);
  return { columns, room, most: Math.max(longest - room, 0) };
}

/** Spread where they fit so, close where they would not. */
function serviceColumns(view: ServiceView, context: ServiceContext, rows: number): readonly ServiceColumn[] {
  const two = context.width >= TWO_COLUMNS_FROM;
  const width = two ? Math.floor(context.width / 2) : context.width;
  const within = { ...context, width };
  const about = [sourceLines(view, within), quotaLines(view, within)];
  const figures = [marketLines(view, within), workLines(view, within)];
  const others = [recordLines(view, within), summaryLines(view, within), routesLines(view, within)];
  if (two) {
    return [
      { id: 'left', width, lines: setOut([...about, ...others], rows) },
      { id: 'right', width, lines: setOut(figures, rows) },
    ];
  }
  return [{ id: 'all', width, lines: setOut([...about, ...figures, ...others], rows) }];
}

function setOut(parts: readonly (readonly Line[])[], rows: number): readonly Line[] {
  const shown = parts.filter((part) => part.length > 0);
  const spread = shown.flatMap((part) => [EMPTY_LINE, ...part]);
  return spread.length <= rows ? spread : shown.flat();
}

interface ServicePaneProps {
  readonly layout: ServiceLayout;
  readonly width: number;
  readonly height: number;
  /** The first line that is shown. */
  readonly top: number;
}

/** How the service and its source are, one part under the other; side by side where there is room. */
function ServicePane({ layout, width, height, top }: ServicePaneProps) {
  const { columns, room, most } = layout;
  const below = most - top;
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      {most === 0 ? null : (
        <SegmentLine
          segments={[
            [{ text: 'Service', bold: true }],
            [
              {
                text: below > 0 ? `${below} more (j)` : 'the end (g: top)',
                faint: true,
              },
            ],
          ]}
          width={width}
        />
      )}
      <Box flexDirection="row" height={room} overflow="hidden">
        {columns.map(({ id, width: own, lines }) => (
          <Box key={id} width={own} flexShrink={0} overflow="hidden">
            <LineList lines={padded(lines.slice(top, top + room))} width={own} />
          </Box>
        ))}
      </Box>
    </Box>
  );
}

function padded(lines: readonly Line[]): readonly Line[] {
  return lines.length === 0 ? [EMPTY_LINE] : lines;
}

interface SpokenServiceProps {
  readonly view: ServiceView;
  readonly context: ServiceContext;
}

/** The Service pane for a screen reader: sentences in the order of their weight, no tables and no drawing. */
function SpokenService({ view, context }: SpokenServiceProps) {
  const plain = { ...context, width: Number.MAX_SAFE_INTEGER, theme: ASCII_THEME };
  const { summary, day, month, symbol } = view;
  const sentences = [
    spokenLine(sourceTitle(view, plain)),
    ...(summary.problem === null ? [] : [summary.problem]),
    ...(summary.value?.health.nodes ?? []).map(nodeSentence),
    ...quotaLines(view, plain).map(spokenLine),
    `Market, ${spokenLine(marketWords(view, context.now))}`,
    ...statsRows(view, view.snapshot.blockTimestamp ?? context.now).map(statsSentence),
    ...((day.value ?? month.value)?.actions.map((action) => actionSentence(action, symbol)) ?? []),
    ...[...recordLines(view, plain), ...summaryLines(view, plain), ...routesLines(view, plain)].map(
      spokenLine,
    ),
  ];
  return <SpokenSentences sentences={sentences.map((sentence) => `${sentence}.`)} />;
}

function nodeSentence({ name, state, head, latencyMs, message }: NodeView): string {
  return [
    `Node ${name}: ${state ?? 'state not known'}`,
    head === null ? null : `head ${formatCount(head)}`,
    latencyMs === null ? null : `answers in ${formatCount(latencyMs)} milliseconds`,
    state === 'ok' ? null : message,
  ]
    .filter((part) => part !== null && part !== '')
    .join(', ');
}

function statsSentence({ name, stats }: StatsRow): string {
  const median = stats.median === null ? '' : `, median ${formatGwei(stats.median)}`;
  const mean = stats.mean === null ? '' : `, mean ${formatGwei(stats.mean)}`;
  return (
    `Over ${name}: ${formatGwei(stats.now)} now, lowest ${formatGwei(stats.min)}${median}${mean}, ` +
    `highest ${formatGwei(stats.max)}`
  );
}

function actionSentence(action: ActionView, symbol: string): string {
  const prices = LANES.flatMap((lane) => {
    const cost = action[lane];
    if (cost === null) return [];
    return [`${lane} ${cost.usd === null ? formatNative(cost.wei, symbol) : formatUsd(cost.usd)}`];
  });
  return `${action.name}: ${prices.join(', ')}`;
}

const toTop = (_: number, top: number) => top;

/** Gathers what the Service pane draws and says what its keys do. */
export function ServiceScreen({ snapshot, columns, rows }: TabScreenProps) {
  const theme = useTheme();
  const now = useNow();
  const spoken = useIsScreenReaderEnabled();
  const [kept, setTop] = useKeptReducer('service', toTop, 0);
  const data = useService(snapshot);
  const past = useDim();
  const part = <T,>(polled: Polled<Dated<T>>) => partOf(polled, past);
  const description = part(data.description);
  const { isOwnService = false } = useMonitor();
  const view: ServiceView = {
    snapshot,
    isOwn: isOwnService,
    symbol: snapshot.chainId === null ? 'ETH' : chainProfile(snapshot.chainId).nativeSymbol,
    summary: part(data.summary),
    limits: part(data.limits),
    day: part(data.day),
    month: part(data.month),
    recommendation: part(data.recommendation),
    description: { ...description, value: description.value ?? null },
  };
  const context: ServiceContext = { width: columns, now, offsetAt: systemOffset, theme };
  const layout = serviceLayout(view, context, rows);
  const { room, most } = layout;
  const top = Math.min(kept, most);
  const scroll = (to: number) => setTop(Math.min(Math.max(to, 0), most));
  useKeys('service', most === 0 ? {} : scrollKeys(scroll, { top, room, most }));
  // A chain that stands still dims the other panes; how its nodes are is news all the same.
  return (
    <DimContext value={data.summary.error !== null}>
      {spoken ? (
        <SpokenService view={view} context={context} />
      ) : (
        <ServicePane layout={layout} width={columns} height={rows} top={top} />
      )}
    </DimContext>
  );
}

function partOf<T>({ data, error, retryAt }: Polled<Dated<T>>, past: boolean): Part<T> {
  const waits = data === undefined && error !== null && isPaced(error);
  const reason = error === null ? null : problemOf(error, past);
  return {
    value: data?.value ?? null,
    at: data?.at ?? null,
    problem: waits ? 'waiting: limit per second' : reason,
    retryAt,
  };
}

/** Refused parts say why; what a foreign service does not have is no failure of it. */
function problemOf(error: Error, past: boolean): string {
  const code = error instanceof ClientError ? error.code : null;
  if (code === 'not-found') return 'this service has none';
  // The frame around says why, and until when.
  if (past && (code === 'key' || code === 'quota')) return 'nothing is asked for now';
  return error.message.replaceAll('\n', ' ');
}
