import { Box } from 'ink';
import type { ReactNode } from 'react';
import { PaneState } from '../../components/pane-state.tsx';
import { PolledFrame } from '../../components/polled-frame.tsx';
import type { Segment } from '../../components/segment-line.tsx';
import { useNow } from '../../hooks/use-now.ts';
import type { Dated, Polled } from '../../hooks/use-polled-query.ts';
import type { ExplorerProblem } from './explorer-problem.ts';

interface PlaceFrameProps {
  readonly polled: Polled<Dated<unknown>>;
  readonly what: string;
  readonly problem: (error: Error) => ExplorerProblem;
  readonly columns: number;
  readonly rows: number;
  readonly children: (notice: Segment | null) => ReactNode;
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
