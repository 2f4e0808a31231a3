import { isDeepStrictEqual } from 'node:util';
import { type SelectQueryBuilder, sql } from 'kysely';
import { type KeptAutoTx, savingsOf } from '../core/auto-txs/kept-auto-tx.ts';
import {
  type AutoTxEvent,
  type AutoTxState,
  isFinal,
  type Note,
  stepAutoTx,
} from '../core/auto-txs/state-machine.ts';
import { type AutoTxRow, toAutoTxRow, toKeptAutoTx } from './auto-tx-rows.ts';
import type { Sealed } from './sealer.ts';
import { countRows, type Queries, readRows, type Tables, upsert } from './tables.ts';

// All of these are part of the caller's transaction.

/** Spelled as in the indexes: SQLite matches partial indexes by their exact expression. */
export const IS_LIVE = sql<boolean>`status in ('PENDING', 'DISABLED', 'SUBMITTED')`;

export const ofSender = <Output>(all: SelectQueryBuilder<Tables, 'auto_txs', Output>, from: string) =>
  all.where('from_address', '=', from).orderBy('nonce').orderBy('id');

/** The id of another live one with the same owner, sender and nonce; `null` when there is none. */
export async function findRival(db: Queries, { owner, id, signed }: KeptAutoTx): Promise<string | null> {
  if (signed === null) return null;
  const live = ofSender(db.selectFrom('auto_txs').select('id'), signed.from).where(IS_LIVE);
  const same = live.where('nonce', '=', signed.nonce).where('owner', '=', owner).where('id', '<>', id);
  return (await same.limit(1).executeTakeFirst())?.id ?? null;
}

export interface AutoTxChange {
  readonly autoTx: KeptAutoTx;
  readonly notes: readonly Note[];
  readonly at: number;
  readonly signed?: Uint8Array;
}

type SealedChange = Omit<AutoTxChange, 'signed'> & { readonly signed?: Sealed | undefined };

export async function writeAutoTx(trx: Queries, before: KeptAutoTx, change: SealedChange): Promise<void> {
  const { autoTx: after, notes, at, signed } = change;
  const { id } = before;
  if (after.signed?.hash !== before.signed?.hash && signed === undefined)
    throw new RangeError('a signed transaction changes only with its bytes');
  // Only changed columns: unchanged ones need no index update, and calldata may be long.
  const was = new Map<string, unknown>(Object.entries(toAutoTxRow(before)));
  const changed = Object.entries(toAutoTxRow(after)).filter(([column, value]) => was.get(column) !== value);
  if (changed.length > 0)
    await trx.updateTable('auto_txs').set(Object.fromEntries(changed)).where('id', '=', id).execute();
  await addNotes(trx, id, notes, at);
  if (signed !== undefined) {
    await trx.deleteFrom('signed_transactions').where('auto_tx_id', '=', id).execute();
    await insertSigned(trx, id, signed);
  }
  const hasEnded = isFinal(after.state.status);
  if (hasEnded !== isFinal(before.state.status)) {
    const kept = trx.updateTable('signed_transactions').set({ ended_at: hasEnded ? at : null });
    await kept.where('auto_tx_id', '=', id).execute();
  }
  await tallyAutoTx(trx, before, after);
}

export async function insertSigned(trx: Queries, id: string, { keyId, bytes }: Sealed): Promise<void> {
  const row = { auto_tx_id: id, ended_at: null, bytes, key_id: keyId };
  await trx.insertInto('signed_transactions').values(row).execute();
}

/** Of one auto-tx, so that one that is held for ever leaves room for the others. */
export const MOST_NOTES = 200;

export type AutoTxEventRow = ReturnType<typeof toEventRow>;

function toEventRow(id: string, seq: number, at: number, { kind, blockNumber, message }: Note) {
  return { auto_tx_id: id, seq, at, kind: String(kind), block_number: blockNumber, message };
}

/** Adds events at `at` (ms since epoch) to a timeline, and deletes the oldest beyond its limit. */
export async function addNotes(trx: Queries, id: string, notes: readonly Note[], at: number): Promise<void> {
  if (notes.length === 0) return;
  const newest = trx.selectFrom('auto_tx_events').select('seq').where('auto_tx_id', '=', id);
  const last = (await newest.orderBy('seq', 'desc').limit(1).executeTakeFirst())?.seq ?? 0;
  const rows = notes.map((note, place) => toEventRow(id, last + 1 + place, at, note));
  await trx.insertInto('auto_tx_events').values(rows).execute();
  const oldest = trx.deleteFrom('auto_tx_events').where('auto_tx_id', '=', id);
  await oldest.where('seq', '<=', last + notes.length - MOST_NOTES).execute();
}

