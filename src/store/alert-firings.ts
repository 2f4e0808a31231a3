import { type OnConflictBuilder, sql } from 'kysely';
import type { AlertMessage, StoredAlert } from '../core/alerts/alert-rule.ts';
import type { Block } from '../core/block.ts';
import { DAY_MS } from '../core/time.ts';
import { integer, maybeCell } from './columns.ts';
import type { ReferencePrices } from './history.ts';
import { inPages, pagesOf, type Queries, type Tables } from './tables.ts';

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

/** Where alerts fired. `now`: of the first delivery attempt, ms since epoch, wall clock. */
export interface FiringBlock {
  readonly block: Block;
  readonly reference: ReferencePrices | null;
  readonly chain: Pick<AlertMessage, 'chainId' | 'chainName' | 'sourceKind'>;
  readonly nativeUsd: number | null;
  readonly now: number;
}

/** Writes firings, each once, and counts them. */
export async function insertFirings(trx: Queries, firings: readonly Firing[], at: FiringBlock) {
  for (const page of pagesOf(firings.map((firing) => eventRow(firing, at)))) {
    const events = trx.insertInto('alert_events').values(page);
    const written = events.onConflict((conflict) => conflict.doNothing()).returningAll();
    await tallyFirings(trx, await written.execute());
  }
  const ids = pushedOut(firings);
  if (ids.length > 0) await trx.deleteFrom('alert_events').where('id', 'in', ids).execute();
}

export const eventId = ({ id, triggerCount }: Pick<StoredAlert, 'id' | 'triggerCount'>) =>
  `${id}.${triggerCount}`;

/** One firing. `triggered_at`: block time, ms; `id`: the alert's id, a dot, and the number of its firing. */
export type AlertEventRow = ReturnType<typeof eventRow>;

function eventRow({ alert, price }: Firing, { block, reference, nativeUsd }: FiringBlock) {
  const { lane } = alert.rule;
  return {
    id: eventId(alert),
    alert_id: alert.id,
    owner: alert.owner,
    block_number: block.number,
    block_hash: maybeCell(block.hash, String),
    triggered_at: Math.floor(block.timestamp) * 1_000,
    condition: String(alert.rule.condition),
    price: integer(price),
    // What blobs cost before is not summed up.
    reference_price: lane === 'blob' || reference === null ? null : reference[lane],
    native_usd: nativeUsd,
  };
}

/** Of one alert, so that an alert that fires at every block leaves room for the others. */
export const MOST_EVENTS = 1_000;

/** The ids of the firings that these push beyond the limit of their alert. */
export const pushedOut = (firings: readonly Firing[]): string[] =>
  firings.flatMap(({ alert: { id, triggerCount } }) =>
    triggerCount > MOST_EVENTS ? [eventId({ id, triggerCount: triggerCount - MOST_EVENTS })] : [],
  );

/** Deliveries are kept as long. */
export const KEEP_FIRINGS_MS = 90 * DAY_MS;

/** Deletes firings older than 90 days at `now` (ms since epoch), page by page: blocks are written in between. */
export const pruneAlertEvents = (
  transaction: (work: (trx: Queries) => Promise<number>) => Promise<number>,
  now: number,
): Promise<void> =>
  inPages((limit) =>
    transaction(async (trx) => {
      const events = trx.selectFrom('alert_events').select('id').limit(limit);
      const old = events.where('triggered_at', '<', now - KEEP_FIRINGS_MS);
      const page = trx.deleteFrom('alert_events').where('id', 'in', old);
      return Number((await page.executeTakeFirstOrThrow()).numDeletedRows);
    }),
  );
