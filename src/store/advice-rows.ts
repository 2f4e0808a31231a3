import type { Action } from '../core/advice.ts';
import type { Hex } from '../core/block.ts';
import type { GivenAdvice } from '../core/given-advice.ts';
import { integer } from './block-row.ts';
import { BulkInsert } from './bulk-insert.ts';
import type { AdviceRow, Queries } from './schema.ts';

const MOST_ROWS = 100_000;
const KEEP_SEC = 400 * 86_400;

const COLUMNS = [
  'block_number',
  'block_hash',
  'timestamp',
  'version',
  'action',
  'target_price',
  'max_fee',
  'max_priority_fee',
  'due_block',
  'due_at',
  'probability',
  'verdict',
  'settled_block',
] as const satisfies readonly (keyof AdviceRow)[];

const inserts = new BulkInsert<AdviceRow>((db, rows) =>
  db
    .insertInto('advice')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column('block_number')
        .doUpdateSet((e) =>
          Object.fromEntries(COLUMNS.map((column) => [column, e.ref(`excluded.${column}`)])),
        )
        .where((e) => e('advice.block_hash', 'is not', e.ref('excluded.block_hash'))),
    )
    .compile(),
);

/**
 * Writes what was advised after a block. What was said of that block first stands, whoever says it again; advice
 * on another block of the same height gives way. Call it in the transaction that writes the block.
 */
export async function writeAdvice(trx: Queries, given: GivenAdvice): Promise<void> {
  await inserts.run(trx, [toRow(given)]);
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
export function toGivenAdvice(row: AdviceRow): GivenAdvice {
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
