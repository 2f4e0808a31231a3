import { Box, Text } from 'ink';
import { useState } from 'react';
import { ClientError } from '../../client/errors.ts';
import { type ChosenSource, veilUrl } from '../app/source.ts';
import { KEYMAP } from '../input/keymap.ts';
import { TextField } from '../input/text-input.tsx';
import { useKeys } from '../input/use-keys.tsx';
import { Room, useNow, useRoom } from '../ui/pane-context.tsx';
import { failureHint, failureRemedy, failureTitle, nextTry, PaneState } from '../ui/pane-state.tsx';
import { placed } from '../ui/text.tsx';
import { COLORS, forTerminal } from '../ui/theme.ts';
import { useElapsed } from '../ui/use-elapsed.ts';

export interface NoDataReason {
  /** Why there is no response; `null`: neither a response nor a refusal. */
  readonly error: Error | null;
  readonly retryAt: number | null;
  readonly attempt: number;
}

export function NoData({ error, retryAt }: NoDataReason) {
  if (error === null || (error instanceof ClientError && error.code === 'unavailable')) return <Waiting />;
  const hint = failureRemedy(error) ?? failureHint(error);
  return <PaneState kind="error" title={failureTitle(error)} reason={error.message} {...{ hint, retryAt }} />;
}

export function Waiting() {
  const { columns, rows } = useRoom();
  return (
    <Box width={columns} height={rows} alignItems="center" justifyContent="center">
      <Text dimColor>Waiting for the first block ...</Text>
    </Box>
  );
}

/** How long a source may take to respond for the first time before another one is offered. */
const FIRST_RESPONSE_MS = 3_000;

export function useNoResponse({ error, attempt }: NoDataReason): boolean {
  const late = useElapsed(FIRST_RESPONSE_MS, attempt);
  if (error === null) return late;
  if (!(error instanceof ClientError) || error.code === 'unreachable') return true;
  // The embedded service reports `unavailable` until its nodes have responded: it has three seconds.
  return error.code === 'unavailable' && late;
}

/** The message of a starting gastop service: v1 has the same code for that and for unavailable nodes. */
const STARTS = /^the first blocks are being read/;

/** A node that responds while its first blocks are read, or a file that cannot be opened, is not silent. */
function titleOf(error: Error | null): string {
  if (error === null) return 'No source answers';
  if (!(error instanceof ClientError)) return 'This source cannot be opened';
  return STARTS.test(error.message) ? 'No prices yet' : 'No source answers';
}

const EXAMPLES = 'for example http://127.0.0.1:8545 or https://gas.example.com';
/** Of a node's name, so that there is room for its problem. */
const MOST_NAME = 32;

interface SourcePickerProps extends NoDataReason {
  readonly choose: (choice: ChosenSource) => void;
  /** Why a typed URL cannot be opened, in one line; `null` when it can be tried. */
  readonly urlProblem: (text: string) => string | null;
}

/** Offers another source where none answers. */
export function SourcePicker({ error, retryAt, choose, urlProblem }: SourcePickerProps) {
  const { columns, rows } = useRoom();
  const now = useNow();
  const [typed, setTyped] = useState<string | null>(null);
  useKeys('source', {
    'source-retry': () => choose('retry'),
    'source-url': () => setTyped(''),
    'source-demo': () => choose('demo'),
  });
  const details = error instanceof ClientError ? error.details : [];
  const nameRoom = Math.min(Math.max(0, ...details.map(({ path }) => path.length)), MOST_NAME);
  const problem = typed?.trim() ? urlProblem(typed) : EXAMPLES;
  return (
    <Box flexDirection="column" width={columns} height={rows} paddingX={2} paddingTop={1} overflow="hidden">
      <Text bold color={COLORS.bad}>{`! ${titleOf(error)}`}</Text>
      <Text>{forTerminal(error?.message ?? 'No answer within 3 s.')}</Text>
      <Box flexDirection="column" flexShrink={1} marginY={1} overflow="hidden">
        {placed(details, ({ path, message }) => (
          <Box flexShrink={0} columnGap={2}>
            <Box flexShrink={0} width={nameRoom}>
              <Text bold wrap="truncate">
                {forTerminal(path)}
              </Text>
            </Box>
            <Text>{forTerminal(message)}</Text>
          </Box>
        ))}
      </Box>
      {typed === null ? (
        <Box flexDirection="column" flexShrink={0}>
          {KEYMAP.filter(({ scope }) => scope === 'source').map(({ action, label, help }) => (
            <Text key={action}>
              <Text bold>{`${label}  `}</Text>
              {help}
            </Text>
          ))}
          <Text dimColor>{nextTry(retryAt, now) ?? ' '}</Text>
        </Box>
      ) : (
        <Room columns={columns - 4} rows={rows}>
          <TextField
            label="URL"
            veil={veilUrl}
            onChange={setTyped}
            onSubmit={(url) => {
              if (problem === null) choose({ url: url.trim() });
            }}
            onCancel={() => setTyped(null)}
          />
          <Text color={problem === null ? COLORS.good : COLORS.warn}>
            {forTerminal(problem ?? 'Enter opens it, Esc goes back')}
          </Text>
        </Room>
      )}
    </Box>
  );
}
