import { Box } from 'ink';
import {
  type DashboardView,
  type MarketView,
  type NodeView,
  statsAt,
} from '../../../client/views/dashboard.ts';
import { counted } from '../../../client/views/fact.ts';
import { ROUTE_GROUPS, V1_ROUTES } from '../../../contract/routes.ts';
import { isOutdated } from '../../../core/chain-status.ts';
import { DAY_SEC } from '../../../core/time.ts';
import {
  formatChange,
  formatCount,
  formatDuration,
  formatGwei,
  formatPercent,
  formatSavedNative,
  formatSavedUsd,
  formatSpan,
  formatUsd,
  UNKNOWN,
} from '../../../core/units.ts';
import { useMonitor } from '../../data/monitor-context.ts';
import { useRateLimits } from '../../data/pace.ts';
import { type Polled, useMonitorQuery } from '../../data/polled-query.ts';
import { useRecommendation } from '../../data/prices.ts';
import { MONTH_MS, useDescription, useMarket } from '../../data/queries.ts';
import { hangingLines, sectionLine } from '../../ui/fact-list.tsx';
import { useNow, usePane, usePaneMemory, useRoom } from '../../ui/pane-context.tsx';
import { missingReason, nextTry } from '../../ui/pane-state.tsx';
import { ScrolledLines } from '../../ui/scroll.tsx';
import {
  BOX_ROWS,
  BoxedTable,
  known,
  leftColumn,
  rightColumn,
  type TableColumn,
  tableOf,
} from '../../ui/table.tsx';
import {
  bar,
  bold,
  colored,
  EMPTY_LINE,
  faint,
  type Line,
  LineList,
  lineWidth,
  plain,
  SegmentLine,
} from '../../ui/text.tsx';
import { type ColorName, DimContext, useDim } from '../../ui/theme.ts';
import { ageText, clockText, dayText, fillsFrame, reachedSec, STILL_READ, spanOf } from '../../ui/time.ts';
import { recordTexts } from '../live/advice.tsx';
import { workColumns, workRows } from '../live/lane-table.tsx';

/** Data that changes slowly, or counts against a quota, is polled less often. */
const LEAST_SUMMARY_MS = 2_000;
const LIMITS_MS = 15_000;

function useServiceContext() {
  const monitor = useMonitor();
  const { intervalMs, isOwnService: isOwn, status } = monitor;
  const pane = usePane();
  const { snapshot } = pane;
  return {
    ...pane,
    isOwn,
    status,
    now: useNow(),
    /** The frame already says why the data is stale. */
    isPast: useDim(),
    summary: useMonitorQuery({
      key: ['service', 'summary'],
      ask: (client, signal) => client.summary({ signal }),
      everyMs: Math.max(intervalMs, LEAST_SUMMARY_MS),
      // A remote service counts every request.
      head: isOwn ? snapshot : undefined,
    }),
    limits: useRateLimits(monitor, Math.max(intervalMs, LIMITS_MS)),
    day: useMarket('24h'),
    // The embedded service fills its month within the first minute.
    month: useMarket('30d', isOwn ? {} : { freshMs: MONTH_MS }),
    recommendation: useRecommendation(snapshot),
    description: useDescription(),
  };
}

type ServiceContext = ReturnType<typeof useServiceContext>;

export function ServicePane() {
  const [top, setTop] = usePaneMemory('service', 0);
  const { columns, rows } = useRoom();
  const context = useServiceContext();
  const { nodes = [] } = context.summary.data?.health ?? {};
  const { before, after } = sourceLines(context);
  const partsWith = (isWhole: boolean) => {
    const source = [...before, ...nodeLines(nodes, context), ...after];
    const work = (each: ServiceContext) => workLines(each, isWhole);
    const others = [quotaLines, marketLines, work, recordLines, summaryLines, routesLines];
    return [source, ...others.map((linesOf) => linesOf(context))].filter(({ length }) => length > 0);
  };
  const whole = partsWith(true);
  const parts = context.isSpoken || whole.flat().length < rows ? whole : partsWith(false);
  const spread = parts.flatMap((part, place) => (place === 0 ? part : [EMPTY_LINE, ...part]));
  const isBoxed = !context.isSpoken && nodes.length > 0 && spread.length + nodes.length + BOX_ROWS < rows;
  const told = nodes.flatMap((node) => nodeMessage(node, context.width));
  // A standstill of the chain dims the other panes; here the nodes' state is still fresh.
  return (
    <DimContext value={context.summary.error !== null}>
      {isBoxed ? (
        <Box flexDirection="column" width={columns} height={rows}>
          <SegmentLine segments={sourceTitle(context)} />
          <LineList lines={before} />
          <BoxedTable columns={nodeColumns(nodes)} rows={nodes} />
          <LineList lines={[...told, ...after, ...parts.slice(1).flatMap((part) => [EMPTY_LINE, ...part])]} />
        </Box>
      ) : (
        <ScrolledLines
          scope="service"
          title={sourceTitle(context)}
          lines={spread.length < rows ? spread : parts.flat()}
          top={top}
          onScroll={setTop}
        />
      )}
    </DimContext>
  );
}

