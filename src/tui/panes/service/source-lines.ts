import type { EngineView, NodeView } from '../../../client/views/dashboard.ts';
import { formatAge, formatCount, formatDuration, formatPercent, UNKNOWN } from '../../../core/units.ts';
import { sectionLine } from '../../ui/fact-list.tsx';
import { columnsWithin, columnWidths, headingLine, rowLine, type TableColumn } from '../../ui/table.ts';
import { EMPTY_LINE, type Line, lineWidth } from '../../ui/text.tsx';
import type { ColorName, Theme } from '../../ui/theme.ts';
import { clockText, dayText, zoneText } from '../../ui/time.ts';
import type { Part, ServiceContext, ServiceView } from './use-service.ts';

/**
 * What stands where a part has no data, or beside data that is old; `null`: it is there and fresh.
 *
 * @param lacking what is said where it is not there, if `no ` + `what` could be taken for the answer
 */
export function partLine<T>(
  what: string,
  { value, at, problem, retryAt }: Part<T>,
  now: number,
  lacking = `no ${what}`,
): Line | null {
  if (problem !== null) {
    const since = value === null || at === null ? lacking : `as of ${formatAge((now - at) / 1_000)}`;
    const sec = retryAt === null ? null : Math.max(Math.ceil((retryAt - now) / 1_000), 0);
    const next = sec === null || value === null ? '' : `, next try in ${formatDuration(sec)}`;
    return [{ text: `${since}${next}: ${problem}`, faint: true }];
  }
  return value === null ? [{ text: `loading ${what} …`, faint: true }] : null;
}

const TITLE_ROOM = 'Summary'.length;

/** The first line of a part; what follows the titles stands in one column. */
export function partTitle(title: string, rest: Line = EMPTY_LINE): Line {
  return sectionLine(title.padEnd(TITLE_ROOM), rest);
}

const BAR_CELLS = 20;
const NEARLY_USED = 0.9;

/** What the key may still ask. The service in this process has no limit. */
export function quotaLines({ limits, isOwn }: ServiceView, context: ServiceContext): readonly Line[] {
  if (isOwn) return [];
  const missing = partLine('limits', limits, context.now, 'not known');
  const known = limits.value;
  if (known === null) return [partTitle('Quota', missing ?? [])];
  const { plan, dailyLimit, usedToday, remainingToday, perSecond, resetsAt } = known;
  const rate = perSecond === null ? '' : `${formatCount(perSecond)} per second`;
  const named = plan === null ? '' : `plan ${plan}`;
  const used =
    usedToday ?? (dailyLimit !== null && remainingToday !== null ? dailyLimit - remainingToday : null);
  const late = missing === null ? [] : [[{ text: '   ' }, ...missing]];
  if (dailyLimit === null) {
    const asked = used === null ? '' : `${formatCount(used)} asked today`;
    return [partTitle('Quota', joined([named, 'no daily limit', asked, rate])), ...late];
  }
  const share = used === null || dailyLimit === 0 ? null : Math.min(used / dailyLimit, 1);
  const resets = resetsAt === null ? '' : `resets in ${formatDuration((resetsAt - context.now) / 1_000)}`;
  const count =
    used === null
      ? `${formatCount(dailyLimit)} a day`
      : `${formatCount(used)} of ${formatCount(dailyLimit)} today`;
  return [
    partTitle('Quota', joined([named, count, rate])),
    [{ text: '   ' }, ...(share === null ? [] : usedBar(share, context)), { text: resets }],
    ...late,
  ];
}

function joined(parts: readonly string[]): Line {
  return [{ text: parts.filter((part) => part !== '').join('  ') }];
}

function usedBar(share: number, { theme }: ServiceContext): Line {
  const full = Math.round(share * BAR_CELLS);
  const { barFull, barEmpty, warning } = theme.glyph;
  const high = share >= NEARLY_USED;
  return [
    { text: barFull.repeat(full), color: high ? 'bad' : 'accent' },
    { text: barEmpty.repeat(BAR_CELLS - full), faint: true },
    { text: ` ${formatPercent(share).padStart(5)} used${high ? ` ${warning}` : ''}  ` },
  ];
}

const INDENT = 3;

/** Where the data comes from: how old its head is, and every node that stands behind it. */
export function sourceLines(view: ServiceView, context: ServiceContext): readonly Line[] {
  const { snapshot, summary } = view;
  const health = summary.value?.health ?? null;
  const nodes = health?.nodes ?? [];
  const missing = partLine('health', summary, context.now);
  const disagreeing = nodes.filter(({ state }) => state === 'disagrees').length;
  return [
    sourceTitle(view, context),
    ...(missing === null ? [] : [indented(missing)]),
    ...restartLines(snapshot.source.restartedAt, context),
    ...(disagreeing === 0 ? [] : [disagreement(disagreeing, nodes.length, context.theme)]),
    ...(nodes.length > 0
      ? nodeLines(nodes, context)
      : health === null
        ? []
        : [indented([{ text: NO_NODES[snapshot.source.kind], faint: true }])]),
    ...engineLines(health?.engine ?? null, context),
  ];
}

/** Whoever misses what was here before the chain began anew finds why. */
function restartLines(restartedAt: number | null, { now }: ServiceContext): readonly Line[] {
  if (restartedAt === null) return [];
  const when = formatAge(Math.max(0, now - restartedAt) / 1_000);
  return [
    indented([{ text: `the chain began anew ${when}: its history from before is dropped`, color: 'warn' }]),
  ];
}

