import { type OnConflictBuilder, sql } from 'kysely';
import type { Queries, Tables } from './tables.ts';

type FiringRow = Tables['alert_events'];

/** A sum of wei per gas soon exceeds an integer column; its two halves do not. */
export const HALF = 1_000_000;

/** Wei per gas that a firing saved below the reference; 0 without a reference, or for an alert above a price. */
export const savedBy = ({ condition, price, reference_price: reference }: FiringRow): number =>
  condition === 'LESS_THAN' && reference !== null && reference > price ? reference - price : 0;

export const SUMS = ['firings', 'saved_high', 'saved_low', 'usd', 'unpriced'] as const;

export async function tallyFirings(trx: Queries, events: readonly FiringRow[]): Promise<void> {
  const added = SUMS.map((sum) => [sum, sql.raw(`firing_tallies.${sum} + excluded.${sum}`)]);
  for (const [owner, theirs] of Map.groupBy(events, (event) => event.owner)) {
    const row = trx.insertInto('firing_tallies').values({ owner, hour: 0, ...tallyOf(theirs) });
    const same = (conflict: OnConflictBuilder<Tables, 'firing_tallies'>) =>
      conflict.columns(['owner', 'hour']).doUpdateSet(Object.fromEntries(added));
    await row.onConflict(same).execute();
  }
}

/** Totals of an owner's firings, including deleted ones. Earlier versions have a row for each `hour`, ms since epoch. */
export interface FiringTallyRow extends ReturnType<typeof tallyOf> {
  owner: string;
  hour: number;
}

export function tallyOf(events: readonly FiringRow[]) {
  const sum = (of: (event: FiringRow) => number) => events.reduce((total, event) => total + of(event), 0);
  return {
    firings: events.length,
    // Wei per gas saved, in two halves, and dollars per gas times 10^18 when the dollar price is known.
    saved_high: sum((event) => Math.floor(savedBy(event) / HALF)),
    saved_low: sum((event) => savedBy(event) % HALF),
    usd: sum((event) => savedBy(event) * (event.native_usd ?? 0)),
    unpriced: sum((event) => (event.native_usd === null && savedBy(event) > 0 ? 1 : 0)),
  };
}
