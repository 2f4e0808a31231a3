import { sql } from 'kysely';
import { type Action, type GivenAdvice, getsInto, type Inclusion } from '../core/advice.ts';
import type { Hex } from '../core/block.ts';
import { integer, toBlock } from './block-rows.ts';
import type { Database } from './database.ts';
import { type AdviceRow, countRows, type Queries } from './tables.ts';

const MOST_ROWS = 100_000;
const KEEP_SEC = 400 * 86_400;

/**
 * Writes what was advised after a block. What was said of that block first stands, whoever says it again; advice
 * on another block of the same height gives way. Call it in the transaction that writes the block.
 */
export async function writeAdvice(trx: Queries, given: GivenAdvice): Promise<void> {
  const row = toRow(given);
  await trx
    .insertInto('advice')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('block_number')
        .doUpdateSet(row)
        .where((e) => e('advice.block_hash', 'is distinct from', e.ref('excluded.block_hash'))),
    )
    .execute();
}

/** Takes back what was advised after blocks above `number`, and verdicts that rest on them. */
export async function rewindAdvice(trx: Queries, number: number): Promise<void> {
  await trx.deleteFrom('advice').where('block_number', '>', number).execute();
  await trx
    .updateTable('advice')
    .set({ verdict: null, settled_block: null })
    .where('settled_block', '>', number)
    .execute();
}

/** Keeps the last 100,000, and none that is older than 400 days at `now` (Unix s). */
export async function pruneAdvice(trx: Queries, now: number): Promise<void> {
  await trx
    .deleteFrom('advice')
    .where((e) =>
      e.or([
        e('timestamp', '<', now - KEEP_SEC),
        e(
          'block_number',
          '<=',
          e
            .selectFrom('advice as kept')
            .select('kept.block_number')
            .orderBy('kept.block_number', 'desc')
            .limit(1)
            .offset(MOST_ROWS),
        ),
      ]),
    )
    .execute();
}

function toRow({ block, version, action, targetPrice, promise, probability }: GivenAdvice): AdviceRow {
  const isInclusion = promise.kind === 'inclusion';
  return {
    block_number: block.number,
    block_hash: block.hash,
    timestamp: Math.floor(block.timestamp),
    version,
    action,
    target_price: integer(targetPrice),
    max_fee: isInclusion ? integer(promise.maxFeePerGas) : null,
    max_priority_fee: isInclusion ? integer(promise.maxPriorityFeePerGas) : null,
    due_block: isInclusion ? promise.lastBlock : null,
    due_at: isInclusion ? null : Math.floor(promise.until),
    probability,
    verdict: null,
    settled_block: null,
  };
}

/** @throws RangeError for a row that no program of ours wrote. */
function toGivenAdvice(row: AdviceRow): GivenAdvice {
  const { max_fee, max_priority_fee, due_block, due_at } = row;
  const promise =
    max_fee !== null && max_priority_fee !== null && due_block !== null
      ? {
          kind: 'inclusion' as const,
          maxFeePerGas: BigInt(max_fee),
          maxPriorityFeePerGas: BigInt(max_priority_fee),
          lastBlock: due_block,
        }
      : due_at !== null
        ? { kind: 'reached' as const, until: due_at }
        : null;
  if (promise === null) throw new RangeError(`advice after block ${row.block_number} promises nothing`);
  return {
    block: { number: row.block_number, hash: row.block_hash as Hex | null, timestamp: row.timestamp },
    version: row.version,
    action: row.action as Action,
    targetPrice: BigInt(row.target_price),
    promise,
    probability: row.probability,
  };
}

/** What is still missing a day (of the chain's time) after it was needed, and was asked for since, is given up. */
const PATIENCE_SEC = 86_400;

/** How the last advice was kept: of those that stated a probability and have been judged. */
export interface SaidScore extends SaidCount {
  /** Said since then, but blocks that would tell are not to be had. */
  readonly unjudged: number;
  /** The same of the last advice to wait or to set an alert, which may reach back further. */
  readonly waits: SaidCount;
}

