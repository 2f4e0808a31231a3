import type { KeptAutoTx } from '../core/auto-txs/kept-auto-tx.ts';
import { savingsOf } from '../core/auto-txs/savings.ts';
import type { Queries } from './schema.ts';

/** What executed auto-txs saved against the price of their lane when they were made; one that paid more saved nothing. */
export interface AutoTxSavings {
  /** How many were executed, also those that were deleted since. */
  readonly executed: number;
  readonly savedWei: bigint;
  /** `null` where one that saved something has no dollar price. */
  readonly savedUsd: number | null;
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
  if (saving === null || saving.savedWei <= 0n) return { ...NOTHING, executed: 1 };
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
    saved_wei: String(savedBy(row?.saved_wei) + is.wei - was.wei),
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

/** What an owner's executed auto-txs saved (empty: everybody's). */
export async function sumSavings(db: Queries, owner: string): Promise<AutoTxSavings> {
  const all = db.selectFrom('auto_tx_tallies').selectAll();
  const rows = await (owner === '' ? all : all.where('owner', '=', owner)).execute();
  const sum = { executed: 0, wei: 0n, usd: 0, unpriced: 0 };
  for (const row of rows) {
    sum.executed += row.executed;
    sum.wei += savedBy(row.saved_wei);
    sum.usd += row.usd;
    sum.unpriced += row.unpriced;
  }
  return { executed: sum.executed, savedWei: sum.wei, savedUsd: sum.unpriced > 0 ? null : sum.usd };
}

/** A sum that cannot be read counts from nothing: it keeps no transaction from being told as final. */
const savedBy = (text: string | undefined): bigint =>
  text !== undefined && /^-?\d{1,100}$/.test(text) ? BigInt(text) : 0n;
