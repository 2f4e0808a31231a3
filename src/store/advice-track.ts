import { sql } from 'kysely';
import { type Action, type GivenAdvice, getsInto, type Inclusion } from '../core/advice.ts';
import type { Block, Hex } from '../core/block.ts';
import { toBlock } from './block-rows.ts';
import { integer, maybe } from './columns.ts';
import type { Database } from './database.ts';
import { countRows, type Queries } from './tables.ts';

const MOST_ROWS = 100_000;
const KEEP_SEC = 400 * 86_400;

/** The first advice for a block stays; advice for another block of the same height is replaced. */
export async function writeAdvice(trx: Queries, given: GivenAdvice): Promise<void> {
  const row = { ...toRow(given), verdict: null, settled_block: null };
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

/** Deletes the advice given after blocks above `number`, and verdicts that depend on those blocks. */
export async function rewindAdvice(trx: Queries, number: number): Promise<void> {
  await trx.deleteFrom('advice').where('block_number', '>', number).execute();
  const running = trx.updateTable('advice').set({ verdict: null, settled_block: null });
  await running.where('settled_block', '>', number).execute();
}

export async function pruneAdvice(trx: Queries, now: number): Promise<void> {
  await sql`delete from advice where timestamp < ${now - KEEP_SEC} or block_number <= (
    select block_number from advice order by block_number desc limit 1 offset ${MOST_ROWS})`.execute(trx);
}

/** Advice given after one block. Wei per gas, times in Unix seconds. */
export interface AdviceRow extends ReturnType<typeof toRow> {
  /** `kept`, `missed`, or `unknown` when the blocks to judge by are missing; `null`: still running. */
  verdict: string | null;
  /** The block that settled it: if that block is orphaned, the advice runs again. */
  settled_block: number | null;
}

function toRow({ block, version, action, targetPrice, promise, probability }: GivenAdvice) {
  const isInclusion = promise.kind === 'inclusion';
  return {
    block_number: block.number,
    block_hash: maybe(block.hash, String),
    timestamp: Math.floor(block.timestamp),
    version,
    action: String(action),
    target_price: integer(targetPrice),
    max_fee: isInclusion ? integer(promise.maxFeePerGas) : null,
    max_priority_fee: isInclusion ? integer(promise.maxPriorityFeePerGas) : null,
    due_block: isInclusion ? promise.lastBlock : null,
    due_at: isInclusion ? null : Math.floor(promise.until),
    probability,
  };
}

function toGivenAdvice(row: AdviceRow): GivenAdvice {
  return {
    block: { number: row.block_number, hash: row.block_hash as Hex | null, timestamp: row.timestamp },
    version: row.version,
    action: row.action as Action,
    targetPrice: BigInt(row.target_price),
    promise: toPromise(row),
    probability: row.probability,
  };
}

function toPromise({
  max_fee,
  max_priority_fee,
  due_block,
  due_at,
  block_number,
}: AdviceRow): GivenAdvice['promise'] {
  if (due_at !== null) return { kind: 'reached', until: due_at };
  if (max_fee === null || max_priority_fee === null || due_block === null)
    throw new RangeError(`advice after block ${block_number} promises nothing`);
  return {
    kind: 'inclusion',
    maxFeePerGas: BigInt(max_fee),
    maxPriorityFeePerGas: BigInt(max_priority_fee),
    lastBlock: due_block,
  };
}

/** Blocks still missing this long (chain time) after they were needed are given up, once requested. */
const GIVE_UP_AFTER_SEC = 86_400;

/** Results of the latest advice with a stated probability that has been judged. */
export interface AdviceScore extends AdviceCount {
  /** Given since then, but the blocks to judge it by are unavailable. */
  readonly unjudged: number;
  /** The same for the latest advice to wait or to set an alert, which may reach back further. */
  readonly waits: AdviceCount;
}

export interface AdviceCount {
  readonly evaluated: number;
  readonly kept: number;
  /** Mean stated probability; `null` when none was judged. */
  readonly statedProbability: number | null;
  /** Time of the block after which the oldest of them was given, Unix seconds. */
  readonly since: number | null;
  readonly versions: readonly number[];
}

/** A verdict; `waiting`: needed blocks are missing but may still come; `void`: the block itself is gone. */
type Outcome =
  | { readonly verdict: 'kept' | 'missed' | 'unknown'; readonly settledBlock: number }
  | 'waiting'
  | 'void';

type Head = Pick<Block, 'number' | 'timestamp'>;

/** Judges stored advice by the stored blocks, and counts the results. Rejects with a `StoreError`. */
export class TrackStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Blocks whose unjudged advice ended within the last `within` blocks, at most `limit` of either kind. */
  due(within: number, limit: number): Promise<number[]> {
    return this.#database.run(async (db) => {
      const head = await lastBlock(db);
      if (head === null) return [];
      const start = (await lastBlock(db, head.number - within)) ?? { number: -1, timestamp: -1 };
      const running = db
        .selectFrom('advice')
        .select('block_number')
        .where('verdict', 'is', null)
        .limit(limit);
      const sent = running.where('due_block', '>', start.number).where('due_block', '<=', head.number);
      const waited = running.where('due_at', '>=', start.timestamp).where('due_at', '<', head.timestamp);
      const ended = [
        ...(await sent.orderBy('due_block', 'desc').execute()),
        ...(await waited.orderBy('due_at', 'desc').execute()),
      ];
      return ended.map((row) => row.block_number);
    });
  }

  /** Judges advice whose blocks are stored, or will not come up to `filledUntil` (Unix s). Returns the number judged. */
  async settle(blocks: readonly number[], filledUntil: number | null = null): Promise<number> {
    if (blocks.length === 0) return 0;
    return this.#database.transaction(async (trx) => {
      const head = await lastBlock(trx);
      if (head === null) return 0;
      const open = trx.selectFrom('advice').selectAll().where('block_number', 'in', blocks);
      const rows = await open.where('verdict', 'is', null).execute();
      let settled = 0;
      for (const given of rows.map(toGivenAdvice)) {
        const outcome = await outcomeOf(trx, given, head, filledUntil);
        if (outcome === 'waiting') continue;
        await record(trx, given, outcome);
        settled += 1;
      }
      return settled;
    });
  }

  /** The last `most` with a stated probability, by the time they ended, and the last `most` to wait. */
  score(most: number): Promise<AdviceScore> {
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

function countOf(rows: readonly JudgedRow[]): AdviceCount {
  const stated = rows.reduce((sum, row) => sum + (row.probability ?? 0), 0);
  return {
    evaluated: rows.length,
    kept: rows.filter((row) => row.verdict === 'kept').length,
    statedProbability: rows.length === 0 ? null : stated / rows.length,
    since: rows.length === 0 ? null : Math.min(...rows.map((row) => row.timestamp)),
    versions: [...new Set(rows.map((row) => row.version))].sort((a, b) => a - b),
  };
}

async function lastBlock(db: Queries, upTo = Number.MAX_SAFE_INTEGER): Promise<Head | null> {
  const blocks = db.selectFrom('blocks').select(['number', 'timestamp']).where('number', '<=', upTo);
  return (await blocks.orderBy('number', 'desc').limit(1).executeTakeFirst()) ?? null;
}

const countUnknown = (db: Queries, from: number) =>
  countRows(db.selectFrom('advice').where('verdict', '=', 'unknown').where('block_number', '>=', from));

async function record(trx: Queries, { block }: GivenAdvice, outcome: Exclude<Outcome, 'waiting'>) {
  if (outcome === 'void') {
    await trx.deleteFrom('advice').where('block_number', '=', block.number).execute();
    return;
  }
  const { verdict, settledBlock: settled_block } = outcome;
  await trx
    .updateTable('advice')
    .set({ verdict, settled_block })
    .where('block_number', '=', block.number)
    .execute();
}

async function outcomeOf(
  db: Queries,
  given: GivenAdvice,
  head: Head,
  filledUntil: number | null,
): Promise<Outcome> {
  const { block, promise } = given;
  const own = await db
    .selectFrom('blocks')
    .select('hash')
    .where('number', '=', block.number)
    .executeTakeFirst();
  // A reorg during downtime.
  if (own?.hash != null && block.hash !== null && own.hash !== block.hash) return 'void';
  const outcome =
    promise.kind === 'inclusion'
      ? await includedBy(db, block.number, promise)
      : await reachedBy(db, given, promise.until);
  if (outcome !== 'waiting') return outcome;
  const needed = promise.kind === 'reached' ? promise.until : block.timestamp;
  return filledUntil !== null && filledUntil - needed > GIVE_UP_AFTER_SEC
    ? { verdict: 'unknown', settledBlock: head.number }
    : 'waiting';
}

async function includedBy(db: Queries, after: number, promise: Inclusion): Promise<Outcome> {
  const within = db.selectFrom('blocks').selectAll().where('number', '>', after);
  const rows = await within.where('number', '<=', promise.lastBlock).execute();
  if (rows.length < promise.lastBlock - after) return 'waiting';
  const isKept = rows.some((row) => getsInto(toBlock(row), promise));
  return { verdict: isKept ? 'kept' : 'missed', settledBlock: promise.lastBlock };
}

/** Two prices at their limit exceed a safe integer together. */
const LOWEST_PRICE = sql<number>`case when base_fee > ${sql.lit(Number.MAX_SAFE_INTEGER)} - coalesce(tip_p10, 0)
  then ${sql.lit(Number.MAX_SAFE_INTEGER)} else base_fee + coalesce(tip_p10, 0) end`;

async function reachedBy(db: Queries, { block, targetPrice }: GivenAdvice, until: number): Promise<Outcome> {
  const later = db.selectFrom('blocks').where('number', '>', block.number);
  const after = later.select('number').where('timestamp', '>', until).orderBy('timestamp').orderBy('number');
  const end = await after.limit(1).executeTakeFirst();
  if (end === undefined) return 'waiting';
  const { count, lowest } = await later
    .select((e) => [e.fn.countAll().as('count'), e.fn.min(LOWEST_PRICE).as('lowest')])
    .where('number', '<', end.number)
    .executeTakeFirstOrThrow();
  if (Number(count) < end.number - block.number - 1) return 'waiting';
  // No block during a standstill: the price could be neither reached nor missed.
  if (lowest === null) return { verdict: 'unknown', settledBlock: end.number };
  return { verdict: BigInt(lowest) <= targetPrice ? 'kept' : 'missed', settledBlock: end.number };
}