export interface SaidCount {
  readonly evaluated: number;
  readonly kept: number;
  /** Mean of what was stated; `null`: none was judged. */
  readonly statedProbability: number | null;
  /** Time of the block that the oldest of them was said after, Unix seconds. */
  readonly since: number | null;
  /** Versions of the advice among them, ascending. */
  readonly versions: readonly number[];
}

/** What became of advice whose time was over. */
export interface Settlement {
  readonly settled: number;
  /** The newest block whose advice waits for blocks that are missing; `null`: none does. */
  readonly waiting: number | null;
}

/** An outcome, or `waiting`: blocks are missing that may still come; `void`: the block itself is gone. */
type Outcome =
  | { readonly verdict: 'kept' | 'missed' | 'unknown'; readonly settledBlock: number }
  | 'waiting'
  | 'void';

interface Head {
  readonly number: number;
  readonly timestamp: number;
}

/**
 * Judges what was advised (see `BlockStore.saveBlocks`) by the blocks that are stored, and counts it. Every method
 * rejects with a `StoreError`.
 */
export class TrackStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * The blocks above `above` whose advice has ended by the stored head and is not judged yet, at most `limit` of
   * either kind, those that ended last first.
   */
  due(above: number, limit: number): Promise<number[]> {
    return this.#database.run(async (db) => {
      const head = await readHead(db);
      if (head === null) return [];
      const running = db
        .selectFrom('advice')
        .select('block_number')
        .where('verdict', 'is', null)
        .where('block_number', '>', above)
        .limit(limit);
      const sent = running.where('due_block', '<=', head.number).orderBy('due_block', 'desc');
      const waited = running.where('due_at', '<', head.timestamp).orderBy('due_at', 'desc');
      return [...(await sent.execute()), ...(await waited.execute())].map((row) => row.block_number);
    });
  }

  /**
   * Judges the advice after these blocks as far as it has ended and its blocks are there. One transaction.
   * @param filledUntil what is missing up to this time (Unix seconds) has just been asked for and is not to be had;
   * `null`: it may still come, however long the service was down.
   */
  settle(blocks: readonly number[], filledUntil: number | null = null): Promise<Settlement> {
    if (blocks.length === 0) return Promise.resolve({ settled: 0, waiting: null });
    return this.#database.transaction(async (trx) => {
      let settled = 0;
      let waiting: number | null = null;
      const head = await readHead(trx);
      if (head === null) return { settled, waiting };
      const rows = await trx
        .selectFrom('advice')
        .selectAll()
        .where('block_number', 'in', blocks)
        .where('verdict', 'is', null)
        .execute();
      for (const given of rows.map(toGivenAdvice)) {
        const outcome = await outcomeOf(trx, given, { head, filledUntil });
        if (outcome === 'waiting') waiting = Math.max(waiting ?? -1, given.block.number);
        else await record(trx, given, outcome);
        if (outcome !== 'waiting') settled += 1;
      }
      return { settled, waiting };
    });
  }

  /** The last `most` that stated a probability, by when they ended; and of those to wait the last `most`. */
  score(most: number): Promise<SaidScore> {
    return this.#database.run(async (db) => {
      const judged = db
        .selectFrom('advice')
        .select(['block_number', 'timestamp', 'version', 'probability', 'verdict'])
        .where('verdict', 'in', ['kept', 'missed'])
        .where('probability', 'is not', null)
        .orderBy('settled_block', 'desc')
        .orderBy('block_number', 'desc')
        .limit(most);
      const said = await judged.execute();
      const waits = await judged.where('due_at', 'is not', null).execute();
      const first = Math.min(...said.map((row) => row.block_number));
      return {
        ...countOf(said),
        unjudged: said.length === 0 ? 0 : await countUnknown(db, first),
        waits: countOf(waits),
      };
    });
  }
}

type JudgedRow = Pick<AdviceRow, 'block_number' | 'timestamp' | 'version' | 'probability' | 'verdict'>;

