import { BLOCK_COLUMNS } from './block-row.ts';
import { BulkInsert } from './bulk-insert.ts';
import { prepared, type Slots } from './prepared.ts';
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

const selectBlocks = prepared((db, slot: Slots<Stretch>) =>
  db
    .selectFrom('blocks')
    .select(BLOCK_COLUMNS)
    .where('timestamp', '>=', slot('from'))
    .where('timestamp', '<', slot('to'))
    .orderBy('number'),
);

const selectFiner = prepared((db, slot: Slots<Stretch & { finer: RollupSec }>) =>
  db
    .selectFrom('rollups')
    .selectAll()
    .where('bucket_sec', '=', slot('finer'))
    .where('start', '>=', slot('from'))
    .where('start', '<', slot('to'))
    .orderBy('start'),
);

const deleteRollups = prepared((db, slot: Slots<Stretch & { bucketSec: RollupSec }>) =>
  db
    .deleteFrom('rollups')
    .where('bucket_sec', '=', slot('bucketSec'))
    .where('start', '>=', slot('from'))
    .where('start', '<', slot('to')),
);

async function readBlocks(trx: Queries, stretch: Stretch): Promise<Rollup[]> {
  return (await selectBlocks(trx, stretch)).map(blockRollup);
}

async function readFiner(trx: Queries, stretch: Stretch, finer: RollupSec): Promise<Rollup[]> {
  return (await selectFiner(trx, { ...stretch, finer })).map(toRollup);
}

async function replace(
  trx: Queries,
  stretch: Stretch,
  bucketSec: RollupSec,
  rollups: readonly Rollup[],
): Promise<void> {
  await deleteRollups(trx, { ...stretch, bucketSec });
  await inserts.run(
    trx,
    rollups.map((rollup) => toRollupRow(rollup, bucketSec)),
  );
}
