import { clockText, dayText, type OffsetAt, weekdayText } from '../../ui/time.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** Distances between labels that clocks and calendars have. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 4320, 7200, 10080].map(
  (minutes) => minutes * MINUTE,
);
/** `╵Tue 13` and two spaces. */
const LABEL_WIDTH = 9;

/** Labels for round local times along the bottom of a chart whose slots begin at `timestamps` (ms, ascending). */
export function timeLabels(
  timestamps: readonly number[],
  plotWidth: number,
  offsetAt: OffsetAt,
): readonly { readonly index: number; readonly text: string }[] {
  const [first] = timestamps;
  const last = timestamps.at(-1);
  if (first === undefined || last === undefined) return [];
  const room = Math.max(Math.floor(plotWidth / LABEL_WIDTH), 1);
  const step = STEPS.find((candidate) => (last - first) / candidate <= room) ?? DAY * 30;
  const labels: { index: number; text: string }[] = [];
  let before = Math.floor(local(first, offsetAt) / step);
  for (const [index, timestamp] of timestamps.entries()) {
    const place = Math.floor(local(timestamp, offsetAt) / step);
    // The first slot is labelled only where it begins a step itself.
    const begins = index === 0 ? local(timestamp, offsetAt) % step === 0 : place !== before;
    if (begins) labels.push({ index, text: labelText(timestamp, step, offsetAt) });
    before = place;
  }
  return labels;
}

function local(timestamp: number, offsetAt: OffsetAt): number {
  return timestamp + offsetAt(timestamp) * MINUTE;
}

function labelText(timestamp: number, step: number, offsetAt: OffsetAt): string {
  // The slot may begin a little after the round time; the label names the round time itself.
  const round = timestamp - (local(timestamp, offsetAt) % step);
  const midnight = local(round, offsetAt) % DAY === 0;
  if (step > DAY) return dayText(round, offsetAt);
  return midnight
    ? `${weekdayText(round, offsetAt)} ${dayText(round, offsetAt).split(' ')[0]}`
    : clockText(round, offsetAt);
}
