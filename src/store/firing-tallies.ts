import { HALF, savedBy } from './alert-saved.ts';
import type { AlertEventRow, FiringTallyRow } from './alert-schema.ts';
import type { Queries } from './schema.ts';

export const TALLY_HOUR_MS = 3_600_000;

/** The start of the hour that a time lies in, both ms since epoch. */
export const tallyHour = (ms: number) => Math.floor(ms / TALLY_HOUR_MS) * TALLY_HOUR_MS;

/** Adds new firings to what their owners' come to. Part of the transaction that writes them. */
export async function tallyFirings(trx: Queries, events: readonly AlertEventRow[]): Promise<void> {
  const hours = Map.groupBy(events, ({ owner, triggered_at }) => `${tallyHour(triggered_at)} ${owner}`);
  for (const together of hours.values()) {
    await trx
      .insertInto('firing_tallies')
      .values(tallyOf(together))
      .onConflict((conflict) =>
        conflict.columns(['owner', 'hour']).doUpdateSet((e) => {
          const sum = (column: 'firings' | 'saved_high' | 'saved_low' | 'usd' | 'unpriced') =>
            e(`firing_tallies.${column}`, '+', e.ref(`excluded.${column}`));
          return {
            firings: sum('firings'),
            saved_high: sum('saved_high'),
            saved_low: sum('saved_low'),
            usd: sum('usd'),
            unpriced: sum('unpriced'),
          };
        }),
      )
      .execute();
  }
}

function tallyOf(events: readonly AlertEventRow[]): FiringTallyRow {
  const tally = {
    owner: events[0]?.owner ?? '',
    hour: tallyHour(events[0]?.triggered_at ?? 0),
    firings: events.length,
    saved_high: 0,
    saved_low: 0,
    usd: 0,
    unpriced: 0,
  };
  for (const event of events) {
    const saved = savedBy(event);
    tally.saved_high += Math.floor(saved / HALF);
    tally.saved_low += saved % HALF;
    if (event.native_usd !== null) tally.usd += saved * event.native_usd;
    else if (saved > 0) tally.unpriced += 1;
  }
  return tally;
}
