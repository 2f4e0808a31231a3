import { Text } from 'ink';
import { formatDuration } from '../../core/units.ts';
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
  return (
    <SpreadLine
      width={width}
      left={TABS.map((tab) => {
        const key = KEYMAP.find(({ action }) => action === tab.action)?.label ?? '';
        return tab === current ? (
          <Text key={tab.action} bold color={theme.color('accent')}>{`[${key} ${tab.title}]`}</Text>
        ) : (
          <Text key={tab.action}>{` ${key} ${tab.title} `}</Text>
        );
      })}
      right={<Text dimColor>{`${slowed ? 'slowed: ' : ''}every ${interval(intervalMs)} `}</Text>}
    />
  );
}

function interval(ms: number): string {
  return ms < 1_000 ? `${ms / 1_000}s` : formatDuration(ms / 1_000);
}
