import { setImmediate } from 'node:timers/promises';
import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { AUTO_TX_STATUSES } from '../contract/choices.ts';
import { LANES, type LanePrices } from '../core/advice.ts';
import { type AutoTxStatus, isFinal, NOTE_KINDS } from '../core/auto-txs/state-machine.ts';
import type { AutoTxStep, StoredAutoTx, TimelineEntry } from '../core/auto-txs/stored-auto-tx.ts';
import type { Hex } from '../core/block.ts';
import { type AutoTxRow, targetColumns, toAutoTxRow, toStoredAutoTx } from './auto-tx-rows.ts';
import {
  addNotes,
  findRival,
  forgetAutoTxs,
  forgetFinal,
  IS_LIVE,
  insertSigned,
  MOST_NOTES,
  ofSender,
  stepAll,
  writeAutoTx,
} from './auto-tx-writes.ts';
import { integer, isHexCell, oneOf } from './columns.ts';
import { type Database, Store } from './database.ts';
import { requireKey } from './encryption-key.ts';
import { requireLease, type WriteRight } from './lease.ts';
import type { Sealed } from './sealer.ts';
import {
  countRows,
  newestPage,
  OPERATOR,
  ownedBy,
  type Page,
  type Queries,
  readRows,
  type Tables,
  type TimeSpan,
} from './tables.ts';

interface HeadPrices {
  readonly prices: LanePrices;
  readonly nextBaseFee: bigint;
}

/** Auto-txs for their owners and for what sends them; the operator (the owner '') sees all. */
export class AutoTxStore extends Store {
  readonly #right: () => WriteRight;

  constructor(database: Database, right: () => WriteRight = () => ({ kind: 'alone' })) {
    super(database);
    this.#right = right;
  }

