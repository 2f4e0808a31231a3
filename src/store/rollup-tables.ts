import { BLOCK_COLUMNS } from './block-row.ts';
import { BulkInsert } from './bulk-insert.ts';
import { blockRollup, bucketStart, foldRollups, type Rollup, toRollup, toRollupRow } from './rollup.ts';
import type { Queries, RollupRow } from './schema.ts';

/** Stored bucket lengths, each folded from the one before: minutes from blocks, hours from five minutes. */
export const ROLLUP_SEC = [60, 300, 3_600] as const;
export type RollupSec = (typeof ROLLUP_SEC)[number];

const inserts = new BulkInsert<RollupRow>((db, rows) => db.insertInto('rollups').values(rows).compile());

/**
 * Folds again, from what is stored, every bucket that holds one of `timestamps`. Whatever happened to the
 * blocks (written, replaced, removed, moved in time), the buckets follow. Call it in the transaction that
 * changed the blocks.
 */
export async function refoldRollups(trx: Queries, timestamps: Iterable<number>): Promise<void> {
  let touched = stretches(timestamps, ROLLUP_SEC[0]);
  let finer: RollupSec | null = null;
  for (const bucketSec of ROLLUP_SEC) {
    touched = widen(touched, bucketSec);
    for (const stretch of touched) {
      const parts: Rollup[] =
        finer === null ? await readBlocks(trx, stretch) : await readFiner(trx, stretch, finer);
      await replace(trx, stretch, bucketSec, foldRollups(parts, bucketSec));
    }
    finer = bucketSec;
  }
}

/** `from` inclusive, `to` exclusive, both on bucket boundaries. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Neighbouring buckets as one stretch, so that a page of blocks costs a few statements, not hundreds. */
function stretches(timestamps: Iterable<number>, bucketSec: number): Stretch[] {
  const starts = new Set<number>();
  for (const timestamp of timestamps) starts.add(bucketStart(timestamp, bucketSec));
  return join([...starts].map((from) => ({ from, to: from + bucketSec })));
}

function widen(touched: readonly Stretch[], bucketSec: number): Stretch[] {
  return join(
    touched.map(({ from, to }) => ({
      from: bucketStart(from, bucketSec),
      to: bucketStart(to + bucketSec - 1, bucketSec),
    })),
  );
}

function join(parts: Stretch[]): Stretch[] {
  const joined: Stretch[] = [];
  for (const part of parts.sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && part.from <= last.to) {
      joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, part.to) };
    } else joined.push(part);
  }
  return joined;
}

async function readBlocks(trx: Queries, { from, to }: Stretch): Promise<Rollup[]> {
  const rows = await trx
    .selectFrom('blocks')
    .select(BLOCK_COLUMNS)
    .where('timestamp', '>=', from)
    .where('timestamp', '<', to)
    .orderBy('number')
    .execute();
  return rows.map(blockRollup);
}

async function readFiner(trx: Queries, { from, to }: Stretch, finer: RollupSec): Promise<Rollup[]> {
  const rows = await trx
    .selectFrom('rollups')
    .selectAll()
    .where('bucket_sec', '=', finer)
    .where('start', '>=', from)
    .where('start', '<', to)
    .orderBy('start')
    .execute();
  return rows.map(toRollup);
}

async function replace(
  trx: Queries,
  { from, to }: Stretch,
  bucketSec: RollupSec,
  rollups: readonly Rollup[],
): Promise<void> {
  await trx
    .deleteFrom('rollups')
    .where('bucket_sec', '=', bucketSec)
    .where('start', '>=', from)
    .where('start', '<', to)
    .execute();
  await inserts.run(
    trx,
    rollups.map((rollup) => toRollupRow(rollup, bucketSec)),
  );
}
