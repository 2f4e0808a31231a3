import { Box, Text, Transform, useIsScreenReaderEnabled } from 'ink';
import { type ReactNode, useContext } from 'react';
import { ClientError } from '../../client/errors.ts';
import type { SnapshotView } from '../../client/views/gas.ts';
import type { Badge, ChainStatus } from '../../core/chain-status.ts';
import { formatAge, formatCount } from '../../core/units.ts';
import { ListsContext, listOfScope } from '../data/monitor-context.ts';
import type { Polled } from '../data/polled-query.ts';
import { type ActionName, KEYMAP, type KeyBinding, type Scope } from '../input/keymap.ts';
import { Clickable } from '../input/mouse.tsx';
import { type Dispatcher, DispatcherContext } from '../input/use-keys.tsx';
import { Room, useAtNow, useNow, useRoom } from '../ui/pane-context.tsx';
import { failureRemedy, failureTitle, nextTry } from '../ui/pane-state.tsx';
import {
  bold,
  colored,
  cutLine,
  faint,
  type Line,
  LineList,
  lineWidth,
  paintedLine,
  plain,
  type Span,
  shownWidth,
  spreadLine,
  truncate,
} from '../ui/text.tsx';
import { type ColorName, forTerminal } from '../ui/theme.ts';
import { yearText } from '../ui/time.ts';
import { TABS, type Tab } from './tabs.ts';
import { ShownToastContext, toastLine } from './toast.tsx';

/** How far the screen can be trusted, and what happens next. */
export interface Health {
  readonly kind: keyof typeof STATES;
  /** Why the data is old; of `unsaved`, which is live, what will be lost at the next start. */
  readonly reason?: string;
  /** A short form of `reason`. */
  readonly title?: string;
  /** What only the user can do. */
  readonly remedy?: string;
  readonly retryAt?: number | null;
}

export function healthOf(
  { data, error, retryAt }: Pick<Polled<SnapshotView>, 'data' | 'error' | 'retryAt'>,
  frozen: boolean,
  status: ChainStatus,
): Health {
  if (error !== null) {
    const remedy = failureRemedy(error);
    const title = failureTitle(error);
    const code = error instanceof ClientError ? error.code : null;
    // A key's refusal already says what to do.
    if (remedy !== null)
      return { kind: 'refused', reason: code === 'key' ? title : error.message, title, remedy, retryAt };
    return { kind: code === 'quota' ? 'limited' : 'reconnecting', reason: error.message, title, retryAt };
  }
  if (data === undefined) return { kind: 'connecting' };
  if (frozen) return { kind: 'frozen' };
  const { problem } = data.source;
  // Fresh prices: something else is wrong.
  return status.kind === 'live' && problem !== null ? { kind: 'unsaved', reason: problem.message } : status;
}

export const isPast = ({ kind, reason }: Health): boolean =>
  kind === 'catching-up' || (reason !== undefined && kind !== 'unsaved');

/** Why the data is stale and what happens next, or what else is wrong, as detailed as the width allows. */
export function NoticeLine({ health }: { readonly health: Health }) {
  const now = useNow();
  const { columns } = useRoom();
  const { kind, reason, title = reason, remedy, retryAt = null } = health;
  const next = remedy ?? nextTry(retryAt, now) ?? '';
  const nexts = [next, next.split('; ')[0]?.replace(/next try|trying again/, 'again') ?? ''];
  // Prefers the full cause: shortens what comes next first.
  const pairs = [reason ?? '', title ?? ''].flatMap((cause) =>
    nexts.map((text) => [cause, text && ` · ${text}`] as const),
  );
  const [cause = '', tail = ''] =
    pairs.find((pair) => shownWidth(pair.join('')) <= columns - 4) ?? pairs.at(-1) ?? [];
  const sign = colored(' ! ', kind === 'unsaved' ? 'warn' : 'bad');
  return <LineList lines={[[sign, plain(cause), { text: tail, bold: kind === 'refused' }]]} />;
}

