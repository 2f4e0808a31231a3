import { Box, Text, type TextProps } from 'ink';
import type { ReactNode } from 'react';
import { formatAge, formatDuration } from '../../core/units.ts';
import { useNow } from '../app/clock.ts';
import { isPaced, remedyFor } from '../app/connection.ts';
import type { Dated, Polled } from '../data/queries.ts';
import { type Line, placed } from './text.tsx';
import { DimContext, type Theme, useDim, useTheme } from './theme.ts';

type PaneStateProps =
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
  return (
    <Box flexDirection="column" flexGrow={1} alignItems="center" justifyContent="center" paddingX={2}>
      {placed(stateLines(props, theme), ({ text, ...look }) => (
        <Text {...look}>{theme.text(text)}</Text>
      ))}
    </Box>
  );
}

function stateLines(props: PaneStateProps, theme: Theme): readonly (TextProps & { readonly text: string })[] {
  const faint = (text: string | null | undefined) => (text == null ? [] : [{ text, dimColor: true }]);
  switch (props.kind) {
    case 'loading':
      return [...faint(`Loading ${props.what} …`), ...faint(props.why)];
    case 'empty':
      return [{ text: props.title, bold: true }, ...faint(props.hint), ...faint(props.more)];
    case 'error':
      return [
        { text: `${theme.glyph.warning} ${props.title}`, bold: true, color: theme.color('bad') },
        { text: props.reason },
        ...faint(timing(props.ageSec, props.retryInSec)),
        ...faint(props.hint),
      ];
  }
}

function timing(ageSec: number | null | undefined, retryInSec: number | null | undefined): string {
  const age = ageSec == null ? 'no data yet' : `last data ${formatAge(ageSec)}`;
  if (retryInSec == null) return `${age} · not tried again by itself`;
  return retryInSec < 1 ? `${age} · trying again now` : `${age} · next try in ${formatDuration(retryInSec)}`;
}

interface PolledFrameProps {
  readonly polled: Polled<Dated<unknown>>;
  /** What is awaited: `the last hour`. */
  readonly what: string;
  /** The data is still of an older choice. */
  readonly pending: boolean;
  readonly width: number;
  readonly height: number;
  /** What the user can do where there is no answer. */
  readonly hint?: string;
  /** Draws the data; `notice` is the line to show with it. */
  readonly children: (notice: Line | null) => ReactNode;
}

/** Loading, failed, or data: dimmed and with age, reason and next try where it is no longer fresh. */
export function PolledFrame(props: PolledFrameProps) {
  const { polled, what, pending, width, height, hint = 'r asks again now', children } = props;
  const now = useNow();
  const around = useDim();
  const { data, error, retryAt } = polled;
  const retryInSec = retryAt === null ? null : Math.max(Math.ceil((retryAt - now) / 1_000), 0);
  // Whoever waits for a limit per second waits a moment, and nothing is wrong.
  const why = error === null ? null : 'waiting: limit per second';
  if (data === undefined) {
    return (
      <Box width={width} height={height} overflow="hidden">
        {error === null || isPaced(error) ? (
          <PaneState kind="loading" what={what} why={why} />
        ) : (
          <PaneState
            kind="error"
            title={`No answer for ${what}`}
            reason={error.message}
            hint={remedyFor(error) ?? hint}
            retryInSec={retryInSec}
          />
        )}
      </Box>
    );
  }
  const age = formatAge((now - data.at) / 1_000);
  if (error !== null) {
    const next = retryInSec === null ? '' : ` · next try in ${formatDuration(retryInSec)}`;
    // Where the frame around says already why nothing is fresh, the age is enough.
    const text = around ? `this is from ${age}` : `${what} as of ${age}${next} · ${error.message}`;
    return (
      <DimContext.Provider value={true}>
        {children([{ text: text.replaceAll('\n', ' ') }])}
      </DimContext.Provider>
    );
  }
  return children(pending ? [{ text: `loading ${what} …`, faint: true }] : null);
}
