import type { KeptAutoTx } from '../core/auto-txs/kept-auto-tx.ts';
import { type AutoTxChange, writeAutoTx } from './auto-tx-change.ts';
import { rivalRows } from './auto-tx-queries.ts';
import { shownAutoTx } from './broken-auto-tx.ts';
import { SameNonceError } from './same-nonce-error.ts';
import type { Queries } from './schema.ts';

/** Whose auto-tx; who runs the service (the owner '') reaches all. */
export interface OwnedAutoTx {
  readonly owner: string;
  readonly id: string;
}

export interface AutoTxChanged {
  readonly before: KeptAutoTx;
  readonly after: KeptAutoTx;
}

/**
 * What became of an auto-tx that was to be decided on. What `decide` throws is an outcome, `thrown`: out of a transaction
 * only a `StoreError` comes.
 */
export type AutoTxOutcome =
  | ({ readonly kind: 'changed' } & AutoTxChanged)
  /** There is none, or nothing is to become of it. */
  | { readonly kind: 'none' }
  | { readonly kind: 'thrown'; readonly error: unknown };

/** Reads an auto-tx, has `decide` say what becomes of it, and writes that. Part of the caller's transaction. */
export async function decideAutoTx(
  trx: Queries,
  whose: OwnedAutoTx,
  decide: (kept: KeptAutoTx) => AutoTxChange | null,
): Promise<AutoTxOutcome> {
  const before = await lockAutoTx(trx, whose);
  if (before === null) return { kind: 'none' };
  let change: AutoTxChange | null;
  try {
    change = decide(before);
  } catch (error) {
    return { kind: 'thrown', error };
  }
  if (change === null) return { kind: 'none' };
  const after = { ...change.autoTx, id: before.id, owner: before.owner, createdAt: before.createdAt };
  const rival = isNewNonce(before, after) ? await findRival(trx, after) : null;
  if (rival !== null) return { kind: 'thrown', error: new SameNonceError(rival) };
  await writeAutoTx(trx, before, { ...change, autoTx: after });
  return { kind: 'changed', before, after };
}

/** Reads one to change it. Written before it is read: what is found holds until the transaction ends. */
export async function lockAutoTx(trx: Queries, { owner, id }: OwnedAutoTx): Promise<KeptAutoTx | null> {
  const one = trx
    .updateTable('auto_txs')
    .set((e) => ({ unseen: e.ref('unseen') }))
    .where('id', '=', id)
    .returningAll();
  const row = await (owner === '' ? one : one.where('owner', '=', owner)).executeTakeFirst();
  return row === undefined ? null : shownAutoTx(row);
}

/** The id of another live one of the same owner for the same nonce of the same sender; `null`: there is none. */
export async function findRival(trx: Queries, autoTx: KeptAutoTx): Promise<string | null> {
  if (autoTx.signed === null) return null;
  return (await rivalRows(trx, autoTx).select('id').limit(1).executeTakeFirst())?.id ?? null;
}

/** Whether what was signed takes a nonce that it did not have. */
const isNewNonce = ({ signed: before }: KeptAutoTx, { signed: after }: KeptAutoTx) =>
  after !== null && (before?.from !== after.from || before.nonce !== after.nonce);
