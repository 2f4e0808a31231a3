import { formatCount, formatDuration, formatGwei } from '../../core/units.ts';
import type { AlertPreview } from './alert-previewer.ts';

const DAY_SEC = 86_400;

/**
 * One sentence without its subject: `would have fired 3 times in the last 24 h, last at 14:05 at 0.0391 gwei (minute by
 * minute)`.
 *
 * @param timeText Writes a time, ms since epoch, as the reader is used to.
 */
export function previewWords(preview: AlertPreview, timeText: (ms: number) => string): string {
  const { times, last, lowest, highest } = preview;
  if (lowest === null || highest === null) return 'cannot be previewed: the service has no history yet';
  const looked = `in the last ${spanText(preview)}`;
  const manner = `(${mannerText(preview)})`;
  if (last === null) {
    const range =
      lowest === highest
        ? `${preview.everySec === null ? '' : 'about '}${formatGwei(lowest)} gwei throughout`
        : `between ${formatGwei(lowest)} and ${formatGwei(highest)} gwei`;
    return `would not have fired ${looked}: the price was ${range} ${manner}`;
  }
  const often = times === 1 ? 'once' : `${formatCount(times)} times`;
  const where = `at ${timeText(last.at)} at ${formatGwei(last.price)} gwei`;
  return `would have fired ${often} ${looked}, ${times === 1 ? '' : 'last '}${where} ${manner}`;
}

function spanText({ from, to, everySec }: AlertPreview): string {
  const seconds = Math.round((to - from) / 1_000);
  // Buckets do not begin just when a day does.
  return seconds >= DAY_SEC - 2 * (everySec ?? 60) ? '24 h' : formatDuration(Math.max(seconds, 1));
}

function mannerText({ everySec }: AlertPreview): string {
  if (everySec === null) return 'block by block';
  if (everySec === 60) return 'minute by minute';
  const [count, unit] = everySec % 60 === 0 ? [everySec / 60, 'minute'] : [everySec, 'second'];
  return `from ${formatCount(count)}-${unit} averages, which hide short dips and peaks`;
}
