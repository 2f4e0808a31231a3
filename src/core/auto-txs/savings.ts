import { usdOf } from '../units.ts';
import type { Inclusion } from './auto-tx-state.ts';
import type { KeptAutoTx } from './kept-auto-tx.ts';

/** What a mined transaction paid against another price; less than nothing where it paid more. */
export interface Saving {
  /** Wei per gas. */
  readonly referencePrice: bigint;
  readonly savedWei: bigint;
  /** At the coin's price when it was mined; `null`: nobody knew. */
  readonly savedUsd: number | null;
}

export interface Savings {
  /** Against the lane's price when it was made; `null`: nobody knew that. */
  readonly atCreation: Saving | null;
  /** Against the lane's mean over the 24 h before it was mined; `null`: nobody knew that. */
  readonly dayMean: Saving | null;
}

/** What it saved by waiting; `null` until a block has it, and where it reverted: that was for nothing. */
export function savingsOf({
  state,
  priceAtCreation,
  dayMeanPrice,
  nativeUsd,
}: Pick<KeptAutoTx, 'state' | 'priceAtCreation' | 'dayMeanPrice' | 'nativeUsd'>): Savings | null {
  const { inclusion } = state;
  if (inclusion === null || inclusion.outcome === 'reverted') return null;
  return {
    atCreation: savingAgainst(priceAtCreation, inclusion, nativeUsd),
    dayMean: savingAgainst(dayMeanPrice, inclusion, nativeUsd),
  };
}

function savingAgainst(
  referencePrice: bigint | null,
  { effectiveGasPrice, gasUsed }: Inclusion,
  nativeUsd: number | null,
): Saving | null {
  if (referencePrice === null) return null;
  const savedWei = (referencePrice - effectiveGasPrice) * gasUsed;
  return { referencePrice, savedWei, savedUsd: nativeUsd === null ? null : usdOf(savedWei, nativeUsd) };
}

/** What a mined transaction paid in all, wei: gas, blobs, and what a rollup takes for posting it. */
export function paidInAll({ gasUsed, effectiveGasPrice, otherFees }: Inclusion): bigint {
  return gasUsed * effectiveGasPrice + otherFees;
}
