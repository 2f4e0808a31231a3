import { createContext, useContext } from 'react';
import stringWidth from 'string-width';

/**
 * Colours by meaning, from the sixteen of every terminal, so that light and dark themes both work. No backgrounds. A
 * colour only repeats a glyph or word beside it.
 */
const COLORS = {
  accent: 'cyan',
  good: 'green',
  warn: 'yellow',
  bad: 'red',
  base: 'cyan',
  tip: 'magenta',
  previous: 'blue',
  slow: 'green',
  average: 'cyan',
  fast: 'magenta',
} as const;
export type ColorName = keyof typeof COLORS;

const GLYPHS = {
  live: '●',
  stale: '◌',
  marker: '●',
  up: '↑',
  down: '↓',
  line: '─',
  ellipsis: '…',
  unknown: '—',
  dot: '·',
  arrow: '▸',
  bullet: '•',
  into: '→',
  warning: '!',
} as const;
export type GlyphName = keyof typeof GLYPHS;
type Glyphs = Readonly<Record<GlyphName, string>>;

const PLAIN_GLYPHS: Glyphs = {
  ...{ live: '*', stale: 'o', marker: 'o', up: '^', down: 'v', into: '>', line: '-', dot: '|' },
  ...{ ellipsis: '~', unknown: '-', arrow: '>', bullet: '*', warning: '!' },
};

/** Each sign above its ASCII substitute. */
const SIGNS = '●◌▸•…—–−×·∙’“”░▒▓█─╌┈│╎┊├┤┼┌┐└┘┬┴╭╮╰╯╵┃◇◆▲■✱';
const PLAIN = `*o>*~---x|:'"".:+#-=~|";||+++++++..''|!?#^$%`;
const STAND_INS = new Map([
  ...[...SIGNS].map((sign, place) => [sign, PLAIN[place] ?? '?'] as const),
  ...Object.entries({ '⇧': 'Shift-', '←': 'Left', '→': 'Right', '↑': 'Up', '↓': 'Down', '⏎': 'Enter' }),
  ...Object.entries({ '≥': '>=', '≤': '<=', '±': '+-', '¢': 'c' }),
]);

/** Arrows before a number or between two names are signs; elsewhere they name keys. */
function arrowSign(arrow: string): string {
  if (arrow === ' → ') return ' > ';
  return arrow === '↑' ? '^' : arrow === '↓' ? 'v' : '=';
}

function inAscii(text: string): string {
  return text
    .replace(/[↑↓→](?= [+−\d])| → (?=\S)/gu, arrowSign)
    .replace(/[^\x20-\x7e\n]/gu, (sign) => STAND_INS.get(sign) ?? '?'.repeat(stringWidth(sign)));
}

export interface Theme {
  readonly ascii: boolean;
  readonly glyph: Glyphs;
  /** The terminal's own colour for a meaning. */
  readonly color: (name: ColorName) => (typeof COLORS)[ColorName];
  /** `text` as this terminal can show it: unchanged, or in ASCII. */
  readonly text: (text: string) => string;
}

const color: Theme['color'] = (name) => COLORS[name];

export const UNICODE_THEME: Theme = { ascii: false, glyph: GLYPHS, color, text: (text) => text };

export const ASCII_THEME: Theme = { ascii: true, glyph: PLAIN_GLYPHS, color, text: inAscii };

/** `NO_COLOR` needs nothing here: `bin.ts` maps it to `FORCE_COLOR=0`, and Ink then writes no styles at all. */
export const ThemeContext = createContext<Theme>(UNICODE_THEME);

export function useTheme(): Theme {
  return useContext(ThemeContext);
}

/** True when the data is stale: everything is dimmed and loses its colours. */
export const DimContext = createContext(false);

export function useDim(): boolean {
  return useContext(DimContext);
}
