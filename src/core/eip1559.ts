export interface FeeRule {
  /** Gas limit over gas target (EIP-1559: 2). */
  readonly elasticity: number;
  /** Largest change per block is one part in this many (EIP-1559: 8). */
  readonly denominator: number;
  /** Nominal seconds between blocks; the measured time comes from history. */
  readonly blockTimeSec: number;
  /** Minimum base fee, wei per gas; absent when there is none, or it is unknown. */
  readonly minBaseFee?: bigint;
  /** Least tip that the chain's nodes take, wei per gas; absent when there is none, or it is unknown. */
  readonly leastTip?: bigint;
  /** Gas target in percent of the limit, if elasticity does not determine it (Polygon). */
  readonly targetPercent?: number;
  /** Whether blocks state the rule themselves (OP stack), which then takes precedence. */
  readonly isStated?: true;
}

export interface StatedFeeRule extends Pick<FeeRule, 'elasticity' | 'denominator' | 'minBaseFee'> {
  /** Gas that moves the base fee: since Jovian the data footprint counts if it exceeds the gas used. */
  readonly meteredGas: bigint;
}

/** Ethereum mainnet and every chain that copied its parameters. */
export const ETHEREUM_FEE_RULE: FeeRule = { elasticity: 2, denominator: 8, blockTimeSec: 12 };

/**
 * The next base fee, wei per gas, exact (EIP-1559, `expected_base_fee_per_gas`): divisions floor, and a block above its target
 * raises it by at least 1 wei, so that 0 can rise again. A gas limit below the elasticity has no target: the fee stays.
 */
export function nextBaseFee(
  { baseFeePerGas, gasUsed, gasLimit }: Readonly<Record<'baseFeePerGas' | 'gasUsed' | 'gasLimit', bigint>>,
  rule: FeeRule,
): bigint {
  const { elasticity, denominator, targetPercent, minBaseFee = 0n } = rule;
  const target =
    targetPercent === undefined ? gasLimit / BigInt(elasticity) : (gasLimit * BigInt(targetPercent)) / 100n;
  if (target === 0n) return baseFeePerGas;
  const scale = target * BigInt(denominator);
  if (gasUsed > target) {
    const rise = (baseFeePerGas * (gasUsed - target)) / scale;
    return atLeast(minBaseFee, baseFeePerGas + (rise > 0n ? rise : 1n));
  }
  return atLeast(minBaseFee, baseFeePerGas - (baseFeePerGas * (target - gasUsed)) / scale);
}

const atLeast = (floor: bigint, fee: bigint) => (fee < floor ? floor : fee);

export function statedRule(rule: FeeRule, stated: StatedFeeRule): FeeRule {
  const { elasticity, denominator, minBaseFee } = stated;
  return { ...rule, elasticity, denominator, ...(minBaseFee !== undefined && { minBaseFee }) };
}

/** Ratios are doubles: 53 bits carry all that they say. */
const RATIO_ONE = 1n << 53n;

/**
 * By the gas-used ratio (0 to 1) alone, as in a page of `eth_feeHistory`: right to 1 wei below 2^53 wei where the gas limit is
 * a multiple of the elasticity, else to `baseFee / (4 × gasLimit)` wei more (4 wei at 1 gwei and 60 M gas).
 */
export function nextBaseFeeFromRatio(baseFeePerGas: bigint, gasUsedRatio: number, rule: FeeRule): bigint {
  const ratio = Math.min(Math.max(gasUsedRatio, 0), 1);
  const gasUsed = BigInt(Math.round(ratio * Number(RATIO_ONE))) * BigInt(rule.elasticity);
  return nextBaseFee({ baseFeePerGas, gasUsed, gasLimit: RATIO_ONE * BigInt(rule.elasticity) }, rule);
}

/**
 * EIP-1559 inverted: the ratio (0 to 1) in the middle of what is possible, ± one `denominator / (elasticity × baseFee)`. A fee that
 * did not move is taken for a block at its target; a step that no block can cause (a fork, a floor) is clamped.
 */
export function gasUsedRatioFromBaseFees(
  baseFeePerGas: bigint,
  nextBaseFeePerGas: bigint,
  rule: FeeRule,
): number {
  const step = nextBaseFeePerGas - baseFeePerGas;
  if (step === 0n) return 1 / rule.elasticity;
  if (baseFeePerGas === 0n) return 1;
  // A rise of 1 wei is also the least that any block above target causes: anything from there to 2 wei.
  const middle = Number(step) + (step > 0n ? 0.5 : -0.5);
  const ratio = (1 + (middle / Number(baseFeePerGas)) * rule.denominator) / rule.elasticity;
  return Math.min(Math.max(ratio, 0), 1);
}
