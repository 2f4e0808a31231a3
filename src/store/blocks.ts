import type { SelectQueryBuilder } from 'kysely';
import type { GivenAdvice } from '../core/advice.ts';
import type { Block, Hex } from '../core/block.ts';
import { pruneAdvice, rewindAdvice, writeAdvice } from './advice-track.ts';
import { type AlertRun, evaluateAlerts, restartAlerts, rewindAlerts } from './alert-evaluation.ts';
import { pruneAlertEvents } from './alert-firings.ts';
import { restartAutoTxs, rewindAutoTxs } from './auto-tx-writes.ts';
import {
  type BlockRow,
  findHoles,
  lowestFork,
  type NumberRange,
  removeBlocks,
  replaceBlocks,
  toBlock,
  toBlockRow,
} from './block-rows.ts';
import { maybe } from './columns.ts';
import type { Database } from './database.ts';
import { StoreError } from './errors.ts';
import { requireRight, type WriteRight } from './lease.ts';
import {
  bindChain,
  type ChainIdentity,
  dropMeta,
  isHistoryOf,
  readGenesis,
  readMeta,
  saveGenesis,
  saveMeta,
  wrongChain,
} from './meta.ts';
import { bucketStart, refoldRollups } from './rollups.ts';
import type { Queries, Tables } from './tables.ts';

type StoredBlocks = SelectQueryBuilder<Tables, 'blocks', BlockRow>;

const KEEP_BLOCKS_SEC = 30 * 86_400;

const HOUR_SEC = 3_600;

/** Blocks and their rollups, which agree after each write. Every method rejects with a `StoreError`. */
export class BlockStore {
  readonly #database: Database;
  readonly #name: string;
  readonly #right: () => WriteRight;
  readonly #wallNow: () => number;
  /** Blocks before this time (Unix s, a whole hour) are folded and not accepted again. */
  #foldedBefore: number | null = null;
  /** The chain to bind the history to, after a full disk prevented it. */
  #unbound: ChainIdentity | null = null;
  #lastWrite: Promise<void> = Promise.resolve();

  /** @param right of a write that starts now, checked again within it. @param wallNow for notes of a reorg */
  constructor(
    database: Database,
    right: () => WriteRight = () => ({ kind: 'alone' }),
    wallNow: () => number = Date.now,
  ) {
    this.#database = database;
    this.#name = database.name;
    this.#right = right;
    this.#wallNow = wallNow;
  }