type StateContext = Pick<ServiceContext, 'now' | 'isPast'>;

function stateOf(what: string, polled: Polled<unknown>, context: StateContext, lacking = `no ${what}`) {
  const { data, at, error, retryAt } = polled;
  const { now, isPast } = context;
  if (error === null) return data === undefined ? [[faint(`loading ${what} …`)]] : [];
  const problem = missingReason(error, isPast);
  if (data === undefined) return [[faint(`${lacking}: ${problem}`)]];
  const next = nextTry(retryAt, now);
  return [[faint(`as of ${ageText(at, now)}${next === null ? '' : `, ${next}`}: ${problem}`)]];
}

const TITLE_ROOM = 'Summary'.length;
const MARGIN = 3;

const indented = (line: Line): Line => [plain(' '.repeat(MARGIN)), ...line];
const partTitle = (title: string, rest: Line = EMPTY_LINE) => sectionLine(title.padEnd(TITLE_ROOM), rest);

const GLUED = '\u00a0';

type Phrase = string | number | null | false;
const isSaid = (phrase: Phrase) => typeof phrase === 'string' && phrase !== '';

/** A title with those phrases that there are, which break between two of them and after commas only. */
function phraseLines(title: string, phrases: readonly Phrase[], width: number): readonly Line[] {
  const glued = phrases.filter(isSaid).map((phrase) => String(phrase).replaceAll(/(?<!,) /g, GLUED));
  const text = glued.join('  ');
  const lines = hangingLines(partTitle(title, [plain('')]), text, width);
  return lines.map((line) => line.map((span) => ({ ...span, text: span.text.replaceAll(GLUED, ' ') })));
}

const KINDS = { rpc: '', replay: 'recording', simulated: 'simulation', service: 'service' } as const;

function sourceTitle({ snapshot, summary, now }: ServiceContext): readonly Line[] {
  const { kind, name } = snapshot.source;
  const head = snapshot.blockTimestamp ?? snapshot.updatedAt;
  const lag = summary.data?.health.lagBlocks ?? 0;
  const headText = (at: number) =>
    kind === 'replay' ? `its head is of ${dayText(at)} ${clockText(at)}` : `head ${ageText(at, now)}`;
  return [
    [bold('Source'), faint(`   ${KINDS[kind]}${kind === 'rpc' ? '' : ' '}`), plain(name)],
    ...(head === null ? [] : [[plain(headText(head))]]),
    ...(lag === 0 ? [] : [[colored(`${counted(lag, 'block')} to catch up`, 'warn')]]),
    ...(summary.data === undefined ? [] : [[faint(`as of ${ageText(summary.at, now)}`)]]),
  ];
}

/** What stands before the nodes of the source, and after them. */
function sourceLines(context: ServiceContext) {
  const { snapshot, summary, now } = context;
  const { kind, restartedAt } = snapshot.source;
  const health = summary.data?.health ?? null;
  const { nodes = [], engine = null, lagBlocks = null } = health ?? {};
  const lines = [...stateOf('health', summary, context)];
  const span = (since: number) => formatDuration(Math.max(0, now - since) / 1_000);
  if (restartedAt !== null) {
    // Explains why data from before a restart of the chain is gone.
    const text = `the chain began anew ${span(restartedAt)} ago: its history from before is dropped`;
    lines.push([colored(text, 'warn')]);
  }
  const count = nodes.filter(({ state }) => state === 'disagrees').length;
  if (count > 0) {
    const who = count === 1 ? '1 node DISAGREES' : `${count} nodes DISAGREE`;
    const others = nodes.length - count === 1 ? 'the other' : 'the others';
    lines.push([bold(`! ${who} with ${others}: do not trust it before you know why`, 'bad')]);
  }
  const isMade = kind === 'replay' || kind === 'simulated';
  const noNodes = isMade ? `a ${KINDS[kind]} has no nodes` : 'the service does not tell of its nodes';
  if (health !== null && nodes.length === 0) lines.push([faint(noNodes)]);
  // The process that leads on this database, and whether its blocks have arrived.
  const isElsewhere = engine !== null && engine.process !== null && engine.isHere === false;
  const lasting = engine?.since == null ? '' : ` for ${span(engine.since)}`;
  const behind = lagBlocks ? `${formatCount(lagBlocks)} behind` : 'in step';
  const leads = `${engine?.process?.replace(/, process \d+$/, '')} leads${lasting}`;
  const leader = [faint(`${leads}: it asks the nodes; this one is ${behind}`)];
  return { before: lines.map(indented), after: isElsewhere ? [indented(leader)] : [] };
}

