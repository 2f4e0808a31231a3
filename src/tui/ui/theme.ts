import { createContext, useContext } from 'react';
import stringWidth from 'string-width';
import { ASCII_SIGNS } from '../../core/ascii.ts';

/** Colours by meaning, from the sixteen of every terminal; each only repeats a glyph or word beside it. */
export const COLORS = {
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

const STAND_INS = new Map([
  ...ASCII_SIGNS,
  ['…', '~'],
  ...Object.entries({ '⇧': 'Shift-', '←': 'Left', '→': 'Right', '↑': 'Up', '↓': 'Down', '⏎': 'Enter' }),
]);

/** Arrows before a number or between two names are signs; elsewhere they name keys. */
function arrowSign(arrow: string): string {
  if (arrow.includes('→')) return arrow.length === 1 ? '=' : arrow.replace('→', '>');
  return arrow === '↑' ? '^' : 'v';
}

export const inAscii = (text: string): string =>
  text
    .replace(/[↑↓→](?= [+−\d])| → (?=\S)|^→ (?=\S|$)/gu, arrowSign)
    .replace(/[^\x20-\x7e\n]/gu, (sign) => STAND_INS.get(sign) ?? '?'.repeat(stringWidth(sign)));

const terminal = { isAscii: false };

/** Whether the terminal shows ASCII only. Like its colours, this is the same for all that is drawn. */
export function setAscii(isAscii: boolean): void {
  terminal.isAscii = isAscii;
}

export const isAsciiTerminal = (): boolean => terminal.isAscii;

/** `text` as the terminal can show it. `NO_COLOR` needs nothing like it: with it Ink writes no styles at all. */
export const forTerminal = (text: string): string => (terminal.isAscii ? inAscii(text) : text);

/** True when the data is stale: everything is dimmed and loses its colours. */
export const DimContext = createContext(false);

export const useDim = () => useContext(DimContext);
