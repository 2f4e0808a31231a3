import { sql } from 'kysely';
import { HALF, savedBy } from './alert-saved.ts';
import type { AlertEventRow } from './alert-schema.ts';
import { TALLY_HOUR_MS, tallyHour } from './firing-tallies.ts';
import type { Queries } from './schema.ts';

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

const talliesOf = (db: Queries, owner: string) => {
  const all = db.selectFrom('firing_tallies');
  return owner === '' ? all : all.where('owner', '=', owner);
};

/** How often an owner's alerts have fired since `since`, ms since epoch. */
export async function countFirings(db: Queries, owner: string, since: number): Promise<number> {
  const wholeFrom = tallyHour(since - 1) + TALLY_HOUR_MS;
  const whole = await talliesOf(db, owner)
    .select((e) => e.fn.sum<number | null>('firings').as('count'))
    .where('hour', '>=', wholeFrom)
    .executeTakeFirst();
  const begun = await firingsOf(db, { owner })
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('triggered_at', '>=', since)
    .where('triggered_at', '<', wholeFrom)
    .executeTakeFirst();
  return Number(whole?.count ?? 0) + Number(begun?.count ?? 0);
}

/** What the firings of an alert that are kept saved, or all that an owner's alerts ever had. */
export async function sumFirings(db: Queries, whose: FiringsOf): Promise<AlertSum> {
  return 'alertId' in whose ? sumKept(db, whose) : sumTallies(db, whose.owner);
}

async function sumTallies(db: Queries, owner: string): Promise<AlertSum> {
  return toSum(
    await talliesOf(db, owner)
      .select((e) => [
        e.fn.sum<number | null>('firings').as('firings'),
        e.fn.sum<number | null>('saved_high').as('high'),
        e.fn.sum<number | null>('saved_low').as('low'),
        e.fn.sum<number | null>('usd').as('usd'),
        e.fn.sum<number | null>('unpriced').as('unpriced'),
      ])
      .executeTakeFirstOrThrow(),
  );
}

async function sumKept(db: Queries, whose: FiringsOf): Promise<AlertSum> {
  return toSum(
    await firingsOf(db, whose)
      .select((e) => [
        e.fn.countAll<number>().as('firings'),
        sql<number | null>`sum((${saved}) / ${sql.lit(HALF)})`.as('high'),
        sql<number | null>`sum((${saved}) % ${sql.lit(HALF)})`.as('low'),
        sql<number | null>`sum((${saved}) * native_usd)`.as('usd'),
        sql<number | null>`sum(case when native_usd is null and (${saved}) > 0 then 1 else 0 end)`.as(
          'unpriced',
        ),
      ])
      .executeTakeFirstOrThrow(),
  );
}

type Sums = Readonly<Record<'firings' | 'high' | 'low' | 'usd' | 'unpriced', number | null>>;

function toSum({ firings, high, low, usd, unpriced }: Sums): AlertSum {
  return {
    firings: Number(firings ?? 0),
    savedPerGas: BigInt(high ?? 0) * BigInt(HALF) + BigInt(low ?? 0),
    usdPerGas: (unpriced ?? 0) > 0 ? null : (usd ?? 0),
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
  return {
    alertId: row.alert_id,
    blockNumber: row.block_number,
    triggeredAt: row.triggered_at,
    price: BigInt(row.price),
    referencePrice: row.reference_price === null ? null : BigInt(row.reference_price),
    savedPerGas: BigInt(savedBy(row)),
    nativeUsd: row.native_usd,
  };
}
