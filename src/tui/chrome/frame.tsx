import { Box, Text, useIsScreenReaderEnabled } from 'ink';
import { memo, type ReactNode, useContext } from 'react';
import type { SnapshotView } from '../../client/views/gas.ts';
import { formatDuration } from '../../core/units.ts';
import { useNow } from '../app/clock.ts';
import type { Health } from '../app/connection.ts';
import { TABS, type Tab } from '../app/tabs.ts';
import { SMALLEST } from '../app/ui-state.ts';
import { ListsContext } from '../data/lists.tsx';
import { KEYMAP } from '../input/keymap.ts';
import { displayWidth, SpreadLine, truncate } from '../ui/text.tsx';
import { type Theme, useTheme } from '../ui/theme.ts';
import { KeyBar } from './key-bar.tsx';
import { type Badge, BadgeText, StatusBar } from './status-bar.tsx';
import { type Toast, ToastLine } from './toast.tsx';

const LEAST_CAUSE = 12;

interface NoticeLineProps {
  readonly health: Health;
  readonly width: number;
}

/** Why the data is old and what happens next, or what else is wrong, in as many words as there is room for. */
export function NoticeLine({ health, width }: NoticeLineProps) {
  const theme = useTheme();
  const now = useNow();
  const { dot, warning, ellipsis } = theme.glyph;
  if (health.kind === 'unsaved') {
    return (
      <Text wrap="truncate">
        <Text color={theme.color('warn')}>{` ${warning} `}</Text>
        {truncate(theme.text(health.note), width - 4, ellipsis)}
      </Text>
    );
  }
  if (!('reason' in health)) return null;
  const causes = 'title' in health ? [health.reason, health.title] : [health.reason];
  const nexts = health.kind === 'refused' ? shorter(health.remedy) : retryTexts(health.retryAt, now);
  const { cause, next } = noticeWords(
    causes.map((text) => theme.text(text)),
    nexts.map((text) => (text === '' ? '' : ` ${dot} ${theme.text(text)}`)),
    width - 4,
    ellipsis,
  );
  return (
    <Text wrap="truncate">
      <Text color={theme.color('bad')}>{` ${warning} `}</Text>
      {cause}
      <Text bold={health.kind === 'refused'}>{next}</Text>
    </Text>
  );
}

/**
 * A cause and what comes next that fit into `width` together. A cause is whole as long as any of its wordings fits;
 * for that what comes next is said in fewer words first.
 *
 * @param causes the same in fewer and fewer words
 * @param nexts likewise
 */
function noticeWords(
  causes: readonly string[],
  nexts: readonly string[],
  width: number,
  ellipsis: string,
): { readonly cause: string; readonly next: string } {
  for (const cause of causes) {
    const next = nexts.find((text) => displayWidth(cause) + displayWidth(text) <= width);
    if (next !== undefined) return { cause, next };
  }
  const next = nexts.at(-1) ?? '';
  const room = Math.max(width - displayWidth(next), LEAST_CAUSE);
  return { cause: truncate(causes[0] ?? '', room, ellipsis), next };
}

/** A remedy's parts are in the order of their weight. */
function shorter(remedy: string): readonly string[] {
  const [first = remedy] = remedy.split('; ');
  return [remedy, first];
}

function retryTexts(retryAt: number | null, now: number): readonly string[] {
  if (retryAt === null) return [''];
  const sec = Math.ceil((retryAt - now) / 1_000);
  if (sec <= 0) return ['trying again now', 'again now'];
  const wait = formatDuration(sec);
  return [`next try in ${wait}`, `again in ${wait}`];
}

interface TabBarProps {
  readonly width: number;
  readonly current: Tab;
  readonly intervalMs: number;
  readonly slowed: boolean;
}

/** The tabs with their keys; the one shown stands in brackets, so that it is seen without colour too. */
export const TabBar = memo(function TabBar({ width, current, intervalMs, slowed }: TabBarProps) {
  const theme = useTheme();
  const badges = useBadges(theme);
  const { labels, isTight, used } = fittingLabels(current, badges, width);
  const pace = `${slowed ? 'slowed: ' : ''}every ${interval(intervalMs)} `;
  return (
    <SpreadLine
      width={width}
      left={labels.map(({ tab, name, badge }, place) => {
        const isCurrent = tab === current;
        const style = isCurrent ? { bold: true, color: theme.color('accent') } : {};
        // Where room is short one gap is enough between two.
        const before = isCurrent ? (isTight && place > 0 ? ' [' : '[') : ' ';
        const after = isCurrent ? ']' : isTight ? '' : ' ';
        return (
          <Text key={tab.action} {...style}>
            {`${before}${name}`}
            {badge === null ? null : <BadgeWords {...badge} />}
            {after}
          </Text>
        );
      })}
      // No tab is cut for it: the keys that change the pace say it too.
      right={used + pace.length > width ? '' : <Text dimColor>{pace}</Text>}
    />
  );
});

interface TabBadge {
  readonly text: string;
  readonly isNews: boolean;
}

interface TabLabel {
  readonly tab: Tab;
  readonly name: string;
  readonly badge: TabBadge | null;
}

/** How many have fired or come to an end since they were last looked at: `!1`; else how many are awaited: `·2`. */
function useBadges(theme: Theme): (tab: Tab) => TabBadge | null {
  const lists = useContext(ListsContext);
  const badge = (unseen: number, awaited: number): TabBadge | null => {
    if (unseen > 0) return { text: ` !${unseen}`, isNews: true };
    return awaited === 0
      ? null
      : { text: ` ${theme.ascii ? '*' : theme.glyph.dot}${awaited}`, isNews: false };
  };
  return ({ scope }) => {
    const list = scope === 'alerts' ? lists?.alerts : scope === 'auto-txs' ? lists?.autoTxs : undefined;
    return list === undefined ? null : badge(list.unseen, list.awaited);
  };
}

