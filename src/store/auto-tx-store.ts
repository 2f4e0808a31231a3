import { setImmediate } from 'node:timers/promises';
import { AUTO_TX_STATUSES } from '../contract/choices.ts';
import { type AutoTxStatus, isFinal } from '../core/auto-txs/auto-tx-state.ts';
import type { KeptAutoTx, TimelineEntry } from '../core/auto-txs/kept-auto-tx.ts';
import type { Hex } from '../core/block.ts';
import type { AutoTxChange } from './auto-tx-change.ts';
import {
  type AutoTxChanged,
  type AutoTxOutcome,
  decideAutoTx,
  findRival,
  lockAutoTx,
  type OwnedAutoTx,
} from './auto-tx-decision.ts';
import { addNotes, createdNote, MOST_NOTES, readTimeline } from './auto-tx-notes.ts';
import { DISABLED_AT_ONCE, disableSome, pendingOwners } from './auto-tx-owners.ts';
import {
  executedRows,
  expiringRows,
  followedRows,
  liveRows,
  liveSenders,
  type NextPrices,
  openRow,
  reachedRows,
} from './auto-tx-queries.ts';
import { toAutoTxRow } from './auto-tx-row.ts';
import type { AutoTxRow } from './auto-tx-schema.ts';
import { type AutoTxSavings, sumSavings } from './auto-tx-tallies.ts';
import { mendAutoTxs, readAutoTxRow, shownAutoTx } from './broken-auto-tx.ts';
import { isHex } from './columns.ts';
import { forgetAutoTx, forgetFinished } from './forget-auto-txs.ts';
import { GroupCommit } from './group-commit.ts';
import { requireRight, type WriteRight } from './lease-store.ts';
import type { Database } from './open-database.ts';
import type { Queries } from './schema.ts';
import { insertSigned, readSigned } from './signed-rows.ts';
import { whileBusy } from './while-busy.ts';

export type AutoTxCreated =
  | { readonly kind: 'created' }
  | { readonly kind: 'too-many' }
  /** Its owner has a live one for the same nonce of the same sender. */
  | { readonly kind: 'same-nonce'; readonly id: string };

/**
 * Auto-txs as their owners and the engine see them; who runs the service (the owner '') sees all. What a write says it did
 * outlives the process and the power. Every method rejects with a `StoreError`.
 */
export class AutoTxStore {
  readonly #database: Database;
  readonly #right: () => WriteRight;
  /** The engine's changes: there may be hundreds at once. */
  readonly #changes = new GroupCommit((work) => this.#write(work));

  /** @param right by what right the engine writes. */
  constructor(database: Database, right: () => WriteRight = () => ({ kind: 'alone' })) {
    this.#database = database;
    this.#right = right;
  }

