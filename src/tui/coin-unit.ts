import { formatGwei, formatNative } from '../core/units.ts';

export interface CoinUnit {
  /** As headings name it. */
  readonly name: string;
  /** An amount of wei, without the unit's name. */
  readonly text: (wei: bigint) => string;
}

/** From here on an amount of coins is written with few zeros: 0.00000001. */
const READABLE_WEI = 10n ** 10n;

/** What `amounts` (wei) are written in: the coin, or gwei where coins would be all zeros. */
export function coinUnit(amounts: readonly bigint[], symbol: string): CoinUnit {
  return amounts.some((wei) => wei > 0n && wei < READABLE_WEI)
    ? { name: 'gwei', text: formatGwei }
    : { name: symbol, text: (wei) => formatNative(wei, symbol).replace(` ${symbol}`, '') };
}
