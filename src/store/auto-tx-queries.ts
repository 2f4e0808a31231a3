import { type Expression, type SqlBool, sql } from 'kysely';
import { LANES, type LanePrices } from '../core/advice.ts';
import { type KeptAutoTx, savingsOf } from '../core/auto-txs/kept-auto-tx.ts';
import { type AutoTxEvent, type AutoTxState, isFinal, stepAutoTx } from '../core/auto-txs/state-machine.ts';
import { type AutoTxRow, toKeptAutoTx } from './auto-tx-rows.ts';
import { writeAutoTx } from './auto-txs.ts';
import { integer } from './block-rows.ts';
import { countRows, ownedBy, type Queries, readRows } from './tables.ts';

/** Said as the indexes say it: SQLite does not use one that says it otherwise. */
export const IS_LIVE = sql<boolean>`status in ('PENDING', 'DISABLED', 'SUBMITTED')`;
const IS_WAITING = sql<boolean>`status in ('PENDING', 'DISABLED')`;
export const IS_FOLLOWED = sql<boolean>`(status = 'SUBMITTED' or may_be_out = 1)`;
const IS_EXECUTED = sql<boolean>`status = 'EXECUTED'`;

/** What the next block is expected to cost. Wei per gas. */
export interface NextPrices {
  readonly prices: LanePrices;
  readonly nextBaseFee: bigint;
}

/** The ids of those whose target is reached: looks into indexes that hold all that is asked, so what waits costs nothing. */
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

/** PENDING ones whose target is reached, that the next block would take, and that nothing holds at `now` (ms since epoch). */
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
      // As an expression, it is not looked up by walking through an index of all in their order.
      .orderBy(sql`coalesce(from_address, '')`)
      .orderBy('nonce')
      .orderBy('id')
  );
}

/** Those that may be with a node, by sender and nonce, after the last one of the page before. */
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

/** Waiting ones whose time is over at `now` (ms since epoch), the longest over first. */
export const expiringRows = (db: Queries, now: number, limit: number) =>
  db
    .selectFrom('auto_txs')
    .selectAll()
    .where(IS_WAITING)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit);

/** What may still be sent, or is, of a sender, by nonce. */
export function liveRows(db: Queries, from: string) {
  return db
    .selectFrom('auto_txs')
    .selectAll()
    .where(IS_LIVE)
    .where('from_address', '=', from)
    .orderBy('nonce')
    .orderBy('id');
}

/** The newest executed ones of an owner (empty: everybody's) by the times of their blocks, ms since epoch, inclusive. */
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

/** Another one that its owner has for the same nonce of the same sender. */
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

/** Takes what one came to from its owner's sum and adds what it comes to now. Part of the transaction that changes it. */
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
    // What floating point leaves of a sum is no money.
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
 * The blocks above `number` are no longer part of the chain: what was mined in one of them waits to be mined again, at
 * `now` (ms since epoch). Call it in the transaction that takes them away. Costs what they had.
 */
export async function rewindAutoTxs(trx: Queries, number: number, now: number): Promise<void> {
  const rows = await trx.selectFrom('auto_txs').selectAll().where('chain_block', '>', number).execute();
  await stepAll(trx, rows, { type: 'rewind', to: number }, now);
}

/** The chain began anew, at `now` (ms since epoch). Call it in the transaction that takes its blocks away. */
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

/** It had ended before a block turned out to have it, and another one of its owner waits with its nonce. */
const SUPERSEDED = { status: 'CANCELLED', hold: null } as const;

async function isTaken(trx: Queries, kept: KeptAutoTx, { status, returnsTo }: AutoTxState): Promise<boolean> {
  if (kept.state.returnsTo === null || returnsTo !== null || isFinal(status)) return false;
  return (await rivalRows(trx, kept).select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** What has ended is kept up to so many of each owner. */
const MOST_FINISHED = 10_000;
/** Deeper than any reorg, blocks. */
const SETTLED_BLOCKS = 64;
/** In one transaction. */
const AT_ONCE = 100;

const IS_FINISHED = sql<boolean>`status in ('EXECUTED', 'CANCELLED', 'EXPIRED', 'FAILED')`;

/**
 * Forgets an owner's oldest that have ended beyond `most` of them, but none that may be mined: not what may be out, nor what
 * a reorg can bring back. What they saved stays counted. Part of the caller's transaction.
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

/** Forgets one with its bytes and what happened to it. Part of the caller's transaction. */
export async function forgetAutoTx(trx: Queries, id: string): Promise<void> {
  await trx.deleteFrom('auto_txs').where('id', '=', id).execute();
  await trx.deleteFrom('auto_tx_events').where('auto_tx_id', '=', id).execute();
  await trx.deleteFrom('signed_transactions').where('auto_tx_id', '=', id).execute();
}
