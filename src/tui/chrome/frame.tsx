import { Box, Text, useIsScreenReaderEnabled } from 'ink';
import { type ReactNode, useContext } from 'react';
import type { SnapshotView } from '../../client/views/gas.ts';
import { useNow } from '../app/clock.ts';
import type { Health } from '../app/connection.ts';
import { TABS, type Tab } from '../app/tabs.ts';
import { SMALLEST } from '../app/ui-state.ts';
import { ListsContext, listOf } from '../data/lists.tsx';
import { Room, useRoom } from '../ui/pane-context.tsx';
import { nextTry } from '../ui/pane-state.tsx';
import {
  displayWidth,
  EMPTY_LINE,
  type Line,
  lineWidth,
  type Span,
  Spans,
  SpokenSentences,
  SpreadLine,
} from '../ui/text.tsx';
import { COLORS, DimContext, forTerminal } from '../ui/theme.ts';
import { KeyBar } from './key-bar.tsx';
import { type Badge, BadgeText, StatusBar } from './status-bar.tsx';
import { type Toast, ToastLine } from './toast.tsx';

/** Why the data is stale and what happens next, or what else is wrong, as detailed as the width allows. */
export function NoticeLine({ health }: { readonly health: Health }) {
  const now = useNow();
  const { columns } = useRoom();
  if (!('reason' in health) && !('note' in health)) return null;
  const isNote = 'note' in health;
  const causes = isNote ? [health.note] : [health.reason, health.title ?? health.reason];
  const { remedy, retryAt } = isNote ? { retryAt: null } : health;
  const next = remedy ?? nextTry(retryAt, now) ?? '';
  // A remedy's parts are in the order of their importance.
  const nexts = [next, next.split('; ')[0]?.replace(/next try|trying again/, 'again') ?? ''];
  // Prefers the full cause: shortens what comes next first.
  const pairs = causes.flatMap((cause) => nexts.map((text) => ({ cause, tail: text && ` · ${text}` })));
  const fitting = pairs.find((pair) => displayWidth(pair.cause + pair.tail) <= columns - 4) ?? pairs.at(-1);
  return (
    <Text wrap="truncate">
      <Text color={isNote ? COLORS.warn : COLORS.bad}>{' ! '}</Text>
      {forTerminal(fitting?.cause ?? '')}
      <Text bold={health.kind === 'refused'}>{forTerminal(fitting?.tail ?? '')}</Text>
    </Text>
  );
}

type TabBarProps = { readonly current: Tab } & Pick<FrameProps, 'pace'>;

export function TabBar({ current, pace }: TabBarProps) {
  const { columns } = useRoom();
  const lists = useContext(ListsContext);
  const badgeOf = (scope: Tab['scope']): Span | null => {
    const { unseen = 0, awaited = 0 } = listOf(lists, scope) ?? {};
    if (unseen > 0) return { text: ` !${unseen}`, bold: true, color: 'warn' };
    return awaited === 0 ? null : { text: ` ·${awaited}` };
  };
  const labels = (tightness: number): Line =>
    TABS.flatMap((tab, place) => {
      const isCurrent = tab === current;
      const look: Omit<Span, 'text'> = isCurrent ? { bold: true, color: 'accent' } : {};
      const isTight = tightness > 0;
      const title = tightness > 1 && !isCurrent ? tab.short : tab.title;
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
  const line = tries.find((each) => lineWidth(each) <= columns) ?? tries.at(-1) ?? EMPTY_LINE;
  return (
    <DimContext value={false}>
      <SpreadLine
        left={<Spans line={line} />}
        // Never cuts a tab: the keys that change the interval show it too.
        right={lineWidth(line) + pace.length + 1 > columns ? '' : <Text dimColor>{`${pace} `}</Text>}
      />
    </DimContext>
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
  const hasNotice = 'reason' in health || 'note' in health;
  if (useIsScreenReaderEnabled()) {
    const block = snapshot?.blockNumber ?? null;
    const head = [
      ['gastop', badge, chainName, `tab ${tab.title}`, health.kind]
        .filter((part) => part !== null)
        .join(', '),
      ...(block === null ? [] : [`block ${block}`]),
      ...(hasNotice ? ['note' in health ? health.note : health.reason] : []),
      ...('remedy' in health && health.remedy !== undefined ? [health.remedy] : []),
    ];
    return (
      <Box flexDirection="column">
        <SpokenSentences sentences={isWhole ? ['gastop, all chains'] : head} />
        {children}
        <SpokenSentences sentences={[toast?.text ?? '', 'Press question mark for all keys, q to quit.']} />
      </Box>
    );
  }
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) {
    const least = `${SMALLEST.columns}×${SMALLEST.rows}`;
    return (
      <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
        <BadgeText badge={badge} />
        <Text bold>{forTerminal(`gastop needs ${least}\nthis window has ${columns}×${rows}\nq quits`)}</Text>
      </Box>
    );
  }
  // A toast takes a row from the body, or covers the last row of Live, whose layout depends on its rows. Without data
  // the body itself shows what is wrong.
  const isNoticed = !isWhole && snapshot !== undefined && hasNotice;
  const toastRows = toast === null || (tab.scope === 'live' && !isWhole) ? 0 : 1;
  const bodyRows = rows - 1 - (isWhole ? 0 : 2) - (isNoticed ? 1 : 0) - toastRows;
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      {isWhole ? null : (
        <>
          <StatusBar {...{ chainName, snapshot, health, badge }} />
          <TabBar current={tab} pace={pace} />
        </>
      )}
      {isNoticed ? <NoticeLine health={health} /> : null}
      <Box flexDirection="column" flexGrow={1} flexShrink={1} overflow="hidden">
        <Room columns={columns} rows={bodyRows}>
          {children}
        </Room>
      </Box>
      {toast === null ? null : <ToastLine toast={toast} />}
      <KeyBar />
    </Box>
  );
}
