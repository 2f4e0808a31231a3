/** What a killed service left in its database, read while nobody has the file open: it has to be made whole again. */
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import type { Hex } from '../../../src/core/block.ts';
import { isServerUrl } from '../../../src/store/database-url.ts';
import { asked } from '../../helpers/databases.ts';

export interface AutoTxRecord {
  readonly id: string;
  readonly hash: Hex;
  readonly from_address: string;
  readonly nonce: number;
  readonly status: string;
  readonly attempts: number;
  readonly sent_at: number | null;
  readonly may_be_out: number;
  readonly block_number: number | null;
  readonly block_hash: string | null;
  readonly failure_code: string | null;
  readonly target: number;
  readonly max_cost: string | null;
  readonly threshold_reason: string | null;
}

export interface NoteRecord {
  readonly auto_tx_id: string;
  readonly kind: string;
}

export interface Records {
  readonly autoTxs: readonly AutoTxRecord[];
  readonly notes: readonly NoteRecord[];
  readonly bytes: readonly { readonly auto_tx_id: string; readonly ended_at: number | null }[];
  readonly executed: number;
}

export async function readRecords(target: string): Promise<Records> {
  // One after the other: who waits for the killed to be gone has one connection itself.
  const all = async <Row>(query: string) =>
    (isServerUrl(target) ? await asked(target, query) : askFile(target, query)) as Row[];
  const tallies = await all<{ executed: number }>(
    'select coalesce(sum(executed), 0) as executed from auto_tx_tallies',
  );
  return {
    autoTxs: await all('select * from auto_txs order by created_at, id'),
    notes: await all('select auto_tx_id, kind from auto_tx_events order by auto_tx_id, seq'),
    bytes: await all('select auto_tx_id, ended_at from signed_transactions'),
    executed: tallies[0]?.executed ?? 0,
  };
}

function askFile(path: string, query: string): unknown[] {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    expect(database.prepare('pragma quick_check').all()).toEqual([{ quick_check: 'ok' }]);
    return database.prepare(query).all();
  } finally {
    database.close();
  }
}

/** Whatever has left the service, the decision to send it was written down before. */
export function expectDecidedFirst({ autoTxs }: Records, left: readonly Hex[]): void {
  const attempts = new Map(autoTxs.map((each) => [each.hash, each.attempts]));
  const undecided = [...new Set(left)].filter((hash) => (attempts.get(hash) ?? 0) === 0);
  expect(undecided, 'left without a decision').toEqual([]);
}
