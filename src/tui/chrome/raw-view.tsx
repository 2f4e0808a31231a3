import { ClientError } from '../../client/errors.ts';
import { cleanText } from '../../core/text.ts';
import { failureTitle } from '../app/connection.ts';
import { useMonitor, usePolledQuery } from '../data/queries.ts';
import { PaneState } from '../ui/pane-state.tsx';
import { ScrollView } from '../ui/scroll.tsx';
import { displayWidth } from '../ui/text.tsx';

const MOST_LINES = 5_000;

/** An answer as lines no wider than `width`: JSON is set out, anything else stays as it came. */
export function rawLines(answer: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const line of setOut(answer).split('\n')) {
    // JSON escapes may hide control characters, so they are looked for after it is set out.
    for (const piece of pieces(cleanText(line), Math.max(width, 1))) {
      if (lines.length === MOST_LINES) return [...lines, `(cut after ${MOST_LINES} lines)`];
      lines.push(piece);
    }
  }
  return lines;
}

function setOut(answer: string): string {
  try {
    return JSON.stringify(JSON.parse(answer), null, 2);
  } catch {
    return answer;
  }
}

function pieces(line: string, width: number): readonly string[] {
  if (displayWidth(line) <= width) return [line];
  const cut: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of line) {
    const own = displayWidth(character);
    if (used + own > width) {
      cut.push(piece);
      piece = '';
      used = 0;
    }
    piece += character;
    used += own;
  }
  return [...cut, piece];
}

interface RawViewProps extends RawQuestion {
  readonly columns: number;
  readonly rows: number;
}

/** What the service really said, for whoever wonders where a number comes from. */
export function RawView({ path, query = {}, columns, rows }: RawViewProps) {
  const asked = Object.keys(query).length === 0 ? path : `${path}?${new URLSearchParams(query)}`;
  const { client, frozen } = useMonitor();
  const { data, error } = usePolledQuery({
    key: ['raw', asked],
    ask: (signal) => client.raw(path, query, { signal }),
    frozen,
  });
  const width = columns - 2;
  const refused = data === undefined && error instanceof ClientError ? error.raw : null;
  const answer = data ?? refused;
  if (answer !== null) {
    const lines = [
      ...(refused === null || error === null ? [] : [...rawLines(error.message, width), '']),
      ...rawLines(answer, width),
    ];
    return <ScrollView title={`GET ${asked}`} lines={lines} columns={columns} rows={rows} />;
  }
  if (error === null) return <PaneState kind="loading" what={`the answer to ${asked}`} />;
  return (
    <PaneState
      kind="error"
      title={failureTitle(error)}
      reason={error.message}
      hint="r asks again, Esc closes"
      retryAt={null}
    />
  );
}

/** A GET of v1 for the raw view. */
export interface RawQuestion {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}