function countOf(rows: readonly JudgedRow[]): SaidCount {
  const stated = rows.reduce((sum, row) => sum + (row.probability ?? 0), 0);
  return {
    evaluated: rows.length,
    kept: rows.filter((row) => row.verdict === 'kept').length,
    statedProbability: rows.length === 0 ? null : stated / rows.length,
    since: rows.length === 0 ? null : Math.min(...rows.map((row) => row.timestamp)),
    versions: [...new Set(rows.map((row) => row.version))].sort((a, b) => a - b),
  };
}

async function readHead(db: Queries): Promise<Head | null> {
  const newest = db.selectFrom('blocks').select(['number', 'timestamp']).orderBy('number', 'desc').limit(1);
  return (await newest.executeTakeFirst()) ?? null;
}

const countUnknown = (db: Queries, from: number) =>
  countRows(db.selectFrom('advice').where('verdict', '=', 'unknown').where('block_number', '>=', from));

async function record(trx: Queries, { block }: GivenAdvice, outcome: Exclude<Outcome, 'waiting'>) {
  if (outcome === 'void') {
    await trx.deleteFrom('advice').where('block_number', '=', block.number).execute();
    return;
  }
  await trx
    .updateTable('advice')
    .set({ verdict: outcome.verdict, settled_block: outcome.settledBlock })
    .where('block_number', '=', block.number)
    .execute();
}

interface Known {
  readonly head: Head;
  readonly filledUntil: number | null;
}

async function outcomeOf(db: Queries, given: GivenAdvice, { head, filledUntil }: Known): Promise<Outcome> {
  const { block, promise } = given;
  const own = await db
    .selectFrom('blocks')
    .select('hash')
    .where('number', '=', block.number)
    .executeTakeFirst();
  // A reorg that nobody was there to see.
  if (own !== undefined && own.hash !== null && block.hash !== null && own.hash !== block.hash) return 'void';
  const outcome =
    promise.kind === 'inclusion'
      ? await includedBy(db, block.number, promise)
      : await reachedBy(db, given, promise.until);
  if (outcome !== 'waiting') return outcome;
  const needed = promise.kind === 'reached' ? promise.until : block.timestamp;
  return filledUntil !== null && filledUntil - needed > PATIENCE_SEC
    ? { verdict: 'unknown', settledBlock: head.number }
    : 'waiting';
}

async function includedBy(db: Queries, after: number, promise: Inclusion): Promise<Outcome> {
  const rows = await db
    .selectFrom('blocks')
    .selectAll()
    .where('number', '>', after)
    .where('number', '<=', promise.lastBlock)
    .execute();
  if (rows.length < promise.lastBlock - after) return 'waiting';
  const isKept = rows.some((row) => getsInto(toBlock(row), promise));
  return { verdict: isKept ? 'kept' : 'missed', settledBlock: promise.lastBlock };
}

/** Two prices at their limit add up to more than a number holds. */
const LOWEST_PRICE = sql<number>`case when base_fee > ${sql.lit(Number.MAX_SAFE_INTEGER)} - coalesce(tip_p10, 0)
  then ${sql.lit(Number.MAX_SAFE_INTEGER)} else base_fee + coalesce(tip_p10, 0) end`;

async function reachedBy(db: Queries, { block, targetPrice }: GivenAdvice, until: number): Promise<Outcome> {
  const end = await db
    .selectFrom('blocks')
    .select('number')
    .where('timestamp', '>', until)
    .where('number', '>', block.number)
    .orderBy('timestamp')
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
  if (end === undefined) return 'waiting';
  const within = await db
    .selectFrom('blocks')
    .select((e) => [e.fn.countAll().as('count'), e.fn.min(LOWEST_PRICE).as('lowest')])
    .where('number', '>', block.number)
    .where('number', '<', end.number)
    .executeTakeFirstOrThrow();
  if (Number(within.count) < end.number - block.number - 1) return 'waiting';
  // A chain that stood still all the while: there was nothing to be reached, and nothing to be missed.
  if (within.lowest === null) return { verdict: 'unknown', settledBlock: end.number };
  const isKept = BigInt(within.lowest) <= targetPrice;
  return { verdict: isKept ? 'kept' : 'missed', settledBlock: end.number };
}