  /** Stores a new auto-tx with its raw bytes (`null`: a draft), unless its owner has `most` that are not final. */
  async create(autoTx: StoredAutoTx, signedBytes: Uint8Array | null, most: number) {
    const { id, owner, createdAt } = autoTx;
    return this.database.transaction(async (trx) => {
      if ((signedBytes === null) !== (autoTx.signed === null)) throw new RangeError('a draft has no bytes');
      const notFinal = trx.selectFrom('auto_txs').where('owner', '=', owner).where(IS_NOT_FINAL);
      if (Number.isFinite(most) && (await countRows(notFinal)) >= most) return { kind: 'too-many' } as const;
      const rival = await findRival(trx, autoTx);
      if (rival !== null) return { kind: 'same-nonce', id: rival } as const;
      await trx.insertInto('auto_txs').values(toAutoTxRow(autoTx)).execute();
      const message =
        signedBytes === null ? 'created as a draft, without a signature' : 'created; it waits for its target';
      await addNotes(trx, id, [{ kind: 'CREATED', blockNumber: null, message }], createdAt);
      if (signedBytes !== null) await insertSigned(trx, id, await this.#seal(trx, id, signedBytes));
      await forgetFinal(trx, owner);
      return { kind: 'created' } as const;
    });
  }

  async find(owner: string, id: string): Promise<StoredAutoTx | null> {
    return (await this.#read((all) => ownedBy(all, owner).where('id', '=', id)))[0] ?? null;
  }

  async sameBytes(owner: string, hash: Hex): Promise<StoredAutoTx | null> {
    return (await this.#read((all) => all.where('owner', '=', owner).where('hash', '=', hash)))[0] ?? null;
  }

  async list(owner: string, page: Page) {
    const autoTxs = await this.#read((all) => newestPage(ownedBy(all, owner), page));
    const total = await this.database.run((db) => countRows(ownedBy(db.selectFrom('auto_txs'), owner)));
    return { autoTxs, total };
  }

  /**
   * How many an owner has of each status, and what executed ones saved against their price at creation, deleted ones included;
   * in dollars if each has a dollar price.
   */
  totals(owner: string) {
    return this.database.run(async (db) => {
      const all = ownedBy(db.selectFrom('auto_txs'), owner).groupBy('status');
      const rows = await all.select((e) => ['status', e.fn.countAll<number>().as('count')]).execute();
      const byStatus: Partial<Record<AutoTxStatus, number>> = {};
      for (const { status, count } of rows) {
        const known = AUTO_TX_STATUSES.find((each) => each === status) ?? 'FAILED';
        byStatus[known] = (byStatus[known] ?? 0) + Number(count);
      }
      const tallies = await ownedBy(db.selectFrom('auto_tx_tallies').selectAll(), owner).execute();
      const sum = (of: 'executed' | 'usd' | 'unpriced') => tallies.reduce((all, row) => all + row[of], 0);
      const savedWei = tallies.reduce((all, row) => all + BigInt(row.saved_wei), 0n);
      const savedUsd = sum('unpriced') > 0 ? null : sum('usd');
      return { byStatus, executed: sum('executed'), savedWei, savedUsd };
    });
  }

  /** A sender's unsent or submitted auto-txs by nonce; the operator has those of all owners. The address may have any case. */
  liveOf(owner: string, from: string): Promise<StoredAutoTx[]> {
    return this.#read((all) => ownedBy(ofSender(all, from).where(IS_LIVE), owner));
  }

  /** Those of a sender that a node may have, by nonce. */
  submittedOf(from: Hex): Promise<StoredAutoTx[]> {
    return this.#read((all) => ofSender(all, from).where(IS_SUBMITTED));
  }

  liveSenders(after: string, limit: number): Promise<Hex[]> {
    return this.#senders(IS_LIVE, after, limit);
  }

  submittedSenders(): Promise<Hex[]> {
    return this.#senders(IS_SUBMITTED, '', Number.MAX_SAFE_INTEGER);
  }

  async #senders(isOne: Expression<SqlBool>, after: string, limit: number): Promise<Hex[]> {
    const rows = await this.database.run((db) => {
      const senders = db.selectFrom('auto_txs').select('from_address').distinct().where(isOne);
      return senders.where('from_address', '>', after).orderBy('from_address').limit(limit).execute();
    });
    return rows.flatMap(({ from_address: from }) => (isHexCell(from) ? [from] : []));
  }

  /** Newest first. */
  async timeline(id: string): Promise<TimelineEntry[]> {
    const rows = await this.database.run((db) => {
      const notes = db.selectFrom('auto_tx_events').select(['at', 'kind', 'block_number', 'message']);
      return notes.where('auto_tx_id', '=', id).orderBy('seq', 'desc').limit(MOST_NOTES).execute();
    });
    return rows.map(({ kind, block_number: blockNumber, ...note }) => ({
      ...note,
      kind: oneOf(NOTE_KINDS).read(kind),
      blockNumber,
    }));
  }

  /**
   * In one transaction: reads, lets `decide` return the change, and writes it with its notes; `null` when there is no
   * such auto-tx, or no change; `rival`, and nothing is written: the id of another auto-tx of the same owner and sender that has
   * the newly signed nonce. The second of two processes sees the first's change. `decide` may run again; its errors
   * are rethrown.
   * @throws {StoreError} `not-holder`: by the leader, and this process has the lease no more.
   */
  async change(
    whose: Pick<StoredAutoTx, 'owner' | 'id'>,
    decide: (stored: StoredAutoTx) => AutoTxStep | null,
    by: 'owner' | 'leader',
  ): Promise<StoredAutoTx | SameNonce | null> {
    // Transactions reject only with a `StoreError`, so other errors become its result.
    const outcome = await this.database.transaction<StoredAutoTx | SameNonce | { error: unknown } | null>(
      async (trx) => {
        if (by === 'leader') await this.#requireLeader(trx);
        const before = await lockAutoTx(trx, whose);
        if (before === null) return null;
        let change: AutoTxStep | null;
        try {
          change = decide(before);
        } catch (error) {
          return { error };
        }
        if (change === null) return null;
        const { id, owner, createdAt } = before;
        const after = { ...change.autoTx, id, owner, createdAt };
        const rival = isNewNonce(before, after) ? await findRival(trx, after) : null;
        if (rival !== null) return { rival };
        const { notes, at, signedBytes } = change;
        const sealed = signedBytes && (await this.#seal(trx, id, signedBytes));
        await writeAutoTx(trx, before, { autoTx: after, notes, at, sealed });
        return after;
      },
    );
    if (outcome !== null && 'error' in outcome) throw outcome.error;
    return outcome;
  }

  /** Stores what targets of limits of cost are now, in one transaction; `false` where one is another meanwhile, and stays so. */
  retarget(all: readonly StoredAutoTx[]): Promise<boolean> {
    return this.database.transaction(async (trx) => {
      await this.#requireLeader(trx);
      let stored = 0;
      for (const each of all) {
        const columns = targetColumns(each);
        const one = trx.updateTable('auto_txs').set(columns).where('id', '=', each.id);
        const same = one
          .where('status', '=', each.state.status)
          .where('hash', '=', each.signed?.hash ?? null);
        const limited = same.where('max_cost', '=', columns.max_cost).returning('id');
        stored += (await limited.execute()).length;
      }
      return stored === all.length;
    });
  }

  async #requireLeader(trx: Queries): Promise<void> {
    const right = this.#right();
    await requireLease(trx, right.kind === 'one-shot' ? { kind: 'none' } : right);
  }

  async #seal(trx: Queries, id: string, signedBytes: Uint8Array): Promise<Sealed> {
    await requireKey(trx, this.database);
    return this.database.sealer.seal(id, signedBytes);
  }

  /** Deletes a draft or final auto-tx with its bytes and timeline. Its savings stay counted. */
  remove(owner: string, id: string): Promise<'removed' | 'not-final' | null> {
    return this.database.transaction(async (trx) => {
      const stored = await lockAutoTx(trx, { owner, id });
      if (stored === null) return null;
      const { status } = stored.state;
      if (status !== 'DRAFT' && !isFinal(status)) return 'not-final';
      await forgetAutoTxs(trx, [id]);
      return 'removed';
    });
  }

  /**
   * Pending ones that the next block may make due, and that nothing holds at `now` (ms), by sender and nonce. Which are due is for
   * the exact target to say: a stored one of a limit of cost may be half a percent behind.
   */
  mayBeDue(next: HeadPrices, { now, limit }: Record<'now' | 'limit', number>): Promise<StoredAutoTx[]> {
    return this.#read((all, db) => {
      const ids = db.selectFrom(mayBeDueIds(db, next, now).as('due')).select('id');
      const first = ids.orderBy('from_address').orderBy('nonce').orderBy('id').limit(limit);
      // An expression, so that SQLite does not walk the whole index in its order.
      const ordered = all.where('id', 'in', first).orderBy(sql`coalesce(from_address, '')`);
      return ordered.orderBy('nonce').orderBy('id');
    });
  }

  /** Whether any sender needs a turn: for live ones, or for those that a node may have. */
  async hasSenders(): Promise<boolean> {
    return (await this.liveSenders('', 1)).length > 0 || (await this.submittedSenders()).length > 0;
  }

  /** Pending and disabled ones in the order of their ids, after one of them. */
  waitingAfter(id: string, limit: number): Promise<StoredAutoTx[]> {
    return this.#read((all) => all.where(IS_WAITING).where('id', '>', id).orderBy('id').limit(limit));
  }

  /** Those of {@link waitingAfter} with a limit of cost; `isNew`: that `cost-limits` has not worked out yet. */
  limitedAfter(id: string, limit: number, isNew = false): Promise<StoredAutoTx[]> {
    return this.#read((all) =>
      all
        .where(isNew ? IS_NEW_LIMIT : IS_LIMITED)
        .where('id', '>', id)
        .orderBy('id')
        .limit(limit),
    );
  }

  expiring(now: number, limit: number): Promise<StoredAutoTx[]> {
    return this.#read((all) =>
      all.where(IS_WAITING).where('expires_at', '<=', now).orderBy('expires_at').limit(limit),
    );
  }

  /** `null`: it ended or the bytes are deleted; `sealed`: encrypted with another key. */
  async signedBytes(id: string): Promise<Uint8Array | 'sealed' | null> {
    const row = await this.database.run((db) => {
      const signed = db.selectFrom('signed_transactions').select(['bytes', 'key_id']);
      return signed.where('auto_tx_id', '=', id).where('ended_at', 'is', null).executeTakeFirst();
    });
    if (row === undefined) return null;
    return this.database.sealer.open(id, { keyId: row.key_id ?? '', bytes: row.bytes }) ?? 'sealed';
  }

  async forgetSigned(now: number): Promise<void> {
    await this.database.run((db) =>
      db
        .deleteFrom('signed_transactions')
        .where('ended_at', '<=', now - KEEP_SIGNED_MS)
        .execute(),
    );
  }

  /** The newest executed ones with block times in this range (ms since epoch, inclusive), oldest first. */
  async executedBetween(owner: string, { from, to, limit }: TimeSpan): Promise<StoredAutoTx[]> {
    const newest = await this.#read((all) => {
      const executed = ownedBy(all, owner).where(sql<boolean>`status = 'EXECUTED'`);
      const within = executed.where('mined_at', '>=', from).where('mined_at', '<=', to);
      return within.orderBy('mined_at', 'desc').limit(limit);
    });
    return newest.reverse();
  }

  async activeOwners(): Promise<string[]> {
    const rows = await this.database.run((db) => {
      const owners = db.selectFrom('auto_txs').select('owner').distinct().where(IS_PENDING);
      return owners.where('owner', '<>', '').execute();
    });
    return rows.map(({ owner }) => owner);
  }

  /** Disables an owner's waiting auto-txs at `now` (ms since epoch). Submitted ones are still observed. */
  async disableAll(owner: string, reason: string, now: number): Promise<void> {
    const disableSome = async (trx: Queries) => {
      const waiting = trx.selectFrom('auto_txs').selectAll().where(IS_PENDING).where('owner', '=', owner);
      const rows = await waiting.limit(DISABLED_AT_ONCE).execute();
      return stepAll(trx, rows, { type: 'disable' }, now, `${reason}: `);
    };
    while ((await this.database.transaction(disableSome)) === DISABLED_AT_ONCE) await setImmediate();
  }

  async #read(choose: (all: AutoTxs, db: Queries) => AutoTxs): Promise<StoredAutoTx[]> {
    const rows = this.database.run((db) => choose(db.selectFrom('auto_txs').selectAll(), db).execute());
    return readRows(await rows, toStoredAutoTx);
  }
}