/** The labels in as many words as there is room for; without numbers that are no news where all else is too long. */
function fittingLabels(current: Tab, badgeOf: (tab: Tab) => TabBadge | null, width: number) {
  const labelled = (isShort: boolean, isBare: boolean) =>
    TABS.map((tab): TabLabel => {
      const key = KEYMAP.find(({ action }) => action === tab.action)?.label ?? '';
      const badge = badgeOf(tab);
      const title = isShort && tab !== current ? (tab.short ?? tab.title) : tab.title;
      return { tab, name: `${key} ${title}`, badge: isBare && badge?.isNews !== true ? null : badge };
    });
  const tries = [
    { labels: labelled(false, false), isTight: false },
    { labels: labelled(false, false), isTight: true },
    { labels: labelled(true, false), isTight: true },
    { labels: labelled(true, true), isTight: true },
  ].map((each) => ({ ...each, used: widthOf(each.labels, each.isTight, current) }));
  return tries.find(({ used }) => used <= width) ?? tries.at(-1) ?? { labels: [], isTight: true, used: 0 };
}

function widthOf(labels: readonly TabLabel[], isTight: boolean, current: Tab): number {
  const words = labels.reduce((sum, { name, badge }) => sum + displayWidth(`${name}${badge?.text ?? ''}`), 0);
  if (!isTight) return words + labels.length * 2;
  return words + labels.length + (labels[0]?.tab === current ? 1 : 2);
}

function BadgeWords({ text, isNews }: TabBadge) {
  const theme = useTheme();
  return isNews ? (
    <Text bold color={theme.color('warn')}>
      {text}
    </Text>
  ) : (
    text
  );
}

function interval(ms: number): string {
  return ms < 1_000 ? `${ms / 1_000}s` : formatDuration(ms / 1_000);
}

interface TooSmallProps {
  readonly columns: number;
  readonly rows: number;
  readonly badge: Badge | null;
}

/** Sentences stand in this much, badge included; in less they would be drawn over each other. */
const ROOM_FOR_WORDS = { columns: 20, rows: 6 };

/** Which size it takes, in as many words as there is room for. */
function TooSmall({ columns, rows, badge }: TooSmallProps) {
  const theme = useTheme();
  const least = `${SMALLEST.columns}×${SMALLEST.rows}`;
  if (columns < ROOM_FOR_WORDS.columns || rows < ROOM_FOR_WORDS.rows) {
    return (
      <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
        {[least, 'needed', 'q quits'].slice(0, rows).map((text) => (
          <Text key={text}>{theme.text(text).slice(0, columns)}</Text>
        ))}
      </Box>
    );
  }
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <BadgeText badge={badge} />
      <Text bold>
        {theme.text(
          `gastop needs ${SMALLEST.columns}×${SMALLEST.rows} characters; this window has ${columns}×${rows}.`,
        )}
      </Text>
      <Text>Make it larger, or press q to quit.</Text>
    </Box>
  );
}

interface FrameProps {
  readonly columns: number;
  readonly rows: number;
  readonly chainName: string | null;
  readonly badge: Badge | null;
  readonly snapshot: SnapshotView | undefined;
  readonly health: Health;
  readonly tab: Tab;
  readonly intervalMs: number;
  /** The service's limit makes the interval longer than wanted. */
  readonly slowed: boolean;
  readonly toast: Toast | null;
  /** Draws what lies between the bars in the room that is left. */
  readonly body: (rows: number) => ReactNode;
}

/** What stands around every pane; exactly as high as the terminal, for a taller frame would flicker. */
export function Frame(props: FrameProps) {
  const { columns, rows, chainName, badge, snapshot, health, tab, intervalMs, slowed, toast, body } = props;
  const spoken = useIsScreenReaderEnabled();
  if (spoken) return <SpokenFrame {...props} />;
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) {
    return <TooSmall columns={columns} rows={rows} badge={badge} />;
  }
  // A toast takes a row from the body; Live, whose parts come and go with its rows, has its last one covered instead.
  // Before there is data the body itself says what is wrong.
  const noticed = snapshot !== undefined && ('reason' in health || 'note' in health);
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <StatusBar width={columns} chainName={chainName} snapshot={snapshot} health={health} badge={badge} />
      <TabBar width={columns} current={tab} intervalMs={intervalMs} slowed={slowed} />
      {noticed ? <NoticeLine health={health} width={columns} /> : null}
      <Box flexDirection="column" flexGrow={1} flexShrink={1} overflow="hidden">
        {body(rows - 3 - (noticed ? 1 : 0) - (toast === null || tab.scope === 'live' ? 0 : 1))}
      </Box>
      {toast === null ? null : <ToastLine toast={toast} width={columns} />}
      <KeyBar width={columns} />
    </Box>
  );
}

/** For a screen reader: what the bars say, as sentences. */
function SpokenFrame({ chainName, badge, snapshot, health, tab, rows, toast, body }: FrameProps) {
  return (
    <Box flexDirection="column">
      <Text>
        {['gastop', badge, chainName, `tab ${tab.title}`, health.kind]
          .filter((part) => part !== null)
          .join(', ')}
      </Text>
      {snapshot?.blockNumber == null ? null : <Text>{`block ${snapshot.blockNumber}`}</Text>}
      {'reason' in health ? <Text>{health.reason}</Text> : null}
      {'note' in health ? <Text>{health.note}</Text> : null}
      {health.kind === 'refused' ? <Text>{health.remedy}</Text> : null}
      {body(rows)}
      {toast === null ? null : <Text>{toast.text}</Text>}
      <Text>Press question mark for all keys, q to quit.</Text>
    </Box>
  );
}