type TabBarProps = Pick<FrameProps, 'tab' | 'pace' | 'zone'>;

export function TabBar({ tab: current, pace, zone }: TabBarProps) {
  const { columns } = useRoom();
  const lists = useContext(ListsContext);
  const dispatcher = useContext(DispatcherContext);
  const badgeOf = (scope: Tab['scope']): Span | null => {
    const { unseen = 0, tabCount = 0 } = listOfScope(lists, scope) ?? {};
    if (unseen > 0) return { text: ` !${unseen}`, bold: true, color: 'warn' };
    return tabCount === 0 ? null : { text: ` ·${tabCount}` };
  };
  const labels = (tightness: number): readonly Line[] =>
    TABS.map((tab, place) => {
      const isCurrent = tab === current;
      const look: Omit<Span, 'text'> = isCurrent ? { bold: true, color: 'accent' } : {};
      const isTight = tightness > 0;
      const title = (tightness > 1 && !isCurrent && tab.short) || tab.title;
      const badge = badgeOf(tab.scope);
      const before = isCurrent ? (isTight && place > 0 ? ' [' : '[') : ' ';
      return [
        { text: `${before}${place + 1} ${title}`, ...look },
        ...(badge === null || (tightness > 2 && badge.color === undefined) ? [] : [{ ...look, ...badge }]),
        { text: isCurrent ? ']' : isTight ? '' : ' ', ...look },
      ];
    });
  // Narrower each time: single gaps, short titles, and no numbers without news.
  const tries = [0, 1, 2, 3].map(labels);
  const shown = tries.find((each) => lineWidth(each.flat()) <= columns) ?? tries.at(-1) ?? [];
  const line = shown.flat();
  const choose = (column: number) => {
    const place = shown.findIndex((_, at) => column < lineWidth(shown.slice(0, at + 1).flat()));
    const chosen = TABS[place];
    if (chosen !== undefined) dispatcher.perform(chosen.scope);
  };
  // Never cuts a tab: the keys that change the interval show it too.
  const named = current.hasTimes === true ? zone : '';
  const texts = [[named, pace].filter((text) => text !== '').join('  '), named].map((text) => `${text} `);
  const right = texts.find((text) => lineWidth(line) + shownWidth(text) <= columns) ?? '';
  return (
    <Clickable onClick={choose}>
      <LineList lines={[spreadLine(line, [faint(right)], columns)]} />
    </Clickable>
  );
}

interface FrameProps {
  readonly chainName: string | null;
  readonly badge: Badge | null;
  readonly snapshot: SnapshotView | undefined;
  readonly health: Health;
  readonly tab: Tab;
  /** How often prices come: `every 12s`, `each block`. */
  readonly pace: string;
  /** That of the times: `UTC+2`. */
  readonly zone: string;
  /** `Amsterdam in 3d02h`; `null`: no fork is near. */
  readonly fork: string | null;
  /** Of a recording that is played here; `null`: none is. */
  readonly speed: number | null;
  /** What is shown is of no single source, and says itself what it is: without status and tabs. */
  readonly isWhole: boolean;
  readonly children: ReactNode;
}

const SMALLEST = { columns: 60, rows: 16 } as const;