const STATES = new Map<string | null, { readonly word: string; readonly color: ColorName }>([
  ['ok', { word: '● ok', color: 'good' }],
  ['lagging', { word: '! lagging', color: 'warn' }],
  ['disagrees', { word: '! DISAGREES', color: 'bad' }],
  ['down', { word: '! down', color: 'bad' }],
  ['wrong-chain', { word: '! wrong chain', color: 'bad' }],
]);

function nodeLines(nodes: readonly NodeView[], { width, isSpoken }: ServiceContext): readonly Line[] {
  if (nodes.length === 0) return [];
  const { heading, lines } = tableOf({ columns: nodeColumns(nodes), rows: nodes, width }, isSpoken);
  const withMessage = (line: Line, place: number): readonly Line[] => {
    const said = nodeWords(nodes[place]);
    if (said === '') return [line];
    const words = faint(`  ${said}`);
    return lineWidth([...line, words]) < width ? [[...line, words]] : [line, indented([words])];
  };
  return [heading, ...lines.flatMap(withMessage)];
}

const nodeWords = ({ state, message, notes }: Partial<NodeView> = {}) =>
  [...(state === 'ok' ? [] : [message]), ...(notes ?? [])].filter(Boolean).join('; ');

function nodeMessage(node: NodeView, width: number): readonly Line[] {
  const words = nodeWords(node);
  return words === '' ? [] : hangingLines(indented([plain(`${node.name}: `)]), words, width);
}

function nodeColumns(nodes: readonly NodeView[]): readonly TableColumn<NodeView>[] {
  const highest = Math.max(...nodes.map(({ head }) => head ?? 0));
  return [
    leftColumn('node', 14, 0, ({ name }) => name),
    leftColumn('state', 11, 0, ({ state, head, message }): Line => {
      // A standby does not poll its nodes, so their state is unknown.
      if (head === null && message?.startsWith('not asked')) return [faint('not asked')];
      const { word, color } = STATES.get(state) ?? { word: state ?? UNKNOWN, color: undefined };
      return [{ text: word, color, bold: color !== undefined && state !== 'ok' }];
    }),
    rightColumn('head', 6, 1, ({ head }) => known(head, formatCount)),
    // The lag of an unavailable node is unknown.
    rightColumn('behind', 6, 3, ({ head, state }) =>
      known(state === 'down' ? null : head, (own) => formatCount(highest - own)),
    ),
    rightColumn('latency', 7, 2, ({ latencyMs }) =>
      known(latencyMs, (ms) => (ms < 10_000 ? `${formatCount(ms)} ms` : formatDuration(ms / 1_000))),
    ),
  ];
}

const BAR_CELLS = 20;
const NEARLY_USED = 0.9;

function quotaLines(context: ServiceContext): readonly Line[] {
  const { limits, isOwn, now, width } = context;
  if (isOwn) return [];
  const late = stateOf('limits', limits, context, 'not known');
  if (limits.data === undefined) return [partTitle('Quota', late[0])];
  const { plan, dailyLimit, remainingToday: left, perSecond, resetsAt, usedToday } = limits.data;
  const used = usedToday ?? (dailyLimit !== null && left !== null ? dailyLimit - left : null);
  const count = used === null ? null : formatCount(used);
  const limit = dailyLimit === null ? null : formatCount(dailyLimit);
  const phrases = [
    plan && `plan ${plan}`,
    limit === null ? 'no daily limit' : count === null && `${limit} a day`,
    count && (limit === null ? `${count} asked today` : `${count} of ${limit} today`),
    perSecond !== null && `${formatCount(perSecond)} per second`,
  ];
  const share = used === null || !dailyLimit ? null : Math.min(used / dailyLimit, 1);
  const isHigh = share !== null && share >= NEARLY_USED;
  const usedText = share === null ? '' : ` ${formatPercent(share).padStart(5)} used${isHigh ? ' !' : ''}  `;
  const resets = resetsAt === null ? '' : `resets in ${formatDuration((resetsAt - now) / 1_000)}`;
  const shareLine: Line = share === null ? [] : bar(share, BAR_CELLS, isHigh ? 'bad' : 'accent');
  return [
    ...phraseLines('Quota', phrases, width),
    ...(limit === null ? [] : [indented([...shareLine, plain(`${usedText}${resets}`)])]),
    ...late.map(indented),
  ];
}

