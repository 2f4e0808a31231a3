/** How a chain moves its base fee from block to block. */
export interface FeeRule {
  /** Gas limit over gas target (EIP-1559: 2). */
  readonly elasticity: number;
  /** Largest change per block is one part in this many (EIP-1559: 8). */
  readonly denominator: number;
  /** Seconds between blocks, as a plan; measured spacing comes from history. */
  readonly blockTimeSec: number;
}

/** Ethereum mainnet and every chain that copied its parameters. */
export const ETHEREUM_FEE_RULE: FeeRule = { elasticity: 2, denominator: 8, blockTimeSec: 12 };
