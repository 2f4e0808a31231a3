import { Text } from 'ink';
import { useContext } from 'react';
import { formatDuration } from '../../core/units.ts';
import { isOn } from '../alert-words.ts';
import { AlertsContext, type AlertsFeed } from '../hooks/use-alerts.ts';
import { KEYMAP } from '../keymap.ts';
import { TABS, type Tab } from '../tabs.ts';
import { type Theme, useTheme } from '../theme.ts';
import { SpreadLine } from './spread-line.tsx';

interface TabBarProps {
  readonly width: number;
  readonly current: Tab;
  readonly intervalMs: number;
  readonly slowed: boolean;
}

/** The tabs with their keys; the one shown stands in brackets, so that it is seen without colour too. */
export function TabBar({ width, current, intervalMs, slowed }: TabBarProps) {
  const theme = useTheme();
  const alerts = useContext(AlertsContext);
  const tabs = TABS.map((tab) => {
    const key = KEYMAP.find(({ action }) => action === tab.action)?.label ?? '';
    const badge = tab.title === 'Alerts' && alerts !== null ? alertsBadge(alerts, theme) : null;
    return { tab, name: `${key} ${tab.title}`, badge };
  });
  const pace = `${slowed ? 'slowed: ' : ''}every ${interval(intervalMs)} `;
  const used = tabs.reduce((sum, { name, badge }) => sum + name.length + (badge?.text.length ?? 0) + 2, 0);
  return (
    <SpreadLine
      width={width}
      left={tabs.map(({ tab, name, badge }) => {
        const [before, after] = tab === current ? ['[', ']'] : [' ', ' '];
        const style = tab === current ? { bold: true, color: theme.color('accent') } : {};
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
}

interface AlertsBadge {
  readonly text: string;
  readonly isNews: boolean;
}

/** How many have fired since the list was last looked at: `!1`; else how many are armed: `·2`. */
function alertsBadge(alerts: AlertsFeed, theme: Theme): AlertsBadge | null {
  if (alerts.unseen > 0) return { text: ` !${alerts.unseen}`, isNews: true };
  const armed = alerts.data?.value.items.filter(({ status }) => isOn(status)).length ?? 0;
  return armed === 0 ? null : { text: ` ${theme.ascii ? '*' : theme.glyph.dot}${armed}`, isNews: false };
}

function BadgeWords({ text, isNews }: AlertsBadge) {
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
