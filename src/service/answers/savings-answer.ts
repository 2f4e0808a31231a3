import type { AlertSavings } from '../../contract/alerts.ts';
import { usdOf } from '../../core/units.ts';
import type { AlertFiring, AlertSum } from '../../store/alert-firings.ts';
import { isoFromMs, wireWei } from './wire.ts';

/** How many firings are told one by one. */
export const SAVINGS_ENTRIES_MOST = 500;

/** `GET /alerts/{id}/savings`: what `gasAmount` gas cost less at each firing than in the mean of the day before. */
export function savingsAnswer(
  alertId: string,
  sum: AlertSum,
  firings: { readonly newest: readonly AlertFiring[]; readonly best: AlertFiring | null },
  gasAmount: number,
): AlertSavings {
  const { newest, best } = firings;
  return {
    alertId,
    events: sum.firings,
    ...savedBy(sum, gasAmount),
    best: best === null ? null : toEntry(best, gasAmount),
    gasAmount,
    entries: newest.map((firing) => toEntry(firing, gasAmount)),
  };
}

/** What firings saved in all; in dollars where each that saved something knows their price. */
export function savedBy({ savedPerGas, usdPerGas }: AlertSum, gas: number) {
  return {
    savedWei: (savedPerGas * BigInt(gas)).toString(),
    savedUsd: usdPerGas === null ? null : (usdPerGas / 1e18) * gas,
  };
}

function toEntry(firing: AlertFiring, gasAmount: number): AlertSavings['entries'][number] {
  const savedWei = firing.savedPerGas * BigInt(gasAmount);
  return {
    triggeredAt: isoFromMs(firing.triggeredAt),
    blockNumber: firing.blockNumber,
    price: wireWei(firing.price),
    referencePrice: firing.referencePrice === null ? null : wireWei(firing.referencePrice),
    savedWei: savedWei.toString(),
    savedUsd: savedInUsd(savedWei, firing.nativeUsd),
  };
}

function savedInUsd(savedWei: bigint, nativeUsd: number | null): number | null {
  if (savedWei === 0n) return 0;
  return nativeUsd === null ? null : usdOf(savedWei, nativeUsd);
}