/** The frame around every pane; exactly as high as the terminal, because a taller frame would flicker. */
export function Frame(props: FrameProps) {
  const { chainName, badge, snapshot, health, tab, zone, isWhole, children } = props;
  const { columns, rows } = useRoom();
  if (useIsScreenReaderEnabled()) {
    const { reason, remedy } = health;
    const state = stateWord(props).replace(/^\W+/, '').toLowerCase();
    const times = tab.hasTimes === true ? `times in ${zone}` : null;
    const parts = ['gastop', badge, chainName, `tab ${tab.title}`, state, times];
    const head = parts.filter((part) => part !== null);
    const block = snapshot?.blockNumber == null ? null : `block ${snapshot.blockNumber}`;
    const above = isWhole ? ['gastop, all chains'] : [head.join(', '), block, props.fork, reason, remedy];
    const spoken = (texts: typeof above) => <LineList lines={texts.map((text) => [plain(text ?? '')])} />;
    return (
      <Box flexDirection="column">
        {spoken(above)}
        {children}
        <KeyBar />
      </Box>
    );
  }
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) {
    const least = `${SMALLEST.columns}×${SMALLEST.rows}`;
    return (
      <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
        {columns >= 20 && rows >= 4 && <LineList lines={badgeLines(badge)} />}
        <Text bold>{forTerminal(`gastop needs ${least}\nthis window has ${columns}×${rows}\nq quits`)}</Text>
      </Box>
    );
  }
  // The bar above says when its block was, with the zone.
  const isReplay = snapshot?.source.kind === 'replay';
  // Without data the body itself shows what is wrong.
  const isNoticed = !isWhole && snapshot !== undefined && health.reason !== undefined;
  const bodyRows = rows - 1 - (isWhole ? 0 : 2) - (isNoticed ? 1 : 0);
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <Box flexDirection="column" flexShrink={0}>
        {!isWhole && <StatusBar {...props} />}
        {!isWhole && <TabBar {...props} zone={isReplay ? '' : zone} />}
        {isNoticed && <NoticeLine health={health} />}
      </Box>
      <Box flexDirection="column" flexGrow={1} flexShrink={1}>
        <Room columns={columns} rows={bodyRows}>
          {children}
        </Room>
      </Box>
      <KeyBar />
    </Box>
  );
}

const STATES = {
  connecting: ['◌ connecting', 'warn'],
  // No source could be opened, and nothing retries by itself.
  none: ['◌ no source', 'bad'],
  live: ['● live', 'good'],
  unsaved: ['● live, unsaved', 'warn'],
  ended: ['◌ ended', 'accent'],
  frozen: ['◌ FROZEN', 'warn'],
  // Prices of the last run.
  'catching-up': ['◌ catching up', 'warn'],
  stale: ['◌ stale', 'warn'],
  reconnecting: ['◌ reconnecting', 'bad'],
  limited: ['◌ limited', 'warn'],
  refused: ['◌ refused', 'bad'],
} as const satisfies Readonly<Record<string, readonly [word: string, color: ColorName]>>;

const RUNNING: Readonly<Record<Badge, string>> = { REPLAY: 'playing', SIMULATED: 'running' };

/** Recorded and simulated data are never called live. */
function stateWord({ badge, health, speed }: Pick<FrameProps, 'badge' | 'health' | 'speed'>): string {
  const [named] = STATES[health.kind];
  if (badge === null || !named.includes('live')) return named;
  if (speed === 0) return '◌ paused';
  return named.replace('live', `${RUNNING[badge]}${speed === null ? '' : ` ${speed}×`}`);
}

function StatusBar({ chainName, snapshot, health, badge, fork, speed }: FrameProps) {
  const [, color] = STATES[health.kind];
  const word = ` ${stateWord({ badge, health, speed })} `;
  // The badge already names a simulated chain.
  const chain = chainName === null || chainName.toUpperCase() === badge ? '' : `  ${chainName}`;
  const block = snapshot?.blockNumber == null ? '' : `  #${formatCount(snapshot.blockNumber)}`;
  const age = useAtNow((now) => ageText(snapshot, now));
  const chip = fork === null ? '' : `  ${fork}`;
  const fixed = ` gastop ${badge === null ? '' : ` ${badge} `}${chain}${block}${age}${chip}${word}`;
  const { columns } = useRoom();
  const room = columns - shownWidth(fixed) - 2;
  // The source's name is shortened first: it changes least.
  const source = room < LEAST_SOURCE ? '' : truncate(snapshot?.source.name ?? '', room);
  const place = room < -2 ? block : chain + block;
  const left = [
    bold(' gastop '),
    ...badgeLines(badge).flat(),
    plain(place),
    faint(age),
    colored(chip, 'warn'),
  ];
  const right = [colored(word, color), plain(source && ` ${source} `)];
  return <LineList lines={[spreadLine(left, right, columns)]} />;
}

