import type { Database } from './database.ts';
import type { Window } from './history.ts';
import type { Queries } from './tables.ts';

/** US dollars for one native coin, as they were known from that time (Unix s) on; `null`: unknown. */
export interface CoinPriceRow {
  readonly since: number;
  readonly native_usd: number | null;
}

/** The same price is noted again after so long, and holds for twice that: in between nothing followed the chain. */
export const NOTED_EVERY_SEC = 600;
const HOLDS_SEC = 2 * NOTED_EVERY_SEC;
const CHANGES_EVERY_SEC = 60;

/** Notes what was known at a block of that time, if it changed or was noted long ago. */
export async function noteCoinPrice(trx: Queries, timestamp: number, nativeUsd: number | null) {
  const newest = trx.selectFrom('coin_prices').selectAll().orderBy('since', 'desc').limit(1);
  const last = await newest.executeTakeFirst();
  if (last === undefined && nativeUsd === null) return;
  // The chain began anew, or its last blocks were replaced.
  if (last !== undefined && last.since >= timestamp)
    await trx.deleteFrom('coin_prices').where('since', '>=', timestamp).execute();
  else if (last !== undefined) {
    const everySec = last.native_usd === nativeUsd ? NOTED_EVERY_SEC : CHANGES_EVERY_SEC;
    if (timestamp < last.since + everySec) return;
  }
  await trx.insertInto('coin_prices').values({ since: timestamp, native_usd: nativeUsd }).execute();
}

/** What was known of the past from elsewhere; what is noted stays. */
export async function addCoinPrices(database: Database, prices: readonly CoinPriceRow[]): Promise<void> {
  await database.transaction(async (trx) => {
    const rows = trx.insertInto('coin_prices').values([...prices]);
    await rows.onConflict((conflict) => conflict.column('since').doNothing()).execute();
  });
}

/** Ascending; with the one that held when the window began. */
export const coinPricesIn = (db: Queries, { from, to }: Window): Promise<CoinPriceRow[]> =>
  db
    .selectFrom('coin_prices')
    .selectAll()
    .where('since', '>=', from - HOLDS_SEC)
    .where('since', '<=', to)
    .orderBy('since')
    .execute();

/** Of ascending prices that which was known at a time (Unix s); `null`: none was. */
export function coinPriceAt(prices: readonly CoinPriceRow[], timestamp: number): number | null {
  const last = prices.findLast(({ since }) => since <= timestamp);
  return last === undefined || timestamp > last.since + HOLDS_SEC ? null : last.native_usd;
}