const FRESH_SEC = 60;

function marketLines(context: ServiceContext): readonly Line[] {
  const { snapshot, symbol, day, month, now, width, isSpoken } = context;
  const end = snapshot.blockTimestamp ?? now;
  // A history younger than a day is covered by the day's figures.
  const isYoung =
    day.data?.base != null && month.data && !fillsFrame(reachedSec(month.data.from, end), DAY_SEC);
  const shown = isYoung ? [day] : [day, month];
  const rows = shown.flatMap(({ data }) =>
    data === undefined ? [] : statsRows(data, reachedSec(data.from, end), Number(snapshot.baseFee)),
  );
  const { heading, lines } = tableOf({ columns: STATS_COLUMNS, rows, width }, isSpoken);
  const { nativeUsd = snapshot.nativeUsd } = day.data ?? month.data ?? {};
  const change = day.data?.nativeUsdChangeRatio ?? null;
  const hour = month.data?.cheapestHourUtc ?? day.data?.cheapestHourUtc ?? null;
  // The age of stale figures: `24h 2m, 30d 4m ago`. An error has its own line.
  const ages = shown.flatMap(({ data, at, error }) => {
    const sec = (now - at) / 1_000;
    if (data === undefined || error !== null || sec <= FRESH_SEC) return [];
    return [`${data.timeFrame} ${formatSpan(sec)}`];
  });
  const isMadeUp = snapshot.source.kind === 'simulated' ? ', simulated' : '';
  const changed = change === null ? '' : ` ${formatChange(change)}`;
  const phrases = [
    nativeUsd === null
      ? `no ${symbol} price in dollars`
      : `${symbol} ${formatUsd(nativeUsd)}${changed}${isMadeUp}`,
    hour !== null && `cheapest of all days ${clockText(new Date(now).setUTCHours(hour, 0))}`,
    ages.length > 0 && `${ages.join(', ')} ago`,
    shown.some(({ isFilling }) => isFilling) && `history: ${STILL_READ}`,
  ];
  const late = [...stateOf('24h figures', day, context), ...stateOf('30d figures', month, context)];
  return [
    ...phraseLines('Market', phrases, width),
    ...(rows.length === 0 ? [] : [heading, ...lines]),
    ...late.map(indented),
  ];
}

type StatsRow = ReturnType<typeof statsRows>[number];

function statsRows(market: MarketView, sec: number, now: number) {
  const { base, volatility, timeFrame } = market;
  if (base === null) return [];
  return [{ ...statsAt(base, now), name: spanOf(sec, timeFrame), volatility }];
}

const price = (id: 'now' | 'min' | 'p10' | 'median' | 'mean' | 'p90' | 'max', rank: number) =>
  rightColumn<StatsRow>(id, 7, rank, (row) => known(row[id], formatGwei));

const STATS_COLUMNS: readonly TableColumn<StatsRow>[] = [
  leftColumn('gwei', 6, 0, ({ name }) => name),
  price('now', 1),
  price('min', 2),
  price('p10', 8),
  price('median', 4),
  price('mean', 5),
  price('p90', 9),
  price('max', 3),
  rightColumn('change', 8, 7, ({ changeRatio }) => known(changeRatio, formatChange)),
  rightColumn('± of mean', 9, 6, (row) => known(row.volatility, (ratio) => `±${formatPercent(ratio)}`)),
];

function workLines(context: ServiceContext, isWhole: boolean): readonly Line[] {
  const { snapshot, day, month, symbol, width, isSpoken } = context;
  const actions = (day.data ?? month.data)?.actions ?? [];
  // While figures are loading or refused, the market's own lines say so.
  if (actions.length === 0)
    return day.data === undefined
      ? []
      : [sectionLine('Usual work', [faint('the service does not price it')])];
  const rows = workRows(actions, isSpoken).filter(({ rank }) => isWhole || rank < 2);
  const { heading, lines } = tableOf({ columns: workColumns(snapshot, symbol), rows, width }, isSpoken);
  return [heading, ...lines];
}

type RecordContext = Pick<ServiceContext, 'recommendation' | 'status' | 'now' | 'isPast' | 'width'>;

