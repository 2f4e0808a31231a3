import { type Expression, type SqlBool, sql } from 'kysely';
import { LANES, type LanePrices } from '../core/advice.ts';
import type { KeptAutoTx } from '../core/auto-txs/kept-auto-tx.ts';
import { integer } from './block-row.ts';
import type { Queries } from './schema.ts';

/** Said as the indexes say it: SQLite does not use one that says it otherwise. */
const IS_LIVE = sql<boolean>`status in ('PENDING', 'DISABLED', 'SUBMITTED')`;
const IS_WAITING = sql<boolean>`status in ('PENDING', 'DISABLED')`;
const IS_FOLLOWED = sql<boolean>`(status = 'SUBMITTED' or may_be_out = 1)`;
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
      // The plus keeps it from walking through an index of all for their order.
      .orderBy(sql`+from_address`)
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

/** One that may still be sent, or may be with a node; nothing is to be done about any other. */
export const openRow = (db: Queries) =>
  db
    .selectFrom('auto_txs')
    .select('id')
    .where((e) => e.or([IS_LIVE, IS_FOLLOWED]))
    .limit(1);

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

/** The next senders, after that address, of what may still be sent, or is, in their order. */
export const liveSenders = (db: Queries, after: string, limit: number) =>
  db
    .selectFrom('auto_txs')
    .select('from_address')
    .distinct()
    .where(IS_LIVE)
    .where('from_address', '>', after)
    .orderBy('from_address')
    .limit(limit);

/** The newest executed ones of an owner (empty: everybody's) by the times of their blocks, ms since epoch, inclusive. */
export function executedRows(
  db: Queries,
  owner: string,
  { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
) {
  const all = db
    .selectFrom('auto_txs')
    .selectAll()
    .where(IS_EXECUTED)
    .where('mined_at', '>=', from)
    .where('mined_at', '<=', to)
    .orderBy('mined_at', 'desc')
    .limit(limit);
  return owner === '' ? all : all.where('owner', '=', owner);
}

/** Another one that its owner has for the same nonce of the same sender. */
export function rivalRows(db: Queries, { owner, id, signed }: Pick<KeptAutoTx, 'owner' | 'id' | 'signed'>) {
  return liveRows(db, signed?.from ?? '')
    .where('nonce', '=', signed?.nonce ?? -1)
    .where('owner', '=', owner)
    .where('id', '<>', id);
}
