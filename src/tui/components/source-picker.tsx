import { Box, Text } from 'ink';
import { useState } from 'react';
import { ClientError } from '../../client/errors.ts';
import { formatDuration } from '../../core/units.ts';
import { useActions } from '../hooks/use-actions.ts';
import { useNow } from '../hooks/use-now.ts';
import { KEYMAP } from '../keymap.ts';
import type { SourceChoice } from '../monitor-source.ts';
import { useTheme } from '../theme.ts';
import { troubleLines } from '../trouble-lines.ts';
import { veilUrl } from '../veiled-text.ts';
import { truncate } from './fit.ts';
import { TextField } from './text-field.tsx';

interface SourcePickerProps {
  readonly columns: number;
  readonly rows: number;
  /** Why nothing answers; `null`: no answer and no refusal either. */
  readonly error: Error | null;
  readonly retryAt: number | null;
  readonly choose: (choice: SourceChoice) => void;
  /** Why a typed URL cannot be opened; `null`: it can. */
  readonly urlProblem: (text: string) => string | null;
}

/** Nothing answers: says so node by node, and what can be done. Numbers are never made up instead. */
export function SourcePicker({ columns, rows, error, retryAt, choose, urlProblem }: SourcePickerProps) {
  const theme = useTheme();
  const [typing, setTyping] = useState(false);
  useActions('source', {
    'source-retry': () => choose('retry'),
    'source-url': () => setTyping(true),
    'source-demo': () => choose('demo'),
  });
  const details = error instanceof ClientError ? error.details : [];
  const room = Math.max(rows - 11, 1);
  const troubles = troubleLines(
    details.map(({ path, message }) => ({ path: theme.text(path), message: theme.text(message) })),
    { width: columns - 4, room, ellipsis: theme.glyph.ellipsis },
  );
  const line = (text: string) => truncate(theme.text(text), columns - 4, theme.glyph.ellipsis);
  return (
    <Box flexDirection="column" width={columns} height={rows} paddingX={2} paddingTop={1} overflow="hidden">
      <Text bold color={theme.color('bad')}>
        {line(`${theme.glyph.warning} ${titleOf(error)}`)}
      </Text>
      <Text>{theme.text(error?.message ?? 'No answer within 3 s.')}</Text>
      <Box flexDirection="column" marginY={1}>
        {troubles.slice(0, room).map(({ name, text }) => (
          <Text key={`${name} ${text}`} wrap="truncate">
            <Text bold>{name}</Text>
            {text}
          </Text>
        ))}
      </Box>
      {typing ? (
        <UrlField
          width={columns - 4}
          urlProblem={urlProblem}
          submit={(url) => choose({ url })}
          cancel={() => setTyping(false)}
        />
      ) : (
        <Choices retryAt={retryAt} />
      )}
    </Box>
  );
}

/** What a service of ours says while it starts: v1 has one code for that and for nodes that are away. */
const STARTS = /^the first blocks are being read/;

/** A node that answers while its first blocks are still read, or a file that cannot be opened, is no source that is silent. */
function titleOf(error: Error | null): string {
  if (error === null) return 'No source answers';
  if (!(error instanceof ClientError)) return 'This source cannot be opened';
  return STARTS.test(error.message) ? 'No prices yet' : 'No source answers';
}

function Choices({ retryAt }: { readonly retryAt: number | null }) {
  const theme = useTheme();
  const now = useNow();
  const sec = retryAt === null ? null : Math.max(Math.ceil((retryAt - now) / 1_000), 0);
  return (
    <Box flexDirection="column">
      {KEYMAP.filter(({ scope }) => scope === 'source').map(({ action, label, help }) => (
        <Text key={action}>
          <Text bold>{`${label}  `}</Text>
          {theme.text(help)}
        </Text>
      ))}
      <Text dimColor>{sec === null ? ' ' : `asked again by itself in ${formatDuration(sec)}`}</Text>
    </Box>
  );
}

const EXAMPLES = 'for example http://127.0.0.1:8545 or https://gas.example.com';

interface UrlFieldProps {
  readonly width: number;
  readonly urlProblem: (text: string) => string | null;
  readonly submit: (url: string) => void;
  readonly cancel: () => void;
}

function UrlField({ width, urlProblem, submit, cancel }: UrlFieldProps) {
  const theme = useTheme();
  const [text, setText] = useState('');
  const problem = text.trim() === '' ? EXAMPLES : urlProblem(text);
  return (
    <Box flexDirection="column">
      <TextField
        label="URL"
        width={width}
        veil={(typed) => veilUrl(typed, theme)}
        onChange={setText}
        onSubmit={() => {
          if (problem === null) submit(text.trim());
        }}
        onCancel={cancel}
      />
      {problem === null ? (
        <Text color={theme.color('good')}>Enter opens it, Esc goes back</Text>
      ) : (
        <Text color={theme.color('warn')}>{theme.text(problem)}</Text>
      )}
    </Box>
  );
}