export function recordLines(context: RecordContext): readonly Line[] {
  const { recommendation, status, width } = context;
  const late = stateOf('advice', recommendation, context);
  if (recommendation.data === undefined) return [partTitle('Advice', late[0])];
  if (isOutdated(status)) return [partTitle('Advice', [faint('not stated while prices are stale')])];
  const { track } = recommendation.data;
  const none = track === null ? 'the service does not judge its own advice' : 'no advice has come due yet';
  const [record = none, ...waits] = track === null ? [] : recordTexts(track);
  return [
    ...phraseLines('Advice', [record], width),
    ...waits.flatMap((text) => phraseLines('', [text], width)),
    ...late.map(indented),
  ];
}

function summaryLines(context: ServiceContext): readonly Line[] {
  const { summary, symbol, width } = context;
  if (summary.data === undefined) {
    // The source's own lines give the reason.
    return summary.error === null ? [partTitle('Summary', stateOf('summary', summary, context)[0])] : [];
  }
  const { alerts, autoTxs, savings } = summary.data;
  const armed = alerts.pending === null ? '' : `, ${formatCount(alerts.pending)} on`;
  const fired = alerts.fired24h === null ? '' : `, ${formatCount(alerts.fired24h)} fired in 24h`;
  const states = statesOf(autoTxs.byStatus).join(', ');
  const phrases = [
    alerts.total === 0 && 'no alerts yet',
    alerts.total && `${counted(alerts.total, 'alert')}${armed}${fired}`,
    autoTxs.total === 0 && 'no auto-txs yet',
    autoTxs.total && `${counted(autoTxs.total, 'auto-tx')}${states === '' ? '' : ` (${states})`}`,
    ...savingPhrases(savings, symbol),
  ];
  if (phrases.some(isSaid)) return phraseLines('Summary', phrases, width);
  return [partTitle('Summary', [faint('the service counts no alerts, auto-txs or savings')])];
}

/** Savings of auto-txs are facts, those of alerts estimates. */
function savingPhrases({ alerts, autoTxs, ...all }: DashboardView['savings'], symbol: string): string[] {
  const saved = (of: { readonly savedWei: bigint; readonly savedUsd: number | null }) =>
    `${formatSavedNative(of.savedWei, symbol)}${of.savedUsd === null ? '' : ` (${formatSavedUsd(of.savedUsd)})`}`;
  const { events, savedWei, savedUsd } = all;
  if (events === 0) return ['nothing saved yet'];
  if (alerts === null || autoTxs === null)
    return savedWei === null ? [] : [`saved ${saved({ savedWei, savedUsd })}`];
  return [
    ...(autoTxs.savedWei !== 0n || alerts.savedWei === 0n
      ? [`auto-txs saved ${saved(autoTxs)} against their creation`]
      : []),
    ...(alerts.savedWei === 0n ? [] : [`alerts could have saved ${saved(alerts)} against the 24h means`]),
  ];
}

/** Upcoming statuses first, then failures; unknown ones in between. */
const WEIGHTS = 'pending submitted failed draft disabled other executed expired cancelled'.split(' ');

function statesOf(byStatus: Readonly<Record<string, number>>): readonly string[] {
  const weightOf = (status: string) => WEIGHTS.indexOf(WEIGHTS.includes(status) ? status : 'other');
  return Object.entries(byStatus)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => ({ status: status.toLowerCase(), count }))
    .sort((one, other) => weightOf(one.status) - weightOf(other.status))
    .map(({ status, count }) => `${formatCount(count)} ${status === 'pending' ? 'waiting' : status}`);
}

/** How the service calls itself, and how much of v1 it lacks. */
function routesLines({ isOwn, description: own, width }: ServiceContext): readonly Line[] {
  if (isOwn) return [];
  if (own === undefined) return [partTitle('API', [faint('loading description …')])];
  if (own === null) return [partTitle('API', [faint('the service does not describe itself')])];
  const has = new Set(own.routes.map(({ method, path }) => `${method} ${path}`));
  const lacks = V1_ROUTES.filter(({ method, path }) => !has.has(`${method} ${path}`));
  // A group without any route is named as a whole.
  const isWhole = (group: (typeof ROUTE_GROUPS)[number]) =>
    V1_ROUTES.every((route) => route.group !== group || lacks.includes(route));
  const whole = ROUTE_GROUPS.filter(isWhole);
  const single = lacks.filter(({ group }) => !isWhole(group)).length;
  const without = [
    ...whole,
    ...(single === 0 ? [] : [`${counted(single, 'route')} that gastop doctor names`]),
  ];
  const named = own.version && `version ${own.version}`;
  const about = [own.title, named, without.length > 0 && `without ${without.join(', ')}`];
  return phraseLines('API', [about.filter((part) => part).join(', ')], width);
}
