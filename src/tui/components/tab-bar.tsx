import { Text } from 'ink';
import { useContext } from 'react';
import { formatDuration } from '../../core/units.ts';
import { isOn } from '../alert-words.ts';
import { AlertsContext, type AlertsFeed } from '../hooks/use-alerts.ts';
import { KEYMAP } from '../keymap.ts';
import { TABS, type Tab } from '../tabs.ts';
import { useTheme } from '../theme.ts';
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
  return (
    <SpreadLine
      width={width}
      left={TABS.map((tab) => {
        const key = KEYMAP.find(({ action }) => action === tab.action)?.label ?? '';
        const [before, after] = tab === current ? ['[', ']'] : [' ', ' '];
        const style = tab === current ? { bold: true, color: theme.color('accent') } : {};
        return (
          <Text key={tab.action} {...style}>
            {`${before}${key} ${tab.title}`}
            {tab.title === 'Alerts' && alerts !== null ? <AlertsBadge alerts={alerts} /> : null}
            {after}
          </Text>
        );
      })}
      right={<Text dimColor>{`${slowed ? 'slowed: ' : ''}every ${interval(intervalMs)} `}</Text>}
    />
  );
}

/** How many have fired since the list was last looked at: `!1`; else how many are armed: `·2`. */
function AlertsBadge({ alerts }: { readonly alerts: AlertsFeed }) {
  const theme = useTheme();
  if (alerts.unseen > 0) return <Text bold color={theme.color('warn')}>{` !${alerts.unseen}`}</Text>;
  const armed = alerts.data?.value.items.filter(({ status }) => isOn(status)).length ?? 0;
  return armed === 0 ? null : ` ${theme.ascii ? '*' : theme.glyph.dot}${armed}`;
}

function interval(ms: number): string {
  return ms < 1_000 ? `${ms / 1_000}s` : formatDuration(ms / 1_000);
}
