/** What a rule would have signed at one block: wei per gas. */
export interface Offer {
  /** `maxFeePerGas` */
  readonly cap: number;
  /** `maxPriorityFeePerGas` */
  readonly tip: number;
}
