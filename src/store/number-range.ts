/** Block numbers. */
export interface NumberRange {
  /** Inclusive. */
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
}
