/** How a terminal's sixteen colours are drawn: the ANSI colours that GitHub itself shows, light and dark. */
export interface Palette {
  readonly background: string;
  readonly foreground: string;
  readonly border: string;
  /** Share of the foreground that a dimmed letter keeps. */
  readonly dim: number;
  /** Black, red, green, yellow, blue, magenta, cyan, white, and the bright eight. */
  readonly colors: readonly string[];
}

export type ThemeName = 'light' | 'dark';

export const PALETTES: Readonly<Record<ThemeName, Palette>> = {
  dark: {
    background: '#0d1117',
    foreground: '#e6edf3',
    border: '#30363d',
    dim: 0.68,
    colors: [
      ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
      ...['#8b949e', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#ffffff'],
    ],
  },
  light: {
    background: '#ffffff',
    foreground: '#1f2328',
    border: '#d1d9e0',
    dim: 0.74,
    colors: [
      ...['#24292f', '#cf222e', '#116329', '#7d4e00', '#0969da', '#8250df', '#156e78', '#59636e'],
      ...['#57606a', '#a40e26', '#1a7f37', '#633c01', '#0550ae', '#6639ba', '#155e68', '#4b535d'],
    ],
  },
};
