import { ClientError } from '../../client/errors.ts';
import { cleanText, wrapWords } from '../../core/text.ts';
import { useMonitorQuery } from '../data/polled-query.ts';
import { KEYMAP, SCOPES, type Scope, scopeTitle } from '../input/keymap.ts';
import { useRoom } from '../ui/pane-context.tsx';
import { failureTitle, PaneState } from '../ui/pane-state.tsx';
import { TextView } from '../ui/scroll.tsx';
import { fitText, shownWidth } from '../ui/text.tsx';

const MOST_LINES = 5_000;

/** A response as lines no wider than `width`: JSON is indented, everything else only broken. */
export function rawLines(response: string, width: number): readonly string[] {
  // JSON escapes may hide control characters, so they are replaced after indenting.
  const lines = setOut(response)
    .split('\n', MOST_LINES + 1)
    .map((line) => cleanText(line))
    .flatMap((line) => (shownWidth(line) <= width ? line : wrapWords(line, Math.max(width, 1))));
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES), `(cut after ${MOST_LINES} lines)`];
}

function setOut(response: string): string {
  try {
    return JSON.stringify(JSON.parse(response), null, 2);
  } catch {
    return response;
  }
}

export interface RawRequest {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

export function RawView({ path, query = {} }: RawRequest) {
  const request = Object.keys(query).length === 0 ? path : `${path}?${new URLSearchParams(query)}`;
  const { data, error } = useMonitorQuery({
    key: ['raw', request],
    ask: (client, signal) => client.raw(path, query, { signal }),
  });
  const width = useRoom().columns - 2;
  const refused = data === undefined && error instanceof ClientError ? error.raw : null;
  const response = data ?? refused;
  if (response !== null) {
    const why = refused === null || error === null ? [] : [...rawLines(error.message, width), ''];
    return <TextView title={`GET ${request}`} lines={[...why, ...rawLines(response, width)]} />;
  }
  if (error === null) return <PaneState kind="loading" what={`the response to ${request}`} />;
  const words = { title: failureTitle(error), reason: error.message, hint: 'r asks again, Esc closes' };
  return <PaneState kind="error" {...words} retryAt={null} />;
}

/** Two more than the longest in ASCII: `Shift-Tab [`. */
const LABEL_ROOM = 13;

/** @param forgetful what forgets alerts and auto-txs when it ends */
export function helpLines(current: Scope, forgetful: string | null = null): readonly string[] {
  const keys = [current, ...SCOPES.filter((scope) => scope !== current)].flatMap((scope) => {
    const bindings = KEYMAP.filter((binding) => binding.scope === scope);
    const title = scopeTitle(scope);
    return [
      '',
      `${title.charAt(0).toUpperCase()}${title.slice(1)}`,
      ...bindings.map(({ label, help }) => `  ${fitText(label, LABEL_ROOM)}${help}`),
    ];
  });
  const stored = `  ${forgetful} forgets alerts and auto-txs when it ends; with --db FILE they stay`;
  return [
    ...keys,
    ...(forgetful === null ? [] : ['', 'What is stored', stored]),
    '',
    'On the Chart',
    '  ▲ ◇       unusual for its time frame: 40 % and five usual deviations of it',
    '            off the prices before and after, so that a longer frame marks fewer',
    '',
    'Beside a tab',
    '  !2        2 have fired or come to an end since you last looked',
    '  ·2        none has; 2 wait for their price or are on their way',
  ];
}
