import { styleText } from 'node:util';
import { ClientError } from '../client/errors.ts';
import { type Fact, mapped } from '../client/views/fact.ts';
import type { SnapshotView } from '../client/views/gas.ts';
import { ASCII_SIGNS } from '../core/ascii.ts';
import { badgeOfKind } from '../core/chain-status.ts';
import { withoutSecrets } from '../core/key-text.ts';
import { cleanText, displayWidth, graphemes, wrapWords } from '../core/text.ts';
import { databaseName, isServerUrl } from '../store/database-url.ts';
import type { Io } from './io.ts';
import type { Settings } from './settings.ts';

/** Makes external text one line that is safe for a terminal, without keys and `secrets`. */
export function cleanLine(text: string, secrets: readonly string[] = [], longest = 600): string {
  // Before the cut, which could truncate a secret, and after it, because removed characters may have split one.
  return withoutSecrets(cleanText(withoutSecrets(text, secrets), longest), secrets).trim();
}

export function note({ stderr }: Pick<Io, 'stderr'>, line: string): void {
  stderr.write(`gastop: ${line}\n`);
}

export const shown = ({ ascii }: Pick<Settings, 'ascii'>, text: string): string =>
  ascii.value ? toAscii(text) : text;

/** Lines cut to `width`; `null`: as long as they are. */
export const cutLines = (
  settings: Pick<Settings, 'ascii'>,
  lines: readonly string[],
  width: number | null,
): string =>
  lines
    .map((line) => shown(settings, line))
    .map((line) => (width === null ? line : cutToWidth(line, width, settings.ascii.value ? '...' : '…')))
    .join('\n');

export function print({ stdout }: Pick<Io, 'stdout'>, settings: Pick<Settings, 'ascii'>, text: string): void {
  stdout.write(`${shown(settings, text)}\n`);
}

/** For programs: a bigint is a number, and numbers are as `write` says. */
export const jsonText = (
  content: unknown,
  write: (value: number, name: string) => unknown = Number,
  indent = 0,
): string => {
  const written = (name: string, value: unknown) =>
    typeof value === 'number' || typeof value === 'bigint' ? write(Number(value), name) : value;
  return `${JSON.stringify(content, written, indent)}\n`;
};

export { mapped };

/** `[REPLAY]  ` to stand before a text, or nothing. */
export function badgeText(kind: SnapshotView['source']['kind'] | undefined): string {
  const badge = badgeOfKind(kind);
  return badge === null ? '' : `[${badge}]  `;
}

export const badgeOf = (snapshot: Pick<SnapshotView, 'source'> | null): string =>
  badgeText(snapshot?.source.kind);

export function utcTime(ms: number, precision: 'minutes' | 'seconds'): string {
  return new Date(ms)
    .toISOString()
    .slice(0, precision === 'seconds' ? 19 : 16)
    .replace('T', ' ');
}

export const timeWords = (ms: number | null, precision: 'minutes' | 'seconds' = 'minutes'): string =>
  mapped(ms, (time) => utcTime(time, precision)) ?? '-';

export function tildePath(path: string, home: string): string {
  const rest = home !== '' && path.startsWith(home) ? path.slice(home.length) : null;
  return rest !== null && /^[/\\]/.test(rest) ? `~${rest}` : path;
}

/** A database for people: the path of its file, or server and database name, without credentials. */
export const shownDatabase = (database: string, home: string): string =>
  isServerUrl(database) ? `PostgreSQL, ${databaseName(database)}` : tildePath(database, home);

export function cutToWidth(line: string, width: number, ending = '…'): string {
  if (displayWidth(line) <= width) return line;
  let shown = '';
  let columns = 0;
  for (const character of graphemes(line)) {
    columns += displayWidth(character);
    if (columns > width - ending.length) break;
    shown += character;
  }
  return `${shown.trimEnd()}${ending}`;
}

const STAND_INS = new Map([...ASCII_SIGNS, ...Object.entries({ '…': '...', '↑': '^', '↓': 'v', '→': '=' })]);

export const toAscii = (text: string): string =>
  text.replace(/[^\u0000-\u007f]/gu, (sign) => STAND_INS.get(sign) ?? '?');

export const ASCII_BY_LOCALE = /^(LC_ALL|LC_CTYPE|LANG)=|^TERM=/;

/** The variable that indicates an ASCII terminal: C locale, no UTF-8, or the Linux console, whose font lacks most signs. */
export function asciiTerminal(env: Readonly<Record<string, string | undefined>>): string | null {
  if (env.TERM === 'linux') return 'TERM=linux';
  const name = (['LC_ALL', 'LC_CTYPE', 'LANG'] as const).find((each) => env[each]);
  const locale = name === undefined ? '' : (env[name] ?? '');
  const charset = /\.([^@]+)/.exec(locale)?.[1];
  const isPlain = /^(C|POSIX)$/.test(locale) || (charset !== undefined && !/^utf-?8$/i.test(charset));
  return isPlain ? `${name}=${locale}` : null;
}

/** On a terminal, unless excluded (https://no-color.org, https://bixense.com/clicolors). */
export function wantsColour({ stdout, env }: Pick<Io, 'stdout' | 'env'>): boolean {
  return stdout.isTTY === true && !env.NO_COLOR && env.CLICOLOR !== '0' && env.TERM !== 'dumb';
}

export type Paint = ReturnType<typeof paints>;

export function paints(colour: boolean) {
  const style = (format: 'green' | 'yellow' | 'red' | 'bold') => (text: string) =>
    colour ? styleText(format, text, { validateStream: false }) : text;
  return {
    good: style('green'),
    doubtful: style('yellow'),
    bad: style('red'),
    title: style('bold'),
    plain: (text: string) => text,
  };
}

