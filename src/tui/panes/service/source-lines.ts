import type { NodeView } from '../../../client/views/dashboard.ts';
import { formatAge, formatCount, formatDuration, formatPercent, UNKNOWN } from '../../../core/units.ts';
import { leftColumn, rightColumn, type TableColumn, tableOf } from '../../ui/table.ts';
import { type Line, lineWidth } from '../../ui/text.tsx';
import type { ColorName, Theme } from '../../ui/theme.ts';
import { clockText, dayText, zoneText } from '../../ui/time.ts';
import { indented, partLine, partTitle, type ServiceContext } from './service-parts.ts';

const BAR_CELLS = 20;
const NEARLY_USED = 0.9;

/** What the key may still ask. The service in this process has no limit. */
export function quotaLines({ limits, isOwn, now, theme }: ServiceContext): readonly Line[] {
  if (isOwn) return [];
  const missing = partLine('limits', limits, now, 'not known');
  if (limits.value === null) return [partTitle('Quota', missing ?? [])];
  const { plan, dailyLimit: limit, remainingToday: left, perSecond, resetsAt } = limits.value;
  const used = limits.value.usedToday ?? (limit !== null && left !== null ? limit - left : null);
  const ofLimit =
    limit === null ? '' : used === null ? `${formatCount(limit)} a day` : ` of ${formatCount(limit)} today`;
  const words = [
    plan === null ? '' : `plan ${plan}`,
    limit === null ? 'no daily limit' : used === null ? ofLimit : `${formatCount(used)}${ofLimit}`,
    limit === null && used !== null ? `${formatCount(used)} asked today` : '',
    perSecond === null ? '' : `${formatCount(perSecond)} per second`,
  ];
  const title = partTitle('Quota', [{ text: words.filter((word) => word !== '').join('  ') }]);
  const late = missing === null ? [] : [indented(missing)];
  if (limit === null) return [title, ...late];
  const share = used === null || limit === 0 ? null : Math.min(used / limit, 1);
  const resets = resetsAt === null ? '' : `resets in ${formatDuration((resetsAt - now) / 1_000)}`;
  return [title, indented([...(share === null ? [] : usedBar(share, theme)), { text: resets }]), ...late];
}

function usedBar(share: number, { glyph }: Theme): Line {
  const full = Math.round(share * BAR_CELLS);
  const isHigh = share >= NEARLY_USED;
  return [
    { text: glyph.barFull.repeat(full), color: isHigh ? 'bad' : 'accent' },
    { text: glyph.barEmpty.repeat(BAR_CELLS - full), faint: true },
    { text: ` ${formatPercent(share).padStart(5)} used${isHigh ? ` ${glyph.warning}` : ''}  ` },
  ];
}

const KINDS = { rpc: '', replay: 'recording ', simulated: 'simulation ', service: 'service ' } as const;
const NO_NODES = {
  rpc: 'the service does not tell of its nodes',
  replay: 'a recording has no nodes',
  simulated: 'a simulation has no nodes',
  service: 'the service does not tell of its nodes',
} as const;

/** What kind of source it is, its name and how old its head is. */
export function sourceTitle({ snapshot, summary, now, offsetAt }: ServiceContext): readonly Line[] {
  const { kind, name } = snapshot.source;
  const head = snapshot.blockTimestamp ?? snapshot.updatedAt;
  const lag = summary.value?.health.lagBlocks ?? 0;
  const day = (at: number) => `${dayText(at, offsetAt)} ${clockText(at, offsetAt)} ${zoneText(offsetAt(at))}`;
  const headText = (at: number) =>
    kind === 'replay' ? `its head is of ${day(at)}` : `head ${formatAge((now - at) / 1_000)}`;
  const behind = `${formatCount(lag)} ${lag === 1 ? 'block' : 'blocks'} to catch up`;
  const since = summary.at === null ? null : `as of ${formatAge((now - summary.at) / 1_000)}`;
  return [
    [{ text: 'Source', bold: true }, { text: `   ${KINDS[kind]}`, faint: true }, { text: name }],
    ...(head === null ? [] : [[{ text: headText(head) }]]),
    ...(lag === 0 ? [] : [[{ text: behind, color: 'warn' } as const]]),
    ...(since === null ? [] : [[{ text: since, faint: true }]]),
  ];
}

