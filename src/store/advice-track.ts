import { sql } from 'kysely';
import { type GivenAdvice, getsInto, type InclusionClaim } from '../core/advice.ts';
import { paysAt } from '../core/auto-txs/target.ts';
import { type Block, tipAt } from '../core/block.ts';
import { type AdviceRow, toGivenAdvice } from './advice-rows.ts';
import { toBlock } from './blocks.ts';
import { Store } from './database.ts';
import { countRows, newestBlock, type Queries } from './tables.ts';

/** Blocks still missing this long (chain time) after they were needed are given up, once requested. */
const GIVE_UP_AFTER_SEC = 86_400;

/** A verdict; `waiting`: needed blocks are missing but may still come; `void`: the block itself is gone. */
type Outcome = Pick<AdviceRow, 'verdict' | 'settled_block' | 'saved_ratio'> | 'waiting' | 'void';

type Head = Pick<Block, 'number' | 'timestamp'>;

export type AdviceCount = ReturnType<typeof countOf>;
export type AdviceScore = Awaited<ReturnType<TrackStore['score']>>;

export class TrackStore extends Store {
  /** Blocks whose unjudged advice ended within the last `within` blocks, at most `limit` of either kind. */
  due(within: number, limit: number): Promise<number[]> {
    return this.database.run(async (db) => {
      const head = await newestBlock(db);
      if (head === null) return [];
      const start = (await newestBlock(db, head.number - within)) ?? { number: -1, timestamp: -1 };
      const running = db
        .selectFrom('advice')
        .select('block_number')
        .where('verdict', 'is', null)
        .limit(limit);
      const sent = running.where('due_block', '>', start.number).where('due_block', '<=', head.number);
      const waited = running.where('due_at', '>=', start.timestamp).where('due_at', '<', head.timestamp);
      return [
        ...(await sent.orderBy('due_block', 'desc').execute()),
        ...(await waited.orderBy('due_at', 'desc').execute()),
      ].map((row) => row.block_number);
    });
  }

  /** Judges advice whose blocks are stored, or will not come up to `filledUntil` (Unix s). Returns the number judged. */
  async settle(blocks: readonly number[], filledUntil: number | null = null): Promise<number> {
    if (blocks.length === 0) return 0;
    return this.database.transaction(async (trx) => {
      const head = await newestBlock(trx);
      if (head === null) return 0;
      const open = trx.selectFrom('advice').selectAll().where('block_number', 'in', blocks);
      let settled = 0;
      for (const row of await open.where('verdict', 'is', null).execute()) {
        const outcome = await outcomeOf(trx, toGivenAdvice(row), head, filledUntil);
        if (outcome === 'waiting') continue;
        const { block_number: given } = row;
        if (outcome === 'void') await trx.deleteFrom('advice').where('block_number', '=', given).execute();
        else await trx.updateTable('advice').set(outcome).where('block_number', '=', given).execute();
        settled += 1;
      }
      return settled;
    });
  }

  /** Of the last `most` with a stated probability, and of either kind alone; `unjudged`: given since then, its blocks are unavailable. */
  score(most: number) {
    return this.database.run(async (db) => {
      const judged = db
        .selectFrom('advice')
        .select(JUDGED)
        .where('verdict', 'in', ['kept', 'missed'])
        .where('probability', 'is not', null)
        .orderBy('settled_block', 'desc')
        .orderBy('block_number', 'desc')
        .limit(most);
      const newest = await judged.execute();
      const waits = await judged.where('due_at', 'is not', null).execute();
      const sends = await judged.where('due_at', 'is', null).execute();
      const first = Math.min(...newest.map((row) => row.block_number));
      const unknown = db.selectFrom('advice').where('verdict', '=', 'unknown');
      return {
        ...countOf(newest),
        unjudged: newest.length === 0 ? 0 : await countRows(unknown.where('block_number', '>=', first)),
        waits: countOf(waits),
        sends: countOf(sends),
      };
    });
  }
}

const JUDGED = ['block_number', 'timestamp', 'version', 'probability', 'verdict', 'saved_ratio'] as const;
type JudgedRow = Pick<AdviceRow, (typeof JUDGED)[number]>;

