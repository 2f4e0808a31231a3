import { ClientError } from '../../client/errors.ts';
import { beyondLines } from '../beyond-lines.ts';
import { failureTitle } from '../failure-words.ts';
import { useDescription } from '../hooks/use-description.ts';
import { useMonitor } from '../hooks/use-monitor.ts';
import { usePolledQuery } from '../hooks/use-polled-query.ts';
import { rawLines } from '../raw-lines.ts';
import type { RawQuestion } from '../raw-question.ts';
import { PaneState } from './pane-state.tsx';
import { ScrollView } from './scroll-view.tsx';

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
    everyMs: null,
    frozen,
  });
  // A service that answers this with a page of a proxy would seem to have none.
  const description = useDescription(data !== undefined && /^\s*[[{]/.test(data));
  const width = columns - 2;
  const refused = data === undefined && error instanceof ClientError ? error.raw : null;
  const answer = data ?? refused;
  if (answer !== null) {
    const lines = [
      ...(refused === null || error === null ? [] : [...rawLines(error.message, width), '']),
      ...beyondLines(description, path, width),
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
      retryInSec={null}
    />
  );
}
