import type { AlertMessage, KeptAlert } from '../core/alerts/kept-alert.ts';
import type { Block } from '../core/block.ts';
import type { AlertRun } from './alert-run.ts';
import type { AlertEventRow, DeliveryAttemptRow, DeliveryRow } from './alert-schema.ts';
import { integer } from './block-row.ts';
import { BulkInsert } from './bulk-insert.ts';
import { tallyFirings } from './firing-tallies.ts';
import type { ReferencePrices } from './reference-prices.ts';
import type { Queries } from './schema.ts';

/** An alert that fires, as it is after that, and the price that did it. */
export interface Firing {
  readonly alert: KeptAlert;
  /** Wei per gas. */
  readonly price: bigint;
}

/** Where they fire, and what prices there are compared with. */
export interface FiringBlock {
  readonly block: Block;
  readonly reference: ReferencePrices | null;
  readonly run: AlertRun;
}

// An event that is there already has been told of: that must not keep the block from being written.
const events = new BulkInsert<AlertEventRow, AlertEventRow>((db, rows) =>
  db
    .insertInto('alert_events')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .compile(),
);
const deliveries = new BulkInsert<DeliveryRow>((db, rows) =>
  db
    .insertInto('deliveries')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .compile(),
);
const attempts = new BulkInsert<DeliveryAttemptRow>((db, rows) =>
  db.insertInto('delivery_attempts').values(rows).compile(),
);

/** Writes what fired at `block`, and what is to be sent for it: the outbox, in the transaction that has it fire. */
export async function insertFirings(
  trx: Queries,
  firings: readonly Firing[],
  { block, reference, run }: FiringBlock,
): Promise<void> {
  const written = await events.run(
    trx,
    firings.map((firing) => eventRow(firing, block, reference, run)),
  );
  await tallyFirings(trx, written);
  const rows = firings.flatMap((firing) => deliveryRows(firing, block, run));
  await deliveries.run(trx, rows);
  await attempts.run(trx, rows.filter(({ channel }) => channel === 'TERMINAL').map(shown));
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