type AutoTxs = SelectQueryBuilder<Tables, 'auto_txs', AutoTxRow>;

interface SameNonce {
  readonly rival: string;
}

/** Reads an auto-tx to change it. An update that changes nothing takes the lock, which keeps its values until the transaction ends. */
async function lockAutoTx(trx: Queries, { owner, id }: Pick<StoredAutoTx, 'owner' | 'id'>) {
  const unchanged = trx.updateTable('auto_txs').set((row) => ({ resends: row.ref('resends') }));
  const mine = owner === OPERATOR ? unchanged : unchanged.where('owner', '=', owner);
  const rows = await mine.where('id', '=', id).returningAll().execute();
  return readRows(rows, toStoredAutoTx)[0] ?? null;
}

const isNewNonce = ({ signed: before }: StoredAutoTx, { signed: after }: StoredAutoTx) =>
  after !== null && (before?.from !== after.from || before.nonce !== after.nonce);

const IS_PENDING = sql<boolean>`status = 'PENDING'`;
const IS_WAITING = sql<boolean>`status in ('PENDING', 'DISABLED')`;
const IS_LIMITED = sql<boolean>`max_cost is not null and status in ('PENDING', 'DISABLED')`;
const IS_NEW_LIMIT = sql<boolean>`${IS_LIMITED} and effective_since is null`;
const IS_NOT_FINAL = sql<boolean>`status in ('DRAFT', 'PENDING', 'DISABLED', 'SUBMITTED')`;
const IS_SUBMITTED = sql<boolean>`(status = 'SUBMITTED' or may_be_out = 1)`;

const DISABLED_AT_ONCE = 100;
const KEEP_SIGNED_MS = 86_400_000;

function mayBeDueIds(db: Queries, { prices, nextBaseFee }: HeadPrices, now: number) {
  const base = integer(nextBaseFee);
  const where = (isCheap: Expression<SqlBool>) =>
    db
      .selectFrom('auto_txs')
      .select(['id', 'from_address', 'nonce'])
      .where(isCheap)
      .where('cap', '>=', base)
      .where((e) => e.or([e('hold_until', 'is', null), e('hold_until', '<=', now)]));
  return LANES.map((lane) =>
    where(sql<boolean>`wake_lane = ${lane} and wake_price >= ${integer(prices[lane])}`),
  ).reduce((all, one) => all.unionAll(one), where(sql<boolean>`wake_base >= ${base}`));
}
