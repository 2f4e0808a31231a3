import { Text } from 'ink';
import { formatDuration } from '../../core/units.ts';
import type { Health } from '../health.ts';
import { useNow } from '../hooks/use-now.ts';
import { useTheme } from '../theme.ts';
import { displayWidth, truncate } from './fit.ts';

interface NoticeLineProps {
  readonly health: Health;
  readonly width: number;
}

/** Why the data is old and what happens next; the reason is cut before the rest is. */
export function NoticeLine({ health, width }: NoticeLineProps) {
  const theme = useTheme();
  const now = useNow();
  if (!('reason' in health)) return null;
  const next = health.kind === 'refused' ? health.remedy : retryText(health.retryAt, now);
  const tail = next === null ? '' : ` ${theme.glyph.dot} ${theme.text(next)}`;
  const room = Math.max(width - 4 - displayWidth(tail), 12);
  return (
    <Text wrap="truncate">
      <Text color={theme.color('bad')}>{` ${theme.glyph.warning} `}</Text>
      {truncate(theme.text(health.reason), room, theme.glyph.ellipsis)}
      <Text bold={health.kind === 'refused'}>{tail}</Text>
    </Text>
  );
}

function retryText(retryAt: number | null, now: number): string | null {
  if (retryAt === null) return null;
  const sec = Math.ceil((retryAt - now) / 1_000);
  return sec <= 0 ? 'trying again now' : `next try in ${formatDuration(sec)}`;
}