/** Where alerts fire, if not in the process that answers. */
function engineLines(engine: EngineView | null, { now }: ServiceContext): readonly Line[] {
  if (engine === null || engine.process === null || engine.isHere) return [];
  const { process, since } = engine;
  const duration = since === null ? '' : ` for ${formatDuration(Math.max(0, now - since) / 1_000)}`;
  const program = process.replace(/, process \d+$/, '');
  return [indented([{ text: `alerts fire in another process (${program})${duration}`, faint: true }])];
}

/** What kind of source it is, its name and how old its head is. */
export function sourceTitle({ snapshot, summary }: ServiceView, context: ServiceContext): Line {
  const name = snapshot.source.name;
  const lag = summary.value?.health.lagBlocks ?? null;
  const { at } = summary;
  return partTitle('Source', [
    { text: KINDS[snapshot.source.kind], faint: true },
    { text: name },
    { text: headText(snapshot.source.kind, snapshot.blockTimestamp ?? snapshot.updatedAt, context) },
    ...(lag === null || lag === 0
      ? []
      : [
          {
            text: `  ${formatCount(lag)} ${lag === 1 ? 'block' : 'blocks'} to catch up`,
            color: 'warn' as const,
          },
        ]),
    { text: at === null ? '' : `  as of ${formatAge((context.now - at) / 1_000)}`, faint: true },
  ]);
}

const KINDS = {
  rpc: '',
  replay: 'recording ',
  simulated: 'simulation ',
  service: 'service ',
} as const;

const NO_NODES = {
  rpc: 'the service does not tell of its nodes',
  replay: 'a recording has no nodes',
  simulated: 'a simulation has no nodes',
  service: 'the service does not tell of its nodes',
} as const;

const indented = (line: Line): Line => [{ text: ' '.repeat(INDENT) }, ...line];

function headText(kind: string, at: number | null, { now, offsetAt }: ServiceContext): string {
  if (at === null) return '';
  if (kind === 'replay') {
    return `  its head is of ${dayText(at, offsetAt)} ${clockText(at, offsetAt)} ${zoneText(offsetAt(at))}`;
  }
  return `  head ${formatAge((now - at) / 1_000)}`;
}

/** The one thing here that must not be overlooked: nobody knows which of them tells the truth. */
function disagreement(count: number, of: number, { glyph }: Theme): Line {
  const who = count === 1 ? '1 node DISAGREES' : `${count} nodes DISAGREE`;
  return [
    {
      text: `   ${glyph.warning} ${who} with the other${of - count === 1 ? '' : 's'}: do not trust it before you know why`,
      color: 'bad',
      bold: true,
    },
  ];
}

function nodeLines(nodes: readonly NodeView[], context: ServiceContext): readonly Line[] {
  const { theme, width } = context;
  const all = nodeColumns(nodes, theme);
  const widths = columnWidths(all, nodes, theme);
  const columns = columnsWithin(all, widths, width - INDENT - 1);
  const lines = nodes.flatMap((node): Line[] => {
    const line = indented(rowLine(columns, widths, theme, node));
    const { message } = node;
    // A node that is well says nothing of note.
    if (message === null || message === '' || node.state === 'ok') return [line];
    const words = { text: message, faint: true };
    if (lineWidth(line) + 2 + message.length <= width - 1) return [[...line, { text: '  ' }, words]];
    return [line, indented([{ text: '  ' }, words])];
  });
  return [indented(headingLine(columns, widths, theme)), ...lines];
}

const STATES = new Map<string, { readonly word: string; readonly color: ColorName; readonly live: boolean }>([
  ['ok', { word: 'ok', color: 'good', live: true }],
  ['lagging', { word: 'lagging', color: 'warn', live: false }],
  ['disagrees', { word: 'DISAGREES', color: 'bad', live: false }],
  ['down', { word: 'down', color: 'bad', live: false }],
  ['wrong-chain', { word: 'wrong chain', color: 'bad', live: false }],
]);

function nodeColumns(nodes: readonly NodeView[], { glyph }: Theme): readonly TableColumn<NodeView>[] {
  const highest = nodes.reduce((head, node) => Math.max(head, node.head ?? 0), 0);
  return [
    { id: 'node', heading: 'node', align: 'left', least: 14, rank: 0, cell: ({ name }) => name },
    {
      id: 'state',
      heading: 'state',
      align: 'left',
      least: 11,
      rank: 0,
      cell: ({ state }): Line => {
        const known = STATES.get(state ?? '');
        if (known === undefined) return [{ text: state ?? UNKNOWN }];
        const mark = known.live ? glyph.live : glyph.warning;
        return [{ text: `${mark} ${known.word}`, color: known.color, bold: !known.live }];
      },
    },
    {
      id: 'head',
      heading: 'head',
      align: 'right',
      least: 6,
      rank: 1,
      cell: ({ head }) => (head === null ? UNKNOWN : formatCount(head)),
    },
    {
      id: 'behind',
      heading: 'behind',
      align: 'right',
      least: 6,
      rank: 3,
      // What is down is behind by nobody knows how much.
      cell: ({ head, state }) => (head === null || state === 'down' ? UNKNOWN : formatCount(highest - head)),
    },
    {
      id: 'latency',
      heading: 'latency',
      align: 'right',
      least: 7,
      rank: 2,
      cell: ({ latencyMs }) => latencyText(latencyMs),
    },
  ];
}

function latencyText(ms: number | null): string {
  if (ms === null) return UNKNOWN;
  return ms < 10_000 ? `${formatCount(Math.round(ms))} ms` : formatDuration(ms / 1_000);
}
