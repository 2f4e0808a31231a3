import { ClientError } from '../../client/errors.ts';
import { cleanText } from '../../core/text.ts';
import { failureTitle } from '../app/connection.ts';
import { useMonitorQuery } from '../data/queries.ts';
import { KEYMAP, SCOPE_TITLES, SCOPES, type Scope } from '../input/keymap.ts';
import { useRoom } from '../ui/pane-context.tsx';
import { PaneState } from '../ui/pane-state.tsx';
import { ScrollView } from '../ui/scroll.tsx';
import { displayWidth, fitText } from '../ui/text.tsx';

const MOST_LINES = 5_000;

/** A response as lines no wider than `width`: JSON is indented, everything else unchanged. */
export function rawLines(response: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const line of setOut(response).split('\n')) {
    // JSON escapes may hide control characters, so they are replaced after indenting.
    for (const piece of pieces(cleanText(line), Math.max(width, 1))) {
      if (lines.length === MOST_LINES) return [...lines, `(cut after ${MOST_LINES} lines)`];
      lines.push(piece);
    }
  }
  return lines;
}

function setOut(response: string): string {
  try {
    return JSON.stringify(JSON.parse(response), null, 2);
  } catch {
    return response;
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
    return <ScrollView title={`GET ${request}`} lines={[...why, ...rawLines(response, width)]} />;
  }
  if (error === null) return <PaneState kind="loading" what={`the response to ${request}`} />;
  const words = { title: failureTitle(error), reason: error.message, hint: 'r asks again, Esc closes' };
  return <PaneState kind="error" {...words} retryAt={null} />;
}

/** Two more than the longest in ASCII: `Shift-Tab [`. */
const LABEL_ROOM = 13;

export function helpLines(current: Scope): readonly string[] {
  const keys = [current, ...SCOPES.filter((scope) => scope !== current)].flatMap((scope) => {
    const lines = KEYMAP.filter((binding) => binding.scope === scope).map(
      ({ label, help }) => `  ${fitText(label, LABEL_ROOM)}${help}`,
    );
    const title = SCOPE_TITLES[scope];
    return ['', `${title.charAt(0).toUpperCase()}${title.slice(1)}`, ...lines];
  });
  return [...keys, '', ...SIGNS];
}

const SIGNS = [
  'Beside a tab',
  '  !2        2 have fired or come to an end since you last looked',
  '  ·2        none has; 2 wait for their price or are on their way',
];