/** Without any rows the means, and the time of the oldest (Unix s), are `null`. */
function countOf(rows: readonly JudgedRow[]) {
  return {
    evaluated: rows.length,
    kept: rows.filter((row) => row.verdict === 'kept').length,
    statedProbability: meanOf(rows.map((row) => row.probability)),
    savingRatio: meanOf(rows.map((row) => row.saved_ratio)),
    since: rows.length === 0 ? null : Math.min(...rows.map((row) => row.timestamp)),
    versions: [...new Set(rows.map((row) => row.version))].sort((a, b) => a - b),
  };
}

/** Of the values that are known; `null` without any. */
function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

async function outcomeOf(
  db: Queries,
  given: GivenAdvice,
  head: Head,
  filledUntil: number | null,
): Promise<Outcome> {
  const { block, promise } = given;
  const stored = db.selectFrom('blocks').select('hash').where('number', '=', block.number);
  const hash = (await stored.executeTakeFirst())?.hash ?? null;
  // A reorg during downtime.
  if (hash !== null && block.hash !== null && hash !== block.hash) return 'void';
  const outcome =
    promise.kind === 'inclusion'
      ? await includedBy(db, block.number, promise)
      : await reachedBy(db, given, promise.until);
  const needed = promise.kind === 'reached' ? promise.until : block.timestamp;
  const isGivenUp = filledUntil !== null && filledUntil - needed > GIVE_UP_AFTER_SEC;
  return outcome === 'waiting' && isGivenUp
    ? { verdict: 'unknown', settled_block: head.number, saved_ratio: null }
    : outcome;
}

async function includedBy(db: Queries, after: number, promise: InclusionClaim): Promise<Outcome> {
  const within = db.selectFrom('blocks').selectAll().where('number', '>', after);
  const rows = await within.where('number', '<=', promise.lastBlock).orderBy('number').execute();
  if (rows.length < promise.lastBlock - after) return 'waiting';
  const blocks = rows.map(toBlock);
  const into = blocks.find((block) => getsInto(block, promise));
  const [first, last] = [blocks[0], blocks.at(-1)];
  const paid = into && paysAt({ ...promise, gasPrice: null }, into.baseFeePerGas);
  return {
    verdict: into === undefined ? 'missed' : 'kept',
    settled_block: promise.lastBlock,
    saved_ratio: first && last ? savedBy(paid ?? askOf(last), askOf(first)) : null,
  };
}

/** The least price per gas that gets into a block. */
const askOf = (block: Block): bigint => block.baseFeePerGas + (tipAt(block, 10) ?? 0n);

/** The share that `paid` is below sending in the next block; `null` where that cost nothing. */
const savedBy = (paid: bigint, sendNow: bigint): number | null =>
  sendNow === 0n ? null : 1 - Number(paid) / Number(sendNow);

/** Two prices at their limit exceed a safe integer together. */
const LOWEST_PRICE = sql<number>`case when base_fee > ${sql.lit(Number.MAX_SAFE_INTEGER)} - coalesce(tip_p10, 0)
  then ${sql.lit(Number.MAX_SAFE_INTEGER)} else base_fee + coalesce(tip_p10, 0) end`;

async function reachedBy(db: Queries, { block, targetPrice }: GivenAdvice, until: number): Promise<Outcome> {
  const later = db.selectFrom('blocks').where('number', '>', block.number);
  const after = later.select('number').where('timestamp', '>', until).orderBy('timestamp').orderBy('number');
  const end = await after.limit(1).executeTakeFirst();
  if (end === undefined) return 'waiting';
  const before = later.where('number', '<', end.number);
  const { count, lowest } = await before
    .select((e) => [e.fn.countAll().as('count'), e.fn.min(LOWEST_PRICE).as('lowest')])
    .executeTakeFirstOrThrow();
  if (Number(count) < end.number - block.number - 1) return 'waiting';
  // No block during a standstill: the price could be neither reached nor missed.
  if (lowest === null) return { verdict: 'unknown', settled_block: end.number, saved_ratio: null };
  const edges = await later
    .selectAll()
    .where('number', 'in', [block.number + 1, end.number - 1])
    .orderBy('number')
    .execute();
  const [first, last] = [edges[0], edges.at(-1)].map((row) => row && askOf(toBlock(row)));
  const isKept = BigInt(lowest) <= targetPrice;
  return {
    verdict: isKept ? 'kept' : 'missed',
    settled_block: end.number,
    saved_ratio: first && last ? savedBy(isKept ? targetPrice : last, first) : null,
  };
}
