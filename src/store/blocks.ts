import { type SelectQueryBuilder, sql } from 'kysely';
import type { GivenAdvice } from '../core/advice.ts';
import { type Block, blockTips, type Hex } from '../core/block.ts';
import { type ChainProfile, identifiedChain, isImpostor, SIMULATED_CHAIN_ID } from '../core/chains.ts';
import { DAY_SEC, HOUR_SEC } from '../core/time.ts';
import { pruneAdvice, rewindAdvice, writeAdvice } from './advice-rows.ts';
import { type AlertRun, evaluateAlerts, restartAlerts, rewindAlerts } from './alert-evaluation.ts';
import { restartAutoTxs, rewindAutoTxs } from './auto-tx-writes.ts';
import { noteCoinPrice } from './coin-prices.ts';
import { columns, integer, maybeCell, orNull, plainCell, wei } from './columns.ts';
import { type Database, Store } from './database.ts';
import { StoreError } from './errors.ts';
import { requireLease, type WriteRight } from './lease.ts';
import { pruneFirings } from './outbox.ts';
import { bucketStart, refoldRollups, TIPS, tipColumns } from './rollups.ts';
import { countRows, dropMeta, pagesOf, type Queries, readMeta, saveMeta, type Tables } from './tables.ts';

export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

const BLOCK = columns({
  number: ['number', plainCell<number>()],
  hash: ['hash', plainCell<Hex | null>()],
  parentHash: ['parent_hash', plainCell<Hex | null>()],
  // Interpolated times may fall between two seconds.
  timestamp: ['timestamp', { ...plainCell<number>(), write: Math.floor }],
  baseFeePerGas: ['base_fee', wei],
  gasUsed: ['gas_used', orNull(wei)],
  gasLimit: ['gas_limit', orNull(wei)],
  gasUsedRatio: ['gas_used_ratio', plainCell<number>()],
  blobBaseFee: ['blob_base_fee', orNull(wei)],
  nextBaseFee: ['next_base_fee', orNull(wei)],
  nextBlobBaseFee: ['next_blob_base_fee', orNull(wei)],
  suggestedTip: ['suggested_tip', orNull(wei)],
});

/** One block. Wei as integers up to 2^53−1, time in Unix seconds. */
export type BlockRow = ReturnType<typeof toBlockRow>;

export const toBlockRow = (block: Block) => ({
  ...BLOCK.write({ ...block, suggestedTip: block.suggestedTip ?? null }),
  ...tipColumns((_, place) => maybeCell(block.tips?.[place], integer)),
});

export function toBlock(row: BlockRow): Block {
  const { suggestedTip, ...block } = BLOCK.read(row);
  const tips = blockTips(TIPS.map((column) => maybeCell(row[column], BigInt)));
  return { ...block, tips, ...(suggestedTip !== null && { suggestedTip }) };
}

type StoredBlocks = SelectQueryBuilder<Tables, 'blocks', BlockRow>;

const KEEP_BLOCKS_SEC = 30 * DAY_SEC;

/** Blocks and their rollups, which agree after each write. */
export class BlockStore extends Store {
  readonly #right: () => WriteRight;
  readonly #wallNow: () => number;
  /** Blocks before this time (Unix s, a whole hour) are folded and not accepted again. */
  #foldedBefore: number | null = null;
  #lastWrite: Promise<unknown> = Promise.resolve();

  /** @param right of a write that starts now, checked again within it. @param wallNow for notes of a reorg */
  constructor(
    database: Database,
    right: () => WriteRight = () => ({ kind: 'alone' }),
    wallNow: () => number = Date.now,
  ) {
    super(database);
    this.#right = right;
    this.#wallNow = wallNow;
  }

  /** Binds the history to a chain: before there is a leader, as it writes only where no process has. @throws {StoreError} `wrong-chain` */
  async claimChain(chain: ChainIdentity): Promise<void> {
    const { name } = this.database;
    if (await this.database.run((db) => isHistoryOf(db, chain, name))) return;
    await this.database.lockingTransaction((trx) => bindChain(trx, chain));
    await this.refuseOther(chain);
  }

  /** Checks without binding. @throws {StoreError} `wrong-chain` when it belongs to another chain. */
  async refuseOther(chain: ChainIdentity): Promise<void> {
    await this.database.run((db) => isHistoryOf(db, chain, this.database.name));
  }

  otherChain(chain: ChainIdentity): StoreError {
    return wrongChain(this.database.name, chain, chain);
  }

  chainId(): Promise<number | null> {
    return this.#readNumber('chain_id');
  }

  /** Genesis hash of that chain; `null` when unknown, as in a database of an older version. */
  genesisHash(): Promise<Hex | null> {
    return this.database.run(readGenesis);
  }

