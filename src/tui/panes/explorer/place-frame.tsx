import { Box } from 'ink';
import type { ReactNode } from 'react';
import { useNow } from '../../app/clock.ts';
import type { Dated, Polled } from '../../data/queries.ts';
import { PaneState, PolledFrame } from '../../ui/pane-state.tsx';
import type { Line } from '../../ui/text.tsx';
import type { ExplorerProblem } from './explorer-problem.ts';

interface PlaceFrameProps {
  readonly polled: Polled<Dated<unknown>>;
  readonly what: string;
  readonly problem: (error: Error) => ExplorerProblem;
  readonly columns: number;
  readonly rows: number;
  readonly children: (notice: Line | null) => ReactNode;
}

/** What is open: loading, not to be had with what to try, or its data. */
export function PlaceFrame({ polled, what, problem, columns, rows, children }: PlaceFrameProps) {
  const now = useNow();
  const { data, error, retryAt } = polled;
  if (data === undefined && error !== null) {
    return (
      <Box width={columns} height={rows} overflow="hidden">
        <PaneState
          kind="error"
          {...problem(error)}
          retryInSec={retryAt === null ? null : Math.max(Math.ceil((retryAt - now) / 1_000), 0)}
        />
      </Box>
    );
  }
  return (
    <PolledFrame polled={polled} what={what} pending={false} width={columns} height={rows}>
      {children}
    </PolledFrame>
  );
}
