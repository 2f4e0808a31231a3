import { createContext, useContext } from 'react';

/**
 * Colours by meaning, out of the sixteen every terminal names itself, so that light and dark themes both work.
 * Backgrounds are never painted. A colour repeats what a glyph or word beside it already says.
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
type NamedColor = (typeof COLORS)[ColorName];

const UNICODE = {
  live: '●',
  stale: '◌',
  marker: '●',
  up: '↑',
  down: '↓',
  steady: '→',
  barFull: '█',
  barEmpty: '░',
  line: '─',
  lineLeft: '├',
  lineRight: '┤',
  vertical: '│',
  ellipsis: '…',
  unknown: '—',
  range: '–',
  dot: '·',
  arrow: '▸',
  bullet: '•',
  into: '→',
  cursor: '▏',
  warning: '!',
  crossTop: '┬',
} as const;
export type GlyphName = keyof typeof UNICODE;
type Glyphs = Readonly<Record<GlyphName, string>>;

/** Each as wide as the glyph it stands for, so that layouts do not move. */
const ASCII: Glyphs = {
  live: '*',
  stale: 'o',
  marker: 'o',
  up: '^',
  down: 'v',
  steady: '=',
  barFull: '#',
  barEmpty: '.',
  line: '-',
  lineLeft: '|',
  lineRight: '|',
  vertical: '|',
  ellipsis: '~',
  unknown: '-',
  range: '-',
  dot: '|',
  arrow: '>',
  bullet: '*',
  into: '>',
  cursor: '_',
  warning: '!',
  crossTop: '+',
};

const ASCII_PUNCTUATION: Readonly<Record<string, string>> = {
  '—': '-',
  '–': '-',
  '−': '-',
  '×': 'x',
  '·': '|',
  '…': '~',
  '’': "'",
  '“': '"',
  '”': '"',
  '⇧': 'Shift-',
  '←': 'Left',
  '→': 'Right',
  '↑': 'Up',
  '↓': 'Down',
  '⏎': 'Enter',
  '≥': '>=',
  '≤': '<=',
};

export interface Theme {
  readonly ascii: boolean;
  readonly glyph: Glyphs;
  /** The terminal's own colour for a meaning. */
  readonly color: (name: ColorName) => NamedColor;
  /** `text` as this terminal can show it: unchanged, or in ASCII alone. */
  readonly text: (text: string) => string;
}

const color = (name: ColorName): NamedColor => COLORS[name];

export const UNICODE_THEME: Theme = { ascii: false, glyph: UNICODE, color, text: (text) => text };

export const ASCII_THEME: Theme = {
  ascii: true,
  glyph: ASCII,
  color,
  text: (text) => text.replace(/[^\x20-\x7e\n]/gu, (character) => ASCII_PUNCTUATION[character] ?? '?'),
};

/** `NO_COLOR` needs nothing here: `bin.ts` maps it to `FORCE_COLOR=0`, and Ink then writes no styles at all. */
export const ThemeContext = createContext<Theme>(UNICODE_THEME);

export function useTheme(): Theme {
  return useContext(ThemeContext);
}

/** True where what is shown is no longer the present: everything is dimmed and loses its colours. */
export const DimContext = createContext(false);

export function useDim(): boolean {
  return useContext(DimContext);
}
