import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { AlertMessage, KeptAlert } from '../core/alerts/alert-rule.ts';
import type { Block } from '../core/block.ts';
import type { AlertRun } from './alert-evaluation.ts';
import { integer } from './block-rows.ts';
import { FORGOTTEN_AT_ONCE, forgetDeliveries } from './outbox.ts';
import type { ReferencePrices } from './reference-prices.ts';
import {
  type AlertEventRow,
  countRows,
  type DeliveryAttemptRow,
  type DeliveryRow,
  type FiringTallyRow,
  pagesOf,
  type Queries,
} from './tables.ts';

/** A sum of wei per gas soon exceeds what a row can hold, its two halves do not. */
const HALF = 1_000_000;

/** Wei per gas that a firing saved: below the reference; 0 where there is none, or it fired above a price. */
export function savedBy({
  condition,
  price,
  reference_price: reference,
}: Pick<AlertEventRow, 'condition' | 'price' | 'reference_price'>): number {
  return condition === 'LESS_THAN' && reference !== null && reference > price ? reference - price : 0;
}

const TALLY_HOUR_MS = 3_600_000;

/** The start of the hour that a time lies in, both ms since epoch. */
const tallyHour = (ms: number) => Math.floor(ms / TALLY_HOUR_MS) * TALLY_HOUR_MS;

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

/** An alert that fires, as it is after that, and the price that did it. */
export interface Firing {
  readonly alert: KeptAlert;
  /** Wei per gas. */
  readonly price: bigint;
}

/** Where they fire, and what prices there are compared with. */
interface FiringBlock {
  readonly block: Block;
  readonly reference: ReferencePrices | null;
  readonly run: AlertRun;
}

