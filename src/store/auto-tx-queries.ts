import { type Expression, type SqlBool, sql } from 'kysely';
import { LANES, type LanePrices } from '../core/advice.ts';
import { type KeptAutoTx, savingsOf } from '../core/auto-txs/kept-auto-tx.ts';
import { type AutoTxEvent, type AutoTxState, isFinal, stepAutoTx } from '../core/auto-txs/state-machine.ts';
import { type AutoTxRow, toKeptAutoTx } from './auto-tx-rows.ts';
import { writeAutoTx } from './auto-txs.ts';
import { integer } from './block-rows.ts';
import { countRows, ownedBy, type Queries, readRows } from './tables.ts';

/** Spelled as in the indexes: SQLite matches partial indexes by their exact expression. */
export const IS_LIVE = sql<boolean>`status in ('PENDING', 'DISABLED', 'SUBMITTED')`;
const IS_WAITING = sql<boolean>`status in ('PENDING', 'DISABLED')`;
export const IS_FOLLOWED = sql<boolean>`(status = 'SUBMITTED' or may_be_out = 1)`;
const IS_EXECUTED = sql<boolean>`status = 'EXECUTED'`;

/** Expected prices of the next block. Wei per gas. */
export interface NextPrices {
  readonly prices: LanePrices;
  readonly nextBaseFee: bigint;
}

/** Ids of auto-txs whose target is reached, from covering indexes, so that waiting ones cost nothing. */
function reachedIds(db: Queries, next: NextPrices, now: number) {
  const woken = (isWoken: Expression<SqlBool>) =>
    db
      .selectFrom('auto_txs')
      .select(['id', 'from_address', 'nonce'])
      .where(isWoken)
      .where('cap', '>=', integer(next.nextBaseFee))
      .where((e) => e.or([e('hold_until', 'is', null), e('hold_until', '<=', now)]));
  const strict = woken(sql<boolean>`wake_base >= ${integer(next.nextBaseFee)}`);
  return LANES.map((lane) =>
    woken(sql<boolean>`wake_lane = ${lane} and wake_price >= ${integer(next.prices[lane])}`),
  ).reduce((all, one) => all.unionAll(one), strict);
}

/**
 * PENDING auto-txs whose target is reached, that the next block would include, and that nothing holds at `now` (ms
 * since epoch).
 */
export function reachedRows(
  db: Queries,
  next: NextPrices,
  { now, limit }: { readonly now: number; readonly limit: number },
) {
  return (
    db
      .selectFrom('auto_txs')
      .selectAll()
      .where('id', 'in', (e) =>
        e
          .selectFrom(reachedIds(db, next, now).as('woken'))
          .select('id')
          .orderBy('from_address')
          .orderBy('nonce')
          .orderBy('id')
          .limit(limit),
      )
      // An expression, so that SQLite does not walk the whole index in its order.
      .orderBy(sql`coalesce(from_address, '')`)
      .orderBy('nonce')
      .orderBy('id')
  );
}

/** Auto-txs that a node may have, by sender and nonce, after the last one of the previous page. */
export function followedRows(
  db: Queries,
  { limit, after }: { readonly limit: number; readonly after: KeptAutoTx | null },
) {
  const all = db
    .selectFrom('auto_txs')
    .selectAll()
    .where(IS_FOLLOWED)
    .orderBy('from_address')
    .orderBy('nonce')
    .orderBy('id')
    .limit(limit);
  if (after === null) return all;
  const { from = '', nonce = 0 } = after.signed ?? {};
  return all.where(sql<boolean>`(from_address, nonce, id) > (${from}, ${nonce}, ${after.id})`);
}

/** Waiting auto-txs that expired by `now` (ms since epoch), the longest expired first. */
export const expiringRows = (db: Queries, now: number, limit: number) =>
  db
    .selectFrom('auto_txs')
    .selectAll()
    .where(IS_WAITING)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit);

/** A sender's auto-txs that are unsent or submitted, by nonce. */
export function liveRows(db: Queries, from: string) {
  return db
    .selectFrom('auto_txs')
    .selectAll()
    .where(IS_LIVE)
    .where('from_address', '=', from)
    .orderBy('nonce')
    .orderBy('id');
}

