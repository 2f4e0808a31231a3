import type { ServiceDescription } from '../../../client/openapi.ts';
import type {
  DashboardView,
  MarketView,
  NodeView,
  RateLimitsView,
  StatsView,
} from '../../../client/views/dashboard.ts';
import { keptWords, type RecommendationView } from '../../../client/views/gas.ts';
import { ROUTE_GROUPS, V1_ROUTES } from '../../../contract/routes.ts';
import {
  formatAge,
  formatChange,
  formatCount,
  formatDuration,
  formatGwei,
  formatNative,
  formatPercent,
  formatUsd,
  MINUS,
  UNKNOWN,
} from '../../../core/units.ts';
import { useNow } from '../../app/clock.ts';
import { useKeptState } from '../../app/ui-state.ts';
import {
  type Polled,
  useMarket,
  useMonitor,
  useMonitorQuery,
  useRecommendation,
} from '../../data/queries.ts';
import { sectionLine } from '../../ui/fact-list.tsx';
import { type PaneContext, usePane, useRoom } from '../../ui/pane-context.tsx';
import { missingReason, nextTry } from '../../ui/pane-state.tsx';
import { ScrolledLines } from '../../ui/scroll.tsx';
import { known, leftColumn, rightColumn, type TableColumn, tableOf } from '../../ui/table.ts';
import { bar, bold, colored, EMPTY_LINE, faint, flow, type Line, lineWidth, plain } from '../../ui/text.tsx';
import { type ColorName, DimContext, useDim } from '../../ui/theme.ts';
import { clockText, dayText, fillsFrame, offsetAt, wholeSpan, zoneText } from '../../ui/time.ts';
import { workColumns } from '../work-table.ts';

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

export type Part<T> = Pick<Polled<T>, 'data' | 'at' | 'error' | 'retryAt'>;

export interface ServiceContext extends PaneContext {
  readonly now: number;
  readonly isOwn: boolean;
  /** The frame already says why the data is stale. */
  readonly isPast: boolean;
  readonly summary: Part<DashboardView>;
  readonly limits: Part<RateLimitsView>;
  readonly day: Part<MarketView>;
  readonly month: Part<MarketView>;
  readonly recommendation: Part<RecommendationView>;
  /** Its value is `null` when the service has no description. */
  readonly description: Part<ServiceDescription | null>;
}

export function stateOf(
  what: string,
  { data, at, error, retryAt }: Part<unknown>,
  { now, isPast }: Pick<ServiceContext, 'now' | 'isPast'>,
  lacking = `no ${what}`,
): readonly Line[] {
  if (error === null) return data === undefined ? [[faint(`loading ${what} …`)]] : [];
  const problem = missingReason(error, isPast);
  if (data === undefined) return [[faint(`${lacking}: ${problem}`)]];
  const next = nextTry(retryAt, now);
  return [[faint(`as of ${formatAge((now - at) / 1_000)}${next === null ? '' : `, ${next}`}: ${problem}`)]];
}

const TITLE_ROOM = 'Summary'.length;
const MARGIN = 3;

export const indented = (line: Line): Line => [plain(' '.repeat(MARGIN)), ...line];

export function partTitle(title: string, rest: Line = EMPTY_LINE): Line {
  return sectionLine(title.padEnd(TITLE_ROOM), rest);
}

export function phraseLines(title: string, phrases: readonly string[], width: number): readonly Line[] {
  const lines = flow(
    phrases.map((text) => [{ text }]),
    width - TITLE_ROOM - MARGIN + 1,
    { most: Number.POSITIVE_INFINITY, gap: 1 },
  );
  return lines.map(([, ...spans], place) =>
    partTitle(
      place === 0 ? title : '',
      spans.map((span) => ({ ...span, faint: place > 0 })),
    ),
  );
}

const BAR_CELLS = 20;
const NEARLY_USED = 0.9;

