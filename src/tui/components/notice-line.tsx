import { Text } from 'ink';
import { formatDuration } from '../../core/units.ts';
import type { Health } from '../health.ts';
import { useNow } from '../hooks/use-now.ts';
import { useTheme } from '../theme.ts';
import { displayWidth, truncate } from './fit.ts';

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
