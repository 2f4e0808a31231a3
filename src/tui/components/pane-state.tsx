import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { formatAge, formatDuration } from '../../core/units.ts';
import { useTheme } from '../theme.ts';

export type PaneStateProps =
  | {
      readonly kind: 'loading' /** What is awaited: `the last hour`. */;
      readonly what: string /** Why that takes long. */;
      readonly why?: string | null;
    }
  | {
      readonly kind: 'empty';
      readonly title: string;
      /** What to do about it. */
      readonly hint: string;
      /** What else is good to know, on a line of its own. */
      readonly more?: string | null;
    }
  | {
      readonly kind: 'error';
      readonly title: string;
      /** Why, in one line. */
      readonly reason: string;
      /** What the user can do. */
      readonly hint: string;
      /** Seconds since the last good data; absent where there was none. */
      readonly ageSec?: number | null;
      /** Seconds until the next try; `null` where nothing is tried by itself. */
      readonly retryInSec?: number | null;
    };

/** What a pane shows instead of data: always what is going on and what to do. */
export function PaneState(props: PaneStateProps) {
  const theme = useTheme();
  switch (props.kind) {
    case 'loading':
      return (
        <Screen>
          <Text dimColor>{theme.text(`Loading ${props.what} …`)}</Text>
          {props.why == null ? null : <Text dimColor>{theme.text(props.why)}</Text>}
        </Screen>
      );
    case 'empty':
      return (
        <Screen>
          <Text bold>{theme.text(props.title)}</Text>
          <Text dimColor>{theme.text(props.hint)}</Text>
          {props.more == null ? null : <Text dimColor>{theme.text(props.more)}</Text>}
        </Screen>
      );
    case 'error':
      return (
        <Screen>
          <Text bold color={theme.color('bad')}>
            {`${theme.glyph.warning} ${theme.text(props.title)}`}
          </Text>
          <Text>{theme.text(props.reason)}</Text>
          <Text dimColor>{theme.text(timing(props.ageSec, props.retryInSec))}</Text>
          <Text dimColor>{theme.text(props.hint)}</Text>
        </Screen>
      );
  }
}

function timing(ageSec: number | null | undefined, retryInSec: number | null | undefined): string {
  const age = ageSec == null ? 'no data yet' : `last data ${formatAge(ageSec)}`;
  if (retryInSec == null) return `${age} · not tried again by itself`;
  return retryInSec < 1 ? `${age} · trying again now` : `${age} · next try in ${formatDuration(retryInSec)}`;
}

function Screen({ children }: { readonly children: ReactNode }) {
  return (
    <Box flexDirection="column" flexGrow={1} alignItems="center" justifyContent="center" paddingX={2}>
      {children}
    </Box>
  );
}
