import { Box, Text } from 'ink';
import { ClientError } from '../../client/errors.ts';
import { failureHint, failureTitle } from '../failure-words.ts';
import { remedyFor } from '../health.ts';
import { useElapsed } from '../hooks/use-elapsed.ts';
import { useNow } from '../hooks/use-now.ts';
import type { SourceChoice } from '../monitor-source.ts';
import { PaneState } from './pane-state.tsx';
import { SourcePicker } from './source-picker.tsx';

/** How long a source may take to answer for the first time before the choice of another is offered. */
const PATIENCE_MS = 3_000;

export interface NoDataReason {
  readonly error: Error | null;
  readonly retryAt: number | null;
  /** Which attempt to open a source this is: each has its own three seconds. */
  readonly attempt: number;
}

/** Whether nothing answers, so that another source is worth offering; a refusal is an answer. */
export function useNothingAnswers({ error, attempt }: NoDataReason): boolean {
  const late = useElapsed(PATIENCE_MS, attempt);
  if (error === null) return late;
  if (!(error instanceof ClientError) || error.code === 'unreachable') return true;
  // The embedded service says `unavailable` until its nodes have answered: it has three seconds.
  return error.code === 'unavailable' && late;
}

interface NoDataProps extends NoDataReason {
  readonly columns: number;
  readonly rows: number;
  readonly nothingAnswers: boolean;
  readonly choose: (choice: SourceChoice) => void;
  readonly urlProblem: (text: string) => string | null;
}

/** The screen before the first answer. */
export function NoData({ nothingAnswers, attempt: _attempt, ...picker }: NoDataProps) {
  const { columns, rows, error, retryAt } = picker;
  if (nothingAnswers) {
    return <SourcePicker {...picker} />;
  }
  if (error === null || (error instanceof ClientError && error.code === 'unavailable')) {
    return (
      <Box flexDirection="column" width={columns} height={rows} alignItems="center" justifyContent="center">
        <Text dimColor>Waiting for the first block ...</Text>
      </Box>
    );
  }
  return <Refusal error={error} retryAt={retryAt} />;
}

function Refusal({ error, retryAt }: { readonly error: Error; readonly retryAt: number | null }) {
  const now = useNow();
  return (
    <PaneState
      kind="error"
      title={failureTitle(error)}
      reason={error.message}
      hint={remedyFor(error) ?? failureHint(error)}
      retryInSec={retryAt === null ? null : Math.max((retryAt - now) / 1_000, 0)}
    />
  );
}