/** The newest executed auto-txs of an owner (empty: all owners) by block time, ms since epoch, inclusive. */
export function executedRows(
  db: Queries,
  owner: string,
  { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
) {
  return ownedBy(db.selectFrom('auto_txs').selectAll(), owner)
    .where(IS_EXECUTED)
    .where('mined_at', '>=', from)
    .where('mined_at', '<=', to)
    .orderBy('mined_at', 'desc')
    .limit(limit);
}

/** Another auto-tx of the same owner, sender and nonce. */
export function rivalRows(db: Queries, { owner, id, signed }: Pick<KeptAutoTx, 'owner' | 'id' | 'signed'>) {
  return liveRows(db, signed?.from ?? '')
    .where('nonce', '=', signed?.nonce ?? -1)
    .where('owner', '=', owner)
    .where('id', '<>', id);
}

interface Share {
  readonly executed: number;
  readonly wei: bigint;
  readonly usd: number;
  readonly unpriced: number;
}

const NOTHING: Share = { executed: 0, wei: 0n, usd: 0, unpriced: 0 };

function shareOf(kept: KeptAutoTx): Share {
  if (kept.state.status !== 'EXECUTED') return NOTHING;
  const saving = savingsOf(kept)?.atCreation ?? null;
  if (saving === null || saving.savedWei === 0n) return { ...NOTHING, executed: 1 };
  const { savedWei: wei, savedUsd: usd } = saving;
  return { executed: 1, wei, usd: usd ?? 0, unpriced: usd === null ? 1 : 0 };
}

/** Replaces an auto-tx's part of its owner's totals. Part of the transaction that changes it. */
export async function tallyAutoTx(trx: Queries, before: KeptAutoTx, after: KeptAutoTx): Promise<void> {
  const [was, is] = [shareOf(before), shareOf(after)];
  const isSame = was.executed === is.executed && was.wei === is.wei && was.usd === is.usd;
  if (isSame && was.unpriced === is.unpriced) return;
  const row = await trx
    .selectFrom('auto_tx_tallies')
    .selectAll()
    .where('owner', '=', after.owner)
    .executeTakeFirst();
  const executed = (row?.executed ?? 0) + is.executed - was.executed;
  const next = {
    executed,
    saved_wei: String(BigInt(row?.saved_wei ?? 0) + is.wei - was.wei),
    // Without executed auto-txs the sum is exactly 0, without rounding errors.
    usd: executed === 0 ? 0 : (row?.usd ?? 0) + is.usd - was.usd,
    unpriced: (row?.unpriced ?? 0) + is.unpriced - was.unpriced,
  };
  await trx
    .insertInto('auto_tx_tallies')
    .values({ owner: after.owner, ...next })
    .onConflict((conflict) => conflict.column('owner').doUpdateSet(next))
    .execute();
}

/**
 * Undoes what blocks above `number` did to auto-txs: mined ones wait to be mined again, at `now` (ms since epoch).
 * Call it in the transaction that deletes the blocks. Costs only the affected rows.
 */
export async function rewindAutoTxs(trx: Queries, number: number, now: number): Promise<void> {
  const rows = await trx.selectFrom('auto_txs').selectAll().where('chain_block', '>', number).execute();
  await stepAll(trx, rows, { type: 'rewind', to: number }, now);
}

/** Restarts with a new chain, at `now` (ms since epoch). Call it in the transaction that deletes its blocks. */
export async function restartAutoTxs(trx: Queries, now: number): Promise<void> {
  await trx.updateTable('auto_txs').set({ chain_block: null }).where(IS_FINISHED).execute();
  const rows = await trx
    .selectFrom('auto_txs')
    .selectAll()
    .where((e) => e.or([e('status', 'in', ['PENDING', 'DISABLED', 'SUBMITTED']), e('may_be_out', '=', 1)]))
    .execute();
  await stepAll(trx, rows, { type: 'restart' }, now);
}

async function stepAll(
  trx: Queries,
  rows: readonly AutoTxRow[],
  event: AutoTxEvent,
  now: number,
): Promise<void> {
  for (const kept of readRows(rows, toKeptAutoTx)) {
    const facts = { nonce: kept.signed?.nonce ?? 0, confirmations: 1, now };
    const next = stepAutoTx(kept.state, event, facts);
    if (next === null) continue;
    const { notes } = next;
    const state = (await isTaken(trx, kept, next.state)) ? { ...next.state, ...SUPERSEDED } : next.state;
    await writeAutoTx(trx, kept, { autoTx: { ...kept, state, updatedAt: now }, notes, at: now });
  }
}

/** It had ended before a block turned out to have it, and its owner has another waiting auto-tx with its nonce. */
const SUPERSEDED = { status: 'CANCELLED', hold: null } as const;

async function isTaken(trx: Queries, kept: KeptAutoTx, { status, returnsTo }: AutoTxState): Promise<boolean> {
  if (kept.state.returnsTo === null || returnsTo !== null || isFinal(status)) return false;
  return (await rivalRows(trx, kept).select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Maximum number of ended auto-txs per owner. */
const MOST_FINISHED = 10_000;
/** Deeper than any reorg, in blocks. */
const SETTLED_BLOCKS = 64;
/** Rows per transaction. */
const AT_ONCE = 100;

const IS_FINISHED = sql<boolean>`status in ('EXECUTED', 'CANCELLED', 'EXPIRED', 'FAILED')`;

/**
 * Deletes an owner's oldest ended auto-txs beyond `most`, except those that may be mined: a node may have them, or a
 * reorg can bring them back. Their savings stay counted. Part of the caller's transaction.
 */
export async function forgetFinished(trx: Queries, owner: string, most = MOST_FINISHED): Promise<void> {
  const finished = trx.selectFrom('auto_txs').where('owner', '=', owner).where(IS_FINISHED);
  const tooMany = (await countRows(finished)) - most;
  if (tooMany <= 0) return;
  const head = await trx
    .selectFrom('blocks')
    .select((e) => e.fn.max<number | null>('number').as('number'))
    .executeTakeFirst();
  const below = (head?.number ?? 0) - SETTLED_BLOCKS;
  const rows = await trx
    .selectFrom('auto_txs')
    .select('id')
    .where('owner', '=', owner)
    .where(IS_FINISHED)
    .where('may_be_out', '=', 0)
    .where((e) => e.or([e('chain_block', 'is', null), e('chain_block', '<', below)]))
    .orderBy('created_at')
    .orderBy('id')
    .limit(Math.min(tooMany, AT_ONCE))
    .execute();
  for (const { id } of rows) await forgetAutoTx(trx, id);
}

/** Deletes an auto-tx with its bytes and timeline. Part of the caller's transaction. */
export async function forgetAutoTx(trx: Queries, id: string): Promise<void> {
  await trx.deleteFrom('auto_txs').where('id', '=', id).execute();
  await trx.deleteFrom('auto_tx_events').where('auto_tx_id', '=', id).execute();
  await trx.deleteFrom('signed_transactions').where('auto_tx_id', '=', id).execute();
}
