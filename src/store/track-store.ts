import { sql } from 'kysely';
import { type GivenAdvice, getsInto, type Inclusion } from '../core/given-advice.ts';
import { toGivenAdvice } from './advice-rows.ts';
import { BLOCK_COLUMNS, toBlock } from './block-row.ts';
import type { Database } from './open-database.ts';
import { prepared, type Slots } from './prepared.ts';
import type { AdviceRow, Queries } from './schema.ts';
import { whileBusy } from './while-busy.ts';

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
  readonly #queries: Queries;
  readonly #name: string;

  constructor(database: Database) {
    this.#queries = database.queries;
    this.#name = database.name;
  }

  /**
   * The blocks above `above` whose advice has ended by the stored head and is not judged yet, at most `limit` of
   * either kind, those that ended last first.
   */
  due(above: number, limit: number): Promise<number[]> {
    return this.#attempt(async (db) => {
      const head = await readHead(db);
      if (head === null) return [];
      const sent = await selectSent(db, { above, limit, until: head.number });
      const waited = await selectWaited(db, { above, limit, until: head.timestamp });
      return [...sent, ...waited].map((row) => row.block_number);
    });
  }

  /**
   * Judges the advice after these blocks as far as it has ended and its blocks are there. One transaction.
   * @param filledUntil what is missing up to this time (Unix seconds) has just been asked for and is not to be had;
   * `null`: it may still come, however long the service was down.
   */
  settle(blocks: readonly number[], filledUntil: number | null = null): Promise<Settlement> {
    if (blocks.length === 0) return Promise.resolve({ settled: 0, waiting: null });
    return this.#attempt((db) =>
      db.transaction().execute(async (trx) => {
        let settled = 0;
        let waiting: number | null = null;
        const head = await readHead(trx);
        if (head === null) return { settled, waiting };
        const rows = await selectUnjudged(trx, { blocks: JSON.stringify(blocks) });
        for (const given of rows.map(toGivenAdvice)) {
          const outcome = await outcomeOf(trx, given, { head, filledUntil });
          if (outcome === 'waiting') waiting = Math.max(waiting ?? -1, given.block.number);
          else await record(trx, given, outcome);
          if (outcome !== 'waiting') settled += 1;
        }
        return { settled, waiting };
      }),
    );
  }

  /** The last `most` that stated a probability, by when they ended; and of those to wait the last `most`. */
  score(most: number): Promise<SaidScore> {
    return this.#attempt(async (db) => {
      const said = await selectJudged(db, { most });
      const waits = await selectJudgedWaits(db, { most });
      const first = Math.min(...said.map((row) => row.block_number));
      return {
        ...countOf(said),
        unjudged: said.length === 0 ? 0 : await countUnknown(db, first),
        waits: countOf(waits),
      };
    });
  }

  #attempt<Result>(work: (db: Queries) => Promise<Result>): Promise<Result> {
    return whileBusy(this.#name, () => work(this.#queries));
  }
}

type JudgedRow = Pick<AdviceRow, 'block_number' | 'timestamp' | 'version' | 'probability' | 'verdict'>;

interface Pending {
  readonly above: number;
  readonly limit: number;
  readonly until: number;
}

const selectPending = (db: Queries, slot: Slots<Pending>) =>
  db
    .selectFrom('advice')
    .select('block_number')
    .where('verdict', 'is', null)
    .where('block_number', '>', slot('above'))
    .limit(slot('limit'));

const selectSent = prepared((db, slot: Slots<Pending>) =>
  selectPending(db, slot).where('due_block', '<=', slot('until')).orderBy('due_block', 'desc'),
);

const selectWaited = prepared((db, slot: Slots<Pending>) =>
  selectPending(db, slot).where('due_at', '<', slot('until')).orderBy('due_at', 'desc'),
);

/** `blocks`: their numbers as JSON. */
const selectUnjudged = prepared((db, slot: Slots<{ blocks: string }>) =>
  db
    .selectFrom('advice')
    .selectAll()
    .where('block_number', 'in', sql<number>`(select value from json_each(${slot('blocks')}))`)
    .where('verdict', 'is', null),
);