export function quotaLines(context: ServiceContext): readonly Line[] {
  const { limits, isOwn, now } = context;
  if (isOwn) return [];
  const late = stateOf('limits', limits, context, 'not known');
  if (limits.data === undefined) return [partTitle('Quota', late[0])];
  const { plan, dailyLimit: limit, remainingToday: left, perSecond, resetsAt, usedToday } = limits.data;
  const used = usedToday ?? (limit !== null && left !== null ? limit - left : null);
  const daily =
    limit === null
      ? ['no daily limit', ...(used === null ? [] : [`${formatCount(used)} asked today`])]
      : [
          used === null
            ? `${formatCount(limit)} a day`
            : `${formatCount(used)} of ${formatCount(limit)} today`,
        ];
  const words = [
    ...(plan === null ? [] : [`plan ${plan}`]),
    ...daily,
    ...(perSecond === null ? [] : [`${formatCount(perSecond)} per second`]),
  ];
  const share = used === null || limit === null || limit === 0 ? null : Math.min(used / limit, 1);
  const resets = resetsAt === null ? '' : `resets in ${formatDuration((resetsAt - now) / 1_000)}`;
  return [
    partTitle('Quota', [plain(words.join('  '))]),
    ...(limit === null ? [] : [indented([...(share === null ? [] : usedBar(share)), plain(resets)])]),
    ...late.map(indented),
  ];
}

function usedBar(share: number): Line {
  const isHigh = share >= NEARLY_USED;
  return [
    ...bar(share, BAR_CELLS, isHigh ? 'bad' : 'accent'),
    plain(` ${formatPercent(share).padStart(5)} used${isHigh ? ' !' : ''}  `),
  ];
}

const KINDS = { rpc: '', replay: 'recording ', simulated: 'simulation ', service: 'service ' } as const;
const NO_NODES = {
  rpc: 'the service does not tell of its nodes',
  replay: 'a recording has no nodes',
  simulated: 'a simulation has no nodes',
  service: 'the service does not tell of its nodes',
} as const;

export function sourceTitle({ snapshot, summary, now }: ServiceContext): readonly Line[] {
  const { kind, name } = snapshot.source;
  const head = snapshot.blockTimestamp ?? snapshot.updatedAt;
  const lag = summary.data?.health.lagBlocks ?? 0;
  const day = (at: number) => `${dayText(at)} ${clockText(at)} ${zoneText(offsetAt(at))}`;
  const headText = (at: number) =>
    kind === 'replay' ? `its head is of ${day(at)}` : `head ${formatAge((now - at) / 1_000)}`;
  const behind: Line = [colored(`${formatCount(lag)} ${lag === 1 ? 'block' : 'blocks'} to catch up`, 'warn')];
  return [
    [bold('Source'), faint(`   ${KINDS[kind]}`), plain(name)],
    ...(head === null ? [] : [[plain(headText(head))]]),
    ...(lag === 0 ? [] : [behind]),
    ...(summary.data === undefined ? [] : [[faint(`as of ${formatAge((now - summary.at) / 1_000)}`)]]),
  ];
}

export function sourceLines(context: ServiceContext): readonly Line[] {
  const { snapshot, summary, now } = context;
  const { kind, restartedAt } = snapshot.source;
  const health = summary.data?.health ?? null;
  const nodes = health?.nodes ?? [];
  const lines = [...stateOf('health', summary, context)];
  if (restartedAt !== null) {
    // Explains why data from before a restart of the chain is gone.
    const when = formatAge(Math.max(0, now - restartedAt) / 1_000);
    lines.push([colored(`the chain began anew ${when}: its history from before is dropped`, 'warn')]);
  }
  const count = nodes.filter(({ state }) => state === 'disagrees').length;
  if (count > 0) {
    // Prominent: it is unknown which of the nodes is right.
    const who = count === 1 ? '1 node DISAGREES' : `${count} nodes DISAGREE`;
    const others = `the other${nodes.length - count === 1 ? '' : 's'}`;
    lines.push([bold(`! ${who} with ${others}: do not trust it before you know why`, 'bad')]);
  }
  if (health !== null && nodes.length === 0) lines.push([faint(NO_NODES[kind])]);
  return [...lines.map(indented), ...nodeLines(nodes, context), ...leaderLines(context)];
}

/** The process that leads on the responding process's database, and whether its blocks have arrived. */
function leaderLines({ summary, now }: ServiceContext): readonly Line[] {
  const { engine = null, lagBlocks = null } = summary.data?.health ?? {};
  if (engine === null || engine.process === null || engine.isHere !== false) return [];
  const { process, since } = engine;
  const lasting = since === null ? '' : ` for ${formatDuration(Math.max(0, now - since) / 1_000)}`;
  const behind = lagBlocks ? `${formatCount(lagBlocks)} behind` : 'in step';
  const who = process.replace(/, process \d+$/, '');
  return [indented([faint(`${who} leads${lasting}: it asks the nodes; this one is ${behind}`)])];
}

const STATES = new Map<string | null, { readonly word: string; readonly color: ColorName }>([
  ['ok', { word: '● ok', color: 'good' }],
  ['lagging', { word: '! lagging', color: 'warn' }],
  ['disagrees', { word: '! DISAGREES', color: 'bad' }],
  ['down', { word: '! down', color: 'bad' }],
  ['wrong-chain', { word: '! wrong chain', color: 'bad' }],
]);