  /** Stores the genesis hash that the history was found to belong to. */
  adoptGenesis(genesis: Hex): Promise<void> {
    return this.#transaction((trx) => saveGenesis(trx, genesis));
  }

  /** When the chain last restarted, which deleted older history; ms since epoch. */
  restartedAt(): Promise<number | null> {
    return this.#readNumber('restarted_at');
  }

  async #readNumber(key: string): Promise<number | null> {
    return maybeCell(await this.database.run((db) => readMeta(db, key)), Number);
  }

  /** Writes blocks in any order, with the advice after the last and the evaluation of alerts. Returns the firings. */
  async saveBlocks(
    blocks: readonly Block[],
    given: GivenAdvice | null = null,
    alerts: AlertRun | null = null,
  ): Promise<number> {
    const right = this.#right();
    const foldedBefore = await this.#readFoldedBefore();
    const latest = new Map(blocks.map((block) => [block.number, toBlockRow(block)]));
    const rows = [...latest.values()].filter((row) => row.timestamp >= foldedBefore);
    rows.sort((a, b) => a.number - b.number);
    if (rows.length === 0) return 0;
    return this.#transaction(async (trx) => {
      const { fork, timestamps } = await replaceBlocks(trx, rows);
      await refoldRollups(trx, timestamps);
      if (given !== null) await writeAdvice(trx, given);
      if (fork !== null) await rewindAutoTxs(trx, fork - 1, this.#wallNow());
      if (alerts === null) return 0;
      if (fork !== null) await rewindAlerts(trx, fork - 1);
      const { nativeUsd, nativeUsdAt } = alerts;
      if (nativeUsdAt !== null) await noteCoinPrice(trx, nativeUsdAt, nativeUsd);
      return evaluateAlerts(trx, alerts);
    }, right);
  }

  /** Deletes the blocks above `number`, which are no longer part of the chain, and the advice given after them. */
  async rewindTo(number: number): Promise<void> {
    await this.#transaction(async (trx) => {
      const orphaned = trx.deleteFrom('blocks').where('number', '>', number).returning('timestamp');
      const gone = await orphaned.execute();
      await refoldRollups(trx, new Set(gone.map(({ timestamp }) => timestamp)));
      await rewindAdvice(trx, number);
      await rewindAlerts(trx, number);
      await rewindAutoTxs(trx, number, this.#wallNow());
    });
  }

  /** A new chain: deletes the history of the old one, keeps alerts, and disables auto-txs that are not final. */
  async beginAnew(genesis: Hex | undefined): Promise<void> {
    await this.#transaction(async (trx) => {
      for (const table of ['blocks', 'rollups', 'advice', 'coin_prices'] as const)
        await trx.deleteFrom(table).execute();
      await dropMeta(trx, 'folded_before');
      await restartAlerts(trx);
      await restartAutoTxs(trx, this.#wallNow());
      await saveGenesis(trx, genesis);
      await saveMeta(trx, 'restarted_at', String(this.#wallNow()));
    });
    this.#foldedBefore = 0;
  }

  head(): Promise<Block | null> {
    return this.#first((blocks) => blocks.orderBy('number', 'desc'));
  }

  oldest(): Promise<Block | null> {
    return this.#first((blocks) => blocks.orderBy('number'));
  }

  latestAt(timestamp: number): Promise<Block | null> {
    return this.#first((blocks) => {
      const before = blocks.where('timestamp', '<=', timestamp);
      return before.orderBy('timestamp', 'desc').orderBy('number', 'desc');
    });
  }

  async newest(count: number): Promise<Block[]> {
    return (await this.#read((blocks) => blocks.orderBy('number', 'desc').limit(count))).reverse();
  }

  page(from: number, limit: number): Promise<Block[]> {
    return this.#read((blocks) => blocks.where('number', '>=', from).orderBy('number').limit(limit));
  }

  async #first(choose: (blocks: StoredBlocks) => StoredBlocks): Promise<Block | null> {
    return (await this.#read((blocks) => choose(blocks).limit(1)))[0] ?? null;
  }

  async #read(choose: (blocks: StoredBlocks) => StoredBlocks): Promise<Block[]> {
    const rows = await this.database.run((db) => choose(db.selectFrom('blocks').selectAll()).execute());
    return rows.map(toBlock);
  }

  /** Ranges of block numbers within `range` that are not stored, newest first. */
  missingRanges({ from, to }: NumberRange): Promise<NumberRange[]> {
    return this.database.run(async (db) => {
      const stored = db.selectFrom('blocks').where('number', '>=', from).where('number', '<=', to);
      // The usual case, ten times cheaper to detect than a search.
      if ((await countRows(stored)) >= to - from + 1) return [];
      const holes = sql<NumberRange>`
        select number + 1 as "from", next - 1 as "to" from (
          select number, lead(number, 1, cast(${to + 1} as bigint)) over (order by number) as next from (
            select cast(${from - 1} as bigint) as number
            union all select number from blocks where number between ${from} and ${to}) as stored
        ) as neighbours where next > number + 1 order by number desc`;
      return (await holes.execute(db)).rows;
    });
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
      await trx.deleteFrom('coin_prices').where('since', '<', before).execute();
      if (numDeletedRows > 0n) await saveMeta(trx, 'folded_before', String(before));
    });
    this.#foldedBefore = null;
    const right = this.#right();
    await pruneFirings((work) => this.#transaction(work, right), now * 1_000);
  }

  async #readFoldedBefore(): Promise<number> {
    // A clock that was far ahead may have folded later ones: real blocks would be refused until then.
    this.#foldedBefore ??= Math.min(
      (await this.#readNumber('folded_before')) ?? 0,
      bucketStart(Math.floor(this.#wallNow() / 1_000) - KEEP_BLOCKS_SEC, HOUR_SEC),
    );
    return this.#foldedBefore;
  }

  /** In sequence: a write that waits for another process must not be overtaken by a later one. */
  #transaction<Result>(work: (trx: Queries) => Promise<Result>, right = this.#right()): Promise<Result> {
    const guarded = async (trx: Queries) => {
      await requireLease(trx, right);
      return work(trx);
    };
    const done = this.#lastWrite.then(() => this.database.transaction(guarded));
    this.#lastWrite = done.catch(() => {});
    return done;
  }
}

