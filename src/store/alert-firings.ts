import { sql } from 'kysely';
import type { AlertEventRow, Queries } from './schema.ts';

/** One firing of an alert. Wei per gas. */
export interface AlertFiring {
  readonly alertId: string;
  readonly blockNumber: number;
  /** The block's own time, ms since epoch. */
  readonly triggeredAt: number;
  readonly price: bigint;
  /** The lane's mean over the day before; `null` where that was not known. */
  readonly referencePrice: bigint | null;
  /** Wei per gas below the reference; 0 where there is none, or it fired above a price. */
  readonly savedPerGas: bigint;
  /** Dollars for one native coin then; `null` where that was not known. */
  readonly nativeUsd: number | null;
}

/** What firings saved in all. */
export interface AlertSum {
  readonly firings: number;
  /** Wei per gas, over all firings. */
  readonly savedPerGas: bigint;
  /** The same in dollars per gas times 10^18; `null` where a firing that saved something has no dollar price. */
  readonly usdPerGas: number | null;
}

/** Whose firings: those of one alert, or of an owner (empty: everybody's). */
export type FiringsOf = { readonly alertId: string } | { readonly owner: string };

/** A sum of wei per gas soon exceeds what a row can hold, its two halves do not. */
const HALF = 1_000_000;

const saved = sql<number>`case
  when condition = 'LESS_THAN' and reference_price > price then reference_price - price else 0 end`;

const firingsOf = (db: Queries, whose: FiringsOf) => {
  const all = db.selectFrom('alert_events');
  if ('alertId' in whose) return all.where('alert_id', '=', whose.alertId);
  return whose.owner === '' ? all : all.where('owner', '=', whose.owner);
};

/** The newest firings of an alert, newest first. */
export async function newestFirings(db: Queries, alertId: string, limit: number): Promise<AlertFiring[]> {
  const rows = await firingsOf(db, { alertId })
    .selectAll()
    .orderBy('triggered_at', 'desc')
    .orderBy('block_number', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toFiring);
}

/** The newest firings of an owner from `from` to `to` (ms since epoch, inclusive), oldest first. */
export async function firingsBetween(
  db: Queries,
  owner: string,
  window: { readonly from: number; readonly to: number; readonly limit: number },
): Promise<AlertFiring[]> {
  const rows = await firingsOf(db, { owner })
    .selectAll()
    .where('triggered_at', '>=', window.from)
    .where('triggered_at', '<=', window.to)
    .orderBy('triggered_at', 'desc')
    .limit(window.limit)
    .execute();
  return rows.map(toFiring).reverse();
}

/** How often an owner's alerts have fired since `since`, ms since epoch. */
export async function countFirings(db: Queries, owner: string, since: number): Promise<number> {
  const row = await firingsOf(db, { owner })
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('triggered_at', '>=', since)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/** What all firings saved. */
export async function sumFirings(db: Queries, whose: FiringsOf): Promise<AlertSum> {
  const sums = await firingsOf(db, whose)
    .select((e) => [
      e.fn.countAll<number>().as('firings'),
      sql<number | null>`sum((${saved}) / ${sql.lit(HALF)})`.as('high'),
      sql<number | null>`sum((${saved}) % ${sql.lit(HALF)})`.as('low'),
      sql<number | null>`sum((${saved}) * native_usd)`.as('usd'),
      sql<number | null>`sum(case when native_usd is null and (${saved}) > 0 then 1 else 0 end)`.as(
        'unpriced',
      ),
    ])
    .executeTakeFirstOrThrow();
  return {
    firings: Number(sums.firings),
    savedPerGas: BigInt(sums.high ?? 0) * BigInt(HALF) + BigInt(sums.low ?? 0),
    usdPerGas: (sums.unpriced ?? 0) > 0 ? null : (sums.usd ?? 0),
  };
}

/** The firing of an alert that saved most; `null`: none saved anything. */
export async function bestFiring(db: Queries, alertId: string): Promise<AlertFiring | null> {
  const row = await firingsOf(db, { alertId })
    .selectAll()
    .where(sql<boolean>`(${saved}) > 0`)
    .orderBy(saved, 'desc')
    .orderBy('triggered_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : toFiring(row);
}

function toFiring(row: AlertEventRow): AlertFiring {
  const price = BigInt(row.price);
  const referencePrice = row.reference_price === null ? null : BigInt(row.reference_price);
  const below = referencePrice === null || row.condition !== 'LESS_THAN' ? 0n : referencePrice - price;
  return {
    alertId: row.alert_id,
    blockNumber: row.block_number,
    triggeredAt: row.triggered_at,
    price,
    referencePrice,
    savedPerGas: below > 0n ? below : 0n,
    nativeUsd: row.native_usd,
  };
}
