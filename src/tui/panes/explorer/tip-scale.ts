import { PERCENTILES } from '../../../contract/choices.ts';
import { formatGwei } from '../../../core/units.ts';
import { displayWidth, type Line } from '../../ui/text.tsx';
import type { Theme } from '../../ui/theme.ts';

export type Tips = Readonly<Record<string, number>>;

/** The percentiles in a row: `p10 0.00100  p25 0.00200 …`, over as many lines as they need. */
export function tipLines(tips: Tips, width: number): readonly Line[] {
  const cells = PERCENTILES.flatMap((name) => {
    const tip = tips[name];
    return tip === undefined ? [] : [{ name, text: formatGwei(tip) }];
  });
  const room = Math.max(0, ...cells.map(({ name, text }) => name.length + 1 + displayWidth(text))) + 2;
  const perLine = Math.max(Math.floor((width + 2) / room), 1);
  const lines: Line[] = [];
  for (let from = 0; from < cells.length; from += perLine) {
    lines.push(
      cells
        .slice(from, from + perLine)
        .flatMap(({ name, text }) => [
          { text: `${name} `, faint: true },
          { text: `${text}${' '.repeat(room - name.length - 1 - displayWidth(text))}` },
        ]),
    );
  }
  return lines;
}

const LEAST_CELLS = 16;
const MOST_CELLS = 72;

/**
 * The tips of a block as a box on a logarithmic scale: the line from the lowest to the highest percentile, the box
 * over the middle half, the marker at the median. With `mark` a second line points at one tip. Empty where a scale
 * would say nothing.
 */
export function tipScale(
  tips: Tips,
  width: number,
  theme: Theme,
  mark: number | null = null,
): readonly Line[] {
  const { glyph } = theme;
  const known = PERCENTILES.flatMap((name) => tips[name] ?? []);
  const low = Math.min(...known, mark ?? Number.POSITIVE_INFINITY);
  const high = Math.max(...known, mark ?? 0);
  const ends = [`${formatGwei(low)} `, ` ${formatGwei(high)}`] as const;
  const cells = Math.min(width - displayWidth(ends[0]) - displayWidth(ends[1]) - 2, MOST_CELLS);
  if (known.length < 2 || !(high > low) || cells < LEAST_CELLS) return [];
  const at = (tip: number) => Math.round(shareOf(tip, low, high) * (cells - 1));
  const [from, to] = [tips.p25, tips.p75];
  const middle = tips.p50 === undefined ? null : at(tips.p50);
  const drawn: { text: string; color?: 'accent' | 'tip'; bold?: boolean; faint?: boolean }[] = [];
  for (let place = 0; place < cells; place += 1) {
    if (place === middle) drawn.push({ text: glyph.marker, color: 'accent', bold: true });
    else if (from !== undefined && to !== undefined && place >= at(from) && place <= at(to)) {
      drawn.push({ text: glyph.barFull, color: 'tip' });
    } else drawn.push({ text: glyph.line, faint: true });
  }
  const scale: Line = [
    { text: ends[0] },
    { text: glyph.lineLeft, faint: true },
    ...joinAlike(drawn),
    { text: glyph.lineRight, faint: true },
    { text: ends[1] },
  ];
  if (mark === null) return [scale];
  return [
    scale,
    pointer(displayWidth(ends[0]) + 1 + at(mark), `this one, ${formatGwei(mark)}`, width, theme),
  ];
}

/** An arrow under the scale with its words at the side that has room. */
function pointer(place: number, words: string, width: number, { glyph }: Theme): Line {
  const arrow = { text: glyph.up, color: 'accent', bold: true } as const;
  if (place + 2 + words.length <= width) return [{ text: ' '.repeat(place) }, arrow, { text: ` ${words}` }];
  return [{ text: `${' '.repeat(Math.max(place - words.length - 1, 0))}${words} ` }, arrow];
}

function joinAlike<S extends { text: string; color?: string }>(spans: readonly S[]): readonly S[] {
  const joined: S[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last !== undefined && last.color === span.color && last.text.startsWith(span.text))
      last.text += span.text;
    else joined.push({ ...span });
  }
  return joined;
}

/** Zero has no logarithm: it lies where a thousandth of the highest would. */
function shareOf(tip: number, low: number, high: number): number {
  const least = Math.max(low, high / 1e6, 1);
  const share = (Math.log(Math.max(tip, least)) - Math.log(least)) / (Math.log(high) - Math.log(least));
  return Math.min(Math.max(share, 0), 1);
}
