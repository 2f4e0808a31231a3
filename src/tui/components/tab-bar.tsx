import { Text } from 'ink';
import { memo, useContext } from 'react';
import { isOn } from '../../client/views/describe-alerts.ts';
import { formatDuration } from '../../core/units.ts';
import { AlertsContext } from '../hooks/use-alerts.ts';
import { AutoTxsContext } from '../hooks/use-auto-txs.ts';
import { KEYMAP } from '../keymap.ts';
import { TABS, type Tab } from '../tabs.ts';
import { type Theme, useTheme } from '../theme.ts';
import { displayWidth } from './fit.ts';
import { SpreadLine } from './spread-line.tsx';

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

interface Badge {
  readonly text: string;
  readonly isNews: boolean;
}

interface TabLabel {
  readonly tab: Tab;
  readonly name: string;
  readonly badge: Badge | null;
}

/** How many have fired or come to an end since they were last looked at: `!1`; else how many are awaited: `·2`. */
function useBadges(theme: Theme): (tab: Tab) => Badge | null {
  const alerts = useContext(AlertsContext);
  const autoTxs = useContext(AutoTxsContext);
  const badge = (unseen: number, awaited: number): Badge | null => {
    if (unseen > 0) return { text: ` !${unseen}`, isNews: true };
    return awaited === 0
      ? null
      : { text: ` ${theme.ascii ? '*' : theme.glyph.dot}${awaited}`, isNews: false };
  };
  const armed = alerts?.data?.value.items.filter(({ status }) => isOn(status)).length ?? 0;
  return ({ scope }) => {
    if (scope === 'alerts') return badge(alerts?.unseen ?? 0, armed);
    return scope === 'auto-txs' ? badge(autoTxs?.unseen ?? 0, autoTxs?.awaited ?? 0) : null;
  };
}

/** The labels in as many words as there is room for; without numbers that are no news where all else is too long. */
function fittingLabels(current: Tab, badgeOf: (tab: Tab) => Badge | null, width: number) {
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

function BadgeWords({ text, isNews }: Badge) {
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