  /** Binds the history to a chain, after a full disk with the next write. @throws {StoreError} `wrong-chain` */
  async claimChain(chain: ChainIdentity): Promise<void> {
    try {
      await this.#database.run((db) => bindChain(db, chain, this.#name));
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'full')) throw error;
      this.#unbound = chain;
    }
  }

  /** Checks without binding. @throws {StoreError} `wrong-chain` when it belongs to another chain. */
  async refuseOther(chain: ChainIdentity): Promise<void> {
    await this.#database.run((db) => isHistoryOf(db, chain, this.#name));
  }

  otherChain(chain: ChainIdentity): StoreError {
    return wrongChain(this.#name, chain, chain);
  }

  /** The chain of this history; `null` until the first write. */
  chainId(): Promise<number | null> {
    return this.#readNumber('chain_id');
  }

  /** Genesis hash of that chain; `null` when unknown, as in a database of an older version. */
  genesisHash(): Promise<Hex | null> {
    return this.#database.run(readGenesis);
  }

  /** Stores the genesis hash that the history was found to belong to. */
  async adoptGenesis(genesis: Hex): Promise<void> {
    try {
      await this.#transaction((trx) => saveGenesis(trx, genesis));
    } catch (error) {
      // The next start detects it again.
      if (!(error instanceof StoreError && error.code === 'full')) throw error;
    }
  }

  /** When the chain last restarted, which deleted older history; ms since epoch. */
  restartedAt(): Promise<number | null> {
    return this.#readNumber('restarted_at');
  }

  async #readNumber(key: string): Promise<number | null> {
    return maybe(await this.#database.run((db) => readMeta(db, key)), Number);
  }

  /** Writes blocks in any order, with the advice after the last and the evaluation of alerts. Returns the firings. */
  async saveBlocks(
    blocks: readonly Block[],
    given: GivenAdvice | null = null,
    alerts: AlertRun | null = null,
  ): Promise<number> {
    const right = this.#right();
    const foldedBefore = await this.#readFoldedBefore();
    const latest = new Map(blocks.map((block) => [block.number, block]));
    const rows = [...latest.values()]
      .map(toBlockRow)
      .filter((row) => row.timestamp >= foldedBefore)
      .sort((a, b) => a.number - b.number);
    if (rows.length === 0) return 0;
    return this.#transaction(async (trx) => {
      const replaced = await replaceBlocks(trx, rows);
      await refoldRollups(trx, new Set([...replaced, ...rows].map(({ timestamp }) => timestamp)));
      if (given !== null) await writeAdvice(trx, given);
      const fork = lowestFork(replaced, rows);
      if (fork !== null) await rewindAutoTxs(trx, fork - 1, this.#wallNow());
      if (alerts === null) return 0;
      if (fork !== null) await rewindAlerts(trx, fork - 1);
      return evaluateAlerts(trx, right.kind === 'visitor' ? untold(alerts) : alerts);
    }, right);
  }

  /** Deletes the blocks above `number`, which are no longer part of the chain, and the advice given after them. */
  async rewindTo(number: number): Promise<void> {
    await this.#transaction(async (trx) => {
      const gone = await removeBlocks(trx, { from: number + 1, to: Number.MAX_SAFE_INTEGER });
      await refoldRollups(trx, new Set(gone.map(({ timestamp }) => timestamp)));
      await rewindAdvice(trx, number);
      await rewindAlerts(trx, number);
      await rewindAutoTxs(trx, number, this.#wallNow());
    });
  }

  /** A new chain: deletes the history of the old one, keeps alerts, and disables auto-txs that are not final. */
  async beginAnew(genesis: Hex | undefined): Promise<void> {
    await this.#transaction(async (trx) => {
      for (const table of ['blocks', 'rollups', 'advice'] as const) await trx.deleteFrom(table).execute();
      await dropMeta(trx, 'folded_before');
      await restartAlerts(trx);
      await restartAutoTxs(trx, this.#wallNow());
      await saveGenesis(trx, genesis);
      await saveMeta(trx, 'restarted_at', String(this.#wallNow()));
    });
    this.#foldedBefore = 0;
  }

  async head(): Promise<Block | null> {
    return (await this.newest(1))[0] ?? null;
  }

  async newest(count: number): Promise<Block[]> {
    return (await this.#read((blocks) => blocks.orderBy('number', 'desc').limit(count))).reverse();
  }

  async oldest(): Promise<Block | null> {
    return (await this.#read((blocks) => blocks.orderBy('number').limit(1)))[0] ?? null;
  }

  async latestAt(timestamp: number): Promise<Block | null> {
    const [latest] = await this.#read((blocks) => {
      const before = blocks.where('timestamp', '<=', timestamp).orderBy('timestamp', 'desc');
      return before.orderBy('number', 'desc').limit(1);
    });
    return latest ?? null;
  }

  page(from: number, limit: number): Promise<Block[]> {
    return this.#read((blocks) => blocks.where('number', '>=', from).orderBy('number').limit(limit));
  }

  async #read(choose: (blocks: StoredBlocks) => StoredBlocks): Promise<Block[]> {
    const rows = await this.#database.run((db) => choose(db.selectFrom('blocks').selectAll()).execute());
    return rows.map(toBlock);
  }

  /** Ranges of block numbers within `range` that are not stored, newest first. */
  async missingRanges(range: NumberRange): Promise<NumberRange[]> {
    if (range.to < range.from) return [];
    const holes = await this.#database.run((db) => findHoles(db, range));
    return holes.filter(({ from, to }) => to >= from).reverse();
  }

  /** Folds blocks older than 30 days at `now` (Unix s) into their hourly rows, at whole hours. */
  async prune(now: number): Promise<void> {
    const before = bucketStart(now - KEEP_BLOCKS_SEC, HOUR_SEC);
    if (before <= (await this.#readFoldedBefore())) return;
    await this.#transaction(async (trx) => {
      const old = trx.deleteFrom('blocks').where('timestamp', '<', before);
      const { numDeletedRows } = await old.executeTakeFirstOrThrow();
      const finer = trx.deleteFrom('rollups').where('bucket_sec', '<', HOUR_SEC);
      await finer.where('start', '<', before).execute();
      await pruneAdvice(trx, now);
      if (numDeletedRows > 0n) await saveMeta(trx, 'folded_before', String(before));
    });
    this.#foldedBefore = null;
    const right = this.#right();
    await pruneAlertEvents((work) => this.#transaction(work, right), now * 1_000);
  }

  /** Undoes folding beyond `now` (Unix s), by a made-up time: real blocks would be refused until then. */
  async distrustFutureFolding(now: number): Promise<void> {
    if ((await this.#readFoldedBefore()) <= now) return;
    const before = bucketStart(now - KEEP_BLOCKS_SEC, HOUR_SEC);
    await this.#transaction((trx) => saveMeta(trx, 'folded_before', String(before)));
    this.#foldedBefore = null;
  }

  async #readFoldedBefore(): Promise<number> {
    this.#foldedBefore ??= (await this.#readNumber('folded_before')) ?? 0;
    return this.#foldedBefore;
  }

  /** In sequence: a write that waits for another process must not be overtaken by a later one. */
  #transaction<Result>(work: (trx: Queries) => Promise<Result>, right = this.#right()): Promise<Result> {
    const guarded = async (trx: Queries) => {
      await requireRight(trx, right);
      if (this.#unbound !== null) await bindChain(trx, this.#unbound, this.#name);
      return work(trx);
    };
    const done = this.#lastWrite.then(() => this.#database.transaction(guarded));
    const settled = () => {};
    this.#lastWrite = done.then(settled, settled);
    return done;
  }
}

/** A command that visits sends nothing, and the next leader may be too late. */
const untold = (run: AlertRun): AlertRun => ({
  ...run,
  blocks: run.blocks.map((priced) => ({ ...priced, isPast: true })),
});
