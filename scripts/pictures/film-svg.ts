import type { Palette } from './palette.ts';
import { escaped, rowsOf, type Screen, sheet, sizeOf, svg } from './screen-svg.ts';

/** A screen that stands for some time, and the line below it that says what is to be seen. */
export interface Frame {
  readonly screen: Screen;
  readonly seconds: number;
  readonly caption: string;
}

/** Markup that stands from the frame `from` until before `to`. */
interface Stay {
  readonly from: number;
  readonly to: number;
  readonly markup: string;
}

const STRIP = 34;

/**
 * The frames as one picture that plays them in turns, by CSS alone. What stays from one frame to the next is there once. Where
 * nothing may move, or nothing can, it is the first frame.
 * @throws where the frames differ in size, or a cell has a colour that is not one of the terminal's sixteen.
 */
export function filmSvg(frames: readonly Frame[], palette: Palette, title: string): string {
  const sizes = frames.map(({ screen }) => sizeOf(screen));
  const [first] = sizes;
  if (first === undefined) throw new RangeError('a film has a frame');
  const { width, height } = first;
  if (sizes.some((size) => size.width !== width || size.height !== height))
    throw new RangeError('the frames of a film are of one size');
  const screens = frames.map(({ screen }) => rowsOf(screen));
  const captions = frames.map(
    ({ caption }) =>
      `<text class="caption" x="${width / 2}" y="${height + 23}" text-anchor="middle">${escaped(caption)}</text>`,
  );
  const lines = [...(screens[0] ?? []).map((_, row) => screens.map((rows) => rows[row] ?? '')), captions];
  const stays = lines.flatMap(staysOf).filter(({ markup }) => markup !== '');
  const isPart = ({ from, to }: Stay) => to - from < frames.length;
  const spans = [...new Set(stays.filter(isPart).map(nameOf))];
  const starts = frames.map((_, index) =>
    frames.slice(0, index).reduce((sum, { seconds }) => sum + seconds, 0),
  );
  const whole = (starts.at(-1) ?? 0) + (frames.at(-1)?.seconds ?? 0);
  const percent = (frame: number) => Number((((starts[frame] ?? whole) / whole) * 100).toFixed(2));
  const rules = spans.map((name) => {
    const [from = 0, to = 0] = name.slice(1).split('-').map(Number);
    // The last value holds until the next: `step-end`.
    const before = from === 0 ? '' : '0%{visibility:hidden}';
    const after = to === frames.length ? '' : `${percent(to)}%{visibility:hidden}`;
    return `@keyframes ${name}{${before}${percent(from)}%{visibility:visible}${after}100%{visibility:${to === frames.length ? 'visible' : 'hidden'}}}.${name}{animation-name:${name}${from === 0 ? '' : ';visibility:hidden'}}`;
  });
  const moving = [
    '.caption{font:600 14px system-ui,-apple-system,"Segoe UI",sans-serif}',
    `.s{animation:${whole}s step-end infinite}`,
    ...rules,
    '@media (prefers-reduced-motion:reduce){.s{animation:none}}',
  ].join('');
  const body = stays.map((stay) =>
    isPart(stay) ? `<g class="s ${nameOf(stay)}">${stay.markup}</g>` : stay.markup,
  );
  return svg({ width, height, title, strip: STRIP, sheet: `${sheet(palette)}${moving}`, body });
}

const nameOf = ({ from, to }: Stay) => `f${from}-${to}`;

/** A line of each frame, each stretch of equal ones once. */
function staysOf(line: readonly string[]): readonly Stay[] {
  const stays: Stay[] = [];
  for (const [index, markup] of line.entries()) {
    const last = stays.at(-1);
    if (last?.markup === markup) stays[stays.length - 1] = { ...last, to: index + 1 };
    else stays.push({ from: index, to: index + 1, markup });
  }
  return stays;
}
