import type { AutoTxView, CheckView, TimelineEntryView } from '../../../client/views/auto-txs.ts';
import { plainWord } from '../../../client/views/describe-alerts.ts';
import { cleanText } from '../../../core/clean-text.ts';
import { formatAge, formatCount } from '../../../core/units.ts';
import { displayWidth, type Line, type Span, wrapText } from '../../ui/text.tsx';
import type { ColorName, Theme } from '../../ui/theme.ts';
import { clockText, dayText, localDate } from '../../ui/time.ts';
import type { AutoTxContext } from './auto-tx-columns.ts';

const LONGEST = 600;
const LEAST_TEXT = 20;

/** The pre-flight, a line for each check: `✓`, `✗` or `?`, its name, and what it found. */
export function checkLines(
  { checks }: Pick<AutoTxView, 'checks'>,
  { theme }: Pick<AutoTxContext, 'theme'>,
  width = Number.MAX_SAFE_INTEGER,
): readonly Line[] {
  const named = Math.max(0, ...checks.map(({ name }) => displayWidth(theme.text(plainWord(name)))));
  return checks.flatMap((check) => {
    const { text, color } = markOf(check, theme);
    const head: Line = [
      { text: `   ${text} `, ...(color === undefined ? {} : { color }), bold: check.ok === false },
      { text: `${theme.text(plainWord(cleanText(check.name, 40))).padEnd(named)}  `, faint: true },
    ];
    return hung(head, cleanText(check.message, LONGEST), theme, width);
  });
}

function markOf({ ok }: CheckView, { ascii }: Theme): { readonly text: string; readonly color?: ColorName } {
  if (ok === null) return { text: '?', color: 'warn' };
  if (ok) return { text: ascii ? 'ok' : '✓', color: 'good' };
  return { text: ascii ? 'no' : '✗', color: 'bad' };
}

const COLORS = new Map<string | null, ColorName>([
  ['EXECUTED', 'good'],
  ['FAILED', 'bad'],
  ['REORGED', 'warn'],
  ['DROPPED', 'warn'],
  ['DECLINED', 'warn'],
  ['HELD', 'warn'],
  ['NONCE_TAKEN', 'warn'],
]);

/** What happened, newest first. */
export function timelineLines(
  entries: readonly TimelineEntryView[],
  context: AutoTxContext,
  width = Number.MAX_SAFE_INTEGER,
): readonly Line[] {
  const { theme, present } = context;
  const words = entries.map(({ kind }) => theme.text(kind === null ? '' : plainWord(cleanText(kind, 40))));
  const named = Math.max(0, ...words.map(displayWidth));
  const times = entries.map(({ at }) => (at === null ? '' : timeText(at, context)));
  const timed = Math.max(0, ...times.map(displayWidth));
  return entries.flatMap(({ at, kind, blockNumber, message }, place) => {
    const color = COLORS.get(kind);
    const head: Line = [
      { text: `   ${(times[place] ?? '').padStart(timed)}  `, faint: true },
      { text: `${(words[place] ?? '').padEnd(named)}  `, ...(color === undefined ? {} : { color }) },
    ];
    const said = cleanText(message, LONGEST);
    const number = blockNumber === null ? null : formatCount(blockNumber);
    const block = number === null || said.includes(number) ? '' : ` · block ${number}`;
    const age = at === null ? '' : ` · ${formatAge(Math.max(present - at, 0) / 1_000)}`;
    return hung(head, `${said}${block}${age}`, theme, width);
  });
}

function timeText(at: number, { present, offsetAt }: AutoTxContext): string {
  const day = (ms: number) => localDate(ms, offsetAt).toISOString().slice(0, 10);
  const clock = clockText(at, offsetAt, true);
  return day(at) === day(present) ? clock : `${dayText(at, offsetAt)} ${clock}`;
}

/** `text` beside `head`, in as many lines as it needs, each beginning under the first. */
function hung(head: Line, text: string, theme: Theme, width: number): readonly Line[] {
  const used = head.reduce((sum: number, span: Span) => sum + displayWidth(span.text), 0);
  const room = Math.max(width - used - 1, LEAST_TEXT);
  const parts = wrapText(theme.text(text), room, Number.POSITIVE_INFINITY, theme.glyph.ellipsis);
  const [first = '', ...rest] = parts;
  return [[...head, { text: first }], ...rest.map((part): Line => [{ text: `${' '.repeat(used)}${part}` }])];
}
