import { type OnConflictBuilder, sql } from 'kysely';
import type { PricedLane } from '../core/advice.ts';
import type { AlertMessage, StoredAlert } from '../core/alerts/alert-rule.ts';
import type { Block } from '../core/block.ts';
import { thresholdText } from '../core/threshold/threshold.ts';
import type { AlertRun } from './alert-evaluation.ts';
import { integer, maybeCell } from './columns.ts';
import type { ReferencePrices } from './history.ts';
import { FORGOTTEN_AT_ONCE, forgetDeliveries, inPages, KEEP_DELIVERIES_MS } from './outbox.ts';
import { pagesOf, type Queries, type Tables } from './tables.ts';

/** A sum of wei per gas soon exceeds an integer column; its two halves do not. */
export const HALF = 1_000_000;

/** Wei per gas that a firing saved below the reference; 0 without a reference, or for an alert above a price. */
export const savedBy = ({ condition, price, reference_price: reference }: AlertEventRow): number =>
  condition === 'LESS_THAN' && reference !== null && reference > price ? reference - price : 0;

export const SUMS = ['firings', 'saved_high', 'saved_low', 'usd', 'unpriced'] as const;

export async function tallyFirings(trx: Queries, events: readonly AlertEventRow[]): Promise<void> {
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

export function tallyOf(events: readonly AlertEventRow[]) {
  const sum = (of: (event: AlertEventRow) => number) => events.reduce((total, event) => total + of(event), 0);
  return {
    firings: events.length,
    // Wei per gas saved, in two halves, and dollars per gas times 10^18 when the dollar price is known.
    saved_high: sum((event) => Math.floor(savedBy(event) / HALF)),
    saved_low: sum((event) => savedBy(event) % HALF),
    usd: sum((event) => savedBy(event) * (event.native_usd ?? 0)),
    unpriced: sum((event) => (event.native_usd === null && savedBy(event) > 0 ? 1 : 0)),
  };
}

export interface Firing {
  readonly alert: StoredAlert;
  readonly price: bigint;
}

interface FiringBlock {
  readonly block: Block;
  readonly reference: ReferencePrices | null;
  readonly run: AlertRun;
}

/** Writes firings and their deliveries: the outbox. One that exists was delivered before, which is no error. */
export async function insertFirings(trx: Queries, firings: readonly Firing[], at: FiringBlock) {
  for (const page of pagesOf(firings.map((firing) => eventRow(firing, at)))) {
    const events = trx.insertInto('alert_events').values(page);
    const written = events.onConflict((conflict) => conflict.doNothing()).returningAll();
    await tallyFirings(trx, await written.execute());
  }
  const deliveries = firings.flatMap((firing) => deliveryRows(firing, at));
  for (const page of pagesOf(deliveries)) {
    const outbox = trx.insertInto('deliveries').values(page);
    await outbox.onConflict((conflict) => conflict.doNothing()).execute();
  }
  const attempts = deliveries.filter(({ channel }) => channel === 'TERMINAL').map(shown);
  for (const page of pagesOf(attempts)) await trx.insertInto('delivery_attempts').values(page).execute();
  await forgetBeyond(trx, firings);
}

const eventId = ({ id, triggerCount }: Pick<StoredAlert, 'id' | 'triggerCount'>) => `${id}.${triggerCount}`;

/** One firing. `triggered_at`: block time, ms; `id`: the alert's id, a dot, and the number of its firing. */
export type AlertEventRow = ReturnType<typeof eventRow>;

function eventRow({ alert, price }: Firing, { block, reference, run }: FiringBlock) {
  return {
    id: eventId(alert),
    alert_id: alert.id,
    owner: alert.owner,
    block_number: block.number,
    block_hash: maybeCell(block.hash, String),
    triggered_at: Math.floor(block.timestamp) * 1_000,
    condition: String(alert.rule.condition),
    price: integer(price),
    reference_price: referenceOf(alert.rule.lane, reference),
    native_usd: run.nativeUsd,
  };
}

/** What blobs cost before is not summed up. */
const referenceOf = (lane: PricedLane, reference: ReferencePrices | null): number | null =>
  reference === null || lane === 'blob' ? null : reference[lane];

/** A delivery of one firing to one channel. Times in ms. Its id is the idempotency key. */
export type DeliveryRow = ReturnType<typeof deliveryRows>[number];

function deliveryRows({ alert, price }: Firing, { block, run: { chain, now } }: FiringBlock) {
  const { rule } = alert;
  const message: AlertMessage = {
    eventId: eventId(alert),
    alertId: alert.id,
    owner: alert.owner,
    ...chain,
    lane: rule.lane,
    condition: rule.condition,
    threshold: String(rule.threshold),
    ...(rule.relative != null && { rule: thresholdText(rule.relative.written) }),
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
      channel: String(channel),
      target: alert.targets[channel] ?? '',
      message: text,
      status: String(isShown ? 'DELIVERED' : 'PENDING'),
      created_at: now,
      // Since `tries_since`: the time of the firing, or of a manual retry.
      tries: Number(isShown),
      tries_since: now,
      next_attempt_at: isShown ? null : now,
    };
  });
}

export type DeliveryAttemptRow = ReturnType<typeof shown>;

/** Monitors show firings themselves. */
const shown = ({ id, created_at }: DeliveryRow) => ({
  delivery_id: id,
  at: created_at,
  latency_ms: 0,
  ok: 1,
  answer: 'shown by every running monitor',
});

/** Of one alert, so that an alert that fires at every block leaves room for the others. */
export const MOST_EVENTS = 1_000;

/** Deletes the firings that these push beyond the limit of their alert, with their deliveries that are done. */
async function forgetBeyond(trx: Queries, firings: readonly Firing[]): Promise<void> {
  const ids = firings.flatMap(({ alert: { id, triggerCount } }) =>
    triggerCount > MOST_EVENTS ? [eventId({ id, triggerCount: triggerCount - MOST_EVENTS })] : [],
  );
  if (ids.length === 0) return;
  await trx.deleteFrom('alert_events').where('id', 'in', ids).execute();
  const sent = trx.selectFrom('deliveries').where('event_id', 'in', ids).where('status', '<>', 'PENDING');
  await inPages(() => forgetDeliveries(trx, sent));
}

/** Deletes firings older than 90 days at `now` (ms since epoch), page by page: blocks are written in between. */
export const pruneAlertEvents = (
  transaction: (work: (trx: Queries) => Promise<number>) => Promise<number>,
  now: number,
): Promise<void> =>
  inPages(() =>
    transaction(async (trx) => {
      const events = trx.selectFrom('alert_events').select('id').limit(FORGOTTEN_AT_ONCE);
      const old = events.where('triggered_at', '<', now - KEEP_DELIVERIES_MS);
      const page = trx.deleteFrom('alert_events').where('id', 'in', old);
      return Number((await page.executeTakeFirstOrThrow()).numDeletedRows);
    }),
  );
