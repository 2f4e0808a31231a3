import { Box } from 'ink';
import { type ReactNode, useContext } from 'react';
import { formatAge, formatDuration } from '../../core/units.ts';
import { remedyFor } from '../health.ts';
import { DimContext, useDim } from '../hooks/use-dim.ts';
import { MonitorContext } from '../hooks/use-monitor.ts';
import { useNow } from '../hooks/use-now.ts';
import type { Dated, Polled } from '../hooks/use-polled-query.ts';
import { isPaced } from '../limit-words.ts';
import { PaneState } from './pane-state.tsx';
import type { Segment } from './segment-line.tsx';

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
  readonly children: (notice: Segment | null) => ReactNode;
}

/** Loading, failed, or data: dimmed and with age, reason and next try where it is no longer fresh. */
export function PolledFrame(props: PolledFrameProps) {
  const { polled, what, pending, width, height, hint = 'r asks again now', children } = props;
  const now = useNow();
  const around = useDim();
  const limit = useContext(MonitorContext)?.limit ?? null;
  const { data, error, retryAt } = polled;
  const retryInSec = retryAt === null ? null : Math.max(Math.ceil((retryAt - now) / 1_000), 0);
  // Whoever waits for a limit per second waits a moment, and nothing is wrong.
  const words = limit ?? (error === null ? null : 'limit per second');
  const why = words === null ? null : `waiting: ${words}`;
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