function nodeLines(nodes: readonly NodeView[], context: ServiceContext): readonly Line[] {
  if (nodes.length === 0) return [];
  const { width } = context;
  const { heading, lines } = tableOf({ columns: nodeColumns(nodes), rows: nodes, width }, context.isSpoken);
  return [
    heading,
    ...lines.flatMap((line, place): readonly Line[] => {
      const { state = null, message = null } = nodes[place] ?? {};
      // A healthy node has no message.
      if (message === null || message === '' || state === 'ok') return [line];
      const words = faint(`  ${message}`);
      const beside: Line = [...line, words];
      return lineWidth(beside) <= width - 1 ? [beside] : [line, indented([words])];
    }),
  ];
}

function nodeColumns(nodes: readonly NodeView[]): readonly TableColumn<NodeView>[] {
  const highest = nodes.reduce((head, node) => Math.max(head, node.head ?? 0), 0);
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
      known(latencyMs, (ms) =>
        ms < 10_000 ? `${formatCount(Math.round(ms))} ms` : formatDuration(ms / 1_000),
      ),
    ),
  ];
}

const MOST_NAMED = 6;

export function routesLines(context: ServiceContext): readonly Line[] {
  const { description, isOwn, width } = context;
  if (isOwn) return [];
  const own = description.data ?? null;
  if (own === null) {
    const none: Line = [faint('the service does not describe itself')];
    return [partTitle('API', stateOf('description', description, context)[0] ?? none)];
  }
  const { title, version, routes } = own;
  const has = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const lacks = V1_ROUTES.filter(({ method, path }) => !has.has(`${method} ${path}`));
  // A group without any route is named as a whole, to leave room for single routes.
  const whole = ROUTE_GROUPS.filter((group) =>
    V1_ROUTES.every((route) => route.group !== group || lacks.includes(route)),
  );
  const single = lacks.filter(({ group }) => !whole.includes(group));
  const named = single.slice(0, MOST_NAMED).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  const more = single.length > MOST_NAMED ? [`and ${single.length - MOST_NAMED} more`] : [];
  const [first, ...rest] = [...whole, ...named, ...more];
  const about = [title, version === null ? null : `version ${version}`].filter((part) => part !== null);
  const phrases = [...about, ...(first === undefined ? [] : [`without ${first}`, ...rest])];
  const apart = phrases.map((phrase, place) => (place < phrases.length - 1 ? `${phrase},` : phrase));
  return phraseLines('API', apart, width);
}

const DAY_SEC = 86_400;
const FRESH_SEC = 60;

interface StatsRow {
  readonly name: string;
  readonly stats: StatsView;
  readonly volatility: number | null;
}

export function marketLines(context: ServiceContext): readonly Line[] {
  const { snapshot, day, month, now, width } = context;
  const young = month.data;
  const end = snapshot.blockTimestamp ?? now;
  const reachSec = ({ from }: MarketView) =>
    from === null ? Number.POSITIVE_INFINITY : (end - from) / 1_000;
  // A history younger than a day is covered by the day's figures.
  const isYoung = day.data?.base != null && young !== undefined && !fillsFrame(reachSec(young), DAY_SEC);
  const shown = isYoung ? [day] : [day, month];
  const rows = shown.flatMap(({ data }) =>
    data === undefined ? [] : statsRows(data, reachSec(data), Number(snapshot.baseFee)),
  );
  const { heading, lines } = tableOf({ columns: STATS_COLUMNS, rows, width }, context.isSpoken);
  const late = [...stateOf('24 h figures', day, context), ...stateOf('30 d figures', month, context)];
  return [
    partTitle('Market', marketWords(context, shown)),
    ...(rows.length === 0 ? [] : [heading, ...lines]),
    ...late.map(indented),
  ];
}

