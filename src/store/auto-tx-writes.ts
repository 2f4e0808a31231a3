import { isDeepStrictEqual } from 'node:util';
import { type SelectQueryBuilder, sql } from 'kysely';
import {
  type AutoTxEvent,
  type AutoTxState,
  isFinal,
  type TimelineNote,
} from '../core/auto-txs/state-machine.ts';
import {
  type AutoTxStep,
  type StoredAutoTx,
  savingsOf,
  stepStored,
} from '../core/auto-txs/stored-auto-tx.ts';
import { type AutoTxRow, toAutoTxRow, toStoredAutoTx } from './auto-tx-rows.ts';
import type { Sealed } from './sealer.ts';
import { countRows, type Queries, readRows, type Tables } from './tables.ts';

/** What is written of auto-txs within a transaction of the caller: with their bytes, timelines and totals, and by the chain. */

/** Spelled as in the indexes: SQLite matches partial indexes by their exact expression. */
export const IS_LIVE = sql<boolean>`status in ('PENDING', 'DISABLED', 'SUBMITTED')`;

export const ofSender = <Output>(all: SelectQueryBuilder<Tables, 'auto_txs', Output>, from: string) =>
  all.where('from_address', '=', from).orderBy('nonce').orderBy('id');
const IS_FINAL = sql<boolean>`status in ('EXECUTED', 'CANCELLED', 'EXPIRED', 'FAILED')`;

/** The id of another live one with the same owner, sender and nonce; `null` when there is none. */
export async function findRival(db: Queries, { owner, id, signed }: StoredAutoTx): Promise<string | null> {
  if (signed === null) return null;
  const live = ofSender(db.selectFrom('auto_txs').select('id'), signed.from).where(IS_LIVE);
  const same = live.where('nonce', '=', signed.nonce).where('owner', '=', owner).where('id', '<>', id);
  return (await same.limit(1).executeTakeFirst())?.id ?? null;
}

type SealedChange = Omit<AutoTxStep, 'signedBytes'> & { readonly sealed?: Sealed | undefined };

export async function writeAutoTx(trx: Queries, before: StoredAutoTx, change: SealedChange): Promise<void> {
  const { autoTx: after, notes, at, sealed } = change;
  const { id } = before;
  if (after.signed?.hash !== before.signed?.hash && sealed === undefined)
    throw new RangeError('a signed transaction changes only with its bytes');
  // Only changed columns: unchanged ones need no index update, and calldata may be long.
  const was = new Map<string, unknown>(Object.entries(toAutoTxRow(before)));
  const changed = Object.entries(toAutoTxRow(after)).filter(([column, value]) => was.get(column) !== value);
  if (changed.length > 0)
    await trx.updateTable('auto_txs').set(Object.fromEntries(changed)).where('id', '=', id).execute();
  await addNotes(trx, id, notes, at);
  if (sealed !== undefined) {
    await trx.deleteFrom('signed_transactions').where('auto_tx_id', '=', id).execute();
    await insertSigned(trx, id, sealed);
  }
  const hasEnded = isFinal(after.state.status);
  if (hasEnded !== isFinal(before.state.status)) {
    const stored = trx.updateTable('signed_transactions').set({ ended_at: hasEnded ? at : null });
    await stored.where('auto_tx_id', '=', id).execute();
  }
  await tallyAutoTx(trx, before, after);
}

export async function insertSigned(trx: Queries, id: string, { keyId, bytes }: Sealed): Promise<void> {
  const row = { auto_tx_id: id, ended_at: null, bytes, key_id: keyId };
  await trx.insertInto('signed_transactions').values(row).execute();
}

/** Of one auto-tx, so that one that is held for ever leaves room for the others: its first ones, and the newest. */
export const MOST_NOTES = 200;
const FIRST_NOTES = 20;

export type AutoTxEventRow = ReturnType<typeof toEventRow>;

function toEventRow(id: string, seq: number, at: number, { kind, blockNumber, message }: TimelineNote) {
  return { auto_tx_id: id, seq, at, kind: String(kind), block_number: blockNumber, message };
}

/**
 * Adds events at `at` (ms since epoch) to a timeline. What only repeats the newest one is not added, and beyond the limit
 * those after the first are deleted: how it began stays.
 */
export async function addNotes(
  trx: Queries,
  id: string,
  added: readonly TimelineNote[],
  at: number,
): Promise<void> {
  if (added.length === 0) return;
  const all = trx
    .selectFrom('auto_tx_events')
    .select(['seq', 'kind', 'message'])
    .where('auto_tx_id', '=', id);
  const newest = await all.orderBy('seq', 'desc').limit(1).executeTakeFirst();
  const isRepeated = (note: TimelineNote | undefined) =>
    note !== undefined && note.kind === newest?.kind && note.message === newest.message;
  const notes = isRepeated(added[0]) ? added.slice(1) : added;
  if (notes.length === 0) return;
  const last = newest?.seq ?? 0;
  const rows = notes.map((note, place) => toEventRow(id, last + 1 + place, at, note));
  await trx.insertInto('auto_tx_events').values(rows).execute();
  const between = trx
    .deleteFrom('auto_tx_events')
    .where('auto_tx_id', '=', id)
    .where('seq', '>', FIRST_NOTES);
  await between.where('seq', '<=', last + notes.length - (MOST_NOTES - FIRST_NOTES)).execute();
}

