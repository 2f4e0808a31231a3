import { setImmediate } from 'node:timers/promises';
import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { AUTO_TX_STATUSES } from '../contract/choices.ts';
import { LANES, type LanePrices } from '../core/advice.ts';
import type { KeptAutoTx, TimelineEntry } from '../core/auto-txs/kept-auto-tx.ts';
import { type AutoTxStatus, isFinal, NOTE_KINDS } from '../core/auto-txs/state-machine.ts';
import type { Hex } from '../core/block.ts';
import { type AutoTxRow, toAutoTxRow, toKeptAutoTx } from './auto-tx-rows.ts';
import {
  type AutoTxChange,
  addNotes,
  findRival,
  forgetAutoTx,
  forgetFinished,
  IS_LIVE,
  insertSigned,
  MOST_NOTES,
  ofSender,
  stepAll,
  writeAutoTx,
} from './auto-tx-writes.ts';
import { integer, isHex, oneOf } from './columns.ts';
import type { Database } from './database.ts';
import { requireRight, type WriteRight } from './lease.ts';
import { countRows, newestPage, ownedBy, type Page, type Queries, readRows, type Tables } from './tables.ts';

export type { AutoTxChange };

interface NextPrices {
  readonly prices: LanePrices;
  readonly nextBaseFee: bigint;
}

type AutoTxCreated =
  | { readonly kind: 'created' }
  | { readonly kind: 'too-many' }
  | { readonly kind: 'same-nonce'; readonly id: string };

/** Auto-txs for their owners and the engine; the operator (the owner '') sees all. Rejects with a `StoreError`. */
export class AutoTxStore {
  readonly #database: Database;
  readonly #right: () => WriteRight;

  constructor(database: Database, right: () => WriteRight = () => ({ kind: 'alone' })) {
    this.#database = database;
    this.#right = right;
  }

