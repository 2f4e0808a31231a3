import { Box, Text } from 'ink';
import { useState } from 'react';
import { ClientError } from '../../client/errors.ts';
import { formatDuration } from '../../core/units.ts';
import { useElapsed, useNow } from '../app/clock.ts';
import { failureHint, failureTitle, remedyFor } from '../app/connection.ts';
import { type SourceChoice, veilUrl } from '../app/source.ts';
import { KEYMAP } from '../input/keymap.ts';
import { TextField } from '../input/text-field.tsx';
import { useKeys } from '../input/use-keys.tsx';
import { Room, useRoom } from '../ui/pane-context.tsx';
import { PaneState } from '../ui/pane-state.tsx';
import { bold, displayWidth, type Line, LineList, plain, truncate, wrapText } from '../ui/text.tsx';
import { COLORS, forTerminal } from '../ui/theme.ts';

const GAP = 2;

/** The problem of each node, a shared one once after the names; nodes beyond `room` lines are counted. */
export function troubleLines(
  troubles: readonly { readonly path: string; readonly message: string }[],
  width: number,
  room: number,
): readonly Line[] {
  const alike = [...Map.groupBy(troubles, ({ message }) => message).values()];
  const singles = alike.flatMap((nodes) => (nodes.length === 1 ? nodes : []));
  const named = Math.max(0, ...singles.map(({ path }) => displayWidth(path)));
  const lines = alike.flatMap((nodes, place): readonly Line[] => {
    const [{ path, message } = { path: '', message: '' }] = nodes;
    if (nodes.length === 1 && named + GAP + displayWidth(message) <= width) {
      return [[bold(path.padEnd(path.length + named - displayWidth(path) + GAP)), plain(message)]];
    }
    const left = Math.max(Math.floor(room / alike.length) + (place < room % alike.length ? 1 : 0), 1);
    const reason = nodes.length === 1 ? message : `each: ${message}`;
    const reasonLines = wrapText(reason, width - GAP, Math.max(left - 1, 1));
    const most = Math.max(left - reasonLines.length, 1);
    const shown = nodes.length > most ? nodes.slice(0, most - 1) : nodes;
    const hidden = nodes.length - shown.length;
    const more = shown.length === 0 ? `${hidden} nodes` : `and ${hidden} more`;
    return [
      ...shown.map((node) => [bold(truncate(node.path, width))]),
      ...(hidden > 0 ? [[plain(more)]] : []),
      ...reasonLines.map((text) => [plain(`${' '.repeat(GAP)}${text}`)]),
    ];
  });
  return lines.slice(0, room);
}

interface NoDataReason {
  /** Why there is no response; `null`: neither a response nor a refusal. */
  readonly error: Error | null;
  readonly retryAt: number | null;
  readonly attempt: number;
}

interface NoDataProps extends NoDataReason {
  readonly nothingAnswers: boolean;
  readonly choose: (choice: SourceChoice) => void;
  /** Why a typed URL cannot be opened; `null` when it can. */
  readonly urlProblem: (text: string) => string | null;
}

export function NoData(props: NoDataProps) {
  const { error, retryAt, nothingAnswers } = props;
  const { columns, rows } = useRoom();
  if (nothingAnswers) return <SourcePicker {...props} />;
  if (error === null || (error instanceof ClientError && error.code === 'unavailable')) {
    return (
      <Box width={columns} height={rows} alignItems="center" justifyContent="center">
        <Text dimColor>Waiting for the first block ...</Text>
      </Box>
    );
  }
  const hint = remedyFor(error) ?? failureHint(error);
  return <PaneState kind="error" title={failureTitle(error)} reason={error.message} {...{ hint, retryAt }} />;
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

/** Shows the problem of each node, and what to do. It never makes up numbers. */
function SourcePicker({ error, retryAt, choose, urlProblem }: NoDataProps) {
  const { columns, rows } = useRoom();
  const [typing, setTyping] = useState(false);
  useKeys('source', {
    'source-retry': () => choose('retry'),
    'source-url': () => setTyping(true),
    'source-demo': () => choose('demo'),
  });
  const details = error instanceof ClientError ? error.details : [];
  const width = columns - 4;
  return (
    <Box flexDirection="column" width={columns} height={rows} paddingX={2} paddingTop={1} overflow="hidden">
      <LineList lines={[[bold(`! ${titleOf(error)}`, 'bad')]]} width={width} />
      <Text>{forTerminal(error?.message ?? 'No answer within 3 s.')}</Text>
      <Box marginY={1}>
        <LineList lines={troubleLines(details, width, Math.max(rows - 11, 1))} width={width} />
      </Box>
      <Room columns={width} rows={rows}>
        {typing ? (
          <UrlField
            urlProblem={urlProblem}
            submit={(url) => choose({ url })}
            cancel={() => setTyping(false)}
          />
        ) : (
          <Choices retryAt={retryAt} />
        )}
      </Room>
    </Box>
  );
}

/** The message of a starting gastop service: v1 has the same code for that and for unavailable nodes. */
const STARTS = /^the first blocks are being read/;

/** A node that responds while its first blocks are read, or a file that cannot be opened, is not silent. */
function titleOf(error: Error | null): string {
  if (error === null) return 'No source answers';
  if (!(error instanceof ClientError)) return 'This source cannot be opened';
  return STARTS.test(error.message) ? 'No prices yet' : 'No source answers';
}

function Choices({ retryAt }: { readonly retryAt: number | null }) {
  const now = useNow();
  const retryInSec = retryAt === null ? null : Math.max(Math.ceil((retryAt - now) / 1_000), 0);
  return (
    <Box flexDirection="column">
      {KEYMAP.filter(({ scope }) => scope === 'source').map(({ action, label, help }) => (
        <Text key={action}>
          <Text bold>{`${label}  `}</Text>
          {help}
        </Text>
      ))}
      <Text dimColor>
        {retryInSec === null ? ' ' : `asked again by itself in ${formatDuration(retryInSec)}`}
      </Text>
    </Box>
  );
}

const EXAMPLES = 'for example http://127.0.0.1:8545 or https://gas.example.com';

interface UrlFieldProps extends Pick<NoDataProps, 'urlProblem'> {
  readonly submit: (url: string) => void;
  readonly cancel: () => void;
}

function UrlField({ urlProblem, submit, cancel }: UrlFieldProps) {
  const [text, setText] = useState('');
  const problem = text.trim() === '' ? EXAMPLES : urlProblem(text);
  return (
    <Box flexDirection="column">
      <TextField
        label="URL"
        veil={veilUrl}
        onChange={setText}
        onSubmit={() => {
          if (problem === null) submit(text.trim());
        }}
        onCancel={cancel}
      />
      <Text color={problem === null ? COLORS.good : COLORS.warn}>
        {forTerminal(problem ?? 'Enter opens it, Esc goes back')}
      </Text>
    </Box>
  );
}
