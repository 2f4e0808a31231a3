import { NOTE_KINDS, type Note } from '../core/auto-txs/auto-tx-rule.ts';
import type { KeptAutoTx, TimelineEntry } from '../core/auto-txs/kept-auto-tx.ts';
import type { AutoTxEventRow } from './auto-tx-schema.ts';
import { maybe, moment, oneOf, text, whole } from './columns.ts';
import type { Queries } from './schema.ts';

/** Of one auto-tx, so that one that is held for ever leaves room for the others. */
export const MOST_NOTES = 200;

/** Adds what happened at `at` (ms since epoch) to a timeline, and forgets what is too old on it. Part of the caller's transaction. */
export async function addNotes(trx: Queries, id: string, notes: readonly Note[], at: number): Promise<void> {
  if (notes.length === 0) return;
  const newest = await trx
    .selectFrom('auto_tx_events')
    .select((e) => e.fn.max<number | null>('seq').as('seq'))
    .where('auto_tx_id', '=', id)
    .executeTakeFirst();
  const last = newest?.seq ?? 0;
  await trx
    .insertInto('auto_tx_events')
    .values(
      notes.map(({ kind, blockNumber, message }, place) => ({
        auto_tx_id: id,
        seq: last + 1 + place,
        at,
        kind,
        block_number: blockNumber,
        message,
      })),
    )
    .execute();
  await trx
    .deleteFrom('auto_tx_events')
    .where('auto_tx_id', '=', id)
    .where('seq', '<=', last + notes.length - MOST_NOTES)
    .execute();
}

/** What happened to an auto-tx, newest first. */
export async function readTimeline(db: Queries, id: string, limit: number): Promise<TimelineEntry[]> {
  const rows = await db
    .selectFrom('auto_tx_events')
    .selectAll()
    .where('auto_tx_id', '=', id)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return rows.flatMap((row) => readEntry(row) ?? []);
}

/** `null`: no line of ours. */
function readEntry({ at, kind, block_number, message }: AutoTxEventRow): TimelineEntry | null {
  try {
    const blockNumber = maybe(block_number, whole);
    return { at: moment(at), kind: oneOf(NOTE_KINDS, kind), blockNumber, message: text(message) };
  } catch {
    return null;
  }
}

/** How a timeline begins. */
export const createdNote = ({ signed }: KeptAutoTx): Note => ({
  kind: 'CREATED',
  blockNumber: null,
  message:
    signed === null ? 'it was made as a draft, without a signature' : 'it was made and waits for its target',
});