  /** Stores a new auto-tx with its raw bytes (`null`: a draft), unless its owner has `most` unfinished ones. */
  async create(autoTx: KeptAutoTx, signed: Uint8Array | null, most: number): Promise<AutoTxCreated> {
    const sealed = signed && this.#database.sealer.seal(autoTx.id, signed);
    return this.#database.transaction(async (trx) => {
      if ((signed === null) !== (autoTx.signed === null)) throw new RangeError('a draft has no bytes');
      if (Number.isFinite(most) && (await countOpen(trx, autoTx.owner)) >= most) return { kind: 'too-many' };
      const rival = await findRival(trx, autoTx);
      if (rival !== null) return { kind: 'same-nonce', id: rival };
      await trx.insertInto('auto_txs').values(toAutoTxRow(autoTx)).execute();
      const message =
        signed === null ? 'created as a draft, without a signature' : 'created; it waits for its target';
      await addNotes(trx, autoTx.id, [{ kind: 'CREATED', blockNumber: null, message }], autoTx.createdAt);
      if (sealed !== null) await insertSigned(trx, autoTx.id, sealed);
      await forgetFinished(trx, autoTx.owner);
      return { kind: 'created' };
    });
  }

  async find(owner: string, id: string): Promise<KeptAutoTx | null> {
    return (await this.#read((all) => ownedBy(all, owner).where('id', '=', id)))[0] ?? null;
  }

  async sameBytes(owner: string, hash: Hex): Promise<KeptAutoTx | null> {
    return (await this.#read((all) => all.where('owner', '=', owner).where('hash', '=', hash)))[0] ?? null;
  }

  async list(owner: string, page: Page) {
    const total = await this.#database.run((db) => countRows(autoTxsOf(db, owner)));
    return { autoTxs: await this.#read((all) => newestPage(ownedBy(all, owner), page)), total };
  }

  counts(owner: string): Promise<Partial<Record<AutoTxStatus, number>>> {
    return this.#database.run(async (db) => {
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

  /** A sender's unsent or submitted auto-txs by nonce, of one owner (empty: of all). The address may have any case. */
  waiting(owner: string, from: string): Promise<KeptAutoTx[]> {
    return this.#read((all) => ownedBy(ofSender(all, from), owner));
  }

  liveSenders(after: string, limit: number): Promise<Hex[]> {
    return this.#senders(IS_LIVE, after, limit);
  }

  followedSenders(): Promise<Hex[]> {
    return this.#senders(IS_FOLLOWED, '', Number.MAX_SAFE_INTEGER);
  }

  async #senders(isOne: Expression<SqlBool>, after: string, limit: number): Promise<Hex[]> {
    const rows = await this.#database.run((db) => {
      const senders = db.selectFrom('auto_txs').select('from_address').distinct().where(isOne);
      return senders.where('from_address', '>', after).orderBy('from_address').limit(limit).execute();
    });
    return rows.flatMap(({ from_address: from }) => (isHex(from) ? [from] : []));
  }

  following(from: Hex): Promise<KeptAutoTx[]> {
    return this.#read((all) =>
      all.where(IS_FOLLOWED).where('from_address', '=', from).orderBy('nonce').orderBy('id'),
    );
  }

  timeline(id: string, limit = MOST_NOTES): Promise<TimelineEntry[]> {
    return this.#database.run(async (db) => {
      const notes = db.selectFrom('auto_tx_events').selectAll().where('auto_tx_id', '=', id);
      const rows = await notes.orderBy('seq', 'desc').limit(limit).execute();
      return rows.map(({ at, kind, block_number: blockNumber, message }) => ({
        at,
        kind: oneOf(NOTE_KINDS).read(kind),
        blockNumber,
        message,
      }));
    });
  }

  /**
   * In one transaction: reads, lets `decide` return the change, and writes it with its notes; `null` when there is no
   * such auto-tx, or no change. Processes are serialised: the second sees the first's change. `decide` may run again;
   * its errors are rethrown.
   * @throws {StoreError} `not-holder`: the engine may write only while its process holds the lease.
   * @throws {SameNonceError} when the newly signed transaction has the nonce of another one of the same owner and
   * sender.
   */
  async change(
    whose: Pick<KeptAutoTx, 'owner' | 'id'>,
    decide: (kept: KeptAutoTx) => AutoTxChange | null,
    by: 'owner' | 'engine',
  ): Promise<AutoTxChanged | null> {
    const right = this.#right();
    const { sealer } = this.#database;
    // Transactions reject only with a `StoreError`, so other errors become its result.
    const outcome = await this.#database.transaction<AutoTxChanged | { error: unknown } | null>(
      async (trx) => {
        if (by === 'engine') await requireRight(trx, right.kind === 'visitor' ? { kind: 'none' } : right);
        const before = await lockAutoTx(trx, whose);
        if (before === null) return null;
        let change: AutoTxChange | null;
        try {
          change = decide(before);
        } catch (error) {
          return { error };
        }
        if (change === null) return null;
        const after = { ...change.autoTx, id: before.id, owner: before.owner, createdAt: before.createdAt };
        const rival = isNewNonce(before, after) ? await findRival(trx, after) : null;
        if (rival !== null) return { error: new SameNonceError(rival) };
        const signed = change.signed && sealer.seal(before.id, change.signed);
        await writeAutoTx(trx, before, { ...change, autoTx: after, signed });
        return { before, after };
      },
    );
    if (outcome !== null && 'error' in outcome) throw outcome.error;
    return outcome;
  }

  /** Deletes a draft or final auto-tx with its bytes and timeline. Its savings stay counted. */
  remove(owner: string, id: string): Promise<'removed' | 'not-final' | null> {
    return this.#database.transaction(async (trx) => {
      const kept = await lockAutoTx(trx, { owner, id });
      if (kept === null) return null;
      const { status } = kept.state;
      if (status !== 'DRAFT' && !isFinal(status)) return 'not-final';
      await forgetAutoTx(trx, id);
      return 'removed';
    });
  }

  /** Those whose target the next block reaches, and that nothing holds at `now` (ms), by sender and nonce. */
  reached(
    next: NextPrices,
    { now, limit }: { readonly now: number; readonly limit: number },
  ): Promise<KeptAutoTx[]> {
    return this.#read((all, db) => {
      const woken = db.selectFrom(reachedIds(db, next, now).as('woken')).select('id');
      const first = woken.orderBy('from_address').orderBy('nonce').orderBy('id').limit(limit);
      // An expression, so that SQLite does not walk the whole index in its order.
      const ordered = all.where('id', 'in', first).orderBy(sql`coalesce(from_address, '')`);
      return ordered.orderBy('nonce').orderBy('id');
    });
  }

  hasOpen(): Promise<boolean> {
    return this.#database.run(async (db) => {
      const open = db.selectFrom('auto_txs').select('id').where(sql<boolean>`(${IS_LIVE} or ${IS_FOLLOWED})`);
      return (await open.limit(1).executeTakeFirst()) !== undefined;
    });
  }

  /** Waiting auto-txs that expired by `now` (ms since epoch), the longest expired first. */
  expiring(now: number, limit: number): Promise<KeptAutoTx[]> {
    return this.#read((all) =>
      all.where(IS_WAITING).where('expires_at', '<=', now).orderBy('expires_at').limit(limit),
    );
  }

  /** `null`: it ended or the bytes are deleted; `sealed`: encrypted with another key. */
  async signedBytes(id: string): Promise<Uint8Array | 'sealed' | null> {
    const [row] = await this.#database.run((db) => {
      const signed = db.selectFrom('signed_transactions').select(['bytes', 'key_id']);
      return signed.where('auto_tx_id', '=', id).where('ended_at', 'is', null).execute();
    });
    if (row === undefined) return null;
    return this.#database.sealer.open(id, { keyId: row.key_id ?? '', bytes: row.bytes }) ?? 'sealed';
  }

  async forgetSigned(now: number): Promise<void> {
    const ended = now - KEEP_SIGNED_MS;
    await this.#database.run((db) =>
      db.deleteFrom('signed_transactions').where('ended_at', '<=', ended).execute(),
    );
  }

  /** The newest executed ones with block times in this range (ms since epoch, inclusive), oldest first. */
  async executedBetween(
    owner: string,
    { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
  ): Promise<KeptAutoTx[]> {
    const newest = await this.#read((all) => {
      const executed = ownedBy(all, owner).where(IS_EXECUTED).where('mined_at', '>=', from);
      return executed.where('mined_at', '<=', to).orderBy('mined_at', 'desc').limit(limit);
    });
    return newest.reverse();
  }

  /** Savings of executed auto-txs against their price at creation; in dollars if each has a dollar price. */
  savingsSum(owner: string) {
    return this.#database.run(async (db) => {
      const rows = await ownedBy(db.selectFrom('auto_tx_tallies').selectAll(), owner).execute();
      const sum = (of: 'executed' | 'usd' | 'unpriced') => rows.reduce((total, row) => total + row[of], 0);
      return {
        executed: sum('executed'),
        savedWei: rows.reduce((total, row) => total + BigInt(row.saved_wei), 0n),
        savedUsd: sum('unpriced') > 0 ? null : sum('usd'),
      };
    });
  }

  activeOwners(): Promise<string[]> {
    return this.#database.run(async (db) => {
      const pending = db.selectFrom('auto_txs').select('owner').distinct().where(IS_PENDING);
      return (await pending.where('owner', '<>', '').execute()).map(({ owner }) => owner);
    });
  }

  /** Disables an owner's waiting auto-txs at `now` (ms since epoch). Submitted ones stay followed. */
  async disableAll(owner: string, reason: string, now: number): Promise<void> {
    const disableSome = async (trx: Queries) => {
      const waiting = trx.selectFrom('auto_txs').selectAll().where(IS_PENDING).where('owner', '=', owner);
      const rows = await waiting.limit(DISABLED_AT_ONCE).execute();
      return stepAll(trx, rows, { type: 'disable' }, now, `${reason}: `);
    };
    // Lets blocks be written in between.
    while ((await this.#database.transaction(disableSome)) === DISABLED_AT_ONCE) await setImmediate();
  }

  /** The auto-txs that `choose` selects, but those that cannot be read. */
  async #read(choose: (all: AutoTxs, db: Queries) => AutoTxs): Promise<KeptAutoTx[]> {
    const rows = this.#database.run((db) => choose(db.selectFrom('auto_txs').selectAll(), db).execute());
    return readRows(await rows, toKeptAutoTx);
  }
}

