import { Box, Text, useIsScreenReaderEnabled } from 'ink';
import { memo, type ReactNode, useContext } from 'react';
import type { SnapshotView } from '../../client/views/gas.ts';
import { useNow } from '../app/clock.ts';
import type { Health } from '../app/connection.ts';
import { TABS, type Tab } from '../app/tabs.ts';
import { SMALLEST } from '../app/ui-state.ts';
import { ListsContext, listOf } from '../data/lists.tsx';
import { KEYMAP } from '../input/keymap.ts';
import { Room, useRoom } from '../ui/pane-context.tsx';
import { nextTry } from '../ui/pane-state.tsx';
import {
  displayWidth,
  EMPTY_LINE,
  type Line,
  lineWidth,
  placed,
  type Span,
  Spans,
  SpreadLine,
  truncate,
} from '../ui/text.tsx';
import { COLORS, DimContext, forTerminal } from '../ui/theme.ts';
import { KeyBar } from './key-bar.tsx';
import { type Badge, BadgeText, StatusBar } from './status-bar.tsx';
import { type Toast, ToastLine } from './toast.tsx';

const LEAST_CAUSE = 12;

/** Why the data is stale and what happens next, or what else is wrong, as detailed as the width allows. */
export function NoticeLine({ health }: { readonly health: Health }) {
  const now = useNow();
  const { columns } = useRoom();
  if (!('reason' in health) && !('note' in health)) return null;
  const isNote = 'note' in health;
  const causes = isNote ? [health.note] : 'title' in health ? [health.reason, health.title] : [health.reason];
  const nexts = isNote ? [''] : 'remedy' in health ? shorter(health.remedy) : retryTexts(health.retryAt, now);
  const tails = nexts.map((text) => (text === '' ? '' : ` · ${text}`));
  const room = columns - 4;
  const last = tails.at(-1) ?? '';
  // Prefers the full cause: shortens what comes next first.
  const pairs = causes.flatMap((cause) => tails.map((next) => ({ cause, next })));
  const { cause, next } = pairs.find((pair) => displayWidth(pair.cause + pair.next) <= room) ?? {
    cause: truncate(causes[0] ?? '', Math.max(room - displayWidth(last), LEAST_CAUSE)),
    next: last,
  };
  return (
    <Text wrap="truncate">
      <Text color={isNote ? COLORS.warn : COLORS.bad}>{' ! '}</Text>
      {forTerminal(cause)}
      <Text bold={health.kind === 'refused'}>{forTerminal(next)}</Text>
    </Text>
  );
}

/** A remedy's parts are in the order of their importance. */
function shorter(remedy: string): readonly string[] {
  const [first = remedy] = remedy.split('; ');
  return [remedy, first];
}

function retryTexts(retryAt: number | null, now: number): readonly string[] {
  const next = nextTry(retryAt, now);
  return next === null ? [''] : [next, next.replace(/next try|trying again/, 'again')];
}

type TabBarProps = { readonly current: Tab } & Pick<FrameProps, 'pace'>;

export const TabBar = memo(function TabBar({ current, pace }: TabBarProps) {
  const { columns } = useRoom();
  const badgeOf = useBadges();
  // Narrower each time: single gaps, short titles, and no numbers without news.
  const tries = [0, 1, 2, 3].map((tightness) =>
    TABS.flatMap((tab, place) => tabLabel(tab, place, tab === current, badgeOf(tab), tightness)),
  );
  const line = tries.find((labels) => lineWidth(labels) <= columns) ?? tries.at(-1) ?? EMPTY_LINE;
  return (
    <DimContext value={false}>
      <SpreadLine
        left={<Spans line={line} />}
        // Never cuts a tab: the keys that change the interval show it too.
        right={lineWidth(line) + pace.length + 1 > columns ? '' : <Text dimColor>{`${pace} `}</Text>}
      />
    </DimContext>
  );
});

