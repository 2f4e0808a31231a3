import type { DeliveryAttemptView, DeliveryView } from '../../../client/views/alerts.ts';
import { plainWord, shortTarget } from '../../../client/views/describe-alerts.ts';
import { formatAge, formatCount, formatDuration } from '../../../core/units.ts';
import { type Line, lineWidth, wrapText } from '../../ui/text.tsx';
import type { ColorName, GlyphName, Theme } from '../../ui/theme.ts';
import { clockText, dayText, localDate, type OffsetAt } from '../../ui/time.ts';

export interface DeliveryContext {
  readonly present: number;
  readonly offsetAt: OffsetAt;
  readonly theme: Theme;
}

const LOOKS = new Map<
  string,
  { readonly glyph: GlyphName; readonly word: string; readonly color?: ColorName }
>([
  ['DELIVERED', { glyph: 'live', word: 'delivered', color: 'good' }],
  ['PENDING', { glyph: 'stale', word: 'waiting', color: 'warn' }],
  ['FAILED', { glyph: 'warning', word: 'failed', color: 'bad' }],
  ['CANCELLED', { glyph: 'unknown', word: 'cancelled' }],
]);

/** A delivery and each of its attempts: when, how long, what the receiver said, and when it is tried again. */
export function deliveryLines(
  delivery: DeliveryView,
  isMarked: boolean,
  context: DeliveryContext,
  width = Number.MAX_SAFE_INTEGER,
): readonly Line[] {
  const { theme, present } = context;
  const { status, channel, target, createdAt, nextAttemptAt, attempts } = delivery;
  const look = LOOKS.get(status ?? '') ?? { glyph: 'bullet', word: plainWord(status ?? 'state not known') };
  const head: Line = [
    isMarked ? { text: ` ${theme.glyph.arrow} `, color: 'accent', bold: true } : { text: '   ' },
    { text: theme.glyph[look.glyph], ...(look.color === undefined ? {} : { color: look.color }) },
    { text: ` ${look.word}`, bold: isMarked },
    { text: nextAttemptAt === null ? '' : `, next try ${inWords(nextAttemptAt, present)}`, color: 'warn' },
    { text: `  ${channel === null ? 'message' : plainWord(channel)}` },
    { text: target === null || target === '' ? '' : ` ${shortTarget(target)}` },
    { text: createdAt === null ? '' : `  ${formatAge((present - createdAt) / 1_000)}`, faint: true },
  ];
  return [head, ...attempts.flatMap((attempt) => attemptLines(attempt, context, width))];
}

const INDENT = 7;
const MOST_LINES = 4;

/** What the receiver said stands on lines of its own where it does not fit beside the rest. */
function attemptLines(
  { at, latencyMs, ok, answer }: DeliveryAttemptView,
  context: DeliveryContext,
  width: number,
): readonly Line[] {
  const { theme } = context;
  const mark = ok === null ? theme.glyph.bullet : ok ? theme.glyph.live : theme.glyph.warning;
  const head: Line = [
    { text: ' '.repeat(INDENT) },
    { text: at === null ? '' : `${attemptTime(at, context)}  `, faint: true },
    { text: latencyMs === null ? '' : `${formatCount(latencyMs)} ms  `, faint: true },
    { text: `${mark} `, ...(ok === null ? {} : { color: ok ? 'good' : 'bad' }) },
  ];
  const text = theme.text(answer ?? (ok === true ? 'accepted' : 'no answer known'));
  const used = lineWidth(head);
  const [first = '', ...rest] = wrapText(
    text,
    Math.max(width - used - 1, 20),
    MOST_LINES,
    theme.glyph.ellipsis,
  );
  return [[...head, { text: first }], ...rest.map((part) => [{ text: `${' '.repeat(used)}${part}` }])];
}

function attemptTime(at: number, { present, offsetAt }: DeliveryContext): string {
  const day = (ms: number) => localDate(ms, offsetAt).toISOString().slice(0, 10);
  const clock = clockText(at, offsetAt, true);
  return day(at) === day(present) ? clock : `${dayText(at, offsetAt)} ${clock}`;
}

function inWords(at: number, present: number): string {
  return at <= present ? 'now' : `in ${formatDuration((at - present) / 1_000)}`;
}
