/** Promises whose stated probabilities lie close together, and what became of them. */
export interface CalibrationGroup {
  readonly size: number;
  /** Mean of what was stated, 0 to 1. */
  readonly stated: number;
  readonly kept: number;
}

const GROUPS = 20;

/** Stated probabilities against kept promises, in groups five points wide. */
export class Calibration {
  readonly #size = new Float64Array(GROUPS);
  readonly #stated = new Float64Array(GROUPS);
  readonly #kept = new Float64Array(GROUPS);

  add(stated: number, isKept: boolean): void {
    const group = Math.min(Math.floor(stated * GROUPS), GROUPS - 1);
    this.#size[group] = (this.#size[group] ?? 0) + 1;
    this.#stated[group] = (this.#stated[group] ?? 0) + stated;
    this.#kept[group] = (this.#kept[group] ?? 0) + (isKept ? 1 : 0);
  }

  /** Those with anything in them, by rising probability. */
  get groups(): CalibrationGroup[] {
    return Array.from(this.#size, (size, group) => ({
      size,
      stated: (this.#stated[group] ?? 0) / size,
      kept: (this.#kept[group] ?? 0) / size,
    })).filter(({ size }) => size > 0);
  }
}

/** Mean distance between stated and kept over the groups, weighted by their size; `null` for none. */
export function calibrationError(groups: readonly CalibrationGroup[]): number | null {
  const size = groups.reduce((sum, group) => sum + group.size, 0);
  const apart = groups.reduce((sum, group) => sum + group.size * Math.abs(group.stated - group.kept), 0);
  return size > 0 ? apart / size : null;
}
