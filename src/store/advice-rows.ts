import { sql } from 'kysely';
import type { Action, GivenAdvice } from '../core/advice.ts';
import type { Hex } from '../core/block.ts';
import { columns, plainCell, wei, wholeCell } from './columns.ts';
import type { Queries } from './tables.ts';

const MOST_ROWS = 100_000;
const KEEP_SEC = 400 * 86_400;

/** The first advice for a block stays; advice for another block of the same height is replaced. */
export async function writeAdvice(trx: Queries, given: GivenAdvice): Promise<void> {
  const row = { ...toRow(given), ...RUNNING };
  const advice = trx.insertInto('advice').values(row);
  const isOther = sql<boolean>`advice.block_hash is distinct from excluded.block_hash`;
  await advice.onConflict((it) => it.column('block_number').doUpdateSet(row).where(isOther)).execute();
}

/** Deletes the advice given after blocks above `number`, and verdicts that depend on those blocks. */
export async function rewindAdvice(trx: Queries, number: number): Promise<void> {
  await trx.deleteFrom('advice').where('block_number', '>', number).execute();
  const running = trx.updateTable('advice').set(RUNNING);
  await running.where('settled_block', '>', number).execute();
}

export async function pruneAdvice(trx: Queries, now: number): Promise<void> {
  await sql`delete from advice where timestamp < ${now - KEEP_SEC} or block_number <= (
    select block_number from advice order by block_number desc limit 1 offset ${MOST_ROWS})`.execute(trx);
}

const BLOCK = columns({
  number: ['block_number', plainCell<number>()],
  hash: ['block_hash', plainCell<Hex | null>()],
  timestamp: ['timestamp', { ...plainCell<number>(), write: Math.floor }],
});
const ADVICE = columns({
  version: ['version', plainCell<number>()],
  action: ['action', plainCell<Action>()],
  targetPrice: ['target_price', wei],
  probability: ['probability', plainCell<number | null>()],
});
const INCLUSION = columns({
  maxFeePerGas: ['max_fee', wei],
  maxPriorityFeePerGas: ['max_priority_fee', wei],
  lastBlock: ['due_block', wholeCell],
});

/** Advice given after one block. Wei per gas, times in Unix seconds. */
export interface AdviceRow extends ReturnType<typeof toRow> {
  /** `kept`, `missed`, or `unknown` when the blocks to judge by are missing; `null`: still running. */
  verdict: string | null;
  /** The block that settled it: if that block is orphaned, the advice runs again. */
  settled_block: number | null;
  /** What following it saved against sending in the next block, as a share; `null`: unknown. */
  saved_ratio: number | null;
}

const RUNNING = { verdict: null, settled_block: null, saved_ratio: null };

const toRow = (given: GivenAdvice) => ({
  ...BLOCK.write(given.block),
  ...ADVICE.write(given),
  ...INCLUSION.writeOrNull(given.promise.kind === 'inclusion' ? given.promise : null),
  due_at: given.promise.kind === 'inclusion' ? null : Math.floor(given.promise.until),
});

export const toGivenAdvice = (row: AdviceRow): GivenAdvice => ({
  ...ADVICE.read(row),
  block: BLOCK.read(row),
  promise:
    row.due_at === null
      ? { kind: 'inclusion', ...INCLUSION.read(row) }
      : { kind: 'reached', until: row.due_at },
});