/** What it adds to its owner's totals. */
function shareOf(stored: StoredAutoTx) {
  const isExecuted = stored.state.status === 'EXECUTED';
  const { savedWei = 0n, savedUsd = 0 } = (isExecuted && savingsOf(stored)?.atCreation) || {};
  const unpriced = savedWei !== 0n && savedUsd === null ? 1 : 0;
  return { executed: isExecuted ? 1 : 0, wei: savedWei, usd: savedUsd ?? 0, unpriced };
}

async function tallyAutoTx(trx: Queries, before: StoredAutoTx, after: StoredAutoTx): Promise<void> {
  const [was, is] = [shareOf(before), shareOf(after)];
  if (isDeepStrictEqual(was, is)) return;
  const tally = trx.selectFrom('auto_tx_tallies').selectAll().where('owner', '=', after.owner);
  const row = await tally.executeTakeFirst();
  const executed = (row?.executed ?? 0) + is.executed - was.executed;
  const next = {
    executed,
    saved_wei: String(BigInt(row?.saved_wei ?? 0) + is.wei - was.wei),
    // Without executed auto-txs the sum is exactly 0, without rounding errors.
    usd: executed === 0 ? 0 : (row?.usd ?? 0) + is.usd - was.usd,
    unpriced: (row?.unpriced ?? 0) + is.unpriced - was.unpriced,
  };
  const written = trx.insertInto('auto_tx_tallies').values({ owner: after.owner, ...next });
  await written.onConflict((conflict) => conflict.column('owner').doUpdateSet(next)).execute();
}

export async function rewindAutoTxs(trx: Queries, number: number, now: number): Promise<void> {
  const rows = await trx.selectFrom('auto_txs').selectAll().where('chain_block', '>', number).execute();
  await stepAll(trx, rows, { type: 'rewind', to: number }, now);
}

export async function restartAutoTxs(trx: Queries, now: number): Promise<void> {
  await trx.updateTable('auto_txs').set({ chain_block: null }).where(IS_FINAL).execute();
  const watched = trx.selectFrom('auto_txs').selectAll().where(sql<boolean>`(${IS_LIVE} or may_be_out = 1)`);
  await stepAll(trx, await watched.execute(), { type: 'restart' }, now);
}

/** Applies an event to many; `reason` precedes its notes. Returns how many it changed. */
export async function stepAll(
  trx: Queries,
  rows: readonly AutoTxRow[],
  event: AutoTxEvent,
  now: number,
  reason = '',
): Promise<number> {
  let changed = 0;
  for (const stored of readRows(rows, toStoredAutoTx)) {
    const step = stepStored(stored, event, { confirmations: 1, now });
    if (step === null) continue;
    const notes = step.notes.map((note) => ({ ...note, message: reason + note.message }));
    const superseded = (await isTaken(trx, stored, step.autoTx.state)) && SUPERSEDED;
    const autoTx = { ...step.autoTx, state: { ...step.autoTx.state, ...superseded } };
    await writeAutoTx(trx, stored, { autoTx, notes, at: now });
    changed += 1;
  }
  return changed;
}

/** It had ended before a block turned out to have it, and its owner has another waiting auto-tx with its nonce. */
const SUPERSEDED = { status: 'CANCELLED', hold: null } as const;

async function isTaken(
  trx: Queries,
  stored: StoredAutoTx,
  { status, returnsTo }: AutoTxState,
): Promise<boolean> {
  if (stored.state.returnsTo === null || returnsTo !== null || isFinal(status)) return false;
  return (await findRival(trx, stored)) !== null;
}

const MOST_FINAL = 10_000;
const SETTLED_BLOCKS = 64;
const FORGOTTEN_AT_ONCE = 100;

/** Deletes an owner's oldest final auto-txs beyond `most`, except those that may still be mined. */
export async function forgetFinal(trx: Queries, owner: string, most = MOST_FINAL): Promise<void> {
  const final = trx.selectFrom('auto_txs').where('owner', '=', owner).where(IS_FINAL);
  const tooMany = (await countRows(final)) - most;
  if (tooMany <= 0) return;
  const { rows } = await sql<{ id: string }>`
    select id from auto_txs where owner = ${owner} and ${IS_FINAL} and may_be_out = 0
      and (chain_block is null or chain_block < (select coalesce(max(number), 0) from blocks) - ${SETTLED_BLOCKS})
    order by created_at, id limit ${Math.min(tooMany, FORGOTTEN_AT_ONCE)}`.execute(trx);
  const ids = rows.map(({ id }) => id);
  await forgetAutoTxs(trx, ids);
}

export async function forgetAutoTxs(trx: Queries, ids: readonly string[]): Promise<void> {
  await trx.deleteFrom('auto_txs').where('id', 'in', ids).execute();
  await trx.deleteFrom('auto_tx_events').where('auto_tx_id', 'in', ids).execute();
  await trx.deleteFrom('signed_transactions').where('auto_tx_id', 'in', ids).execute();
}