function tabLabel(tab: Tab, place: number, isCurrent: boolean, badge: Span | null, tightness: number): Line {
  const isTight = tightness > 0;
  const look: Omit<Span, 'text'> = isCurrent ? { bold: true, color: 'accent' } : {};
  const key = KEYMAP.find(({ action }) => action === tab.action)?.label ?? '';
  const title = tightness > 1 && !isCurrent ? tab.short : tab.title;
  const before = isCurrent ? (isTight && place > 0 ? ' [' : '[') : ' ';
  const shown = badge === null || (tightness > 2 && badge.color === undefined) ? [] : [{ ...look, ...badge }];
  const after = isCurrent ? ']' : isTight ? '' : ' ';
  return [{ text: `${before}${key} ${title}`, ...look }, ...shown, { text: after, ...look }];
}

function useBadges(): (tab: Tab) => Span | null {
  const lists = useContext(ListsContext);
  return ({ scope }) => {
    const list = listOf(lists, scope);
    if (list === undefined) return null;
    const { unseen, awaited } = list;
    if (unseen > 0) return { text: ` !${unseen}`, bold: true, color: 'warn' };
    return awaited === 0 ? null : { text: ` ·${awaited}` };
  };
}

/** Minimum size for sentences, badge included; in less they would overlap. */
const ROOM_FOR_WORDS = { columns: 20, rows: 6 };

function TooSmall({ badge }: Pick<FrameProps, 'badge'>) {
  const { columns, rows } = useRoom();
  const least = `${SMALLEST.columns}×${SMALLEST.rows}`;
  const hasWords = columns >= ROOM_FOR_WORDS.columns && rows >= ROOM_FOR_WORDS.rows;
  const few = [least, 'needed', 'q quits'].slice(0, rows).map((text) => forTerminal(text).slice(0, columns));
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      {hasWords ? (
        <>
          <BadgeText badge={badge} />
          <Text bold>
            {forTerminal(`gastop needs ${least} characters; this window has ${columns}×${rows}.`)}
          </Text>
          <Text>Make it larger, or press q to quit.</Text>
        </>
      ) : (
        few.map((text) => <Text key={text}>{text}</Text>)
      )}
    </Box>
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
  readonly toast: Toast | null;
  /** What is shown is of no single source, and says itself what it is: without status and tabs. */
  readonly isWhole: boolean;
  readonly children: ReactNode;
}

/** The frame around every pane; exactly as high as the terminal, because a taller frame would flicker. */
export function Frame(props: FrameProps) {
  const { chainName, badge, snapshot, health, tab, pace, toast, isWhole, children } = props;
  const { columns, rows } = useRoom();
  const spoken = useIsScreenReaderEnabled();
  if (spoken) return <SpokenFrame {...props} />;
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) return <TooSmall badge={badge} />;
  // A toast takes a row from the body, or covers the last row of Live, whose layout depends on its rows. Without data
  // the body itself shows what is wrong.
  const noticed = !isWhole && snapshot !== undefined && ('reason' in health || 'note' in health);
  const headRows = (isWhole ? 0 : 2) + (noticed ? 1 : 0);
  const toastRows = toast === null || (tab.scope === 'live' && !isWhole) ? 0 : 1;
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      {isWhole ? null : (
        <>
          <StatusBar {...{ chainName, snapshot, health, badge }} />
          <TabBar current={tab} pace={pace} />
        </>
      )}
      {noticed ? <NoticeLine health={health} /> : null}
      <Box flexDirection="column" flexGrow={1} flexShrink={1} overflow="hidden">
        <Room columns={columns} rows={rows - 1 - headRows - toastRows}>
          {children}
        </Room>
      </Box>
      {toast === null ? null : <ToastLine toast={toast} />}
      <KeyBar />
    </Box>
  );
}

function SpokenFrame({ chainName, badge, snapshot, health, tab, toast, isWhole, children }: FrameProps) {
  const block = snapshot?.blockNumber ?? null;
  const head = [
    ['gastop', badge, chainName, `tab ${tab.title}`, health.kind].filter((part) => part !== null).join(', '),
    ...(block === null ? [] : [`block ${block}`]),
    ...('reason' in health ? [health.reason] : []),
    ...('note' in health ? [health.note] : []),
    ...(health.kind === 'refused' ? [health.remedy] : []),
  ];
  return (
    <Box flexDirection="column">
      {placed(isWhole ? ['gastop, all chains'] : head, (text) => (
        <Text>{text}</Text>
      ))}
      {children}
      {toast === null ? null : <Text>{toast.text}</Text>}
      <Text>Press question mark for all keys, q to quit.</Text>
    </Box>
  );
}