/** What is to be known of where the data comes from, and every node that stands behind it. */
export function sourceLines(context: ServiceContext): readonly Line[] {
  const { snapshot, summary, now, theme } = context;
  const { kind, restartedAt } = snapshot.source;
  const health = summary.value?.health ?? null;
  const nodes = health?.nodes ?? [];
  const lines: Line[] = [];
  const missing = partLine('health', summary, now);
  if (missing !== null) lines.push(missing);
  if (restartedAt !== null) {
    // Says why what was here before the chain began anew is gone.
    const when = formatAge(Math.max(0, now - restartedAt) / 1_000);
    lines.push([{ text: `the chain began anew ${when}: its history from before is dropped`, color: 'warn' }]);
  }
  const count = nodes.filter(({ state }) => state === 'disagrees').length;
  if (count > 0) {
    // This must not be overlooked: it is not known which of the nodes is right.
    const who = count === 1 ? '1 node DISAGREES' : `${count} nodes DISAGREE`;
    const others = `the other${nodes.length - count === 1 ? '' : 's'}`;
    const text = `${theme.glyph.warning} ${who} with ${others}: do not trust it before you know why`;
    lines.push([{ text, color: 'bad', bold: true }]);
  }
  if (health !== null && nodes.length === 0) lines.push([{ text: NO_NODES[kind], faint: true }]);
  return [...lines.map(indented), ...nodeLines(nodes, context), ...leaderLines(context)];
}

/** Which other process leads on the database of the one that answers, and whether this one has its blocks. */
function leaderLines({ summary, now }: ServiceContext): readonly Line[] {
  const { engine = null, lagBlocks = null } = summary.value?.health ?? {};
  if (engine === null || engine.process === null || engine.isHere !== false) return [];
  const who = engine.process.replace(/, process \d+$/, '');
  const lasting =
    engine.since === null ? '' : ` for ${formatDuration(Math.max(0, now - engine.since) / 1_000)}`;
  const behind = lagBlocks ? `${formatCount(lagBlocks)} behind` : 'in step';
  const text = `${who} leads${lasting}: it asks the nodes; this one is ${behind}`;
  return [indented([{ text, faint: true }])];
}

const STATES = new Map<string, { readonly word: string; readonly color: ColorName }>([
  ['ok', { word: 'ok', color: 'good' }],
  ['lagging', { word: 'lagging', color: 'warn' }],
  ['disagrees', { word: 'DISAGREES', color: 'bad' }],
  ['down', { word: 'down', color: 'bad' }],
  ['wrong-chain', { word: 'wrong chain', color: 'bad' }],
]);

function nodeLines(nodes: readonly NodeView[], context: ServiceContext): readonly Line[] {
  const { theme, width } = context;
  if (nodes.length === 0) return [];
  const { heading, lines } = tableOf({ columns: nodeColumns(nodes, theme), rows: nodes, width }, context);
  return [
    heading,
    ...lines.flatMap((line, place): readonly Line[] => {
      const { state, message } = nodes[place] ?? { state: null, message: null };
      // A node that is well says nothing of note.
      if (message === null || message === '' || state === 'ok') return [line];
      const words = { text: `  ${message}`, faint: true };
      const beside: Line = [...line, words];
      return lineWidth(beside) <= width - 1 ? [beside] : [line, indented([words])];
    }),
  ];
}

function nodeColumns(nodes: readonly NodeView[], { glyph }: Theme): readonly TableColumn<NodeView>[] {
  const highest = nodes.reduce((head, node) => Math.max(head, node.head ?? 0), 0);
  return [
    leftColumn('node', 14, 0, ({ name }) => name),
    leftColumn('state', 11, 0, ({ state, head, message }): Line => {
      // A process that stands by asks its nodes nothing, so that none is known to be well.
      if (head === null && message?.startsWith('not asked')) return [{ text: 'not asked', faint: true }];
      const known = STATES.get(state ?? '');
      if (known === undefined) return [{ text: state ?? UNKNOWN }];
      const isOk = state === 'ok';
      const mark = isOk ? glyph.live : glyph.warning;
      return [{ text: `${mark} ${known.word}`, color: known.color, bold: !isOk }];
    }),
    rightColumn('head', 6, 1, ({ head }) => (head === null ? UNKNOWN : formatCount(head))),
    // How far a node that is down is behind is unknown.
    rightColumn('behind', 6, 3, ({ head, state }) =>
      head === null || state === 'down' ? UNKNOWN : formatCount(highest - head),
    ),
    rightColumn('latency', 7, 2, ({ latencyMs: ms }) => {
      if (ms === null) return UNKNOWN;
      return ms < 10_000 ? `${formatCount(Math.round(ms))} ms` : formatDuration(ms / 1_000);
    }),
  ];
}
