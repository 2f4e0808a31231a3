interface WeightedTip {
  /** Effective priority fee, wei per gas: `min(maxPriorityFeePerGas, maxFeePerGas − baseFee)`. */
  readonly tip: bigint;
  readonly gasUsed: bigint;
}

/**
 * A block's tips at `percentiles` (0 to 100, ascending), weighted by gas, as geth's `eth_feeHistory` computes
 * `reward`: transactions sorted by tip, and for percentile p the first at which the gas summed so far reaches
 * `floor(p / 100 × gas used by the block)`. Nothing is interpolated. An empty block has zeros.
 *
 * @param blockGasUsed the header's gas used; the transactions' sum where absent.
 */
export function gasWeightedPercentiles(
  transactions: readonly WeightedTip[],
  percentiles: readonly number[],
  blockGasUsed: bigint = transactions.reduce((sum, { gasUsed }) => sum + gasUsed, 0n),
): bigint[] {
  const sorted = transactions.toSorted((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0));
  let reached = 0n;
  let index = -1;
  let tip = 0n;
  const advance = (): boolean => {
    const next = sorted[index + 1];
    if (next === undefined) return false;
    index += 1;
    reached += next.gasUsed;
    tip = next.tip;
    return true;
  };
  advance();
  return percentiles.map((percentile) => {
    // Through a double and truncated, as geth does: one gas can decide between two transactions.
    const threshold = BigInt(Math.trunc((Number(blockGasUsed) * percentile) / 100));
    while (reached < threshold && advance());
    return tip;
  });
}

/**
 * The `q` quantile (0 to 1) of numbers in ascending order, linear between neighbours (type 7 of Hyndman and Fan 1996,
 * the default of R and NumPy). `NaN` for no numbers.
 */
export function quantileOfSorted(sorted: ArrayLike<number>, q: number): number {
  const at = (sorted.length - 1) * Math.min(Math.max(q, 0), 1);
  const below = Math.floor(at);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - below);
}

export function quantiles(values: Iterable<number>, qs: readonly number[]): number[] {
  const sorted = Float64Array.from(values).sort();
  return qs.map((q) => quantileOfSorted(sorted, q));
}