/** Replaces blocks of the same numbers: the lowest that had another hash, and the times of all that changed. */
async function replaceBlocks(trx: Queries, rows: readonly BlockRow[]) {
  const timestamps = new Set(rows.map(({ timestamp }) => timestamp));
  let fork: number | null = null;
  // Writes before it reads: a transaction that starts with a read may find the database busy half-way.
  for (const page of pagesOf(rows)) {
    const hashes = new Map(page.map(({ number, hash }) => [number, hash]));
    const same = trx.deleteFrom('blocks').where('number', 'in', [...hashes.keys()]);
    for (const old of await same.returning(['number', 'hash', 'timestamp']).execute()) {
      timestamps.add(old.timestamp);
      const now = hashes.get(old.number) ?? null;
      if (old.hash !== null && now !== null && old.hash !== now)
        fork = Math.min(old.number, fork ?? old.number);
    }
    await trx.insertInto('blocks').values(page).execute();
  }
  return { fork, timestamps };
}

type ChainIdentity = Pick<ChainProfile, 'id' | 'genesisHash' | 'borrowsId'>;

/** Another process may bind it to another chain at the same time: the first one wins, with what it knows of its genesis. */
async function bindChain(trx: Queries, { id, genesisHash }: ChainIdentity): Promise<void> {
  const first = trx.insertInto('meta').values({ key: 'chain_id', value: String(id) });
  const bound = first.onConflict((conflict) => conflict.column('key').doNothing());
  const { numInsertedOrUpdatedRows } = await bound.executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 1n) await saveGenesis(trx, genesisHash);
}

/** `false` when it is not bound yet. @throws {StoreError} `wrong-chain` when it belongs to another chain. */
async function isHistoryOf(db: Queries, chain: ChainIdentity, name: string): Promise<boolean> {
  const known = await readMeta(db, 'chain_id');
  if (known === null) return false;
  if (known !== String(chain.id)) throw wrongChain(name, { id: Number(known) }, chain);
  const genesis = await readGenesis(db);
  if (genesis !== null && chain.genesisHash !== undefined && isImpostor(chain.id, genesis, chain.genesisHash))
    throw wrongChain(name, identifiedChain(chain.id, genesis), chain);
  return true;
}

async function readGenesis(db: Queries): Promise<Hex | null> {
  const genesis = await readMeta(db, 'genesis_hash');
  return genesis === null ? null : `0x${genesis.slice(2)}`;
}

/** Stores the genesis hash of the history's chain; `undefined` when unknown. */
const saveGenesis = (db: Queries, genesis: Hex | undefined): Promise<void> =>
  genesis === undefined ? dropMeta(db, 'genesis_hash') : saveMeta(db, 'genesis_hash', genesis);

/** Fits a line of 80 columns, with a file name of usual length. */
const wrongChain = (name: string, known: ChainIdentity, chain: ChainIdentity): StoreError => {
  const [holds, wanted] = [chainWords(known), chainWords(chain)];
  return new StoreError(
    'wrong-chain',
    `${name} holds ${holds === wanted ? `another ${wanted}` : `${holds}, not ${wanted}`}; name another path with --db`,
  );
};

function chainWords({ id, borrowsId }: ChainIdentity): string {
  if (id === SIMULATED_CHAIN_ID) return 'the simulated chain';
  return borrowsId ? `a development chain with id ${id}` : `chain ${id}`;
}