/** Writes what fired at `block`, and what is to be sent for it: the outbox, in the transaction that has it fire. */
export async function insertFirings(
  trx: Queries,
  firings: readonly Firing[],
  { block, reference, run }: FiringBlock,
): Promise<void> {
  for (const page of pagesOf(firings.map((firing) => eventRow(firing, block, reference, run)))) {
    const written = await trx
      .insertInto('alert_events')
      .values(page)
      // One that is there already has been told of: that must not keep the block from being written.
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .execute();
    await tallyFirings(trx, written);
  }
  const deliveries = firings.flatMap((firing) => deliveryRows(firing, block, run));
  for (const page of pagesOf(deliveries)) {
    await trx
      .insertInto('deliveries')
      .values(page)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  const attempts = deliveries.filter(({ channel }) => channel === 'TERMINAL').map(shown);
  for (const page of pagesOf(attempts)) await trx.insertInto('delivery_attempts').values(page).execute();
}

const eventId = ({ id, triggerCount }: KeptAlert) => `${id}.${triggerCount}`;

function eventRow(
  { alert, price }: Firing,
  block: Block,
  reference: ReferencePrices | null,
  { nativeUsd }: AlertRun,
): AlertEventRow {
  return {
    id: eventId(alert),
    alert_id: alert.id,
    owner: alert.owner,
    block_number: block.number,
    block_hash: block.hash,
    triggered_at: Math.floor(block.timestamp) * 1_000,
    condition: alert.rule.condition,
    price: integer(price),
    reference_price: reference === null ? null : reference[alert.rule.lane],
    native_usd: nativeUsd,
  };
}

function deliveryRows({ alert, price }: Firing, block: Block, { chain, now }: AlertRun): DeliveryRow[] {
  const { rule } = alert;
  const message: AlertMessage = {
    eventId: eventId(alert),
    alertId: alert.id,
    owner: alert.owner,
    ...chain,
    lane: rule.lane,
    condition: rule.condition,
    threshold: String(rule.threshold),
    price: String(price),
    blockNumber: block.number,
    blockTimestamp: Math.floor(block.timestamp),
    note: alert.note,
    triggerCount: alert.triggerCount,
  };
  const text = JSON.stringify(message);
  return [...new Set(alert.channels)].map((channel) => {
    const isShown = channel === 'TERMINAL';
    return {
      id: `${message.eventId}.${channel.toLowerCase()}`,
      event_id: message.eventId,
      alert_id: alert.id,
      channel,
      target: alert.targets[channel] ?? '',
      message: text,
      status: isShown ? 'DELIVERED' : 'PENDING',
      created_at: now,
      tries: isShown ? 1 : 0,
      tries_since: now,
      next_attempt_at: isShown ? null : now,
    };
  });
}

/** Monitors see for themselves that an alert has fired. */
const shown = ({ id, created_at }: DeliveryRow): DeliveryAttemptRow => ({
  delivery_id: id,
  at: created_at,
  latency_ms: 0,
  ok: 1,
  answer: 'shown by every running monitor',
});

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
  const begun = firingsOf(db, { owner })
    .where('triggered_at', '>=', since)
    .where('triggered_at', '<', wholeFrom);
  return Number(whole?.count ?? 0) + (await countRows(begun));
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

const KEEP_MS = 90 * 86_400_000;
/** Of one alert, so that one that fires at every block leaves room for the others. */
const MOST_EVENTS = 1_000;
/** Whose firings are counted at once. */
const ALERTS_AT_ONCE = 20;

/** Runs some work in a transaction of its own. */
type InTransaction = <Result>(work: (trx: Queries) => Promise<Result>) => Promise<Result>;

/**
 * Keeps the last 1,000 firings of each alert, and none that is older than 90 days at `now` (ms since epoch). With a firing
 * that was one too many goes what was sent for it, once that is done. A page at a time, each in a transaction of its own,
 * so that blocks are written and requests answered in between.
 */
export async function pruneAlertEvents(transaction: InTransaction, now: number): Promise<void> {
  while ((await transaction((trx) => forgetOld(trx, now - KEEP_MS))) === FORGOTTEN_AT_ONCE) {
    await setImmediate();
  }
  for (let after: string | null = ''; after !== null; ) {
    const counted: EventCount[] = await transaction((trx) => countEvents(trx, after ?? ''));
    for (const { alert_id, count } of counted) {
      if (count > MOST_EVENTS) await pruneCrowded(transaction, alert_id);
    }
    after = counted.at(-1)?.alert_id ?? null;
    await setImmediate();
  }
}

async function forgetOld(trx: Queries, before: number): Promise<number> {
  const old = await trx
    .selectFrom('alert_events')
    .select('id')
    .where('triggered_at', '<', before)
    .limit(FORGOTTEN_AT_ONCE)
    .execute();
  if (old.length > 0) await deleteEvents(trx, old);
  return old.length;
}

interface EventCount {
  readonly alert_id: string;
  readonly count: number;
}

function countEvents(trx: Queries, after: string): Promise<EventCount[]> {
  return trx
    .selectFrom('alert_events')
    .select((e) => ['alert_id', e.fn.countAll<number>().as('count')])
    .where('alert_id', '>', after)
    .groupBy('alert_id')
    .orderBy('alert_id')
    .limit(ALERTS_AT_ONCE)
    .execute();
}

async function pruneCrowded(transaction: InTransaction, alertId: string): Promise<void> {
  while ((await transaction((trx) => forgetCrowded(trx, alertId))) === FORGOTTEN_AT_ONCE) {
    await setImmediate();
  }
}

async function forgetCrowded(trx: Queries, alertId: string): Promise<number> {
  const events = await trx
    .selectFrom('alert_events')
    .select('id')
    .where('alert_id', '=', alertId)
    .orderBy('triggered_at', 'desc')
    .orderBy('block_number', 'desc')
    .offset(MOST_EVENTS)
    .limit(FORGOTTEN_AT_ONCE)
    .execute();
  if (events.length === 0) return 0;
  await deleteEvents(trx, events);
  const sent = await trx
    .selectFrom('deliveries')
    .select('id')
    .where(
      'event_id',
      'in',
      events.map(({ id }) => id),
    )
    .where('status', '<>', 'PENDING')
    .execute();
  for (let at = 0; at < sent.length; at += FORGOTTEN_AT_ONCE) {
    await forgetDeliveries(
      trx,
      sent.slice(at, at + FORGOTTEN_AT_ONCE).map(({ id }) => id),
    );
  }
  return events.length;
}

async function deleteEvents(trx: Queries, events: readonly { readonly id: string }[]): Promise<void> {
  await trx
    .deleteFrom('alert_events')
    .where(
      'id',
      'in',
      events.map(({ id }) => id),
    )
    .execute();
}
