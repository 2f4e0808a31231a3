import type { NodeView } from '../../../client/views/dashboard.ts';
import { ROUTE_GROUPS, V1_ROUTES } from '../../../contract/routes.ts';
import { formatAge, formatCount, formatDuration, formatPercent, UNKNOWN } from '../../../core/units.ts';
import { known, leftColumn, rightColumn, type TableColumn, tableOf } from '../../ui/table.ts';
import { bar, bold, colored, faint, type Line, lineWidth, plain } from '../../ui/text.tsx';
import type { ColorName } from '../../ui/theme.ts';
import { clockText, dayText, zoneText } from '../../ui/time.ts';
import { indented, partTitle, phraseLines, type ServiceContext, stateOf } from './service-parts.ts';

const BAR_CELLS = 20;
const NEARLY_USED = 0.9;

/** The key's remaining quota. The embedded service has no limit. */
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

/** Kind and name of the source, and the age of its head. */
export function sourceTitle({ snapshot, summary, now, offsetAt }: ServiceContext): readonly Line[] {
  const { kind, name } = snapshot.source;
  const head = snapshot.blockTimestamp ?? snapshot.updatedAt;
  const lag = summary.data?.health.lagBlocks ?? 0;
  const day = (at: number) => `${dayText(at, offsetAt)} ${clockText(at, offsetAt)} ${zoneText(offsetAt(at))}`;
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

/** Facts about the source, and every node behind it. */
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
  const { heading, lines } = tableOf({ columns: nodeColumns(nodes), rows: nodes, width }, context);
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

/** The service's description: title and version, and missing routes of v1. The embedded one has all. */
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