  /**
   * Keeps a new one with its raw bytes (`null`: a draft), unless its owner has `most` already that have not ended. Of those
   * that have the oldest are forgotten where they are too many.
   */
  create(autoTx: KeptAutoTx, signed: Uint8Array | null, most: number): Promise<AutoTxCreated> {
    return this.#write(async (trx) => {
      if ((signed === null) !== (autoTx.signed === null)) throw new RangeError('a draft has no bytes');
      if (Number.isFinite(most) && (await countOpen(trx, autoTx.owner)) >= most) return { kind: 'too-many' };
      const rival = await findRival(trx, autoTx);
      if (rival !== null) return { kind: 'same-nonce', id: rival };
      await trx.insertInto('auto_txs').values(toAutoTxRow(autoTx)).execute();
      await addNotes(trx, autoTx.id, [createdNote(autoTx)], autoTx.createdAt);
      if (signed !== null) await insertSigned(trx, autoTx.id, signed);
      await forgetFinished(trx, autoTx.owner);
      return { kind: 'created' };
    });
  }

  find(owner: string, id: string): Promise<KeptAutoTx | null> {
    return this.#read(async (db) => {
      const row = await autoTxsOf(db, owner).selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : shownAutoTx(row);
    });
  }

  /** A page of the owner's, newest first, and how many there are in all. */
  list(
    owner: string,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly autoTxs: readonly KeptAutoTx[]; readonly total: number }> {
    return this.#read(async (db) => {
      const rows = await autoTxsOf(db, owner)
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit)
        .offset(page.offset)
        .execute();
      return { autoTxs: rows.map(shownAutoTx), total: await countAll(db, owner) };
    });
  }

  /** How many an owner has by status; a status that none has is absent. */
  counts(owner: string): Promise<Partial<Record<AutoTxStatus, number>>> {
    return this.#read(async (db) => {
      const rows = await autoTxsOf(db, owner)
        .select((e) => ['status', e.fn.countAll<number>().as('count')])
        .groupBy('status')
        .execute();
      const counts: Partial<Record<AutoTxStatus, number>> = {};
      for (const { status, count } of rows) {
        const known = AUTO_TX_STATUSES.find((each) => each === status) ?? 'FAILED';
        counts[known] = (counts[known] ?? 0) + Number(count);
      }
      return counts;
    });
  }

  /** What may still be sent, or is, of a sender, by nonce: an owner's (empty: everybody's). However the address is spelt. */
  waiting(owner: string, from: string): Promise<KeptAutoTx[]> {
    return this.#read(async (db) => {
      const all = liveRows(db, from);
      return readable(await (owner === '' ? all : all.where('owner', '=', owner)).execute());
    });
  }

  /** The same, whoever made them. */
  live(from: string): Promise<KeptAutoTx[]> {
    return this.waiting('', from);
  }

  /** The next senders of those, by address. */
  liveSenders(after: string, limit: number): Promise<Hex[]> {
    return this.#read(async (db) => {
      const rows = await liveSenders(db, after, limit).execute();
      return rows.map((row) => row.from_address ?? '').filter(isHex);
    });
  }

  /** What happened to one, newest first; at most 200 are kept. */
  timeline(id: string, limit = MOST_NOTES): Promise<TimelineEntry[]> {
    return this.#read((db) => readTimeline(db, id, limit));
  }

  /**
   * Within one transaction: reads, has `decide` say what becomes of it, and writes that with its notes; `null`: there is none, or
   * nothing is to become of it. Whichever process comes first is followed by the other, who sees what became of it.
   * `decide` may be asked again, and what it throws is thrown.
   * @throws {StoreError} `not-holder`: the engine may write only where it holds the lease.
   * @throws {SameNonceError} what was signed now has the nonce of another one of the same owner and sender.
   */
  async change(
    whose: OwnedAutoTx,
    decide: (kept: KeptAutoTx) => AutoTxChange | null,
    by: 'owner' | 'engine',
  ): Promise<AutoTxChanged | null> {
    const right = this.#right();
    const work = async (trx: Queries): Promise<AutoTxOutcome> => {
      if (by === 'engine') await requireRight(trx, right.kind === 'visitor' ? { kind: 'none' } : right);
      return decideAutoTx(trx, whose, decide);
    };
    const outcome = await (by === 'engine' ? this.#changes.run(work) : this.#write(work));
    if (outcome.kind === 'thrown') throw outcome.error;
    return outcome.kind === 'none' ? null : outcome;
  }

  /** Forgets one with its bytes and what happened to it: a draft, or one that is final. What it saved stays counted. */
  remove(owner: string, id: string): Promise<'removed' | 'not-final' | null> {
    return this.#write(async (trx) => {
      const kept = await lockAutoTx(trx, { owner, id });
      if (kept === null) return null;
      const { status } = kept.state;
      if (status !== 'DRAFT' && !isFinal(status)) return 'not-final';
      await forgetAutoTx(trx, id);
      return 'removed';
    });
  }

  /**
   * PENDING ones whose target is reached, that the next block would take, and that nothing holds at `now` (ms since epoch),
   * by sender and nonce. Costs what is reached, not what waits.
   */
  reached(next: NextPrices, at: { readonly now: number; readonly limit: number }): Promise<KeptAutoTx[]> {
    return this.#mending((db) => reachedRows(db, next, at).execute());
  }

  /** Those that may be with a node, by sender and nonce; `after`: the last one of the page before. */
  following(page: { readonly limit: number; readonly after: KeptAutoTx | null }): Promise<KeptAutoTx[]> {
    return this.#mending((db) => followedRows(db, page).execute());
  }

  /** Whether there is any that may still be sent, or may be with a node. */
  hasOpen(): Promise<boolean> {
    return this.#read(async (db) => (await openRow(db).executeTakeFirst()) !== undefined);
  }

  /** Waiting ones whose time is over at `now` (ms since epoch). */
  expiring(now: number, limit: number): Promise<KeptAutoTx[]> {
    return this.#mending((db) => expiringRows(db, now, limit).execute());
  }

  /** The raw bytes, for sending alone; `null`: they are gone. */
  signedBytes(id: string): Promise<Uint8Array | null> {
    return this.#read((db) => readSigned(db, id));
  }

  /** The newest executed ones of an owner whose blocks are of that time (ms since epoch, inclusive), oldest first. */
  executedBetween(
    owner: string,
    window: { readonly from: number; readonly to: number; readonly limit: number },
  ): Promise<KeptAutoTx[]> {
    return this.#read(async (db) => {
      const rows = await executedRows(db, owner, window).execute();
      return readable(rows).reverse();
    });
  }

  /** What an owner's executed ones saved, those included that were deleted since. */
  savingsSum(owner: string): Promise<AutoTxSavings> {
    return this.#read((db) => sumSavings(db, owner));
  }

  /** Who has some that may be sent, but for who runs the service. */
  activeOwners(): Promise<string[]> {
    return this.#read((db) => pendingOwners(db));
  }

  /** Disables what an owner has waiting at `now` (ms since epoch); `reason` says why. What is sent is followed on. */
  async disableAll(owner: string, reason: string, now: number): Promise<void> {
    while ((await this.#write((trx) => disableSome(trx, owner, reason, now))) === DISABLED_AT_ONCE) {
      // Blocks are to be written in between.
      await setImmediate();
    }
  }

  /** Those of the rows that can be read; the others fail for good, so that they are in nobody's way. */
  async #mending(ask: (db: Queries) => Promise<AutoTxRow[]>): Promise<KeptAutoTx[]> {
    const rows = await this.#read(ask);
    const kept = readable(rows);
    if (kept.length < rows.length) {
      const broken = rows.filter((row) => readAutoTxRow(row) === null);
      await this.#write((trx) => mendAutoTxs(trx, broken));
    }
    return kept;
  }

  #read<Result>(work: (db: Queries) => Promise<Result>): Promise<Result> {
    return whileBusy(this.#database.name, () => work(this.#database.queries));
  }

  #write<Result>(work: (trx: Queries) => Promise<Result>): Promise<Result> {
    return whileBusy(this.#database.name, () => this.#database.durably(work));
  }
}

const readable = (rows: readonly AutoTxRow[]): KeptAutoTx[] =>
  rows.map(readAutoTxRow).filter((kept) => kept !== null);

function autoTxsOf(db: Queries, owner: string) {
  const all = db.selectFrom('auto_txs');
  return owner === '' ? all : all.where('owner', '=', owner);
}

async function countAll(db: Queries, owner: string): Promise<number> {
  const { count } = await autoTxsOf(db, owner)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Drafts, and what may still be sent or is followed. */
async function countOpen(db: Queries, owner: string): Promise<number> {
  const { count } = await db
    .selectFrom('auto_txs')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('owner', '=', owner)
    .where('status', 'in', ['DRAFT', 'PENDING', 'DISABLED', 'SUBMITTED'])
    .executeTakeFirstOrThrow();
  return Number(count);
}