function marketWords(context: ServiceContext, shown: readonly Part<MarketView>[]): Line {
  const { snapshot, symbol, now, width } = context;
  const [day, month] = [context.day.data, context.month.data];
  const usd = (day ?? month)?.nativeUsd ?? snapshot.nativeUsd;
  const change = day?.nativeUsdChangeRatio ?? null;
  const hour = month?.cheapestHourUtc ?? day?.cheapestHourUtc ?? null;
  const price =
    usd === null
      ? faint(`no ${symbol} price in dollars`)
      : plain(`${symbol} ${formatUsd(usd)}${change === null ? '' : ` ${formatChange(change)}`}`);
  // The age of stale figures: `24 h 2m, 30 d 4m ago`. An error has its own line.
  const ages = shown.flatMap(({ data, at, error }) => {
    const sec = data === undefined ? 0 : (now - at) / 1_000;
    if (data === undefined || error !== null || sec <= FRESH_SEC) return [];
    return [`${nameOf(data)} ${formatDuration(Math.floor(sec / 60) * 60)}`];
  });
  const old = ages.length === 0 ? '' : `  ${ages.join(', ')} ago`;
  const cheap = hour === null ? '' : `cheapest ${String(hour).padStart(2, '0')}:00 UTC`;
  const words = hour === null ? [''] : [`  usually ${cheap}`, `  ${cheap}`];
  // On a narrow screen the words get shorter first, then the ages go.
  const lines = [old, ''].flatMap((age) => words.map((text): Line => [price, plain(text), faint(age)]));
  return lines.find((line) => lineWidth(partTitle('Market', line)) <= width) ?? lines.at(-1) ?? [price];
}

function statsRows(market: MarketView, sec: number, now: number): readonly StatsRow[] {
  const { base, volatility, timeFrame } = market;
  if (base === null) return [];
  const { changeRatio: ratio } = base;
  // Against the same `now`; the start of the window is unchanged.
  const changeRatio = ratio === null || base.now === 0 ? ratio : ((1 + ratio) * now) / base.now - 1;
  const stats = { ...base, now, min: Math.min(base.min, now), max: Math.max(base.max, now), changeRatio };
  // A shorter history must not be called by the window's name.
  const isWhole = fillsFrame(sec, timeFrame === '30d' ? 30 * DAY_SEC : DAY_SEC);
  return [{ name: isWhole ? nameOf(market) : wholeSpan(sec), stats, volatility }];
}

function nameOf({ timeFrame }: MarketView): string {
  return timeFrame.replace(/(\d)([a-z])/, '$1 $2');
}

const price = (id: 'now' | 'min' | 'p10' | 'median' | 'mean' | 'p90' | 'max', rank: number) =>
  rightColumn<StatsRow>(id, 7, rank, ({ stats }) => known(stats[id], formatGwei));

const STATS_COLUMNS: readonly TableColumn<StatsRow>[] = [
  leftColumn('gwei', 6, 0, ({ name }) => name),
  price('now', 1),
  price('min', 2),
  price('p10', 8),
  price('median', 4),
  price('mean', 5),
  price('p90', 9),
  price('max', 3),
  rightColumn('change', 8, 7, ({ stats }) => known(stats.changeRatio, (ratio) => formatChange(ratio))),
  rightColumn('volatility', 10, 6, (row) => known(row.volatility, (ratio) => `±${formatPercent(ratio)}`)),
];

export function workLines(context: ServiceContext): readonly Line[] {
  const { snapshot, day, month, symbol, width } = context;
  const actions = (day.data ?? month.data)?.actions ?? [];
  if (actions.length === 0) {
    // While figures are loading or refused, the market's own lines say so.
    if (day.data === undefined) return [];
    return [sectionLine('Usual work', [faint('the service does not price it')])];
  }
  const { heading, lines } = tableOf(
    { columns: workColumns(snapshot, symbol, ''), rows: actions, width },
    context.isSpoken,
  );
  // The headings share the section's line.
  const title = ' Usual work';
  const headings = heading.map(({ text }) => text).join('');
  return [[bold(title), faint(headings.slice(title.length))], ...lines];
}

type RecordContext = Pick<ServiceContext, 'recommendation' | 'snapshot' | 'now' | 'isPast' | 'width'>;

export function recordLines(context: RecordContext): readonly Line[] {
  const { recommendation, snapshot, width } = context;
  const late = stateOf('advice', recommendation, context);
  if (recommendation.data === undefined) return [partTitle('Advice', late[0])];
  // Stale prices have no advice.
  if (snapshot.stale === true) {
    return [partTitle('Advice', [faint('not stated while prices are stale')])];
  }
  const { track } = recommendation.data;
  const record = track === null ? ['the service does not judge its own advice'] : recordPhrases(track);
  return [
    ...phraseLines('Advice', record.length === 0 ? ['no advice has come due yet'] : record, width),
    ...(track === null || record.length === 0 ? [] : phraseLines('', waitRecord(track), width)),
    ...late.map(indented),
  ];
}

type Track = NonNullable<RecommendationView['track']>;