/** What it adds to its owner's totals. */
function shareOf(kept: KeptAutoTx) {
  const isExecuted = kept.state.status === 'EXECUTED';
  const { savedWei = 0n, savedUsd = 0 } = (isExecuted && savingsOf(kept)?.atCreation) || {};
  const unpriced = savedWei !== 0n && savedUsd === null ? 1 : 0;
  return { executed: isExecuted ? 1 : 0, wei: savedWei, usd: savedUsd ?? 0, unpriced };
}

async function tallyAutoTx(trx: Queries, before: KeptAutoTx, after: KeptAutoTx): Promise<void> {
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
  await upsert(trx, 'auto_tx_tallies', ['owner'], { owner: after.owner, ...next });
}

/** Undoes what blocks above `number` did: mined auto-txs wait to be mined again, at `now` (ms since epoch). */
export async function rewindAutoTxs(trx: Queries, number: number, now: number): Promise<void> {
  const rows = await trx.selectFrom('auto_txs').selectAll().where('chain_block', '>', number).execute();
  await stepAll(trx, rows, { type: 'rewind', to: number }, now);
}

export async function restartAutoTxs(trx: Queries, now: number): Promise<void> {
  await trx.updateTable('auto_txs').set({ chain_block: null }).where(IS_FINISHED).execute();
  const open = trx.selectFrom('auto_txs').selectAll().where(sql<boolean>`(${IS_LIVE} or may_be_out = 1)`);
  await stepAll(trx, await open.execute(), { type: 'restart' }, now);
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
  for (const kept of readRows(rows, toKeptAutoTx)) {
    const facts = { nonce: kept.signed?.nonce ?? 0, confirmations: 1, now };
    const next = stepAutoTx(kept.state, event, facts);
    if (next === null) continue;
    const notes = next.notes.map((note) => ({ ...note, message: reason + note.message }));
    const state = (await isTaken(trx, kept, next.state)) ? { ...next.state, ...SUPERSEDED } : next.state;
    await writeAutoTx(trx, kept, { autoTx: { ...kept, state, updatedAt: now }, notes, at: now });
    changed += 1;
  }
  return changed;
}

/** It had ended before a block turned out to have it, and its owner has another waiting auto-tx with its nonce. */
const SUPERSEDED = { status: 'CANCELLED', hold: null } as const;

async function isTaken(trx: Queries, kept: KeptAutoTx, { status, returnsTo }: AutoTxState): Promise<boolean> {
  if (kept.state.returnsTo === null || returnsTo !== null || isFinal(status)) return false;
  return (await findRival(trx, kept)) !== null;
}

const MOST_FINISHED = 10_000;
const SETTLED_BLOCKS = 64;
const FORGOTTEN_AT_ONCE = 100;

const IS_FINISHED = sql<boolean>`status in ('EXECUTED', 'CANCELLED', 'EXPIRED', 'FAILED')`;

/** Deletes an owner's oldest ended auto-txs beyond `most`, except those that may still be mined. */
export async function forgetFinished(trx: Queries, owner: string, most = MOST_FINISHED): Promise<void> {
  const finished = trx.selectFrom('auto_txs').where('owner', '=', owner).where(IS_FINISHED);
  const tooMany = (await countRows(finished)) - most;
  if (tooMany <= 0) return;
  const { rows } = await sql<{ id: string }>`
    select id from auto_txs where owner = ${owner} and ${IS_FINISHED} and may_be_out = 0
      and (chain_block is null or chain_block < (select coalesce(max(number), 0) from blocks) - ${SETTLED_BLOCKS})
    order by created_at, id limit ${Math.min(tooMany, FORGOTTEN_AT_ONCE)}`.execute(trx);
  await forgetAutoTxs(
    trx,
    rows.map(({ id }) => id),
  );
}

export async function forgetAutoTxs(trx: Queries, ids: readonly string[]): Promise<void> {
  await trx.deleteFrom('auto_txs').where('id', 'in', ids).execute();
  await trx.deleteFrom('auto_tx_events').where('auto_tx_id', 'in', ids).execute();
  await trx.deleteFrom('signed_transactions').where('auto_tx_id', 'in', ids).execute();
}