/** Wide enough for a label, narrow enough that a 66-character hash beside it ends at the 80th column. */
const LABEL_WIDTH = 14;
export const VALUE_WIDTH = 66;

export function labelledLines(rows: readonly Fact[]): string[] {
  return rows.flatMap(([label, value]) => {
    if (value === null) return [];
    return value.split('\n').map((line, index) => (index === 0 ? label : '').padEnd(LABEL_WIDTH) + line);
  });
}

/** Facts as rows: a sentence wraps, an address stays whole. */
export const factRows = (facts: readonly Fact[]): readonly Fact[] =>
  facts.map(([name, text]) => {
    const shown = mapped(text, (words) => (words.includes(' ') ? paragraph(words) : cleanLine(words)));
    return [cleanLine(name), shown];
  });

export const paragraph = (text: string, longest?: number) =>
  wrapWords(cleanLine(text, [], longest), VALUE_WIDTH).join('\n');

/** In UTF-16 units: a whole note of 500 characters that may be emoji. */
export const LONGEST_NOTE = 2_048;
export type TextColumn<Row> = readonly [title: string, align: 'left' | 'right', cell: (row: Row) => string];

export function tableLines<Row>(columns: readonly TextColumn<Row>[], rows: readonly Row[]): string[] {
  const padded = columns.map(([title, align, cell]) => {
    const texts = [title, ...rows.map(cell)];
    const widths = texts.map(displayWidth);
    const widest = Math.max(...widths);
    return texts.map((text, line) => {
      const space = ' '.repeat(widest - (widths[line] ?? 0));
      return align === 'right' ? space + text : text + space;
    });
  });
  return ['', ...rows].map((_row, line) => {
    const cells = padded.map((texts) => texts[line] ?? '');
    return cells.join('  ').trimEnd();
  });
}

/** Drops columns of `spared` in order until it fits `width` (`null`: unlimited); the last may be cut to `least`. */
export function fittedLines<Row>(
  columns: readonly TextColumn<Row>[],
  rows: readonly Row[],
  width: number | null,
  { spared, least = Number.POSITIVE_INFINITY }: { spared: readonly string[]; least?: number },
): string[] {
  if (width === null) return tableLines(columns, rows);
  const widest = (shown: readonly TextColumn<Row>[]) =>
    Math.max(...tableLines(shown, rows).map(displayWidth));
  const fits = (shown: readonly TextColumn<Row>[]) =>
    widest(shown.slice(0, -1)) + 2 + Math.min(widest(shown.slice(-1)), least) <= width;
  const without = (count: number) => columns.filter(([title]) => !spared.slice(0, count).includes(title));
  const count = spared.findIndex((_, each) => fits(without(each)));
  return tableLines(without(count < 0 ? spared.length : count), rows);
}

const CLEAR_LINE = '\r\u001b[K';

/** A line on stderr, redrawn where a terminal can erase it. `spare` columns stay free: a wrapped line would stay. */
export function statusLine(
  { stderr, env }: Pick<Io, 'stderr' | 'env'>,
  text: () => string,
  { isWanted = true, spare = 1 } = {},
) {
  const isDrawn = isWanted && stderr.isTTY === true && env.TERM !== 'dumb';
  let isShown = false;
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    if (!isDrawn) return;
    isShown = true;
    stderr.write(CLEAR_LINE + text().slice(0, (stderr.columns ?? 80) - spare));
  };
  const clear = () => {
    if (isShown) stderr.write(CLEAR_LINE);
    isShown = false;
  };
  return {
    isDrawn,
    draw,
    start: (afterMs: number, everyMs: number) => {
      timer = setTimeout(() => {
        draw();
        timer = setInterval(draw, everyMs);
      }, afterMs);
    },
    note: (line: string) => {
      const wasShown = isShown;
      clear();
      note({ stderr }, line);
      if (wasShown) draw();
    },
    end: () => {
      clearTimeout(timer);
      clear();
    },
  };
}

/** Shows `text`, read at every frame, with a spinner while `work` runs, from one second on. */
export async function withSpinner<Result>(
  io: Pick<Io, 'stderr' | 'env'>,
  text: string | (() => string),
  work: Promise<Result> | (() => Promise<Result>),
): Promise<Result> {
  let frame = 0;
  const said = () => (typeof text === 'string' ? text : text());
  const line = statusLine(io, () => `${'|/-\\'.charAt(frame++ % 4)} ${said()}`);
  line.start(1_000, 150);
  try {
    return await (typeof work === 'function' ? work() : work);
  } finally {
    line.end();
  }
}

/** Text beside its `lead`, within 80 columns. */
export const hanging = (lead: string, text: string, paint = (part: string) => part): string[] =>
  wrapWords(text, 80 - lead.length).map(
    (line, index) => (index === 0 ? paint(lead) : ' '.repeat(lead.length)) + line,
  );

/** The raw text of the newest response of the requests that have its `onResponse`. */
export class RawText {
  text = '';
  readonly onResponse = (text: string): void => {
    this.text = text;
  };
}

/** A service's JSON response as a line of output. Rejects other responses, which a script could not read. */
export function jsonResponse(text: string, endpoint: string): string {
  try {
    JSON.parse(text);
  } catch (cause) {
    const message = `the response of ${endpoint} is not JSON; is the URL right?`;
    throw new ClientError('unreadable', message, { endpoint, cause });
  }
  return text.endsWith('\n') ? text : `${text}\n`;
}
