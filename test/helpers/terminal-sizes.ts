/** Columns and rows of a terminal: the least that gastop takes, the usual one, and wide ones. */
export const TERMINAL_SIZES = [
  [60, 16],
  [80, 24],
  [120, 40],
  [160, 45],
  [200, 50],
] as const;