const sharesText = (hit: number, stated: number | null) =>
  `(${formatPercent(hit)}${stated === null ? '' : `, stated ${formatPercent(stated)}`})`;

const versionsText = (versions: readonly number[]) =>
  versions.length > 1 ? [`by versions ${versions.join(', ')} of its method`] : [];

export function recordPhrases(track: Track): readonly string[] {
  const kept = keptWords(track);
  if (kept === null) return [];
  const of = keptOfWords(track);
  return [kept, ...(of === '' ? [] : [of]), sharesText(track.hitRatio ?? 0, track.statedProbability)];
}

/** The record covers the last hundred, once there are as many. */
const FULL = 100;

export function waitRecord({ waits }: Track): readonly string[] {
  if (waits === null || waits.hitRatio === null || waits.evaluated < 1) return [];
  const { evaluated, hitRatio, statedProbability, since, versions } = waits;
  const last = evaluated < FULL ? '' : 'the last ';
  const noun = evaluated === 1 ? 'wait' : 'waits';
  const from = since === null ? '' : ` since ${dayText(since)}`;
  const count = `${Math.round(hitRatio * evaluated)} of ${last}${evaluated} ${noun}${from}`;
  return [`kept ${[count, ...versionsText(versions)].join(', ')} ${sharesText(hitRatio, statedProbability)}`];
}

function keptOfWords({ basis, since, versions, unjudged }: Track): string {
  if (basis === 'walked') return 'on past blocks';
  if (basis !== 'given') return '';
  const want = unjudged === null || unjudged === 0 ? [] : [`${unjudged} not judged for want of blocks`];
  return [...(since === null ? [] : [`since ${dayText(since)}`]), ...versionsText(versions), ...want].join(
    ', ',
  );
}

export function summaryLines(context: ServiceContext): readonly Line[] {
  const { summary, symbol, width } = context;
  if (summary.data === undefined) {
    // The source's own lines give the reason.
    return summary.error === null ? [partTitle('Summary', stateOf('summary', summary, context)[0])] : [];
  }
  const { alerts, autoTxs, savings } = summary.data;
  // A phrase that ends in a blank is separated from the next.
  const phrases: string[] = [];
  if (alerts.total === 0) phrases.push('no alerts yet ');
  else if (alerts.total !== null) {
    const armed = alerts.pending === null ? '' : `, ${formatCount(alerts.pending)} on`;
    const fired = alerts.fired24h === null ? '' : `, ${formatCount(alerts.fired24h)} fired in 24 h`;
    phrases.push(`${counted(alerts.total, 'alert')}${armed}${fired} `);
  }
  if (autoTxs.total === 0) phrases.push('no auto-txs yet ');
  else if (autoTxs.total !== null) {
    const states = statesOf(autoTxs.byStatus);
    const [first, ...more] = states.map((state, at) => `${state}${at < states.length - 1 ? ',' : ') '}`);
    phrases.push(`${counted(autoTxs.total, 'auto-tx')} ${first === undefined ? '' : `(${first}`}`, ...more);
  }
  phrases.push(...savingPhrases(savings, symbol, width));
  if (phrases.length > 0) return phraseLines('Summary', phrases, width);
  return [partTitle('Summary', [faint('the service counts no alerts, auto-txs or savings')])];
}

type Savings = DashboardView['savings'];

function savingPhrases(savings: Savings, symbol: string, width: number): readonly string[] {
  const { alerts, autoTxs, savedWei, savedUsd } = savings;
  if (savings.events === 0) return ['nothing saved yet'];
  if (alerts === null || autoTxs === null) {
    return savedWei === null ? [] : [`saved ${amountText(savedWei, savedUsd, symbol)}`];
  }
  // Savings of auto-txs are facts, those of alerts estimates: shown together.
  const [fact, guess] = [autoTxs, alerts].map((of) => amountText(of.savedWei, of.savedUsd, symbol));
  const parts = [
    ...(autoTxs.savedWei !== 0n || alerts.savedWei === 0n ? [`auto-txs saved ${fact}`] : []),
    ...(alerts.savedWei === 0n ? [] : [`alerts could have saved ${guess}`]),
  ];
  const together = parts.join('  ');
  return together.length < width - 12 ? [together] : parts;
}

function amountText(wei: bigint, usd: number | null, symbol: string): string {
  const sign = wei < 0n ? MINUS : '';
  const dollars = usd === null ? '' : ` (${sign}${formatUsd(Math.abs(usd))})`;
  return `${sign}${formatNative(wei < 0n ? -wei : wei, symbol)}${dollars}`;
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

function counted(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}
