/** Cheapest quarter of the cells, the next, … : 0 to 3; `null` where nothing is known. */
export type Level = 0 | 1 | 2 | 3;

export interface HeatmapLevels {
  readonly cells: readonly (readonly (Level | null)[])[];
  /** Highest value of levels 0, 1 and 2, and of all; `null`: no cell is known. */
  readonly bounds: readonly [number, number, number, number] | null;
}

/** Sorts cells into quarters, so that one dear hour does not make all others look cheap. Equal values share a level. */
export function heatmapLevels(cells: readonly (readonly (number | null)[])[]): HeatmapLevels {
  const sorted = cells
    .flat()
    .filter((value) => value !== null)
    .sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? 0;
  const bounds = sorted.length === 0 ? null : ([at(0.25), at(0.5), at(0.75), at(1)] as const);
  const levelOf = (value: number | null): Level | null => {
    if (value === null || bounds === null) return null;
    if (value <= bounds[0]) return 0;
    if (value <= bounds[1]) return 1;
    return value <= bounds[2] ? 2 : 3;
  };
  return { cells: cells.map((row) => row.map(levelOf)), bounds };
}