type AutoTxs = SelectQueryBuilder<Tables, 'auto_txs', AutoTxRow>;

const autoTxsOf = (db: Queries, owner: string) => ownedBy(db.selectFrom('auto_txs'), owner);

const countOpen = (db: Queries, owner: string) =>
  countRows(
    db
      .selectFrom('auto_txs')
      .where('owner', '=', owner)
      .where('status', 'in', ['DRAFT', 'PENDING', 'DISABLED', 'SUBMITTED']),
  );

export interface AutoTxChanged {
  readonly before: KeptAutoTx;
  readonly after: KeptAutoTx;
}

/** Reads an auto-tx to change it. Writes first: the lock keeps its values until the transaction ends. */
async function lockAutoTx(trx: Queries, { owner, id }: Pick<KeptAutoTx, 'owner' | 'id'>) {
  const one = trx
    .updateTable('auto_txs')
    .set((e) => ({ unseen: e.ref('unseen') }))
    .where('id', '=', id)
    .returningAll();
  const rows = await (owner === '' ? one : one.where('owner', '=', owner)).execute();
  return readRows(rows, toKeptAutoTx)[0] ?? null;
}

const isNewNonce = ({ signed: before }: KeptAutoTx, { signed: after }: KeptAutoTx) =>
  after !== null && (before?.from !== after.from || before.nonce !== after.nonce);

const IS_PENDING = sql<boolean>`status = 'PENDING'`;
const IS_WAITING = sql<boolean>`status in ('PENDING', 'DISABLED')`;
const IS_FOLLOWED = sql<boolean>`(status = 'SUBMITTED' or may_be_out = 1)`;
const IS_EXECUTED = sql<boolean>`status = 'EXECUTED'`;

const DISABLED_AT_ONCE = 100;
const KEEP_SIGNED_MS = 86_400_000;

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

/** Its owner has another auto-tx with the same sender and nonce, and only one of them can be mined. */
export class SameNonceError extends Error {
  override readonly name = 'SameNonceError';
  readonly id: string;

  constructor(id: string) {
    super(`auto-tx ${id} waits with the same nonce of the same sender; cancel it first`);
    this.id = id;
  }
}
