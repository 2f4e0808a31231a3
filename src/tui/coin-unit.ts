import { formatGwei, formatNative } from '../core/units.ts';

export interface CoinUnit {
  /** For headings. */
  readonly name: string;
  /** An amount of wei, without the unit's name. */
  readonly text: (wei: bigint) => string;
}

/** A smaller amount in coins has too many zeros: 0.00000001. */
const READABLE_WEI = 10n ** 10n;

/** The unit for `amounts` (wei): the coin, or gwei when coins would be all zeros. */
export function coinUnit(amounts: readonly bigint[], symbol: string): CoinUnit {
  return amounts.some((wei) => wei > 0n && wei < READABLE_WEI)
    ? { name: 'gwei', text: formatGwei }
    : { name: symbol, text: (wei) => formatNative(wei, symbol).replace(` ${symbol}`, '') };
}