const LEAST_SOURCE = 6;

/** Marks prices that are not current, on every screen; its text says so without colours. */
const badgeLines = (badge: Badge | null): readonly Line[] =>
  badge === null ? [] : [[{ text: ` ${badge} `, bold: true, inverse: true, color: 'warn' }]];

function ageText(snapshot: SnapshotView | undefined, now: number): string {
  const at = snapshot?.blockTimestamp ?? snapshot?.updatedAt ?? null;
  if (at === null) return '';
  // For a recorded block its time matters, not its age.
  return snapshot?.source.kind === 'replay' ? `  ${yearText(at)}` : `  ${formatAge((now - at) / 1_000)}`;
}

/** In narrower footers the keys of the pane have no room left for it. */
const FREEZES_FROM = 100;

/** The keys for the footer: help, those of `scopes` (nearest first) that work now and fit, quit. */
export function footerKeys(scopes: readonly Scope[], width: number, isWorking: Dispatcher['works']) {
  const working = KEYMAP.filter(({ scope, action }) => scopes.includes(scope) && isWorking(scope, action));
  const place = ({ action, scope }: KeyBinding) =>
    action === 'help' ? -1 : action === 'quit' ? scopes.length : scopes.indexOf(scope);
  const isShadowed = (binding: KeyBinding) =>
    working.some(
      (other) =>
        scopes.indexOf(other.scope) < scopes.indexOf(binding.scope) &&
        binding.keys.every((key) => other.keys.includes(key)),
    );
  const shown = working
    .filter((binding) => binding.footer !== undefined && !isShadowed(binding))
    .toSorted((one, other) => place(one) - place(other))
    .map(({ action, footerLabel, label, footer = '' }) => ({
      action,
      key: forTerminal(footerLabel ?? label),
      word: forTerminal(footer),
    }));
  // These are always there, however many keys a pane has.
  const fixed: readonly ActionName[] = width < FREEZES_FROM ? ['help', 'quit'] : ['help', 'quit', 'freeze'];
  const isFixed = ({ action }: Pick<KeyBinding, 'action'>) => fixed.includes(action);
  let left = width;
  const fitting = shown
    .toSorted((one, other) => Number(isFixed(other)) - Number(isFixed(one)))
    .filter(({ key, word }) => {
      left -= shownWidth(key) + shownWidth(word) + 3;
      return left >= 0;
    });
  return shown.filter((each) => fitting.includes(each));
}

/** What has just happened, and the keys of the present frame beside it: a transform writes them whenever Ink draws. */
export function KeyBar() {
  const { columns } = useRoom();
  const dispatcher = useContext(DispatcherContext);
  const toast = useContext(ShownToastContext);
  if (useIsScreenReaderEnabled()) {
    return (
      <LineList
        lines={[[plain(toast?.text ?? '')], [plain('Press question mark for all keys, q to quit.')]]}
      />
    );
  }
  const said = toast === null ? [] : [...toastLine(toast), plain('  ')];
  const draw = () => {
    const { scopes } = dispatcher;
    const room = columns - lineWidth(said);
    const keys = footerKeys(scopes, room, (scope, action) => dispatcher.works(scope, action));
    const line = [...said, ...keys.flatMap(({ key, word }) => [bold(` ${key}`), faint(` ${word} `)])];
    return paintedLine(cutLine(line, columns));
  };
  return (
    <Box width={columns} height={1} flexShrink={0}>
      <Transform transform={draw}> </Transform>
    </Box>
  );
}