const judged = (db: Queries, slot: Slots<{ most: number }>) =>
  db
    .selectFrom('advice')
    .select(['block_number', 'timestamp', 'version', 'probability', 'verdict'])
    .where('verdict', 'in', ['kept', 'missed'])
    .where('probability', 'is not', null)
    .orderBy('settled_block', 'desc')
    .orderBy('block_number', 'desc')
    .limit(slot('most'));

const selectJudged = prepared(judged);

const selectJudgedWaits = prepared((db, slot: Slots<{ most: number }>) =>
  judged(db, slot).where('due_at', 'is not', null),
);

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

const selectHead = prepared((db, _: Slots<object>) =>
  db.selectFrom('blocks').select(['number', 'timestamp']).orderBy('number', 'desc').limit(1),
);

async function readHead(db: Queries): Promise<Head | null> {
  const [head] = await selectHead(db, {});
  return head ?? null;
}

const selectUnknown = prepared((db, slot: Slots<{ from: number }>) =>
  db
    .selectFrom('advice')
    .select((e) => e.fn.countAll().as('count'))
    .where('verdict', '=', 'unknown')
    .where('block_number', '>=', slot('from')),
);

async function countUnknown(db: Queries, from: number): Promise<number> {
  const [row] = await selectUnknown(db, { from });
  return Number(row?.count ?? 0);
}

type Judged = Exclude<Outcome, 'waiting' | 'void'> & { readonly block: number };

const updateVerdict = prepared((db, slot: Slots<Judged>) =>
  db
    .updateTable('advice')
    .set({ verdict: slot('verdict'), settled_block: slot('settledBlock') })
    .where('block_number', '=', slot('block')),
);

async function record(trx: Queries, { block }: GivenAdvice, outcome: Exclude<Outcome, 'waiting'>) {
  if (outcome === 'void') await trx.deleteFrom('advice').where('block_number', '=', block.number).execute();
  else await updateVerdict(trx, { ...outcome, block: block.number });
}

interface Known {
  readonly head: Head;
  readonly filledUntil: number | null;
}

const selectHash = prepared((db, slot: Slots<{ number: number }>) =>
  db.selectFrom('blocks').select('hash').where('number', '=', slot('number')),
);

async function outcomeOf(db: Queries, given: GivenAdvice, { head, filledUntil }: Known): Promise<Outcome> {
  const { block, promise } = given;
  const [own] = await selectHash(db, block);
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

const selectBetween = prepared((db, slot: Slots<{ after: number; last: number }>) =>
  db
    .selectFrom('blocks')
    .select(BLOCK_COLUMNS)
    .where('number', '>', slot('after'))
    .where('number', '<=', slot('last')),
);

async function includedBy(db: Queries, after: number, promise: Inclusion): Promise<Outcome> {
  const rows = await selectBetween(db, { after, last: promise.lastBlock });
  if (rows.length < promise.lastBlock - after) return 'waiting';
  const isKept = rows.some((row) => getsInto(toBlock(row), promise));
  return { verdict: isKept ? 'kept' : 'missed', settledBlock: promise.lastBlock };
}

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
    .select((e) => [
      e.fn.countAll().as('count'),
      // Two prices at their limit add up to more than a number holds.
      e.fn.min(sql<number>`min(base_fee + coalesce(tip_p10, 0), ${Number.MAX_SAFE_INTEGER})`).as('lowest'),
    ])
    .where('number', '>', block.number)
    .where('number', '<', end.number)
    .executeTakeFirstOrThrow();
  if (Number(within.count) < end.number - block.number - 1) return 'waiting';
  // A chain that stood still all the while: there was nothing to be reached, and nothing to be missed.
  if (within.lowest === null) return { verdict: 'unknown', settledBlock: end.number };
  const isKept = BigInt(within.lowest) <= targetPrice;
  return { verdict: isKept ? 'kept' : 'missed', settledBlock: end.number };
}
